"""Effects of xDSL's passes outside the IR.

Source: `xdsl.transforms`, xDSL 0.74, as far as its passes open files and start processes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xdsl.passes import ModulePass

_KNOWN: dict[str, Mapping[str, str]] = {
    "apply-eqsat-pdl": {"run-programs": "", "read-files": "pdl_file"},  # it calls mlir-opt
    "apply-eqsat-pdl-interp": {"read-files": "pdl_interp_file"},
    "apply-pdl": {"read-files": "pdl_file"},
    "apply-pdl-interp": {"read-files": "pdl_interp_file"},
    "eqsat-add-costs": {"read-files": "cost_file"},
    "mlir-opt": {"run-programs": ""},
    # The IR names the passes that it runs.
    "transform-interpreter": {"read-files": "", "run-programs": ""},
}
"""By pass: each effect with the field without which it does not happen, if there is one."""


def effects_of_class(kind: type[ModulePass]) -> tuple[str, ...]:
    """Return what passes of a class may do outside the IR.

    Passes of other packages declare it as passel's do, or it is not known.
    """
    if kind.__module__.partition(".")[0] == "xdsl":
        return tuple(_KNOWN.get(kind.name, ()))
    return tuple(getattr(kind, "effects", ("unknown",)))


def effects_of_instance(kind: type[ModulePass], pass_: Any) -> tuple[str, ...]:
    """Return what one pass does outside the IR.

    Args:
        kind: The class of the pass.
        pass_: What has its fields; those that it lacks count as set.
    """
    fields = _KNOWN.get(kind.name, {})
    return tuple(
        effect
        for effect in effects_of_class(kind)
        if not fields.get(effect) or getattr(pass_, fields[effect], True) is not None
    )

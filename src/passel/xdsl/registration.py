"""Registration of the passes that passel, xDSL and xDSL's plugins provide for xDSL's IR."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from xdsl.universe import Universe

from passel.diagnostics import log_warning_once
from passel.installed import entry_points, leave_out, package_of
from passel.pipeline.lexer import NAMES, is_name

if TYPE_CHECKING:
    from passel.passes import PassRegistry

_OWN_PASSES = {
    "canonicalize": "canonicalize:Canonicalizer",
    "cse": "cse:CSE",
    "dce": "canonicalize:DCE",
    "inline": "inline:Inliner",
    "licm": "loop_invariant_code_motion:Licm",
    "loop-invariant-code-motion": "loop_invariant_code_motion:LoopInvariantCodeMotion",
    "mem2reg": "mem2reg:Mem2Reg",
    "sccp": "sccp:SCCP",
    "strip-debuginfo": "strip_debuginfo:StripDebugInfo",
    "symbol-dce": "symbol_dce:SymbolDCE",
}
"""The module and class of each pass in `passel.xdsl.passes`."""


def register(registry: PassRegistry) -> None:
    """Register passel's passes, and then the passes of xDSL and its plugins.

    If the name of a pass of xDSL or of a plugin is already taken, the pass is not registered.
    """
    for name, place in _OWN_PASSES.items():
        registry.register(name, f"passel.xdsl.passes.{place}", origin="passel", ir="xdsl")
    registry.defer(register_xdsl_passes, ir="xdsl")  # when all packages have registered theirs


def register_xdsl_passes(registry: PassRegistry, *, override: bool = False) -> None:
    """Register the passes of xDSL and of its plugins.

    Args:
        registry: The registry to which the passes are added.
        override: Whether to replace passes of the same name that are already registered.
    """
    universe, origins = _installed()
    for name, factory in universe.all_passes.items():
        if override or registry.lookup(name, ir="xdsl") is None:
            registry.register(name, factory, origin=origins[name], ir="xdsl", override=override)


def installed_universe() -> Universe:
    """Return the dialects, passes and targets of xDSL and of its plugins.

    Unlike `Universe.get_multiverse`, this function skips packages that cannot be loaded, entry
    points that are not a `Universe`, and passes whose names are invalid in pipelines. If several
    packages define the same name, xDSL's definition is used. If xDSL does not define the name, the
    definition from the alphabetically first entry point is used. The logger `passel` reports each
    skipped name immediately, but reports skipped packages only when the lookup of a name fails.
    """
    return _installed()[0]


@cache
def _installed() -> tuple[Universe, dict[str, str]]:
    """Return the installed universe, and the package that defines each pass."""
    everything = Universe()
    origins: dict[str, str] = {}
    points = entry_points("xdsl.universe")
    for point in sorted(points, key=lambda point: point.name != "xdsl"):
        try:
            universe: Universe = point.load()
            for kind in ("all_dialects", "all_passes", "all_targets"):
                known, new = getattr(everything, kind), getattr(universe, kind)
                _add(known, new, point.name, are_passes=kind == "all_passes")
            origin = "xDSL" if point.name == "xdsl" else package_of(point)
            origins |= dict.fromkeys(everything.all_passes.keys() - origins.keys(), origin)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a broken package must not take the tool with it
            leave_out(point, error)
    return everything, origins


def _add(known: dict[str, Any], new: dict[str, Any], origin: str, *, are_passes: bool) -> None:
    for name, factory in new.items():
        what = f"'{name}' from xdsl.universe '{origin}' is skipped"
        if are_passes and not is_name(name):
            log_warning_once(f"pass {what}: {NAMES}")
        elif known.setdefault(name, factory) is not factory:
            log_warning_once(f"{what}: the name is taken")

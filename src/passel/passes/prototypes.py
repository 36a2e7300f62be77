"""Classes of passes that are like a given one: what is registered may be a pass with options set.

Source: `mlir::registerPass` with a function that creates the pass, MLIR 22.
"""

from __future__ import annotations

import typing
from typing import TYPE_CHECKING, Any, ClassVar, cast

from passel.errors import AdapterError, DefinitionError
from passel.ir import WrapsPassClasses, WrapsPasses, ability_of, adapter_for, adapter_of_class
from passel.passes.base import Pass
from passel.passes.options import option

if TYPE_CHECKING:
    from passel.passes.options import OptionInfo

_classes: dict[tuple[str, type[Pass[Any, Any]], str], type[Pass[Any, Any]]] = {}
"""Classes that have been made: passes of one prototype are equal if their options are."""


def class_of(thing: Any, name: str) -> type[Pass[Any, Any]]:
    """Return the class of the passes that a registered thing stands for.

    Args:
        thing: A pass class, or a pass, of passel or of an IR.
        name: The name under which it is registered.

    Raises:
        DefinitionError: It is neither.
    """
    if not isinstance(thing, Pass) and not (isinstance(thing, type) and issubclass(thing, Pass)):
        thing = _wrapped(thing)
    if isinstance(thing, type):
        return cast("type[Pass[Any, Any]]", thing)
    return class_like(cast("Pass[Any, Any]", thing), name)


def _wrapped(thing: Any) -> Any:
    """Return an IR's own pass, or class of passes, as passel's."""
    try:
        if isinstance(thing, type):
            classes = ability_of(adapter_of_class(thing), WrapsPassClasses)
            if classes is not None:
                return classes.wrap_pass_class(thing)
        elif (passes := ability_of(adapter_for(thing), WrapsPasses)) is not None:
            return passes.wrap_pass(thing)
    except (AdapterError, TypeError):
        pass
    raise DefinitionError(f"{thing!r} is no pass class")


def class_like(pass_: Pass[Any, Any], name: str) -> type[Pass[Any, Any]]:
    """Return a class whose passes have the options of another pass unless they are given.

    Args:
        pass_: The other pass.
        name: The name of the class's passes in textual pipelines.

    Example:
        >>> class Unroll(Pass):
        ...     name = "unroll"
        ...     factor: int = 4
        ...     deep: bool = False
        >>> UnrollMuch = class_like(Unroll(factor=16), "unroll-much")
        >>> print(UnrollMuch(), UnrollMuch(factor=4), UnrollMuch().factor)
        unroll-much unroll-much{factor=4} 16
    """
    base = type(pass_)
    if name == base.name and not pass_.option_nodes():
        return base
    key = name, base, pass_.option_text(all_options=True)
    if key not in _classes:
        _classes[key] = _made(pass_, name)
    return _classes[key]


def _made(pass_: Pass[Any, Any], name: str) -> type[Pass[Any, Any]]:
    base = type(pass_)
    infos = base.option_infos()
    hints = typing.get_type_hints(base, include_extras=True) if infos else {}
    return type(
        base.__name__,
        (_Like, base),
        {
            "__doc__": base.documentation() or None,
            "__module__": base.__module__,
            "__annotations__": {info.field: hints[info.field] for info in infos},
            **{info.field: _with_default(info, getattr(pass_, info.field)) for info in infos},
            "name": name,
            "prototype": pass_,
        },
    )


def _with_default(info: OptionInfo, value: Any) -> Any:
    return option(default_factory=lambda: value, help=info.help, name=info.name)


class _Like:
    """Mixed into classes that are made like a pass: where they come from, for pickle."""

    prototype: ClassVar[Any]

    def __reduce__(self) -> tuple[Any, ...]:
        pass_: Any = self
        values = {info.field: getattr(pass_, info.field) for info in pass_.option_infos()}
        return _remade, (self.prototype, pass_.name, values)


def _remade(prototype: Any, name: str, values: dict[str, Any]) -> Any:
    return class_like(prototype, name)(**values)

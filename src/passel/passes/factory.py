"""Classes of passes that are made at run time: for functions, IRs' own passes, and prototypes.

A prototype is a pass with options set that is registered: there is a class of passes like it.

Source: `mlir::registerPass` with a function that creates the pass, MLIR 22.
"""

from __future__ import annotations

import dataclasses
import typing
from dataclasses import MISSING
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias, TypeVar, cast

from passel.errors import AdapterError, DefinitionError
from passel.ir import WrapsPassClasses, WrapsPasses, ability_of, adapter_for, adapter_of_class
from passel.passes.base import Pass
from passel.passes.definition import is_taken
from passel.passes.options import option

if TYPE_CHECKING:
    from collections.abc import Iterable

PassT = TypeVar("PassT", bound=Pass[Any, Any])


class OptionSpec(NamedTuple):
    """An option of a class that is made at run time.

    Attributes:
        field: The name of the field in what the class stands for.
        type: Its type, as an annotation would say it.
        default: Its default; left out if it must be given.
        default_factory: Makes the default.
        help: One sentence for help.
        name: Its name in text, if not the field's with dashes for underscores.
    """

    field: str
    type: Any
    default: Any = MISSING
    default_factory: Any = MISSING
    help: str = ""
    name: str = ""


def make_pass_class(
    base: type[PassT],
    class_name: str,
    *,
    name: str = "",
    doc: str | None = None,
    module: str = "",
    options: Iterable[OptionSpec] = (),
    **attributes: Any,
) -> type[PassT]:
    """Return a subclass of a pass class, as a class statement would define it.

    A field with the name of an attribute that every pass has is called `name_` instead; its
    name in text is the same.

    Args:
        base: The class that runs such passes.
        class_name: Its name in reports, unless it has another `display_name`.
        name: Its name in textual pipelines; empty if it has none.
        doc: Its docstring, whose first line is its summary.
        module: Where it belongs to; by default where its base class does.
        options: Its options.
        attributes: What else stands in the class body.

    Raises:
        DefinitionError: An option's type cannot be read from text, or a name does not read
            back.
    """
    annotations: dict[str, Any] = {}
    namespace: dict[str, Any] = {
        "__doc__": doc,
        "__module__": module or base.__module__,
        **attributes,
    }
    if name:
        namespace["name"] = name
    for spec in options:
        field = field_for(base, spec.field)
        annotations[field] = spec.type
        namespace[field] = option(
            default=spec.default,
            default_factory=spec.default_factory,
            help=spec.help,
            name=spec.name or (spec.field.replace("_", "-") if field != spec.field else ""),
        )
    if annotations:
        namespace["__annotations__"] = annotations
    return cast("type[PassT]", type(class_name, (base,), namespace))


def field_for(base: type[Pass[Any, Any]], name: str) -> str:
    """Return the field in which `make_pass_class` keeps an option of this name."""
    return f"{name}_" if is_taken(base, name) else name


# -- Passes like a given one -------------------------------------------------------------------

_Prototype: TypeAlias = Pass[Any, Any] | type[Pass[Any, Any]]
_Made: TypeAlias = list[tuple[_Prototype, type[Pass[Any, Any]]]]
_classes: dict[tuple[str, type[Pass[Any, Any]]], _Made] = {}
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
    return class_like(cast("_Prototype", thing), name)


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


def class_like(pass_: _Prototype, name: str) -> type[Pass[Any, Any]]:
    """Return a class whose passes have the options of another pass unless they are given.

    Args:
        pass_: The other pass, or a class, whose passes have another name then.
        name: The name of the class's passes in textual pipelines.

    Raises:
        DefinitionError: It is the name of the other pass's class, which has other defaults: what
            its passes leave out when they are printed would be read as something else.

    Example:
        >>> class Unroll(Pass):
        ...     name = "unroll"
        ...     factor: int = 4
        ...     deep: bool = False
        >>> UnrollMuch = class_like(Unroll(factor=16), "unroll-much")
        >>> print(UnrollMuch(), UnrollMuch(factor=4), UnrollMuch().factor)
        unroll-much unroll-much{factor=4} 16
    """
    base = pass_ if isinstance(pass_, type) else type(pass_)
    if name == base.name:
        if isinstance(pass_, type) or _is_plain(pass_):
            return base
        optional = (each for each in base.option_infos() if not each.required)
        if any(getattr(pass_, each.field) != each.default for each in optional):
            raise DefinitionError(
                f"{base.__name__} has this name, with other defaults than those of '{pass_}'; "
                "register that under a name of its own"
            )
    made = _classes.setdefault((name, base), [])
    for prototype, cls in made:
        if prototype == pass_:
            return cls
    made.append((pass_, _made(pass_, name)))
    return made[-1][1]


def _is_plain(pass_: Pass[Any, Any]) -> bool:
    """Return whether nothing of a pass differs from what its class makes."""
    try:
        return type(pass_)() == pass_
    except TypeError:  # it takes something
        return False


def _made(pass_: _Prototype, name: str) -> type[Pass[Any, Any]]:
    base = pass_ if isinstance(pass_, type) else type(pass_)
    body: dict[str, Any] = {
        "__doc__": base.documentation() or None,
        "__module__": base.__module__,
        "name": name,
        "prototype": pass_,
    }
    if isinstance(pass_, type):  # it runs the same code: what its own body declares holds as well
        body |= {"can_fork": vars(base)["can_fork"]} if "can_fork" in vars(base) else {}
    else:
        fields = dataclasses.fields(pass_)
        hints = typing.get_type_hints(base, include_extras=True)
        body["__annotations__"] = {field.name: hints[field.name] for field in fields}
        body |= {each.name: _with_default(each, getattr(pass_, each.name)) for each in fields}
    return type(base.__name__, (_Like, base), body)


def _with_default(field: dataclasses.Field[Any], value: Any) -> Any:
    return dataclasses.field(default_factory=lambda: value, metadata=field.metadata)


class _Like:
    """Mixed into classes that are made like a pass: where they come from, for pickle."""

    prototype: ClassVar[Any]

    def __reduce__(self) -> tuple[Any, ...]:
        pass_: Any = self
        values = {field.name: getattr(pass_, field.name) for field in dataclasses.fields(pass_)}
        return _remade, (self.prototype, pass_.name, values)


def _remade(prototype: Any, name: str, values: dict[str, Any]) -> Any:
    return class_like(prototype, name)(**values)

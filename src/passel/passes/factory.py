"""Pass classes made at run time: for functions, IRs' own passes, and prototypes.

A prototype is a registered pass with some options set. Its class has these as defaults.

Source: `mlir::registerPass` with a function that creates the pass, MLIR 22.
"""

from __future__ import annotations

import dataclasses
import typing
from contextlib import suppress
from dataclasses import MISSING
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar, cast

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
        field: The name of the field that holds the wrapped object.
        type: The type, as an annotation.
        default: The default; left out if the option is required.
        default_factory: A function that returns the default.
        help: One sentence for help.
        name: The name in text; by default the field's, with dashes for underscores.
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

    An option with the name of an attribute of every pass gets the field `name_`; its name in text
    does not change.

    Args:
        base: The base class, which defines `run`.
        class_name: The name of the class, used in reports without a `display_name`.
        name: The name of the pass in textual pipelines; empty if it has none.
        doc: The docstring; its first line is the summary.
        module: The module of the class; by default that of the base class.
        options: The options.
        attributes: Other attributes of the class.

    Raises:
        DefinitionError: An option's type cannot be read from text, or a name is not valid.
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
"""The classes made so far, so that passes of one prototype with equal options are equal."""


def class_of(thing: Any, name: str) -> type[Pass[Any, Any]]:
    """Return the class of passes for a registered object.

    Args:
        thing: A pass class or a pass, of passel or of an IR.
        name: The registered name.

    Raises:
        DefinitionError: The object is neither a pass class nor a pass.
    """
    if isinstance(thing, Pass) or (isinstance(thing, type) and issubclass(thing, Pass)):
        return class_like(cast("_Prototype", thing), name)
    wrapped: Any = None
    with suppress(AdapterError, TypeError):
        if isinstance(thing, type):
            classes = ability_of(adapter_of_class(thing), WrapsPassClasses)
            wrapped = classes and classes.wrap_pass_class(thing)
        else:
            passes = ability_of(adapter_for(thing), WrapsPasses)
            wrapped = passes and passes.wrap_pass(thing)
    if wrapped is None:
        raise DefinitionError(f"{thing!r} is not a pass class")
    return class_like(wrapped, name)


def class_like(pass_: _Prototype, name: str) -> type[Pass[Any, Any]]:
    """Return a class whose defaults are the options of another pass.

    Args:
        pass_: The other pass; or a class, to give its passes another name.
        name: The name of the new class's passes in textual pipelines.

    Raises:
        DefinitionError: The name is that of the other pass's class, but the defaults differ, so
            that a printed pass would not read back as an equal one.

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
        given = () if isinstance(pass_, type) else pass_.option_nodes()
        if not given:
            return base
        optional = {each.name for each in base.option_infos() if not each.required}
        if any(node.key in optional for node in given):
            raise DefinitionError(
                f"{base.__name__} has this name, but the defaults of '{pass_}' differ; register "
                "the other under another name"
            )
    made = _classes.setdefault((name, base), [])
    for prototype, cls in made:
        if prototype == pass_:
            return cls
    options: list[OptionSpec] = []
    attributes: dict[str, Any] = {"prototype": pass_, "__reduce__": _reduced}
    if not isinstance(pass_, type):
        options = [_option_like(pass_, field) for field in dataclasses.fields(pass_)]
    doc = base.documentation() or None
    cls = make_pass_class(base, base.__name__, name=name, doc=doc, options=options, **attributes)
    made.append((pass_, cls))
    return cls


def _option_like(pass_: Pass[Any, Any], field: dataclasses.Field[Any]) -> OptionSpec:
    """Return an option whose default is the value that a pass has."""
    value = getattr(pass_, field.name)
    hints = typing.get_type_hints(type(pass_), include_extras=True)
    return OptionSpec(
        field.name, hints[field.name], default_factory=lambda: value, **field.metadata
    )


def _reduced(pass_: Any) -> tuple[Any, ...]:
    """Return the origin of the class of a pass, for pickle."""
    values = {field.name: getattr(pass_, field.name) for field in dataclasses.fields(pass_)}
    return _remade, (pass_.prototype, pass_.name, values)


def _remade(prototype: Any, name: str, values: dict[str, Any]) -> Any:
    return class_like(prototype, name)(**values)

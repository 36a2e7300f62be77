"""Definition of classes: their dataclasses, and checks of what they declare.

Checks are made once. They refuse what Python accepts but would go wrong far away: in a run, in
a report, or not at all.
"""

from __future__ import annotations

import dataclasses
import inspect
from typing import TYPE_CHECKING, Any

from passel.errors import DefinitionError
from passel.passes.signatures import check_making, check_methods
from passel.passes.statistics import Statistic
from passel.pipeline import check_name

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator

_BODIES = ("run", "initialize", "can_schedule_on")
"""Methods whose result would be a promise to run them, if they were asynchronous."""

_LAZY: tuple[tuple[Callable[[object], bool], str], ...] = (
    (inspect.iscoroutinefunction, "an async function"),
    (inspect.isasyncgenfunction, "an asynchronous generator function"),
    (inspect.isgeneratorfunction, "a generator function (it has a 'yield')"),
)


def check_body(function: object, what: str) -> None:
    """Refuse a function that does nothing when it is called.

    Args:
        function: The function.
        what: How messages call it.

    Raises:
        DefinitionError: It is asynchronous, or a generator.
    """
    for is_lazy, kind in _LAZY:
        if is_lazy(function):
            msg = f"{what} is {kind}, so calling it would not run it; write a plain function"
            raise DefinitionError(msg)


def check_pass(cls: type[Any]) -> None:
    """Refuse what a pass class declares wrongly beside its options and its contract.

    Raises:
        DefinitionError: Its name does not read back, its body would not run, a method has
            other parameters, its anchor is no name, or a statistic has the name of an attribute.
    """
    declared = vars(cls)
    if "name" in declared:
        check_name(declared["name"], "a pass")
    for method in _BODIES:
        if method in declared:
            check_body(declared[method], f"{cls.__qualname__}.{method}")
    check_methods(cls)
    _check_anchor(cls, declared.get("anchor"))
    for attribute, value in declared.items():
        if isinstance(value, Statistic) and _is_taken(cls, attribute):
            _refuse_taken(cls, "statistic", attribute)


def _check_anchor(cls: type[Any], anchor: object) -> None:
    if anchor is None or isinstance(anchor, str):
        return
    shown = anchor.__qualname__ if isinstance(anchor, type) else repr(anchor)
    msg = (
        f"anchor of {cls.__qualname__} is {shown}, not the name of an op: derive from "
        f"OperationPass[{shown}], or write the name, as in anchor = 'func.func'"
    )
    raise DefinitionError(msg)


def make_dataclass(cls: type[Any]) -> None:
    """Make a class a frozen dataclass of its annotated fields.

    Args:
        cls: A class of options, or of passes.

    Raises:
        DefinitionError: It makes its instances itself, or a field is declared wrongly.
    """
    if cls.fields_are_options:
        check_making(cls)
    try:
        dataclasses.dataclass(frozen=True, kw_only=True)(cls)
    except (TypeError, ValueError):
        _check_defaults(cls)
        raise
    for method in ("__setattr__", "__delattr__"):
        delattr(cls, method)  # those of the base class say more
    _check_fields(cls)


def _check_defaults(cls: type[Any]) -> None:
    """Refuse fields of which no dataclass can be made.

    Args:
        cls: A class that `dataclass` has refused.

    Raises:
        DefinitionError: An option has no type, or its default can be changed.
    """
    try:
        annotations = inspect.get_annotations(cls)
    except NameError:  # from Python 3.14 on, types may be defined later
        return
    own: dict[str, Any] = dict(vars(cls))
    for name, value in own.items():
        if _is_field(value) and name not in annotations:
            msg = (
                f"option '{name}' of {cls.__qualname__} has no type: annotate it, as in "
                f"'{name}: int = option(...)'"
            )
            raise DefinitionError(msg) from None
        default = value.default if _is_field(value) else value
        is_option = name in annotations and "ClassVar" not in str(annotations[name])
        if is_option and type(default).__hash__ is None:
            way_out = "for a list, write tuple[int, ...] and (1, 2)"
            if isinstance(default, dict):
                way_out = "write a subclass of Options"
            msg = (
                f"default of option '{name}' of {cls.__qualname__} is {default!r}, which can be "
                f"changed, and passes are values: {way_out}"
            )
            raise DefinitionError(msg) from None


def _is_field(value: object) -> bool:
    return isinstance(value, dataclasses.Field)


def _check_fields(cls: type[Any]) -> None:
    """Refuse options whose names are taken or do not read back.

    Args:
        cls: A class that has been made a dataclass.

    Raises:
        DefinitionError: One of its own fields has the name of an attribute or method of a
            base class, or options share a name.
    """
    fields: dict[str, Any] = cls.__dataclass_fields__
    owners: dict[str, str] = {}
    for field in dataclasses.fields(cls):
        spelled: str = field.metadata.get("name") or field.name.replace("_", "-")
        for base in cls.__bases__:
            if getattr(base, "__dataclass_fields__", {}).get(field.name) is fields[field.name]:
                break
        else:
            check_name(spelled, "an option")
            if _is_taken(cls, field.name):
                _refuse_taken(cls, "option", field.name)
        for name in {field.name, spelled}:
            other = owners.setdefault(name, field.name)
            if other != field.name:
                msg = (
                    f"options '{other}' and '{field.name}' of {cls.__qualname__} are both "
                    f"written '{name}'"
                )
                raise DefinitionError(msg)


def _refuse_taken(cls: type[Any], what: str, name: str) -> None:
    owner = next(base for base in reversed(cls.__mro__) if name in _attributes(base))
    way_out = f"call it '{name}_', with '{name.replace('_', '-')}' as its name in text"
    if name in _annotated(owner):
        way_out = f"write '{name} = ...' without an annotation to set that, or {way_out}"
    msg = (
        f"{what} '{name}' of {cls.__qualname__} has the name of an attribute of every "
        f"{owner.__name__}: {way_out}"
    )
    raise DefinitionError(msg)


def is_taken(base: type[Any], name: str) -> bool:
    """Return whether a class or a base of it declares an attribute or a method of this name."""
    return any(name in _attributes(each) for each in base.__mro__)


def _is_taken(cls: type[Any], name: str) -> bool:
    return any(is_taken(base, name) for base in cls.__bases__)


def _attributes(cls: type[Any]) -> Iterator[str]:
    """Yield what a class declares beside options: methods, statistics and class variables."""
    if not hasattr(cls, "__dataclass_fields__") and cls.__module__ == "builtins":
        return
    options = {field.name for field in _options(cls)}
    yield from (name for name in _annotated(cls) if name not in options)
    for name, value in vars(cls).items():
        if name not in options and (
            isinstance(value, (classmethod, staticmethod, property, Statistic))
            or inspect.isfunction(value)
        ):
            yield name


def _annotated(cls: type[Any]) -> Collection[str]:
    """Return the options and class variables that a class of options or of passes declares."""
    if dataclasses.is_dataclass(cls):
        return cls.__dataclass_fields__
    return cls.__annotations__ if hasattr(cls, "fields_are_options") else ()


def _options(cls: type[Any]) -> tuple[dataclasses.Field[Any], ...]:
    return dataclasses.fields(cls) if dataclasses.is_dataclass(cls) else ()

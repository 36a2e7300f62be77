"""Checks of classes when they are defined.

The checks reject definitions that Python accepts but that would fail later, for example in a run.
"""

from __future__ import annotations

import dataclasses
import inspect
from typing import TYPE_CHECKING, Any, cast

from passel.diagnostics import suggest
from passel.errors import DefinitionError, refuse_cpp_names
from passel.passes.pass_type import PassType
from passel.passes.statistics import Statistic
from passel.pipeline import check_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

EFFECTS = {
    "read-files": "reads files",
    "run-programs": "runs programs",
    "write-files": "writes files",
    "unknown": "may have any effect outside the IR, since it does not declare its effects",
}
"""The effects that a pass may declare, with their phrases in errors."""

_BODIES = ("run", "initialize", "can_schedule_on")
"""Methods that must not be asynchronous, since a call would not run them."""

_ITEMS: dict[str, tuple[type, ...]] = {
    "constraints": (object,),
    "dependent_dialects": (str,),
    "effects": (str,),
    "makes_illegal": (str,),
    "makes_legal": (str,),
    "preserves": (type,),
    "produces": (type,),
    "requires": (type, str),
    "types": (PassType,),
}
"""Attributes that are tuples, with the types of their elements."""

_SHOWN = {str: "text", type: "a class", PassType: "a PassType"}


def check_pass(cls: type[Any]) -> None:
    """Refuse an invalid declaration of a pass; `make_dataclass` checks its options.

    Raises:
        DefinitionError: The name is not valid, the body is asynchronous, the anchor is not a
            name, a statistic has the name of an attribute, an attribute is not a tuple, or an
            effect does not exist.
    """
    declared, owner = vars(cls), cls.__qualname__
    refuse_cpp_names(cls)
    if "name" in declared:
        check_name(declared["name"], "a pass")
    for method in _BODIES:
        if method in declared:
            check_body(declared[method], f"{owner}.{method}")
    anchor = declared.get("anchor")
    if anchor is not None and not isinstance(anchor, str):
        shown = getattr(anchor, "__qualname__", repr(anchor))
        msg = f"anchor of {owner} is {shown}: write the op's name, or OperationPass[{shown}]"
        raise DefinitionError(msg)
    for attribute, value in declared.items():
        if isinstance(value, Statistic):
            _check_free(cls, "statistic", attribute)
    check_tuples(owner, declared)
    check_effects(cls.effects, f"pass {owner}")
    for dialect in set(cls.makes_legal) & set(cls.makes_illegal):
        raise DefinitionError(
            f"{owner} makes dialect '{dialect}' both legal and illegal: list it in "
            "makes_illegal if no op of it is left, otherwise in makes_legal"
        )


def check_body(function: object, what: str) -> None:
    """Refuse a function whose call does not execute its body.

    Args:
        function: The function.
        what: The name of the function in messages.

    Raises:
        DefinitionError: The function is asynchronous, or a generator.
    """
    is_async = inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)
    if is_async or inspect.isgeneratorfunction(function):
        kind = "an async function" if is_async else "a generator function (it has a 'yield')"
        msg = f"{what} is {kind}, so a call would not execute its body; write a plain function"
        raise DefinitionError(msg)


def check_effects(names: Iterable[str], owner: str) -> None:
    """Check the names of effects.

    Args:
        names: The names.
        owner: The pass or setting that lists the effects, for messages.

    Raises:
        DefinitionError: An effect does not exist.
    """
    for name in names:
        if name not in EFFECTS:
            known, hint = ", ".join(EFFECTS), suggest(name, EFFECTS)
            raise DefinitionError(f"{owner}: no such effect '{name}', only {known}{hint}")


def check_tuples(owner: str, declared: Mapping[str, Any]) -> None:
    """Refuse attributes that are not tuples, and elements of the wrong type.

    Args:
        owner: The class that declares the attributes, for messages.
        declared: The values of attributes by name.

    Raises:
        DefinitionError: An attribute is not a tuple, or has an element of another type.
    """
    for attribute in sorted(_ITEMS.keys() & declared.keys()):
        value, kinds = declared[attribute], _ITEMS[attribute]
        what = " or ".join(_SHOWN.get(kind, "a constraint") for kind in kinds)
        # A PassType is a tuple itself.
        if not isinstance(value, (tuple, list, set, frozenset)) or isinstance(value, PassType):
            shown = value.__qualname__ if isinstance(value, type) else repr(value)
            raise DefinitionError(f"{attribute} of {owner} is {shown}; write ({shown},)")
        for each in cast("Collection[object]", value):
            if not isinstance(each, kinds):
                raise DefinitionError(f"{each!r} in {attribute} of {owner} is not {what}")


# -- Options ----------------------------------------------------------------------------------


def text_name(field: dataclasses.Field[Any]) -> str:
    """Return the name of an option in text."""
    return field.metadata.get("name") or field.name.removesuffix("_").replace("_", "-")


def make_dataclass(cls: type[Any]) -> None:
    """Make a class a frozen dataclass of its annotated fields.

    Args:
        cls: A class of options, or of passes.

    Raises:
        DefinitionError: An option has no type, its default is mutable, its name is taken or not
            valid, or two options have the same name in text.
    """
    try:
        dataclasses.dataclass(frozen=True, kw_only=True)(cls)
    except (TypeError, ValueError) as error:
        reason = str(error).removesuffix(": use default_factory")
        raise DefinitionError(
            f"{cls.__qualname__}: {reason}; options are values with types, such as "
            "'sizes: tuple[int, ...] = (1, 2)' or a subclass of Options"
        ) from None
    for method in ("__setattr__", "__delattr__"):
        delattr(cls, method)  # those of the base class say more
    bases = [base for base in cls.__bases__ if dataclasses.is_dataclass(base)]
    inherited = [field for base in bases for field in dataclasses.fields(base)]
    owners: dict[str, str] = {}
    for field in dataclasses.fields(cls):
        spelled = text_name(field)
        if all(field is not each for each in inherited):
            check_name(spelled, "an option")
            _check_free(cls, "option", field.name)
        for name in {field.name, spelled}:
            if (other := owners.setdefault(name, field.name)) != field.name:
                raise DefinitionError(
                    f"options '{other}' and '{field.name}' of {cls.__qualname__} have the same "
                    f"name '{name}'"
                )


def is_taken(base: type[Any], name: str) -> bool:
    """Return whether a class has an attribute or a method of this name that is not an option."""
    return hasattr(base, name) and name not in getattr(base, "__dataclass_fields__", ())


def _check_free(cls: type[Any], what: str, name: str) -> None:
    """Refuse the name of an attribute or a method of a base class."""
    base = next((base for base in cls.__bases__ if is_taken(base, name)), None)
    if base is None:
        return
    owner = next(each for each in reversed(base.__mro__) if hasattr(each, name))
    is_method = callable(getattr(base, name))
    way_out = "" if is_method else f"write '{name} = ...' without an annotation to set that, or "
    raise DefinitionError(
        f"{what} '{name}' of {cls.__qualname__} has the name of an attribute of every "
        f"{owner.__name__}: {way_out}call it '{name}_', which is '{name.replace('_', '-')}' in text"
    )

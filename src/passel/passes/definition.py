"""Checks that run when pass classes and option classes are defined.

The checks reject definitions that Python accepts but that would fail later, for example during a
run.
"""

from __future__ import annotations

import dataclasses
import inspect
from typing import TYPE_CHECKING, Any

from passel.diagnostics import suggest
from passel.errors import DefinitionError, refuse_cpp_names
from passel.passes.pass_type import PassType
from passel.passes.statistics import Statistic
from passel.pipeline.lexer import check_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

EFFECTS = {
    "read-files": "reads files",
    "run-programs": "runs programs",
    "write-files": "writes files",
    "unknown": "may have any effect outside the IR, since it does not declare its effects",
}
"""The effects that a pass may declare, each with its phrase for error messages."""

_TUPLES = (
    *("constraints", "dependent_dialects", "effects", "preserves"),
    *("produces", "requires", "types"),
)
"""Attributes that must be tuples."""

_CPP_NAMES = {
    "canScheduleOn": "can_schedule_on(self, kind)",
    "dependentDialects": "dependent_dialects = ('arith',)",
    "getArgument": "name = 'my-pass'",
    "getDependentDialects": "dependent_dialects = ('arith',)",
    "getDescription": "the docstring",
    "runOnOperation": "run(self, op, ctx)",
}
"""The declarations that correspond to members of `mlir::Pass`."""


def check_pass(cls: type[Any]) -> None:
    """Reject a pass class with an invalid declaration; `make_dataclass` checks the options.

    Raises:
        DefinitionError: The name is invalid, an effect does not exist, an attribute that must be a
            tuple is not a tuple, a method such as `run` is asynchronous or a generator, or a
            statistic has the name of an inherited attribute.
    """
    declared, owner = vars(cls), cls.__qualname__
    refuse_cpp_names(cls, _CPP_NAMES)
    if "name" in declared:
        check_name(declared["name"], f"pass {owner}")
    for method in ("run", "initialize", "can_schedule_on"):
        check_body(declared.get(method), f"{owner}.{method}")
    for attribute, value in declared.items():
        if isinstance(value, Statistic):
            _check_free(cls, "statistic", attribute)
    check_tuples(owner, declared)
    check_effects(cls.effects, f"pass {owner}")


def check_body(function: object, what: str) -> None:
    """Reject an asynchronous function or a generator, since a call would not run its body.

    Args:
        function: The function to check.
        what: The name of the function in error messages.

    Raises:
        DefinitionError: The function is asynchronous or a generator.
    """
    is_async = inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)
    if is_async or inspect.isgeneratorfunction(function):
        kind = "an async function" if is_async else "a generator function (it has a 'yield')"
        msg = f"{what} is {kind}, so a call would not run the body; write a plain function"
        raise DefinitionError(msg)


def check_effects(names: Iterable[str], owner: str) -> frozenset[str]:
    """Reject unknown effects, and return the effects as a set.

    Args:
        names: The names of the effects.
        owner: A phrase for error messages that names the pass or setting, such as `pass CSE`.

    Raises:
        DefinitionError: An effect does not exist.
    """
    for name in names:
        if name not in EFFECTS:
            known, hint = ", ".join(EFFECTS), suggest(name, EFFECTS)
            raise DefinitionError(f"{owner}: there is no effect '{name}', only {known}{hint}")
    return frozenset(names)


def check_tuples(owner: str, declared: Mapping[str, Any]) -> None:
    """Reject attributes that must be tuples but are not.

    Args:
        owner: The name of the class that declares the attributes, for error messages.
        declared: A dict that maps the name of each attribute to its value.

    Raises:
        DefinitionError: An attribute is not a tuple.
    """
    for attribute in _TUPLES:
        value = declared.get(attribute, ())
        # A PassType is a tuple itself.
        if not isinstance(value, (tuple, list, set, frozenset)) or isinstance(value, PassType):
            shown = value.__qualname__ if isinstance(value, type) else repr(value)
            raise DefinitionError(f"{attribute} of {owner} must be a tuple; write ({shown},)")


# -- Options ----------------------------------------------------------------------------------


def text_name(field: dataclasses.Field[Any]) -> str:
    """Return the name of an option in the text of a pipeline."""
    return field.metadata.get("name") or field.name.removesuffix("_").replace("_", "-")


def make_dataclass(cls: type[Any]) -> None:
    """Turn a class into a frozen dataclass of its annotated fields.

    Args:
        cls: A subclass of `Options` or `Pass`.

    Raises:
        DefinitionError: An option has no type, an option has a mutable default, the name of an
            option is invalid or already taken, or two options have the same name in text.
    """
    try:
        dataclasses.dataclass(frozen=True, kw_only=True)(cls)
    except (TypeError, ValueError) as error:
        reason = str(error).removesuffix(": use default_factory")
        raise DefinitionError(
            f"{cls.__qualname__}: {reason}; declare each option with a "
            "type and an immutable default, as in 'sizes: tuple[int, ...] = (1, 2)'"
        ) from None
    del cls.__setattr__  # the base class's method explains more
    owners: dict[str, str] = {}
    for field in dataclasses.fields(cls):
        spelled = text_name(field)
        check_name(spelled, f"an option of {cls.__qualname__}")
        _check_free(cls, "option", field.name)
        for name in {field.name, spelled}:
            if (other := owners.setdefault(name, field.name)) != field.name:
                raise DefinitionError(
                    f"options '{other}' and '{field.name}' of {cls.__qualname__} have the same "
                    f"name '{name}'"
                )


def is_taken(base: type[Any], name: str) -> bool:
    """Return whether a class has an attribute or method called `name` that is not an option."""
    return hasattr(base, name) and name not in getattr(base, "__dataclass_fields__", ())


def _check_free(cls: type[Any], what: str, name: str) -> None:
    """Reject a name that is already the name of an inherited attribute or method."""
    for base in cls.__bases__:
        if is_taken(base, name):
            raise DefinitionError(
                f"{what} '{name}' of {cls.__qualname__} has the same name as an attribute of "
                f"{base.__name__}: rename the {what} to '{name}_'; to set the attribute, "
                "omit the type annotation"
            )

"""Conditions on which steps are built."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from passel.diagnostics import suggest
from passel.errors import DefinitionError, InsertionError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Condition: TypeAlias = "str | Callable[[Any], bool] | None"
"""A variable of the pipeline, `not` and a variable, or a predicate that is given all variables."""


def check_condition(condition: Any) -> None:
    """Refuse what is no condition.

    Raises:
        DefinitionError: It is neither a variable, nor `not` and a variable, nor a predicate.
    """
    if condition is None or callable(condition):
        return
    words = condition.split() if isinstance(condition, str) else []
    if words[:-1] not in ([], ["not"]) or words[-1:] in ([], ["not"]):
        message = (
            f"{condition!r} is no condition: write a variable, 'not' and a variable, or a function "
            "of all variables"
        )
        raise DefinitionError(message)


def holds(condition: Condition, variables: Mapping[str, Any], what: str) -> bool:
    """Return whether a condition holds.

    Args:
        condition: The condition.
        variables: The variables with their values.
        what: What depends on it, for the message.

    Raises:
        InsertionError: It asks for a variable that is not set.
    """
    if condition is None:
        return True
    if not isinstance(condition, str):
        return bool(condition(variables))
    *negated, name = condition.split()
    if name not in variables:
        hint = suggest(name, variables)
        if not hint:
            known = ", ".join(f"'{each}'" for each in variables)
            hint = f"; set are {known}" if known else "; none is set"
        message = f"'{what}' runs only if {condition}, and no variable '{name}' is set{hint}"
        raise InsertionError(Problem(message))
    return bool(variables[name]) is not bool(negated)

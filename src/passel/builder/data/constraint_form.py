"""Constraints as data: a key for each kind, and targets as words or tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from passel.builder.bundle import Bundle
from passel.builder.constraints import PHRASES, WISHES, Constraint
from passel.builder.data.tree import Scalar, as_list, as_table, as_text, refusal
from passel.builder.naming import noun
from passel.builder.origin import Origin
from passel.builder.sequence import Step
from passel.builder.targets import Handle, Stage
from passel.errors import PipelineError, Problem
from passel.passes import PassType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from passel.builder.data.tree import Data, Table
    from passel.builder.naming import Target

_TARGETS: dict[str, type[Any]] = {"type": PassType, "stage": Stage, "bundle": Bundle}
_PAIR = 2


def read_constraints(
    table: Table, bundle_of: Callable[[Scalar], Bundle]
) -> Iterator[tuple[Constraint, Data]]:
    """Yield the constraints of a table, each with what it was made of.

    Args:
        table: A table whose keys are kinds of constraints; others are left alone.
        bundle_of: Returns the bundle of a name.

    Raises:
        PipelineSyntaxError: A target is wrong.
    """
    for key, data in table.values.items():
        if key in PHRASES:
            origin = Origin("", data.span.source.name, data.span.line)
            targets = tuple(_targets(key, data, bundle_of))
            cleanup = targets[0] if key in WISHES else None
            yield Constraint(key, targets, origin, cleanup), data


def _targets(
    key: str, data: Data, bundle_of: Callable[[Scalar], Bundle]
) -> Iterator[Target | Bundle]:
    if key == "once":
        if not isinstance(data, Scalar) or data.value is not True:
            raise refusal("'once' is true, or left out", data.span)
    elif key == "not-between":
        targets = as_list(data, "two targets")
        if len(targets) != _PAIR:
            raise refusal(f"'{key}' has two targets, not {len(targets)}", data.span)
        yield from (read_target(each, bundle_of) for each in targets)
    else:
        yield read_target(data, bundle_of)


def read_target(data: Data, bundle_of: Callable[[Scalar], Bundle]) -> Any:
    """Return a target: the name of a pass, a label, or a type, stage or bundle in a table.

    Raises:
        PipelineSyntaxError: It is something else.
    """
    if isinstance(data, Scalar):
        return as_text(data, "the name of a pass").text
    table = as_table(data, "a target", _TARGETS)
    if len(table.values) != 1:
        raise refusal(f"a target is a name, or one of {', '.join(_TARGETS)}", data.span)
    ((kind, value),) = table.values.items()
    name = as_text(value, f"the name of a {kind}")
    return bundle_of(name) if kind == "bundle" else _TARGETS[kind](name.text)


def write_constraint(constraint: Constraint) -> dict[str, Any]:
    """Return a constraint as plain data.

    Raises:
        PipelineError: A target has no text.
    """
    targets = [write_target(each) for each in constraint.targets]
    if constraint.kind == "once":
        return {"once": True}
    return {constraint.kind: targets if constraint.kind == "not-between" else targets[0]}


def write_target(target: Target | Bundle) -> Any:
    """Return a target as plain data.

    Raises:
        PipelineError: It has no text.
    """
    if isinstance(target, str):
        return target
    for kind, cls in _TARGETS.items():
        if isinstance(target, cls):
            return {kind: cast("Any", target).name}
    if isinstance(target, Step):
        return target.label
    if isinstance(target, Handle) and len(target.labels) == 1:
        return target.labels[0]
    if isinstance(target, type) and target.name:
        return target.name
    message = f"the target {noun(target)} of a constraint cannot be written; use a name"
    raise PipelineError(Problem(message))

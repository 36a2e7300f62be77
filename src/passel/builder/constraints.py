"""Constraints on the positions of passes in a pipeline.

Passes declare constraints in their class body, bundles take them as an argument, and
`PipelineBuilder.constrain` adds them to any step. Constraints apply to the order in which steps
run, across nested pipelines. A builder rejects a pipeline that breaks a constraint, except for
`followed_by` and `preceded_by`: the builder inserts their cleanups.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.builder.steps import caller, check_target, describe, noun
from passel.errors import DefinitionError
from passel.passes import Pass

if TYPE_CHECKING:
    from passel.builder.steps import Bundle, Named, Origin, Step, Target
    from passel.passes import PassType


PHRASES = {
    "after-any": "must run after at least one {0}",
    "after-all": "must run after every {0}",
    "before-first": "must run before the first {0}",
    "immediately-after": "must run immediately after a {0}",
    "not-between": "must not run between any {0} and a later {1}",
    "requires": "needs a {0} in the same pipeline",
    "conflicts": "cannot be in one pipeline with any {0}",
    "once": "can be in a pipeline only once",
    "followed-by": "should be followed by a {0}",
    "preceded-by": "should be preceded by a {0}",
}
"""The kinds of constraint, as predicates of sentences about a step."""

NEEDING = {"after-any", "immediately-after", "requires"}
"""Kinds that require a step of their target."""

WISHES = {"followed-by", "preceded-by"}
"""Kinds for which missing steps are inserted, and no pipeline is rejected."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """A condition on the place of a step; constraints compare by value.

    Functions such as `after_any` create constraints.

    Attributes:
        kind: The name of the function that creates the constraint, with dashes.
        targets: The steps that the condition refers to.
        origin: The place of the call that created the constraint.
        cleanup: The cleanup of `followed_by` or `preceded_by`: a pass, a pass class, a name, a
            bundle, or a type of pass. The builder does not insert types.
    """

    kind: str
    targets: tuple[Target, ...]
    origin: Origin = field(compare=False)
    cleanup: Any = None

    def __post_init__(self) -> None:
        """Reject anything but a target.

        Raises:
            TypeError: If `targets` contains another object.
        """
        for target in self.targets:
            check_target(target)

    @property
    def is_wish(self) -> bool:
        """Whether the builder inserts a missing step instead of rejecting the pipeline."""
        return self.kind in WISHES

    def __str__(self) -> str:
        """Return the constraint as the predicate of a sentence about a step."""
        return PHRASES[self.kind].format(*map(noun, self.targets))


class Rule(NamedTuple):
    """A constraint that is in force.

    Attributes:
        constraint: The constraint.
        declared_by: The pass class or bundle that declares the constraint; None for constraints
            from `PipelineBuilder.constrain`.
        target: The steps that a constraint from `PipelineBuilder.constrain` applies to.
        extension: The extension that called `PipelineBuilder.constrain`; empty for the framework.
    """

    constraint: Constraint
    declared_by: type[Pass[Any]] | Bundle | None = None
    target: Target | None = None
    extension: str = ""

    @property
    def by(self) -> str:
        """The declaring class, bundle or extension, such as `pass 'cse'`."""
        if self.declared_by is not None:
            kind = "pass " if isinstance(self.declared_by, type) else ""
            return kind + describe(self.declared_by)
        return f"extension '{self.extension}'" if self.extension else ""

    @property
    def source(self) -> str:
        """The author of the constraint, and the place of the declaration."""
        by = f" by {self.by}" if self.by else ""
        where = f" at {self.constraint.origin}" if self.constraint.origin.file else ""
        return f"declared{by}{where}"

    def about(self, step: Step) -> str:
        """Return the rule as a sentence about a step, with its source."""
        return f"'{step.label}' {self.constraint} ({self.source})"

    def checked(self) -> Rule:
        """Return this rule after checking the type of its constraint.

        Raises:
            DefinitionError: If the constraint is not a `Constraint`.
        """
        given: Any = self.constraint
        if not isinstance(given, Constraint):
            call = f"; write {given.__name__}(...)" if callable(given) else ""
            owner = self.by or "the builder"
            raise DefinitionError(f"{given!r} of {owner} is not a constraint{call}")
        return self


def after_any(target: Target) -> Constraint:
    """Require that a step runs after at least one step of a target, which must exist.

    Args:
        target: A target for the other steps.

    Example:
        >>> from passel.passes import PassType
        >>> print(after_any(PassType("bufferization")))
        must run after at least one pass of type 'bufferization'
    """
    return Constraint("after-any", (target,), caller())


def after_all(target: Target) -> Constraint:
    """Require that a step runs after every step of a target, if the pipeline has any.

    Args:
        target: A target for the other steps.

    Example:
        >>> print(after_all("canonicalize"))
        must run after every 'canonicalize'
    """
    return Constraint("after-all", (target,), caller())


def before_first(target: Target) -> Constraint:
    """Require that a step runs before every step of a target, if the pipeline has any.

    Args:
        target: A target for the other steps.

    Example:
        >>> from passel.passes import PassType
        >>> print(before_first(PassType("lowering")))
        must run before the first pass of type 'lowering'
    """
    return Constraint("before-first", (target,), caller())


def immediately_after(target: Target) -> Constraint:
    """Require that a step runs right after a step of a target.

    Args:
        target: A target for the other steps.

    Example:
        >>> print(immediately_after("lower-affine"))
        must run immediately after a 'lower-affine'
    """
    return Constraint("immediately-after", (target,), caller())


def not_between(first: Target, last: Target) -> Constraint:
    """Forbid a step between a step of one target and a later step of another target.

    The step must run before all steps of the first target, or after all steps of the second.

    Args:
        first: The start of the forbidden region.
        last: The end of the forbidden region.

    Example:
        >>> print(not_between("make-schedule", "use-schedule"))
        must not run between any 'make-schedule' and a later 'use-schedule'
    """
    return Constraint("not-between", (first, last), caller())


def requires(target: Target) -> Constraint:
    """Require that the pipeline has a step of a target, before or after the step.

    Args:
        target: A target for the other steps.

    Example:
        >>> print(requires("finalize"))
        needs a 'finalize' in the same pipeline
    """
    return Constraint("requires", (target,), caller())


def conflicts(target: Target) -> Constraint:
    """Require that the pipeline has no step of a target.

    Args:
        target: A target for the other steps.

    Example:
        >>> print(conflicts("legacy-lowering"))
        cannot be in one pipeline with any 'legacy-lowering'
    """
    return Constraint("conflicts", (target,), caller())


def once() -> Constraint:
    """Require that a pass occurs, or a bundle is added, only once.

    Example:
        >>> print(once())
        can be in a pipeline only once
    """
    return Constraint("once", (), caller())


def followed_by(cleanup: Named | type[Pass] | Pass | str | PassType) -> Constraint:
    """Request a cleanup after a step, not necessarily right after the step.

    If the cleanup is missing, the builder inserts it before the next pass of another type, or at
    the last valid position before. If there is no valid position, `PipelineBuilder.report` warns.

    Args:
        cleanup: A bundle, a pass or its name, or a type of pass. A type of pass is never inserted.

    Example:
        >>> from passel.builder import Bundle
        >>> print(followed_by(Bundle("cleanup", "canonicalize", "cse")))
        should be followed by a step of bundle 'cleanup'
    """
    return Constraint("followed-by", (_target_of(cleanup),), caller(), cleanup)


def preceded_by(cleanup: Named | type[Pass] | Pass | str | PassType) -> Constraint:
    """Request a cleanup before a step, with no pass in between that changes the IR.

    Passes in between must preserve all analyses. If the cleanup is missing, the builder inserts it
    right before the step. `immediately_after` is stricter: it allows no pass in between.

    Args:
        cleanup: The cleanup, as for `followed_by`.

    Example:
        >>> print(preceded_by("canonicalize"))
        should be preceded by a 'canonicalize'
    """
    return Constraint("preceded-by", (_target_of(cleanup),), caller(), cleanup)


def _target_of(cleanup: Named | type[Pass] | Pass | str | PassType) -> Target:
    return type(cleanup) if isinstance(cleanup, Pass) else cleanup

"""Constraints on the positions of passes in a pipeline.

A pass class declares constraints in its body, a bundle takes constraints as an argument, and
`PipelineBuilder.constrain` adds constraints to any step. Constraints apply to the order in which
steps run, across nested pipelines. A builder inserts the cleanups that `followed_by` and
`preceded_by` request, and rejects a pipeline that violates any other constraint.
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
    "immediately-after": "must run immediately after {1}",
    "not-between": "must not run between any {0} and a later {1}",
    "requires": "needs {1} in the same pipeline",
    "conflicts": "cannot be in the same pipeline as any {0}",
    "once": "can occur only once in a pipeline",
    "followed-by": "should be followed by {1}",
    "preceded-by": "should be preceded by {1}",
}
"""For each kind of constraint, a phrase that completes a sentence about the constrained step."""

NEEDING = {"after-any", "immediately-after", "requires"}
"""The kinds of constraint that require a step that matches the target."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """A condition on the position of a step in a pipeline.

    Functions such as `after_any` create constraints. Two constraints are equal if all attributes
    except `origin` are equal.

    Attributes:
        kind: The name of the function that creates the constraint, with underscores replaced by
            dashes.
        targets: The targets to which the condition refers.
        origin: The source location of the call that created the constraint.
        cleanup: The argument of `followed_by` or `preceded_by`: a pass, a pass class, a pass name,
            a bundle or a pass type. None for constraints of a kind other than `followed_by` and
            `preceded_by`.
    """

    kind: str
    targets: tuple[Target, ...]
    origin: Origin = field(compare=False)
    cleanup: Any = None

    def __post_init__(self) -> None:
        """Check that `targets` contains only targets.

        Raises:
            TypeError: If `targets` contains an object that is not a target.
        """
        for target in self.targets:
            check_target(target)

    @property
    def is_wish(self) -> bool:
        """Whether the builder inserts a missing cleanup instead of rejecting the pipeline."""
        return self.cleanup is not None

    def __str__(self) -> str:
        """Return a phrase that completes a sentence about the constrained step."""
        return PHRASES[self.kind].format(*(noun(t, a) for a in ("", "a ") for t in self.targets))


class Rule(NamedTuple):
    """A constraint, and the class, bundle or call that the constraint comes from.

    Attributes:
        constraint: The constraint.
        declared_by: The pass class or bundle that declares the constraint, or None for a constraint
            from `PipelineBuilder.constrain`.
        target: The target that was passed to `PipelineBuilder.constrain`, or None for a constraint
            that a pass class or bundle declares.
        extension: The name of the extension that called `PipelineBuilder.constrain`, or an empty
            string if the caller was not an extension.
    """

    constraint: Constraint
    declared_by: type[Pass[Any]] | Bundle | None = None
    target: Target | None = None
    extension: str = ""

    @property
    def by(self) -> str:
        """A phrase for the author of the rule, such as `pass 'cse'`, or an empty string."""
        if self.declared_by is not None:
            kind = "pass " if isinstance(self.declared_by, type) else ""
            return kind + describe(self.declared_by)
        return f"extension '{self.extension}'" if self.extension else ""

    @property
    def source(self) -> str:
        """A phrase with the author and source location of the constraint."""
        by = f" by {self.by}" if self.by else ""
        where = f" at {self.constraint.origin}" if self.constraint.origin.file else ""
        return f"declared{by}{where}"

    def about(self, step: Step) -> str:
        """Return a sentence that states the rule for a step and names the source of the rule."""
        return f"'{step.label}' {self.constraint} ({self.source})"

    def checked(self) -> Rule:
        """Check that `constraint` is a `Constraint`, and return this rule.

        Raises:
            DefinitionError: If `constraint` is not a `Constraint`.
        """
        given: Any = self.constraint
        if not isinstance(given, Constraint):
            call = f"; write {given.__name__}(...)" if callable(given) else ""
            owner = self.by or "the builder"
            raise DefinitionError(f"expected a constraint for {owner}, got {given!r}{call}")
        return self


def after_any(target: Target) -> Constraint:
    """Require that a step runs after at least one step that matches a target.

    The pipeline must contain a matching step.

    Args:
        target: A target that matches the earlier step.

    Example:
        >>> from passel.passes import PassType
        >>> print(after_any(PassType("bufferization")))
        must run after at least one pass of type 'bufferization'
    """
    return Constraint("after-any", (target,), caller())


def after_all(target: Target) -> Constraint:
    """Require that a step runs after every step that matches a target.

    The pipeline need not contain a matching step.

    Args:
        target: A target that matches the earlier steps.

    Example:
        >>> print(after_all("canonicalize"))
        must run after every 'canonicalize'
    """
    return Constraint("after-all", (target,), caller())


def before_first(target: Target) -> Constraint:
    """Require that a step runs before every step that matches a target.

    The pipeline need not contain a matching step.

    Args:
        target: A target that matches the later steps.

    Example:
        >>> from passel.passes import PassType
        >>> print(before_first(PassType("lowering")))
        must run before the first pass of type 'lowering'
    """
    return Constraint("before-first", (target,), caller())


def immediately_after(target: Target) -> Constraint:
    """Require that a step runs right after a step that matches a target.

    Args:
        target: A target that matches the preceding step.

    Example:
        >>> print(immediately_after("lower-affine"))
        must run immediately after 'lower-affine'
    """
    return Constraint("immediately-after", (target,), caller())


def not_between(first: Target, last: Target) -> Constraint:
    """Require that a step does not run between a match of `first` and a later match of `last`.

    The step must run before all steps that match `first`, or after all steps that match `last`.

    Args:
        first: A target that matches the steps at the start of the forbidden region.
        last: A target that matches the steps at the end of the forbidden region.

    Example:
        >>> print(not_between("make-schedule", "use-schedule"))
        must not run between any 'make-schedule' and a later 'use-schedule'
    """
    return Constraint("not-between", (first, last), caller())


def requires(target: Target) -> Constraint:
    """Require that the pipeline also contains a step that matches a target.

    The matching step may run before or after the constrained step.

    Args:
        target: A target that matches the required step.

    Example:
        >>> print(requires("finalize"))
        needs 'finalize' in the same pipeline
    """
    return Constraint("requires", (target,), caller())


def conflicts(target: Target) -> Constraint:
    """Require that the pipeline contains no other step that matches a target.

    Args:
        target: A target that matches the forbidden steps.

    Example:
        >>> print(conflicts("legacy-lowering"))
        cannot be in the same pipeline as any 'legacy-lowering'
    """
    return Constraint("conflicts", (target,), caller())


def once() -> Constraint:
    """Require that a pass or bundle occurs at most once in the pipeline.

    Example:
        >>> print(once())
        can occur only once in a pipeline
    """
    return Constraint("once", (), caller())


def followed_by(cleanup: Named | type[Pass] | Pass | str | PassType) -> Constraint:
    """Request that a cleanup runs at some point after a step.

    The builder inserts a missing cleanup before the next pass that shares no type with the step,
    or at the last valid position before that pass. If no position is valid,
    `PipelineBuilder.report` returns a warning.

    Args:
        cleanup: A bundle, a pass, a pass class, a pass name or a pass type. The builder cannot
            insert a cleanup that is given as a pass type.

    Example:
        >>> from passel.builder import Bundle
        >>> print(followed_by(Bundle("cleanup", "canonicalize", "cse")))
        should be followed by a step of bundle 'cleanup'
    """
    return Constraint("followed-by", (_target_of(cleanup),), caller(), cleanup)


def preceded_by(cleanup: Named | type[Pass] | Pass | str | PassType) -> Constraint:
    """Request that a cleanup runs before a step, with no pass in between that changes the IR.

    Each pass between the cleanup and the step must preserve all analyses. The builder inserts a
    missing cleanup right before the step. Unlike `preceded_by`, `immediately_after` allows no pass
    in between.

    Args:
        cleanup: The cleanup to run before the step, in any form that `followed_by` accepts.

    Example:
        >>> print(preceded_by("canonicalize"))
        should be preceded by 'canonicalize'
    """
    return Constraint("preceded-by", (_target_of(cleanup),), caller(), cleanup)


def _target_of(cleanup: Named | type[Pass] | Pass | str | PassType) -> Target:
    return type(cleanup) if isinstance(cleanup, Pass) else cleanup

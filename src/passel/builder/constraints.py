"""Constraints on the positions of passes in a pipeline.

A pass class declares constraints in its body, a bundle takes constraints as an argument, and
`PipelineBuilder.constrain` adds constraints to any step. A constraint refers to other steps by a
target, such as a pass name or a pass type. Constraints apply to the order in which all steps run,
including the steps of nested pipelines. A builder inserts the cleanups that `followed_by` and
`preceded_by` request, and rejects a pipeline that violates any other constraint.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.builder.steps import caller, check_target, describe, noun
from passel.errors import DefinitionError
from passel.passes import Pass

if TYPE_CHECKING:
    from passel.builder.steps import Bundle, Origin, Step, Target
    from passel.passes import PassType


PHRASES = {
    "after-any": "must run after at least one",
    "after-all": "must run after every",
    "before-first": "must run before the first",
    "followed-by": "should be followed by",
    "preceded-by": "should be preceded by",
}
"""For each kind of constraint, the words that messages put between the step and the target."""


@dataclass(frozen=True, slots=True)
class Constraint:
    """A condition on the position of a step in a pipeline.

    Functions such as `after_any` create constraints. Two constraints are equal if all attributes
    except `origin` are equal.

    Attributes:
        kind: The name of the function that created the constraint, written with dashes, such as
            `after-any`.
        target: A target. The constrained step must run before or after the steps that match the
            target.
        origin: The source location of the call that created the constraint.
        cleanup: The argument of `followed_by` or `preceded_by`: a pass, a pass class, a pass name,
            a bundle or a pass type. For other constraints, None.
    """

    kind: str
    target: Target
    origin: Origin = field(compare=False)
    cleanup: Any = None

    def __post_init__(self) -> None:
        """Check the type of `target`.

        Raises:
            TypeError: If `target` is not a target.
        """
        check_target(self.target)

    @property
    def is_request(self) -> bool:
        """Whether the constraint is a request: the builder accepts pipelines that violate it."""
        return self.cleanup is not None

    def __str__(self) -> str:
        """Return a phrase that states the constraint, such as `must run before the first 'cse'`."""
        return f"{PHRASES[self.kind]} {noun(self.target, 'a ' if self.is_request else '')}"


class Rule(NamedTuple):
    """A constraint, and its source: a pass class, a bundle, or a call of `constrain`.

    Attributes:
        constraint: The constraint.
        declared_by: The pass class or bundle that declares the constraint. For a constraint from
            `PipelineBuilder.constrain`, None.
        target: The first argument of `PipelineBuilder.constrain`, which matches the steps to
            constrain. For a constraint that a pass class or bundle declares, None.
        extension: The name of the extension that called `PipelineBuilder.constrain`; empty if the
            caller was not an extension.
    """

    constraint: Constraint
    declared_by: type[Pass[Any]] | Bundle | None = None
    target: Target | None = None
    extension: str = ""

    @property
    def by(self) -> str:
        """A phrase that names the declaring pass, bundle or extension, such as `pass 'cse'`.

        For a call of `constrain` outside an extension, the phrase is empty.
        """
        if self.declared_by is not None:
            kind = "pass " if isinstance(self.declared_by, type) else ""
            return kind + describe(self.declared_by)
        return f"extension '{self.extension}'" if self.extension else ""

    @property
    def source(self) -> str:
        """A phrase for messages that says who declared the constraint, and where."""
        by = f" by {self.by}" if self.by else ""
        where = f" at {self.constraint.origin}" if self.constraint.origin.file else ""
        return f"declared{by}{where}"

    def about(self, step: Step) -> str:
        """Return a sentence that states the constraint on a step, who declared it, and where."""
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
    """Require the constrained step to run after at least one step that matches a target.

    If no step matches the target, the constraint is violated.

    Args:
        target: A target. At least one step that matches the target must run before the constrained
            step.

    Example:
        >>> from passel.passes import PassType
        >>> print(after_any(PassType("bufferization")))
        must run after at least one pass of type 'bufferization'
    """
    return Constraint("after-any", target, caller())


def after_all(target: Target) -> Constraint:
    """Require the constrained step to run after every step that matches a target.

    If no step matches the target, the constraint is satisfied.

    Args:
        target: A target. All steps that match the target must run before the constrained step.

    Example:
        >>> print(after_all("canonicalize"))
        must run after every 'canonicalize'
    """
    return Constraint("after-all", target, caller())


def before_first(target: Target) -> Constraint:
    """Require the constrained step to run before every step that matches a target.

    If no step matches the target, the constraint is satisfied.

    Args:
        target: A target. All steps that match the target must run after the constrained step.

    Example:
        >>> from passel.passes import PassType
        >>> print(before_first(PassType("lowering")))
        must run before the first pass of type 'lowering'
    """
    return Constraint("before-first", target, caller())


def followed_by(cleanup: Bundle | type[Pass] | Pass | str | PassType) -> Constraint:
    """Request that a cleanup runs at some point after the constrained step.

    If the cleanup is missing, the builder inserts it as late as the other constraints allow, but
    before the next pass that shares no pass type with the constrained step. If no position is
    valid, `PipelineBuilder.report` returns a warning.

    Args:
        cleanup: A bundle, a pass, a pass class, a pass name or a pass type. If the argument is a
            pass type, the builder reports a missing cleanup, but inserts none.

    Example:
        >>> from passel.builder import Bundle
        >>> print(followed_by(Bundle("cleanup", "canonicalize", "cse")))
        should be followed by a step of bundle 'cleanup'
    """
    return Constraint("followed-by", _target_of(cleanup), caller(), cleanup)


def preceded_by(cleanup: Bundle | type[Pass] | Pass | str | PassType) -> Constraint:
    """Request that a cleanup runs before the constrained step, without IR changes in between.

    Each pass between the cleanup and the constrained step must preserve all analyses. If the
    cleanup is missing, the builder inserts it right before the constrained step, or reports it if
    the cleanup is a pass type.

    Args:
        cleanup: The cleanup to run before the constrained step, in any form that `followed_by`
            accepts.

    Example:
        >>> print(preceded_by("canonicalize"))
        should be preceded by 'canonicalize'
    """
    return Constraint("preceded-by", _target_of(cleanup), caller(), cleanup)


def _target_of(cleanup: Bundle | type[Pass] | Pass | str | PassType) -> Target:
    return type(cleanup) if isinstance(cleanup, Pass) else cleanup

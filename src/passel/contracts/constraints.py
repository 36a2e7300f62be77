"""Constraints: where passes may stand in a pipeline.

A pass declares them in its class body, a bundle as an argument, a `DeclarationTable` for passes
of others, and `PipelineBuilder.constrain` from outside. They are about the order in which steps
run, whatever nested pipelines they stand in. All but `followed_by` and `preceded_by` are strong:
a builder refuses a pipeline that breaks one, and a pass manager warns of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

from passel.contracts.origin import caller
from passel.contracts.targets import check_target, noun
from passel.passes import Pass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from passel.contracts.origin import Origin
    from passel.contracts.subject import Subject
    from passel.contracts.targets import Named, Target
    from passel.passes import PassType


class Scope(Protocol):
    """The steps that constraints are about."""

    def others(self, target: Target, subject: Subject) -> Sequence[Subject]:
        """Return the steps of a target except a subject, in the order in which they run."""
        ...

    def run_together(self, step: Subject, other: Subject) -> bool:
        """Return whether two steps are certainly built into one pipeline."""
        ...

    def before(self, step: Subject) -> Subject | None:
        """Return the step that runs right before another one."""
        ...

    def changes_nothing(self, step: Subject) -> bool:
        """Return whether a step only looks at the IR."""
        ...


class Clause(NamedTuple):
    """A step and others, at least one of which has to run before it.

    Attributes:
        step: The step.
        others: The others.
    """

    step: Any
    others: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Constraint:
    """A condition on the place of a step; two that say the same are equal.

    Functions such as `after_any` make them.

    Attributes:
        targets: What it relates the step to.
        origin: Where it is written.
    """

    targets: tuple[Target, ...]
    origin: Origin = field(compare=False)

    phrase: ClassVar[str] = ""

    def __post_init__(self) -> None:
        """Refuse what is no target.

        Raises:
            TypeError: One of the targets is something else.
        """
        for target in self.targets:
            check_target(target)

    def __str__(self) -> str:
        """Return the predicate of a sentence about a step."""
        return self.phrase.format(*map(noun, self.targets))

    def absence(self, step: Subject, scope: Scope) -> str:
        """Return what is missing, and the way out; empty if nothing is."""
        return ""

    def clash(self, step: Subject, scope: Scope, peers: Iterable[Subject]) -> str:
        """Return what must not be there, and the way out; empty if nothing is.

        Args:
            step: The step.
            scope: All steps.
            peers: The other steps for which the same was declared, without those of its bundle.
        """
        return ""

    def disorder(self, step: Subject, scope: Scope) -> str:
        """Return what runs where it must not, and the way out; empty if nothing does."""
        return ""

    def clauses(self, step: Subject, scope: Scope) -> Iterator[Clause]:
        """Yield what any order has to fulfil for a step."""
        yield from ()


class _Needing(Constraint):
    """One that needs something to be there."""

    __slots__ = ()

    def absence(self, step: Subject, scope: Scope) -> str:
        """Return what is missing."""
        if scope.others(self.targets[0], step):
            return ""
        return f"there is no {noun(self.targets[0])}: add one, or leave '{step.label}' out"


class AfterAny(_Needing):
    """See `after_any`."""

    __slots__ = ()
    phrase = "must run after at least one {0}"

    def disorder(self, step: Subject, scope: Scope) -> str:
        """Return the first, if it runs later."""
        others = scope.others(self.targets[0], step)
        if not others or others[0].rank < step.rank:
            return ""
        return f"the first, '{others[0].label}', runs later: put '{step.label}' after that"

    def clauses(self, step: Subject, scope: Scope) -> Iterator[Clause]:
        """Yield that one of them is before the step."""
        if others := scope.others(self.targets[0], step):
            yield Clause(step, tuple(others))


class AfterAll(Constraint):
    """See `after_all`."""

    __slots__ = ()
    phrase = "must run after every {0}"

    def disorder(self, step: Subject, scope: Scope) -> str:
        """Return the last, if it runs later."""
        others = scope.others(self.targets[0], step)
        if not others or others[-1].rank < step.rank:
            return ""
        return f"'{others[-1].label}' runs later: put '{step.label}' after that"

    def clauses(self, step: Subject, scope: Scope) -> Iterator[Clause]:
        """Yield that each of them is before the step."""
        for other in scope.others(self.targets[0], step):
            yield Clause(step, (other,))


class BeforeFirst(Constraint):
    """See `before_first`."""

    __slots__ = ()
    phrase = "must run before the first {0}"

    def disorder(self, step: Subject, scope: Scope) -> str:
        """Return the first, if it runs earlier."""
        others = scope.others(self.targets[0], step)
        if not others or others[0].rank > step.rank:
            return ""
        return f"'{others[0].label}' runs earlier: put '{step.label}' before that"

    def clauses(self, step: Subject, scope: Scope) -> Iterator[Clause]:
        """Yield that the step is before each of them."""
        for other in scope.others(self.targets[0], step):
            yield Clause(other, (step,))


class ImmediatelyAfter(_Needing):
    """See `immediately_after`."""

    __slots__ = ()
    phrase = "must run immediately after some {0}"

    def disorder(self, step: Subject, scope: Scope) -> str:
        """Return what else runs right before the step."""
        others = scope.others(self.targets[0], step)
        before = scope.before(step)
        if not others or before in others:
            return ""
        what = f"'{before.label}' runs" if before else "nothing runs"
        way_out = f"put '{step.label}' right after '{others[0].label}'"
        return f"{what} right before it: {way_out}, and other passes elsewhere"

    def clauses(self, step: Subject, scope: Scope) -> Iterator[Clause]:
        """Yield that one of them is before the step."""
        if others := scope.others(self.targets[0], step):
            yield Clause(step, tuple(others))


class NotBetween(Constraint):
    """See `not_between`."""

    __slots__ = ()
    phrase = "must not run between any {0} and a later {1}"

    def disorder(self, step: Subject, scope: Scope) -> str:
        """Return what it runs between."""
        first, last = (scope.others(target, step) for target in self.targets)
        if not first or not last or first[0].rank > step.rank or last[-1].rank < step.rank:
            return ""
        start, end = first[0].label, last[-1].label
        return (
            f"it runs after '{start}' and before '{end}': put it before '{start}' or after '{end}'"
        )


class Requires(_Needing):
    """See `requires`."""

    __slots__ = ()
    phrase = "needs some {0} in the same pipeline"


class Conflicts(Constraint):
    """See `conflicts`."""

    __slots__ = ()
    phrase = "cannot be in one pipeline with any {0}"

    def clash(self, step: Subject, scope: Scope, peers: Iterable[Subject]) -> str:
        """Return what is there."""
        others = [
            other
            for other in scope.others(self.targets[0], step)
            if scope.run_together(step, other)
        ]
        if not others:
            return ""
        return f"'{others[0].label}' is there: leave one of them out"


class Once(Constraint):
    """See `once`."""

    __slots__ = ()
    phrase = "can be in a pipeline only once"

    def clash(self, step: Subject, scope: Scope, peers: Iterable[Subject]) -> str:
        """Return an earlier one."""
        others = [o for o in peers if o.rank < step.rank and scope.run_together(step, o)]
        if not others:
            return ""
        return f"'{others[0].label}' is there as well: leave one of them out"


@dataclass(frozen=True, slots=True)
class Wish(Constraint):
    """One that is fulfilled by inserting what is missing, and refuses nothing.

    Attributes:
        cleanup: What is inserted: a pass, its class or name, or a bundle; or a type of pass, which
            is never inserted.
    """

    cleanup: Any

    def shortfall(self, step: Subject, scope: Scope) -> str:
        """Return how it is not fulfilled, and the way out; empty if it is."""
        raise NotImplementedError


class FollowedBy(Wish):
    """See `followed_by`."""

    __slots__ = ()
    phrase = "should be followed by some {0}"

    def shortfall(self, step: Subject, scope: Scope) -> str:
        """Return that nothing follows."""
        others = scope.others(self.targets[0], step)
        return "" if others and others[-1].rank > step.rank else "is not: put one after it"


class PrecededBy(Wish):
    """See `preceded_by`."""

    __slots__ = ()
    phrase = "should find what some {0} leaves"

    def shortfall(self, step: Subject, scope: Scope) -> str:
        """Return what has changed the IR since."""
        others = set(scope.others(self.targets[0], step))
        before = scope.before(step)
        while before is not None and before not in others and scope.changes_nothing(before):
            before = scope.before(before)
        if before in others:
            return ""
        found = f"finds what '{before.label}' does" if before else "runs first"
        return f"{found}: put one right before it"


def after_any(target: Target) -> Constraint:
    """Demand that a step runs after at least one of a target, which has to be there.

    Args:
        target: Passes, as targets of a builder name them.

    Example:
        >>> from passel.passes import PassType
        >>> print(after_any(PassType("bufferization")))
        must run after at least one pass of type 'bufferization'
    """
    return AfterAny((target,), caller())


def after_all(target: Target) -> Constraint:
    """Demand that a step runs after each of a target, if any are there.

    Args:
        target: Passes, as targets of a builder name them.

    Example:
        >>> print(after_all("canonicalize"))
        must run after every 'canonicalize'
    """
    return AfterAll((target,), caller())


def before_first(target: Target) -> Constraint:
    """Demand that a step runs before each of a target, if any are there.

    Args:
        target: Passes, as targets of a builder name them.

    Example:
        >>> from passel.passes import PassType
        >>> print(before_first(PassType("lowering")))
        must run before the first pass of type 'lowering'
    """
    return BeforeFirst((target,), caller())


def immediately_after(target: Target) -> Constraint:
    """Demand that what runs right before a step is one of a target.

    Args:
        target: Passes, as targets of a builder name them.

    Example:
        >>> print(immediately_after("lower-affine"))
        must run immediately after some 'lower-affine'
    """
    return ImmediatelyAfter((target,), caller())


def not_between(first: Target, last: Target) -> Constraint:
    """Demand that a step does not run after one of a target and before one of another.

    So it runs before the first of the one, or after the last of the other.

    Args:
        first: Where the part of the pipeline starts.
        last: Where it ends.

    Example:
        >>> print(not_between("make-schedule", "use-schedule"))
        must not run between any 'make-schedule' and a later 'use-schedule'
    """
    return NotBetween((first, last), caller())


def requires(target: Target) -> Constraint:
    """Demand that a target is there, before or after.

    Args:
        target: Passes, as targets of a builder name them.

    Example:
        >>> print(requires("finalize"))
        needs some 'finalize' in the same pipeline
    """
    return Requires((target,), caller())


def conflicts(target: Target) -> Constraint:
    """Demand that a target is not there.

    Steps that depend on conditions are left until the pipeline is built.

    Args:
        target: Passes, as targets of a builder name them.

    Example:
        >>> print(conflicts("legacy-lowering"))
        cannot be in one pipeline with any 'legacy-lowering'
    """
    return Conflicts((target,), caller())


def once() -> Constraint:
    """Demand that a pass is there only once; of a bundle, that it is added only once.

    Steps that depend on conditions are left until the pipeline is built.

    Example:
        >>> print(once())
        can be in a pipeline only once
    """
    return Once((), caller())


def followed_by(cleanup: Named | type[Pass] | Pass | str | PassType) -> Constraint:
    """Wish for something to run later than a step, not necessarily at once.

    If nothing does when a builder's pipeline is built, it is inserted, as late as the other
    constraints allow; if that cannot be done, `PipelineBuilder.report` has a warning.

    Args:
        cleanup: A bundle, a pass or its name; or a type of pass, which is never inserted.

    Example:
        >>> from passel.builder import Bundle
        >>> print(followed_by(Bundle("cleanup", "canonicalize", "cse")))
        should be followed by some step of bundle 'cleanup'
    """
    return FollowedBy((_target_of(cleanup),), caller(), cleanup)


def preceded_by(cleanup: Named | type[Pass] | Pass | str | PassType) -> Constraint:
    """Wish for a step to find the IR as something leaves it.

    That runs before the step, and nothing between them but passes that preserve everything. If it
    does not when a builder's pipeline is built, it is inserted right before the step; so another
    pass may be put between them. `immediately_after` refuses that instead.

    Args:
        cleanup: As for `followed_by`.

    Example:
        >>> print(preceded_by("canonicalize"))
        should find what some 'canonicalize' leaves
    """
    return PrecededBy((_target_of(cleanup),), caller(), cleanup)


def _target_of(cleanup: Named | type[Pass] | Pass | str | PassType) -> Target:
    return type(cleanup) if isinstance(cleanup, Pass) else cleanup

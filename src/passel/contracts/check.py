"""Contracts and constraints over a pipeline: what passes declare about each other holds.

A pass declares the analyses that it produces, requires and preserves, the dialects that it
requires, makes legal and makes illegal, and where it may stand. `check_contracts` holds a whole
pipeline against that without running it: each pass between a producer and its consumer has to
preserve the analysis.

Source: the schedule discipline of NVIDIA's tileiras, which holds it for one region at a time.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from passel.contracts.declarations import default_declarations
from passel.contracts.rules import Rules
from passel.contracts.targets import Named
from passel.contracts.walk import ContractWalk, Violation
from passel.diagnostics import Severity
from passel.errors import ContractError, Problem
from passel.passes import PassType

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from passel.contracts.declarations import DeclarationTable
    from passel.contracts.targets import Target
    from passel.contracts.walk import Place, Region
    from passel.ir import IRAdapter
    from passel.passes.tree import PassTree


def check_contracts(
    tree: PassTree,
    declarations: DeclarationTable | None = None,
    *,
    regions: Iterable[Region] = (),
    adapter: IRAdapter | None = None,
) -> tuple[Violation, ...]:
    """Return what in a pipeline is not as passes declare.

    Errors are what a pass requires and does not get: an analysis, a dialect, another pass.
    Warnings are constraints on the order that are broken, and passes that should be cleaned up
    after or before. Remarks are analyses that no pass requires.

    Args:
        tree: A pass manager.
        declarations: What is declared of passes beside what their classes say; by default what
            installed packages declare.
        regions: Parts of the pipeline in which analyses have to be preserved, beside those that
            follow from what passes produce and require.
        adapter: The IR, if it is known, on which names may stand for other passes.

    Example:
        >>> from passel import OpPassManager, Pass
        >>> class Live: ...
        >>> class Find(Pass):
        ...     name = "find"
        ...     produces = (Live,)
        >>> class Use(Pass):
        ...     name = "use"
        ...     requires = (Live,)
        >>> class Other(Pass):
        ...     name = "other"
        >>> violations = check_contracts(OpPassManager("any").add(Find(), Other(), Use()))
        >>> print(violations[0].message.partition(" does ")[0])
        pass 'other' [any/1:other] between 'find' [any/0:find] and 'use' [any/2:use]
    """
    declarations = declarations or default_declarations()
    stands_for = partial(_stands_for, declarations)
    walk = ContractWalk(declarations, regions, stands_for, adapter=adapter)
    found = walk.violations(tree)
    return (*found, *_misplaced(walk.places, declarations))


def _misplaced(places: Iterable[Place], declarations: DeclarationTable) -> Iterator[Violation]:
    """Yield the constraints that passes of a manager break, which knows no bundles and stages."""
    rules = Rules(places, declarations, is_final=True)
    for breach in (*rules.broken(), *rules.unfulfilled()):
        if not any(isinstance(each, Named) for each in breach.rule.constraint.targets):
            severity = Severity.ERROR if breach.is_fatal else Severity.WARNING
            yield Violation(str(breach), severity, breach.step)


def refuse(violations: Iterable[Violation]) -> None:
    """Raise an error for those violations that are errors.

    Raises:
        ContractError: There are any.
    """
    errors = [each for each in violations if each.severity is Severity.ERROR]
    if errors:
        problems = (Problem(each.message, each.offender.span) for each in errors)
        raise ContractError(*problems, violations=errors)


def _stands_for(declarations: DeclarationTable, target: Target, place: Place) -> bool:
    """Return whether a target stands for a pass of a manager."""
    if isinstance(target, PassType):
        return target in declarations.of(place.pass_).types
    if isinstance(target, type):
        return isinstance(place.pass_, target)
    if isinstance(target, str):
        return target in (place.pass_.name, place.path)
    msg = f"a region of a manager ends at a class, name, path or type of passes, not at {target!r}"
    raise TypeError(msg)

"""Contracts over a pipeline: what passes rely on is still there when they run.

A pass declares the analyses that it produces, requires and preserves, and the dialects that it
requires, makes legal and makes illegal. `check_contracts` holds a whole pipeline against that
without running it: each pass between a producer and its consumer has to preserve the analysis.

Source: the schedule discipline of NVIDIA's tileiras, which holds it for one region at a time.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from passel.builder.contract_verifier import ContractVerifier
from passel.builder.contract_walk import ContractWalk, Place, Violation, WatchedRegion
from passel.builder.declarations import default_declarations
from passel.builder.origin import Origin
from passel.builder.sequence import steps_of
from passel.builder.targets import describe
from passel.diagnostics import Severity
from passel.errors import ContractError, Problem
from passel.passes import PassType

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from passel.builder.declarations import DeclarationTable
    from passel.builder.sequence import Sequence
    from passel.builder.targets import Target, Targets
    from passel.manager import PassManager
    from passel.passes.tree import PassTree


class Region(NamedTuple):
    """A part of a pipeline in which each pass has to preserve analyses.

    It goes from each pass that is its start to the next one that is its end, neither included.

    Attributes:
        start: What it starts after: in a manager, passes of a class, of a name or at a path, or
            of a type; in a builder, any target.
        end: What it ends before.
        preserves: The analyses.
        origin: Who asks for it.
    """

    start: Target
    end: Target
    preserves: tuple[type, ...]
    origin: Origin = Origin()

    def watched(self, finder: Callable[[Target], Callable[[Place], bool]]) -> WatchedRegion:
        """Return the region with its ends found.

        Args:
            finder: Returns whether a target stands for a pass.
        """
        origin = self.origin
        where = f" (asked for by {origin})" if origin.extension else ""
        where = where or (f" (asked for at {origin})" if origin.file else "")
        title = f"between {describe(self.start)} and {describe(self.end)}{where}"
        return WatchedRegion(finder(self.start), finder(self.end), self.preserves, title)


def check_contracts(
    tree: PassTree,
    declarations: DeclarationTable | None = None,
    *,
    regions: Iterable[Region] = (),
) -> tuple[Violation, ...]:
    """Return what in a pipeline breaks contracts, in the order in which the passes run.

    Args:
        tree: A pass manager.
        declarations: What is declared of passes beside what their classes say; by default what
            installed packages declare.
        regions: Parts of the pipeline in which analyses have to be preserved, beside those that
            follow from what passes produce and require.

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
    watched = [region.watched(partial(_in_manager, declarations)) for region in regions]
    return ContractWalk(declarations, watched).violations(tree)


def enforce_contracts(
    manager: PassManager,
    declarations: DeclarationTable | None = None,
    *,
    regions: Iterable[Region] = (),
    verify: bool = False,
) -> None:
    """Refuse a pipeline that breaks contracts, and let its runs count on the declarations.

    Args:
        manager: The manager.
        declarations: As for `check_contracts`.
        regions: As for `check_contracts`.
        verify: Whether its runs check what is declared as well, which is slow.

    Raises:
        ContractError: A contract is broken.
    """
    declarations = declarations or default_declarations()
    refuse(check_contracts(manager, declarations, regions=regions))
    manager.use_contracts(declarations)
    if verify:
        manager.add_instrumentation(ContractVerifier(declarations))
        manager.enable_analysis_verifier()


def refuse(violations: Iterable[Violation]) -> None:
    """Raise an error for those violations that are errors.

    Raises:
        ContractError: There are any.
    """
    errors = [each for each in violations if each.severity is Severity.ERROR]
    if errors:
        problems = (Problem(each.message, each.offender.span) for each in errors)
        raise ContractError(*problems, violations=errors)


def violations_in(
    manager: PassManager, sequence: Sequence, targets: Targets, declarations: DeclarationTable
) -> tuple[Violation, ...]:
    """Return what breaks contracts in a builder's sequence.

    Args:
        manager: What is built of it.
        sequence: The sequence, with its regions.
        targets: Finds the ends of the regions.
        declarations: What is declared of passes.
    """
    regions: tuple[Region, ...] = sequence.regions
    watched = [region.watched(partial(_in_builder, targets)) for region in regions]
    return ContractWalk(declarations, watched, sequence.steps()).violations(manager)


def _in_builder(targets: Targets, target: Target) -> Callable[[Place], bool]:
    labels = {step.label for unit in targets.units(target) for step in steps_of(unit)}
    return lambda place: place.label in labels


def _in_manager(declarations: DeclarationTable, target: Target) -> Callable[[Place], bool]:
    if isinstance(target, PassType):
        return lambda place: target in declarations.of(place.pass_).types
    if isinstance(target, type):
        return lambda place: isinstance(place.pass_, target)
    if isinstance(target, str):
        return lambda place: target in (place.pass_.name, place.path)
    msg = f"a region of a manager ends at a class, name, path or type of passes, not at {target!r}"
    raise TypeError(msg)

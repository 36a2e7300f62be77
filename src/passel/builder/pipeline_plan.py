"""A pipeline as it stands in a builder: what is in it, and why, and what is built of it."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, Self

from passel.builder.draft import Draft
from passel.builder.finishing import finish
from passel.builder.sequence import Sequence, placed_of, steps_of
from passel.builder.showing import explanation, picture
from passel.contracts import ContractWalk, Named, Region, refuse
from passel.errors import AnchorError, InsertionError, Problem
from passel.ir import ANY
from passel.passes.op_pass_manager import Nesting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.builder.constraints import Rule
    from passel.builder.declarations import DeclarationTable
    from passel.builder.finishing import Remark
    from passel.builder.sequence import Step
    from passel.builder.showing import Explanation
    from passel.builder.targets import Occurrence, Target
    from passel.contracts import Violation
    from passel.ir import IRAdapter
    from passel.manager import OpPassManager, PassManager
    from passel.passes import PassRegistry, PassType


class PipelinePlan:
    """A pipeline that can be asked about and built, and knows no way to change it.

    Args:
        template: An empty manager, which knows the IR and where names are looked up.
        declarations: What is declared of passes beside what their classes say.
        adapter: The adapter of the IR, if one is given.
        registry: Where names are looked up, so that an extension can register its passes.
    """

    def __init__(
        self,
        template: PassManager,
        declarations: DeclarationTable,
        adapter: IRAdapter | None,
        registry: PassRegistry,
    ) -> None:
        self.declarations: DeclarationTable = declarations
        self.adapter: IRAdapter | None = adapter
        self.registry: PassRegistry = registry
        self._draft = Draft(Sequence(template.anchor), declarations, template)

    @property
    def anchor(self) -> str:
        """The name of the ops that the pipeline runs on, or `any`."""
        return self._draft.template.anchor

    @property
    def context(self) -> Any:
        """The IR's own context, made when it is asked for; None if the IR is not known."""
        template = self._draft.template
        if template.context is None and self.adapter is not None:
            template.context = self.adapter.create_context()
        return template.context

    def find(self, target: Target) -> tuple[Step, ...]:
        """Return the steps that a target stands for, in the order in which they run."""
        return tuple(_steps(self._draft, target))

    def steps(self) -> Iterator[Step]:
        """Yield all steps in the order in which they run."""
        return iter(list(self._draft.sequence.root.steps()))

    def types_of(self, step: Step) -> tuple[PassType, ...]:
        """Return the parts that a step plays: its pass's own, and its bundles'."""
        return self._draft.positions.types_of(step)

    def constraints(self) -> Iterator[tuple[Rule, Step]]:
        """Yield the constraints that are in force, with the steps that each holds for."""
        return iter(self._draft.rules.all)

    def __contains__(self, target: Target) -> bool:
        """Return whether there is something that a target stands for."""
        return bool(self._draft.positions.units(target))

    def __len__(self) -> int:
        return sum(1 for _ in self.steps())

    def __bool__(self) -> bool:
        """A builder is true even when it is empty, so that `builder or default` keeps it."""
        return True

    def __str__(self) -> str:
        return str(_manager(self._draft))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def explain(self, target: Target, *, occurrence: Occurrence = "first") -> Explanation:
        """Return why a step stands where it stands.

        Args:
            target: The step, or something that stands for it.
            occurrence: Which one, of several that match.

        Raises:
            InsertionError: The target is not there.

        Example:
            >>> from passel.builder import PipelineBuilder, before_first
            >>> builder = PipelineBuilder()
            >>> _ = builder.add("canonicalize")
            >>> builder.constrain("cse", before_first("canonicalize"))
            >>> _ = builder.place("cse")
            >>> print(builder.explain("cse"))
            'cse' was added at ...
              it runs right before 'canonicalize'
              it must run before the first 'canonicalize' (declared at ...)
        """
        (unit,) = self._draft.positions.select(target, occurrence)
        step = next(steps_of(unit), None)
        if step is None:
            raise InsertionError(Problem(f"there is nothing in '{target}' to be explained"))
        return explanation(step, self._draft.rules)

    def draw(self) -> str:
        """Return a picture of the pipeline as a tree, with stages, types and constraints."""
        return picture(self._draft.sequence.root, self._draft.rules)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """Show the picture of the pipeline, in notebooks."""
        from passel.notebooks import Text, bundle  # noqa: PLC0415 - for notebooks alone

        return bundle(Text(self.draw()))

    # -- Building ---------------------------------------------------------------------------

    def copy(self) -> Self:
        """Return a builder with the same steps, labels and constraints, to be changed alone."""
        other = copy(self)
        other._draft = self._draft.copy()
        return other

    def __call__(self, manager: OpPassManager) -> None:
        """Add the pipeline to a manager, so that a builder can be registered as a pipeline.

        Args:
            manager: The manager.

        Raises:
            AnchorError: The manager is for other ops and does not nest implicitly.
            InsertionError: As for `build`.

        Example:
            >>> from passel import PassManager, default_registry
            >>> from passel.builder import PipelineBuilder
            >>> registry = default_registry().copy()
            >>> registry.register_pipeline("tidy", PipelineBuilder.parse("any(canonicalize,cse)"))
            >>> print(PassManager.parse("any(tidy)", registry=registry))
            any(canonicalize,cse)
        """
        if ANY not in (self.anchor, manager.anchor) and self.anchor != manager.anchor:
            if manager.nesting is not Nesting.IMPLICIT:
                message = f"this is a pipeline for '{self.anchor}', not for '{manager.anchor}'"
                raise AnchorError(Problem(message))
            manager = manager.nest(self.anchor)
        manager.add_placed(*self.build().placed())

    def build(self) -> PassManager:
        """Return the pipeline as a pass manager; the builder stays as it is.

        Raises:
            InsertionError: A required stage is empty, or a constraint is broken.
            ContractError: A pass does not preserve what one after it needs.
            AnchorError: A pass cannot run where it stands, or an anchor is no op that can be
                anchored on; found here if the builder has a context, else by a run.
        """
        draft = self._draft.copy()
        finish(draft)
        manager = _manager(draft)
        refuse(_violations(draft, manager))
        if manager.context is not None:
            manager.check()
        return manager

    def report(self) -> tuple[Remark, ...]:
        """Return what `build` drops and adds, and why."""
        return finish(self._draft.copy())


def _steps(draft: Draft, target: Target) -> Iterator[Step]:
    return (step for unit in draft.positions.units(target) for step in steps_of(unit))


def _manager(draft: Draft) -> PassManager:
    """Return a manager with all that stands in a draft."""
    manager = draft.template.copy()
    return manager.add_placed(*placed_of(draft.sequence.root.items, manager.nesting))


def _violations(draft: Draft, manager: PassManager) -> tuple[Violation, ...]:
    def labels(end: Target) -> frozenset[str]:
        return frozenset(step.label for step in _steps(draft, end))

    regions = [
        Region(each.title, labels(each.start), labels(each.end), each.preserves)
        for each in draft.sequence.regions
    ]
    steps = draft.positions.steps
    named = [Named(step.label, step.origin.clause(", added")) for step in steps]
    return ContractWalk(regions, named).violations(manager)

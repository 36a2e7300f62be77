"""A pipeline as it stands in a builder: what is in it, and why, and what is built of it."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, Self

from passel.builder.explaining import explanation
from passel.builder.finishing import drop_duplicates, fulfil_wishes, refuse_empty_stages
from passel.builder.items import Normalizer
from passel.builder.positions import Positions, refuse_breaches, rules_of
from passel.builder.sequence import Sequence, steps_of
from passel.builder.targets import Targets
from passel.contracts import ContractWalk, Named, Region, refuse
from passel.errors import AnchorError, InsertionError, Problem
from passel.ir import ANY
from passel.passes.op_pass_manager import Nesting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from passel.builder.declarations import DeclarationTable
    from passel.builder.drawing import Picture
    from passel.builder.explaining import Explanation
    from passel.builder.finishing import Remark
    from passel.builder.naming import Target
    from passel.builder.rules import Rule
    from passel.builder.sequence import Step
    from passel.builder.targets import Occurrence
    from passel.contracts import Violation
    from passel.ir import IRAdapter
    from passel.manager import OpPassManager, PassManager
    from passel.passes import PassRegistry, PassType


class PipelinePlan:
    """A pipeline that can be asked about and built, and knows no way to change it.

    Args:
        template: An empty manager, which knows the IR and where names are looked up.
        declarations: What is declared of passes beside what their classes say.
    """

    def __init__(
        self,
        template: PassManager,
        declarations: DeclarationTable,
        adapter: IRAdapter | None,
        registry: PassRegistry,
    ) -> None:
        self.adapter: IRAdapter | None = adapter
        self.registry: PassRegistry = registry
        self.declarations: DeclarationTable = declarations
        self._template = template
        self._normalizer = Normalizer(template)
        self._positions = Positions(Sequence(template.anchor), declarations, self._normalizer)

    @property
    def anchor(self) -> str:
        """The name of the ops that the pipeline runs on, or `any`."""
        return self._positions.sequence.root.anchor

    @property
    def context(self) -> Any:
        """The IR's own context, made when it is asked for; None if the IR is not known."""
        template = self._template
        if template.context is None and self.adapter is not None:
            template.context = self.adapter.create_context()
        return template.context

    def find(self, target: Target) -> tuple[Step, ...]:
        """Return the steps that a target stands for, in the order in which they run."""
        return tuple(
            step for unit in self._positions.targets.units(target) for step in steps_of(unit)
        )

    def steps(self) -> Iterator[Step]:
        """Yield all steps in the order in which they run."""
        return iter(list(self._positions.sequence.steps()))

    def types_of(self, step: Step) -> tuple[PassType, ...]:
        """Return the parts that a step plays: its pass's own, and its bundles'."""
        return self._positions.rules.types_of(step)

    def constraints(self) -> Iterator[tuple[Rule, Step]]:
        """Yield the constraints that are in force, with the steps that each holds for."""
        return self._positions.rules.all()

    def __contains__(self, target: Target) -> bool:
        """Return whether there is something that a target stands for."""
        return bool(self._positions.targets.units(target))

    def __len__(self) -> int:
        return sum(1 for _ in self.steps())

    def __bool__(self) -> bool:
        """A builder is true even when it is empty, so that `builder or default` keeps it."""
        return True

    def __str__(self) -> str:
        return str(self._manager(self._positions.sequence))

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
        (unit,) = self._positions.targets.select(target, occurrence)
        step = next(steps_of(unit), None)
        if step is None:
            raise InsertionError(Problem(f"there is nothing in '{target}' to be explained"))
        return explanation(step, self._positions.rules)

    # -- Building ---------------------------------------------------------------------------

    def copy(self) -> Self:
        """Return a builder with the same steps, labels and constraints, to be changed alone."""
        other = copy(self)
        other._positions = self._positions.copy()
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
        sequence, _ = self._finished()
        manager = self._manager(sequence)
        refuse(self._violations(sequence, manager))
        if manager.context is not None:
            manager.check()
        return manager

    def violations(self) -> tuple[Violation, ...]:
        """Return what breaks contracts in the pipeline that would be built."""
        sequence, _ = self._finished()
        return self._violations(sequence, self._manager(sequence))

    def _violations(self, sequence: Sequence, manager: PassManager) -> tuple[Violation, ...]:
        targets = Targets(sequence, rules_of(sequence, self.declarations))

        def labels(end: Target) -> frozenset[str]:
            return frozenset(step.label for unit in targets.units(end) for step in steps_of(unit))

        regions = [
            Region(each.title, labels(each.start), labels(each.end), each.preserves)
            for each in sequence.regions
        ]
        named = [Named(step.label, step.origin.clause(", added")) for step in sequence.steps()]
        return ContractWalk(regions, named).violations(manager)

    def draw(self) -> str:
        """Return a picture of the pipeline as a tree, with stages, types and constraints."""
        from passel.builder.drawing import to_tree  # noqa: PLC0415 - few draw

        return to_tree(self.picture())

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """Show the picture of the pipeline, in notebooks."""
        from passel.notebooks import Text, bundle  # noqa: PLC0415 - for notebooks alone

        return bundle(Text(self.draw()))

    def picture(self) -> Picture:
        """Return what `draw` shows: rows, intervals of types, and arcs for constraints."""
        from passel.builder.drawing import picture_of  # noqa: PLC0415

        return picture_of(self._positions.sequence.root, self._positions.rules)

    def report(self) -> tuple[Remark, ...]:
        """Return what `build` drops and adds, and why."""
        return tuple(self._finished()[1])

    def _finished(self) -> tuple[Sequence, list[Remark]]:
        """Return the steps that are built, and what was done to get there."""
        draft = self._positions.sequence.copy()
        draft.calls += 1
        refuse_empty_stages(draft)
        remarks = list(fulfil_wishes(draft, self.declarations, self._normalizer))
        remarks += drop_duplicates(draft, self.declarations)
        refuse_breaches(rules_of(draft, self.declarations, is_final=True))
        return draft, remarks

    def _manager(self, sequence: Sequence) -> PassManager:
        return self._template.copy().add_placed(*self._normalizer.placed(sequence.root.items))

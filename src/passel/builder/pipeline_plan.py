"""Querying, explaining and building the pipeline in a builder."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, Self

from passel.builder.declarations import default_declarations
from passel.builder.draft import Draft
from passel.builder.editing import edited
from passel.builder.finishing import finish
from passel.builder.pipeline_file import placed, read_pipeline_file
from passel.builder.steps import Origin, Scope, caller, nodes_of, steps_in
from passel.errors import InsertionError
from passel.manager import PassManager
from passel.passes import default_registry
from passel.schedule.contracts import Named, Region, check_contracts
from passel.schedule.model import merged

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from passel.builder.constraints import Rule
    from passel.builder.declarations import DeclarationTable
    from passel.builder.finishing import Remark
    from passel.builder.steps import Occurrence, Step, Target
    from passel.ir import IRAdapter
    from passel.passes import PassRegistry, PassType
    from passel.passes.op_pass_manager import OpPassManager


class PipelinePlan:
    """The methods of `PipelineBuilder` that query, explain and build a pipeline.

    The constructor takes the same arguments as `PipelineBuilder`.

    Attributes:
        adapter: The adapter that was passed to the constructor; None if no adapter was passed.
        registry: The registry that resolves pass names. Extensions can register passes in this
            registry.
        declarations: The table that declares the pass types and the idempotence of passes.
    """

    def __init__(
        self,
        anchor: str | type = "builtin.module",
        context: Any = None,
        *,
        adapter: IRAdapter | None = None,
        registry: PassRegistry | None = None,
        declarations: DeclarationTable | None = None,
    ) -> None:
        self.adapter: IRAdapter | None = adapter
        self.registry: PassRegistry = default_registry() if registry is None else registry
        self.declarations: DeclarationTable = declarations or default_declarations()
        template = PassManager(anchor, context, registry=registry, adapter=adapter)
        self._draft = Draft(Scope("nest", template.anchor, Origin()), self.declarations, template)

    @classmethod
    def from_manager(cls, manager: OpPassManager, **arguments: Any) -> Self:
        """Return a builder with the passes and nested pipelines of a pass manager.

        Args:
            manager: The pass manager.
            arguments: Keyword arguments for the constructor.
        """
        builder = cls(manager.anchor, **arguments)
        draft = builder._draft
        draft.calls += 1
        draft.put(nodes_of(manager, caller()), draft.root, 0)  # without checking constraints
        return builder

    @classmethod
    def parse(cls, text: str, context: Any = None, **arguments: Any) -> Self:
        """Parse the text of a pipeline, and return a builder with the passes of the pipeline.

        Args:
            text: The text of a pipeline, such as `builtin.module(func.func(cse))`.
            context: The context of the IR, which is passed to the constructor.
            arguments: Keyword arguments for the constructor.

        Raises:
            PipelineError: If the text is invalid.
        """
        registry, adapter = arguments.get("registry"), arguments.get("adapter")
        manager = PassManager.parse(text, context, registry=registry, adapter=adapter)
        return cls.from_manager(manager, context=context, **arguments)

    @classmethod
    def from_file(
        cls,
        path: str | Path,
        context: Any = None,
        *,
        variables: Mapping[str, Any] | None = None,
        **arguments: Any,
    ) -> Self:
        """Read a pipeline file, and return a builder with the passes of the pipeline.

        The YAML format extends the format of the pipeline descriptors in llvm/lighthouse.

        Args:
            path: The path of the YAML file.
            context: The context of the IR, which is passed to the constructor.
            variables: The value of each variable in the file, keyed by the name of the variable.
            arguments: Keyword arguments for the constructor.

        Raises:
            PipelineError: If the file cannot be read or is invalid. The `problems` of the error
                contain the locations of the mistakes.
        """
        anchor, elements = read_pipeline_file(path, variables or {})
        builder = cls(anchor, context, **arguments)
        with edited(builder._draft) as edit:
            for element, span in elements:
                with placed(span):
                    edit.append_element(element, span)
        return builder

    # -- What is in it ----------------------------------------------------------------------

    @property
    def anchor(self) -> str:
        """The name of the ops that the pipeline runs on, or `any`."""
        return self._draft.template.anchor

    @property
    def context(self) -> Any:
        """The context that was passed to the constructor, or else a new context from the adapter.

        The value is None if the constructor received neither a context nor an adapter.
        """
        template = self._draft.template
        if template.context is None and self.adapter is not None:
            template.context = self.adapter.create_context()
        return template.context

    def find(self, target: Target) -> tuple[Step, ...]:
        """Return the steps that match a target, in execution order."""
        return tuple(self._draft.rules.find(target))

    def steps(self) -> Iterator[Step]:
        """Yield all steps of the pipeline in execution order."""
        return iter(self._draft.rules.steps)

    def types_of(self, step: Step) -> tuple[PassType, ...]:
        """Return the pass types of a step: those of its pass, and those of its bundles."""
        return self._draft.rules.types_of(step)

    def constraints(self) -> Iterator[tuple[Rule, Step]]:
        """Yield all pairs of a rule and a step that the rule constrains."""
        return iter(self._draft.rules.all)

    def __contains__(self, target: Target) -> bool:
        """Return whether any step matches a target."""
        return bool(self._draft.rules.units(target))

    def __str__(self) -> str:
        return str(self._draft.manager())

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def explain(self, target: Target, *, occurrence: Occurrence = "first") -> str:
        """Return an explanation of the position of a step, with one reason on each line.

        Args:
            target: The step to explain, or a target that matches the step.
            occurrence: The match to explain if the target has several matches: `first` or `last`.

        Raises:
            InsertionError: If no step matches the target.

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
        rules = self._draft.rules
        steps = steps_in(rules.select(target, occurrence)[0])
        if not steps:
            raise InsertionError(f"'{target}' contains no steps to explain")
        step = steps[0]
        lines = [f"'{step.label}' was {step.origin.clause('added') or 'added'}"]
        neighbours = [
            f"right {side} '{other.label}'"
            for side, distance in (("after", -1), ("before", 1))
            if (other := rules.neighbour(step, distance))
        ]
        if neighbours:
            lines.append(f"it runs {' and '.join(neighbours)}")
        if step.because:
            lines.append(step.because)
        others: list[str] = []
        for rule, subject in rules.all:
            if subject is step:
                lines.append(f"it {rule.constraint} ({rule.source})")
            elif step in rules.find(rule.constraint.target):
                others.append(rule.about(subject))
        return "\n  ".join([*lines, *others])

    # -- Building ---------------------------------------------------------------------------

    def copy(self) -> Self:
        """Return an independent builder with the same steps, labels and constraints."""
        other = copy(self)
        other._draft = self._draft.copy()
        return other

    def build(self) -> PassManager:
        """Build a pass manager from the steps, without changing the builder.

        Raises:
            InsertionError: If the pipeline violates a constraint.
            ContractError: If an analysis that a pass or `between` requires is missing or not
                preserved.
            AnchorError: If a pass cannot run on its ops, or an op cannot be an anchor. Without a
                context, anchors are checked only when the pass manager runs.
        """
        draft = self._draft.copy()
        finish(draft)
        manager = draft.manager()
        _check_contracts(draft, manager)
        if manager.context is not None:
            manager.check()
        return manager

    def report(self) -> tuple[Remark, ...]:
        """Return remarks about steps that `build` drops or inserts, and about missing cleanups."""
        return finish(self._draft.copy())


def _check_contracts(draft: Draft, manager: PassManager) -> None:
    """Check the contracts of the passes and the regions that must preserve analyses."""
    rules = draft.rules

    def labels(target: Target) -> frozenset[str]:
        return frozenset(step.label for step in rules.find(target))

    regions = [
        Region(title, labels(start), labels(end), analyses)
        for title, start, end, analyses in draft.regions
    ]
    named = [Named(step.label, step.origin.clause(", added")) for step in rules.steps]
    check_contracts(merged(manager), regions, named)

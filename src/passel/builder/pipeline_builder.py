"""The pipeline builder, which can reorder passes until the pipeline is built."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, Self

from passel.builder.constraints import Rule
from passel.builder.declarations import default_declarations
from passel.builder.draft import Draft
from passel.builder.editing import edited
from passel.builder.extensions import run_extensions
from passel.builder.finishing import finish
from passel.builder.pipeline_file import located, read_pipeline_file
from passel.builder.steps import Origin, Scope, Stage, caller, describe, nodes_of, steps_in
from passel.errors import InsertionError
from passel.manager import PassManager
from passel.passes import default_registry
from passel.passes.op_pass_manager import OpPassManager
from passel.schedule.contracts import Named, Region, check_contracts
from passel.schedule.model import merged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from passel.builder.constraints import Constraint
    from passel.builder.declarations import DeclarationTable
    from passel.builder.extensions import Extension
    from passel.builder.finishing import Remark
    from passel.builder.steps import Handle, Occurrence, Step, Target
    from passel.ir import IRAdapter
    from passel.passes import PassRegistry, PassType


class PipelineBuilder:
    """A pipeline under construction, to which several packages can add passes.

    A pipeline consists of steps, each of which runs a pass. Methods select steps by a target: a
    pass class, a pass name, a pass type, the label of a step, a handle, a bundle or a stage. Labels
    and handles remain valid when steps are added. `build` creates a pass manager from the steps. If
    a change raises an error, the builder stays unchanged.

    Args:
        anchor: The anchor of the pipeline: an op name, an op class, or `any`.
        context: The context of the IR; see `PassManager`.
        adapter: The adapter of the IR; see `PassManager`.
        registry: The registry that resolves pass names; by default, the registry from
            `default_registry`.
        declarations: A table that declares pass types and idempotence in addition to what pass
            classes declare; by default, the table from `default_declarations`.

    Attributes:
        adapter: The adapter that was passed to the constructor; None if no adapter was passed.
        registry: The registry that resolves pass names. Extensions can register passes in this
            registry.
        declarations: The table that declares pass types and idempotence of passes.

    Example:
        >>> builder = PipelineBuilder("builtin.module")
        >>> canonicalize = builder.add("canonicalize")
        >>> _ = builder.insert_before(canonicalize, "cse")
        >>> print(builder.build())
        builtin.module(cse,canonicalize)
    """

    _at: str = ""
    """The label of the nested pipeline to add to, or an empty string for the outermost one."""

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
                with located(span):
                    edit.append_element(element, span)
        return builder

    def nest(self, anchor: str | type, *, jobs: int | None = None) -> PipelineBuilder:
        """Append a nested pipeline, and return a builder that adds passes to the nested pipeline.

        The returned builder can be used in a `with` statement, which only groups code. In the
        methods of the returned builder, targets still match steps of the whole pipeline.

        Args:
            anchor: The anchor of the nested pipeline: an op name, an op class, or `any`.
            jobs: The maximum number of ops that the nested pipeline processes in parallel, even if
                the run allows more. By default, only the limit of the run applies.
        """
        view = copy(self)
        (view._at,) = self.add(OpPassManager(anchor, jobs=jobs)).labels
        return view

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    # -- Editing ----------------------------------------------------------------------------

    def add(self, *items: object, stage: str = "") -> Handle:
        """Append passes, and return a handle to the new steps.

        Args:
            items: Bundles, or passes in any form that `OpPassManager.add` accepts.
            stage: The name of the stage to append to. By default, the passes are appended to the
                end of the pipeline.

        Raises:
            InsertionError: If the change would violate a constraint, or the stage does not exist.
            PipelineError: If a pipeline text is invalid, or the anchor of a pass does not match the
                pipeline.
        """
        with edited(self._draft) as edit:
            scope = edit.stage(stage) if stage else edit.scope(self._at)
            edit.append(items, [scope])
        return edit.handle

    def insert_before(
        self, target: Target, *items: object, occurrence: Occurrence = "first"
    ) -> Handle:
        """Insert passes right before a match of a target, by default the first match.

        If the match is the first step of a nested pipeline and a new pass cannot run there, the new
        pass is inserted before the nested pipeline.

        Args:
            target: A target. The passes are inserted right before a step that matches the target.
            items: The passes to insert, in any form that `add` accepts.
            occurrence: The match to use if the target has several matches: `first`, `last` or
                `all`.

        Raises:
            InsertionError: If no step matches the target, the change would violate a constraint, or
                a nested pipeline would have to be split.
            PipelineError: If a pipeline text is invalid, or the anchor of a pass does not match the
                pipeline.
        """
        with edited(self._draft) as edit:
            edit.insert(target, items, occurrence, after=False)
        return edit.handle

    def insert_after(
        self, target: Target, *items: object, occurrence: Occurrence = "last"
    ) -> Handle:
        """Insert passes right after a match of a target, by default the last match.

        The method takes the same arguments and raises the same errors as `insert_before`.
        """
        with edited(self._draft) as edit:
            edit.insert(target, items, occurrence, after=True)
        return edit.handle

    def remove(self, target: Target, *, occurrence: Occurrence = "all") -> None:
        """Remove the steps that match a target.

        Args:
            target: A target that matches the steps to remove.
            occurrence: The match to remove: `first`, `last` or, by default, `all`.

        Raises:
            InsertionError: If no step matches the target, or the change would violate a constraint.
        """
        with edited(self._draft) as edit:
            edit.remove(target, occurrence)

    # -- Order ------------------------------------------------------------------------------

    def constrain(self, target: Target, *constraints: Constraint) -> None:
        """Add constraints to all current and future steps that match a target.

        The constraints apply in addition to the constraints that passes and bundles declare.

        Args:
            target: A target that matches the steps to constrain.
            constraints: The constraints to add.

        Raises:
            InsertionError: If the pipeline already violates one of the constraints.
            DefinitionError: If an object in `constraints` is not a `Constraint`.

        Example:
            >>> from passel.builder import PipelineBuilder, after_all
            >>> builder = PipelineBuilder()
            >>> builder.constrain("cse", after_all("canonicalize"))
            >>> _ = builder.add("cse", "canonicalize")
            Traceback (most recent call last):
            ...
            passel.errors.InsertionError: 'cse' must run after every 'canonicalize' ...
        """
        with edited(self._draft) as edit:
            by = edit.origin.extension
            self._draft.constraints += tuple(
                Rule(each, None, target, by).checked() for each in constraints
            )

    def place(self, *items: object) -> Handle:
        """Add passes at positions that satisfy all constraints; return a handle to the new steps.

        Existing steps keep their order. By default, a placed pass runs last. If constraints require
        some steps to run after the pass, the pass runs right before the first of these steps.

        A pass that cannot run in this pipeline is added to the first nested pipeline in which the
        pass can run. The members of each bundle keep their order.

        Args:
            items: The passes to place, in any form that `add` accepts.

        Raises:
            InsertionError: If no order satisfies all constraints, or a pass that a constraint
                requires is missing. If constraints contradict each other, the message lists the
                shortest cycle of constraints.
            PipelineError: If a pipeline text is invalid, or a pass can run neither in this pipeline
                nor in a nested pipeline.

        Example:
            >>> from passel.builder import PipelineBuilder, before_first
            >>> builder = PipelineBuilder()
            >>> builder.constrain("cse", before_first("canonicalize"))
            >>> _ = builder.add("symbol-dce", "canonicalize")
            >>> _ = builder.place("cse")
            >>> print(builder)
            builtin.module(symbol-dce,cse,canonicalize)
        """
        with edited(self._draft) as edit:
            edit.place(items, edit.scope(self._at))
        return edit.handle

    # -- Contracts --------------------------------------------------------------------------

    def between(self, start: Target, end: Target, *, preserves: type | tuple[type, ...]) -> Self:
        """Require each pass between two steps to declare that it preserves certain analyses.

        `between` defines regions of the pipeline. A region starts after each step that matches
        `start`, and ends before the next step that matches `end`. The regions are determined when
        the pipeline is built. `between` is not needed for analyses that passes declare in
        `produces` and `requires`.

        Args:
            start: A target. A region starts after each step that matches the target.
            end: A target. A region ends before the next step that matches the target.
            preserves: The analyses to preserve: an analysis class, or a tuple of analysis classes.
        """
        kinds = preserves if isinstance(preserves, tuple) else (preserves,)
        with edited(self._draft) as edit:
            where = edit.origin.clause(" (requested")
            title = f"between {describe(start)} and {describe(end)}{where}{where and ')'}"
            self._draft.regions += ((title, start, end, kinds),)
        return self

    # -- Stages -----------------------------------------------------------------------------

    def stage(self, name: str, *items: object) -> Stage:
        """Append a stage: a named position in the pipeline at which extensions can add passes.

        Args:
            name: The name of the stage.
            items: The first passes of the stage, in any form that `add` accepts.

        Raises:
            InsertionError: If a stage with this name exists, or the change would violate a
                constraint.
        """
        with edited(self._draft) as edit:
            edit.add_stage(name, items, edit.scope(self._at))
        return Stage(name)

    # -- Extensions -------------------------------------------------------------------------

    def extend(self, *extensions: Callable[[PipelineBuilder], object] | Extension) -> Self:
        """Run extensions, which add passes to the pipeline, and return this builder.

        Extensions run in the alphabetical order of their names. If an extension raises
        `InsertionError`, for example because a target is missing, the extension runs again after
        the other extensions.

        Args:
            extensions: The functions to call with this builder, or `Extension` objects, which give
                functions a name.

        Raises:
            InsertionError: If the builder rejects a change that an extension makes, or two
                extensions have the same name.
            PipelineError: If an extension adds an invalid pipeline text, or a pass whose anchor
                does not match the pipeline.
            Exception: If an extension raises any other exception. A note on the exception names the
                extension.
        """
        with self._draft.all_or_nothing():
            run_extensions(self, extensions, self._draft)
        return self

    # -- Queries ------------------------------------------------------------------------------

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
        return tuple(self._draft.snapshot().find(target))

    def steps(self) -> Iterator[Step]:
        """Yield all steps of the pipeline in execution order."""
        return iter(self._draft.snapshot().steps)

    def types_of(self, step: Step) -> tuple[PassType, ...]:
        """Return the pass types of a step: those of its pass, and those of its bundles."""
        return self._draft.snapshot().types_of(step)

    def constraints(self) -> Iterator[tuple[Rule, Step]]:
        """Yield all pairs of a rule and a step that the rule constrains."""
        return iter(self._draft.snapshot().rules)

    def __contains__(self, target: Target) -> bool:
        """Return whether a step, stage or nested pipeline matches a target."""
        return bool(self._draft.snapshot().matches(target))

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
        snapshot = self._draft.snapshot()
        steps = steps_in(snapshot.select(target, occurrence)[0])
        if not steps:
            raise InsertionError(f"'{target}' contains no steps to explain")
        step = steps[0]
        lines = [f"'{step.label}' was {step.origin.clause('added') or 'added'}"]
        neighbours = [
            f"right {side} '{other.label}'"
            for side, distance in (("after", -1), ("before", 1))
            if (other := snapshot.neighbour(step, distance))
        ]
        if neighbours:
            lines.append(f"it runs {' and '.join(neighbours)}")
        if step.because:
            lines.append(step.because)
        others: list[str] = []
        for rule, subject in snapshot.rules:
            if subject is step:
                lines.append(f"it {rule.constraint} ({rule.source})")
            elif step in snapshot.find(rule.constraint.target):
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
        """Return remarks about steps that `build` drops or inserts, and about missing cleanups.

        Raises:
            InsertionError: If the pipeline violates a constraint.
        """
        return finish(self._draft.copy())


def _check_contracts(draft: Draft, manager: PassManager) -> None:
    """Check the contracts of the passes and the regions that must preserve analyses."""
    snapshot = draft.snapshot()

    def labels(target: Target) -> frozenset[str]:
        return frozenset(step.label for step in snapshot.find(target))

    regions = [
        Region(title, labels(start), labels(end), analyses)
        for title, start, end, analyses in draft.regions
    ]
    named = [Named(step.label, step.origin.clause(", added")) for step in snapshot.steps]
    check_contracts(merged(manager), regions, named)

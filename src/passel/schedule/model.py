"""The immutable form of a pass manager's pipeline, which a run executes.

Adjacent nested pipelines are merged, and each pass gets a path. Merging performs no checks and does
not need an IR.

Source: `OpPassManagerImpl::finalizePassList` and `OpToOpPassAdaptor::tryMergeInto`, MLIR 22. MLIR
merges the pipelines in place, and thereby changes the pass manager.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, TypeAlias

from passel.errors import AnchorError
from passel.ir import ANY
from passel.passes.entries import errors_of_others
from passel.passes.op_pass_manager import OpPassManager
from passel.pipeline import PipelineNode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from passel.diagnostics import Span
    from passel.ir import IRAdapter, OpKind
    from passel.passes import Pass
    from passel.pipeline import ElementNode


class PassStep:
    """A step of a schedule that runs one pass.

    Attributes:
        pass_: The pass to run.
        path: The unique path of the pass in the schedule, such as `builtin.module/func.func/1:cse`.
            The path consists of the enclosing anchors, the index of the pass among all passes with
            the same enclosing anchors, and the name of the pass.
        number: The index of the pass among all passes of the schedule, in the order in which they
            were added.
        span: The span of the pass in the text of the pipeline or, if unknown, the span of the
            enclosing pipeline; None if the pipeline was built in Python.
        state: The result of the pass's `initialize`; None before the pass is initialized.
    """

    pipelines: ClassVar[tuple[Pipeline, ...]] = ()

    def __init__(
        self, pass_: Pass[Any, Any], path: str, number: int = 0, span: Span | None = None
    ) -> None:
        self.pass_: Final[Pass[Any, Any]] = pass_
        self.path: Final[str] = path
        self.number: Final[int] = number
        self.span: Final[Span | None] = span
        self.state: Any = None

    def __reduce__(self) -> tuple[Any, ...]:
        return PassStep, (self.pass_, self.path, self.number)

    @property
    def title(self) -> str:
        """The name of the step in messages."""
        return self.pass_.to_text()

    @property
    def display_name(self) -> str:
        """The name of the pass in reports."""
        return self.pass_.display_name


class NestedStep:
    """A step that runs, on each immediately nested op, the first pipeline that matches this op.

    Attributes:
        pipelines: The pipelines, each with a different anchor. They are sorted by anchor, with
            `any` last.
        path: The path of the step, which consists of the enclosing anchors.
        title: The name of the step in messages, which is its path.
        plans: A cache that maps `(step, key of an op)` to the plan of the pipeline that runs on the
            op; see `IRAdapter.key_of`.
    """

    pass_: ClassVar[None] = None

    def __init__(self, pipelines: tuple[Pipeline, ...], path: str) -> None:
        self.pipelines: Final[tuple[Pipeline, ...]] = pipelines
        self.path: Final[str] = path
        self.title: Final[str] = path
        self.plans: dict[Any, Plan | None] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return NestedStep, (self.pipelines, self.path)

    @property
    def display_name(self) -> str:
        """The name of the step in reports: a list of the anchors of its pipelines.

        Source: `OpToOpPassAdaptor::getAdaptorName`, MLIR 22.
        """
        anchors = ", ".join(f"'{pipeline.anchor}'" for pipeline in self.pipelines)
        return f"Pipeline Collection : [{anchors}]"

    def select(self, kind: OpKind) -> Pipeline | None:
        """Return the first pipeline that matches ops of the given kind, or None if none matches."""
        return next((each for each in self.pipelines if each.accepts(kind)), None)


Step: TypeAlias = PassStep | NestedStep


class Pipeline:
    """A sequence of steps, which run on each op that matches the anchor.

    Attributes:
        anchor: The name of the ops that the pipeline runs on, or `any`.
        steps: The steps, in order.
        path: The path of the pipeline, which ends with the pipeline's own anchor, such as
            `builtin.module/func.func`.
        jobs: The maximum number of ops to process concurrently; None for no limit.
        span: The span of the pipeline or, if nested pipelines were merged, of the first of them.
        plans: A cache that maps `(pipeline, key of an op)` to a plan; see `IRAdapter.key_of`.
        is_initialized: Whether all passes of the pipeline have been initialized.
    """

    def __init__(
        self, anchor: str, steps: tuple[Step, ...], path: str, jobs: int | None, span: Span | None
    ) -> None:
        self.anchor: Final[str] = anchor
        self.steps: Final[tuple[Step, ...]] = steps
        self.path: Final[str] = path
        self.jobs: Final[int | None] = jobs
        self.span: Final[Span | None] = span
        self.plans: dict[Any, Plan | None] = {}
        self.is_initialized: bool = False

    def __reduce__(self) -> tuple[Any, ...]:
        return Pipeline, (self.anchor, self.steps, self.path, self.jobs, None)

    def to_node(self, *, all_options: bool = False) -> PipelineNode:
        """Return the syntax tree of the pipeline, for printing.

        Args:
            all_options: Whether to include options that have their default value.
        """
        return PipelineNode(self.anchor, tuple(nodes_of(self.steps, all_options=all_options)))

    def __str__(self) -> str:
        """Return the pipeline as text that can be parsed."""
        return str(self.to_node())

    def accepts(self, kind: OpKind) -> bool:
        """Return whether the pipeline matches ops of the given kind.

        If the anchor is an op name, every op with that name matches, and it is an error if the
        pipeline cannot run on a matching op. The anchor `any` matches only ops that are registered
        and isolated from above, and that all passes of the pipeline accept. An `any` pipeline that
        matches no op is not an error.
        """
        if self.anchor != ANY:
            return self.anchor == kind.name
        is_candidate = kind.registered and kind.isolated
        return is_candidate and all(is_schedulable(step.pass_, kind) for step in self.passes())

    def passes(self) -> Iterator[PassStep]:
        """Yield the pass steps of the pipeline, without the passes of nested pipelines."""
        return (step for step in self.steps if isinstance(step, PassStep))

    def plan(self, kind: OpKind, lower: Any = None) -> Plan:
        """Return the plan for running the pipeline on ops of the given kind.

        Args:
            kind: The kind of the ops that the pipeline runs on.
            lower: A function that combines steps into fewer steps; None to run each step on its
                own.

        Source: the checks at the start of `OpToOpPassAdaptor::run`, MLIR 22.
        """
        steps, rejected, rejection = self.steps, None, ""
        for index, step in enumerate(steps):
            if rejection := _rejection(step, kind):
                steps, rejected = steps[:index], step
                break
        return Plan(self, lower(steps) if lower else steps, rejected, rejection, kind.name)


def nodes_of(steps: Iterable[Step], *, all_options: bool = False) -> Iterator[ElementNode]:
    """Yield the syntax nodes of steps, for printing.

    Args:
        steps: The steps to convert.
        all_options: Whether to include options that have their default value.
    """
    for step in steps:
        for part in step.pipelines if isinstance(step, NestedStep) else (step.pass_,):
            yield part.to_node(all_options=all_options)


def passes_of(what: Pipeline | Step) -> Iterator[PassStep]:
    """Yield every `PassStep` in a pipeline or a step, in execution order."""
    if isinstance(what, PassStep):
        yield what
    else:
        for part in what.pipelines if isinstance(what, NestedStep) else what.steps:
            yield from passes_of(part)


def is_schedulable(pass_: Pass[Any, Any], kind: OpKind) -> bool:
    """Return whether a pass can run on ops of the given kind.

    Raises:
        AnchorError: `can_schedule_on` of the pass raises an exception.
    """
    name = pass_.short_name
    with errors_of_others(f"can_schedule_on of pass '{name}' fails on '{kind.name}'", AnchorError):
        return pass_.can_schedule_on(kind)


def _rejection(step: Step, kind: OpKind) -> str:
    """Return the reason why a step cannot run on ops of the given kind; empty if it can."""
    if not kind.registered:
        return "trying to schedule a pass on an unregistered operation"
    if not kind.isolated:
        return "trying to schedule a pass on an operation not marked as 'IsolatedFromAbove'"
    if isinstance(step, PassStep) and not is_schedulable(step.pass_, kind):
        return f"trying to schedule pass '{step.pass_.name}' on an unsupported operation"
    return ""


class Plan(NamedTuple):
    """The part of a pipeline that runs on one kind of op.

    Attributes:
        pipeline: The pipeline to run.
        steps: The steps to run, in order.
        rejected: The first step that cannot run on ops of this kind; None if all steps can run.
        rejection: The reason why `rejected` cannot run; an empty string if all steps can run.
        op_name: The name of all ops of this kind.
    """

    pipeline: Pipeline
    steps: tuple[Step, ...]
    rejected: Step | None
    rejection: str
    op_name: str


# -- From a pass manager to merged pipelines -----------------------------------------------------


def merged(
    tree: OpPassManager,
    outer: str = "",
    span: Span | None = None,
    *,
    adapter: IRAdapter | None = None,
    context: Any = None,
) -> Pipeline:
    """Return a pass manager's pipeline, in which adjacent nested pipelines are merged.

    Args:
        tree: The pass manager whose pipeline is merged.
        outer: The path of the pass that runs the manager; an empty string if no pass runs it.
        span: The span, in the pipeline's text, of the pass that runs the manager; None if unknown.
        adapter: The adapter of the IR. Without an adapter, a pipeline with the anchor `any` might
            match any op, so the pipelines before it are not merged with the pipelines after it.
        context: The context of the IR.
    """
    merger = _Merger(adapter, context)
    return merger.merge([merger.pipeline(tree, outer, span)])


class _Merger:
    """A merger of the pipelines in one tree."""

    def __init__(self, adapter: IRAdapter | None, context: Any) -> None:
        self._adapter = adapter
        self._context = context
        self._numbers: Counter[str] = Counter()

    def pipeline(self, tree: OpPassManager, outer: str, span: Span | None) -> Pipeline:
        """Return the unmerged pipeline of a manager."""
        path = f"{outer}/{tree.anchor}" if outer else tree.anchor
        steps: list[Step] = []
        for item, place in tree.placed():
            if isinstance(item, OpPassManager):
                steps.append(NestedStep((self.pipeline(item, path, place or span),), path))
                continue
            name = f"{path}/{self._numbers[path]}:{item.short_name}"
            steps.append(PassStep(item, name, self._numbers.total(), place or span))
            self._numbers[path] += 1
        return Pipeline(tree.anchor, tuple(steps), path, tree.jobs, span)

    def merge(self, parts: Sequence[Pipeline]) -> Pipeline:
        """Merge pipelines on the same ops, and their nested pipelines, into one pipeline."""
        first = parts[0]
        steps: list[Step] = []
        group: dict[str, list[Pipeline]] = {}
        for step in (*(step for part in parts for step in part.steps), None):
            (inner,) = step.pipelines if isinstance(step, NestedStep) else (None,)
            if group and (inner is None or not self._fits(inner, group)):
                anchors = sorted(group, key=lambda anchor: (anchor == ANY, anchor))
                nested = [self.merge(group[anchor]) for anchor in anchors]
                steps.append(NestedStep(tuple(nested), first.path))
                group = {}
            if inner is not None:
                group.setdefault(inner.anchor, []).append(inner)
            elif isinstance(step, PassStep):
                steps.append(step)
        jobs = min((part.jobs for part in parts if part.jobs is not None), default=None)
        return Pipeline(first.anchor, tuple(steps), first.path, jobs, first.span)

    def _fits(self, inner: Pipeline, group: dict[str, list[Pipeline]]) -> bool:
        """Return whether no op can match both `any` and another anchor of a group."""
        if inner.anchor == ANY:
            return not any(self._overlap(inner, parts[0]) for parts in group.values())
        return ANY not in group or not self._overlap(group[ANY][0], inner)

    def _overlap(self, catch_all: Pipeline, other: Pipeline) -> bool:
        if self._adapter is None or other.anchor == ANY:
            return True
        kind = self._adapter.kind_named(self._context, other.anchor)
        return kind is not None and catch_all.accepts(kind)

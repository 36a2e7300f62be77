"""Finding mistakes and redundant work in a pipeline without running the pipeline."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.diagnostics import Severity, Span
from passel.errors import PipelineError
from passel.ir import ANY
from passel.passes.op_pass_manager import OpPassManager
from passel.passes.reachable import run_by
from passel.schedule.model import NestedStep, is_schedulable, merged

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from passel.builder.declarations import DeclarationTable
    from passel.builder.pipeline_builder import PipelineBuilder
    from passel.ir import IRAdapter
    from passel.schedule import PassStep, Pipeline


class Finding(NamedTuple):
    """A mistake or redundant work that `lint` found in a pipeline.

    Attributes:
        severity: `Severity.ERROR` if the pipeline cannot be built or run, otherwise
            `Severity.WARNING`.
        message: A sentence that describes the problem and suggests a fix.
        span: The location of the problem in the pipeline text; None if the location is unknown.
    """

    severity: Severity
    message: str
    span: Span | None = None

    def __str__(self) -> str:
        text = f"{self.severity.value}: {self.message}"
        return text if self.span is None else f"{self.span}: {text}\n{self.span.excerpt()}"


def lint(
    builder: PipelineBuilder, adapter: IRAdapter | None = None, context: Any = None
) -> tuple[Finding, ...]:
    """Return the mistakes and the redundant work in a pipeline.

    Errors are violated constraints, violated contracts, and steps that cannot run on their ops.
    Warnings are missing cleanups and redundant repetitions of passes. `lint` also warns about
    passes that run between two nested pipelines with the same anchor, if a single nested pipeline
    could run everything.

    Args:
        builder: The builder that contains the pipeline.
        adapter: The adapter of the IR. Without an adapter, `lint` checks which ops each pass can
            run on only if the builder has a context.
        context: The context of the IR; by default, a new context.

    Returns:
        The findings: first those with a location, in text order, then those without a location.

    Example:
        >>> from passel.builder import PipelineBuilder
        >>> builder = PipelineBuilder.parse("builtin.module(cse,cse)")
        >>> print(*(finding.severity.value for finding in lint(builder)))
        warning
    """

    def place(finding: Finding) -> tuple[bool, str, int]:
        span = finding.span
        return (True, "", 0) if span is None else (False, span.source.name, span.start)

    return tuple(sorted(_findings(builder, adapter, context), key=place))


def _findings(
    builder: PipelineBuilder, adapter: IRAdapter | None, context: Any
) -> Iterator[Finding]:
    try:
        remarks, manager = builder.report(), builder.build()
    except PipelineError as error:
        yield from _errors(error)
        return
    for each in remarks:
        if each.kind == "warning":
            yield Finding(Severity.WARNING, each.message)
    manager.context = context
    if adapter is not None:
        try:
            manager.check(adapter)
        except PipelineError as error:
            yield from _errors(error)

    def fits(step: PassStep, anchor: str) -> bool:
        """Return whether a pass can run in a nested pipeline with an anchor."""
        kind = adapter.kind_named(manager.context, anchor) if adapter else None
        pass_ = step.pass_
        return pass_.anchor is None and (kind is None or is_schedulable(pass_, kind))

    for pipeline in _with_nested(merged(manager, adapter=adapter, context=manager.context)):
        yield from _repeated(pipeline, builder.declarations)
        yield from _interrupted(pipeline, fits)


def _errors(error: PipelineError) -> Iterator[Finding]:
    return (Finding(Severity.ERROR, each.message, each.span) for each in error.problems)


def _with_nested(pipeline: Pipeline) -> Iterator[Pipeline]:
    """Yield a pipeline, and those nested in it and in the options of its passes."""
    yield pipeline
    for step in pipeline.steps:
        held = (each for each in run_by(step.pass_) if isinstance(each, OpPassManager))
        for inner in (*step.pipelines, *map(merged, held)):
            yield from _with_nested(inner)


def _repeated(pipeline: Pipeline, declarations: DeclarationTable) -> Iterator[Finding]:
    for first, second in pairwise(pipeline.steps):
        if isinstance(first, NestedStep) or isinstance(second, NestedStep):
            continue
        pass_ = second.pass_
        if first.pass_ == pass_ and declarations.of(pass_).idempotent:
            message = f"'{pass_}' runs twice in a row; the second run is redundant: remove one"
            yield Finding(Severity.WARNING, message, second.span)


def _interrupted(pipeline: Pipeline, fits: Callable[[PassStep, str], bool]) -> Iterator[Finding]:
    """Yield findings about passes that could run in an adjacent nested pipeline."""
    before: dict[str, Pipeline] = {}
    between: list[PassStep] = []
    for step in pipeline.steps:
        if not isinstance(step, NestedStep):
            between.append(step)
            continue
        after = {inner.anchor: inner for inner in step.pipelines if inner.anchor != ANY}
        for name in before.keys() & after.keys():
            span = after[name].span
            is_given = span is None or any(each.span != span for each in between)
            if between and is_given and all(fits(each, name) for each in between):
                names = [each.pass_.name for each in between]
                verb = "runs" if len(names) == 1 else "run"
                message = (
                    f"{', '.join(map(repr, names))} {verb} on '{pipeline.anchor}' between "
                    f"nested pipelines on '{name}', so analyses of '{name}' ops are computed "
                    f"again; to process only '{name}' ops, use one nested pipeline: "
                    f"{name}(...,{','.join(names)},...)"
                )
                yield Finding(Severity.WARNING, message, between[0].span)
        before, between = after, []

"""Create pass managers from flags, and run parts of pipelines."""

from __future__ import annotations

import sys
from functools import reduce
from typing import TYPE_CHECKING, Any, Literal

from passel.diagnostics import Diagnostic, Location, Severity, Span
from passel.errors import AnchorError, PipelineError, Problem
from passel.frontend import UsageError
from passel.ir import ANY
from passel.manager import PassManager, RunResult
from passel.passes.definition import EFFECTS
from passel.passes.op_pass_manager import Nesting, OpPassManager
from passel.pipeline import PassNode, parse_options, parse_pipeline
from passel.tool.output import coloured, printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from passel.builder import PipelineBuilder
    from passel.instruments.reproducer_file import Recorded
    from passel.ir import IRAdapter, OpKind
    from passel.search import Place
    from passel.tool.flags import Settings

_MODULE = "builtin.module"


class PipelineFactory:
    """A factory that creates a pass manager for each part of the input.

    The constructor resolves the names and options of passes, so that errors in the pipeline are
    reported before any input is read.

    Args:
        settings: The command-line settings.

    Raises:
        PipelineError: If the pipeline or the options of a pass are invalid.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._is_default = settings.pass_pipeline is None and not settings.line.passes
        whole = _written_pipeline(settings)
        self._whole = whole if isinstance(whole, PassManager | None) else whole.build()
        self._flags = OpPassManager(registry=settings.registry).add(*_passes_of_flags(settings))

    def runs_on_top(self, recorded: Recorded | None) -> bool:
        """Return whether the passes given as flags are the whole pipeline.

        Such a pipeline runs on a top-level op of any kind.
        """
        return len(self._flags) > 0 and (recorded is None or recorded.pipeline is None)

    def make(
        self, kind: OpKind, context: Any, adapter: IRAdapter, recorded: Recorded | None = None
    ) -> PassManager:
        """Create the pass manager for a part of the input.

        Args:
            kind: The kind of the top-level op.
            context: The context in which the part was parsed.
            adapter: The adapter of the IR.
            recorded: The reproducer in the input; None if there is no reproducer. The recorded
                pipeline runs before the passes that are given as flags. `--pass-pipeline` replaces
                the recorded pipeline.

        Raises:
            DefinitionError: If `--allow-effects` names an unknown effect.
            PipelineError: If the pipeline cannot be scheduled on the IR, or if a recorded pipeline
                has effects that `--allow-effects` does not allow.
        """
        text = recorded.pipeline if recorded is not None else None
        if self._whole is not None and not (self._is_default and text is not None):
            manager = PassManager(self._whole.anchor, context, adapter=adapter)
            manager.add_placed(*self._whole.placed())
        else:
            if text is None:
                manager = PassManager(kind.name, context, adapter=adapter)
            else:
                manager = self._unchecked(text, context)
                allowed = self._settings.allow_effects
                allowed = EFFECTS if "all" in allowed else allowed
                manager.restrict_effects(*allowed)
            manager.nesting = Nesting.IMPLICIT
            manager.add_placed(*self._flags.placed())
        self._configure(manager, recorded.verify_each if recorded is not None else None)
        return manager

    def parse(self, text: str, context: Any) -> PassManager:
        """Parse a pipeline, and return a pass manager that is configured by the flags."""
        manager = self._unchecked(text, context)
        self._configure(manager)
        return manager

    def _unchecked(self, text: str, context: Any) -> PassManager:
        """Return an unchecked manager of a text, which may be only part of a pipeline."""
        registry, adapter = self._settings.registry, self._settings.choice.adapter
        return PassManager.parse(text, context, registry=registry, adapter=adapter, check=False)

    def _configure(self, manager: PassManager, verifies: bool | None = None) -> None:
        """Configure a manager by the flags and the recorded settings, and check it."""
        settings = self._settings
        each: bool | Literal["always"] = settings.verify_each
        verify = each if verifies is None else verifies and (each or True)
        manager.enable_verifier(not settings.disable_verify and verify)
        if settings.verify_analyses:
            manager.enable_analysis_verifier()
        if settings.check_isolation:
            manager.enable_isolation_check()
        manager.check()

    def misfits(
        self, error: AnchorError, manager: PassManager, op: Any, recorded: Recorded | None
    ) -> Iterator[Diagnostic]:
        """Yield a diagnostic for each anchor that does not match the top-level op.

        Args:
            error: The error that the run raised.
            manager: The pass manager that was run.
            op: The top-level op.
            recorded: The reproducer in the input; None if there is no reproducer.

        Raises:
            AnchorError: If the error is about a part of the pipeline, which no op would fit.
        """
        adapter = self._settings.choice.adapter
        for problem in error.problems:
            if problem.span is not None:
                raise error
            message = problem.message
            span = next((each.span for each in manager.placed() if each.span), None)
            if span is None or (start := span.source.text.find(manager.anchor)) < 0:
                yield Diagnostic(Severity.ERROR, message, adapter.location(op))
                continue
            place = Span(span.source, start, start + len(manager.anchor))
            if recorded is not None and recorded.pipeline == span.source.text:
                yield recorded.diagnostic(Problem(message, place))
            else:
                line = span.source.text.split("\n")[place.line - 1]
                where = Location(span.source.name, place.line, place.column, source=line)
                yield Diagnostic(Severity.ERROR, message, where)


def lint_pipeline(settings: Settings) -> int:
    """Print errors and warnings about the pipeline, and return 1 if there are errors, else 0.

    Raises:
        PipelineError: If the pipeline cannot be built.
        UsageError: If the command line contains no pipeline.
    """
    from passel.builder import PipelineBuilder, lint

    registry, adapter = settings.registry, settings.choice.adapter
    builder = _written_pipeline(settings, adapter)
    if builder is None and not settings.line.passes:
        raise UsageError("'--lint' needs a pipeline: give one with -p, or passes as flags")
    if builder is None:
        builder = PassManager(_MODULE, adapter=adapter, registry=registry, nesting=Nesting.IMPLICIT)
        builder.add(*_passes_of_flags(settings))
    if isinstance(builder, PassManager):
        builder = PipelineBuilder.from_manager(builder, registry=registry)
    findings = lint(builder, adapter, settings.configured_frontend().new_context())
    for finding in findings:
        text = printable(str(finding) if finding.span else f"{settings.tool.name}: {finding}")
        print(coloured(text, sys.stderr, settings.color), file=sys.stderr)
    return int(any(finding.severity is Severity.ERROR for finding in findings))


def _written_pipeline(
    settings: Settings, adapter: IRAdapter | None = None
) -> PassManager | PipelineBuilder | None:
    """Return the pipeline of `--pass-pipeline`, or the tool's default pipeline.

    The result is a builder if the pipeline is in a file, and None if the command line has no
    pipeline. The pass manager has no context.
    """
    written, line = settings.pass_pipeline, settings.line
    if written is not None and line.passes:
        flag = next(each.name for each in line.flags if each.flag.name == "pass-pipeline")
        one = line.passes[0].name
        raise UsageError(f"'{flag}' can't be used with individual pass options such as '--{one}'")
    if written is None and not line.passes and not settings.run_reproducer:
        written = settings.tool.pipeline or None
    if written is None:
        return None
    if written.startswith("@"):
        from passel.builder import PipelineBuilder

        return PipelineBuilder.from_file(written[1:], adapter=adapter, registry=settings.registry)
    anchor = _MODULE if written.strip() else None  # an empty text is not a list of passes
    node = parse_pipeline(written, name="--pass-pipeline", flat_anchor=anchor)
    if node.span is None and not settings.choice.is_known:  # the flat form on another IR
        ir = settings.choice.adapter
        if ir.kind_named(ir.create_context(), _MODULE) is None:
            node = node._replace(anchor=ANY)
    return PassManager(node.anchor, registry=settings.registry, adapter=adapter).add(*node.elements)


def _passes_of_flags(settings: Settings) -> tuple[PassNode, ...]:
    return tuple(
        PassNode(name, parse_options(options or "", name=f"--{name}", braces=True))
        for name, options in settings.line.passes
    )


# -- Stopping and going on -----------------------------------------------------------------------


def run_stretch(
    manager: PassManager, op: Any, settings: Settings, starts_at: Sequence[int], **how: Any
) -> RunResult:
    """Run the passes of a pipeline between the places of `--start-after` and `--stop-after`.

    The pass manager contains the whole pipeline, and a gate skips the passes outside these places.
    For the passes that do run, the paths, statistics and options are therefore the same as in a
    full run.

    Args:
        manager: The pass manager of the whole pipeline.
        op: The op to run the passes on.
        settings: The command-line settings.
        starts_at: The ordinals of the op where the run starts; see `SourcePart`.
        **how: Additional arguments for `PassManager.run`.

    Raises:
        UsageError: If a flag names a place that does not exist or that the run did not reach.
        PassFailedError: If a pass fails.
    """
    if not (settings.start_after or settings.stop_after):
        return manager.run(op, **how)
    from passel.search import Stretch

    paths, adapter = tuple(manager.passes_by_path()), settings.choice.adapter
    start, stop = (place_in(paths, settings, flag) for flag in ("start-after", "stop-after"))
    is_fixed = start and stop and not (start.symbol and stop.symbol)  # else the run detects it
    if start and stop and is_fixed and paths.index(start.path) > paths.index(stop.path):
        raise UsageError(
            f"'--stop-after={stop}' comes before '--start-after={start}' in the pipeline"
        )
    if start and starts_at:
        first = reduce(lambda each, number: adapter.children(each)[number], starts_at, op)
        start = start._replace(symbol=adapter.symbol_name(first) or start.symbol)
    stretch = Stretch(paths, adapter.symbol_name, start, stop)
    manager.add_gate(stretch)
    result = manager.run(op, **how)
    if (missed := stretch.missed) is not None:
        raise UsageError(
            f"the run did not reach {missed}: the pass did not run on any op named @{missed.symbol}"
        )
    return result


def place_in(paths: Sequence[str], settings: Settings, flag: str) -> Place | None:
    """Return the place that a flag such as `--stop-after` names; None if the flag is absent.

    Raises:
        UsageError: If the pipeline does not contain the place.
    """
    from passel.search import Place

    text: str = getattr(settings, flag.replace("-", "_"))
    try:
        return Place.of(text, paths) if text else None
    except PipelineError as error:
        raise UsageError(f"'--{flag}': {error}") from None

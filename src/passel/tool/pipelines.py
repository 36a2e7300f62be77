"""From flags to a pass manager."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from passel.diagnostics import Severity
from passel.errors import DefinitionError, PipelineError
from passel.instruments.reproducer_file import reproducer_text
from passel.ir.frontend import SourcePart, UsageError
from passel.manager import Nesting, OpPassManager, PassManager
from passel.passes.definition import EFFECTS, check_effects
from passel.pipeline import PassNode, parse_options
from passel.record import Record
from passel.search import Place, Stretch
from passel.tool.flags import flags_in
from passel.tool.irs import flag_for
from passel.tool.output import complain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from passel.instruments.reproducer_file import Recorded
    from passel.ir import IRAdapter, OpKind
    from passel.manager import RunResult
    from passel.passes import PassRegistry
    from passel.tool.settings import PipelineFlags, Settings

_MODULE = "builtin.module"


class PipelineFactory:
    """Makes a pass manager for each part of the input.

    Names and options are resolved once, when this is made, so that a wrong pipeline is
    reported before any input is read.

    Raises:
        PipelineError: The pipeline or a pass's options are wrong.
        UsageError: `--allow-effects` names no effect.
    """

    def __init__(self, settings: Settings) -> None:
        given = settings.pipeline
        self._registry: PassRegistry = settings.registry
        self._whole: PassManager | None = None
        self._verify: bool | Literal["always"] = (
            False if settings.reading.disable_verify else given.verify_each
        )
        self._given: PipelineFlags = given
        self._allowed = _allowed_effects(settings.reproducers.allow_effects)
        self._flags: tuple[PassNode, ...] = ()
        self._settings = settings
        self._is_default = given.pass_pipeline is None and not settings.passes
        written = _written_pipeline(settings)
        if written is None:
            self._flags = _passes_of_flags(settings)
            OpPassManager().add_nodes(self._flags, self._registry)
        elif _is_file(written):
            from passel.builder import PipelineBuilder

            self._whole = PipelineBuilder.from_file(written[1:], registry=self._registry).build()
        else:
            self._whole = _parsed(written, self._registry)

    def runs_on_top(self, recorded: Recorded | None) -> bool:
        """Return whether passes given as flags run on the top-level op, whatever its name."""
        return bool(self._flags) and (recorded is None or recorded.pipeline is None)

    def make(
        self,
        kind: OpKind,
        context: Any,
        adapter: IRAdapter,
        recorded: Recorded | None = None,
    ) -> PassManager:
        """Return a manager for a top-level op of a kind.

        Args:
            kind: The kind.
            context: The context of the part of the input.
            adapter: The adapter.
            recorded: The reproducer in the input; its pipeline comes before passes given as flags
                and gives way to `--pass-pipeline`.

        Raises:
            PipelineError: The pipeline cannot be scheduled on this IR, or what is recorded
                has effects that are not allowed.
        """
        is_recorded = recorded is not None and recorded.pipeline is not None
        if self._whole is not None and not (self._is_default and is_recorded):
            manager = PassManager(self._whole.anchor, context, adapter=adapter)
            manager.add_placed(*self._whole.placed())
        else:
            if recorded is None or recorded.pipeline is None:
                manager = PassManager(kind.name, context, adapter=adapter)
            else:
                manager = PassManager.parse(
                    recorded.pipeline,
                    context,
                    registry=self._registry,
                    adapter=adapter,
                    check=False,  # it may be a part of another one
                )
                manager.restrict_effects(*self._allowed, remedy="--allow-effects={effects}")
            manager.nesting = Nesting.IMPLICIT
            manager.add_nodes(self._flags, self._registry)
        self.configure(manager, recorded)
        return manager

    def parse(self, text: str, context: Any) -> PassManager:
        """Return a manager of another pipeline, which runs as the flags ask for."""
        adapter = self._settings.ir.adapter
        manager = PassManager.parse(
            text, context, registry=self._registry, adapter=adapter, check=False
        )
        self.configure(manager)
        return manager

    def configure(self, manager: PassManager, recorded: Recorded | None = None) -> None:
        """Let a manager run, and be checked, as the flags ask for.

        Args:
            manager: The manager.
            recorded: The reproducer that its pipeline is from.

        Raises:
            PipelineError: The pipeline cannot be scheduled on this IR.
        """
        verify = self._verify
        verifies = recorded.verify_each if recorded is not None else None
        if verifies is not None and not self._settings.reading.disable_verify:
            verify = verifies and (verify or True)
        manager.enable_verifier(verify)
        manager.enable_analysis_verifier(self._given.verify_analyses)
        manager.enable_isolation_check(self._given.check_isolation)
        manager.check()


def lint_pipeline(settings: Settings) -> int:
    """Write what is wrong with the pipeline, or wastes time; return 1 if any is an error, else 0.

    Raises:
        PipelineError: The pipeline cannot be made.
        UsageError: There is none.
    """
    from passel.builder import PipelineBuilder, lint

    written, registry = _written_pipeline(settings), settings.registry
    if written is None and not settings.passes:
        raise UsageError("'--lint' is about a pipeline: give one with -p, or passes as flags")
    if written is not None and _is_file(written):
        builder = PipelineBuilder.from_file(written[1:], registry=registry)
    else:
        if written is not None:
            manager = _parsed(written, registry)
        else:
            manager = PassManager(_MODULE, nesting=Nesting.IMPLICIT)
            manager.add_nodes(_passes_of_flags(settings), registry)
        builder = PipelineBuilder.from_manager(manager, registry=registry)
    findings = lint(builder, settings.ir.adapter, settings.frontend().new_context())
    for finding in findings:
        program = "" if finding.span else settings.program
        complain(finding, program=program, color=settings.diagnostics.color)
    return int(any(finding.severity is Severity.ERROR for finding in findings))


def _written_pipeline(settings: Settings) -> str | None:
    """Return the text of `--pass-pipeline`, or the tool's own pipeline if none is given."""
    written = settings.pipeline.pass_pipeline
    if written is None and not settings.passes and not settings.reproducers.run_reproducer:
        written = settings.tool.pipeline or None
    if written == "@":
        raise UsageError("'-p @' names no file; write -p @pipeline.yaml")
    return written


def _is_file(written: str) -> bool:
    return written.startswith("@")


def _passes_of_flags(settings: Settings) -> tuple[PassNode, ...]:
    return tuple(
        PassNode(name, parse_options(options or "", name=f"--{name}", braces=True))
        for name, options in settings.passes
    )


def _parsed(text: str, registry: PassRegistry) -> PassManager:
    """Return a manager of the text of `--pass-pipeline`, for no context yet."""
    return PassManager.parse(
        text,
        registry=registry,
        flat_anchor=_MODULE if text.strip() else None,  # an empty text is no list of passes
        name="--pass-pipeline",
    )


def _allowed_effects(names: tuple[str, ...]) -> tuple[str, ...]:
    if "all" in names:
        return tuple(EFFECTS)
    try:
        check_effects(names, "'--allow-effects'")
    except DefinitionError as error:
        raise UsageError(str(error)) from None
    return names


def run_stretch(
    manager: PassManager, op: Any, settings: Settings, how: Mapping[str, Any]
) -> RunResult:
    """Run what the flags leave of a pipeline, and return the result of the run.

    Args:
        manager: The pipeline.
        op: What it runs on.
        settings: The settings of the command line.
        how: How to run, as `PassManager.run` takes it.

    Raises:
        UsageError: The flags name a place that does not exist, or was not reached.
        PassFailedError: A pass failed.
    """
    paths = tuple(manager.passes_by_path())
    start = _place(settings.stepping.start_after, "start-after", paths)
    stop = _place(settings.stepping.stop_after, "stop-after", paths)
    is_known = start and stop and not (start.symbol and stop.symbol)  # else the run tells
    if start and stop and is_known and _order(start, paths) > _order(stop, paths):
        raise UsageError(f"{stop} comes before {start} in the pipeline: nothing lies between")
    stretch = Stretch(paths, settings.ir.adapter.symbol_name, start, stop)
    manager.add_gate(stretch)
    result = manager.run(op, **how)
    if (missed := stretch.missed) is not None:
        raise UsageError(
            f"the run has not come to {missed}: the pass there ran on no op called @{missed.symbol}"
        )
    return result


def recorded_source(settings: Settings) -> SourcePart:
    """Return the IR that the input, a record, has where the run is to go on, with its pipeline.

    Raises:
        UsageError: There is no such place in it, or the IR there is not known.
        RecordError: The record is damaged.
    """
    record = Record.open(settings.input)
    run = record.info.runs[0]
    if settings.ir.name != run.ir:
        raise UsageError(f"'{settings.input}' is a record of another IR: {flag_for(run.ir)}")
    paths = [step.path for step in run.steps]
    place = _place(settings.stepping.start_after, "start-after", paths)
    if place is None:
        text = None if run.before is None else record.text(run.before)
    elif not place.symbol:
        text = record.state_at(paths[: paths.index(place.path) + 1])
    else:
        found = [e for e in record.executions if (e.path, e.symbol) == (place.path, place.symbol)]
        if not found:
            raise UsageError(f"'--start-after': in the record, no pass ran at {place}")
        text = record.state_after(found[0])
    if text is None:
        raise UsageError(f"the record does not have the IR after {place or 'parsing'}")
    case = reproducer_text(text, run.pipeline)
    return SourcePart(case, settings.input, is_recorded=True)


def recorded_plugins(settings: Settings) -> list[str]:
    """Return the flags for plugins that the recorded run had, and this command line lacks."""
    words = flags_in(Record.open(settings.input).info.command_line[1:])
    given = settings.written.get("load-pass-plugin", ())
    flags = [f"--{name}={value}" for name, value in words if name == "load-pass-plugin"]
    return [each for each in flags if each not in given]


def _order(place: Place, paths: Sequence[str]) -> tuple[int, bool]:
    """Return a key by which places are in the order of the pipeline, those on one op first."""
    return paths.index(place.path), not place.symbol


def _place(text: str, flag: str, paths: Sequence[str]) -> Place | None:
    if not text:
        return None
    try:
        return Place.of(text, paths)
    except PipelineError as error:
        raise UsageError(f"'--{flag}': {error}") from None

"""Files with which a failure can be replayed: the IR and the pipeline that failed on it.

Source: `PassCrashReproducerGenerator` of `lib/Pass/PassCrashRecovery.cpp`, MLIR 22, which
reports each failure, overwrites the file for each, and records failures that a pass handles.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from passel.diagnostics import Severity, brief
from passel.hooks import OpIdentity, PassInstrumentation
from passel.instruments.events import PassExecution, execution_of
from passel.instruments.reproducer_command import how_to_replay
from passel.instruments.reproducer_file import (
    ReproducerFile,
    pipeline_text,
    reproducer_text,
    scoped_text,
)
from passel.instruments.whole_files import check_writable
from passel.ir import PrintFlags, WritesSources, outwards
from passel.passes.op_facts import op_diagnostic
from passel.schedule import PassStep, passes_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from passel.errors import Failure
    from passel.hooks import Run
    from passel.schedule import Step


_MOST_NAMED = 20
"""How many failures are worth naming in one note."""

_ABOUT_THE_RUN = {"crashed", "interrupted"}
"""Kinds of failures that are reported at the op at the top, whatever op the pass ran on."""


@dataclass(slots=True)
class Recipe:
    """IR, and the pipeline to run on it, as text; `steps` are the passes in that pipeline."""

    ir: str
    pipeline: str
    steps: Sequence[PassStep]


@dataclass(slots=True)
class _Case:
    """A failure that counts; `running` are the passes that ran then, its own last."""

    failure: Failure
    running: Sequence[PassExecution]
    recipe: Recipe | None


@dataclass(slots=True)
class _Frame:
    """A pass that runs.

    Attributes:
        running: The execution of it, last, and of the passes that have run the pipeline it is in.
        recipe: The IR before it, and the pass alone, if that is recorded.
        inner: Failures in pipelines that it has run.
        nested: The execution of a step that runs nested pipelines, of which this is the frame.
    """

    running: Sequence[PassExecution] = ()
    recipe: Recipe | None = None
    inner: list[_Case] = field(default_factory=list[_Case])
    nested: PassExecution | None = None


class CrashReproducer(PassInstrumentation):
    """A file for a run that fails, with which the failure can be replayed.

    The file holds the IR before the run and the whole pipeline. It is written ahead, as
    `<path>.running`, and moved to `path` when the run fails, whatever ends it: a failure, an
    exception, invalid IR, an interrupt. Of a process that was killed, `<path>.running` is
    left. A run that succeeds leaves nothing, and an older file at `path` alone.

    The failure is reported as an error at the first op that failed, or at the top if a pass
    crashed there, with a note that names all passes that failed, the file, and the command to
    replay it with; the error that the run raises has the same note.

    Args:
        path: The file.
        local: Record the IR before the pass that failed first and that pass alone. Costs a
            print of all of the IR for each pass and op, all of which run in this process.
        threading: Whether a replay may run passes in parallel.
        replay: The command to replay it with, in which `{file}` stands for the file's quoted
            name; by default one for passel-opt. It gets the flags without which the file is not
            read, or its pipeline refused, but none for passes and dialects that passel-opt lacks.

    Attributes:
        reproducer: The file, after a run that failed and could write it.

    Raises:
        OSError: The file cannot be written.
        ValueError: No file can have this name.

    Example:
        >>> import tempfile
        >>> from passel import Pass, PassFailedError, PassFailure, PassManager
        >>> from passel.testing import ToyAdapter, parse_toy
        >>> class Refuse(Pass):
        ...     name = "refuse"
        ...
        ...     def run(self, op, ctx):
        ...         raise PassFailure("not this one")
        >>> pm = PassManager("toy.module", adapter=ToyAdapter()).add(Refuse())
        >>> file = f"{tempfile.mkdtemp()}/repro"
        >>> pm.add_instrumentation(CrashReproducer(file))
        >>> try:
        ...     pm.run(parse_toy("toy.module()"))
        ... except PassFailedError as error:
        ...     print(error.reproducer.read_text().splitlines()[5].strip())
        pipeline: "toy.module(refuse)",

    Source: `mlir::PassManager::enableCrashReproducerGeneration`, MLIR 22.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        local: bool = False,
        threading: bool = True,
        replay: str | None = None,
    ) -> None:
        check_writable(path)
        self.path = path
        self.local = local
        self.threading = threading
        self.replay = replay
        self._started: Run | None = None

    @property
    def running(self) -> Path | None:
        """The file that is written ahead, while a run goes on."""
        return self._file.running

    def split(self) -> PassInstrumentation | None:
        """Return an observer of nothing: what has failed elsewhere is known in the end."""
        return None if self.local else PassInstrumentation()

    def before_run(self, run: Run) -> None:
        """Write the file ahead."""
        self.reproducer = None
        self._file = ReproducerFile(self.path)
        self._problem = ""
        self._frames = [_Frame()]
        self._cases: dict[int, tuple[Failure, list[_Case]]] = {}
        self._whole: Recipe | None = None
        self._started = run
        anchor = run.adapter.kind_of(run.op).name
        steps = tuple(passes_of(run.pipeline))
        self._whole = self._recipe(pipeline_text(run.pipeline, anchor), steps)
        self._prepare(self._whole)

    def before_pass(self, step: Step, op: Any) -> None:
        """Write the local reproducer ahead."""
        outer = self._frames[-1]
        frame = _Frame([*outer.running, execution_of(self.run, step, op)])
        if not isinstance(step, PassStep):
            frame = _Frame(outer.running, outer.recipe, outer.inner, frame.running[-1])
        elif self.local:
            frame.recipe = self._local_recipe(step, op)
            self._prepare(frame.recipe)
        self._frames.append(frame)

    def after_pass(self, step: Step, op: Any) -> None:
        """Go back to the pass that runs it, which goes on."""
        self._frames.pop()
        if isinstance(step, PassStep):
            self._prepare(self._frames[-1].recipe)

    def after_pass_failed(self, step: Step, op: Any, failure: Failure | None) -> None:
        """Remember the failure."""
        frame = self._frames[-1]
        self.after_pass(step, op)
        if failure is None:
            return
        # A pass that gives up, or is interrupted, because of what it has run is not to blame.
        if isinstance(step, PassStep) and frame.inner and failure.kind in {"failed", "interrupted"}:
            cases = frame.inner
        elif failure.kind == "interrupted" and not isinstance(step, PassStep):
            return
        else:
            running = [*frame.running, frame.nested] if frame.nested else frame.running
            cases = [_Case(failure, running, frame.recipe)]
        outer = self._frames[-1]
        if outer.running:
            outer.inner.extend(cases)
        else:
            self._cases[id(failure)] = failure, cases

    def after_run(self, run: Run, *, failed: bool) -> None:
        """Put the file in its place and report it, or remove it."""
        if self._started is not run:
            return  # an interrupt kept it from starting
        try:
            if failed:
                self._report(run)
        finally:
            self._started = None
            self._file.discard()

    # -- What to record ---------------------------------------------------------------------

    def _recipe(self, pipeline: str, steps: Sequence[PassStep]) -> Recipe | None:
        """Return the IR of now with a pipeline; None, and a problem, if the IR does not print."""
        run = self.run
        try:
            if isinstance(run.adapter, WritesSources):
                ir = run.adapter.print_source(run.op, run.ir_context)
            else:
                ir = run.adapter.print_op(run.op, PrintFlags())
        except Exception as error:  # noqa: BLE001 - whatever a printer raises must not hide the failure
            self._problem = f"failed to print the IR: {brief(error)}"
            return None
        return Recipe(ir, pipeline, steps)

    def _local_recipe(self, step: PassStep, op: Any) -> Recipe | None:
        adapter, root = self.run.adapter, self.run.op
        scopes: list[str] = []
        for each in outwards(adapter, op):
            kind = adapter.kind_of(each)
            if scopes and not kind.isolated:
                break  # no pipeline reaches what is inside
            scopes.append(kind.name)
            if each == root:
                return self._recipe(scoped_text(reversed(scopes), step), [step])
        return None

    def _prepare(self, recipe: Recipe | None) -> None:
        if recipe is not None:
            self._file.prepare(self._text(recipe.ir, recipe.pipeline))

    def _text(self, ir: str, pipeline: str) -> str:
        return reproducer_text(
            ir,
            pipeline,
            disable_threading=not self.threading,
            verify_each=self.run.verifies,
        )

    def _readable(self, recipe: Recipe) -> str:
        adapter = self.run.adapter
        ir = recipe.ir
        if isinstance(adapter, WritesSources):
            with suppress(Exception):  # the other form is there
                ir = adapter.readable_source(ir, self.run.ir_context)
        return self._text(ir, recipe.pipeline)

    # -- The report -------------------------------------------------------------------------

    def _report(self, run: Run) -> None:
        cases = self._all_cases(run)
        recipe = self._whole
        if self.local and cases and cases[0].recipe is not None:
            recipe = cases[0].recipe
        outcome, written = self._problem, False
        if recipe is not None:
            written = self._file.commit(self._readable(recipe))
            outcome = self._file.problem
            if written:
                self.reproducer = self._file.path
                outcome = f"reproducer generated at `{self._file.title}`"
        while_executing = self._while_executing(cases, is_local=recipe is not self._whole)
        message = "Failures have been detected while processing an MLIR pass pipeline"
        error = op_diagnostic(run.adapter, Severity.ERROR, message, run.op)
        error.print_op = None
        if cases and cases[0].failure.kind not in _ABOUT_THE_RUN:
            error.location = cases[0].failure.location
        note = f"Pipeline failed{while_executing}: {outcome}"
        if written and recipe is not None:
            note += f"\n{how_to_replay(run, self._file.title, recipe.steps, self.replay)}"
        error.attach_note(note)
        run.conclude(error)

    def _while_executing(self, cases: Iterable[_Case], *, is_local: bool) -> str:
        ran = (case.running[-1:] if self.local else case.running for case in cases)
        executions = dict.fromkeys(each for running in ran for each in running)
        titles = [each.title for each in executions]
        if not titles:
            return ""  # an interrupt between passes
        if is_local and len(titles) == 1:
            return f" while executing {titles[0]}"
        if len(titles) > _MOST_NAMED:
            titles[_MOST_NAMED:] = [f"and {len(titles) - _MOST_NAMED} more"]
        return f" while executing [{', '.join(titles)}]"

    def _all_cases(self, run: Run) -> list[_Case]:
        """Return the failures of a run in program order.

        Those that no hook of a pass is given came before a pass ran, in another process, or in
        passes that ran as one.
        """
        root = run.adapter.kind_of(run.op).name
        steps = {step.path: (scopes, step) for scopes, step in _scoped(run.pipeline.steps, root)}
        cases: list[_Case] = []
        for failure in run.failures:
            if known := self._cases.get(id(failure)):
                cases += known[1]
                continue
            recipe, name, display_name = None, "", failure.pass_text
            if found := steps.get(failure.path):
                scopes, step = found
                name, display_name = step.pass_.name, step.display_name
                if self.local and not cases:
                    # What has run until now is what comes before it.
                    recipe = self._recipe(scoped_text(scopes, step), [step])
            op = OpIdentity(failure.op_name, failure.symbol)
            execution = PassExecution(failure.path, name, display_name, (op,))
            cases.append(_Case(failure, [execution], recipe))
        return cases


def _scoped(steps: Iterable[Step], *scopes: str) -> Iterator[tuple[tuple[str, ...], PassStep]]:
    """Yield all passes, each with the anchors that enclose it, outermost first."""
    for step in steps:
        if isinstance(step, PassStep):
            yield scopes, step
        else:
            for nested in step.pipelines:
                yield from _scoped(nested.steps, *scopes, nested.anchor)

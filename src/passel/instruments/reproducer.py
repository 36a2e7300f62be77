"""Write reproducers, which are files with IR and the pipeline that failed on the IR.

Source: `PassCrashReproducerGenerator` of `lib/Pass/PassCrashRecovery.cpp`, MLIR 22.
"""

from __future__ import annotations

import os
import shlex
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.diagnostics import Severity, brief, file_problem, listed
from passel.hooks import OpIdentity, PassInstrumentation
from passel.instruments.reproducer_file import reproducer_text
from passel.instruments.whole_files import check_writable, is_special, lasting, write_whole
from passel.ir import outwards
from passel.ir.adapters import installed_name
from passel.passes.factory import CallablePass
from passel.passes.reachable import walk
from passel.passes.remarks import op_diagnostic
from passel.pipeline import PipelineNode
from passel.schedule.model import PassStep, nodes_of, passes_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from passel.errors import Failure
    from passel.hooks import ObservedRun
    from passel.passes.base import Pass
    from passel.schedule import Step

_MOST_NAMED = 20
"""The number of failures that one note names."""


class Recipe(NamedTuple):
    """The contents of a reproducer: IR, and a pipeline to run on the IR.

    Attributes:
        ir: The text of the IR.
        pipeline: The text of the pipeline.
        steps: The passes of the pipeline.
    """

    ir: str
    pipeline: str
    steps: Sequence[PassStep]


class _Frame(NamedTuple):
    """A pass on an op that is running or has failed.

    Attributes:
        titles: The pass on its op, after the passes that run its pipeline, outermost first.
        recipe: The IR before the pass, and a pipeline of only the pass; None if not recorded.
        failure: The failure of the pass.
        inner: The first pass in its dynamic pipelines that failed; None if none did.
    """

    titles: Sequence[str] = ()
    recipe: Recipe | None = None
    failure: Failure | None = None
    inner: _Frame | None = None


class CrashReproducer(PassInstrumentation):
    """An instrumentation that writes a reproducer when a run fails.

    The reproducer contains the IR before the run and the whole pipeline. During a run, the
    reproducer is stored in the file `<path>.running`, which remains if the process is killed. If
    the run fails, the reproducer is written to `path`. A successful run leaves an existing file at
    `path` unchanged. The raised error has a note that names the failed passes, the file and the
    replay command.

    Args:
        path: The path of the reproducer.
        local: Whether the reproducer contains only the first pass that failed and the IR before
            this pass. If true, the run prints the whole IR before each pass on each op, and starts
            no worker processes.
        threading: Whether a replay may run passes in parallel.
        replay: The program and the flags of the replay command, to which the name of the file is
            added; by default, a passel-opt command. Flags that are needed to read the file are also
            added if the program takes them, which `--run-reproducer` among the flags shows. Flags
            that load passes or dialects are not added.

    Attributes:
        reproducer: The path of the reproducer; None if the run succeeded, or if the reproducer
            could not be written.
        running: The path of the file `<path>.running` during a run; otherwise None.

    Raises:
        OSError: If the file cannot be written.
        TypeError: If `replay` is a text.
        ValueError: If the path is not valid.

    Example:
        >>> import tempfile
        >>> from passel import PassFailedError, PassManager
        >>> from passel.testing import ToyAdapter, parse_toy
        >>> def refuse(op, pass_):
        ...     pass_.signal_pass_failure()
        >>> pm = PassManager("toy.module", adapter=ToyAdapter()).add(refuse)
        >>> file = f"{tempfile.mkdtemp()}/repro"
        >>> pm.add_instrumentation(CrashReproducer(file))
        >>> try:
        ...     pm.run(parse_toy("toy.module()"))
        ... except PassFailedError as error:
        ...     print(error.reproducer.read_text().splitlines()[5].strip())
        pipeline: "toy.module(unknown<refuse>)",

    Source: `mlir::PassManager::enableCrashReproducerGeneration`, MLIR 22.
    """

    running: Path | None = None

    def __init__(
        self,
        path: str | Path,
        *,
        local: bool = False,
        threading: bool = True,
        replay: Sequence[str] = (),
    ) -> None:
        check_writable(path)
        if isinstance(replay, str):
            raise TypeError(f"replay takes the words of a command, like ['my-opt'], not {replay!r}")
        self.path = path
        self.local = local
        self.threading = threading
        self.replay = replay

    def split(self) -> PassInstrumentation | None:
        """Return an instrumentation that does nothing, or None if `local` is set.

        A worker has nothing to do, since the outcome of the run contains the failures of workers.
        """
        return None if self.local else PassInstrumentation()

    def before_run(self, run: ObservedRun) -> None:
        """Write the reproducer of the whole run to `<path>.running`."""
        self.reproducer = None
        self._target = lasting(self.path)
        self._stack = [_Frame()]
        anchor, node = run.adapter.kind_of(run.op).name, run.pipeline.to_node(all_options=True)
        pipeline = f"{anchor}({', '.join(map(str, node.elements))})"
        self._whole = self._recipe(pipeline, [*passes_of(run.pipeline)])
        self._prepare(self._whole)

    def before_pass(self, step: Step, op: Any) -> None:
        """Write a reproducer of only this pass to `<path>.running`, if `local` is set."""
        if isinstance(step, PassStep):
            recipe = self._local_recipe(step, op) if self.local else None
            self._prepare(recipe)
            title = f"`{step.display_name}` on {self.run.identity_of(op).title}"
            self._stack.append(_Frame([*self._stack[-1].titles, title], recipe))

    def after_pass(self, step: Step, op: Any) -> None:
        """Restore the reproducer of the enclosing pass, if `local` is set.

        The enclosing pass is the pass that ran this pass in a dynamic pipeline.
        """
        self.after_pass_failed(step, op, None)

    def after_pass_failed(self, step: Step, op: Any, failure: Failure | None) -> None:
        """Store the failure, and restore the reproducer as in `after_pass`."""
        if not isinstance(step, PassStep):
            return
        ended, outer = self._stack.pop(), self._stack[-1]
        self._prepare(outer.recipe)
        if failure is not None and outer.inner is None:
            # A pass that fails because of a pipeline that it ran is not to blame.
            caused = ended.inner if failure.kind in {"failed", "interrupted"} else None
            self._stack[-1] = outer._replace(inner=caused or ended._replace(failure=failure))

    def after_run(self, run: ObservedRun, *, failed: bool) -> None:
        """Write and report the reproducer if the run failed, and remove `<path>.running`."""
        try:
            if failed:
                self._report(run)
        finally:
            if self.running is not None:
                self.running.unlink(missing_ok=True)
                self.running = None

    # -- Recording --------------------------------------------------------------------------

    def _recipe(self, pipeline: str, steps: Sequence[PassStep]) -> Recipe | None:
        """Return the current IR with a pipeline; None if the IR cannot be printed."""
        run, adapter = self.run, self.run.adapter
        try:
            return Recipe(adapter.print_source(run.op, run.ir_context), pipeline, steps)
        except Exception as error:  # noqa: BLE001 - whatever a printer raises must not hide the failure
            self._problem = f"failed to print the IR: {brief(error)}"
            return None

    def _local_recipe(self, step: PassStep, op: Any) -> Recipe | None:
        adapter, nodes = self.run.adapter, tuple(nodes_of([step], all_options=True))
        for each in outwards(adapter, op):
            kind = adapter.kind_of(each)
            if each != op and not kind.isolated:
                break  # no pipeline runs on ops inside it
            nodes = (PipelineNode(kind.name, nodes),)
            if each == self.run.op:
                return self._recipe(str(nodes[0]), [step])
        return None

    def _prepare(self, recipe: Recipe | None) -> None:
        """Write a reproducer next to the target: a process that crashes can no longer write."""
        if recipe is not None and not is_special(self._target):
            with suppress(OSError, ValueError):  # reported if the target cannot be written either
                self.running = self.running or _reserved(self._target)
                write_whole(self.running, self._text(recipe))

    def _text(self, recipe: Recipe) -> str:
        return reproducer_text(
            *recipe[:2], disable_threading=not self.threading, verify_each=self.run.verifies
        )

    # -- Reporting --------------------------------------------------------------------------

    def _report(self, run: ObservedRun) -> None:
        first, failures = self._stack[0].inner or _Frame(), run.outcome.failures
        message = "Failures have been detected while processing an MLIR pass pipeline"
        error = op_diagnostic(run.adapter, Severity.ERROR, message, run.op)
        error.print_op = None
        # No hook has seen a failure in a worker, or one before all passes.
        if blamed := first.failure or next(iter(failures), None):
            error.location = blamed.location
        names = {step.path: step.display_name for step in passes_of(run.pipeline)}
        titles = [*first.titles]
        for each in failures:
            op = OpIdentity(each.op_name, each.symbol)
            titles.append(f"`{names.get(each.path, each.pass_text)}` on {op.title}")
        executing = ""  # between passes
        if titles:
            everything = f"[{listed([*dict.fromkeys(titles)], _MOST_NAMED)}]"
            executing = f" while executing {first.titles[-1] if first.recipe else everything}"
        error.attach_note(f"Pipeline failed{executing}: {self._outcome(first.recipe)}")
        run.conclude(error)

    def _outcome(self, local: Recipe | None) -> str:
        """Write the reproducer; return its path and the replay command, or the problem."""
        run, recipe = self.run, local or self._whole
        if recipe is None:
            return self._problem
        with suppress(Exception):  # the exact form remains
            readable = run.adapter.readable_source(recipe.ir, run.ir_context)
            recipe = recipe._replace(ir=readable)
        title = str(self.path)
        try:
            write_whole(self._target, self._text(recipe))
        except (OSError, ValueError) as error:
            if self.running is None or not self.running.stat().st_size:
                return (
                    "failed to create output stream: Failed to create reproducer stream: "
                    f"cannot open output file '{title}': {file_problem(error)}"
                )
            self.running.replace(os.path.realpath(self._target))
        self.reproducer = self._target
        if why := _unnamed(_passes_of(recipe.steps)):
            how = f"the run cannot be replayed: {why}"
        elif command := replay_command(run, recipe.steps, self.replay):
            how = f"to replay: {shlex.join([*command, title])}"
        else:
            reads = f"passel-opt cannot read '{run.adapter.name}' IR"
            how = f"to replay, use `passel.load_reproducer`: {reads}"
        return f"reproducer generated at `{title}`\n{how}"


def _reserved(target: Path) -> Path:
    """Create a new empty file next to another; an existing one belongs to another run."""
    base = Path(os.path.realpath(target))
    for number in count():
        path = base.with_name(f"{base.name}{f'.{number}' * bool(number)}.running")
        with suppress(FileExistsError):
            path.touch(exist_ok=False)
            return path
    raise AssertionError  # there is always another number


_ALLOW = "--allow-effects="
_REPLAYS = "--run-reproducer"
_COMMAND = ("passel-opt", _REPLAYS)


def replay_command(
    run: ObservedRun, steps: Iterable[PassStep], command: Sequence[str] = ()
) -> Sequence[str]:
    """Return the command that runs the passes of a run on a file, with all required flags.

    Args:
        run: The run.
        steps: The passes of the run.
        command: The command to which the required flags are added; by default, a passel-opt
            command.

    Returns:
        The words of the command before the name of the file. If no command can run the passes, an
        empty sequence.
    """
    passes, name = _passes_of(steps), installed_name(run.adapter)
    if _unnamed(passes) or not (command or name):
        return ()
    if command and _REPLAYS not in command:  # not a tool like passel-opt
        return command
    # A command that a tool gives names the IR, or the tool supports only one.
    known = {word.partition("=")[0] for word in (*command, "--ir")} if command else set[str]()
    reading = run.adapter.reading_flags(run.op, run.ir_context)
    more = [each for each in (*reading, *run.flags) if each.partition("=")[0] not in known]
    return allowing([*(command or _COMMAND), *more], passes)


def allowing(command: Sequence[str], passes: Iterable[Pass[Any, Any]]) -> Sequence[str]:
    """Extend a replay command with the flag that allows the effects of the passes."""
    effects = {effect for each in passes for effect in each.own_effects()}
    if not effects:
        return command
    rest = [word for word in command if not word.startswith(_ALLOW)]
    for word in {*command} - {*rest}:
        effects.update(word.removeprefix(_ALLOW).split(","))
    return [*rest, f"{_ALLOW}{','.join(sorted(effects))}"]


def _unnamed(passes: Iterable[Pass[Any, Any]]) -> str:
    """Return why a pipeline in a file cannot name the passes; empty if it can."""
    for each in passes:
        if isinstance(each, CallablePass) or not each.name:
            return f"pass {each.display_name} is not a class with a name"
    return ""


def _passes_of(steps: Iterable[PassStep]) -> list[Pass[Any, Any]]:
    return list(dict.fromkeys(each for s in steps for each, _ in walk(s.pass_)))

"""passel-reduce: shrink a failing test case.

Usage: passel-reduce [<file>|-] [flags]

Examples:
  passel-reduce in.mlir -p 'builtin.module(func.func(cse,my-pass),symbol-dce)' -o small.mlir
  passel-reduce repro.mlir -j 4                       (a reproducer of passel-opt or mlir-opt)
  passel-reduce in.mlir --load-pass-plugin=my_pass.py --my-pass
  passel-reduce in.mlir --load-pass-plugin=my_pass.py --my-pass --computes-else=@main
  passel-reduce in.mlir --ir=mlir --interesting='./test.sh {}'

The pipeline must fail on the input: a pass raises an error, produces invalid IR, or crashes the
process. The result fails in the same pass as the input, with the same kind of error and a similar
message. The result is a reproducer for passel-opt --run-reproducer.

With --interesting=<command>, the result is the smallest case for which the command exits with 0. In
the command, {} stands for the name of a file that contains the IR in generic form. If the command
has no {}, the name is appended. If there is a pipeline, the file is a reproducer, which contains
the pipeline and the IR. The command runs in the current directory. First, the command runs on the
input twice, and must exit with 0 both times. Cases with invalid IR are not tried.

With --computes-else, the result is the smallest case in which functions return, write or print
different results after the pipeline than before the pipeline. See passel-bisect --help.

After Ctrl-C, the result is the smallest case that was found so far.

Passes can also be given as flags, as for passel-opt. See passel-opt --help.
"""

from __future__ import annotations

import shlex
import sys
import time
from typing import TYPE_CHECKING

from passel.execution.strategies import processors
from passel.frontend import UnreadableError, UsageError
from passel.frontend.generic_form import GenericSyntaxError
from passel.instruments.reproducer import allowing
from passel.ir import InvalidIR, PrintFlags
from passel.ir.adapters import crossing_with
from passel.passes.reachable import walk
from passel.record import Record
from passel.search import Case, Reducer, SameFailure, SearchError, Subject, Trials, Verdict
from passel.search.children import Died, in_child
from passel.search.oracle import Command, ComputesElse
from passel.search.starting import failure_of, narrowed, printed, run_to_search
from passel.tool.irs import note_dialect_hint
from passel.tool.output import Output, Renderer, refuse_overwriting_record
from passel.tool.pipelines import PipelineFactory
from passel.tool.programs import SearchFlags, SearchProgram, as_recorded, run_program
from passel.tool.replay import Replay
from passel.tool.sources import read_sources, starts_record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passel.diagnostics import Diagnostic
    from passel.frontend import SourcePart
    from passel.search import Oracle
    from passel.search.children import Scratch
    from passel.tool.flags import Settings
    from passel.tool.irs import IRChoice

PROGRAM = SearchProgram(__doc__, SearchFlags, lambda each: each.searched)


def main(argv: Sequence[str] | None = None) -> int:
    """Run passel-reduce.

    Args:
        argv: The command-line arguments; by default `sys.argv[1:]`.

    Returns:
        The exit code: 0 if the result was written, 130 after Ctrl-C, otherwise 1.
    """
    return run_program(PROGRAM, argv, _run)


def _run(settings: Settings) -> int:
    if settings.input != "-" and starts_record(settings.input):
        record = Record.open(settings.input)
        refuse_overwriting_record(settings.input, settings.o)
        settings = as_recorded(settings, record, run_to_search(record))
    with crossing_with(settings.choice.adapter_across):
        frontend, pipelines = settings.configured_frontend(), PipelineFactory(settings)
        renderer = Renderer(settings, byte_columns=frontend.byte_columns)
        flags = SearchFlags(settings.line)
        subject = Subject(
            frontend,
            pipelines.parse,
            verifies=not settings.disable_verify,
            timeout=None if flags.interesting or flags.computes_else else flags.timeout,
        )
        try:
            (source,) = read_sources(settings, frontend, renderer)
            case = _read_case(subject, source, pipelines, settings.choice)
        except UnreadableError as error:
            for diagnostic in error.diagnostics:
                renderer(diagnostic)
            return 1
        subject.load(case)
        with Output(settings.o) as output:
            return _reduce(settings, subject, case, output)


def _read_case(
    subject: Subject, source: SourcePart, pipelines: PipelineFactory, ir: IRChoice
) -> Case:
    """Return the input as a case, read in a child process.

    Raises:
        UnreadableError: If the input is not valid IR.
        PasselError: If the pipeline is invalid, or the input crashes the parser.
    """
    from passel.instruments.reproducer_file import read_reproducer

    adapter = subject.frontend.adapter

    def read(_: Scratch) -> Case | Sequence[Diagnostic]:
        try:
            parsed, context = subject.parse(source)
            recorded = read_reproducer(parsed.resources, source)
            manager = pipelines.make(adapter.kind_of(parsed.op), context, adapter, recorded)
        except UnreadableError as error:
            return error.diagnostics
        except InvalidIR as error:
            raise SearchError(f"the input is not valid: {error.message}") from None
        verify_each = recorded is None or recorded.verify_each is not False
        ir = adapter.print_op(parsed.op, PrintFlags(generic=True, local_scope=True))
        return Case(ir, str(manager) if len(manager) else "", verify_each)

    result = in_child(read)
    if isinstance(result, Died):
        raise SearchError(f"the input crashes the parser: {result.cause}")
    if not isinstance(result, Case):
        for diagnostic in result:
            note_dialect_hint(diagnostic, source, ir)
        raise UnreadableError(result)
    return result


def _oracle(settings: Settings, subject: Subject, case: Case) -> Oracle:
    """Return the oracle that the flags select.

    Raises:
        UsageError: If the flags select several oracles, or there is no pipeline.
        SearchError: If the case does not fail.
    """
    flags = SearchFlags(settings.line)
    flags.check_oracle()
    if flags.interesting:
        return Command(flags.interesting, subject, timeout=flags.timeout)
    if not case.pipeline:
        raise UsageError(
            "there is nothing to run: give a pipeline with -p, passes as flags, or a "
            "reproducer; or specify what is interesting with --interesting=<command>"
        )
    if flags.computes_else:
        return ComputesElse(subject, None, *flags.computes_else, timeout=flags.timeout)
    failure = failure_of(subject, case)
    if failure is None:
        raise SearchError(
            f"'{case.pipeline}' does not fail on the input; to search for something else, use "
            "--computes-else or --interesting=<command>"
        )
    return SameFailure(subject, failure)


def _reduce(settings: Settings, subject: Subject, case: Case, output: Output) -> int:
    started = time.monotonic()
    oracle = _oracle(settings, subject, case)
    jobs = settings.jobs if settings.threading else 1
    jobs = processors() if jobs in (None, "auto") else jobs
    trials = Trials(oracle, jobs=jobs)
    try:
        reducer = Reducer(case, trials)
    except GenericSyntaxError as error:
        raise SearchError(
            f"IR '{subject.frontend.adapter.name}' does not print MLIR's generic form, which "
            f"passel-reduce edits ({error}); in Python, reduce its ops with passel.search.ddmin"
        ) from None
    _check(case, oracle, trials)
    before = reducer.size
    code = 0
    try:
        if isinstance(oracle, SameFailure) and (smaller := narrowed(subject, case)):
            reducer.offer([smaller])
        reducer.run()
        _make_readable(subject, reducer, trials)
    except KeyboardInterrupt as error:
        code = 128 + getattr(error, "signal", 2)
    output.write(reducer.best.text())
    output.commit()
    size = reducer.size
    lines = [] if not isinstance(oracle, SameFailure) else [f"kept: {oracle.identity}"]
    if code:
        lines.append("interrupted: this is the smallest case so far")
    passes = f"{before.passes} -> {size.passes} passes, " if before.passes else ""
    lines.append(
        f"{passes}{before.ops} -> {size.ops} ops, {trials.calls} checks, "
        f"{trials.invalid} invalid cases, {time.monotonic() - started:.1f} s"
    )
    if reducer.best.pipeline:
        manager = subject.make_manager(reducer.best.pipeline, subject.frontend.new_context())
        passes_run = [each for each, _ in walk(manager)]
        replay = allowing(Replay(settings).command("passel-opt"), passes_run)
        file = "FILE" if settings.o == "-" else settings.o
        lines.append(f"to replay: {shlex.join([*replay, file])}")
    for line in lines:
        print(f"{PROGRAM.name}: {line}", file=sys.stderr)
    return code


def _check(case: Case, oracle: Oracle, trials: Trials) -> None:
    """Check twice that the oracle finds the input interesting.

    Raises:
        SearchError: If the input is not interesting, or the oracle gives different answers.
    """
    verdict, why, _ = trials.check(case)
    if verdict is Verdict.INTERESTING:
        return
    if isinstance(oracle, SameFailure):
        raise SearchError(
            "the failure does not recur when the input is printed in generic form, without "
            f"locations, and parsed again: {oracle.identity}"
        )
    if verdict is Verdict.INVALID:
        why = why or "the generic form is not valid; try --disable-verify"
        raise SearchError(f"the input cannot be checked: {why}")
    raise SearchError(f"the input in generic form is not interesting: {why}")


def _make_readable(subject: Subject, reducer: Reducer, trials: Trials) -> None:
    """Print the best case in custom form if the case remains interesting."""
    text = printed(subject, reducer.best.ir, PrintFlags(local_scope=True))
    if text is not None:
        case: Case = reducer.best._replace(ir=text)
        if trials.first([case]) == 0:
            reducer.best = case

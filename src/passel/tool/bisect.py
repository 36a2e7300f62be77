"""passel-bisect: find the pass that broke the IR.

Usage: passel-bisect <record> [flags]

Examples:
  passel-bisect run.passel                                   (a run that failed)
  passel-bisect run.passel --invalid
  passel-bisect run.passel --computes-else=@main --inside
  passel-bisect run.passel --interesting='./test.sh {}' -o before.mlir

The input is a record, which passel-opt --record=run.passel writes. The program finds the execution
of a pass that makes the IR interesting. The search tests recorded states of the IR, without running
passes again. The first and the last state are tested twice. IR is interesting

* with --interesting=<command>, if the command exits with 0. In the command, {} stands for the name
  of a file that contains the IR in generic form. If the command has no {}, the name is appended;
* with --invalid, if the IR does not verify;
* with --computes-else, if functions return, write or print different results than before the run.
  xDSL's interpreter runs the functions on the given arguments, or on random arguments that are the
  same for each state;
* by default, if the pass that failed in the run fails on the IR in the same way. The program then
  finds the pass that causes the failure, among the passes before the failed pass.

With --inside, the program runs the found pass again, on the same op alone, to find the rewrite that
makes the IR interesting (only on xDSL's IR). With -o, the program writes a reproducer that contains
the pass and the IR before the pass.

A state is skipped if the interpreter does not support an op, or if the command exits with 125, as
for git bisect. If the interpreter cannot run a function in the first state within the time limit,
the program reports and skips the function. The command does not run in a shell; for a pipe, write
sh -c '...'.

The program prints the result to standard output and everything else to standard error.
"""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING

from passel.frontend import UsageError
from passel.ir.adapters import crossing_with
from passel.record import Record
from passel.search import Case, SameFailure, SearchError, Subject, Trials
from passel.search.bisecting import Bisection, guilty_rewrite, title
from passel.search.oracle import Command, ComputesElse, NotValid
from passel.search.starting import failure_of, first_failed, pipeline_of, readable, run_to_search
from passel.tool.command_line import flag, number_of
from passel.tool.output import put, refuse_overwriting_record
from passel.tool.pipelines import PipelineFactory
from passel.tool.programs import SearchFlags, SearchProgram, as_recorded, run_program
from passel.tool.replay import Replay

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passel.record import Execution, RunInfo
    from passel.search import Oracle
    from passel.tool.flags import Settings


class _Flags(SearchFlags):
    """Search."""

    invalid: bool = flag("find the pass that makes the IR invalid")
    inside: bool = flag("also find the rewrite, inside the pass, that makes the IR interesting")
    run: int | None = flag(
        "search run number <n> of the record (default: the first that failed)",
        "<n>",
        parse=number_of,
    )


PROGRAM = SearchProgram(
    __doc__, _Flags, lambda each: each.searched and (each.replayed or each.name in ("o", "color"))
)


def main(argv: Sequence[str] | None = None) -> int:
    """Run passel-bisect.

    Args:
        argv: The command-line arguments; by default `sys.argv[1:]`.

    Returns:
        The exit code: 0 if the search found the pass, otherwise 1.
    """
    return run_program(PROGRAM, argv, _run)


def _run(settings: Settings) -> int:
    if settings.input == "-":
        raise UsageError("expected a record: write one with passel-opt --record=<file>")
    if settings.line.passes:
        name = settings.line.passes[0].name
        raise UsageError(f"'--{name}': passel-bisect searches a recorded run, and takes no passes")
    record, flags = Record.open(settings.input), _Flags(settings.line)
    last = len(record.info.runs) - 1
    if flags.run is not None and flags.run > last:
        raise UsageError(f"'--run={flags.run}': the record has no such run; its last run is {last}")
    run = run_to_search(record) if flags.run is None else record.info.runs[flags.run]
    refuse_overwriting_record(settings.input, settings.o)
    replay = () if settings.load_pass_plugin else run.replay  # a plugin may have moved
    settings = as_recorded(settings, record, run)
    replay = replay or Replay(settings).command("passel-opt")
    with crossing_with(settings.choice.adapter_across):
        _bisect(record, run, settings, flags)
    if settings.o != "-":
        _say(f"to replay: {shlex.join([*replay, settings.o])}")
    return 0


def _bisect(record: Record, run: RunInfo, settings: Settings, flags: _Flags) -> None:
    """Find the execution, print it, and write the IR before it to the output file."""
    frontend, pipelines = settings.configured_frontend(), PipelineFactory(settings)
    verifies = (False, flags.invalid or not settings.disable_verify)
    subject, strict = (
        Subject(frontend, pipelines.parse, verifies=v, timeout=flags.timeout) for v in verifies
    )
    trials = Trials(_oracle(record, run, flags, subject, strict))
    culprit = Bisection(record, trials, run=run.number, say=_say).find()
    found = culprit.execution
    print(f"{title(found)}  [{found.path}]")
    for other in culprit.others:
        print(f"or {title(other)}  [{other.path}], since the IR after this pass cannot be checked")
    _tell_run_inside(record, found)
    if flags.inside:
        match guilty_rewrite(subject, trials, culprit):
            case None:
                print(
                    "the pass does not make the IR interesting when it runs again on its op alone: "
                    "the pass has changed since the run, or depends on IR outside its op"
                )
            case 0, _:
                print("the pass makes no rewrites that can be counted")
            case number, rewrites:
                print(f"rewrite {number} of {len(rewrites)}: {rewrites[number - 1]}")
    if flags.computes_else:
        _say(culprit.answer.why)
    symbol = [f"--op=@{found.symbol}"] if found.symbol else []
    _say(f"{trials.calls} checks")
    words = ["passel-report", settings.input, f"--step={found.path}", *symbol, "--diff"]
    _say(f"to see the change: {shlex.join(words)}")
    if settings.o != "-":
        put(Case(readable(subject, culprit.before), pipeline_of(found)).text(), settings.o)


def _oracle(
    record: Record, run: RunInfo, flags: _Flags, subject: Subject, strict: Subject
) -> Oracle:
    """Return the oracle that the flags select.

    Args:
        record: The record.
        run: The run.
        flags: The flags of this program.
        subject: The subject that parses and runs IR, even if the IR is invalid.
        strict: The subject that rejects invalid IR.

    Raises:
        UsageError: If the flags select several oracles.
        SearchError: If neither the flags nor the record select an oracle.
    """
    flags.check_oracle()
    if flags.interesting:
        return Command(flags.interesting, timeout=flags.timeout)
    if flags.invalid:
        return NotValid(strict)
    if not flags.computes_else:
        return _failure_oracle(record, run, strict)
    if run.before is None:
        raise SearchError("the record does not contain the IR before the run")
    first = record.text(run.before)
    oracle = ComputesElse(subject, first, *flags.computes_else, timeout=flags.timeout)
    if oracle.left_out:
        _say(f"BISECT: functions that cannot run: {oracle.left_out}")
    return oracle


def _failure_oracle(record: Record, run: RunInfo, strict: Subject) -> Oracle:
    """Return the oracle for IR on which the first failed pass fails."""
    first = first_failed(record, run.number)
    if first is None and run.failures:
        failure = run.failures[0]
        raise SearchError(
            f"the record does not contain the pass that failed on {failure.where}: "
            f"{failure.diagnostic.message}; record the run with -j1, or use --interesting=<command>"
        )
    if first is None:
        raise SearchError(
            "the run did not fail: specify what is interesting with --interesting=<command>, "
            "--invalid or --computes-else"
        )
    if first.status == "running":
        _say(f"the process died in {title(first)}")
    _tell_run_inside(record, first)
    if first.failure is not None and first.failure.kind == "invalid":
        return NotValid(strict)
    text = record.state_before(first)
    if text is None:
        raise SearchError(f"the IR before {title(first)} is not in the record")
    case = Case(text, pipeline_of(first))
    identity = failure_of(strict, case)
    if identity is None:
        raise SearchError(f"{title(first)} does not fail again on the IR in the record")
    return SameFailure(strict, identity, first, case.pipeline)


def _tell_run_inside(record: Record, execution: Execution) -> None:
    """Print the nested run of passes for another IR, if the execution has one."""
    for run in record.info.runs:
        inner = (step.path.startswith(f"{execution.path}/") for step in run.steps)
        if run.outer == execution.run and any(inner):
            name, number = execution.pass_name, run.number
            _say(f"'{name}' ran passes on '{run.ir}': to search them, add --run={number}")


def _say(text: str) -> None:
    print(text, file=sys.stderr)

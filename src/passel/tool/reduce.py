"""passel-reduce: make a failing case small.

Usage: passel-reduce [<file>|-] [flags]

Examples:
  passel-reduce in.mlir -p 'builtin.module(func.func(cse,my-pass),symbol-dce)' -o small.mlir
  passel-reduce repro.mlir -j 4                       (a reproducer of passel-opt or mlir-opt)
  passel-reduce in.mlir --load-pass-plugin=my_pass.py --my-pass
  passel-reduce in.mlir --load-pass-plugin=my_pass.py --my-pass --computes-else=@main
  passel-reduce in.mlir --ir=mlir --interesting='./test.sh {}'

The pipeline fails on the input: a pass raises an error, leaves invalid IR behind, or crashes the
process. The result fails in the same way: in the same pass, by the same kind of error, with a
message that begins alike. It is a reproducer, which passel-opt --run-reproducer replays.

With --interesting=<command>, the result is the smallest for which the command exits with 0. The
command gets a file in place of {}, or as its last argument: the IR in generic form, followed by the
pipeline, if one is given, as a reproducer. It is run in this directory, twice on the input first:
it has to say both times that it is interesting. Cases that are not valid IR are not tried.

With --computes-else, functions compute something else after the pipeline than before, as for
passel-bisect.

Ctrl-C ends the search, and leaves the smallest case until then.

Passes are flags too, as for passel-opt: see passel-opt --help.
"""

from __future__ import annotations

import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from passel.instruments.reproducer import allowing
from passel.ir import PrintFlags, crossing_with
from passel.passes.reachable import walk
from passel.search import Case, Reducer, SameFailure, SearchError, Trials, Verdict
from passel.search.starting import narrowed, printed
from passel.tool.output import Output
from passel.tool.searching import SearchFlags, read_search, run_search, search_program

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from passel.search import Oracle
    from passel.tool.searching import SearchInput
    from passel.tool.settings import Settings


PROGRAM = search_program(__doc__, SearchFlags, lambda each: each.searched)


def main(argv: Sequence[str] | None = None) -> int:
    """Run passel-reduce.

    Args:
        argv: The arguments without the program's name; by default those of the process.

    Returns:
        The exit code: 0 if the result was written, 1 if there is nothing to reduce, or the input
        or the command line is wrong, 130 after Ctrl-C.
    """
    return run_search(PROGRAM, argv, _run)


def _run(settings: Settings) -> int:
    with crossing_with(settings.choice.adapter_across):
        search = read_search(settings)
        if search is None:
            return 1
        output = Output(settings.o)
        try:
            return _reduce(search, output)
        finally:
            output.close()


def _reduce(search: SearchInput, output: Output) -> int:
    started = time.monotonic()
    oracle = search.oracle()
    with _progress() as show:
        trials = Trials(oracle, jobs=search.jobs, on_call=lambda: show(f"{trials.calls} calls"))
        _check(search, oracle, trials)
        reducer = Reducer(search.case, trials, show)
        before = reducer.size
        code = 0
        try:
            if isinstance(oracle, SameFailure) and (case := narrowed(search.subject, search.case)):
                reducer.offer([case])
            reducer.run()
            _make_readable(search, reducer, trials)
        except KeyboardInterrupt as error:
            code = 128 + getattr(error, "signal", 2)
    output.write(reducer.best.text())
    output.commit()
    size = reducer.size
    lines = [] if not isinstance(oracle, SameFailure) else [f"kept: {oracle.identity}"]
    if code:
        lines.append("interrupted: this is the smallest case until then")
    passes = f"{before.passes} -> {size.passes} passes, " if before.passes else ""
    lines.append(
        f"{passes}{before.ops} -> {size.ops} ops, {trials.calls} calls of the oracle, "
        f"{trials.invalid} invalid cases, {time.monotonic() - started:.1f} s"
    )
    if reducer.best.pipeline:
        name = "FILE" if search.settings.o == "-" else search.settings.o
        context = search.subject.frontend.new_context()
        manager = search.subject.manager(reducer.best.pipeline, context)
        replay = allowing(search.replay, [each.pass_ for each in walk(manager)])
        lines.append(f"to replay: {replay.replace('{file}', name)}")
    for line in lines:
        print(f"{PROGRAM.name}: {line}", file=sys.stderr)
    return code


def _check(search: SearchInput, oracle: Oracle, trials: Trials) -> None:
    """Check that the oracle finds the input interesting, twice.

    Raises:
        SearchError: It does not, or contradicts itself.
    """
    verdict = trials.check(search.case)
    if verdict is Verdict.INTERESTING:
        return
    if isinstance(oracle, SameFailure):
        raise SearchError(
            "the failure does not come back when the input is printed in generic form, without "
            f"locations, and read again: {oracle.identity}"
        )
    why = trials.why(search.case)
    if verdict is Verdict.INVALID:
        if why:
            raise SearchError(f"the input cannot be asked about: {why}")
        raise SearchError("the input is not valid, in generic form: try --disable-verify")
    raise SearchError(f"the input, in generic form, is not interesting: {why}")


def _make_readable(search: SearchInput, reducer: Reducer, trials: Trials) -> None:
    """Write the best case as people write IR, if it is interesting like that."""
    text = printed(search.subject, reducer.best.ir, PrintFlags(local_scope=True))
    if text is not None:
        case: Case = reducer.best._replace(ir=text)
        if trials.first([case]) == 0:
            reducer.best = case


@contextmanager
def _progress() -> Generator[Callable[[str], object]]:
    """Yield what shows a text on the terminal, if there is one.

    Drawn when something happens, and by no thread, which a forked process would lack.
    """
    from passel.instruments.progress import StatusLine, has_status_line

    if not has_status_line():
        yield lambda _: None
        return
    line = StatusLine(sys.stderr)
    try:
        yield line.draw
    finally:
        line.hide()

"""`passel-opt` against `xdsl-opt` on each of xDSL's own tests that has more than 50 ops.

Both run in this process, in turns, from the command line to the written file; what importing takes
is for `bench_tool` to say. The target is that no file takes passel-opt longer. Takes minutes.
"""

from __future__ import annotations

import gc
import sys
import tempfile
import warnings
from contextlib import redirect_stderr, redirect_stdout
from importlib.metadata import distribution
from io import StringIO
from pathlib import Path
from statistics import median, quantiles
from time import process_time
from typing import TYPE_CHECKING, NamedTuple

from measuring import wants_quick
from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.parser import Parser
from xdsl.xdsl_opt_main import xDSLOptMain

from passel.tool import main as passel_opt

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_CORPUS = Path(str(distribution("xdsl").locate_file("tests/filecheck")))
_MIN_OPS = 50
_SPLIT = "// -----"
_PIPELINES = ("", "canonicalize,cse")
_SHOWN = 12


class _Result(NamedTuple):
    """What a file took.

    Attributes:
        ratio: passel-opt's time by xdsl-opt's.
        milliseconds: passel-opt's time.
        ops: How many ops the file has.
        name: Its name.
    """

    ratio: float
    milliseconds: float
    ops: int
    name: str


def xdsl_opt(words: list[str]) -> bool:
    """Run xdsl-opt, and return whether it succeeded."""
    xDSLOptMain(args=words).run()
    return True


def passel(words: list[str]) -> bool:
    """Run passel-opt, and return whether it succeeded."""
    return passel_opt(words) == 0


_TOOLS = (xdsl_opt, passel)


def large_files() -> Iterator[tuple[Path, int]]:
    """Yield the files that xDSL's parser reads, with their number of ops."""
    base = Context(allow_unregistered=True)
    for name, factory in get_all_dialects().items():
        base.register_dialect(name, factory)
    for file in sorted(_CORPUS.rglob("*.mlir")):
        ops = 0
        try:
            for chunk in file.read_text(encoding="utf-8").split(_SPLIT):
                ops += sum(1 for _ in Parser(base.clone(), chunk).parse_module().walk())
        except Exception:  # noqa: BLE001, S112 - there are tests of errors
            continue
        if ops > _MIN_OPS:
            yield file, ops


def take(tool: Callable[[list[str]], bool], words: list[str]) -> float | None:
    """Return the CPU time that a tool takes; None if it fails."""
    gc.collect()
    start = process_time()
    try:
        good = tool(words)
    except (Exception, SystemExit):  # noqa: BLE001 - whatever xdsl-opt raises
        good = False
    seconds = process_time() - start
    gc.unfreeze()
    return seconds if good else None


def compare_on(file: Path, ops: int, pipeline: str, rounds: int, output: Path) -> _Result | None:
    """Run both tools in turns; return None if one of them fails."""
    words = [str(file), "--split-input-file", "--allow-unregistered-dialect", "-o", str(output)]
    words += ["-p", pipeline] if pipeline else []
    best = [float("inf")] * len(_TOOLS)
    for number in range(rounds + 1):  # the first one does not count
        for which, tool in enumerate(_TOOLS):
            seconds = take(tool, words)
            if seconds is None:
                return None
            if number:
                best[which] = min(best[which], seconds)
    return _Result(best[1] / best[0], 1e3 * best[1], ops, file.relative_to(_CORPUS).as_posix())


def main() -> None:
    """Compare on all files, and print the distribution and the slowest ones."""
    quick = wants_quick()
    files = list(large_files())
    if quick:
        files = files[:3]
    warnings.simplefilter("ignore")
    with tempfile.TemporaryDirectory() as folder:
        for pipeline in _PIPELINES:
            with redirect_stdout(StringIO()), redirect_stderr(StringIO()):
                compared = [
                    compare_on(file, ops, pipeline, 1 if quick else 3, Path(folder, "output.mlir"))
                    for file, ops in files
                ]
            results = sorted(result for result in compared if result)
            if results:
                _show(pipeline or "no pass", results, len(files) - len(results))


def _show(title: str, results: list[_Result], failed: int) -> None:
    ratios = [result.ratio for result in results]
    tenths = quantiles(ratios, n=10) if len(ratios) > 1 else ratios
    slower = sum(ratio > 1 for ratio in ratios)
    print(f"{title}: {len(results)} files of more than {_MIN_OPS} ops ({failed} are refused)")
    print(
        f"  ratio of passel-opt to xdsl-opt, CPU time: median {median(ratios):.2f}, tenths", end=" "
    )
    print(*(f"{ratio:.2f}" for ratio in tenths), f"; {slower} above 1")
    for result in results[:-_SHOWN:-1]:
        print(
            f"  {result.ratio:.2f}  {result.milliseconds:7.1f} ms {result.ops:6} ops  {result.name}"
        )
    sys.stdout.flush()


if __name__ == "__main__":
    main()

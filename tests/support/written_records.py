"""Records that no run has left: of any size, with any text."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

from passel.diagnostics import Diagnostic, Location, Severity
from passel.record import Execution, Record, RecordInfo, RunInfo, StepInfo

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MODULE = "builtin.module"
FUNCTIONS = f"{MODULE}/func.func"


class WrittenRecord(Record):
    """A record of ops that passes have changed.

    Args:
        changes: Path, symbol, text before and text after of each execution.
        message: A diagnostic of each of them.
    """

    def __init__(
        self, changes: Iterable[tuple[str, str, str, str]], message: str | None = None
    ) -> None:
        super().__init__("written")
        self._texts: dict[str, str] = {}
        self._executions: list[Execution] = []
        steps: dict[str, StepInfo] = {}
        for path, symbol, before, after in changes:
            name = path.partition(":")[2]
            steps[path] = StepInfo(path, name, name)
            self._executions.append(self._execution(steps[path], symbol, before, after, message))
        run = RunInfo(
            number=0,
            ir="xdsl",
            version={},
            pipeline=f"{MODULE}(func.func(...))",
            schedule="",
            steps=tuple(steps.values()),
            source="input.mlir",
            replay="",
            before=None,
            after=None,
            outer=None,
            is_complete=True,
            failures=(),
            notes=(),
        )
        self._info = RecordInfo("1", "3", ("passel-opt", "<input>"), "", (run,), True)

    def _execution(
        self, step: StepInfo, symbol: str, before: str, after: str, message: str | None
    ) -> Execution:
        number = len(self._executions)
        for text in (before, after):
            self._texts.setdefault(str(hash(text)), text)
        ordinals = (0, int("".join(filter(str.isdecimal, symbol)) or 0))
        return Execution(
            number=number,
            run=0,
            path=step.path,
            pass_name=step.pass_name,
            title=step.title,
            op_name="func.func",
            symbol=symbol,
            ordinals=ordinals,
            location=Location(),
            status="unchanged" if before == after else "changed",
            own_time=0.001,
            total_time=0.001,
            counts={},
            diagnostics=() if message is None else (Diagnostic(Severity.WARNING, message),),
            before=str(hash(before)),
            after=str(hash(after)),
        )

    @property
    def info(self) -> RecordInfo:
        """Facts about it."""
        return self._info

    @property
    def executions(self) -> Sequence[Execution]:
        """All executions."""
        return self._executions

    @property
    def running(self) -> Sequence[Execution]:
        """No pass has begun that has not ended."""
        return ()

    def text(self, digest: str) -> str:
        """Return a text."""
        return self._texts[digest]

    def all_readable(
        self, digests: Sequence[str], *, run: int = 0, locations: bool = False
    ) -> list[str]:
        """Return texts as they are."""
        return [self._texts[each] for each in digests]


def large_record(functions: int, passes: int) -> Record:
    """Return a record of passes that each change every second function a little."""
    random = Random(24)  # noqa: S311 - the same each time
    texts = {
        f"f{i}": [f"func.func @f{i}(%a : i32) -> i32 {{", *_body(random, 24), "}"]
        for i in range(functions)
    }
    changes: list[tuple[str, str, str, str]] = []
    for number in range(passes):
        for symbol, lines in texts.items():
            before = "\n".join(lines)
            if random.random() < 0.5:
                lines[random.randrange(1, len(lines) - 1)] = _body(random, 1)[0]
            after = "\n".join(lines)
            changes.append((f"{FUNCTIONS}/{number}:pass-{number}", symbol, before, after))
    return WrittenRecord(changes)


def _body(random: Random, size: int) -> list[str]:
    ops = ["arith.addi", "arith.muli", "arith.subi", "arith.maxsi"]
    return [
        f"  %{random.randrange(99)} = {op} %{random.randrange(99)}, %a : i32 "
        f'loc("input.mlir":{random.randrange(9999)}:{random.randrange(40)})'
        for op in random.choices(ops, k=size)
    ]

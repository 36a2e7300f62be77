"""Records that no run has left: of any size, with any text."""

from __future__ import annotations

from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from passel.diagnostics import UNKNOWN, Diagnostic, Severity
from passel.record import Record, StepInfo
from passel.record.model import diagnostic_data
from passel.record.texts import digest_of
from passel.record.writer import RecordedOp, RecordFile

if TYPE_CHECKING:
    from collections.abc import Iterable

MODULE = "builtin.module"
FUNCTIONS = f"{MODULE}/func.func"


def written_record(
    changes: Iterable[tuple[str, str, str, str]], message: str | None = None
) -> Record:
    """Return a record of ops that passes have changed.

    Args:
        changes: Path, symbol, text before and text after of each execution.
        message: A diagnostic of each of them.
    """
    changes = [*changes]
    name_of = {path: path.partition(":")[2] for path, *_ in changes}
    steps = {path: StepInfo(path, name, name) for path, name in name_of.items()}
    texts = dict.fromkeys(("pipeline", "schedule", "source", "replay", "before"), "")
    run: dict[str, Any] = {"ir": "none", "version": {}, "steps": [*steps.values()], **texts}
    said = [] if message is None else [Diagnostic(Severity.WARNING, message)]
    end = {"total": 0.001, "diagnostics": [*map(diagnostic_data, said)]}
    with TemporaryDirectory() as folder:
        file = RecordFile(Path(folder, "record"), ["passel-opt"])
        file.write({"run": run})
        for path, symbol, before, after in changes:
            ordinals = (0, int("".join(filter(str.isdecimal, symbol)) or 0))
            for text in (before, after):
                file.text(digest_of(text), text)
            file.write({"state": ordinals, "after": digest_of(before)})
            op = RecordedOp("func.func", symbol, ordinals, UNKNOWN)
            file.write({"begin": steps[path], "of": op})
            file.write({**end, "after": digest_of(after)})
        file.write({"end": [], "notes": []})
        return Record.open(file.path)


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
    return written_record(changes)


def _body(random: Random, size: int) -> list[str]:
    ops = ["arith.addi", "arith.muli", "arith.subi", "arith.maxsi"]
    return [
        f"  %{random.randrange(99)} = {op} %{random.randrange(99)}, %a : i32 "
        f'loc("input.mlir":{random.randrange(9999)}:{random.randrange(40)})'
        for op in random.choices(ops, k=size)
    ]

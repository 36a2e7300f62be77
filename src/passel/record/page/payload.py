"""Collect the data that the HTML page of a record embeds."""

from __future__ import annotations

import json
import re
import shlex
import zlib
from base64 import b64encode
from hashlib import sha256
from html import escape
from importlib.resources import files
from itertools import chain, groupby, pairwise
from typing import TYPE_CHECKING, Any

from passel.instruments.ir_diff import difference
from passel.record.model import Execution, diagnostic_data
from passel.record.outline import matched, rows_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from passel.errors import Failure
    from passel.record import Record, RunInfo
    from passel.record.outline import ComparedRow

_MOST_REPLAYS = 20
"""The number of failed executions with a replay command, which takes long to compute."""


def payload(records: Iterable[tuple[str, Record]]) -> tuple[dict[str, Any], list[str]]:
    """Return the data for a page that shows records, and the texts of all recorded IR.

    Args:
        records: Pairs of a name and a record.
    """
    named, texts = list(records), dict[str, str]()
    for _, record in named:
        for run in record.info.runs:
            known = dict.fromkeys(chain(*_states(record, run)))
            digests = [each for each in known if each not in texts]
            found = record.all_readable(digests, run=run.number)
            texts.update(zip(digests, found, strict=True))
    numbers: dict[str | None, int] = {digest: number for number, digest in enumerate(texts)}
    data = [_record(name, record, numbers) for name, record in named]
    outlines = [rows_of(record) for _, record in named]
    rows = list(matched(*([], *outlines)[-2:]))
    found = _following([each for _, each in named], rows)
    changes = [
        (numbers[a], numbers[b], change_data(texts[a].split("\n"), texts[b].split("\n")))
        for a, b in dict.fromkeys(found)
    ]
    return {
        "fields": Execution._fields,
        "records": data,
        "rows": [_row(each, len(named)) for each in rows],
        "changes": changes,
    }, [*texts.values()]


def _row(row: ComparedRow, records: int) -> list[Any]:
    """Return a row, with the numbers of its executions on each op in each record."""
    numbers = [[each and each.number for each in pair[-records:]] for pair in row.pairs()]
    return [row.row.depth, row.row.path, row.row.title, numbers, row.new is None]


def _following(records: Sequence[Record], rows: Iterable[ComparedRow]) -> Iterator[tuple[str, str]]:
    """Yield the digests of consecutive texts of an op, or of a pass's results in two records."""
    for record in records:
        for run in record.info.runs:
            yield from chain(*map(pairwise, _states(record, run)))
    runs = [each.info.top_runs for each in records]
    results = (
        (old.after, new.after) for old, new in (zip(*runs, strict=False) if runs[1:] else ())
    )
    places = ((old and old.after, new and new.after) for row in rows for old, new in row.pairs())
    for one, other in chain(results, places):
        if one and other and one != other:
            yield one, other


def change_data(old: Sequence[str], new: Sequence[str]) -> list[list[int]]:
    """Return the difference between two texts of IR, encoded for the page; see `difference`.

    Returns:
        A list of the blocks. Each block is a list of numbers: the number of equal lines before the
        block, the number of old lines, the number of new lines, and the two line numbers of each
        pair of modified lines. Line numbers are relative to the start of the block.
    """
    blocks, at = list[list[int]](), 0
    for start, end, first, last, pairs in difference(old, new):
        inside = (number for i, j in pairs for number in (i - start, j - first))
        blocks.append([start - at, end - start, last - first, *inside])
        at = end
    return blocks


def _states(record: Record, run: RunInfo) -> Iterable[list[str]]:
    """Return the digests of the texts of each op of a run, without equal ones in a row."""
    by_op: dict[object, list[str | None]] = {}
    for each in record.executions:
        if each.run == run.number:
            by_op.setdefault(each.op_identity, []).extend((each.before, each.after))
    if run.outer is None:
        by_op[None] = [run.before, run.after]
    return ([digest for digest, _ in groupby(filter(None, states))] for states in by_op.values())


def _record(name: str, record: Record, numbers: Mapping[str | None, int]) -> dict[str, Any]:
    runs = record.info.runs
    running = record.running
    failed = [each for each in record.executions if each.status == "failed"]
    known = [each.failure for each in failed]
    return {
        "name": name,
        "facts": _facts(record),
        "parts": _parts(runs),
        "cut": None if record.info.is_complete else [f"{e.path} on {e.op_title}" for e in running],
        "again": record.replay(running[0]) if running else "",
        "replays": {each.number: record.replay(each) for each in failed[:_MOST_REPLAYS]},
        "command": shlex.join(record.info.command_line),
        "notes": [note for run in runs for note in run.notes],
        "lost": [_failure(each) for run in runs for each in run.failures if each not in known],
        "whole": [
            [numbers.get(run.before), numbers.get(run.after)] for run in record.info.top_runs
        ],
        "executions": [_execution(each, numbers) for each in record.executions],
    }


def _parts(runs: Iterable[RunInfo]) -> list[int]:
    """Return the part of a split input that each run belongs to; zeros if there is only one."""
    parts: list[int] = []
    for run in runs:
        parts.append(max(parts, default=0) + 1 if run.outer is None else parts[run.outer])
    return parts if max(parts, default=0) > 1 else [0] * len(parts)


def _facts(record: Record) -> list[tuple[str, str]]:
    """Return the facts about a record that the page lists."""
    info = record.info
    facts = [("Command", shlex.join(info.command_line)), ("Started", info.started)]
    versions = {"passel": info.passel, "Python": info.python}
    for run in info.runs:
        versions |= run.version
        if run.outer is None:
            facts += [("Input", run.source), ("Pipeline", run.pipeline)]
            facts.append(("As it ran", run.schedule if run.schedule != run.pipeline else ""))
    facts.append(("Versions", ", ".join(f"{name} {version}" for name, version in versions.items())))
    return [fact for fact in dict.fromkeys(facts) if fact[1]]


def _execution(each: Execution, numbers: Mapping[str | None, int]) -> Execution:
    """Return an execution as the page reads it, with the numbers of its texts."""
    return each._replace(
        diagnostics=[diagnostic_data(found) for found in each.diagnostics],
        failure=each.failure and _failure(each.failure),
        before=numbers.get(each.before),
        after=numbers.get(each.after),
    )


def _failure(each: Failure) -> Any:
    """Return a failure as the page reads it."""
    return each.kind, each.diagnostic.message, each.path, each.where


_SCRIPTS = ("words.js", "text.js", "model.js", "code.js", "tree.js", "step.js", "page.js")


def page(title: str, records: Iterable[tuple[str, Record]]) -> str:
    """Return an HTML page that shows one record, or that compares an old and a new record.

    The page is a single file, which loads no other files and runs only the embedded script. The
    page embeds the records in compressed form, and displays their contents only as text.
    """
    data, texts = payload(records)
    assets = files("passel.record.page") / "assets"
    script = "\n".join((assets / name).read_text(encoding="utf-8") for name in _SCRIPTS)
    parts = {
        "title": escape(title),
        "digest": b64encode(sha256(script.encode()).digest()).decode(),
        "style": (assets / "page.css").read_text(encoding="utf-8"),
        "record": _packed(json.dumps(data, separators=(",", ":"))),
        "texts": _packed(json.dumps(texts, ensure_ascii=False)),
        "script": script,
    }
    html = (assets / "page.html").read_text(encoding="utf-8")
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], html)


def _packed(text: str) -> str:
    # Lone surrogates stand for bytes that are not UTF-8; they become question marks.
    return b64encode(zlib.compress(text.encode(errors="replace"), 9)).decode()

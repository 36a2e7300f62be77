"""Read the input, and split the input into parts at markers."""

from __future__ import annotations

import codecs
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from passel.diagnostics import Diagnostic, Severity, file_problem
from passel.frontend import SourcePart, UnreadableError, UsageError
from passel.tool.irs import flag_for
from passel.tool.pipelines import place_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from passel.frontend import Frontend
    from passel.tool.flags import Settings
    from passel.tool.output import Renderer

RECORD_START = b'{"record":'
"""The first bytes of a record."""

_CHECKED_TAIL = 2
"""The number of missing final characters of a marker that count as a near miss."""


def starts_record(path: str) -> bool:
    """Return whether a file exists and starts with the bytes that identify records."""
    with suppress(OSError, ValueError), Path(path).open("rb") as file:
        return file.read(len(RECORD_START)) == RECORD_START
    return False


def read_sources(settings: Settings, frontend: Frontend, renderer: Renderer) -> list[SourcePart]:
    """Read the input, and return its parts.

    Args:
        settings: The command-line settings.
        frontend: The frontend of the IR, which detects binary files.
        renderer: The renderer that prints warnings and shows source lines of the input.

    Raises:
        UsageError: If the input cannot be read, or does not fit the IR or the flags.
        UnreadableError: If the input is neither text nor a binary file of the IR.
    """
    path = settings.input
    name = "<stdin>" if path == "-" else path
    data = _read(settings)
    if data.startswith(RECORD_START):
        return [_recorded_source(settings)]
    if frontend.is_binary(data, name):
        return [SourcePart(data, name)]
    marker = settings.split_input_file
    body = data.removeprefix(codecs.BOM_UTF8)  # added by some editors
    is_whole = path != "-" and not marker and Path(path).is_file()
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        renderer.add_source(name, body.decode("utf-8", "replace"))
        if frontend.reads_files and is_whole:
            return [SourcePart(body, name, path=path if body is data else None)]
        place = SourcePart(body[: error.start].decode("utf-8"), name).location(error.start)
        message = f"the input is not UTF-8 text: invalid byte 0x{body[error.start]:02x}"
        raise UnreadableError([Diagnostic(Severity.ERROR, message, place)]) from None
    renderer.add_source(name, text)
    if marker:
        return list(split_input(text, marker, name, renderer))
    return [SourcePart(text, name, path=path if is_whole and body is data else None)]


def _read(settings: Settings) -> bytes:
    path = settings.input
    if path == "-" and sys.stdin is None:
        raise UsageError("there is no input: no file is given and standard input is closed")
    try:
        return sys.stdin.buffer.read() if path == "-" else Path(path).read_bytes()
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot open input file '{path}': {file_problem(error)}") from None


def split_input(
    text: str, marker: str, name: str, warn: Callable[[Diagnostic], None]
) -> Iterator[SourcePart]:
    """Split an input at each marker, and yield the parts.

    Args:
        text: The text of the whole input.
        marker: The text that separates parts.
        name: The name of the input.
        warn: A function that is called with a warning for each line that resembles a marker.

    Source: `mlir::splitAndProcessBuffer`, MLIR 22, which searches for the marker as plain text.
    """
    prefix, tail = marker[:-_CHECKED_TAIL] or marker, marker[-_CHECKED_TAIL:]
    start = position = line = 0
    while (found := text.find(prefix, position)) >= 0:
        after = found + len(prefix)
        position = after + len(tail)
        if text.startswith(tail, after) and position < len(text):
            yield _part(text, name, start, found, line)
            line += text.count("\n", start, position)
            start = position
        else:
            position = after
            if text[found : found + len(marker)].rstrip() != marker:
                place = SourcePart(text, name).location(after)
                warn(Diagnostic(Severity.WARNING, "near miss with file split marker", place))
    yield _part(text, name, start, len(text), line)


def _part(text: str, name: str, start: int, end: int, line: int) -> SourcePart:
    """Return a part that keeps the columns of text after a marker."""
    before = start - (text.rfind("\n", 0, start) + 1)
    part = text[start:end]
    is_inside = part.partition("\n")[0].strip()
    column = before + 1 if start else 0
    return SourcePart(" " * before + part if is_inside else part, name, line, column)


# -- Records -------------------------------------------------------------------------------------


def _recorded_source(settings: Settings) -> SourcePart:
    """Return the IR and pipeline in a record at the place of `--start-after`.

    Raises:
        UsageError: If the record lacks this place or its IR.
        RecordError: If the record is damaged.
    """
    from passel.instruments.reproducer_file import reproducer_text
    from passel.record import Record
    from passel.search.starting import run_to_search

    record = Record.open(settings.input)
    is_whole = not settings.start_after and not settings.stop_after
    run = run_to_search(record) if is_whole else record.info.runs[0]
    if settings.choice.name != run.ir:
        raise UsageError(f"the record '{settings.input}' needs {flag_for(run.ir)}")
    paths = [step.path for step in run.steps]
    place, starts_at = place_in(paths, settings, "start-after"), ()
    if place is None:
        text = None if run.before is None else record.text(run.before)
    elif not place.symbol:
        text = record.state_at(paths[: paths.index(place.path) + 1])
    else:
        found = [e for e in record.executions if (e.path, e.symbol) == (place.path, place.symbol)]
        if not found:
            raise UsageError(f"'--start-after': in the record, no pass ran at {place}")
        text, starts_at = record.state_after(found[0]), found[0].ordinals[1:]
    if text is None:
        raise UsageError(f"the record does not contain the IR after {place or 'parsing'}")
    text = reproducer_text(text, run.pipeline)
    return SourcePart(text, settings.input, is_reproducer=True, starts_at=starts_at)

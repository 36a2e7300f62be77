"""One line on a terminal that tells how far a long run is.

Hooks only keep references; a thread draws, so that a pass that takes long shows as well.
Whatever is written to the terminal meanwhile takes the line's place, and it comes back below.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Protocol

from passel.instruments.hooks import PassInstrumentation
from passel.schedule import PassStep

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable
    from contextlib import AbstractContextManager
    from typing import TextIO

    from passel.instruments.hooks import Run
    from passel.schedule import Pipeline, Step

_DELAY = 1.0
"""How long a run takes before the line appears, in seconds."""
_PERIOD = 0.1
"""How long a line stands before the next is drawn, in seconds."""
_ERASE = "\r\x1b[2K"


class _Line:
    """The last line of the terminal."""

    def __init__(self, terminal: TextIO) -> None:
        self._terminal = terminal
        self._is_drawn = False
        self.lock: AbstractContextManager[object] = threading.RLock()
        self.at_start = True  # of a line: only there is something drawn

    def draw(self, text: str) -> None:
        """Show a text, as far as it fits."""
        with self.lock:
            if self.at_start and text:
                # One column less: in the last, terminals differ in where the cursor goes.
                width = _width(self._terminal) - 1
                self._put(_ERASE + (text if len(text) <= width else f"{text[: width - 1]}…"))
                self._is_drawn = True

    def erase(self) -> None:
        """Leave the line as it was."""
        with self.lock:
            if self._is_drawn:
                self._is_drawn = False
                self._put(_ERASE)

    def _put(self, text: str) -> None:
        with suppress(OSError, ValueError):  # the terminal is gone
            self._terminal.write(text)
            self._terminal.flush()


class _Shared:
    """A stream on the terminal that has the line removed before something is written."""

    def __init__(self, stream: TextIO, line: _Line) -> None:
        self._stream = stream
        self._line = line

    def write(self, text: str) -> int:
        """Write in the line's place."""
        with self._line.lock:
            self._line.erase()
            written = self._stream.write(text)
            if text:
                self._line.at_start = text.endswith("\n")
                if self._line.at_start:
                    self._stream.flush()
            return written

    def writelines(self, lines: Iterable[str]) -> None:
        """Write in the line's place."""
        self.write("".join(lines))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class Progress(PassInstrumentation):
    """Keeps the line, from the first run on, until it is closed.

    Args:
        terminal: Where it is drawn.
    """

    watches_passes = False

    def __init__(self, terminal: TextIO) -> None:
        self.line: _Line = _Line(terminal)
        self._started = 0.0
        self._thread: threading.Thread | None = None
        self._closed = threading.Event()
        self._run: Run | None = None
        self._position: tuple[Step, int] | None = None
        self._numbers: dict[Step, int] = {}
        self._current: tuple[Step, Any] | None = None
        self._done, self._total = 0, 0

    def close(self) -> None:
        """Stop drawing and remove the line."""
        self._closed.set()
        if self._thread is not None:
            self._thread.join()
        self.line.erase()

    def before_run(self, run: Run) -> None:
        """Take note of the steps, and start drawing after a while."""
        self._numbers = {step: i for i, step in enumerate(run.pipeline.steps, 1)}
        self._position, self._current, self._run = None, None, run
        if self._thread is None:
            self._started = time.monotonic()
            self._thread = threading.Thread(target=self._draw, name="progress", daemon=True)
            self._thread.start()

    def after_run(self, run: Run, *, failed: bool) -> None:
        """Remove the line."""
        self._run = None
        self.line.erase()

    def before_pass(self, step: Step, op: Any) -> None:
        """Take note of what runs."""
        self._current = (step, op)
        number = self._numbers.get(step)
        if number is not None and self._run is not None:
            self._position, self._done, self._total = (step, number), 0, 0
            if not isinstance(step, PassStep):
                adapter = self._run.adapter
                kinds = map(adapter.kind_of, adapter.children(op))
                self._total = sum(step.select(kind) is not None for kind in kinds)

    def after_pipeline(self, pipeline: Pipeline, op: Any, parent: Step, *, failed: bool) -> None:
        """Count the ops that the current step has processed."""
        if self._position is not None and self._position[0] is parent:
            self._done += 1

    def _draw(self) -> None:
        delay = _DELAY
        while not self._closed.wait(delay):
            delay = _PERIOD
            with self.line.lock:
                # Hooks may be called meanwhile: whatever is read here may be of another op.
                with suppress(Exception):
                    self.line.draw(self.text())
                if self._run is None:
                    self.line.erase()

    def text(self) -> str:
        """Return what the line shows now; nothing if nothing runs."""
        run, current, position = self._run, self._current, self._position
        if run is None or current is None or position is None:
            return ""
        step, op = current
        what = step.pass_.name if isinstance(step, PassStep) else "..."
        symbol = run.adapter.symbol_name(op)
        where = f" @{symbol}" if symbol else ""
        ops = f", {self._done}/{self._total} ops" if self._total else ""
        seconds = time.monotonic() - self._started
        return f"step {position[1]}/{len(self._numbers)}{ops}: {what}{where} ({seconds:.1f} s)"


@contextmanager
def progress_line() -> Generator[Progress | None]:
    """Let what is written to the terminal share it with a line of progress.

    Yields:
        What observes the runs; None if the error stream is no terminal that can do this.
    """
    if not _is_capable(sys.stderr):
        yield None
        return
    before = sys.stdout, sys.stderr
    progress = Progress(sys.stderr)
    sys.stderr = _Shared(sys.stderr, progress.line)
    if sys.stdout is not None and sys.stdout.isatty():
        sys.stdout = _Shared(sys.stdout, progress.line)
    try:
        yield progress
    finally:
        progress.close()
        sys.stdout, sys.stderr = before


class _Stream(Protocol):
    def isatty(self) -> bool: ...


def _is_capable(stream: _Stream) -> bool:
    return stream.isatty() and (os.environ.get("TERM") or "dumb") != "dumb"


def _width(terminal: TextIO) -> int:
    try:
        return os.get_terminal_size(terminal.fileno()).columns or 80
    except (OSError, ValueError):
        return 80

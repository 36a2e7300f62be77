"""Show the progress of a long run, on a terminal or below a notebook cell.

Hooks store the progress as plain values. A separate thread displays the values, so that the display
is updated even during a slow pass. The thread never accesses ops, since a pass may be modifying
them.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from passel.hooks import PassInstrumentation
from passel.schedule import PassStep

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

    from passel.hooks import ObservedRun
    from passel.schedule import Pipeline, Step

_DELAY = 1.0
"""The time in seconds after which the line appears."""
_PERIOD = 0.1
_PERIOD_OF_NOTEBOOKS = 0.5
"""The time in seconds between two updates; each one is a message to a notebook."""
_WIDTH = 80
"""The width of a line, if it is unknown."""
_LONGEST = 40
"""The number of characters shown of the names of passes that run as one."""


def shown_progress() -> PassInstrumentation:
    """Return an instrumentation that shows the progress of runs in a notebook or on a terminal.

    On a terminal, the progress is written to standard error. If standard error is not a terminal
    that can move its cursor, the instrumentation does nothing.
    """
    if type(sys.stdout).__module__.startswith("ipykernel"):
        erase = f"\r{' ' * _WIDTH}\r"
        return Progress(StatusLine(sys.stdout, erase=erase, period=_PERIOD_OF_NOTEBOOKS))
    if has_status_line():
        return Progress(StatusLine(sys.stderr))
    return PassInstrumentation()


def has_status_line() -> bool:
    """Return whether standard error is a terminal that can move its cursor."""
    is_terminal = sys.stderr is not None and sys.stderr.isatty()
    return is_terminal and os.environ.get("TERM", "dumb") not in {"", "dumb"}


class Progress(PassInstrumentation):
    """An instrumentation that shows the progress of a run on a status line.

    Args:
        line: The status line.
    """

    def __init__(self, line: StatusLine) -> None:
        self._line = line
        self._started = 0.0
        self._position: Step | None = None
        self._shown = ""
        self._number = self._done = self._total = 0

    def before_run(self, run: ObservedRun) -> None:
        """Start showing the status line after a short delay."""
        now = time.monotonic()
        self._started = self._started or now
        self._line.show(self.text, max(self._started + _DELAY - now, 0.0))

    def after_run(self, run: ObservedRun, *, failed: bool) -> None:
        """Remove the status line, since other programs may write to the terminal between runs."""
        self._line.hide()

    def before_pass(self, step: Step, op: Any) -> None:
        """Update the text of the status line."""
        adapter, steps = self.run.adapter, self.run.pipeline.steps
        if step in steps:
            self._position, self._number = step, steps.index(step) + 1
            self._done = self._total = 0
            if not isinstance(step, PassStep):
                kinds = map(adapter.kind_of, adapter.children(op))
                self._total = sum(step.select(kind) is not None for kind in kinds)
        what = "..."
        if isinstance(step, PassStep):
            what = step.pass_.name or step.title
            what = what if len(what) <= _LONGEST else f"{what[:_LONGEST]}..."
        symbol = adapter.symbol_name(op)
        ops = f", {self._done}/{self._total} ops" if self._total else ""
        where = f" @{symbol}" if symbol else ""
        # One assignment, because a thread reads it:
        self._shown = f"step {self._number}/{len(steps)}{ops}: {what}{where}"

    def after_pipeline(self, pipeline: Pipeline, op: Any, parent: Step, *, failed: bool) -> None:
        """Count the ops on which the current step has run its nested pipeline."""
        self._done += self._position is parent

    def split(self) -> PassInstrumentation:
        """Return an instrumentation that does nothing, since workers do not show progress."""
        return PassInstrumentation()

    def text(self) -> str:
        """Return the current text of the status line, with the elapsed time."""
        return f"{self._shown} ({time.monotonic() - self._started:.1f} s)"


_drawing = threading.RLock()
"""Held while a status line is written, and during forks, so that no fork copies a partial write."""

if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_drawing.acquire,
        after_in_parent=_drawing.release,
        after_in_child=_drawing.release,
    )


class _Drawing(threading.Thread):
    """The thread that draws a line; forked processes do not need it."""

    is_ready_for_forks = True


class StatusLine:
    """A status line at the bottom of a terminal, hidden whenever other text is written.

    Args:
        stream: The stream of the terminal.
        erase: The characters that erase the line and move the cursor to the start of the line.
        period: The time between two updates, in seconds.
    """

    def __init__(
        self, stream: TextIO, *, erase: str = "\r\x1b[2K", period: float = _PERIOD
    ) -> None:
        self._stream = stream
        self._erase = erase
        self._period = period
        self._thread: _Drawing | None = None
        self._is_over = threading.Event()
        self._is_drawn = self._is_mid_line = False

    def show(self, text: Callable[[], str], delay: float) -> None:
        """Show the text that a function returns, until `hide` is called.

        Args:
            text: The function, which is called for each update.
            delay: The time in seconds before the text is first shown.
        """
        self._is_over.clear()
        self._thread = _Drawing(target=self._keep_drawn, args=(text, delay), daemon=True)
        self._thread.start()

    def hide(self) -> None:
        """Remove the status line, and stop updating it."""
        if self._thread is not None:
            self._is_over.set()
            self._thread.join()
        with _drawing:
            self._remove()

    def draw(self, text: str) -> None:
        """Show a text immediately, unless the cursor is on a line that is not yet complete."""
        with _drawing:
            if not self._is_mid_line:
                self._remove()
                self._put(text[: _width(self._stream) - 1])
                self._is_drawn = True

    def write(self, stream: TextIO, text: str) -> None:
        """Write text to a stream, and draw the status line below the text at the next update."""
        with _drawing:
            self._remove()
            stream.write(text)
            self._is_mid_line = not text.endswith("\n") if text else self._is_mid_line
            stream.flush()

    def _keep_drawn(self, text: Callable[[], str], delay: float) -> None:
        while not self._is_over.wait(delay):
            delay = self._period
            self.draw(text())

    def _remove(self) -> None:
        if self._is_drawn:
            self._put(self._erase)
            self._is_drawn = False

    def _put(self, text: str) -> None:
        with suppress(OSError, ValueError):  # the terminal may be gone
            self._stream.write(text)
            self._stream.flush()


def _width(stream: TextIO) -> int:
    with suppress(OSError, ValueError):
        return os.get_terminal_size(stream.fileno()).columns or _WIDTH
    return _WIDTH

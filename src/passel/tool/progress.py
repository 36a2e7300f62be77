"""One line on a terminal that shows how far a long run is.

Hooks take note of what runs, in plain values; a thread of rich's draws them, so that a pass
that takes long shows as well, and no op is looked at while a pass changes it. What is written
to the terminal meanwhile goes above the line.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from passel.hooks import PassInstrumentation
from passel.schedule import PassStep

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable
    from typing import TextIO

    from rich.live import Live

    from passel.hooks import Run
    from passel.schedule import Pipeline, Step

_DELAY = 1.0
"""How long a run takes before the line appears, in seconds."""
_RATE = 10
"""How often the line is drawn in a second."""
_LONGEST = 40
"""How much is shown of the names of passes that run as one."""


class Progress(PassInstrumentation):
    """Observes how far the run is.

    Args:
        terminal: Where that is shown.
    """

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self._started = 0.0
        self._run: Run | None = None
        self._numbers: dict[Step | str, int] = {}
        self._position: Step | None = None
        self._number = self._shown = ""
        self._done = self._total = 0

    def before_run(self, run: Run) -> None:
        """Take note of the steps, and let the line appear after a while."""
        steps = run.pipeline.steps
        self._numbers = {step: number for number, step in enumerate(steps, 1)}
        # Passes that run as one stand where the first of them stood.
        self._numbers |= {s.path: n for n, s in enumerate(steps, 1) if isinstance(s, PassStep)}
        self._run = run
        now = time.monotonic()
        self._started = self._started or now
        self._terminal.show(self.text, max(self._started + _DELAY - now, 0.0))

    def after_run(self, run: Run, *, failed: bool) -> None:
        """Remove the line: between runs, others write to the terminal."""
        self._run = None
        self._terminal.hide()

    def before_pass(self, step: Step, op: Any) -> None:
        """Take note of what runs."""
        if self._run is None:
            return
        adapter = self._run.adapter
        if first := self._numbers.get(step) or self._numbers.get(step.path):
            last = first + max(len(step.children) - 1, 0)
            self._position, self._number = step, f"{first}-{last}" if last > first else f"{first}"
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
        count = len(self._run.pipeline.steps)
        self._shown = f"step {self._number}/{count}{ops}: {what}{where}"  # all of it at once

    def after_pipeline(self, pipeline: Pipeline, op: Any, parent: Step, *, failed: bool) -> None:
        """Count the ops that the current step has processed."""
        self._done += self._position is parent

    def split(self) -> PassInstrumentation:
        """Return an observer of nothing: other processes do not write to the line."""
        return PassInstrumentation()

    def text(self) -> str:
        """Return what the line shows now."""
        return f"{self._shown} ({time.monotonic() - self._started:.1f} s)"


class Terminal:
    """A terminal with a line at the bottom, which is not there while something is written.

    Args:
        stream: Writes to it.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lock = threading.RLock()
        self._timer: threading.Timer | None = None
        self._live: Live | None = None
        self._is_mid_line = False

    def show(self, text: Callable[[], str], delay: float) -> None:
        """Show what a function returns, from some seconds later on until it is hidden."""
        self._timer = threading.Timer(delay, self._show, [text])
        self._timer.daemon = True
        self._timer.start()

    def hide(self) -> None:
        """Remove the line."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer.join()
        with self._lock, suppress(OSError, ValueError):  # the terminal may be gone
            live, self._live = self._live, None
            if live is not None:
                live.stop()

    def write(self, stream: TextIO, text: str) -> None:
        """Write to a stream, above the line."""
        with self._lock:
            if self._live is not None:
                self._live.stop()
            stream.write(text)
            self._is_mid_line = not text.endswith("\n") if text else self._is_mid_line
            if self._live is not None:
                stream.flush()
                self._draw(self._live)

    def _show(self, text: Callable[[], str]) -> None:
        from rich.console import Console
        from rich.live import Live
        from rich.text import Text

        live = Live(
            console=Console(file=self._stream),
            get_renderable=lambda: Text(text(), no_wrap=True, overflow="ellipsis"),
            refresh_per_second=_RATE,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        with self._lock:
            self._live = live
            self._draw(live)

    def _draw(self, live: Live) -> None:
        """Start drawing, unless that would overwrite the beginning of a line."""
        if not self._is_mid_line:
            live.start(refresh=True)
            live.console.show_cursor()  # a native crash would leave it hidden


class _Stream:
    """A stream to a terminal with a line at the bottom."""

    def __init__(self, stream: TextIO, terminal: Terminal) -> None:
        self._stream = stream
        self._terminal = terminal

    def write(self, text: str) -> int:
        """Write above the line."""
        self._terminal.write(self._stream, text)
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Write above the line."""
        self.write("".join(lines))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def progress_line() -> Generator[Progress | None]:
    """Show a line of progress on the terminal, below what is written to it.

    Yields:
        The observer of the runs; None if the terminal cannot move its cursor.
    """
    if os.environ.get("TERM", "dumb") in {"", "dumb"}:
        yield None
        return
    before = sys.stdout, sys.stderr
    terminal = Terminal(sys.stderr)
    sys.stderr = _Stream(sys.stderr, terminal)
    if sys.stdout is not None and sys.stdout.isatty():
        sys.stdout = _Stream(sys.stdout, terminal)
    try:
        yield Progress(terminal)
    finally:
        terminal.hide()
        sys.stdout, sys.stderr = before

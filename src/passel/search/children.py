"""Calling functions in child processes, where a call may crash or hang."""

from __future__ import annotations

import faulthandler
import os
import pickle
import signal
from contextlib import contextmanager
from mmap import mmap
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from passel.errors import PasselError
from passel.execution.strategies.fork_map import Death, fork_map

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

_I = TypeVar("_I")
_R = TypeVar("_R")


class SearchError(PasselError):
    """The error for a search that cannot start or continue. The message gives the reason."""


class Died(NamedTuple):
    """A description of how a child process died while it processed an item.

    Attributes:
        code: The exit code of the child; None if the exit code is unknown. A negative code means
            that a signal killed the child.
        note: The last note that the child saved; empty if the child saved no note.
        stderr: The text that the child wrote to standard error.
    """

    code: int | None
    note: str = ""
    stderr: str = ""

    @property
    def cause(self) -> str:
        """The name of the signal, such as `SIGSEGV`, or a phrase with the exit code."""
        if self.code is not None and self.code < 0:
            number = -self.code  # real-time signals have no names
            return next((e.name for e in signal.Signals if e == number), f"signal {number}")
        return f"exit code {self.code}"


class Scratch(NamedTuple):
    """A directory for the files that a child process writes while it processes an item.

    The files remain even if the child process dies.

    Attributes:
        folder: The path of the directory.
    """

    folder: Path

    def note(self, text: str) -> None:
        """Save a note in case the child process dies, replacing the previous note."""
        (self.folder / "note").write_text(text)

    @property
    def noted(self) -> str:
        """The last saved note; empty if no note was saved."""
        return self._text("note")

    @property
    def stderr(self) -> str:
        """The text that the child process wrote to standard error."""
        return self._text("stderr")

    def _text(self, name: str) -> str:
        file = self.folder / name
        return file.read_text(errors="replace") if file.exists() else ""

    def redirect_streams(self) -> None:
        """Redirect standard error to a file in the directory, and discard standard output."""
        self.folder.mkdir(exist_ok=True)
        for name, stream in ((os.devnull, 1), (self.folder / "stderr", 2)):
            descriptor = os.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(descriptor, stream)
            os.close(descriptor)


def in_children(
    function: Callable[[_I, Scratch], _R],
    items: Sequence[_I],
    is_good: Callable[[_R | Died], bool] = bool,
    *,
    jobs: int = 1,
    timeout: float = 0.0,
) -> dict[int, _R | Died]:
    """Call a function on each item in child processes, until a result is good.

    The children process the items in order, and start no new item after a good result. If a child
    dies, the other children continue.

    Args:
        function: A function that takes an item and a directory for the files of the item.
        items: The items to process.
        is_good: A function that returns whether the result of a call is good.
        jobs: The number of child processes.
        timeout: The time limit for an item in seconds; 0 means no limit. SIGALRM kills a child that
            exceeds the limit.

    Returns:
        A dict that maps the index of each processed item to the result of the call, or to a `Died`
        object if the child died.

    Raises:
        PasselError: If the function raises a `PasselError` for an item.
    """
    good = mmap(-1, 1)  # shared flag: a good result exists
    with TemporaryDirectory(prefix="passel-") as folder:

        def work(index: int) -> None:
            scratch = Scratch(Path(folder, str(index)))
            file = scratch.folder / "result"
            if good[0] or file.exists():
                return
            result = _result_of(function, items[index], scratch, timeout)
            good[0] |= isinstance(result, PasselError) or is_good(result)
            # Immediately: a child that dies on a later item loses its memory.
            file.write_bytes(pickle.dumps(result))

        @contextmanager
        def body() -> Generator[Callable[[int], None]]:
            faulthandler.disable()  # only the crash's own output matters
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            yield work

        found = fork_map(body, range(len(items)), jobs)
        results: dict[int, _R | Died] = {}
        for index in range(len(items)):
            scratch = Scratch(Path(folder, str(index)))
            file = scratch.folder / "result"
            if isinstance(death := found.get(index), Death):
                results[index] = Died(death.code, scratch.noted, scratch.stderr)
            elif file.exists():
                results[index] = pickle.loads(file.read_bytes())  # noqa: S301 - written by a child process
    for result in results.values():
        if isinstance(result, PasselError):
            raise result
    return results


def _result_of(
    function: Callable[[_I, Scratch], _R], item: _I, scratch: Scratch, timeout: float
) -> _R | PasselError:
    """Call a function within a time limit, and return its result or its error."""
    scratch.redirect_streams()
    signal.setitimer(signal.ITIMER_REAL, timeout)
    try:
        return function(item, scratch)
    except PasselError as error:
        return error
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def in_child(function: Callable[[Scratch], _R]) -> _R | Died:
    """Return the result of a call in a child process, or a `Died` object if the child died."""
    results = in_children(lambda _, scratch: function(scratch), [None])
    if not results:
        raise SearchError("a child process could not send its result")
    return results[0]

"""Calls of a function in child processes, where it may crash or hang."""

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
from passel.execution.strategies.fork_map import fork_map

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

_I = TypeVar("_I")
_R = TypeVar("_R")


class SearchError(PasselError):
    """A search cannot start; the message gives the reason and the way out."""


class Died(NamedTuple):
    """The death of a child process during its work on an item.

    Attributes:
        code: The exit code, negative for a signal; None if unknown.
        note: The last note that the child saved.
        words: The last output of the child on the standard error stream.
    """

    code: int | None
    note: str = ""
    words: str = ""

    @property
    def cause(self) -> str:
        """The name of the signal, such as `SIGSEGV`, or the exit code."""
        if self.code is not None and self.code < 0:
            number = -self.code  # real-time signals have no names
            return next((e.name for e in signal.Signals if e == number), f"signal {number}")
        return f"exit code {self.code}"


class Scratch(NamedTuple):
    """A folder for one item, which remains after the child dies.

    Attributes:
        folder: The folder.
    """

    folder: Path

    def note(self, text: str) -> None:
        """Save a note, in case the child dies, in place of the previous note."""
        (self.folder / "note").write_text(text)

    @property
    def noted(self) -> str:
        """The last saved note; empty if there is none."""
        return self._text("note")

    @property
    def words(self) -> str:
        """The output of the child on the error stream."""
        return self._text("words")

    def _text(self, name: str) -> str:
        file = self.folder / name
        return file.read_text(errors="replace") if file.exists() else ""

    def take_streams(self) -> None:
        """Redirect the error stream to the folder, and discard the output stream."""
        self.folder.mkdir(exist_ok=True)
        for name, stream in ((os.devnull, 1), (self.folder / "words", 2)):
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
    """Call a function on items in child processes, until a result is good.

    Children process the items in order, and start no new items after a good result. If a child
    dies, the other children continue.

    Args:
        function: A function of an item and of a folder for the item.
        items: The items.
        is_good: A function that returns whether a result or the death of a child is good.
        jobs: The number of parallel children.
        timeout: The time limit for an item in seconds. SIGALRM then kills the child.

    Raises:
        PasselError: If the function raises this error for an item.
    """
    good = mmap(-1, 1)  # shared flag: a good result exists
    with TemporaryDirectory(prefix="passel-") as folder:

        def work(index: int) -> None:
            scratch = Scratch(Path(folder, str(index)))
            file = scratch.folder / "result"
            if good[0] or file.exists():
                return
            scratch.take_streams()
            signal.setitimer(signal.ITIMER_REAL, timeout)
            try:
                result = function(items[index], scratch)
            except PasselError as error:
                result = error
            signal.setitimer(signal.ITIMER_REAL, 0)
            good[0] |= isinstance(result, PasselError) or is_good(result)
            # Immediately: a child that dies on a later item loses its memory.
            file.write_bytes(pickle.dumps(result))

        @contextmanager
        def body() -> Generator[Callable[[int], None]]:
            faulthandler.disable()  # only the crash's own output matters
            signal.signal(signal.SIGALRM, signal.SIG_DFL)
            yield work

        forks = fork_map(body, range(len(items)), jobs)
        results: dict[int, _R | Died] = {}
        for index in range(len(items)):
            scratch = Scratch(Path(folder, str(index)))
            file = scratch.folder / "result"
            if index in forks.deaths:
                results[index] = Died(forks.deaths[index].code, scratch.noted, scratch.words)
            elif file.exists():
                result = pickle.loads(file.read_bytes())  # noqa: S301 - a child's
                if isinstance(result, PasselError):
                    raise result
                results[index] = result
        return results


def in_child(function: Callable[[Scratch], _R]) -> _R | Died:
    """Call a function in a child process, and return its result or how the child died."""
    results = in_children(lambda _, scratch: function(scratch), [None])
    if not results:
        raise SearchError("a child process could not send its result")
    return results[0]

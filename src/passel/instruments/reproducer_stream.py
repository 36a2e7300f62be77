"""Reproducers that go to a stream instead of a file.

Source: `PassManager::enableCrashReproducerGeneration(ReproducerStreamFactory)`, MLIR 22.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from passel.diagnostics import brief
from passel.instruments.reproducer_file import ReproducerFile
from passel.instruments.whole_files import check_writable

if TYPE_CHECKING:
    from contextlib import AbstractContextManager


class TextSink(Protocol):
    """Object that text is written to, such as a file that is open, or `io.StringIO`."""

    def write(self, text: str, /) -> object:
        """Take a text."""
        ...


Destination: TypeAlias = str | Path | TextSink | Callable[[], TextSink]
"""A file's name, a stream, or a function that returns a stream when a run has failed."""


class ReproducerStream:
    """A reproducer that goes to a stream, with the methods of `ReproducerFile`.

    Nothing is written ahead of a failure: of a process that dies at once there is none.

    Attributes:
        path: The file that the stream writes, if it has a name; else None.
        title: What messages call it.
        problem: Why it could not be written; empty if it could.
    """

    def __init__(self, destination: TextSink | Callable[[], TextSink]) -> None:
        self.path: Path | None = None
        self.title: str = ""
        self.problem: str = ""
        self._destination = destination

    def prepare(self, text: str) -> None:
        """Do nothing."""

    def commit(self, text: str, ahead: str) -> bool:
        """Write the text to the stream, which is made now if a function makes it.

        Args:
            text: The text.
            ahead: What would do as well, had it been written ahead.

        Returns:
            Whether that went well.
        """
        try:
            with self._opened() as stream:
                self._name(stream)
                stream.write(text)
                if (flush := getattr(stream, "flush", None)) is not None:
                    flush()
        except Exception as error:  # noqa: BLE001 - whatever a stream raises must not hide the failure
            self.problem = (
                "failed to create output stream: Failed to create reproducer stream: "
                f"{brief(error)}"
            )
            return False
        return True

    def discard(self) -> None:
        """Do nothing."""

    def _opened(self) -> AbstractContextManager[TextSink]:
        """Return the stream; one that a function has made is closed after use."""
        given: Any = self._destination
        if hasattr(given, "write"):
            return nullcontext(given)
        made: Any = given()
        return made if hasattr(made, "__exit__") else nullcontext(made)

    def _name(self, stream: TextSink) -> None:
        name = getattr(stream, "name", None)
        self.title = name if isinstance(name, str) else f"<{type(stream).__name__}>"
        if isinstance(name, str) and Path(name).is_file():
            self.path = Path(name)


def target_of(destination: Destination) -> ReproducerFile | ReproducerStream:
    """Return the writer for a destination."""
    if isinstance(destination, (str, Path)):
        return ReproducerFile(destination)
    return ReproducerStream(destination)


def check_destination(destination: Destination) -> None:
    """Find out whether a destination can be written, as far as that is known before.

    Raises:
        TypeError: It is none of those that are taken.
        OSError: The file cannot be written.
        ValueError: No file can have this name.
    """
    if isinstance(destination, (str, Path)):
        check_writable(destination)
    elif not (hasattr(destination, "write") or callable(destination)):
        raise TypeError(
            f"expected a file's name, a stream or a function that returns one, got {destination!r}"
        )

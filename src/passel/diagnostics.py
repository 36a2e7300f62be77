"""Diagnostics, and the sources, spans and locations that diagnostics refer to.

This module does not depend on error classes, passes or IRs.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from contextvars import ContextVar
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, ClassVar, Literal, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
    from logging import Logger

_EXCERPT_WIDTH = 160
"""The maximum width of a source line; longer lines are cut around the caret."""

_LONGEST_NAME = 100
"""The maximum length of a misspelled name; the comparison takes quadratic time."""

_SIMILARITY = 0.65
"""The minimum similarity of a suggested name, between 0 and 1."""


class Source(NamedTuple):
    """A text that a user wrote, and the name of the text in error messages.

    Args:
        text: The full text.
        name: The name of a file, or a name in angle brackets such as `<pass-pipeline>`.
    """

    text: str
    name: str


class Span(NamedTuple):
    """A half-open range of offsets into a source, counted in code points.

    Example:
        >>> span = Span(Source("builtin.module(csee)", "<pass-pipeline>"), 15, 19)
        >>> span.text, span.line, span.column
        ('csee', 1, 16)
        >>> print(span.excerpt())
        builtin.module(csee)
                       ^~~~
    """

    source: Source
    start: int
    end: int

    @property
    def text(self) -> str:
        """The text that the span covers."""
        return self.source.text[self.start : self.end]

    @property
    def line(self) -> int:
        """The line number of the first character, counted from 1."""
        return self.source.text.count("\n", 0, self.start) + 1

    @property
    def column(self) -> int:
        """The column number of the first character, counted from 1."""
        return self.start - self.source.text.rfind("\n", 0, self.start)

    def excerpt(self) -> str:
        """Return the source line, and below it a line with a caret and tildes under the span."""
        line = self.source.text.split("\n")[self.line - 1]
        return underline(line, self.column - 1, self.end - self.start)

    def __str__(self) -> str:
        return f"{self.source.name}:{self.line}:{self.column}"


def underline(line: str, column: int, length: int = 1) -> str:
    """Return a line of text, and below it a line with a caret and tildes under some characters.

    The second line repeats the tabs of the first line, so that the caret is aligned at any tab
    width. A very long line is truncated around the caret.

    Args:
        line: The line of text, without a newline.
        column: The offset of the caret, counted from 0.
        length: The number of characters to mark. At least one character is marked, even if `length`
            is 0.
    """
    if len(line) > _EXCERPT_WIDTH:
        first = max(0, min(column - _EXCERPT_WIDTH // 2, len(line) - _EXCERPT_WIDTH))
        last = first + _EXCERPT_WIDTH
        head, tail = "..." if first else "", "..." if last < len(line) else ""
        line = head + line[first:last] + tail
        column += len(head) - first
    indent = "".join("\t" if c == "\t" else " " for c in line[:column].ljust(column))
    tildes = "~" * (min(length, len(line) - column) - 1)
    return f"{line}\n{indent}^{tildes}"


class Location(NamedTuple):
    """The source location of an op.

    Attributes:
        file: The name of the file; None if the location has no file.
        line: The line number, counted from 1; 0 if the line is unknown.
        column: The column number, counted from 1; 0 if the column is unknown.
        label: The name in a location such as `loc("x")`; empty if the location has no name.
        caller: The location of the call at which the op was inlined; None if the op was not
            inlined.
        source: The text of the source line, if it is in Python code or in a pipeline; otherwise
            empty.
    """

    file: str | None = None
    line: int = 0
    column: int = 0
    label: str = ""
    caller: Location | None = None
    source: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}" if self.file else "<unknown>:0"


SEEN = "see current operation"
"""The first words of the note that prints the op of an error."""

UNKNOWN = Location()
"""An unknown location."""


class Severity(Enum):
    """The severity of a diagnostic. The value is the word that messages print, such as `error`."""

    ERROR = "error"
    WARNING = "warning"
    REMARK = "remark"
    NOTE = "note"


RemarkKind: TypeAlias = Literal["Passed", "Missed", "Failure", "Analysis"]
"""The kinds of optimization remarks, as MLIR and LLVM print them."""


class OptimizationRemark(NamedTuple):
    """An optimization remark that has named arguments and is printed in MLIR's format.

    Attributes:
        kind: `Passed`, `Missed`, `Failure` or `Analysis`.
        name: The name of the optimization, such as `hoisted` or `vectorized`.
        category: The category of the remark, by which tools filter remarks; by default, the name of
            the pass.
        path: The path of the pass in the pipeline.
        op_name: The name of the op that the remark is about.
        function: The symbol name of the op or of the enclosing function; empty if neither has a
            symbol name.
        location: The location of the op.
        args: A dict that maps the name of each argument to its value: a number, a boolean or text.

    Example:
        >>> facts = {"Reason": "it has side effects", "cost": 7}
        >>> print(OptimizationRemark("Missed", "hoisted", "licm", function="f", args=facts))
        [Missed] hoisted | Category:licm | Function=f | Reason="it has side effects", cost=7

    Source: `mlir::remark::detail::Remark`, MLIR 22.
    """

    kind: RemarkKind
    name: str
    category: str
    path: str = ""
    op_name: str = ""
    function: str = ""
    location: Location = UNKNOWN
    args: Mapping[str, bool | float | str] = {}

    def texts(self) -> dict[str, str]:
        """Return a dict that maps the name of each argument to its value, formatted as in LLVM."""
        return {key: _text(value) for key, value in self.args.items()}

    def __str__(self) -> str:
        where = f"Function={self.function} | " if self.function else ""
        facts = (
            f'{key}="{text}"' if re.search("[ ,{}]", text) else f"{key}={text}"
            for key, text in sorted(self.texts().items())
        )
        return f"[{self.kind}] {self.name} | Category:{self.category} | {where}{', '.join(facts)}"


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:e}" if isinstance(value, float) else str(value)


class Diagnostic:
    """A message to the user about an op, with attached notes.

    Attributes:
        severity: The severity of the message.
        message: The message, a sentence without a final newline.
        location: The location of the op.
        notes: The attached notes, in order.
        origin: A phrase that names the op, the pass that emitted the diagnostic, and the path of
            the pass. Tools print `origin` as a note.
        op_text: The text of the op; empty if the op is not printed. For an error, tools print the
            text after the words `see current operation`.
        print_op: A function that prints the op; None if the diagnostic does not refer to an op.
        remark: The optimization remark that the diagnostic reports; None if the diagnostic is not
            an optimization remark.
        is_extra: Whether the diagnostic has no equivalent in mlir-opt. The flag
            `--verify-diagnostics` accepts such a diagnostic even if the input does not expect it.
    """

    def __init__(
        self,
        severity: Severity,
        message: str,
        location: Location = UNKNOWN,
        notes: Iterable[Diagnostic] = (),
        print_op: Callable[[], str] | None = None,
        remark: OptimizationRemark | None = None,
    ) -> None:
        self.severity: Severity = severity
        self.message: str = message
        self.location: Location = location
        self.notes: list[Diagnostic] = list(notes)
        self.origin: str = ""
        self.op_text: str = ""
        self.print_op: Callable[[], str] | None = print_op
        self.remark: OptimizationRemark | None = remark
        self.is_extra: bool = False

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Diagnostic) and self._data() == other._data()

    __hash__: ClassVar[None] = None  # pyright: ignore[reportIncompatibleMethodOverride] - compared only

    def __repr__(self) -> str:
        data = (f"{name}={value!r}" for name, value in self._data().items() if value)
        return f"Diagnostic({', '.join(data)})"

    def attach_note(self, message: str, location: Location | None = None) -> Diagnostic:
        """Attach a note to the diagnostic, and return the note.

        Args:
            message: The text of the note.
            location: The location of the note; by default, the location of the diagnostic. In a
                pass, `ctx.adapter.location(op)` returns the location of an op.

        Raises:
            TypeError: If `location` is an op or any other object that is not a `Location`.
        """
        if not isinstance(location, Location | None):  # pyright: ignore[reportUnnecessaryIsInstance] - a stranger's
            given = type(location).__name__
            raise TypeError(f"a note needs a Location, not {given}; use ctx.adapter.location(op)")
        note = Diagnostic(Severity.NOTE, message, location or self.location)
        self.notes.append(note)
        return note

    def detach(self, *, render: bool) -> Diagnostic:
        """Drop the reference to the op, and return the diagnostic, which is then plain data.

        Args:
            render: Whether to print the op into `op_text` first, if the diagnostic is an error.
        """
        if render and self.print_op is not None and self.severity is Severity.ERROR:
            self.op_text = self.print_op()
        self.print_op = None
        return self

    def _data(self) -> Mapping[str, object]:
        """Return the attributes that define equality."""
        return vars(self) | {"print_op": None, "is_extra": False}

    def __str__(self) -> str:
        """Return the text of the diagnostic and its notes, one line each, without source lines."""
        own = f"{self.location}: {self.severity.value}: {self.message}"
        return "\n".join([own, *map(str, self.notes)])


def logger() -> Logger:
    """Return the logger `passel`."""
    import logging  # noqa: PLC0415 - a fifth of the time of `import passel`, rarely needed

    return logging.getLogger("passel")


@cache
def _log_once(message: str) -> None:
    logger().warning(message)


_tell: ContextVar[Callable[[str], None]] = ContextVar("tell", default=_log_once)
"""The function that receives warnings, and ignores those that it has already received."""


def log_warning_once(message: str) -> None:
    """Log a warning with the logger `passel`, at most once per process.

    Inside a `with warning_with(...):` block, the function given to `warning_with` receives the
    warning instead.
    """
    _tell.get()(message)


@contextmanager
def warning_with(tell: Callable[[str], None]) -> Generator[None]:
    """Inside the `with` block, send the warnings of `log_warning_once` to a function.

    A warning that was sent before the `with` block can be sent once more inside the block.

    Args:
        tell: The function, which is called with each warning.
    """
    token = _tell.set(cache(tell))
    try:
        yield
    finally:
        _tell.reset(token)


def words_of(error: BaseException) -> str:
    """Return the message of an exception, even if `str(error)` raises another exception."""
    try:
        return str(error)
    except (Exception, SystemExit) as inner:  # noqa: BLE001 - its own code ran
        return f"(its __str__ raised {type(inner).__name__})"


def brief(error: BaseException) -> str:
    """Return a text with the class of an exception and the first line of its message."""
    return f"{type(error).__name__}: {words_of(error)}".partition("\n")[0].removesuffix(": ")


def listed(names: Sequence[str], most: int = 5) -> str:
    """Return the first few names as text, followed by the number of omitted names.

    Example:
        >>> listed(["cse", "dce", "inline"], 2)
        'cse, dce and 1 more'
    """
    more = f" and {len(names) - most} more" if names[most:] else ""
    return ", ".join(names[:most]) + more


def file_problem(error: OSError | ValueError) -> str:
    """Return the reason why a file cannot be opened or decoded."""
    return str(error.strerror if isinstance(error, OSError) else error)


def suggest(name: str, candidates: Iterable[str]) -> str:
    """Return a hint for a misspelled name, such as `; did you mean 'cse'?`.

    If no candidate is similar to the name, the hint is empty.

    Example:
        >>> suggest("csee", ["cse", "canonicalize"])
        "; did you mean 'cse'?"
        >>> suggest("zzz", ["cse"])
        ''
    """
    close = closest(name, candidates)
    return f"; did you mean '{close}'?" if close else ""


def closest(name: str, candidates: Iterable[str]) -> str:
    """Return the candidate closest to a misspelled name; empty if no candidate is similar."""
    from difflib import get_close_matches  # noqa: PLC0415 - only needed when something is wrong

    if len(name) > _LONGEST_NAME:
        return ""
    return next(iter(get_close_matches(name, list(candidates), n=1, cutoff=_SIMILARITY)), "")

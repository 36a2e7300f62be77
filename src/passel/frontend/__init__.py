"""Frontends: how a tool such as passel-opt reads and writes files of an IR.

A tool offers the IR of every adapter that has a frontend (see `BringsFrontend`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, runtime_checkable

from passel.diagnostics import Location
from passel.errors import AdapterError, PasselError
from passel.ir import PrintFlags, ability_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from passel.diagnostics import Diagnostic
    from passel.frontend.resources import ExternalResource
    from passel.ir import IRAdapter


class UsageError(PasselError):
    """The command line is wrong; the message is for the user.

    You get it before anything is processed, except for files that cannot be written. You
    don't get it for what is wrong in the input.
    """


class UnreadableError(Exception):
    """A part of the input is not valid IR.

    Attributes:
        diagnostics: The errors.
    """

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__("".join(f"{each}\n" for each in diagnostics))
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)


@dataclass(slots=True)
class Flag:
    """A flag of a command line, which is read as LLVM's tools read theirs.

    Attributes:
        help: One line; empty for flags that are accepted but not listed.
        metavar: The placeholder for its value; empty for a boolean flag.
        default: Its value if it is not given; by default it is off, empty or, if its value is
            parsed, None.
        implied: Its value if it is given without one, if that is allowed.
        short: Other names for it.
        choices: The values that it takes, if only some; by default those that a metavar such
            as `<list|tree>` lists.
        repeated: Whether it may be given several times, all of which count.
        parse: Returns the value of a text; a `ValueError` says what is allowed.
        ir: The name of the only IR that it applies to; empty for all.
        name: Its long name, without dashes.
        common: Whether people type it, so that the short help shows it.
        replayed: Whether a replay without it would read or do something else.
        searched: Whether programs that search take it: it says how a case is read and run, or
            where the result goes.
    """

    help: str
    metavar: str = ""
    default: Any = None
    implied: str | None = None
    short: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    repeated: bool = False
    parse: Callable[[str], Any] | None = None
    ir: str = ""
    name: str = ""
    common: bool = False
    replayed: bool = False
    searched: bool = False

    def __post_init__(self) -> None:
        if self.default is None and self.parse is None:
            self.default = "" if self.metavar else False
        if not self.choices and "|" in self.metavar:
            self.choices = tuple(self.metavar[1:-1].split("|"))

    def __set_name__(self, owner: type, name: str) -> None:
        """Take the name of the class attribute, with dashes for underscores."""
        self.name = name.replace("_", "-")


class FrontendSettings(NamedTuple):
    """Settings of a command line for reading and printing.

    Attributes:
        implicit_module: Whether ops other than a module are put into one.
        allow_unregistered: Whether operations of unknown dialects are accepted.
        threading: Whether the IR's own passes may use several threads.
        printing: How to print the result.
        own: The values of the flags that only this IR has, by name.
    """

    implicit_module: bool = True
    allow_unregistered: bool = False
    threading: bool = True
    printing: PrintFlags = PrintFlags()
    own: Mapping[str, Any] = {}


@dataclass(frozen=True, slots=True)
class SourcePart:
    """A part of the input, or all of it if it is not split.

    Attributes:
        text: Its text, in bytes if it is not text.
        name: The input's name, as diagnostics show it.
        line_offset: How many lines of the file come before it.
        column: Where it begins on its line, counted from 1; 0 if it is the first.
        path: The file that it is all of, if that can be read again.
        is_recorded: Whether it contains the pipeline to run, as a reproducer does.
    """

    text: Any
    name: str
    line_offset: int = 0
    column: int = 0
    path: str | None = None
    is_recorded: bool = False

    def location(self, offset: int) -> Location:
        """Return the position in the input of a character of the part."""
        before = self.text[:offset].split("\n")
        return Location(self.name, self.line_offset + len(before), len(before[-1]) + 1)


@dataclass(slots=True)
class Parsed:
    """Contents of a part of the input.

    Attributes:
        op: Its top-level op.
        resources: Its external resources, which are not part of the op.
    """

    op: Any
    resources: list[ExternalResource] = field(default_factory=list["ExternalResource"])


class Frontend:
    """Base class of frontends: how an IR is read and printed.

    An object serves one run of a tool: it is configured once, before anything else is asked.

    Args:
        adapter: The IR's adapter, which provides whatever a subclass does not.

    Attributes:
        flags: Its own flags, besides the tool's.
        refused: Flags of the tool that mean nothing here, each with the rest of a sentence
            that begins with its name.
        verifies: Whether parsing verifies.
        reads_files: Whether it can read files by itself, so that they may hold any bytes.
        byte_columns: Whether its locations count bytes, not characters.
        delays_interrupts: Whether its passes may keep Python from seeing Ctrl-C for long.
        settings: The settings of the command line.
    """

    flags: ClassVar[Sequence[Flag]] = ()
    refused: ClassVar[Mapping[str, str]] = {}
    verifies: bool = False
    reads_files: bool = False
    byte_columns: bool = False
    delays_interrupts: bool = False

    def __init__(self, adapter: IRAdapter) -> None:
        self.adapter: IRAdapter = adapter
        self.settings: FrontendSettings = FrontendSettings()

    def configure(self, settings: FrontendSettings) -> None:
        """Take the settings of the command line.

        Raises:
            UsageError: A flag's value is wrong.
        """
        self.settings = settings

    def is_binary(self, data: bytes, name: str) -> bool:
        """Return whether an input is in a form of the IR that is not text.

        Args:
            data: The input.
            name: Its name, for the error.

        Raises:
            UsageError: It is in a form that cannot be read.
        """
        return False

    def new_context(self) -> Any:
        """Return the context for a part of the input."""
        return self.adapter.create_context()

    def set_threading(self, context: Any, enable: bool) -> None:
        """Set whether the IR's own passes may use several threads."""

    def parse(self, part: SourcePart, context: Any, warn: Callable[[Diagnostic], None]) -> Parsed:
        """Return the contents of a part of the input.

        Args:
            part: The part.
            context: Its context.
            warn: Takes diagnostics that are not errors.

        Raises:
            UnreadableError: It is not valid IR.
        """
        raise NotImplementedError

    def emit(self, parsed: Parsed, context: Any) -> str | bytes:
        """Return the result as it is written.

        Args:
            parsed: The op and its resources, when all passes have run.
            context: Its context.

        Raises:
            Exception: Whatever printing raises for IR that it does not take.
        """
        return self.adapter.print_op(parsed.op, self.settings.printing) + "\n"

    def version(self) -> str:
        """Return the name and the version of the IR."""
        return self.adapter.name

    def dialect_names(self) -> Iterable[str]:
        """Return the names of the dialects that are available."""
        return ()


@runtime_checkable
class BringsFrontend(Protocol):
    """Optional ability of an adapter: tools such as `passel-opt` can read and print its IR."""

    def make_frontend(self) -> Frontend:
        """Return what reads and prints files for one run of a tool."""
        ...


def frontend_of(
    adapter: IRAdapter, *, implicit_module: bool = False, allow_unregistered: bool = False
) -> Frontend:
    """Return a frontend that reads the single op at the top of a text.

    Args:
        adapter: The adapter of the IR.
        implicit_module: Whether several ops at the top are put in a module.
        allow_unregistered: Whether contexts that it makes take ops of unknown dialects.

    Raises:
        AdapterError: The IR has no files.
    """
    brings = ability_of(adapter, BringsFrontend)
    if brings is None:
        raise AdapterError(f"the adapter of '{adapter.name}' cannot read files")
    frontend = brings.make_frontend()
    frontend.configure(FrontendSettings(implicit_module, allow_unregistered))
    return frontend


@runtime_checkable
class TakesDialects(Protocol):
    """Optional ability of an adapter: contexts with dialects that no installed package brings.

    Tools take such dialects from their authors, and from plugins.
    """

    def is_dialect(self, thing: Any) -> bool:
        """Return whether something that a plugin defines is a dialect of this IR."""
        ...

    def with_dialects(self, dialects: Sequence[Any]) -> Any:
        """Return an adapter like this one whose contexts have more dialects.

        Args:
            dialects: The dialects, which replace others of their names.

        Raises:
            DefinitionError: One is not a dialect of this IR.
        """
        ...


@runtime_checkable
class WritesSources(Protocol):
    """Optional ability of an adapter: IR as a file that reads back as the same IR.

    Reproducers use it; without it they hold what `print_op` prints.
    """

    def print_source(self, op: Any, context: Any, *, locations: bool = False) -> str:
        """Return `op` in its most faithful form, without a final newline.

        It includes parts of the file such as resources.
        """
        ...

    def readable_source(self, text: str, context: Any) -> str:
        """Return such a text in its usual form if that loses nothing, else as it is."""
        ...

    def reading_flags(self, op: Any, context: Any) -> Sequence[str]:
        """Return the flags that `passel-opt` needs to read it."""
        ...

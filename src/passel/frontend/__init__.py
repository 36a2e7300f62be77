"""Frontends, which read and write the files of an IR for tools such as passel-opt.

A tool supports every IR whose adapter has a frontend (see `IRAdapter.make_frontend`).
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from passel.diagnostics import Diagnostic, Location, Severity
from passel.errors import PasselError
from passel.ir import PrintFlags, adapter_named

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from passel.frontend.resources import ExternalResource
    from passel.ir import IRAdapter


class UsageError(PasselError):
    """An error in the command line of a tool.

    The message is shown to the user. A tool raises this error before it processes any input, or
    when it cannot write an output file. For mistakes in the input, a tool raises other errors.
    """


class UnreadableError(Exception):
    """The error for a part of the input that is not valid IR.

    Attributes:
        diagnostics: The errors in the input.

    Raises:
        TypeError: If an element of `diagnostics` is not a `Diagnostic`.
    """

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        if any(type(each) is not Diagnostic for each in diagnostics):
            way_out = "write [Diagnostic(Severity.ERROR, message, part.location(offset))]"
            raise TypeError(f"UnreadableError takes diagnostics, not {diagnostics!r}; {way_out}")
        super().__init__("".join(f"{each}\n" for each in diagnostics))
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)


@dataclass(slots=True)
class Flag:
    """A command-line flag with the syntax of LLVM's tools.

    Attributes:
        help: The help text in one line, or an empty string to hide the flag from the help.
        metavar: The placeholder for the value of the flag, or an empty string for a boolean flag.
        default: The value of the flag if the command line does not contain the flag. If `default`
            is omitted, the value is None for a flag with `parse`. For any other flag, the value is
            False if the flag is boolean, and an empty string otherwise.
        implied: The value of a flag that is given without `=value`; None if a value is required.
        short: The alternative names of the flag.
        choices: The allowed values; by default, the alternatives in a metavar such as
            `<list|tree>`. Without choices, any value is allowed.
        repeated: Whether the flag can be given several times to collect several values.
        parse: A function that converts the text of a value. For an invalid text, the function
            raises a `ValueError`. The error message, for example `must be a positive number`, ends
            a sentence that starts with the flag.
        ir: The name of the IR that the flag applies to, or an empty string for all IRs.
        name: The long name of the flag, without dashes.
        common: Whether the short help lists the flag.
        replayed: Whether a replay needs the flag to reproduce the run.
        searched: Whether passel-bisect and passel-reduce also accept the flag.
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
        """Set the name from the class attribute, with dashes instead of underscores."""
        self.name = name.replace("_", "-")


class FrontendSettings(NamedTuple):
    """The command-line settings for reading and printing IR.

    Attributes:
        implicit_module: Whether top-level ops other than a module are wrapped in a module.
        allow_unregistered: Whether ops of unregistered dialects are accepted.
        threading: Whether the IR's own passes may use several threads.
        printing: The flags for printing the resulting IR.
        own: A mapping from the name of each flag that the frontend defines to the value of the
            flag.
    """

    implicit_module: bool = True
    allow_unregistered: bool = False
    threading: bool = True
    printing: PrintFlags = PrintFlags()
    own: Mapping[str, Any] = {}


class SourcePart(NamedTuple):
    """A part of the input, or the whole input if the input is not split.

    Attributes:
        text: The text of the part, or its bytes if the input is binary.
        name: The name of the input in diagnostics.
        line_offset: The number of lines in the file that precede the part.
        column: The column in which the part starts, counted from 1. For the first part, the value
            is 0.
        path: The path of the file if the part is a whole file that can be read again; otherwise
            None.
        is_reproducer: Whether the part is a reproducer, which contains the pipeline to run.
        starts_at: If the part is from a record, the ordinals, below the top-level op, of the op
            that the place of `--start-after` names. The pass may have given it another symbol.
    """

    text: Any
    name: str
    line_offset: int = 0
    column: int = 0
    path: str | None = None
    is_reproducer: bool = False
    starts_at: tuple[int, ...] = ()

    @classmethod
    def from_file(cls, path: str | Path) -> SourcePart:
        """Return the text of a whole file. Bytes that are not UTF-8 become lone surrogates."""
        return cls(Path(path).read_text("utf-8", "surrogateescape"), str(path))

    def location(self, offset: int) -> Location:
        """Return the location in the input that corresponds to an offset in this part."""
        before = self.text[:offset].split("\n")
        return Location(self.name, self.line_offset + len(before), len(before[-1]) + 1)


class Parsed(NamedTuple):
    """The parsed contents of a part of the input.

    Attributes:
        op: The top-level op of the part.
        resources: The external resources of the part, which are stored outside the op.
    """

    op: Any
    resources: Sequence[ExternalResource] = ()


class Frontend:
    """The base class of frontends, which read and print an IR.

    A frontend object is used for a single run of a tool. `configure` is called once, before all
    other methods.

    Args:
        adapter: The adapter of the IR, which the default implementations of the methods use.

    Attributes:
        flags: The flags that the frontend adds to the flags of the tool.
        refused: The tool's flags that the frontend does not support: a mapping from the name of
            each flag to the reason. The reason, for example `does not work with this IR`, ends a
            sentence that starts with the flag.
        verifies: Whether parsing includes verification.
        reads_files: Whether the frontend opens files itself, including binary files.
        byte_columns: Whether the columns of locations count bytes instead of characters.
        is_native: Whether the IR's own passes are native code, which can start threads and delay
            Ctrl-C for a long time.
        settings: The settings from the command line.
    """

    flags: ClassVar[Sequence[Flag]] = ()
    refused: ClassVar[Mapping[str, str]] = {}
    verifies: bool = False
    reads_files: bool = False
    byte_columns: bool = False
    is_native: bool = False

    def __init__(self, adapter: IRAdapter) -> None:
        self.adapter: IRAdapter = adapter
        self.settings: FrontendSettings = FrontendSettings()

    def configure(self, settings: FrontendSettings) -> None:
        """Store the settings from the command line.

        Raises:
            UsageError: If the value of a flag is invalid.
        """
        self.settings = settings

    def is_binary(self, data: bytes, name: str) -> bool:
        """Return whether an input is in a binary form of the IR.

        Args:
            data: The contents of the input.
            name: The name of the input in error messages.

        Raises:
            UsageError: If the form of the input is not supported.
        """
        return False

    def new_context(self) -> Any:
        """Return a new context for a part of the input."""
        return self.adapter.create_context()

    def set_threading(self, context: Any, enable: bool) -> None:
        """Set whether the IR's own passes may use several threads."""

    def parse(self, part: SourcePart, context: Any, warn: Callable[[Diagnostic], None]) -> Parsed:
        """Parse a part of the input, and return the parsed contents.

        Args:
            part: The part of the input.
            context: The context for the part.
            warn: A function to call with each diagnostic that is not an error.

        Raises:
            UnreadableError: If the part is not valid IR.
        """
        raise NotImplementedError

    def read(self, part: SourcePart, context: Any, warn: Callable[[Diagnostic], None]) -> Parsed:
        """Parse a part of the input, including the external resources at the end of the part.

        If the IR's own syntax includes external resources, override `read` instead of `parse`.

        Raises:
            UnreadableError: If the part is not valid IR, or the parser crashed.
        """
        resources: list[ExternalResource] = []
        if isinstance(part.text, str):
            from passel.frontend.resources import cut_resources  # noqa: PLC0415 - MLIR does not need it

            text, resources = cut_resources(part.text)
            part = part._replace(text=text)
        try:
            parsed = self.parse(part, context, warn)
        except (UnreadableError, PasselError):
            raise
        except Exception as error:
            from passel.tracebacks import brief_at  # noqa: PLC0415 - only needed in this case

            message = f"parser crashed: {brief_at(error)}"
            crash = Diagnostic(Severity.ERROR, message, Location(part.name))
            raise UnreadableError([crash]) from error
        return parsed._replace(resources=[*parsed.resources, *resources])

    def emit(self, parsed: Parsed, context: Any) -> str | bytes:
        """Return the text or bytes that a tool writes for a processed part of the input.

        Args:
            parsed: The op and its resources after all passes have run.
            context: The context of the op.

        Raises:
            Exception: If the IR cannot be printed. The type of the exception depends on the IR.
        """
        return self.adapter.print_op(parsed.op, self.settings.printing) + "\n"

    def version(self) -> str:
        """Return the name and the version of the IR."""
        return self.adapter.name

    def dialect_names(self) -> Iterable[str]:
        """Return the names of the available dialects."""
        return ()


def frontend_of(
    adapter: IRAdapter | str,
    *,
    implicit_module: bool = False,
    allow_unregistered: bool = False,
    parse: Callable[[str], Any] | None = None,
) -> Frontend:
    """Return a frontend that is configured without a command line.

    Args:
        adapter: The adapter of the IR, or the name of an installed adapter.
        implicit_module: Whether top-level ops other than a module are wrapped in a module.
        allow_unregistered: Whether ops of unregistered dialects are accepted.
        parse: A function that parses a text and returns an op, for an IR without a frontend.

    Raises:
        AdapterError: If the IR is not installed, or has no frontend and `parse` is None.
    """
    adapter = adapter_named(adapter) if isinstance(adapter, str) else adapter
    frontend: Frontend = Frontend(adapter) if parse else adapter.make_frontend()
    if parse is not None:
        frontend.parse = lambda part, context, warn: Parsed(parse(part.text))  # noqa: ARG005
    frontend.configure(FrontendSettings(implicit_module, allow_unregistered))
    return frontend

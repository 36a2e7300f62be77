"""Parse command lines in the style of LLVM's tools.

Flags start with one or two dashes. The value of a flag follows `=`. If the flag requires a value,
the value can also be the next argument. The name of every registered pass and pipeline is also a
flag, whose value contains the options.

Source: `llvm::cl::ParseCommandLineOptions`, LLVM 22. argparse does not support single-dash long
flags with optional values, and does not keep the order of flags.
"""

from __future__ import annotations

import math
import re
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, cast

from passel.diagnostics import closest, suggest
from passel.frontend import Flag, UsageError
from passel.passes.numbers import read_bool

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from passel.instruments.terminals import Color
    from passel.passes import PassRegistry

PROGRAM = "passel-opt"

_ATTACHED = re.compile(r"--?(j(?=[0-9]+$)|I(?=.))([^=].*)")
"""A one-letter flag that its value follows, as in `-j4` and `-Iinclude`."""

_REASONS = {
    "MLIR's bindings cannot turn on debug output; --mlir-print-ir-diff and "
    "--log-actions-to=<file> show what passes do": "debug debug-only",
    "use --mlir-debug-counter, which counts executions of passes": "debug-counter",
    "use --mlir-pass-statistics, with --mlir-pass-statistics-display=json for JSON": "stats "
    "stats-json",
    "use --help-all to list all flags, or --list-passes": "help-hidden help-list help-list-hidden",
    "use --dump-pass-pipeline to print all options": "print-options print-all-options",
    "MLIR's bindings always write all resource data": "elide-resource-data-from-bytecode",
    "use --log-actions-to or --mlir-debug-counter": "mlir-enable-debugger-hook",
    "MLIR's bindings do not support this flag": "mlir-print-unique-ssa-ids mlir-print-value-users "
    "mlir-print-elementsattrs-with-hex-if-larger",
    "passel writes no object files": "remarks-section",
    "add --compat=xdsl to use the flags of xdsl-opt": "frontend f parsing-diagnostics "
    "print-no-properties shrink syntax-highlight",
}
NOT_HERE = {name: reason for reason, names in _REASONS.items() for name in names.split()}
"""Flags of mlir-opt and xdsl-opt that passel-opt does not support, each with a hint."""


class UnknownFlagError(UsageError):
    """The error for a flag that is neither a flag of the tool nor the name of a pass.

    Attributes:
        name: The name of the unknown flag.
    """

    def __init__(self, name: str, message: str) -> None:
        super().__init__(message)
        self.name: str = name


class GivenFlag(NamedTuple):
    """A flag on the command line.

    Attributes:
        flag: The declaration of the flag.
        name: The name with dashes, as typed, such as `-p`.
        text: The text of the value; None if the command line contains no value for the flag.
        value: The parsed value.
    """

    flag: Flag
    name: str
    text: str | None
    value: Any

    def __str__(self) -> str:
        """Return the flag by its long name, such as `--ir=mlir`."""
        return f"--{self.flag.name}" + (f"={self.text}" if self.text is not None else "")


class PassFlag(NamedTuple):
    """A pass or pipeline that is given as a flag, with the text of its options."""

    name: str
    options: str | None


class CommandLine:
    """A parsed command line.

    Attributes:
        words: The arguments before parsing.
        flags: The flags on the command line, in order.
        passes: The passes and pipelines that are given as flags, in order.
        inputs: The positional arguments, in order. After `read_known_flags`, all arguments that it
            has not parsed.
    """

    def __init__(self, words: Sequence[str]) -> None:
        self.words: tuple[str, ...] = tuple(words)
        self.flags: list[GivenFlag] = []
        self.passes: list[PassFlag] = []
        self.inputs: list[str] = []

    def value(self, flag: Flag) -> Any:
        """Return the last value of a flag; for a repeatable flag, return all values as a tuple.

        If the command line does not contain the flag, return its default value; for a repeatable
        flag, return an empty tuple.
        """
        given = [each.value for each in self.flags if each.flag.name == flag.name]
        if flag.repeated:
            return tuple(given)
        return given[-1] if given else flag.default


def read_known_flags(words: Sequence[str], flags: Mapping[str, Flag]) -> CommandLine:
    """Parse some flags of a command line, and store all other arguments in `inputs`.

    Some flags must be known before the command line can be parsed. Flags with invalid values count
    as other arguments, whose parser reports them.

    Args:
        words: The command-line arguments.
        flags: A mapping from the long and short names of the flags to the flags.
    """
    line, rest = CommandLine(words), list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            line.inputs += [word, *rest]
            break
        if not word.startswith("-") or (given := _flag_in(word, flags)) is None:
            line.inputs.append(word)
        else:
            try:
                line.flags.append(_read(*given, rest))
            except UsageError:
                line.inputs.append(word)
    return line


def read_flags(
    words: Sequence[str],
    flags: Mapping[str, Flag],
    passes: PassRegistry,
    program: str = PROGRAM,
    *,
    several: bool = False,
) -> CommandLine:
    """Parse a command line.

    Args:
        words: The command-line arguments.
        flags: A mapping from the long and short names of the program's flags to the flags.
        passes: The registered passes and pipelines, which are accepted as flags.
        program: The name of the program, as printed in hints.
        several: Whether to accept more than one positional argument.

    Raises:
        UsageError: If an argument is invalid. The error reports the first invalid argument.
    """
    line = CommandLine(words)
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "--":
            line.inputs += rest
            break
        if not word.startswith("-") or word == "-":
            if word.startswith("@") and not Path(word).exists():
                how = f"xargs {program} < {word[1:]}"
                raise UsageError(f"'{word}': response files are not supported; write {how}")
            line.inputs.append(word)
            continue
        name, equals, value = word.lstrip("-").partition("=")
        if (given := _flag_in(word, flags)) is not None:
            line.flags.append(_read(*given, rest))
        elif name in passes:
            line.passes.append(PassFlag(name, value if equals else None))
        elif name in NOT_HERE:
            raise UsageError(f"'{word}' is not available: {NOT_HERE[name]}")
        else:
            close = closest(name, [*flags, *(info.name for info in passes.entries())])
            dashes = "-" if len(close) == 1 else "--"
            hint = f"; did you mean '{dashes}{close}'?" if close else ""
            message = f"unknown command line argument '{word}'{hint}\nTry '{program} --help'"
            raise UnknownFlagError(name, message)
    if len(line.inputs) > 1 and not several:
        first, second, *_ = line.inputs
        raise UsageError(f"expected one input, got '{first}' and '{second}'")
    return line


def _flag_in(word: str, flags: Mapping[str, Flag]) -> tuple[Flag, str, str | None] | None:
    """Return the flag in an argument, as typed, and the text of its value; None for no flag."""
    name, equals, value = word.lstrip("-").partition("=")
    attached = _ATTACHED.fullmatch(word)
    if attached and name not in flags and attached[1] in flags:
        name, equals, value = attached[1], "=", attached[2]
    flag, typed = flags.get(name), word.removesuffix(f"{equals}{value}")
    return flag and (flag, typed, value if equals else None)


def _read(flag: Flag, typed: str, text: str | None, rest: list[str]) -> GivenFlag:
    """Return a flag with its value, which may be the first of the remaining arguments."""
    if text is None and flag.metavar and flag.implied is None:
        if not rest:
            between = " " if len(typed.lstrip("-")) == 1 else "="
            raise UsageError(f"'{typed}' requires a value: write {typed}{between}{flag.metavar}")
        text = rest.pop(0)
    return GivenFlag(flag, typed, text, _value(flag, typed, text))


def _value(flag: Flag, typed: str, text: str | None) -> Any:
    if not flag.metavar:
        try:
            return read_bool(text or "")
        except ValueError:
            problem = f"'{typed}' takes true, false or no value, but got '{text}'"
            raise UsageError(problem) from None
    if text is None:
        text = flag.implied or ""
    if flag.choices and text not in flag.choices:
        hint = suggest(text, flag.choices)
        choices = ", ".join(flag.choices)
        raise UsageError(f"'{typed}' takes one of {choices}, not '{text}'{hint}")
    if flag.parse is None:
        return text
    try:
        return flag.parse(text)
    except ValueError as error:
        raise UsageError(f"'{typed}' {error}") from None


_NUMBER = re.compile(r"[0-9]{1,18}")


def number_of(text: str) -> int:
    """Parse the value of a flag as a nonnegative integer."""
    if not _NUMBER.fullmatch(text):
        raise ValueError(f"takes a number, not '{text}'")
    return int(text)


def names_of(text: str) -> tuple[str, ...]:
    """Parse the value of a flag as a comma-separated list of names."""
    return tuple(name for each in text.split(",") if (name := each.strip()))


def plugin_of(text: str) -> str:
    """Check that the value of a plugin flag is not empty, and return the value."""
    if not text:
        raise ValueError("requires a value: the file or module of a plugin")
    return text


def color_of(text: str) -> Color:
    """Parse the value of `--color`, which can be a boolean as in LLVM's tools."""
    if text in {"always", "true", "1"}:
        return "always"
    return "never" if text in {"never", "false", "0"} else "auto"


def verify_mode_of(text: str) -> bool | Literal["always"]:
    """Parse the value of `--verify-each`, which is a boolean or `always`."""
    return "always" if text == "always" else text in {"true", "1"}


def seconds_of(text: str) -> float:
    """Parse the value of a flag as a positive number of seconds.

    Raises:
        ValueError: If the text is not a positive number.
    """
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0
    if not 0 < seconds < math.inf:
        raise ValueError(f"takes a positive number of seconds, not '{text}'")
    return seconds


DITTO = '"'
"""The help of a flag that shares a line and a help text with the preceding flag."""

flag: Callable[..., Any] = cast("Callable[..., Any]", Flag)
"""Declares a flag in a class attribute, which is annotated with the type of the flag's value."""


class FlagGroup:
    """A group of flags and their values.

    A subclass declares the flags, and the instances of the subclass store the values of the flags.
    The docstring of the subclass is the heading of the group in `--help`.

    Attributes:
        flags: The declared flags. The key of each flag is the name of the attribute that stores the
            value of the flag.
        line: The parsed command line.
    """

    flags: ClassVar[dict[str, Flag]] = {}

    def __init_subclass__(cls) -> None:
        """Collect the flags that the class and its bases declare."""
        inherited = {name: each for base in cls.__mro__[1:] for name, each in _flags_of(base)}
        own = _flags_of(cls)
        for (_, above), (_, each) in pairwise(own):
            each.help = above.help if each.help == DITTO else each.help
        cls.flags = inherited | dict(own)

    @classmethod
    def title(cls) -> str:
        """Return the heading of the group in `--help`."""
        return (cls.__doc__ or "").rstrip(".")

    def __init__(self, line: CommandLine) -> None:
        self.line: CommandLine = line
        for name, declared in self.flags.items():
            setattr(self, name, line.value(declared))


def _flags_of(kind: type) -> list[tuple[str, Flag]]:
    return [(name, each) for name, each in vars(kind).items() if isinstance(each, Flag)]

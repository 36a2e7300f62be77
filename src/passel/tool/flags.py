"""A command line, read as LLVM's tools read theirs.

One or two dashes are the same; values follow `=` or, unless the flag is boolean, as the next
argument; every registered pass and pipeline is a flag too, whose options follow `=`.

Source: `llvm::cl::ParseCommandLineOptions`, LLVM 22. Not argparse: it has neither single-dash
long flags with optional values nor an order among flags.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from passel.diagnostics import suggest
from passel.tool.flag_table import FLAGS, NOT_HERE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from passel.tool.flag_table import Flag

PROGRAM = "passel-opt"


class UsageError(Exception):
    """The command line is wrong; the message is for the user."""


class PassFlag(NamedTuple):
    """A pass or pipeline given as a flag of its own."""

    name: str
    options: str | None


@dataclass(slots=True)
class Arguments:
    """A command line that has been read.

    Attributes:
        given: Values of the flags that were given, by long name; the last one counts.
        lists: All values of repeated flags.
        passes: Passes given as flags, in order.
        inputs: What is no flag, in order.
        stray: Those inputs that may be meant as options of the pass given just before.
        words: All of it as it was given.
    """

    given: dict[str, bool | str] = field(default_factory=dict[str, "bool | str"])
    lists: dict[str, list[str]] = field(default_factory=dict[str, list[str]])
    passes: list[PassFlag] = field(default_factory=list[PassFlag])
    inputs: list[str] = field(default_factory=list[str])
    stray: dict[str, str] = field(default_factory=dict[str, str])
    words: list[str] = field(default_factory=list[str])

    def flag(self, name: str) -> bool:
        """Return a boolean flag's value."""
        return bool(self.given.get(name, FLAGS[name].default))

    def text(self, name: str) -> str:
        """Return a flag's value, its default if it was not given."""
        return str(self.given.get(name, FLAGS[name].default))


def flags_in(words: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the flags of a command line, each with its value if it has one.

    For what has to be known before they can be read; nothing is checked.
    """
    for index, word in enumerate(words):
        if word == "--":
            return
        if word.startswith("-"):
            name, equals, value = word.lstrip("-").partition("=")
            yield name, value if equals else "".join(words[index + 1 : index + 2])


def read_flags(
    argv: Sequence[str], is_pass: Callable[[str], bool], names: Callable[[], list[str]]
) -> Arguments:
    """Read a command line.

    Args:
        argv: The arguments without the program's name.
        is_pass: Whether a name is a registered pass or pipeline.
        names: All their names, asked only to suggest one.

    Raises:
        UsageError: For the first argument that is wrong.
    """
    arguments = Arguments(words=list(argv))
    rest = list(argv)
    after_pass = ""
    while rest:
        word = rest.pop(0)
        if word == "--":
            arguments.inputs += rest
            break
        if not word.startswith("-") or word == "-":
            if after_pass and "=" in word:
                arguments.stray[word] = after_pass
            arguments.inputs.append(word)
            after_pass = ""
            continue
        after_pass = ""
        name, equals, value = word.lstrip("-").partition("=")
        flag = FLAGS.get(name)
        if flag is not None:
            given = _value(flag, word, value if equals else None, rest)
            if flag.repeated:
                arguments.lists.setdefault(flag.name, []).append(str(given))
            arguments.given[flag.name] = given
        elif is_pass(name):
            arguments.passes.append(PassFlag(name, value if equals else None))
            after_pass = "" if equals else name
        elif name in NOT_HERE:
            raise UsageError(f"'{word}' is not available: {NOT_HERE[name]}")
        else:
            hint = suggest(name, [*FLAGS, *names()]).replace("did you mean '", "did you mean '--")
            raise UsageError(
                f"unknown command line argument '{word}'{hint}\nTry '{PROGRAM} --help'"
            )
    _check(arguments)
    return arguments


def _value(flag: Flag, word: str, attached: str | None, rest: list[str]) -> bool | str:
    if not flag.metavar:
        return _boolean(word, attached)
    if attached is None:
        if flag.implied is not None:
            return flag.implied
        if not rest:
            raise UsageError(f"'{word}' requires a value: {word}={flag.metavar}")
        attached = rest.pop(0)
    if flag.choices and attached not in flag.choices:
        hint = suggest(attached, flag.choices)
        name = word.partition("=")[0]
        raise UsageError(f"'{name}' takes one of {', '.join(flag.choices)}, not '{attached}'{hint}")
    return attached


def _boolean(word: str, attached: str | None) -> bool:
    match attached:
        case None | "" | "true" | "TRUE" | "True" | "1":
            return True
        case "false" | "FALSE" | "False" | "0":
            return False
        case _:
            name = word.partition("=")[0]
            raise UsageError(f"'{name}' takes true or false, or no value, not '{attached}'")


def stray_hint(arguments: Arguments) -> str:
    """Return how to write what was taken for an input but looks like a pass's options."""
    for options, name in arguments.stray.items():
        return f"; options are attached to their pass: --{name}='{options}'"
    return ""


def _check(arguments: Arguments) -> None:
    if len(arguments.inputs) > 1:
        first, second, *_ = arguments.inputs
        raise UsageError(f"more than one input: '{first}' and '{second}'{stray_hint(arguments)}")
    if arguments.text("pass-pipeline") and arguments.passes:
        raise UsageError(
            "'--pass-pipeline' can't be used with individual pass options such as "
            f"'--{arguments.passes[0].name}'"
        )

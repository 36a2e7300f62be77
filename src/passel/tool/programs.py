"""Help texts of all programs, and entry points of the programs other than passel-opt.

The template for the help of passel-opt and similar tools:

{name}: run nested pass pipelines on {subject}.

Usage: {name} [<file>|-] [flags]

Examples:
  {name} in.mlir -p 'builtin.module(func.func(cse,canonicalize),symbol-dce)'
  {name} in.mlir --cse --canonicalize='max-iterations=2' -o out.mlir
  {name} in.mlir -p cse,convert-scf-to-cf            (xDSL's flat form)
  {name} in.mlir --load-pass-plugin=my_pass.py --my-pass
  {name} tests.mlir --split-input-file --verify-diagnostics

Without a pipeline, {default}. Diagnostics and reports are printed to standard error.
The exit code is 0 on success, 1 after an error, and 128 + n after signal n.

Passes and pipelines can also be given as flags: see --list-passes.
"""

from __future__ import annotations

import shlex
import shutil
import sys
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from passel._version import __version__
from passel.errors import DefinitionError
from passel.frontend import UsageError
from passel.ir.left_out import warn
from passel.passes import PassInfo, PassPipelineInfo, PassRegistry
from passel.specification.markdown import entries, entry_of, option_help, pipeline_entry
from passel.tool.flags import PROGRAM, FlagGroup, flag, flag_for, flags_in, read_flags, seconds_of
from passel.tool.irs import ToolDefinition
from passel.tool.output import put
from passel.tool.process import guarded, prepare_process
from passel.tool.settings import GROUPS, InformationFlags, Settings, by_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from passel.frontend import Flag
    from passel.passes import Pass
    from passel.passes.options import OptionInfo
    from passel.record import Record, RunInfo
    from passel.tool.flags import CommandLine
    from passel.tool.irs import IRChoice

_WIDTH = 44

_HELP, _VERSION = (InformationFlags.flags[name] for name in ("help", "version"))
ABOUT = ("Information", [replace(_HELP, help="show this help"), _VERSION])
"""The group of flags that all programs have."""


class Program(NamedTuple):
    """A program with its flags and its help text.

    Attributes:
        doc: The docstring of the program's module. The paragraphs contain, in this order, the name
            and purpose, the usage, examples, and notes.
        groups: The title and the flags of each group. Flags without a help text are hidden.
    """

    doc: str
    groups: Sequence[tuple[str, Sequence[Flag]]]

    @classmethod
    def of(
        cls, doc: str | None, own: type[FlagGroup], takes: Callable[[Flag], bool] = lambda _: False
    ) -> Program:
        """Create a program.

        Args:
            doc: The docstring of the program's module.
            own: The group of the flags that the program itself declares.
            takes: A predicate that selects the flags of passel-opt that the program also accepts.
        """
        groups = [(own.title(), list(own.flags.values()))]
        groups += [(each.title(), [*filter(takes, each.flags.values())]) for each in GROUPS]
        return cls(doc or "", [*groups, ABOUT])

    @property
    def name(self) -> str:
        """The name of the program."""
        return self.doc.partition(":")[0]


def help_text(program: Program) -> str:
    """Return the text of `--help`. Adjacent flags with the same help text share a line."""
    summary, usage, *notes = program.doc.strip().split("\n\n")
    lines = [summary.removesuffix("."), usage, ""]
    if notes[0].startswith("Examples:"):
        lines += [notes.pop(0), ""]
    for title, flags in program.groups:
        shown = groupby((flag for flag in flags if flag.help), lambda flag: flag.help)
        rows = [(", ".join(map(_usage, same)), text) for text, same in shown]
        lines += [f"{title}:"] * bool(rows)
        lines += [f"  {left:<{_WIDTH}} {text}" for left, text in rows]
    return "\n".join([*lines, "", "\n\n".join(notes)]) + "\n"


def _usage(flag: Flag) -> str:
    """Return the names of a flag, and the syntax of its value."""
    names = [f"-{name}" for name in flag.short if len(name) == 1]
    value = f"={flag.metavar}" if flag.metavar else ""
    if flag.implied is not None:
        value = f"[{value}]"
    dashes = "-" if len(flag.name) == 1 else "--"
    return ", ".join([*names, f"{dashes}{flag.name}{value}"])


def run_program(
    program: Program, argv: Sequence[str] | None, run: Callable[[CommandLine], int]
) -> int:
    """Run a program that does not accept passes as flags, and return the exit code.

    Args:
        program: The program.
        argv: The command-line arguments; by default `sys.argv[1:]`.
        run: A function that runs the program on the parsed command line and returns the exit code.
    """

    def read_and_run(words: Sequence[str]) -> int:
        flags = (each for _, group in program.groups for each in group)
        line = read_flags(words, by_name(flags), PassRegistry(), program.name, several=True)
        asked = InformationFlags(line)
        if asked.help:
            return put(help_text(program))
        if asked.version:
            return put(f"{program.name} (passel {__version__})\n")
        return run(line)

    return start(program.name, argv, read_and_run)


def start(name: str, argv: Sequence[str] | None, run: Callable[[Sequence[str]], int]) -> int:
    """Run a program on `argv`. If `argv` is None, prepare the process and use `sys.argv`."""
    if argv is None:
        prepare_process()
    words = sys.argv[1:] if argv is None else list(argv)
    return guarded(name, words, lambda: run(words))


_WIDEST_OPTION = 60


def information(settings: Settings) -> str:
    """Return the text that an information flag such as `--list-passes` prints.

    Raises:
        UsageError: If `--help-pass` names an unknown pass.
    """
    tool, ir = settings.tool, settings.choice
    if settings.help or settings.help_all:
        return _opt_help(tool, ir, whole=settings.help_all)
    if settings.version:
        return version(tool, ir)
    if settings.show_dialects:
        return f"Available Dialects: {','.join(ir.frontend.dialect_names())}\n"
    if settings.help_pass:
        return _help_pass(settings.help_pass, settings.registry)
    return _list_passes(settings.registry)


def _opt_help(tool: ToolDefinition, ir: IRChoice, *, whole: bool) -> str:
    """Return the help of a tool, without flags of IRs that it does not support.

    Args:
        tool: The tool.
        ir: The IR.
        whole: Whether to show all flags and no examples, instead of only common flags.
    """
    only = ir.name if tool.adapter is not None else ""

    def is_shown(flag: Flag) -> bool:
        return flag.ir in {"", only or flag.ir} and (whole or flag.common)

    groups = [(each.title(), [*filter(is_shown, each.flags.values())]) for each in GROUPS]
    groups += [(ir.name, [*ir.own_flags]), (tool.name, [*tool.flags])]
    subject = f"{only} files" if only else "MLIR text, using xDSL or MLIR"
    default = f"'{tool.pipeline}' runs" if tool.pipeline else "the input is verified and printed"
    head, usage, examples, notes, closing = (__doc__ or "").split("\n\n")[-5:]
    paragraphs = [head, usage, notes, closing] if whole else [head, usage, examples, closing]
    doc = "\n\n".join(paragraphs).format(name=tool.name, subject=subject, default=default)
    return help_text(Program(doc, groups))


def version(tool: ToolDefinition, ir: IRChoice) -> str:
    """Return the versions of a tool, of passel and of the IR as text."""
    passel = f"passel {__version__}"
    if tool.name == PROGRAM:
        return f"{passel} ({ir.version()})\n"
    return f"{' '.join(filter(None, (tool.name, tool.version)))} ({passel}, {ir.version()})\n"


def _list_passes(registry: PassRegistry) -> str:
    """Return the text of `--list-passes`: passes in mlir-opt's format, then pipelines."""
    text = "Passes:\n" + _listing(
        (info.name, each.summary(), each.option_infos()) for info, each in _loaded_passes(registry)
    )
    pipelines = [
        (info.name, info.summary, info.options.option_infos() if info.options else ())
        for info in registry.entries()
        if isinstance(info, PassPipelineInfo)
    ]
    return text + "Pass Pipelines:\n" + _listing(pipelines) if pipelines else text


def _help_pass(name: str, registry: PassRegistry) -> str:
    """Return the text of `--help-pass`: the documentation of a pass or pipeline in Markdown.

    Raises:
        UsageError: If there is no such pass or pipeline.
    """
    info = registry.lookup(name)
    if info is None:
        hint = registry.suggest(name)
        raise UsageError(f"'--help-pass': there is no pass '{name}'{hint}")
    entry = entry_of(info.pass_class) if isinstance(info, PassInfo) else pipeline_entry(info)
    return entries([entry]).lstrip("\n")


def _loaded_passes(registry: PassRegistry) -> Iterator[tuple[PassInfo, type[Pass[Any, Any]]]]:
    """Yield all passes with their classes; report all that cannot be loaded."""
    for info in registry.passes():
        try:
            yield info, info.pass_class
        except DefinitionError as error:
            warn(str(error))


def _listing(entries: Iterable[tuple[str, str, tuple[OptionInfo, ...]]]) -> str:
    rows: list[tuple[str, str]] = []
    for name, summary, options in entries:
        rows.append((f"  --{name}", f"-   {summary}" if summary else ""))
        for option in sorted(options, key=lambda option: option.name):
            value = f"={option.codec.metavar}" if option.codec.metavar else ""
            rows.append((f"    --{option.name}{value}", f"- {option_help(option)}"))
    width = max((len(left) for left, _ in rows if len(left) <= _WIDEST_OPTION), default=0)
    return "".join(f"{left:<{width}} {right}".rstrip() + "\n" for left, right in rows)


# -- Searches ------------------------------------------------------------------------------------


def command_of(text: str) -> list[str]:
    """Split a command into words, and check that the first word names an executable program."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ValueError(f"has {str(error).lower()}") from None
    if words and shutil.which(words[0]) is None:
        raise ValueError(f"cannot be run: '{words[0]}' is not an executable program")
    return words


def function_of(text: str) -> tuple[str, str]:
    """Split `@name(arguments)` into the name of the function and the text of the arguments.

    If the text is `all`, the name is empty.
    """
    symbol, _, arguments = text.partition("(")
    return "" if symbol == "all" else symbol.removeprefix("@"), arguments.removesuffix(")")


class SearchFlags(FlagGroup):
    """Search."""

    interesting: list[str] | None = flag(
        "a command that exits with 0 if the file {} is interesting",
        "<command>",
        parse=command_of,
    )
    computes_else: tuple[str, str] | None = flag(
        "functions whose results must differ: all, @name, or @name(1 : i32)",
        "<function>",
        implied="all",
        parse=function_of,
    )
    timeout: float | None = flag(
        "time limit of a case (10 x the input's time) or of a function (5 s)",
        "<seconds>",
        parse=seconds_of,
    )

    def check_oracle(self) -> None:
        """Check that the flags select at most one oracle.

        Raises:
            UsageError: If the flags select several oracles.
        """
        names = ("interesting", "invalid", "computes_else")
        given = [f"'--{name.replace('_', '-')}'" for name in names if getattr(self, name, None)]
        if len(given) > 1:
            raise UsageError(f"{' and '.join(given)} are mutually exclusive: give only one")


def run_search(program: Program, argv: Sequence[str] | None, run: Callable[[Settings], int]) -> int:
    """Run a search program, and return the exit code.

    Args:
        program: The program.
        argv: The command-line arguments; by default `sys.argv[1:]`.
        run: A function that runs the program with the settings and returns the exit code.
    """
    (_, own), *others = program.groups
    taken = {each.name for _, flags in others for each in flags}
    tool = ToolDefinition(program.name, flags=own, takes=lambda each: each.name in taken)

    def read_and_run(words: Sequence[str]) -> int:
        settings = Settings(words, tool)
        if settings.help:
            return put(help_text(program))
        if settings.version:
            return put(version(tool, settings.choice))
        return run(settings)

    return start(program.name, argv, read_and_run)


def as_recorded(settings: Settings, record: Record, run: RunInfo) -> Settings:
    """Combine settings with the recorded flags that a search needs, and return the result.

    A plugin on the command line replaces a recorded plugin with the same file name.

    Raises:
        UsageError: If the IR of the run is not installed, or a recorded plugin does not exist.
    """
    known = by_name(settings.flags.values())
    given = {Path(file).name for file in settings.load_pass_plugin}
    words = [] if run.ir == "xdsl" else [flag_for(run.ir)]
    for name, value in flags_in(record.info.command_line[1:]):
        flag = known.get(name)
        if flag is None or flag.name in ("ir", "allow-effects"):
            continue  # the run has an IR, and a file cannot allow effects
        if flag.name == "load-pass-plugin":
            if Path(value).name in given:
                continue
            if value.endswith(".py") and not Path(value).exists():
                missing = f"the record refers to plugin '{value}', which does not exist"
                raise UsageError(f"{missing}; if the file has moved, add --{flag.name}=<new path>")
        if flag.replayed and flag.searched:
            words.append(f"--{flag.name}={value}" if flag.metavar else f"--{flag.name}")
    return Settings([*words, *settings.line.words], settings.tool)

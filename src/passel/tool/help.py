"""Help texts: the flags of a program, and the passes and pipelines of a registry."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

from passel._version import __version__
from passel.diagnostics import log_warning_once
from passel.errors import DefinitionError
from passel.frontend import UsageError
from passel.passes import PassInfo, PassPipelineInfo, PassRegistry
from passel.specification.markdown import entries, entry_of, option_help, pipeline_entry
from passel.tool.command_line import PROGRAM
from passel.tool.flags import GROUPS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from passel.frontend import Flag
    from passel.passes import Pass
    from passel.passes.options import OptionInfo
    from passel.tool.flags import Settings
    from passel.tool.irs import IRChoice, ToolDefinition

_WIDTH = 44

_WIDEST_OPTION = 60

_HEAD = """\
{name}: run nested pass pipelines on {subject}.

Usage: {name} [<file>|-] [flags]
"""

_EXAMPLES = """\
Examples:
  {name} in.mlir -p 'builtin.module(func.func(cse,canonicalize),symbol-dce)'
  {name} in.mlir --cse --canonicalize='max-iterations=2' -o out.mlir
  {name} in.mlir -p cse,convert-scf-to-cf            (xDSL's flat form)
  {name} in.mlir --load-pass-plugin=my_pass.py --my-pass
  {name} tests.mlir --split-input-file --verify-diagnostics
"""

_NOTES = """\
Without a pipeline, {default}. Diagnostics and reports are printed to standard error.
The exit code is 0 on success, 1 after an error, and 128 + n after signal n.
"""

_CLOSING = """\
Passes and pipelines can also be given as flags: see --list-passes.
"""


def help_text(doc: str, groups: Iterable[tuple[str, Iterable[Flag]]]) -> str:
    """Return the text of `--help`. Adjacent flags with the same help text share a line.

    Args:
        doc: Paragraphs with, in this order, the name and purpose of the program, the usage,
            examples, and notes.
        groups: The title and the flags of each group. Flags without a help text are hidden.
    """
    summary, usage, *notes = doc.strip().split("\n\n")
    lines = [summary.removesuffix("."), usage, ""]
    if notes[0].startswith("Examples:"):
        lines += [notes.pop(0), ""]
    for title, flags in groups:
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
    paragraphs = [_HEAD, _NOTES if whole else _EXAMPLES, _CLOSING]
    doc = "\n".join(paragraphs).format(name=tool.name, subject=subject, default=default)
    return help_text(doc, groups)


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
            log_warning_once(str(error))


def _listing(entries: Iterable[tuple[str, str, tuple[OptionInfo, ...]]]) -> str:
    rows: list[tuple[str, str]] = []
    for name, summary, options in entries:
        rows.append((f"  --{name}", f"-   {summary}" if summary else ""))
        for option in sorted(options, key=lambda option: option.name):
            value = f"={option.codec.metavar}" if option.codec.metavar else ""
            rows.append((f"    --{option.name}{value}", f"- {option_help(option)}"))
    width = max((len(left) for left, _ in rows if len(left) <= _WIDEST_OPTION), default=0)
    return "".join(f"{left:<{width}} {right}".rstrip() + "\n" for left, right in rows)

"""Information about the tool itself: help, passes, dialects, versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel._version import __version__
from passel.diagnostics import brief
from passel.errors import DefinitionError
from passel.ir.frontend import UsageError
from passel.ir.left_out import warn
from passel.specification.markdown import entries, entry_of, option_help, pipeline_entry
from passel.tool.flag_groups import GROUPS
from passel.tool.flags import PROGRAM
from passel.tool.help import Program, help_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from passel.passes import Pass, PassInfo, PassRegistry
    from passel.passes.option_fields import OptionInfo
    from passel.tool.irs import IRChoice, ToolDefinition
    from passel.tool.settings import Settings

_WIDEST_OPTION = 60

_EXAMPLES = """\
  {program} in.mlir -p 'builtin.module(func.func(cse,canonicalize),symbol-dce)'
  {program} in.mlir --cse --canonicalize='max-iterations=2' -o out.mlir
  {program} in.mlir -p cse,convert-scf-to-cf            (xDSL's flat form)
  {program} in.mlir --load-pass-plugin=my_pass.py --my-pass
  {program} tests.mlir --split-input-file --verify-diagnostics
"""

_NOTES = """\
Without a pipeline, {default}. Diagnostics and reports go to the error
stream. The exit code is 0 if all went well; 1 if the input, a pass or the command line is at fault;
129, 130 or 143 after SIGHUP, Ctrl-C or SIGTERM. In the environment, NO_COLOR turns colours off,
PASSEL_JOBS is the number of worker processes, and PASSEL_FAST=0 means --no-fast-paths.
"""

_CLOSING = "Passes and pipelines are flags too, in the order given: see --list-passes.\n"


def information(settings: Settings) -> str:
    """Return the information that a flag asks for in place of a run.

    Raises:
        UsageError: It asks about a pass that does not exist.
    """
    asked, tool, ir = settings.information, settings.tool, settings.ir
    if asked.help or asked.help_all:
        return help_text(opt_program(tool, ir, whole=asked.help_all))
    if asked.version:
        return version(tool, ir)
    if asked.show_dialects:
        return f"Available Dialects: {','.join(ir.frontend.dialect_names())}\n"
    if asked.help_pass:
        return _help_pass(asked.help_pass, settings.registry)
    return _list_passes(settings.registry)


def opt_program(tool: ToolDefinition, ir: IRChoice, *, whole: bool) -> Program:
    """Return a tool as a program; one for a single IR has no flags of others.

    Args:
        tool: The tool.
        ir: The IR.
        whole: Whether with all of its flags, not only those that people type.
    """
    only = ir.name if tool.adapter is not None else ""
    fitting = [
        (
            group.title(),
            [
                each
                for each in group.flags.values()
                if each.ir in {"", only or each.ir} and (whole or each.common)
            ],
        )
        for group in GROUPS
    ]
    groups = [*fitting, (ir.name, ir.own_flags), (tool.name, tool.flags)]
    subject = f"{only} files" if only else "MLIR text, with xDSL or MLIR itself"
    summary = f"run nested pass pipelines on {subject}"
    default = f"'{tool.pipeline}' runs" if tool.pipeline else "the input is verified and printed"
    notes = (_NOTES.format(default=default) if whole else "") + _CLOSING
    return Program(
        tool.name, summary, "[<file>|-]", groups, _EXAMPLES.format(program=tool.name), notes
    )


def version(tool: ToolDefinition, ir: IRChoice) -> str:
    """Return the versions of a tool, of passel and of the IR."""
    passel = f"passel {__version__}"
    if tool.name == PROGRAM:
        return f"{passel} ({ir.version()})\n"
    return f"{' '.join(filter(None, (tool.name, tool.version)))} ({passel}, {ir.version()})\n"


def _list_passes(registry: PassRegistry) -> str:
    """Return `--list-passes`: passes as mlir-opt lists them, then pipelines."""
    text = "Passes:\n" + _listing(_passes(registry))
    pipelines = [
        (info.name, info.summary, info.options.option_infos() if info.options else ())
        for info in registry.pipelines()
    ]
    return text + "Pass Pipelines:\n" + _listing(pipelines) if pipelines else text


def _help_pass(name: str, registry: PassRegistry) -> str:
    """Return `--help-pass`: the documentation of a pass or pipeline, as Markdown.

    Raises:
        UsageError: There is none of that name.
    """
    if pipeline := registry.lookup_pipeline(name):
        return entries([pipeline_entry(pipeline)]).lstrip("\n")
    info = registry.lookup_pass(name)
    if info is None:
        hint = registry.suggest(name)
        raise UsageError(f"'--help-pass': there is no pass '{name}'{hint}")
    return entries([entry_of(info.pass_class)]).lstrip("\n")


def _passes(registry: PassRegistry) -> Iterator[tuple[str, str, tuple[OptionInfo, ...]]]:
    for info, pass_class in loaded_passes(registry):
        yield info.name, pass_class.summary(), pass_class.documented_options()


def loaded_passes(registry: PassRegistry) -> Iterator[tuple[PassInfo, type[Pass[Any, Any]]]]:
    """Yield all passes with their classes; those that cannot be loaded are reported together."""
    broken: dict[tuple[str, str], list[str]] = {}
    for info in registry.passes():
        try:
            yield info, info.pass_class
        except DefinitionError as error:
            cause = brief(error.__cause__) if error.__cause__ else str(error)
            broken.setdefault((info.origin, cause), []).append(info.name)
    for (origin, cause), names in broken.items():
        warn(f"passes of {origin} are left out: {cause} ({', '.join(names)})")


def _listing(entries: Iterable[tuple[str, str, tuple[OptionInfo, ...]]]) -> str:
    rows: list[tuple[str, str]] = []
    for name, summary, options in entries:
        rows.append((f"  --{name}", f"-   {summary}" if summary else ""))
        for option in sorted(options, key=lambda option: option.name):
            value = f"={option.metavar}" if option.metavar else ""
            rows.append((f"    --{option.name}{value}", f"- {option_help(option)}"))
    width = max((len(left) for left, _ in rows if len(left) <= _WIDEST_OPTION), default=0)
    return "".join(f"{left:<{width}} {right}".rstrip() + "\n" for left, right in rows)

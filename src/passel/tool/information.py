"""Information about the tool itself: help, passes, dialects, versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel._version import __version__
from passel.diagnostics import brief
from passel.errors import DefinitionError
from passel.ir.frontend import UsageError
from passel.ir.left_out import warn
from passel.specification.classes import entry_of, option_help
from passel.specification.markdown import entries
from passel.tool.flags import PROGRAM

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from passel.passes import Pass, PassInfo, PassRegistry
    from passel.passes.options import OptionInfo
    from passel.tool.definition import ToolDefinition
    from passel.tool.irs import IRChoice
    from passel.tool.settings import Settings

_WIDEST_OPTION = 60


def information(settings: Settings, ir: IRChoice, names: PassRegistry) -> str:
    """Return the information that a flag asks for in place of a run.

    Args:
        settings: The settings of the command line.
        ir: The IR.
        names: The passes that the command line may name.

    Raises:
        UsageError: It asks about a pass that does not exist.
    """
    asked = settings.information
    if asked.complete:
        from passel.tool.completion import completions

        return completions(asked.complete, settings.tool)
    if asked.print_completion or asked.print_manual or asked.help:
        return _about_flags(settings, ir)
    if asked.version:
        return _version(settings.tool, ir)
    if asked.show_dialects:
        return f"Available Dialects: {','.join(ir.frontend.dialect_names())}\n"
    if asked.help_pass:
        return _help_pass(asked.help_pass, names)
    return _help_passes(names) if asked.help_passes else _list_passes(names)


def _about_flags(settings: Settings, ir: IRChoice) -> str:
    from passel.tool.help import HelpPage, help_text

    asked, tool = settings.information, settings.tool
    if shell := asked.print_completion:
        from passel.tool.completion import completion_script

        return completion_script(shell, tool.name)
    page = HelpPage.of(tool, ir)
    if asked.print_manual:
        from passel.tool.manual import manual_page

        return manual_page(page)
    return help_text(page)


def _version(tool: ToolDefinition, ir: IRChoice) -> str:
    passel = f"passel {__version__}"
    if tool.name == PROGRAM:
        return f"{passel} ({ir.version()})\n"
    return f"{' '.join(filter(None, (tool.name, tool.version)))} ({passel}, {ir.version()})\n"


def _list_passes(registry: PassRegistry) -> str:
    """Return `--list-passes`: the passes with their options, as mlir-opt lists them."""
    return "Passes:\n" + _listing(_passes(registry), 2)


def _help_passes(registry: PassRegistry) -> str:
    """Return `--help-passes`: passes and pipelines with their options."""
    text = "Compiler passes to run\n  Passes:\n" + _listing(_passes(registry), 4)
    pipelines = [
        (info.name, info.summary, info.options.option_infos() if info.options else ())
        for info in registry.pipelines()
    ]
    return text + "  Pass Pipelines:\n" + _listing(pipelines, 4) if pipelines else text


def _help_pass(name: str, registry: PassRegistry) -> str:
    """Return `--help-pass`: the documentation of a pass, as Markdown.

    Raises:
        UsageError: There is no such pass.
    """
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


def _listing(entries: Iterable[tuple[str, str, tuple[OptionInfo, ...]]], indent: int) -> str:
    rows: list[tuple[str, str]] = []
    for name, summary, options in entries:
        rows.append((f"{'':{indent}}--{name}", f"-   {summary}" if summary else ""))
        for option in sorted(options, key=lambda option: option.name):
            value = f"={option.metavar}" if option.metavar else ""
            rows.append((f"{'':{indent + 2}}--{option.name}{value}", f"- {option_help(option)}"))
    width = max((len(left) for left, _ in rows if len(left) <= _WIDEST_OPTION), default=0)
    return "".join(f"{left:<{width}} {right}".rstrip() + "\n" for left, right in rows)

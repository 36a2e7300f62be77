"""Information about the tool itself: help, passes, dialects, versions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from passel.diagnostics import brief
from passel.errors import DefinitionError
from passel.ir.frontend import UsageError
from passel.ir.left_out import warn
from passel.specification.classes import entry_of, option_help
from passel.specification.markdown import entries
from passel.tool.settings import GROUPS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from passel.ir.frontend import Flag
    from passel.passes import Pass, PassInfo, PassRegistry
    from passel.passes.options import OptionInfo

EXAMPLES = """\
  {program} in.mlir -p 'builtin.module(func.func(cse,canonicalize),symbol-dce)'
  {program} in.mlir --cse --canonicalize='max-iterations=2' -o out.mlir
  {program} in.mlir -p cse,convert-scf-to-cf            (xDSL's flat form)
  {program} in.mlir --load-pass-plugin=my_pass.py --my-pass
  {program} tests.mlir --split-input-file --verify-diagnostics
"""
"""Command lines that show what there is."""


_NOTHING: Mapping[str, Sequence[Flag]] = {}
_WIDTH = 44
_WIDEST_OPTION = 60


def help_text(program: str, own: Mapping[str, Sequence[Flag]] = _NOTHING, ir: str = "") -> str:
    """Return the short help.

    Args:
        program: The program's name.
        own: Flags that passel-opt does not know by itself, under their headings.
        ir: The name of the IR that the tool is for, if `--ir` does not choose it.
    """
    what = f"{ir} files" if ir else "MLIR text, with xDSL or MLIR itself"
    lines = [f"{program}: run nested pass pipelines on {what}", ""]
    lines += [f"Usage: {program} [<file>|-] [flags]", "", "Examples:"]
    lines += [EXAMPLES.format(program=program)]
    for title, flags in shown_flags(own, ir):
        lines += [f"{title}:", *map(_flag_line, flags), ""]
    lines.append("Passes are flags too, in the order given: see --help-passes. So are pipelines,")
    lines.append("such as the optimization levels -O0, -O1, -O2 and -O3.")
    return "\n".join(lines) + "\n"


def shown_flags(
    own: Mapping[str, Sequence[Flag]] = _NOTHING, ir: str = ""
) -> list[tuple[str, list[Flag]]]:
    """Return the flags that are shown to users, in groups with titles; see `help_text`."""
    groups = [((group.__doc__ or "").rstrip("."), group.flags.values()) for group in GROUPS]
    found = [
        (title, [flag for flag in flags if flag.help and flag.ir in {"", ir or flag.ir}])
        for title, flags in [*groups, *own.items()]
    ]
    return [(title, flags) for title, flags in found if flags]


def _flag_line(flag: Flag) -> str:
    value = f"={flag.metavar}" if flag.metavar else ""
    if flag.implied is not None:
        value = f"[{value}]"
    short = [f"-{name}" for name in flag.short if len(name) == 1]
    names = ", ".join([*short, f"{'-' if len(flag.name) == 1 else '--'}{flag.name}{value}"])
    return f"  {names:<{_WIDTH}} {flag.help}"


def list_passes(registry: PassRegistry) -> str:
    """Return `--list-passes`: the passes with their options, as mlir-opt lists them."""
    return "Passes:\n" + _listing(_passes(registry), 2)


def help_passes(registry: PassRegistry) -> str:
    """Return `--help-passes`: passes and pipelines with their options."""
    text = "Compiler passes to run\n  Passes:\n" + _listing(_passes(registry), 4)
    pipelines = [
        (info.name, info.summary, info.options.option_infos() if info.options else ())
        for info in registry.pipelines()
    ]
    return text + "  Pass Pipelines:\n" + _listing(pipelines, 4) if pipelines else text


def help_pass(name: str, registry: PassRegistry) -> str:
    """Return `--help-pass`: all that is known about a pass, as Markdown.

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

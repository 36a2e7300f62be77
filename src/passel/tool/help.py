"""`--help`: the flags of a tool, in groups; the manual page shows the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from passel.tool.settings import GROUPS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passel.ir.frontend import Flag
    from passel.tool.definition import ToolDefinition
    from passel.tool.irs import IRChoice

_EXAMPLES = """\
  {program} in.mlir -p 'builtin.module(func.func(cse,canonicalize),symbol-dce)'
  {program} in.mlir --cse --canonicalize='max-iterations=2' -o out.mlir
  {program} in.mlir -p cse,convert-scf-to-cf            (xDSL's flat form)
  {program} in.mlir --load-pass-plugin=my_pass.py --my-pass
  {program} tests.mlir --split-input-file --verify-diagnostics
"""
_WIDTH = 44


class HelpPage(NamedTuple):
    """Contents of a tool's help.

    Attributes:
        program: The program's name.
        subject: The files that it reads.
        groups: Its flags, in groups with titles.
    """

    program: str
    subject: str
    groups: Sequence[tuple[str, Sequence[Flag]]]

    @classmethod
    def of(cls, tool: ToolDefinition, ir: IRChoice) -> HelpPage:
        """Return the help of a tool; one for a single IR has no flags of others."""
        only = ir.name if tool.adapter is not None else ""
        groups = [((each.__doc__ or "").rstrip("."), each.flags.values()) for each in GROUPS]
        shown = [
            (title, [flag for flag in flags if flag.help and flag.ir in {"", only or flag.ir}])
            for title, flags in (*groups, (ir.name, ir.own_flags), (tool.name, tool.flags))
        ]
        subject = f"{only} files" if only else "MLIR text, with xDSL or MLIR itself"
        return cls(tool.name, subject, [(title, flags) for title, flags in shown if flags])

    @property
    def flags(self) -> list[Flag]:
        """The flags of all groups."""
        return [flag for _, flags in self.groups for flag in flags]

    @property
    def examples(self) -> str:
        """Command lines as examples, one on a line."""
        return _EXAMPLES.format(program=self.program)


def help_text(page: HelpPage) -> str:
    """Return the text of `--help`."""
    lines = [f"{page.program}: run nested pass pipelines on {page.subject}", ""]
    lines += [f"Usage: {page.program} [<file>|-] [flags]", "", "Examples:", page.examples]
    for title, flags in page.groups:
        lines += [f"{title}:", *map(flag_line, flags), ""]
    lines.append("Passes are flags too, in the order given: see --help-passes. So are pipelines,")
    lines.append("such as the optimization levels -O0, -O1, -O2 and -O3.")
    return "\n".join(lines) + "\n"


def flag_line(flag: Flag) -> str:
    """Return the line of a flag in the help."""
    long, *short = spellings(flag)
    value = f"={flag.metavar}" if flag.metavar else ""
    if flag.implied is not None:
        value = f"[{value}]"
    return f"  {', '.join([*short, f'{long}{value}']):<{_WIDTH}} {flag.help}"


def spellings(flag: Flag) -> tuple[str, ...]:
    """Return a flag's names with their dashes: the long one first, then those of one letter."""
    names = (flag.name, *(name for name in flag.short if len(name) == 1))
    return tuple(f"-{name}" if len(name) == 1 else f"--{name}" for name in names)


def listed_values(flag: Flag) -> tuple[str, ...]:
    """Return the values that the help lists; others are only accepted, such as 1 and 0."""
    return tuple(flag.metavar[1:-1].split("|")) if "|" in flag.metavar else flag.choices

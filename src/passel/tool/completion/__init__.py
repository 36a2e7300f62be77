"""`--print-completion`: scripts that complete the tool's flags, their values, and passes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.tool.completion import bash, fish, zsh
from passel.tool.completion.words import Words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from passel.ir.frontend import Flag

__all__ = ["completion_script"]

_SHELLS = {"bash": bash.script, "fish": fish.script, "zsh": zsh.script}


def completion_script(
    shell: str, program: str, flags: Sequence[Flag], names: Mapping[str, Sequence[str]]
) -> str:
    """Return a script for a shell that completes the arguments of a program.

    Args:
        shell: `bash`, `fish` or `zsh`.
        program: The program's name.
        flags: Its flags.
        names: The passes and pipelines of each IR, by the name of the IR; those of the first are
            completed unless `--ir=` says another.
    """
    return _SHELLS[shell](Words(program, tuple(flags), names))

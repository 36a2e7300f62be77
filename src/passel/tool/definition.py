"""Definition of a tool: its name, and all that passel-opt does not have."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from passel.tool.flags import PROGRAM

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from passel.ir import IRAdapter
    from passel.ir.frontend import Flag
    from passel.manager import PassManager
    from passel.passes import PassRegistry


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool, as `passel.tool.opt_main` defines it.

    Attributes:
        name: The program's name.
        registry: The passes that a command line may name; None for all installed ones.
        adapter: The IR that the tool is for; None if `--ir` chooses.
        dialects: Dialects that no installed package brings.
        flags: The flags that only this tool has.
        setup: Called with each pass manager before it runs, and with the values of these flags.
        version: Its version.
        pipeline: The pipeline that runs if the command line gives none.
    """

    name: str = PROGRAM
    registry: PassRegistry | None = None
    adapter: IRAdapter | None = None
    dialects: Sequence[Any] = ()
    flags: Sequence[Flag] = ()
    setup: Callable[[PassManager, Mapping[str, Any]], object] | None = None
    version: str = ""
    pipeline: str = ""

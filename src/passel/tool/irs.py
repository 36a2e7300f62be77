"""The definition of a tool, the IR that a command line selects, and the IRs to use instead.

Errors about an IR, a pass or a dialect that is missing say which `--ir` has it, or what to install.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from passel.diagnostics import suggest
from passel.errors import PipelineError
from passel.frontend import UsageError
from passel.ir.adapters import adapter_named, adapter_names, has_adapter
from passel.passes import PassRegistry, default_registry
from passel.tool.command_line import PROGRAM, UnknownFlagError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import ModuleType

    from passel.diagnostics import Diagnostic
    from passel.errors import PasselError
    from passel.frontend import Flag, Frontend, SourcePart
    from passel.ir import IRAdapter
    from passel.manager import PassManager

_KNOWN = ("xdsl", "mlir")
"""IRs whose flags passel-opt declares."""

_DOTTED = re.compile(r"(?<![\w.%@#^])([A-Za-z_]\w*)\.[A-Za-z_]")
"""The beginning of an op or a type: its dialect, and a dot."""


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool like passel-opt, defined by the arguments of `passel.tool.opt_main`.

    Attributes:
        name: The program's name.
        registry: The registry of available passes. None means all installed passes.
        adapter: The adapter of the IR, for a tool with a single IR. None means that the flag `--ir`
            selects the IR.
        dialects: Dialects that the tool adds to the dialects of the IR.
        flags: Flags that the tool adds to the flags of passel-opt.
        takes: A function that returns whether the tool accepts a flag of passel-opt.
        setup: A function that is called before each run; see `passel.tool.opt_main`. None means
            that there is no setup.
        version: The text that `--version` prints after the name of the tool.
        pipeline: The pipeline that runs if the command line contains neither a pipeline nor passes.
        plugins: The plugins that have been loaded, by name. They can define additional dialects.
    """

    name: str = PROGRAM
    registry: PassRegistry | None = None
    adapter: IRAdapter | None = None
    dialects: Sequence[Any] = ()
    flags: Sequence[Flag] = ()
    setup: Callable[[PassManager, Mapping[str, Any]], object] | None = None
    version: str = ""
    pipeline: str = ""
    takes: Callable[[Flag], bool] = lambda _: True
    plugins: dict[str, ModuleType] = field(default_factory=dict[str, "ModuleType"])


class IRChoice:
    """The IR that a command line selects. The IR's packages are imported on first use.

    Args:
        name: The name of the IR, as given to `--ir`.
        tool: The tool, which can define an adapter and additional dialects.

    Attributes:
        name: The name of the IR.
        is_fixed: Whether the tool has a single IR, and refuses `--ir`.
        is_known: Whether the adapter of the IR is part of passel.
    """

    def __init__(self, name: str, tool: ToolDefinition) -> None:
        self.name: str = name
        self._tool = tool
        self.is_fixed: bool = tool.adapter is not None
        self.is_known: bool = not self.is_fixed and name in _KNOWN
        self._across: dict[str, IRAdapter] = {}

    @property
    def scope(self) -> str:
        """The name of the IR in flags and registries. For every MLIR build, the name is `mlir`."""
        return self.name if self.is_known else self.adapter.name

    @cached_property
    def adapter(self) -> IRAdapter:
        """The adapter of the IR, extended by the dialects of the tool and of the plugins.

        Raises:
            AdapterError: If the adapter is not available, or if the tool's own adapter does not
                accept the dialects of the tool.
        """
        tool = self._tool
        adapter = adapter_named(self.name) if tool.adapter is None else tool.adapter
        given = [d for d in tool.dialects if tool.adapter is not None or adapter.is_dialect(d)]
        defined = [each for known in map(vars, tool.plugins.values()) for each in known.values()]
        dialects = [*given, *filter(adapter.is_dialect, defined)]
        return adapter.with_dialects(dialects) if dialects else adapter

    def adapter_across(self, name: str) -> IRAdapter:
        """Return the adapter of the second IR in a pipeline that uses both xDSL and MLIR.

        The adapter is extended by the dialects of the tool and of the plugins.

        Args:
            name: The name of the second IR, either `xdsl` or `mlir`.
        """
        if name not in self._across:
            tool = replace(self._tool, adapter=None)
            self._across[name] = IRChoice(name, tool).adapter
        return self._across[name]

    @cached_property
    def frontend(self) -> Frontend:
        """The frontend of the IR, which `Settings.configured_frontend` configures.

        Raises:
            AdapterError: If the adapter has no frontend.
        """
        return self.adapter.make_frontend()

    @cached_property
    def registry(self) -> PassRegistry:
        """The registry of available passes. Reading this property does not import xDSL."""
        from passel.passes.resolution import names_on

        given = self._tool.registry
        if self.scope == "xdsl":
            return PassRegistry(given or default_registry(), scope="xdsl")
        return names_on(self.adapter, given)

    @property
    def own_flags(self) -> Sequence[Flag]:
        """The flags that the IR's frontend adds to the flags of passel-opt."""
        return () if self.is_known else self.frontend.flags

    def version(self) -> str:
        """Return the name and version of the IR without importing xDSL."""
        if self.scope == "xdsl":
            from passel.xdsl.release import INSTALLED

            return f"xDSL {INSTALLED}"
        return self.frontend.version()


# -- Which other IR to use, or to install ---------------------------------------------------------


def ir_of(text: str) -> str:
    """Check that a text is `xdsl`, `mlir` or the name of an installed IR, and return the text."""
    if text in {"xdsl", "mlir"} or has_adapter(text):  # usually without searching packages
        return text
    from passel.mlir.upstream import known_builds

    builds = known_builds()
    known = sorted({"xdsl", "mlir", *adapter_names(), *filter(has_adapter, builds)})
    distribution = builds[text].distribution if text in builds else ""
    way_out = f"; pip install {distribution}" if distribution else suggest(text, known)
    raise ValueError(f"takes one of {', '.join(known)}, not '{text}'{way_out}")


def flag_for(ir: str) -> str:
    """Return the `--ir` flag that selects the IR of a record.

    Raises:
        UsageError: If the IR is not installed.
    """
    if not has_adapter(ir):
        raise UsageError(
            f"the record is for IR '{ir}', but no installed package has entry point "
            f"'{ir}' in the group passel.adapters"
        )
    return f"--ir={ir}"


def pass_hint(error: PasselError, ir: IRChoice) -> str:
    """If another installed IR provides a missing pass, return a hint; else an empty string.

    Args:
        error: The error that reports an unknown flag or an unknown name in a pipeline.
        ir: The selected IR, which does not have the pass.
    """
    names = [error.name] if isinstance(error, UnknownFlagError) else []
    if isinstance(error, PipelineError):
        names = [each.span.text for each in error.problems if each.span]
    for name in names:
        if name not in ir.registry and (hint := _hint(ir, "", name)):
            return hint
    return ""


def note_dialect_hint(diagnostic: Diagnostic, source: SourcePart, ir: IRChoice) -> None:
    """Attach a note to an error if another installed IR has a dialect that the IR of the run lacks.

    The dialect must occur in the source line of the error. The note names the other IR.

    Args:
        diagnostic: The error.
        source: The part of the input that contains the line.
        ir: The IR of the run.
    """
    if not isinstance(source.text, str):
        return
    number = diagnostic.location.line - source.line_offset - 1
    line = "".join(source.text.split("\n")[number : number + 1])
    known = {*ir.frontend.dialect_names()}
    for name in dict.fromkeys(_DOTTED.findall(line)):
        if name not in known and (hint := _hint(ir, "dialect ", name)):
            diagnostic.attach_note(hint, diagnostic.location)
            return


def _hint(ir: IRChoice, kind: Literal["", "dialect "], name: str) -> str:
    """Return a hint that other installed IRs have a pass or a dialect, or an empty string."""
    from passel.mlir.upstream import known_builds

    others = () if ir.is_fixed else sorted({*adapter_names(), *known_builds()} - {ir.name})
    having = " or ".join(f"--ir={each}" for each in others if _has(each, kind, name))
    return f"another installed IR provides {kind}'{name}'; use {having}" if having else ""


def _has(ir: str, kind: str, name: str) -> bool:
    """Return whether an installed IR is known to have a pass or a dialect, without loading MLIR."""
    from passel.mlir import MLIRAdapter
    from passel.mlir.upstream import has_name

    if not kind and default_registry().lookup(name, ir=ir) is not None:
        return True
    if kind and ir == "xdsl":
        return name in adapter_named(ir).make_frontend().dialect_names()
    known = has_name(ir, f"{name}." if kind else name)
    return known and MLIRAdapter.for_package(ir) is not None

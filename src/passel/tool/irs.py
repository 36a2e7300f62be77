"""The IR of a command line, and the passes available for it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from passel.errors import AdapterError, PasselError, PipelineError
from passel.frontend import BringsFrontend, TakesDialects, UsageError
from passel.ir import ability_of, adapter_named, adapter_names, has_adapter
from passel.tool.flags import PROGRAM, UnknownFlagError, flags_in
from passel.tool.plugins import load_plugin

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import ModuleType

    from passel.diagnostics import Diagnostic
    from passel.frontend import Flag, Frontend, SourcePart
    from passel.ir import IRAdapter
    from passel.manager import PassManager
    from passel.passes import PassRegistry

_KNOWN = ("xdsl", "mlir")
"""IRs whose flags passel-opt declares."""

_DOTTED = re.compile(r"(?<![\w.%@#^])([A-Za-z_]\w*)\.[A-Za-z_]")
"""The beginning of an op or a type: its dialect, and a dot."""


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool, as defined by `passel.tool.opt_main`.

    Attributes:
        name: The program's name.
        registry: The available passes; None for all installed ones.
        adapter: The only IR of the tool; None if `--ir` selects it.
        dialects: Additional dialects.
        flags: The tool's own flags.
        setup: Called before each run with the pass manager and the values of these flags.
        version: Its version.
        pipeline: The default pipeline.
    """

    name: str = PROGRAM
    registry: PassRegistry | None = None
    adapter: IRAdapter | None = None
    dialects: Sequence[Any] = ()
    flags: Sequence[Flag] = ()
    setup: Callable[[PassManager, Mapping[str, Any]], object] | None = None
    version: str = ""
    pipeline: str = ""


_ANY_TOOL = ToolDefinition()


class IRChoice:
    """An IR, which is loaded on first use.

    Args:
        name: Its name, as for `--ir`.
        tool: The tool, possibly with an adapter and dialects.
        plugins: The plugins, possibly with dialects.

    Attributes:
        name: Its name.
    """

    def __init__(
        self, name: str, tool: ToolDefinition = _ANY_TOOL, plugins: Sequence[ModuleType] = ()
    ) -> None:
        self.name: str = name
        self._tool = tool
        self._plugins = plugins
        self._is_known = tool.adapter is None and name in _KNOWN
        self._across: dict[str, IRAdapter] = {}

    @property
    def scope(self) -> str:
        """Its name in flags and registries: `mlir` for every build of MLIR."""
        return self.name if self._is_known else self.adapter.name

    @cached_property
    def adapter(self) -> IRAdapter:
        """The adapter.

        Raises:
            AdapterError: If the adapter is not available, or does not accept dialects.
        """
        adapter, tool = self._plain_adapter(), self._tool
        takes = ability_of(adapter, TakesDialects)
        if takes is None:
            if tool.adapter is not None and tool.dialects:
                what = f"the adapter of '{self.name}' takes no dialects"
                raise AdapterError(f"{what}: it has no with_dialects()")
            return adapter
        given = [d for d in tool.dialects if tool.adapter is not None or takes.is_dialect(d)]
        # Tuples, since values in a module may be unhashable.
        defined = [each for plugin in self._plugins for each in tuple(vars(plugin).values())]
        dialects = [*given, *filter(takes.is_dialect, defined)]
        return takes.with_dialects(dialects) if dialects else adapter

    def _plain_adapter(self) -> IRAdapter:
        """Return the adapter without additional dialects."""
        if self._tool.adapter is not None:
            return self._tool.adapter
        if self.name == "xdsl":
            from passel.xdsl import XDSLAdapter

            return XDSLAdapter()
        if self.name != "mlir":
            return adapter_named(self.name)
        from passel.mlir import MLIRAdapter

        return MLIRAdapter()

    def adapter_across(self, name: str) -> IRAdapter:
        """Return the adapter of another IR in the pipeline, with its additional dialects.

        Args:
            name: `xdsl` or `mlir`.
        """
        if name not in self._across:
            tool = replace(self._tool, adapter=None)
            self._across[name] = IRChoice(name, tool, self._plugins).adapter
        return self._across[name]

    @cached_property
    def frontend(self) -> Frontend:
        """The frontend of the IR, not yet configured.

        Raises:
            UsageError: If the adapter has no frontend.
        """
        brings = ability_of(self.adapter, BringsFrontend)
        if brings is None:
            raise UsageError(
                f"the adapter of '{self.name}' cannot read files: it has no make_frontend()"
            )
        return brings.make_frontend()

    @cached_property
    def registry(self) -> PassRegistry:
        """The available passes; this does not load xDSL."""
        from passel.passes import default_registry
        from passel.passes.resolution import names_on

        given = self._tool.registry
        if self.scope == "xdsl":
            return (given or default_registry()).for_ir("xdsl")
        return names_on(self.adapter, given)

    @property
    def own_flags(self) -> Sequence[Flag]:
        """The IR's own flags that passel-opt does not declare."""
        return () if self._is_known else self.frontend.flags

    def version(self) -> str:
        """Return its name and version; this does not load xDSL."""
        if self.scope == "xdsl":
            from passel.xdsl.release import INSTALLED

            return f"xDSL {INSTALLED}"
        return self.frontend.version()


def chosen_ir(words: Sequence[str], tool: ToolDefinition = _ANY_TOOL) -> IRChoice:
    """Return the IR of a command line before its flags are parsed, and load its plugins.

    Unknown IRs are rejected later, when the flags are parsed.

    Args:
        words: The command line.
        tool: The tool.

    Raises:
        UsageError: If a plugin cannot be loaded.
    """
    flags = {"load-pass-plugin", "load-dialect-plugin"}
    # An empty name is rejected when the flags are parsed.
    files = [value for name, value in flags_in(words) if name in flags and value]
    plugins = [load_plugin(file, tool.registry) for file in files]
    if tool.adapter is not None:
        return IRChoice(tool.adapter.name, tool, plugins)
    chosen = "xdsl"
    for name, value in flags_in(words):
        if name == "ir":
            chosen = value
    is_there = chosen in _KNOWN or has_adapter(chosen)
    return IRChoice(chosen if is_there else "xdsl", tool, plugins)


def flag_for(ir: str) -> str:
    """Return the flag for the IR of a record.

    Raises:
        UsageError: If the IR is not installed.
    """
    if not has_adapter(ir):
        raise UsageError(f"the record is of IR '{ir}', which no installed package provides")
    return f"--ir={ir}"


def hint_at_passes(error: PasselError, ir: IRChoice) -> str:
    """Return a hint at another installed IR that has the unknown pass of an error, if any.

    Args:
        error: The error about an unknown flag or a name in a pipeline.
        ir: This IR.
    """
    names = [error.name] if isinstance(error, UnknownFlagError) else []
    if isinstance(error, PipelineError):
        names = [each.span.text for each in error.problems if each.span]
    for name in names:
        if name not in ir.registry and (having := _others(ir, name, _has_pass)):
            return f"an installed IR has the pass '{name}': {having}"
    return ""


def note_other_ir(diagnostic: Diagnostic, source: SourcePart, ir: IRChoice) -> None:
    """Attach a note to an error in a line with a dialect of another installed IR.

    Args:
        diagnostic: The error.
        source: The input.
        ir: The IR of the run, which lacks the dialect.
    """
    if not isinstance(source.text, str):
        return
    number = diagnostic.location.line - source.line_offset - 1
    line = "".join(source.text.split("\n")[number : number + 1])
    known = {*ir.frontend.dialect_names()}
    for name in dict.fromkeys(_DOTTED.findall(line)):
        if name not in known and (having := _others(ir, name, _has_dialect)):
            hint = f"an installed IR has the dialect '{name}': {having}"
            diagnostic.attach_note(hint, diagnostic.location)
            return


def _others(ir: IRChoice, name: str, has: Callable[[str, str], bool]) -> str:
    """Return the flags for the other installed IRs that have a dialect or a pass."""
    from passel.mlir.upstream import known_builds

    others = sorted({*adapter_names(), *known_builds()} - {ir.name})
    return " or ".join(f"--ir={each}" for each in others if has(each, name))


def _has_pass(ir: str, name: str) -> bool:
    """Return whether an installed IR is known to have a pass, without loading the IR."""
    from passel.passes import default_registry

    return default_registry().lookup_pass(name, ir=ir) is not None or _build_has(ir, name)


def _has_dialect(ir: str, name: str) -> bool:
    """Return whether an installed IR is known to have a dialect."""
    if ir == "xdsl":
        return name in IRChoice(ir).frontend.dialect_names()
    return _build_has(ir, f"{name}.")


def _build_has(ir: str, name: str) -> bool:
    """Return whether a build of MLIR's bindings is installed and its table has a name."""
    from passel.mlir import MLIRAdapter
    from passel.mlir.upstream import has_name

    return has_name(ir, name) and MLIRAdapter.for_package(ir) is not None

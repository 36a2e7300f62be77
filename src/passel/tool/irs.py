"""The IR that a command line is about, and the passes that can be named on it."""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, cast

from passel.errors import AdapterError, PipelineError
from passel.ir import BringsFrontend, TakesDialects, ability_of, adapter_named, adapter_names
from passel.ir.frontend import UsageError
from passel.tool.definition import ToolDefinition
from passel.tool.flag_groups import InformationFlags, flags_by_name
from passel.tool.flags import flags_in, read_flags
from passel.tool.plugins import load_plugin, packages_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from io import BufferedReader
    from types import ModuleType

    from passel.diagnostics import Diagnostic
    from passel.ir import IRAdapter
    from passel.ir.frontend import Flag, Frontend, SourcePart
    from passel.passes import PassRegistry
    from passel.tool.flags import CommandLine

_ANY_TOOL = ToolDefinition()
_BYTECODE = b"ML\xefR"
_KNOWN = ("xdsl", "mlir")
"""IRs whose flags are flags of the tool."""

_NO_DIALECT = re.compile(
    r"[Dd]ialect [`'](\w+)'|[`']?(\w+)\.[\w.$]+'? (?:is not |is un|created with un)registered"
    r"|(?:unregistered operation|custom op|by the operation|reads) '(\w+\.[\w.$]+)'"
    r'|unregistered dialect\..*\n.*?"(\w+\.[\w.$]+)"'
)
"""Errors of IRs about a dialect that they lack, or about an op of one that they have in part."""

_NO_INPUT = {each.name for each in InformationFlags.flags.values()} | {
    "lint",
    "draw-pipeline",
    "print-pipeline",
}
"""Flags with which no input is read."""


class IRChoice:
    """An IR, which is loaded when something is asked of it.

    Args:
        name: Its name, as `--ir` takes it.
        tool: The tool, which may be for one IR alone, and may have dialects.
        plugins: Plugins, which may have dialects.

    Attributes:
        name: Its name.
    """

    def __init__(
        self,
        name: str,
        tool: ToolDefinition = _ANY_TOOL,
        plugins: Sequence[ModuleType] = (),
    ) -> None:
        self.name: str = name
        self._tool = tool
        self._plugins = plugins
        self._is_known = tool.adapter is None and name in _KNOWN
        self._across: dict[str, IRAdapter] = {}

    @property
    def scope(self) -> str:
        """The name that flags and registries have for it: `mlir` for every build of that."""
        return self.name if self._is_known else self.adapter.name

    @cached_property
    def adapter(self) -> IRAdapter:
        """The adapter.

        Raises:
            AdapterError: The adapter cannot be used, or takes no dialects.
        """
        adapter, tool = self._plain_adapter(), self._tool
        takes = ability_of(adapter, TakesDialects)
        if takes is None:
            if tool.adapter is not None and tool.dialects:
                what = f"the adapter of '{self.name}' takes no dialects"
                raise AdapterError(f"{what}: it has no with_dialects()")
            return adapter
        given = [d for d in tool.dialects if tool.adapter is not None or takes.is_dialect(d)]
        # Tuples: values in a module need not be hashable.
        defined = [each for plugin in self._plugins for each in tuple(vars(plugin).values())]
        dialects = [*given, *filter(takes.is_dialect, defined)]
        return takes.with_dialects(dialects) if dialects else adapter

    def _plain_adapter(self) -> IRAdapter:
        """Return the adapter without other dialects than those of packages."""
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
        """Return the adapter of an IR that a pipeline crosses to, with the dialects given for it.

        Args:
            name: `xdsl` or `mlir`.
        """
        if name not in self._across:
            tool = replace(self._tool, adapter=None)
            self._across[name] = IRChoice(name, tool, self._plugins).adapter
        return self._across[name]

    @cached_property
    def frontend(self) -> Frontend:
        """Frontend of the IR, not yet configured.

        Raises:
            UsageError: The adapter has none.
        """
        brings = ability_of(self.adapter, BringsFrontend)
        if brings is None:
            raise UsageError(
                f"the adapter of '{self.name}' cannot read files: it has no make_frontend()"
            )
        return brings.make_frontend()

    @cached_property
    def registry(self) -> PassRegistry:
        """The passes that a command line may name; xDSL need not be loaded for it."""
        from passel.passes import default_registry
        from passel.passes.resolution import names_on

        given = self._tool.registry
        if self.scope == "xdsl":
            return (given or default_registry()).for_ir("xdsl")
        return names_on(self.adapter, given)

    @property
    def own_flags(self) -> Sequence[Flag]:
        """Flags for it that the tool does not know by itself."""
        return () if self._is_known else self.frontend.flags

    def version(self) -> str:
        """Return its name and version; that of xDSL takes no loading."""
        if self.scope == "xdsl":
            from passel.xdsl.release import INSTALLED

            return f"xDSL {INSTALLED}"
        return self.frontend.version()


def chosen_ir(words: Sequence[str], tool: ToolDefinition = _ANY_TOOL) -> IRChoice:
    """Return the IR that a command line means, before its flags can be read; load its plugins.

    `auto` is MLIR's bindings if the input is bytecode, if a pass of the pipeline is only theirs,
    or if a plugin is for them; else xDSL. A name that is no IR is refused when the flags are read.

    Args:
        words: The command line.
        tool: The tool.

    Raises:
        UsageError: A plugin cannot be loaded.
    """
    flags = {"load-pass-plugin", "load-dialect-plugin"}
    # An empty name is refused when the flags are read.
    files = [value for name, value in flags_in(words) if name in flags and value]
    plugins = [load_plugin(file, tool.registry) for file in files]
    if tool.adapter is not None:
        return IRChoice(tool.adapter.name, tool, plugins)
    chosen = "xdsl"
    for name, value in flags_in(words):
        if name == "ir":
            chosen = value
    if chosen == "auto":
        return _needed_ir(words, tool, plugins)
    is_there = chosen in _KNOWN or chosen in adapter_names()
    return IRChoice(chosen if is_there else "xdsl", tool, plugins)


def _needed_ir(
    words: Sequence[str], tool: ToolDefinition, plugins: Sequence[ModuleType]
) -> IRChoice:
    xdsl, mlir = (IRChoice(name, tool, plugins) for name in _KNOWN)
    if find_spec("mlir") is None:
        return xdsl
    here, there = xdsl.registry, mlir.registry
    if any(name not in here and name in there for name in _passes_in(words) if name):
        return mlir
    packages = [packages_in(plugin) for plugin in plugins]
    if any("mlir" in each and "xdsl" not in each for each in packages):
        return mlir
    try:
        line = read_flags(words, flags_by_name(tool.flags), here, tool.name)
    except UsageError:
        return xdsl  # the error is reported when the flags are read
    return mlir if _head(line).startswith(_BYTECODE) else xdsl


def _head(line: CommandLine) -> bytes:
    """Return the first bytes of the input of a command line, if it reads any."""
    if _NO_INPUT & line.given.keys():
        return b""
    with suppress(OSError, ValueError):  # reported when the input is read
        if line.inputs not in ([], ["-"]):
            with Path(line.inputs[0]).open("rb") as file:
                return file.read(len(_BYTECODE))
        if sys.stdin is not None:
            return cast("BufferedReader", sys.stdin.buffer).peek()
    return b""


def _passes_in(words: Sequence[str]) -> list[str]:
    """Return the passes that a command line names, and some flags that are none."""
    names: list[str] = []
    flags = flags_by_name()
    for name, value in flags_in(words):
        flag = flags.get(name)
        if flag is None:
            names.append(name)
        elif flag.name == "pass-pipeline" and value.startswith("@"):
            from passel.builder.data.pipeline_file import pass_names

            names += pass_names(value[1:])
        elif flag.name == "pass-pipeline":
            with suppress(PipelineError):  # reported when the pipeline is parsed
                names += _passes_of(value)
    return names


def flag_for(ir: str) -> str:
    """Return the flag for the IR of a record.

    Raises:
        UsageError: It is not installed.
    """
    if ir not in adapter_names():
        raise UsageError(f"the record is of IR '{ir}', which no installed package has")
    return f"--ir={ir}"


def hint_at_other_ir(words: Sequence[str], ir: IRChoice) -> str:
    """Return which other IR has passes in a command line that this one lacks; empty if none has.

    Args:
        words: The command line.
        ir: This IR.
    """
    unknown = {name for name in _passes_in(words) if name not in ir.registry}
    if not unknown:
        return ""
    from passel.mlir.upstream import upstream_passes
    from passel.passes import default_registry

    xdsl = [info.name for info in default_registry().passes(ir="xdsl")]
    known = {"xdsl": ("xDSL", xdsl), "mlir": ("MLIR", upstream_passes())}
    for name in (*known, *sorted(set(adapter_names()) - known.keys())):
        with suppress(AdapterError, UsageError):
            title, there = known.get(name) or (name, IRChoice(name).registry)
            lacking = sorted(each for each in unknown if each in there)
            if lacking and name != ir.name:
                listed = ", ".join(f"'{each}'" for each in lacking)
                noun = "pass" if len(lacking) == 1 else "passes"
                return f"{title} itself has the {noun} {listed}: --ir={name}"
    return ""


def note_other_ir(diagnostic: Diagnostic, source: SourcePart, ir: str) -> None:
    """Attach a note to an error about a dialect or an op: which IR has it, or how to do without.

    Args:
        diagnostic: The error.
        source: The input, whose line names the op where MLIR's message does not.
        ir: The name of this IR.
    """
    message, place = diagnostic.message, diagnostic.location
    if "with an unregistered dialect" in message:
        lines = source.text.split("\n")[place.line - source.line_offset - 1 :]
        message = "\n".join([message, *lines[:1]])
    found = _NO_DIALECT.search(message)
    name = next(filter(None, found.groups()), "") if found else ""
    others = sorted(set(adapter_names()) - {ir}) if name else []
    if having := [f"--ir={each}" for each in others if _has(each, name)]:
        what = "op" if "." in name else "dialect"
        hint = f"an installed IR has the {what} '{name}': {' or '.join(having)}"
        diagnostic.attach_note(hint, place)
    elif "not found for custom op" in message:
        hint = "--allow-unregistered-dialect reads ops of unknown dialects in generic form alone"
        diagnostic.attach_note(hint, place)


def _has(ir: str, name: str) -> bool:
    """Return whether an IR is installed and has an op, or a dialect if the name has no dot."""
    with suppress(AdapterError, UsageError):
        choice = IRChoice(ir)
        if "." in name:
            return choice.adapter.kind_named(choice.adapter.create_context(), name) is not None
        return name in choice.frontend.dialect_names()
    return False


def _passes_of(text: str) -> Iterator[str]:
    """Yield the names of the passes in a pipeline, in order, but not of those in `mlir(...)`.

    Raises:
        PipelineError: The text is no pipeline.
    """
    from passel.pipeline import PassNode, parse_pipeline

    todo = list(parse_pipeline(text, flat_anchor="builtin.module").elements)
    while todo:
        node = todo.pop(0)
        if isinstance(node, PassNode):
            yield node.name
        elif "." in node.anchor or node.anchor == "any":
            todo[:0] = node.elements

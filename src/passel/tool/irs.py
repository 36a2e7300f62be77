"""Select the IR of a command line, and load plugins and passes."""

from __future__ import annotations

import importlib
import importlib.util
import re
import sys
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from passel.errors import PasselError, PipelineError
from passel.frontend import UsageError
from passel.ir.adapters import adapter_named, adapter_names, has_adapter
from passel.passes import Pass, PassRegistry, default_registry
from passel.tool.flags import PROGRAM, UnknownFlagError, flags_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import ModuleType

    from passel.diagnostics import Diagnostic
    from passel.frontend import Flag, Frontend, SourcePart
    from passel.ir import IRAdapter
    from passel.manager import PassManager

_KNOWN = ("xdsl", "mlir")
"""IRs whose flags passel-opt declares."""

_DOTTED = re.compile(r"(?<![\w.%@#^])([A-Za-z_]\w*)\.[A-Za-z_]")
"""The beginning of an op or a type: its dialect, and a dot."""

_NATIVE = (".so", ".dylib", ".dll", ".pyd")


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
        pipeline: The pipeline that runs if the command line contains no pipeline.
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


_ANY_TOOL = ToolDefinition()


class IRChoice:
    """The IR that a command line selects. The IR's packages are imported on first use.

    Args:
        name: The name of the IR, as given to `--ir`.
        tool: The tool, which can define an adapter and additional dialects.
        plugins: The imported plugins, which can define additional dialects.

    Attributes:
        name: The name of the IR.
        is_known: Whether the adapter of the IR is part of passel.
    """

    def __init__(
        self, name: str, tool: ToolDefinition = _ANY_TOOL, plugins: Sequence[ModuleType] = ()
    ) -> None:
        self.name: str = name
        self._tool = tool
        self._plugins = plugins
        self.is_known: bool = tool.adapter is None and name in _KNOWN
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
        # Tuples, since values in a module may be unhashable.
        defined = [each for plugin in self._plugins for each in tuple(vars(plugin).values())]
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
            self._across[name] = IRChoice(name, tool, self._plugins).adapter
        return self._across[name]

    @cached_property
    def frontend(self) -> Frontend:
        """The frontend of the IR, which `Settings.frontend` configures.

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


def chosen_ir(words: Sequence[str], tool: ToolDefinition = _ANY_TOOL) -> IRChoice:
    """Import the plugins of a command line, and return the IR that the command line selects.

    If the command line names an unknown IR, the result is xDSL, and parsing the flags raises an
    error.

    Args:
        words: The command-line arguments.
        tool: The definition of the tool.

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


def hint_at_passes(error: PasselError, ir: IRChoice) -> str:
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


def note_other_ir(diagnostic: Diagnostic, source: SourcePart, ir: IRChoice) -> None:
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

    others = sorted({*adapter_names(), *known_builds()} - {ir.name})
    having = " or ".join(f"--ir={each}" for each in others if _has(each, kind, name))
    return f"another installed IR provides {kind}'{name}'; use {having}" if having else ""


def _has(ir: str, kind: str, name: str) -> bool:
    """Return whether an installed IR is known to have a pass or a dialect, without loading MLIR."""
    from passel.mlir import MLIRAdapter
    from passel.mlir.upstream import has_name

    if not kind and default_registry().lookup(name, ir=ir) is not None:
        return True
    if kind and ir == "xdsl":
        return name in IRChoice(ir).frontend.dialect_names()
    known = has_name(ir, f"{name}." if kind else name)
    return known and MLIRAdapter.for_package(ir) is not None


# -- Plugins -------------------------------------------------------------------------------------


def import_plugin(name: str) -> ModuleType:
    """Import a plugin, and return its module.

    Args:
        name: The path of a `.py` file, or the dotted name of a module.

    Raises:
        UsageError: If the plugin cannot be found, or importing it raises an exception.
    """
    path = Path(name)
    try:
        if path.suffix != ".py":
            return importlib.import_module(name)
        module_name = f"passel_plugin_{path.stem}"
        spec = importlib.util.spec_from_file_location(module_name, path)
        # Names that end in .py always have a loader.
        assert spec is not None  # noqa: S101
        assert spec.loader is not None  # noqa: S101
        module = importlib.util.module_from_spec(spec)
        # As for a script, the plugin can import modules from its folder.
        sys.path.insert(0, str(path.resolve().parent))
        sys.modules[module_name] = module
        spec.loader.exec_module(module)
    except FileNotFoundError as error:
        msg = f"cannot open plugin '{name}': {error.strerror}"
        raise UsageError(msg) from error
    except KeyboardInterrupt as error:
        error.add_note(f"loading plugin '{name}'")
        raise
    except BaseException as error:
        from passel.tracebacks import brief_at

        raise UsageError(f"cannot load plugin '{name}': {brief_at(error)}") from error
    return module


def classes_in(module: ModuleType) -> Iterator[type[Any]]:
    """Yield the classes that a module itself defines, in order of definition."""
    for value in list(vars(module).values()):
        if isinstance(value, type) and value.__module__ == module.__name__:
            yield value


def named_passes_in(module: ModuleType) -> Iterator[type[Pass[Any, Any]]]:
    """Yield the named pass classes that a module itself defines, in order of definition."""
    for value in classes_in(module):
        if issubclass(value, Pass) and value.name:
            yield value


def load_plugin(name: str, given: PassRegistry | None) -> ModuleType:
    """Import a plugin, and register the named pass classes that the plugin defines.

    A pass that the code of the plugin registers is not registered again. Every other named pass of
    the plugin replaces the registered pass with the same name, if there is such a pass.

    Args:
        name: The path of a `.py` file, or the dotted name of a module.
        given: The registry for the plugin's passes. None means the default registry.

    Raises:
        UsageError: If the plugin cannot be found, or importing it raises an exception.
    """
    registry = given or default_registry()
    if name.endswith(_NATIVE):
        raise UsageError(f"cannot load native plugin '{name}'; give a Python file or module")
    before = len(registry.added)
    plugin = import_plugin(name)
    by_itself = registry.added[before:]
    for value in classes_in(plugin):
        try:
            if getattr(value, "name", None) not in by_itself:
                _register(value, registry)
        except PasselError as error:
            msg = f"plugin '{name}': {error}"
            raise UsageError(msg) from error
    return plugin


def _register(value: type[Any], registry: PassRegistry) -> None:
    if not isinstance(getattr(value, "name", None), str) or not value.name:
        return
    if issubclass(value, Pass):
        registry.register(cast("type[Pass[Any]]", value), override=True)
    elif "xdsl.passes" in sys.modules and issubclass(value, sys.modules["xdsl.passes"].ModulePass):
        from passel.xdsl.module_passes import pass_class_for

        registry.register(pass_class_for(value), override=True)

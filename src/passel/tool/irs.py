"""The IR that a command line is about, and the passes that can be named on it."""

from __future__ import annotations

from contextlib import suppress
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from passel.errors import AdapterError, PipelineError
from passel.ir import BringsFrontend, ability_of
from passel.ir.frontend import UsageError
from passel.tool.flags import flags_in
from passel.tool.settings import flags_by_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from passel.ir import IRAdapter
    from passel.ir.frontend import Flag, Frontend
    from passel.passes import PassRegistry
    from passel.tool.settings import Settings

_BYTECODE = b"ML\xefR"


class IRChoice:
    """An IR, which is loaded when something is asked of it.

    Args:
        name: Its name.
        adapter: Its adapter, if it is none of those that the tool knows.
    """

    def __init__(self, name: str, adapter: IRAdapter | None = None) -> None:
        self.name: str = name
        self.given: IRAdapter | None = adapter

    @cached_property
    def adapter(self) -> IRAdapter:
        """The adapter.

        Raises:
            UsageError: The bindings of MLIR are not installed.
        """
        if self.given is not None:
            return self.given
        if self.name == "xdsl":
            from passel.xdsl import XDSLAdapter

            return XDSLAdapter()
        from passel.mlir import MLIRAdapter

        adapter = MLIRAdapter()
        try:
            _ = adapter.bindings.ir
        except AdapterError as error:
            raise UsageError(
                f"--ir=mlir needs MLIR's Python bindings: pip install 'passel[mlir]' ({error})"
            ) from None
        return adapter

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

    def names(self, registry: PassRegistry | None = None) -> PassRegistry:
        """Return the passes that a command line may name; xDSL need not be loaded for it.

        Args:
            registry: The passes that a tool is made for; by default all installed ones.
        """
        from passel.passes import default_registry
        from passel.passes.resolution import names_on

        if self.name == "xdsl":
            from passel.xdsl.release import check

            check()
            return (registry or default_registry()).for_ir("xdsl")
        return names_on(self.adapter, registry)

    def hint(self, words: Sequence[str]) -> str:
        """Return what to say of passes in a command line that xDSL lacks and MLIR has."""
        if self.given is not None or self.name != "xdsl" or find_spec("mlir") is None:
            return ""
        from passel.mlir.upstream import upstream_passes

        here, there = self.names(), upstream_passes()
        named = dict.fromkeys(name for name in _passes_in(words) if name in there)
        lacking = [f"'{name}'" for name in named if name not in here]
        if not lacking:
            return ""
        several = len(lacking) > 1
        what = f"passes {', '.join(sorted(lacking))}" if several else f"pass {lacking[0]}"
        return f"MLIR itself has the {what}: --ir=mlir"

    def configured(self, settings: Settings) -> Frontend:
        """Return the frontend, which has taken what a command line says.

        Raises:
            UsageError: A flag means nothing for this IR, or its value is wrong.
        """
        frontend = self.frontend
        known = flags_by_name(self.own_flags)
        for name in settings.written:
            if name in frontend.refused:
                raise UsageError(f"'--{name}' {frontend.refused[name]}")
            if self.given is not None and (name == "ir" or known[name].ir not in {"", self.name}):
                raise UsageError(
                    f"'--{name}' means nothing here: {settings.program} reads '{self.name}' alone"
                )
        frontend.configure(settings.for_frontend)
        return frontend

    @property
    def own_flags(self) -> Sequence[Flag]:
        """Flags for it that the tool does not know by itself."""
        return () if self.given is None else self.frontend.flags

    def version(self) -> str:
        """Return its name and version; that of xDSL takes no loading."""
        if self.name == "xdsl":
            from passel.xdsl.release import INSTALLED

            return f"xDSL {INSTALLED}"
        return self.frontend.version()


def chosen_ir(words: Sequence[str]) -> IRChoice:
    """Return the IR that a command line means, before its flags can be read.

    `auto` is MLIR's bindings if the input is bytecode or a pass of the pipeline is only
    theirs, else xDSL. What is no IR is refused when the flags are read.
    """
    chosen = "xdsl"
    for name, value in flags_in(words):
        if name == "ir":
            chosen = value
    if chosen == "auto":
        chosen = "mlir" if _needs_mlir(words) else "xdsl"
    return IRChoice("mlir" if chosen == "mlir" else "xdsl")


def _needs_mlir(words: Sequence[str]) -> bool:
    if find_spec("mlir") is None:
        return False
    for word in words:
        if not word.startswith("-"):
            try:
                with Path(word).open("rb") as file:
                    if file.read(len(_BYTECODE)) == _BYTECODE:
                        return True
            except (OSError, ValueError):
                continue
    here, there = IRChoice("xdsl").names(), IRChoice("mlir").names()
    return any(name not in here and name in there for name in _passes_in(words) if name)


def _passes_in(words: Sequence[str]) -> list[str]:
    """Return the passes that a command line names, and some flags that are none."""
    from passel.pipeline import PassNode, parse_pipeline

    names: list[str] = []
    flags = flags_by_name()
    for name, value in flags_in(words):
        flag = flags.get(name)
        if flag is None:
            names.append(name)
        elif flag.name == "pass-pipeline" and value.startswith("@"):
            from passel.builder.data import pass_names

            names += pass_names(value[1:])
        elif flag.name == "pass-pipeline":
            try:
                todo = list(parse_pipeline(value, flat_anchor="builtin.module").elements)
            except PipelineError:
                continue  # it is refused when it is read for good
            while todo:
                node = todo.pop()
                if isinstance(node, PassNode):
                    names.append(node.name)
                elif "." in node.anchor or node.anchor == "any":
                    todo += node.elements
    return names


def listed_names(ir: IRChoice, registry: PassRegistry | None) -> dict[str, list[str]]:
    """Return the names of passes and pipelines, for each IR that a command line may choose.

    Args:
        ir: The IR that comes first, and is the only one of a tool that is made for it.
        registry: The passes that the tool is made for; by default all installed ones.
    """
    found: dict[str, list[str]] = {}
    for each in (ir,) if ir.given else (ir, IRChoice("xdsl"), IRChoice("mlir")):
        with suppress(UsageError):  # not installed
            names = each.names(registry)
            found[each.name] = [info.name for info in (*names.passes(), *names.pipelines())]
    return found

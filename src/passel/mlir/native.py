"""MLIR's own passes, run by the bindings' pass manager.

The bindings can neither list nor describe passes, but their pipeline parser knows each pass by name
and checks its options. Other facts about passes of the public release are in a table
(`passel.mlir.upstream`); for other passes, passel queries the parser.
"""

from __future__ import annotations

import re
from functools import cache, cached_property
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, ClassVar

from passel.errors import OptionError, PassFailure, PipelineError, Problem
from passel.mlir.bindings import bindings_named, bindings_of
from passel.mlir.descriptions import descriptions
from passel.mlir.pipelines import (
    CompiledPipeline,
    Refused,
    banner,
    class_name,
    effects_of_native,
    expanded,
    facts_of,
    is_pass,
    parsed,
    printed_pass,
    words_in,
)
from passel.passes import Pass
from passel.pipeline import PassNode, parse_pipeline
from passel.schedule import nodes_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from passel.diagnostics import Diagnostic
    from passel.ir import OpKind
    from passel.mlir.bindings import Bindings
    from passel.passes import PassContext, Statistic
    from passel.passes.options import OptionInfo
    from passel.pipeline import OptionNode
    from passel.schedule import Step


class Managers:
    """MLIR's pass managers for one schedule. Each manager is created on first use.

    Args:
        bindings: The build.
        verify: Whether MLIR verifies after each pass, and writes a file to `folder` for each failed
            pass. None for single passes, which the run itself verifies.
    """

    def __init__(self, bindings: Bindings, verify: bool | None = None) -> None:
        self.bindings = bindings
        self.verify = verify
        self._made: dict[tuple[Any, ...], CompiledPipeline] = {}

    def run(
        self, op: Any, steps: Sequence[Step], ctx: PassContext[Any]
    ) -> tuple[bool, list[Diagnostic]]:
        """Run passes on an op, and record their statistics if the run collects them.

        Args:
            op: The op.
            steps: The passes.
            ctx: The context of the pass that replaces the passes.
        """
        if ctx.collects_statistics:
            from passel.mlir.measured import can_measure, run_counted  # noqa: PLC0415 - rare

            if can_measure(self.bindings):
                return run_counted(self, op, steps, ctx)
        return self.manager(op, steps).run(op.operation)

    def manager(self, op: Any, steps: Sequence[Step], *, counts: bool = False) -> CompiledPipeline:
        """Return the pass manager for passes on an op."""
        key = name, *_ = op.operation.name, counts, *steps
        made = self._made.get(key)
        if made is None:
            text = f"{name}({','.join(map(str, nodes_of(steps)))})"
            native = self.bindings.passmanager.PassManager.parse(text, op.operation.context)
            native.enable_verifier(bool(self.verify))
            made = self._made[key] = CompiledPipeline(native, self.bindings)
            if self.verify is not None:
                made.print_into(self.folder, only_failures=True)
            if counts:
                made.count()
        return made

    @cached_property
    def folder(self) -> Path:
        """The folder into which MLIR writes a file for each failed pass."""
        return Path(_temporary().name, str(next(_numbers)))


_numbers = count()


@cache
def _temporary() -> TemporaryDirectory[str]:
    """Return the parent of all these folders: creating one for each would slow down small runs."""
    return TemporaryDirectory(prefix="passel-", ignore_cleanup_errors=True)


class NativePass(Pass[Any, Managers]):
    """Base class of the wrappers of MLIR's passes."""

    ir = "mlir"
    root: ClassVar[str] = "mlir"
    on_functions: ClassVar[bool] = False

    @property
    def display_name(self) -> str:
        """The name of the class in reports of the build; of MLIR 22 if the build is not loaded."""
        bindings, declared = bindings_named(self.root), type(self).__name__
        return class_name(bindings, self.name, declared) if bindings.is_loaded() else declared

    def dump_title(self, suffix: str = "") -> str:
        """Return the text that introduces dumps of the build."""
        bindings = bindings_named(self.root)
        if not bindings.is_loaded() or "(" in banner(bindings):
            return super().dump_title(suffix)
        return f"{self.display_name}{suffix}: {printed_pass(bindings, self.name, self.to_text())}"

    @classmethod
    def documentation(cls) -> str:
        """Return MLIR's summary of the pass, if an mlir-opt is installed."""
        found = descriptions(cls.root).get(cls.name)
        return found.summary if found else super().documentation()

    @classmethod
    def documented_options(cls) -> tuple[OptionInfo, ...]:
        """Return the options, with MLIR's help texts if an mlir-opt is installed."""
        found = descriptions(cls.root).get(cls.name)
        texts = found.options if found else {}
        return tuple(info._replace(help=texts.get(info.name, "")) for info in cls.option_infos())

    @classmethod
    def statistics(cls) -> tuple[Statistic, ...]:
        """Return the statistics that the pass has in the build."""
        from passel.mlir.measured import native_statistics  # noqa: PLC0415 - as above

        return native_statistics(bindings_named(cls.root), cls.name, cls.anchor or "")

    def own_effects(self) -> tuple[str, ...]:
        """Return the effects of the pass outside the IR, and of pipelines in its options."""
        return effects_of_native(bindings_named(self.root), self.name, self.option_text())

    def can_schedule_on(self, kind: OpKind) -> bool:
        """Accept ops with the anchor's name; without an anchor, functions or any op.

        A pass for functions accepts only functions. Ops called `x.func` are also functions.
        """
        if self.anchor is not None:
            return self.anchor == kind.name
        return not self.on_functions or kind.name.endswith(".func") or kind.name in _FUNCTIONS

    def initialize(self, ir_context: Any) -> Managers:
        """Return MLIR's pass managers for the pass.

        Raises:
            PassFailure: If the build of the context has no such pass, or refuses options.
        """
        bindings = bindings_of(ir_context)
        try:
            check_options(bindings, self.name, self.option_nodes(), f"pass '{self.name}'")
        except OptionError as error:
            raise PassFailure(error.problems[0].message) from None
        return Managers(bindings)

    def run(self, op: Any, ctx: PassContext[Managers]) -> None:
        """Let MLIR run the pass; the run verifies the result.

        Raises:
            PassFailure: If the pass failed. The run reports MLIR's diagnostics first.
        """
        succeeded, diagnostics = ctx.state.run(op, (ctx.step,), ctx)
        for diagnostic in diagnostics:
            ctx.emit(diagnostic)
        if not succeeded:
            raise PassFailure(op=op)


_FUNCTIONS = {"ml_program.subgraph", "spirv.ARM.Graph", "transform.named_sequence"}
"""Ops of MLIR's with `FunctionOpInterface` that are not called `x.func`."""


def check_options(bindings: Bindings, name: str, nodes: Iterable[OptionNode], owner: str) -> None:
    """Let MLIR check options.

    Raises:
        OptionError: If MLIR rejects the options, or has no such pass; the error has MLIR's reason.
    """
    nodes = tuple(nodes)
    text = " ".join(map(str, nodes))
    _check_pipelines(bindings, nodes, owner)
    try:
        parsed(bindings, f"any({name}{{{text}}})" if text else f"any({name})")
    except Refused as error:
        if error.is_unknown:
            message = f"MLIR's bindings '{bindings.root}' have no {owner}"
            raise OptionError(Problem(message)) from None
        reason = error.reason()
        span = _blamed(nodes, reason) if nodes else None
        raise OptionError(Problem(f"{owner}: {reason}", span)) from None


def _check_pipelines(bindings: Bindings, nodes: Iterable[OptionNode], owner: str) -> None:
    """Refuse options that name a pipeline with passes restricted to one op name.

    Raises:
        OptionError: If one does. The pass decides on which op the pipeline runs, and on an op of
            another name it would crash the process.
    """
    for node in nodes:
        for name in words_in(node.value.text if node.value else ""):
            if not _takes_any_op(bindings, name):
                message = f"{owner}: it would run MLIR's pipeline '{name}', which crashes on "
                message += "an op of another kind; list the passes of the pipeline instead"
                raise OptionError(Problem(message, node.span))


def _takes_any_op(bindings: Bindings, name: str) -> bool:
    """Return whether a pass or pipeline is not restricted to one op name."""
    passes = expanded(bindings, name)
    if not passes or is_pass(bindings, name):
        return True  # MLIR checks passes by itself
    try:
        elements = parse_pipeline(f"any({passes})").elements
    except PipelineError:  # MLIR prints some options so that they do not read back
        return False
    inner = (each for each in elements if isinstance(each, PassNode))
    return not any(facts_of(bindings, each.name).anchor for each in inner)


def _blamed(nodes: Sequence[OptionNode], reason: str) -> Any:
    """Return the span of the option named in MLIR's error, or of the first option."""
    named = (node for node in nodes if re.search(rf"\b{re.escape(node.key)}\b", reason))
    return next(named, nodes[0]).span

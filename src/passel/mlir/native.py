"""Wrappers of MLIR's own passes, which the bindings' pass manager runs.

The bindings can neither list nor describe passes, but their pipeline parser accepts the name of a
pass and checks the options. The table in `passel.mlir.upstream` describes the passes of MLIR's
public release. To describe any other pass, passel queries MLIR's parser.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache, cached_property
from pathlib import Path
from tempfile import TemporaryDirectory, mkdtemp
from typing import TYPE_CHECKING, Any, ClassVar

from passel.errors import OptionError, PassFailure, Problem
from passel.mlir.bindings import bindings_named, bindings_of
from passel.mlir.calls import calls_of
from passel.mlir.pipelines import (
    Refused,
    banner,
    class_name,
    effects_of_native,
    parsed,
    printed_pass,
)
from passel.passes import Pass
from passel.schedule.model import nodes_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from passel.diagnostics import Diagnostic
    from passel.ir import OpKind
    from passel.mlir.bindings import Bindings
    from passel.mlir.calls import Runner
    from passel.passes import PassContext, Statistic
    from passel.pipeline import OptionNode
    from passel.schedule import Step


class Managers:
    """MLIR's pass managers for one schedule, each created on first use.

    Args:
        bindings: The build of MLIR's Python bindings.
        verify: Whether MLIR verifies the IR after each pass; None if passel verifies the IR
            instead. Unless `verify` is None, MLIR also writes a file to `folder` for each failed
            pass.

    Attributes:
        counted: A dict from each runner whose pass manager prints statistics to a dict from each
            line number of the runner's latest report to the number in this line.
    """

    def __init__(self, bindings: Bindings, verify: bool | None = None) -> None:
        self.bindings = bindings
        self.verify = verify
        self._made: dict[tuple[Any, ...], Runner] = {}
        self.counted: defaultdict[Runner, dict[int, int]] = defaultdict(dict)

    def run(
        self, op: Any, steps: tuple[Step, ...], ctx: PassContext[Any]
    ) -> tuple[bool, list[Diagnostic]]:
        """Run steps of MLIR's own passes on an op, and record statistics if the run collects them.

        Args:
            op: The op.
            steps: The native steps.
            ctx: The `PassContext` of the pass that runs the steps.

        Returns:
            A tuple of a boolean and the reported diagnostics. The boolean is true if all passes
            succeeded.
        """
        if ctx.collects_statistics:
            from passel.mlir.measured import run_counted  # noqa: PLC0415 - rare

            return run_counted(self, op, steps, ctx)
        return self.runner(ctx.plan.op_name, steps, ctx)(op.operation)

    def runner(
        self, name: str, steps: tuple[Step, ...], ctx: PassContext[Any], *, counts: bool = False
    ) -> Runner:
        """Return the function that runs `steps` on ops called `name`.

        Args:
            name: The name of the ops that the function will run on.
            steps: The steps, which all run MLIR's own passes.
            ctx: The `PassContext` of the pass that runs the steps.
            counts: Whether the pass manager prints statistics.
        """
        key = name, counts, steps
        made = self._made.get(key)
        if made is None:
            text = f"{name}({','.join(map(str, nodes_of(steps)))})"
            native = self.bindings.passmanager.PassManager.parse(text, ctx.ir_context)
            native.enable_verifier(bool(self.verify))
            made = self._made[key] = calls_of(self.bindings).runner(native)
            if self.verify is not None:
                native.enable_ir_printing(
                    print_before_all=False,
                    print_after_all=True,
                    print_after_failure=True,
                    print_generic_op_form=True,  # MLIR does not verify the op before printing it
                    tree_printing_dir_path=str(self.folder),
                )
            if counts:
                native.enable_statistics()
        return made

    @cached_property
    def folder(self) -> Path:
        """The folder in which MLIR writes a file for each failed pass."""
        return Path(mkdtemp(dir=_temporary().name))


@cache
def _temporary() -> TemporaryDirectory[str]:
    """Return the temporary folder that all pass managers share, because creating one is slow."""
    return TemporaryDirectory(prefix="passel-", ignore_cleanup_errors=True)


class NativePass(Pass[Any, Managers]):
    """The base class of the passes that wrap MLIR's own passes."""

    ir = "mlir"
    root: ClassVar[str] = "mlir"
    on_functions: ClassVar[bool] = False

    @property
    def display_name(self) -> str:
        """The name of the pass's C++ class, as the build prints the name in reports.

        If the build is not loaded, the property is the name of the Python class.
        """
        bindings, declared = bindings_named(self.root), type(self).__name__
        return class_name(bindings, self.name, declared) if bindings.is_loaded() else declared

    def dump_title(self, suffix: str = "") -> str:
        """Return the title that the build prints for the pass above IR dumps."""
        bindings = bindings_named(self.root)
        if not bindings.is_loaded() or "(" in banner(bindings):
            return super().dump_title(suffix)
        return f"{self.display_name}{suffix}: {printed_pass(bindings, self.name, self.to_text())}"

    @classmethod
    def statistics(cls) -> tuple[Statistic, ...]:
        """Return the statistics that the build declares for the pass."""
        from passel.mlir.measured import native_statistics  # noqa: PLC0415 - rare

        return native_statistics(bindings_named(cls.root), cls.name, cls.anchor or "")

    def own_effects(self) -> tuple[str, ...]:
        """Return the pass's effects outside the IR, including those of pipelines in its options."""
        return effects_of_native(bindings_named(self.root), self.name, self.option_text())

    def can_schedule_on(self, kind: OpKind) -> bool:
        """Return whether the pass can run on ops of a kind.

        A pass with an anchor accepts only ops whose name is the anchor. A pass for functions
        accepts ops called `<dialect>.func` and a few other ops. All other passes accept any op.
        """
        if self.anchor is not None:
            return self.anchor == kind.name
        return not self.on_functions or kind.name.endswith(".func") or kind.name in _FUNCTIONS

    def requirement(self) -> str:
        """Return a phrase that says which ops the pass accepts."""
        return super().requirement() if self.anchor else "on functions (FunctionOpInterface) only"

    def initialize(self, ir_context: Any) -> Managers:
        """Return MLIR's pass managers, which are the state of the pass.

        Raises:
            PassFailure: If the build has no such pass, or rejects an option.
        """
        bindings = bindings_of(ir_context)
        try:
            check_options(bindings, self.name, self.option_nodes(), f"pass '{self.name}'")
        except OptionError as error:
            raise PassFailure(error.problems[0].message) from None
        return Managers(bindings)

    def run(self, op: Any, ctx: PassContext[Managers]) -> None:
        """Run the pass in MLIR without verification, because passel verifies the result.

        Raises:
            PassFailure: If the pass fails. MLIR's diagnostics are reported before the error is
                raised.
        """
        succeeded, diagnostics = ctx.state.run(op, (ctx.step,), ctx)
        for diagnostic in diagnostics:
            ctx.emit(diagnostic)
        if not succeeded:
            raise PassFailure(op=op)


_FUNCTIONS = {"ml_program.subgraph", "spirv.ARM.Graph", "transform.named_sequence"}
"""The ops of MLIR with `FunctionOpInterface` that are not called `x.func`."""


def check_options(bindings: Bindings, name: str, nodes: Iterable[OptionNode], owner: str) -> None:
    """Check the options of a pass with MLIR's parser.

    Args:
        bindings: The build of MLIR's Python bindings.
        name: The name of the pass.
        nodes: The options.
        owner: A phrase that names the pass in messages, such as `pass 'cse'`.

    Raises:
        OptionError: If the build has no such pass, or MLIR rejects an option. If MLIR rejects an
            option, the error message contains MLIR's reason.
    """
    nodes = tuple(nodes)
    text = " ".join(map(str, nodes))
    try:
        parsed(bindings, f"any({name}{{{text}}})" if text else f"any({name})")
    except Refused as error:
        if error.is_unknown:
            message = f"MLIR's bindings '{bindings.root}' have no {owner}"
            raise OptionError(Problem(message)) from None
        reason = error.reason()
        span = _blamed(nodes, reason) if nodes else None
        raise OptionError(Problem(f"{owner}: {reason}", span)) from None


def _blamed(nodes: Sequence[OptionNode], reason: str) -> Any:
    """Return the span of the option that MLIR's error names, or the span of the first option."""
    named = (node for node in nodes if re.search(rf"\b{re.escape(node.key)}\b", reason))
    return next(named, nodes[0]).span

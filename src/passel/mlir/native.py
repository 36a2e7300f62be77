"""MLIR's own passes by name, run by the bindings' pass manager.

The bindings cannot list passes or describe one, but their pipeline parser knows each by name
and checks its options; what passel has to know beyond that it finds out by asking the parser.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from passel.errors import OptionError, PassFailure, PipelineError, Problem
from passel.mlir.bindings import bindings_named
from passel.mlir.pass_effects import display_name_of, effects_of_native
from passel.mlir.pipelines import Refused, compiled, expanded, is_pass, on_nothing, parsed, words_in
from passel.mlir.upstream import upstream_passes
from passel.passes import Pass
from passel.passes.factory import make_pass_class
from passel.pipeline import PassNode, parse_options, parse_pipeline, print_options

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passel.ir import OpKind
    from passel.mlir.bindings import Bindings
    from passel.mlir.pipelines import CompiledPipeline
    from passel.passes import PassContext
    from passel.pipeline import OptionNode

_RESTRICTED = re.compile(r"[Cc]an't add pass '(.*?)' restricted to '(.*?)'")
FUNCTION = ".func"
"""How the names of ops end that are functions."""


_NEVER_FAIL = frozenset(
    {
        "canonicalize",
        "control-flow-sink",
        "cse",
        "loop-invariant-code-motion",
        "loop-invariant-subset-hoisting",
        "sccp",
        "strip-debuginfo",
        "symbol-dce",
        "symbol-privatize",
        "topological-sort",
    }
)
"""Common passes for which, in MLIR's sources, nothing can go wrong."""


class Managers:
    """MLIR's pass managers of one schedule, each made when it is first needed.

    Args:
        bindings: The build.
        verify: Whether they verify after each pass.
        locate: Whether outcomes tell which passes failed on which ops.
    """

    def __init__(self, bindings: Bindings, *, verify: bool = False, locate: bool = False) -> None:
        self.bindings = bindings
        self.verify = verify
        self._locate = locate
        self._made: dict[str, CompiledPipeline] = {}

    def manager(self, operation: Any, elements: str, context: Any) -> CompiledPipeline:
        """Return the manager that runs passes on ops of one name.

        Args:
            operation: An op of that name.
            elements: The passes, as in a pipeline.
            context: The context of the schedule.
        """
        text = f"{operation.name}({elements})"
        made = self._made.get(text)
        if made is None:
            made = self._made[text] = compiled(
                self.bindings, context, text, verify=self.verify, locate=self._locate
            )
        return made


class NativePass(Pass[Any, Managers]):
    """Base class of the passes that stand for MLIR's.

    Subclasses are made by `native_pass_class`. Options are kept as they were written: MLIR
    reads them itself.

    Args:
        options: As in a pipeline, between the braces.
    """

    ir = "mlir"
    root: ClassVar[str]
    on_functions: ClassVar[bool] = False
    fields_are_options = False  # MLIR knows the options, and does not tell
    options: str = ""

    @classmethod
    def read_options(
        cls,
        nodes: Iterable[OptionNode],
        owner: str,
        scope: Any,  # noqa: ARG003 - as in the base class
    ) -> dict[str, Any]:
        """Let MLIR check the options.

        Raises:
            OptionError: MLIR refuses them, for the reason that it gives.
        """
        nodes = tuple(nodes)
        text = print_options(nodes)
        if text:
            _check_pipelines(bindings_named(cls.root), nodes, owner)
            try:
                parsed(bindings_named(cls.root), None, f"any({cls.name}{{{text}}})")
            except Refused as error:
                span = _blamed(nodes, error.reason)
                raise OptionError(Problem(f"{owner}: {error.reason}", span)) from None
        return {"options": text}

    def option_nodes(self, *, all_options: bool = False) -> tuple[OptionNode, ...]:
        """Return the options as they were written."""
        return _option_nodes(self.options)

    def own_effects(self) -> tuple[str, ...]:
        """Return what the pass does outside the IR, and what pipelines in its options do."""
        return effects_of_native(bindings_named(self.root), self.name, self.options)

    def can_schedule_on(self, kind: OpKind) -> bool:
        """Accept what MLIR accepts, as far as it can be found out.

        A pass for an interface is taken for one on functions, as all but a few are, and what
        is called `x.func` for a function.
        """
        if self.anchor is not None:
            return self.anchor == kind.name
        return not self.on_functions or kind.name.endswith(FUNCTION)

    def initialize(self, ir_context: Any) -> Managers:
        """Return where MLIR's pass managers for the pass are kept."""
        return Managers(bindings_named(self.root))

    def run(self, op: Any, ctx: PassContext[Managers]) -> None:
        """Let MLIR run the pass; the run verifies what it leaves behind.

        Raises:
            PassFailure: The pass failed. MLIR's own words are reported before.
        """
        operation = op.operation
        outcome = ctx.state.manager(operation, str(self), ctx.ir_context).run(operation)
        for diagnostic in outcome.diagnostics:
            ctx.emit(diagnostic)
        if outcome.failed:
            raise PassFailure(op=op)

    def __reduce__(self) -> tuple[Any, ...]:
        # The class was made at run time, so pickle would not find it.
        return _unpickled, (self.root, self.name, self.options)


@cache
def native_pass_class(root: str, name: str) -> type[NativePass] | None:
    """Return the class that stands for a pass of MLIR's, or None if there is none.

    Args:
        root: The build of the bindings.
        name: The pass's textual name.
    """
    bindings = bindings_named(root)
    if not is_pass(bindings, name):
        return None
    anchor, display_name, on_functions = None, display_name_of(name), False
    try:
        # What passes of a vendor do without ops to work on, nobody has tried.
        run = name in upstream_passes() and not display_name
        trial = on_nothing(bindings, name, run=run)
    except Refused as error:
        if found := _RESTRICTED.search(error.text):
            display_name, anchor = found.groups()
    else:
        on_functions = not trial.fits
        display_name = display_name or trial.display_name
        if found := _restriction(bindings, name):
            display_name, anchor = found.groups()
    display_name = display_name or name
    return make_pass_class(
        NativePass,
        display_name,
        name=name,
        doc=f"MLIR's pass `{name}`.",
        anchor=anchor,
        effects=effects_of_native(bindings, name, ""),
        root=bindings.root,
        on_functions=on_functions,
        display_name=display_name,
    )


def _restriction(bindings: Bindings, name: str) -> re.Match[str] | None:
    """Return MLIR's complaint about a pass on a function, if the pass is for modules alone."""
    try:
        parsed(bindings, None, f"func.func({name})")
    except Refused as error:
        return _RESTRICTED.search(error.text)
    return None


def can_fail(pass_: Pass[Any]) -> bool:
    """Return whether one of MLIR's passes may fail, as far as its name and options tell."""
    return pass_.name not in _NEVER_FAIL or "test-convergence" in pass_.to_text()


def _unpickled(root: str, name: str, options: str) -> NativePass:
    found = native_pass_class(root, name)
    if found is None:
        msg = f"MLIR's bindings '{root}' have no pass '{name}'"
        raise LookupError(msg)
    return found(options=options)


_option_nodes = cache(parse_options)
"""The options of native passes as nodes, which each execution of such a pass prints."""


def _check_pipelines(bindings: Bindings, nodes: Iterable[OptionNode], owner: str) -> None:
    """Refuse options that name a pipeline which has passes for ops of one name.

    Raises:
        OptionError: On another op such a pipeline would end the process, and which op it
            will be is for the pass to decide.
    """
    for node in nodes:
        for name in words_in(node.value.text if node.value else ""):
            if not _takes_any_op(bindings, name):
                message = (
                    f"{owner}: it would run MLIR's pipeline '{name}', which ends the process on "
                    "an op that it is not for; write the passes that it consists of"
                )
                raise OptionError(Problem(message, node.span))


def _takes_any_op(bindings: Bindings, name: str) -> bool:
    """Return whether what a name stands for has no pass for ops of one name alone."""
    passes = expanded(bindings, name)
    if not passes or is_pass(bindings, name):
        return True  # MLIR checks passes by itself
    try:
        elements = parse_pipeline(f"any({passes})").elements
    except PipelineError:  # MLIR prints some options so that nobody could read them
        return False
    names = (element.name for element in elements if isinstance(element, PassNode))
    found = (native_pass_class(bindings.root, each) for each in names)
    return all(each is None or each.anchor is None for each in found)


def _blamed(nodes: Iterable[OptionNode], reason: str) -> Any:
    """Return the place of the option that MLIR's complaint names, or of the first."""
    nodes = list(nodes)
    named = (node for node in nodes if re.search(rf"\b{re.escape(node.key)}\b", reason))
    return next(named, nodes[0]).span

"""Contracts held against the IR while passes run: whether what is declared is true."""

from __future__ import annotations

from collections import ChainMap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from passel.analysis import AllAnalyses, analysis_name
from passel.contracts.declarations import Declarations, default_declarations
from passel.errors import PassFailure
from passel.hooks import PassInstrumentation
from passel.ir import inwards
from passel.passes.preservation import preserved_by, preserves
from passel.schedule import PassStep, passes_of

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterator

    from passel.contracts.declarations import DeclarationTable
    from passel.errors import Failure
    from passel.hooks import Run
    from passel.schedule import Pipeline, Step


@dataclass(slots=True)
class _Running:
    """A pass that is running.

    Attributes:
        op: What it runs on.
        said: What is declared of it.
        problems: What it has broken so far.
    """

    op: Any
    said: Declarations
    problems: list[str] = field(default_factory=list[str])


class ContractVerifier(PassInstrumentation):
    """Fails passes that do not keep to what is declared of them, or do not find what they need.

    After each pass, no op is of a dialect that the pass, or one before it, has made illegal. What
    a pass produces it has computed; what it requires is there, and its dialects have not been made
    illegal. A pass runs no others that invalidate what it preserves itself. Whether what is
    preserved is still true is for `PassManager.enable_analysis_verifier`.

    Args:
        declarations: What is declared of passes beside what their classes say; by default what
            installed packages declare.

    Example:
        >>> from passel import Pass, PassFailedError, PassManager
        >>> from passel.testing import ToyAdapter, parse_toy
        >>> class Lower(Pass):
        ...     name = "lower"
        ...     makes_illegal = ("high",)
        ...
        ...     def run(self, op, ctx): ...
        >>> pm = PassManager("toy.module", adapter=ToyAdapter()).add(Lower())
        >>> pm.add_instrumentation(ContractVerifier())
        >>> try:
        ...     _ = pm.run(parse_toy("toy.module(high.op)"))
        ... except PassFailedError as error:
        ...     print(error.diagnostics[0].message)
        'high.op' op pass 'lower' failed: it makes dialect 'high' illegal, but leaves 'high.op'
    """

    one_by_one = True

    def __init__(self, declarations: DeclarationTable | None = None) -> None:
        self._declarations = declarations or default_declarations()

    def before_run(self, run: Run) -> None:
        """Start anew."""
        self._computed: set[tuple[Any, Hashable]] = set()
        self._illegal: ChainMap[str, str] = ChainMap()  # those of enclosing ops are behind
        self._running: list[_Running] = []

    def before_pipeline(self, pipeline: Pipeline, op: Any, parent: Step) -> None:
        """Start with no dialects of the op made illegal but those of the enclosing ops."""
        if isinstance(parent, PassStep) and self._running:
            self._running[-1].problems += self._broken_inside(parent, pipeline)
        self._illegal = self._illegal.new_child()

    def after_pipeline(self, pipeline: Pipeline, op: Any, parent: Step, *, failed: bool) -> None:
        """Go back to those of the enclosing ops."""
        self._illegal = self._illegal.parents

    def before_pass(self, step: Step, op: Any) -> None:
        """Look for the dialects that a pass requires.

        Raises:
            PassFailure: One has been made illegal.
        """
        if isinstance(step, PassStep):
            self._running.append(_Running(op, self._declarations.of(step.pass_)))
            self._check_required(self._running[-1].said)

    def after_pass(self, step: Step, op: Any) -> None:
        """Look whether it has done what is declared.

        Raises:
            PassFailure: It has not.
        """
        if isinstance(step, PassStep):
            running = self._running.pop()
            if not self.ended.skipped:
                self._judge(step, running)

    def after_pass_failed(self, step: Step, op: Any, failure: Failure | None) -> None:
        """Forget it."""
        if isinstance(step, PassStep):
            self._running.pop()

    def before_analysis(self, name: str, kind: Any, op: Any) -> None:
        """Note what is computed, which ought to be there if the running pass requires it."""
        self._computed.add((kind, self.run.adapter.identity_of(op)))
        running = self._running[-1] if self._running else None
        if running is not None and kind in running.said.requires and running.op == op:
            running.problems.append(
                f"it requires {name}, which had to be computed anew: no pass has produced it, or "
                "one has not kept it since"
            )

    def _check_required(self, said: Declarations) -> None:
        for dialect in said.requires:
            if isinstance(dialect, str) and dialect in self._illegal:
                by = self._illegal[dialect]
                raise PassFailure(f"it requires dialect '{dialect}', which {by} has made illegal")

    def _judge(self, step: PassStep, running: _Running) -> None:
        said, op = running.said, running.op
        for kind in said.produces:
            if (kind, self.run.adapter.identity_of(op)) not in self._computed:
                running.problems.append(
                    f"it does not compute {analysis_name(kind)}, which it produces"
                )
        if running.problems:
            raise PassFailure(running.problems[0])
        for dialect in said.makes_legal:
            for illegal in self._illegal.maps:
                illegal.pop(dialect, None)
        self._check_dialects(op, said)
        by = f"pass '{step.title}' [{step.path}]"
        self._illegal.update(dict.fromkeys(said.makes_illegal, by))

    def _check_dialects(self, op: Any, said: Declarations) -> None:
        found = self._op_of({*self._illegal, *said.makes_illegal}, op)
        if found is None:
            return
        name = self.run.adapter.kind_of(found).name
        dialect = name.partition(".")[0]
        if dialect in said.makes_illegal:
            message = f"it makes dialect '{dialect}' illegal, but leaves '{name}'"
        else:
            message = (
                f"it leaves '{name}' of dialect '{dialect}', which {self._illegal[dialect]} has "
                "made illegal, and no pass since has made legal"
            )
        raise PassFailure(message, op=found)

    def _op_of(self, dialects: Collection[str], op: Any) -> Any:
        """Return the first op in an op that is of one of some dialects."""
        ops = inwards(self.run.adapter, op) if dialects else ()
        return next(
            (e for e in ops if self.run.adapter.kind_of(e).name.partition(".")[0] in dialects), None
        )

    def _broken_inside(self, parent: PassStep, pipeline: Pipeline) -> Iterator[str]:
        """Yield what a pass preserves, but not the passes of a pipeline that it runs."""
        for kind in preserved_by([parent.pass_], self._declarations):
            what = "all analyses" if kind is AllAnalyses else analysis_name(kind)
            for step in passes_of(pipeline):
                if not preserves(self._declarations.of(step.pass_).preserves, kind):
                    yield f"it preserves {what}, but runs '{step.title}', which does not"

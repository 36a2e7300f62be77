"""Runs of pipelines on texts, and checks of their output with filecheck."""

from __future__ import annotations

import io
from contextlib import redirect_stderr
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.frontend import SourcePart, frontend_of
from passel.hooks import PassInstrumentation
from passel.ir import PrintFlags, adapter_named
from passel.manager import PassManager, RunResult
from passel.manager.reproducing import read_part, registry_with
from passel.schedule import PassStep

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passel.errors import Failure
    from passel.hooks import Run
    from passel.schedule import Pipeline, Step

SPLIT = "// -----"
"""The line between parts of a file that are processed by themselves."""


class PassesRun(NamedTuple):
    """A run of a pipeline on a text.

    Attributes:
        text: The IR afterwards.
        op: The op at the top.
        result: The result of the run.
    """

    text: str
    op: Any
    result: RunResult

    def __str__(self) -> str:
        return self.text


def run_passes(
    source: str,
    pipeline: str,
    *,
    adapter: str = "xdsl",
    passes: Iterable[Any] = (),
    name: str = "<test>",
    line: int = 0,
) -> PassesRun:
    """Run a pipeline on IR as text, in a context of its own.

    What passes claim to preserve is computed again and compared.

    Args:
        source: The IR; several ops at the top are put in a module.
        pipeline: What to run, such as `builtin.module(func.func(cse))`.
        adapter: The IR: `xdsl`, `mlir`, or another that is installed.
        passes: Classes of passes that no installed package registers.
        name: The text's name in errors.
        line: How many lines come before it in a file.

    Raises:
        UnreadableError: The text is not valid IR.
        PipelineError: The pipeline is wrong.
        PassFailedError: Passes failed.

    Example:
        >>> function = "func.func @f() { %0 = arith.constant 1 : i32 func.return }"
        >>> print(run_passes(function, "builtin.module(func.func(dce))"))
        builtin.module {
          func.func @f() {
            func.return
          }
        }
    """
    ir = adapter_named(adapter)
    frontend = frontend_of(ir, implicit_module=True, allow_unregistered=True)
    context = frontend.new_context()
    op = read_part(frontend, SourcePart(source, name, line), context).op
    registry = registry_with(passes)
    manager = PassManager.parse(pipeline, context, registry=registry, adapter=ir)
    manager.enable_analysis_verifier()
    result = manager.run(op)
    return PassesRun(ir.print_op(op, PrintFlags()), op, result)


def check_passes(
    path: str | Path,
    pipeline: str,
    *,
    prefix: str = "CHECK",
    adapter: str = "xdsl",
    passes: Iterable[Any] = (),
) -> None:
    """Run a pipeline on each part of a file, and compare the output with its CHECK lines.

    Args:
        path: The file; parts between lines `// -----` are read and run by themselves.
        pipeline: As for `run_passes`.
        prefix: What the lines begin with.
        adapter: As for `run_passes`.
        passes: As for `run_passes`.

    Raises:
        AssertionError: The output differs, or there are no such lines.
    """
    path, passes = Path(path), tuple(passes)
    text = path.read_text(encoding="utf-8")
    outputs: list[str] = []
    line = 0
    for part in text.split(SPLIT):
        run = run_passes(part, pipeline, adapter=adapter, passes=passes, name=str(path), line=line)
        outputs.append(run.text)
        line += part.count("\n")
    if message := _mismatch(path, f"{SPLIT}\n".join(f"{each}\n" for each in outputs), prefix):
        raise AssertionError(message)


def _mismatch(path: Path, output: str, prefix: str) -> str:
    """Return what filecheck says of an output; empty if it is as it should be."""
    try:
        from filecheck.finput import FInput  # noqa: PLC0415 - of the extra `testing`
        from filecheck.matcher import Matcher  # noqa: PLC0415
        from filecheck.options import Options  # noqa: PLC0415
        from filecheck.parser import Parser  # noqa: PLC0415
    except ImportError:
        raise AssertionError(
            "filecheck is missing: pip install '.[testing]' in passel's checkout"
        ) from None
    options = Options(str(path), check_prefixes=[prefix])
    with redirect_stderr(io.StringIO()) as said:
        code = Matcher(options, FInput("output", output), Parser.from_opts(options)).run()
    return f"{said.getvalue()}\nThe output is:\n{output}" if code else ""


class EventRecorder(PassInstrumentation):
    """Records hooks as lines of text, such as `before-pass cse @f`.

    Those of pipelines, passes and analyses; `FullEventRecorder` records all.

    Attributes:
        events: The lines so far.
    """

    def __init__(self) -> None:
        self.events: list[str] = []

    def _record(self, event: str, what: str, op: Any) -> None:
        adapter = self.run.adapter
        symbol = adapter.symbol_name(op)
        name = f"@{symbol}" if symbol else adapter.kind_of(op).name
        self.events.append(f"{event} {what} {name}")

    def before_pipeline(self, pipeline: Pipeline, op: Any, parent: Step) -> None:
        """Record it."""
        self._record("before-pipeline", pipeline.anchor, op)

    def after_pipeline(self, pipeline: Pipeline, op: Any, parent: Step, *, failed: bool) -> None:
        """Record it."""
        self._record("after-pipeline" + "-failed" * failed, pipeline.anchor, op)

    def before_pass(self, step: Step, op: Any) -> None:
        """Record it."""
        self._record("before-pass", _name(step), op)

    def after_pass(self, step: Step, op: Any) -> None:
        """Record it."""
        self._record("after-pass", _name(step), op)

    def after_pass_failed(self, step: Step, op: Any, failure: Failure | None) -> None:
        """Record it."""
        self._record("after-pass-failed", _name(step), op)

    def before_analysis(self, name: str, kind: Any, op: Any) -> None:
        """Record it."""
        self._record("before-analysis", name, op)

    def after_analysis(self, name: str, kind: Any, op: Any) -> None:
        """Record it."""
        self._record("after-analysis", name, op)


class FullEventRecorder(EventRecorder):
    """Records the hooks of runs, verification, change and skipped steps as well."""

    def before_run(self, run: Run) -> None:
        """Record it."""
        self._record("before-run", run.pipeline.anchor, run.op)

    def after_run(self, run: Run, *, failed: bool) -> None:
        """Record it."""
        self._record("after-run" + "-failed" * failed, run.pipeline.anchor, run.op)

    finds_changes = True

    def after_pass(self, step: Step, op: Any) -> None:
        """Record it, and whether it was skipped or has changed the op."""
        if self.ended.skipped:
            self._record("pass-skipped", _name(step), op)
        elif self.ended.changed:
            self._record("after-change", _name(step), op)
        super().after_pass(step, op)

    def before_verification(self, step: Step, op: Any) -> None:
        """Record it."""
        self._record("before-verification", _name(step), op)

    def after_verification(self, step: Step, op: Any) -> None:
        """Record it."""
        self._record("after-verification", _name(step), op)


def _name(step: Step) -> str:
    if isinstance(step, PassStep):
        return step.pass_.name
    return f"[{','.join(pipeline.anchor for pipeline in step.pipelines)}]"

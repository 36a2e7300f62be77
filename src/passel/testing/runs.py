"""Running pipelines on IR text, and checking the output with filecheck."""

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
    from passel.hooks import ObservedRun
    from passel.schedule import Pipeline, Step

SPLIT = "// -----"
"""The line between independent parts of a file."""


class PassesRun(NamedTuple):
    """The result of running a pipeline on IR text.

    Attributes:
        text: The printed IR after the run.
        op: The top-level op after the run.
        result: The result that `PassManager.run` returned.
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
    """Run a pipeline on IR text in a new context.

    Analyses that passes claim to preserve are compared with recomputed analyses.

    Args:
        source: The text of the IR. Several top-level ops are wrapped in a module.
        pipeline: The text of the pipeline, such as `builtin.module(func.func(cse))`.
        adapter: The name of the IR: `xdsl`, `mlir`, or the name of another installed adapter.
        passes: Additional pass classes to register.
        name: The name of the text in error messages.
        line: The number of lines that precede the text in its file.

    Raises:
        UnreadableError: If the text is not valid IR.
        PipelineError: If the pipeline is invalid.
        PassFailedError: If a pass fails.

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
    """Run a pipeline on each part of a file, and compare the output with the file's CHECK lines.

    Args:
        path: The path of the file. Lines `// -----` separate independent parts of the file.
        pipeline: The text of the pipeline, as for `run_passes`.
        prefix: The prefix of the CHECK lines.
        adapter: The name of the IR, as for `run_passes`.
        passes: Additional pass classes to register.

    Raises:
        AssertionError: If the output does not match the CHECK lines, or the file has no CHECK
            lines.
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
    """Return filecheck's error message for an output, or an empty string if the output matches."""
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
    """An instrumentation that records calls to the hooks for pipelines, passes and analyses.

    The recorder appends a line such as `before-pass cse @f` for each call to a hook.
    `FullEventRecorder` records all hooks.

    Attributes:
        events: The recorded lines, in order.
    """

    def __init__(self) -> None:
        self.events: list[str] = []

    def _record(self, event: str, what: str, op: Any) -> None:
        adapter = self.run.adapter
        symbol = adapter.symbol_name(op)
        name = f"@{symbol}" if symbol else adapter.kind_of(op).name
        self.events.append(f"{event} {what} {name}")

    def before_pipeline(self, pipeline: Pipeline, op: Any, parent: Step) -> None:
        """Record the hook."""
        self._record("before-pipeline", pipeline.anchor, op)

    def after_pipeline(self, pipeline: Pipeline, op: Any, parent: Step, *, failed: bool) -> None:
        """Record the hook."""
        self._record("after-pipeline" + "-failed" * failed, pipeline.anchor, op)

    def before_pass(self, step: Step, op: Any) -> None:
        """Record the hook."""
        self._record("before-pass", _name(step), op)

    def after_pass(self, step: Step, op: Any) -> None:
        """Record the hook."""
        self._record("after-pass", _name(step), op)

    def after_pass_failed(self, step: Step, op: Any, failure: Failure | None) -> None:
        """Record the hook."""
        self._record("after-pass-failed", _name(step), op)

    def before_analysis(self, name: str, kind: Any, op: Any) -> None:
        """Record the hook."""
        self._record("before-analysis", name, op)

    def after_analysis(self, name: str, kind: Any, op: Any) -> None:
        """Record the hook."""
        self._record("after-analysis", name, op)


class FullEventRecorder(EventRecorder):
    """An event recorder that also records runs, verification, changes and skipped passes."""

    def before_run(self, run: ObservedRun) -> None:
        """Record the hook."""
        self._record("before-run", run.pipeline.anchor, run.op)

    def after_run(self, run: ObservedRun, *, failed: bool) -> None:
        """Record the hook."""
        self._record("after-run" + "-failed" * failed, run.pipeline.anchor, run.op)

    finds_changes = True

    def after_pass(self, step: Step, op: Any) -> None:
        """Record the call, and note if the pass was skipped or if the op changed."""
        if self.ended.skipped:
            self._record("pass-skipped", _name(step), op)
        elif self.ended.changed:
            self._record("after-change", _name(step), op)
        super().after_pass(step, op)

    def before_verification(self, step: Step, op: Any) -> None:
        """Record the hook."""
        self._record("before-verification", _name(step), op)

    def after_verification(self, step: Step, op: Any) -> None:
        """Record the hook."""
        self._record("after-verification", _name(step), op)


def _name(step: Step) -> str:
    if isinstance(step, PassStep):
        return step.pass_.name
    return f"[{','.join(pipeline.anchor for pipeline in step.pipelines)}]"

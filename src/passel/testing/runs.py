"""Running pipelines on IR text, and checking the output with filecheck."""

from __future__ import annotations

import io
from contextlib import redirect_stderr
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.frontend import SourcePart, frontend_of
from passel.ir import PrintFlags
from passel.manager import PassManager, RunResult
from passel.manager.reproducing import read_part, registry_with

if TYPE_CHECKING:
    from collections.abc import Iterable


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


def run_passes(
    source: str | SourcePart,
    pipeline: str,
    *,
    adapter: str = "xdsl",
    passes: Iterable[Any] = (),
) -> PassesRun:
    """Run a pipeline on IR text in a new context.

    If a pass claims to preserve an analysis, the preserved analysis is compared with a recomputed
    analysis.

    Args:
        source: The text of the IR, or a part of a file. Several top-level ops are wrapped in a
            module.
        pipeline: The text of the pipeline, such as `builtin.module(func.func(cse))`.
        adapter: The name of an installed adapter, such as `xdsl` or `mlir`.
        passes: Additional pass classes to register.

    Raises:
        UnreadableError: If the text is not valid IR.
        PipelineError: If the pipeline is invalid.
        PassFailedError: If a pass fails.

    Example:
        >>> function = "func.func @f() { %0 = arith.constant 1 : i32 func.return }"
        >>> print(run_passes(function, "builtin.module(func.func(dce))").text)
        builtin.module {
          func.func @f() {
            func.return
          }
        }
    """
    frontend = frontend_of(adapter, implicit_module=True, allow_unregistered=True)
    context = frontend.new_context()
    part = SourcePart(source, "<test>") if isinstance(source, str) else source
    op = read_part(frontend, part, context).op
    registry = registry_with(passes)
    manager = PassManager.parse(pipeline, context, registry=registry, adapter=frontend.adapter)
    manager.enable_analysis_verifier()
    result = manager.run(op)
    return PassesRun(frontend.adapter.print_op(op, PrintFlags()), op, result)


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
        path: The path of the file. Each line `// -----` separates two independent parts of the
            file.
        pipeline: The text of the pipeline, as for `run_passes`.
        prefix: The prefix of the CHECK lines.
        adapter: The name of an installed adapter, as for `run_passes`.
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
        source = SourcePart(part, str(path), line)
        outputs.append(run_passes(source, pipeline, adapter=adapter, passes=passes).text)
        line += part.count("\n")
    if message := _mismatch(path, f"{SPLIT}\n".join(f"{each}\n" for each in outputs), prefix):
        raise AssertionError(message)


def _mismatch(path: Path, output: str, prefix: str) -> str:
    """Return filecheck's error message for an output, or an empty string if the output matches."""
    try:
        from filecheck import finput, matcher, options, parser  # noqa: PLC0415 - an extra
    except ImportError:
        raise AssertionError(
            "filecheck is missing: pip install '.[testing]' in passel's checkout"
        ) from None
    given = options.Options(str(path), check_prefixes=[prefix])
    checks = parser.Parser.from_opts(given)
    with redirect_stderr(io.StringIO()) as said:
        code = matcher.Matcher(given, finput.FInput("output", output), checks).run()
    return f"{said.getvalue()}\nThe output is:\n{output}" if code else ""

"""Writing reproducers, and reading them back: `--run-reproducer`.

Source: `loadReproducerOptions`'s resource parser `PassReproducerOptions`, MLIR 22.
"""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.diagnostics import Diagnostic, Severity
from passel.instruments.reproducer import CrashReproducer
from passel.instruments.reproducer_file import GROUP, reproducer_text
from passel.instruments.whole_files import check_writable, write_whole
from passel.ir import PrintFlags, WritesSources
from passel.ir.frontend import UnreadableError
from passel.tool.output import CANNOT_OPEN, refusing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passel.errors import Problem
    from passel.ir import IRAdapter
    from passel.ir.frontend import SourcePart
    from passel.ir.resources import ExternalResource
    from passel.manager import PassManager
    from passel.tool.settings import ReproducerFlags, Settings

_KEPT = (
    "ir",
    "frontend",
    "load-pass-plugin",
    "irdl-file",
    "allow-unregistered-dialect",
    "no-implicit-module",
    "disable-verify",
    "verify-analyses",
    "verify-contracts",
    "check-isolation",
    "mlir-debug-counter",
    "allow-effects",
)
"""Flags without which a replay reads or does something else."""

_CHARACTER = re.compile(r"""\\([nt"\\])|\\([0-9A-Fa-f]{2})|(.)""", re.DOTALL)


class Recorded(NamedTuple):
    """Contents of a reproducer besides its IR.

    Attributes:
        pipeline: What to run, as text.
        disable_threading: Whether to run it on one thread.
        verify_each: Whether to verify after passes.
        source: The part of the input that it is in.
        start: Where the string of the pipeline begins in that part.
    """

    pipeline: str | None
    disable_threading: bool | None
    verify_each: bool | None
    source: SourcePart
    start: int

    def diagnostic(self, problem: Problem) -> Diagnostic:
        """Return what is wrong in the pipeline as a diagnostic about the input."""
        offset = self.start
        if problem.span is not None and problem.span.source.text == self.pipeline:
            offset = self._offset(problem.span.start)
        return Diagnostic(Severity.ERROR, problem.message, self.source.location(offset))

    def _offset(self, index: int) -> int:
        """Return where a character of the pipeline stands in the input, escapes or not."""
        data, seen = b"", 0
        target = len((self.pipeline or "")[:index].encode())
        for match in _CHARACTER.finditer(self.source.text, self.start + 1):
            if seen >= target:
                return match.start()
            data = (match[3] or "x").encode()
            seen += len(data)
        return self.start


def read_reproducer(resources: Iterable[ExternalResource], source: SourcePart) -> Recorded | None:
    """Return what the resources of an input record, if they do.

    Raises:
        UnreadableError: A key is unknown, or a value is of the wrong kind.
    """
    found: dict[str, ExternalResource] = {}

    def refuse(start: int, message: str) -> UnreadableError:
        return UnreadableError([Diagnostic(Severity.ERROR, message, source.location(start))])

    for resource in resources:
        if resource.group != GROUP:
            continue
        key, value = resource.key, resource.value
        if key not in {"pipeline", "disable_threading", "verify_each"}:
            raise refuse(resource.key_start, f"unknown '{GROUP}' resource key '{key}'")
        if key == "pipeline" and isinstance(value, bool):
            raise refuse(resource.value_start, f"expected string value for key '{key}'")
        if key != "pipeline" and not isinstance(value, bool):
            message = f"expected 'true' or 'false' value for key '{key}'"
            raise refuse(resource.value_start, message)
        found[key] = resource
    if not found:
        return None
    pipeline = found.get("pipeline")
    text = None
    if pipeline is not None:
        try:
            text = bytes(pipeline.value).decode()
        except UnicodeDecodeError:
            raise refuse(pipeline.value_start, "the pipeline is not UTF-8 text") from None
    threading, verify = found.get("disable_threading"), found.get("verify_each")
    return Recorded(
        text,
        None if threading is None else bool(threading.value),
        None if verify is None else bool(verify.value),
        source,
        pipeline.value_start if pipeline else 0,
    )


class Replay:
    """The reproducers that the flags ask for, of all parts of the input.

    Of a split input, the second file is called `name.1.mlir`, and so on.

    Raises:
        UsageError: A file cannot be written.
    """

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._flags: ReproducerFlags = settings.reproducers
        self._current: CrashReproducer | None = None
        self._written = 0
        self._generated = 0
        flags = self._flags
        for path in (flags.mlir_pass_pipeline_crash_reproducer, flags.mlir_generate_reproducer):
            if path:
                with refusing(CANNOT_OPEN, path):
                    check_writable(path)

    def observe(self, manager: PassManager, *, threading: bool) -> None:
        """Let the runs of a manager leave a file behind if they fail.

        Args:
            manager: The manager.
            threading: Whether its passes may use several threads.
        """
        self._count()
        path = self._flags.mlir_pass_pipeline_crash_reproducer
        if not path:
            return
        self._current = CrashReproducer(
            _numbered(path, self._written),
            local=self._flags.mlir_pass_pipeline_local_reproducer,
            threading=threading,
            replay=self._command(),
        )
        manager.add_instrumentation(self._current)

    def _count(self) -> None:
        if self._current is not None and self._current.reproducer is not None:
            self._written += 1
        self._current = None

    def _command(self) -> str:
        """Return the command that replays the file `{file}`."""
        words = [self._settings.program, "--run-reproducer"]
        for name in (*_KEPT, *self._settings.brought):
            written = self._settings.written.get(name, ())
            words += written if name == "load-pass-plugin" else written[-1:]
        if self._settings.pipeline.verify_each == "always":
            words.append("--verify-each=always")
        return f"{shlex.join(words)} {{file}}"

    def generate(self, op: Any, context: Any, manager: PassManager, adapter: IRAdapter) -> None:
        """Write the file of `--mlir-generate-reproducer`, for a run that succeeded.

        Raises:
            UsageError: It cannot be written.
        """
        path = self._flags.mlir_generate_reproducer
        if not path:
            return
        if isinstance(adapter, WritesSources):
            ir = adapter.readable_source(adapter.print_source(op, context), context)
        else:
            ir = adapter.print_op(op, PrintFlags())
        text = reproducer_text(ir, manager.to_text(all_options=True), verify_each=False)
        name = _numbered(path, self._generated)
        with refusing(CANNOT_OPEN, name):
            write_whole(Path(name), text)
        self._generated += 1

    def explain(self) -> None:
        """Say once how a failed run can be replayed, unless a file was asked for."""
        settings = self._settings
        if (
            self._flags.mlir_pass_pipeline_crash_reproducer
            or settings.diagnostics.verify_diagnostics
            or settings.diagnostics.shrink
        ):
            return
        if settings.input != "-":
            how = f"to replay: {shlex.join([settings.program, *settings.words])}"
        else:
            how = (
                "to get a file that replays this, add "
                "--mlir-pass-pipeline-crash-reproducer=repro.mlir"
            )
        sys.stderr.write(f"{settings.program}: note: {how}\n")


def _numbered(path: str, number: int) -> str:
    if not number:
        return path
    file = Path(path)
    return str(file.with_name(f"{file.stem}.{number}{file.suffix}"))

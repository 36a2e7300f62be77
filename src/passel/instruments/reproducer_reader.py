"""Reading reproducers: the pipeline and its settings, from the resources of a file.

Source: `loadReproducerOptions`'s resource parser `PassReproducerOptions`, MLIR 22.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from passel.diagnostics import Diagnostic, Severity
from passel.instruments.reproducer_file import GROUP
from passel.ir.frontend import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passel.errors import Problem
    from passel.ir.frontend import SourcePart
    from passel.ir.resources import ExternalResource

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

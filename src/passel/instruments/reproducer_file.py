"""The file format of reproducers: IR, followed by a block with the pipeline to run on the IR.

Source: `makeReproducer` of `lib/Pass/PassCrashRecovery.cpp` and the resource parser of
`PassReproducerOptions`, MLIR 22.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from passel.diagnostics import Diagnostic, Severity
from passel.frontend import UnreadableError
from passel.frontend.resources import ExternalResource, escaped, print_resources

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passel.errors import Problem
    from passel.frontend import SourcePart

GROUP = "mlir_reproducer"
"""The name of the group of external resources that contains the pipeline and its settings."""


def reproducer_text(
    ir: str, pipeline: str, *, disable_threading: bool = False, verify_each: bool = True
) -> str:
    r"""Return the text of a reproducer.

    Args:
        ir: The text of the IR, as a file would contain it.
        pipeline: The text of the pipeline to run on the IR.
        disable_threading: Whether to run the pipeline on one thread.
        verify_each: Whether to verify the IR after each pass.

    Example:
        >>> print(reproducer_text("module {}", 'builtin.module(print{label="a b"})'))
        module {}
        <BLANKLINE>
        {-#
          external_resources: {
            mlir_reproducer: {
              pipeline: "builtin.module(print{label=\22a b\22})",
              disable_threading: false,
              verify_each: true
            }
          }
        #-}
        <BLANKLINE>
    """
    entries: dict[str, bool | bytes] = {
        "pipeline": pipeline.encode("utf-8", "surrogateescape"),
        "disable_threading": disable_threading,
        "verify_each": verify_each,
    }
    resources = [ExternalResource(GROUP, key, value) for key, value in entries.items()]
    return f"{ir}\n\n{print_resources(resources)}\n"


class Recorded(NamedTuple):
    """The pipeline and the settings that a reproducer contains.

    Attributes:
        pipeline: The text of the pipeline; None if the file does not contain it.
        disable_threading: Whether to run the pipeline on one thread; None if the file does not say.
        verify_each: Whether to verify the IR after each pass; None if the file does not say.
        source: The part of the input that contains the reproducer.
        start: The offset of the pipeline's text in `source`.
    """

    pipeline: str | None
    disable_threading: bool | None
    verify_each: bool | None
    source: SourcePart
    start: int

    def diagnostic(self, problem: Problem) -> Diagnostic:
        """Convert a problem in the pipeline to a diagnostic with a location in the input."""
        offset = self.start
        if problem.span is not None and problem.span.source.text == self.pipeline:
            before = problem.span.source.text[: problem.span.start]
            offset += 1 + len(escaped(before.encode()))
        return Diagnostic(Severity.ERROR, problem.message, self.source.location(offset))


def read_reproducer(resources: Iterable[ExternalResource], source: SourcePart) -> Recorded | None:
    """Return the reproducer in the resources of an input, or None if there is no reproducer.

    Raises:
        UnreadableError: If a key of the reproducer is unknown, or if a value has the wrong type.
    """

    def refuse(start: int, message: str) -> UnreadableError:
        return UnreadableError([Diagnostic(Severity.ERROR, message, source.location(start))])

    found = {each.key: each for each in resources if each.group == GROUP}
    for key, each in found.items():
        if key not in {"pipeline", "disable_threading", "verify_each"}:
            raise refuse(each.key_start, f"unknown '{GROUP}' resource key '{key}'")
        if isinstance(each.value, bool) is (key == "pipeline"):
            kind = "string" if key == "pipeline" else "'true' or 'false'"
            raise refuse(each.value_start, f"expected {kind} value for key '{key}'")
    if not found:
        return None
    text, start = None, 0
    if pipeline := found.pop("pipeline", None):
        start = pipeline.value_start
        try:
            text = bytes(pipeline.value).decode()
        except UnicodeDecodeError:
            raise refuse(start, "the pipeline is not UTF-8 text") from None
    flags = {key: bool(each.value) for key, each in found.items()}
    return Recorded(text, flags.get("disable_threading"), flags.get("verify_each"), source, start)

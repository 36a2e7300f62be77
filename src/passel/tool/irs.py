"""What the tool needs of an IR."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from passel.diagnostics import Diagnostic
    from passel.ir import IRAdapter
    from passel.ir.resources import ExternalResource
    from passel.tool.splitting import Chunk


BYTECODE = b"ML\xefR"
"""How MLIR's bytecode begins."""


class Parsed(NamedTuple):
    """A part of the input.

    Attributes:
        op: Its top-level op.
        resources: Its external resources, which are no part of the op.
    """

    op: Any
    resources: list[ExternalResource]


class UnreadableError(Exception):
    """A part of the input is no valid IR.

    Attributes:
        diagnostics: What is wrong.
        text: The same, as `--parsing-diagnostics` prints it.
    """

    def __init__(self, diagnostics: Sequence[Diagnostic], text: str) -> None:
        super().__init__(text)
        self.diagnostics: tuple[Diagnostic, ...] = tuple(diagnostics)
        self.text: str = text


class ToolIR(Protocol):
    """What the tool needs of an IR beyond the adapter.

    Attributes:
        adapter: The adapter.
        reads_bytecode: Whether an input may be MLIR bytecode.
        reads_files: Whether it reads files by itself, so that they may hold any bytes.
        verifies_input: Whether parsing verifies.
    """

    adapter: IRAdapter
    reads_bytecode: bool
    reads_files: bool
    verifies_input: bool

    def new_context(self) -> Any:
        """Return the context for a part of the input."""
        ...

    def parse(
        self, chunk: Chunk, name: str, context: Any, warn: Callable[[Diagnostic], None]
    ) -> Parsed:
        """Return what a part of the input says.

        Args:
            chunk: The part.
            name: The input's name.
            context: Its context.
            warn: Takes what is no error.

        Raises:
            UnreadableError: It is no valid IR.
        """
        ...

    def emit(self, op: Any, context: Any, resources: list[ExternalResource]) -> str | bytes:
        """Return the result as it is written.

        Args:
            op: The top-level op.
            context: Its context.
            resources: External resources to print with it.

        Raises:
            Exception: Whatever printing raises for IR that it does not take.
        """
        ...

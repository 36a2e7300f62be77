"""MLIR's side of the conversion between MLIR and xDSL: parsing and printing generic text."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from passel.errors import PassFailure
from passel.ir import PrintFlags
from passel.mlir.adapter import MLIRAdapter
from passel.mlir.bindings import bindings_of
from passel.mlir.diagnostics import ParseError
from passel.mlir.parsing import parse_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class MLIRSide:
    """MLIR's side of the conversion between MLIR and xDSL: a parser and printer of ops.

    Args:
        context: The context for parsed ops. The default is a new context of the build `mlir` that
            allows unregistered dialects.
        adapter: The adapter; by default, a new adapter for the build that the context comes from.
    """

    def __init__(self, context: Any = None, adapter: MLIRAdapter | None = None) -> None:
        root = "mlir" if context is None else bindings_of(context).root
        self.adapter: MLIRAdapter = adapter or MLIRAdapter(root)
        self.context: Any = context
        if context is None:
            self.context = self.adapter.create_context()
            self.context.allow_unregistered_dialects = True

    def write(self, op: Any, known: Callable[[str], bool] | None = None) -> str:
        """Return the text of an op in generic form with locations."""
        flags = PrintFlags(generic=True, debuginfo=True, local_scope=True)
        return self.adapter.print_op(op, flags)

    def knows(self, name: str) -> bool:
        """Return whether `name` is the name of a registered op."""
        return self.adapter.kind_named(self.context, name) is not None

    def read(self, text: str, enclosing: Iterable[str] = ()) -> Any:
        """Parse an op from generic text.

        Args:
            text: The text of the op.
            enclosing: The texts of ops that are not part of `text`. Each of these ops defines a
                symbol to which `text` refers.

        Raises:
            PassFailure: If MLIR cannot parse the op, or the op is invalid.
        """
        enclosing = tuple(enclosing)
        if enclosing:
            text = f'"builtin.module"() ({{ {" ".join(enclosing)} {text} }}) : () -> ()'
        try:
            op = parse_source(self.context, text, "<crossing>", implicit_module=False)
        except ParseError as error:
            raise PassFailure(f"MLIR cannot read the op: {error.diagnostics[0].message}") from error
        if not enclosing:
            return op
        return self.adapter.children(op)[-1].operation.detach_from_parent().opview

    def symbol(self, op: Any, name: str) -> Any:
        """Look up the symbol `name` in the symbol tables around `op`, innermost table first.

        Returns:
            The op that defines the symbol, or None if no table contains the symbol.
        """
        table = self.adapter.parent(op)
        while table is not None:
            with suppress(TypeError, ValueError):  # it is no symbol table
                symbols = self.adapter.bindings.ir.SymbolTable(table)
                if name in symbols:
                    return symbols[name]
            table = self.adapter.parent(table)
        return None

    def function_type(self, op: Any) -> str:
        """Return the function type of a `func.func`, or an empty string for other ops."""
        operation = op.operation
        is_function = operation.name == "func.func"
        return str(operation.attributes["function_type"]) if is_function else ""

    def replace(self, op: Any, new: Any) -> None:
        """Replace the attributes, regions and location of `op` with those of `new`.

        The old blocks of `op` are moved to a temporary module, because the bindings cannot erase
        blocks.
        """
        old, new = op.operation, new.operation
        ir = self.adapter.bindings.ir
        bin_ = ir.Module.create(ir.Location.unknown(old.context))
        for region, source in zip(old.regions, new.regions, strict=True):
            for block in list(region):
                block.append_to(bin_.operation.regions[0])
            for block in list(source):
                block.append_to(region)
        old.location = new.location
        wanted = dict(new.attributes)
        for name in dict(old.attributes).keys() - wanted.keys():
            del old.attributes[name]
        for name, attribute in wanted.items():
            old.attributes[name] = attribute

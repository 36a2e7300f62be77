"""Analyses of MLIR's ops: `ctx.analysis(DominanceInfo)` in a pass, or `DominanceInfo(op)`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from passel.analysis.dominator_tree import DominatorTree
from passel.mlir.bindings import bindings_of, block_of, parent_of
from passel.mlir.contents import symbol_name

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["DominanceInfo", "SymbolUse", "SymbolUsers"]

_GRAPH_REGION_OPS = frozenset(
    {
        "builtin.module",
        "emitc.class",
        "emitc.file",
        "gpu.module",
        "hw.module",
        "irdl.dialect",
        "ml_program.subgraph",
    }
)
"""Ops with graph regions: the bindings have no query for `RegionKindInterface`."""


class DominanceInfo:
    """Dominance: which ops execute, and which values are defined, before others.

    Covers any number of blocks and nested regions. The first query of a region builds its tree
    in nearly linear time; later queries cost O(1), and O(depth) across regions.
    Valid while no block and no terminator changes.

    Example:
        >>> from mlir.ir import Context, Module
        >>> module = Module.parse(
        ...     '''func.func @f(%a: i32) {
        ...   %b = arith.addi %a, %a : i32
        ...   %c = arith.addi %b, %a : i32
        ...   return }''',
        ...     context=Context(),
        ... )
        >>> (function,) = module.body.operations
        >>> b, c, _ = function.regions[0].blocks[0].operations
        >>> dominance = DominanceInfo(function)
        >>> dominance.properly_dominates(b.result, c), dominance.dominates(c, b)
        (True, False)

    Source: `mlir/lib/IR/Dominance.cpp`, MLIR 22.
    """

    def __init__(self, op: Any) -> None:
        """Compute nothing yet: queries build the tree of each region."""
        self._bindings = bindings_of(op)
        self._op = op.operation
        # By entry block: regions have no identity in the bindings.
        self._trees: dict[Any, DominatorTree[Any]] = {}

    def __eq__(self, other: object) -> bool:
        """Return whether two agree on the remaining regions that either has a tree of."""
        if not isinstance(other, DominanceInfo):
            return NotImplemented
        return self._agrees(other) and other._agrees(self)

    __hash__: ClassVar[None] = None  # pyright: ignore[reportIncompatibleMethodOverride] - compared only

    def _agrees(self, other: DominanceInfo) -> bool:
        # By what is there now: a block whose op was erased may not even be asked for its region.
        regions = (each for op in self._bindings.walk(self._op) for each in op.operation.regions)
        known = ((region, self._trees.get(_entry(region))) for region in regions)
        return all(tree is None or tree == other.tree(region) for region, tree in known)

    def tree(self, region: Any) -> DominatorTree[Any]:
        """Return the tree of a region's blocks."""
        entry = _entry(region)
        if entry is None:
            return DominatorTree((), _successors)
        found = self._trees.get(entry)
        if found is None:
            found = self._trees[entry] = DominatorTree((entry,), _successors)
        return found

    def is_reachable(self, block: Any) -> bool:
        """Return whether any path leads to a block from the entry of its region."""
        return block in self.tree(block.region)

    def immediate_dominator(self, block: Any) -> Any:
        """Return the closest other block of the region that dominates `block`, if any."""
        return self.tree(block.region).immediate_dominator(block)

    def children(self, block: Any) -> tuple[Any, ...]:
        """Return the blocks that `block` immediately dominates."""
        return self.tree(block.region).children(block)

    def dominance_frontier(self, block: Any) -> tuple[Any, ...]:
        """Return the blocks where the dominance of `block` ends."""
        return self.tree(block.region).dominance_frontier(block)

    def nearest_common_dominator(self, a: Any, b: Any) -> Any:
        """Return the closest block that dominates both, in the innermost region enclosing them.

        Source: `mlir::DominanceInfo::findNearestCommonDominator`, MLIR 22.
        """
        path = {_entry(place.region): place for place in _enclosing_blocks(a)}
        for place in _enclosing_blocks(b):
            ours = path.get(_entry(place.region))
            if ours is not None:
                return self.tree(place.region).nearest_common_dominator(ours, place)
        return None

    def dominates(self, a: Any, b: Any) -> bool:
        """Return whether `a` is `b` or properly dominates it."""
        return self._same(a, b) or self.properly_dominates(a, b)

    def properly_dominates(self, a: Any, b: Any) -> bool:
        """Return whether control passes `a` whenever it passes `b`.

        * An op dominates the ops after it in its block, everything inside them, and the
          blocks that its block dominates. It also dominates everything inside itself; its
          results do not. In a graph region all ops dominate each other, and themselves.
        * A block dominates everything inside its ops. Unreachable blocks are dominated by all.
        * A block argument dominates all ops of its block; `b` must be an op for a value.

        Raises:
            TypeError: An op is compared with a block.

        Source: `mlir::DominanceInfo::properlyDominates`, MLIR 22.
        """
        ir = self._bindings.ir
        if isinstance(a, ir.Block) and isinstance(b, ir.Block):
            return self._block_dominates(a, b)
        if _is_op(b):
            if isinstance(a, ir.BlockArgument):
                block = block_of(b)
                return block is not None and (
                    a.owner == block or self._block_dominates(a.owner, block)
                )
            if isinstance(a, ir.Value):
                return self._op_dominates(a.owner, b, enclosing=False)
            if _is_op(a):
                return self._op_dominates(a, b, enclosing=True)
        msg = f"cannot compare {type(a).__name__} with {type(b).__name__}"
        raise TypeError(msg)

    def is_before(self, a: Any, b: Any) -> bool:
        """Return whether `a` comes before `b` in the same block.

        Source: `mlir::Operation::isBeforeInBlock`, MLIR 22.
        """
        block, other = block_of(a), block_of(b)
        if block is None or other is None or block != other:
            return False
        return a.operation != b.operation and a.operation.is_before_in_block(b.operation)

    def _same(self, a: Any, b: Any) -> bool:
        if _is_op(a) and _is_op(b):
            return a.operation == b.operation
        return type(a) is type(b) and a == b

    def _op_dominates(self, a: Any, b: Any, *, enclosing: bool) -> bool:
        block, other = block_of(a), block_of(b)
        if block is None or other is None:
            return False
        if a.operation == b.operation:
            return not _is_ordered(block)
        if block.region != other.region:
            inner = next((op for op in _enclosing_ops(b) if _is_in(op, block.region)), None)
            if inner is None:
                return False
            if inner == a.operation:
                return enclosing or not _is_ordered(block)
            b, other = inner, inner.block
        if block == other:
            return not _is_ordered(block) or self.is_before(a, b)
        return self.tree(block.region).dominates(block, other)

    def _block_dominates(self, a: Any, b: Any) -> bool:
        if a == b:
            return not _is_ordered(a)
        if a.region != b.region:
            inner = next((each for each in _enclosing_blocks(b) if each.region == a.region), None)
            if inner is None:
                return False
            if inner == a:
                return True
            b = inner
        return self.tree(a.region).dominates(a, b)


def _is_op(thing: Any) -> bool:
    return hasattr(thing, "operation")


def _entry(region: Any) -> Any:
    return next(iter(region), None)


def _successors(block: Any) -> list[Any]:
    return list(block.successors)


def _is_in(operation: Any, region: Any) -> bool:
    block = block_of(operation)
    # Not before it is known to be one: a region cannot be compared with None.
    return block is not None and bool(block.region == region)


def _enclosing_ops(op: Any) -> Iterator[Any]:
    place = op.operation
    while place is not None:
        yield place
        place = parent_of(place)


def _enclosing_blocks(block: Any) -> Iterator[Any]:
    place = block
    while place is not None:
        yield place
        place = block_of(place.owner)


def _is_ordered(block: Any) -> bool:
    """Return whether values must be defined before they are used in a block's region.

    They must in every region of several blocks. In a region of one block, they must unless the
    enclosing op has graph regions or is unregistered.

    Source: `mlir::detail::DominanceInfoBase::hasSSADominance`, MLIR 22.
    """
    blocks = iter(block.region)
    next(blocks)
    if next(blocks, None) is not None:
        return True
    owner = block.owner.operation
    return owner.name not in _GRAPH_REGION_OPS and bool(
        owner.context.is_registered_operation(owner.name)
    )


class SymbolUse(NamedTuple):
    """A reference to a symbol.

    Attributes:
        user: The op whose attributes hold it.
        reference: The whole reference; the symbol may be any part of it.
    """

    user: Any
    reference: Any


class SymbolUsers:
    """The uses of each symbol inside an op, references in arrays and dictionaries included.

    A reference is looked up in the closest symbol table that encloses its user, and is a use of
    every symbol on its path. The bindings' `SymbolTable` decides which ops are tables.
    References inside attributes of other kinds are missed, because the bindings cannot look into
    them. One walk builds the analysis; queries cost O(1). Valid while no symbol and no reference
    is added, erased or renamed.

    Example:
        >>> from mlir.ir import Context, Module
        >>> module = Module.parse(
        ...     '''
        ... func.func private @leaf()
        ... func.func @main() { call @leaf() : () -> () return }''',
        ...     context=Context(),
        ... )
        >>> users = SymbolUsers(module)
        >>> leaf, main = module.body.operations
        >>> [user.operation.name for user in users.users(leaf)], users.is_unused(main)
        (['func.call'], True)

    Source: `mlir::SymbolUserMap`, MLIR 22.
    """

    def __init__(self, op: Any) -> None:
        self._bindings = bindings_of(op)
        self._tables: dict[Any, dict[str, Any] | None] = {}
        self._uses: dict[Any, list[SymbolUse]] = {}
        self._unresolved: list[SymbolUse] = []
        for user in self._bindings.walk(op.operation.opview):
            for attribute in dict(user.operation.attributes).values():
                for reference in self._references_in(attribute):
                    self._add(SymbolUse(user, reference))

    def __eq__(self, other: object) -> bool:
        """Return whether the same ops use the same symbols, and names mean the same."""
        if not isinstance(other, SymbolUsers):
            return NotImplemented
        try:
            return self._agrees(other) and other._agrees(self)
        except RuntimeError:  # one of them knows an op that was erased
            return False

    __hash__: ClassVar[None] = None  # pyright: ignore[reportIncompatibleMethodOverride] - compared only

    def _agrees(self, other: SymbolUsers) -> bool:
        if self._uses != other._uses or self._unresolved != other._unresolved:
            return False
        return all(other._symbols(table) == known for table, known in list(self._tables.items()))

    def _add(self, use: SymbolUse) -> None:
        path = list(self._resolve(use.user, use.reference))
        for symbol in path:
            self._uses.setdefault(symbol, []).append(use)
        if len(path) < len(self._names(use.reference)):
            self._unresolved.append(use)

    def uses(self, symbol: Any) -> tuple[SymbolUse, ...]:
        """Return the uses of a symbol, in program order of their users."""
        return tuple(self._uses.get(symbol.operation, ()))

    def users(self, symbol: Any) -> tuple[Any, ...]:
        """Return the ops that refer to a symbol, each once, in program order."""
        return tuple(dict.fromkeys(use.user for use in self.uses(symbol)))

    def is_unused(self, symbol: Any) -> bool:
        """Return whether nothing inside the op refers to a symbol."""
        return symbol.operation not in self._uses

    def lookup(self, user: Any, reference: Any) -> Any:
        """Return the symbol that a reference in `user` means; None if there is none."""
        path = list(self._resolve(user, reference))
        return path[-1].opview if len(path) == len(self._names(reference)) else None

    @property
    def unresolved(self) -> tuple[SymbolUse, ...]:
        """References to symbols that do not exist in the closest table, or exist only in part."""
        return tuple(self._unresolved)

    def _resolve(self, user: Any, reference: Any) -> Iterator[Any]:
        """Yield the symbols along a reference, up to the first that does not exist."""
        place = parent_of(user)
        while place is not None and self._symbols(place) is None:
            place = parent_of(place)
        for name in self._names(reference):
            symbols = None if place is None else self._symbols(place)
            place = None if symbols is None else symbols.get(name)
            if place is None:
                return
            yield place

    def _symbols(self, op: Any) -> dict[str, Any] | None:
        """Return the symbols of a table by name; None for an op that is not a symbol table."""
        operation = op.operation
        if operation not in self._tables:
            self._tables[operation] = self._read(operation)
        return self._tables[operation]

    def _read(self, operation: Any) -> dict[str, Any] | None:
        ir = self._bindings.ir
        try:
            ir.SymbolTable(operation)
        except (TypeError, ValueError):
            return None
        inside = (child.operation for child in self._bindings.children(operation))
        named = ((symbol_name(child), child) for child in inside)
        return {name: child for name, child in named if name is not None}

    def _names(self, reference: Any) -> list[str]:
        if isinstance(reference, self._bindings.ir.FlatSymbolRefAttr):
            return [reference.value]
        return list(reference.value)

    def _references_in(self, attribute: Any) -> Iterator[Any]:
        ir = self._bindings.ir
        if isinstance(attribute, (ir.FlatSymbolRefAttr, ir.SymbolRefAttr)):
            yield attribute
        elif isinstance(attribute, ir.ArrayAttr):
            for element in attribute:
                yield from self._references_in(element)
        elif isinstance(attribute, ir.DictAttr):
            for index in range(len(attribute)):
                yield from self._references_in(attribute[index].attr)

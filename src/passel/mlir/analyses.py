"""Analyses of MLIR's ops, created by `ctx.analysis(DominanceInfo)` or `DominanceInfo(op)`."""

from __future__ import annotations

from contextlib import suppress
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from passel.analysis.dominator_tree import DominatorTree, RegionDominance
from passel.mlir.bindings import bindings_of, block_of, parent_of
from passel.mlir.contents import symbol_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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
"""The names of ops with graph regions, because the bindings cannot query `RegionKindInterface`."""


class DominanceInfo(RegionDominance[Any]):
    """The dominance relation between the ops, blocks and values inside an op.

    The analysis supports regions with several blocks, and nested regions. The first query about a
    region builds the region's dominator tree in nearly linear time. Later queries take O(1) time,
    or O(nesting depth) time across regions. The analysis remains valid until a block or a
    terminator changes.

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

    _block_of = staticmethod(block_of)
    _owner_of = attrgetter("owner.operation")
    _region_of = attrgetter("region")

    def __init__(self, op: Any) -> None:
        """Create the analysis, whose queries build the dominator trees of regions on demand."""
        self._bindings = bindings_of(op)
        self._op = op.operation
        # By entry block: regions have no identity in the bindings.
        self._trees: dict[Any, DominatorTree[Any]] = {}

    def __eq__(self, other: object) -> bool:
        """Return whether two analyses have equal dominator trees.

        The comparison is limited to existing regions for which either analysis has built a tree.
        """
        if not isinstance(other, DominanceInfo):
            return NotImplemented
        # Blocks of erased ops may not even be asked for their regions.
        regions = [each for op in self._bindings.walk(self._op) for each in op.operation.regions]
        known = {*self._trees, *other._trees}
        return all(self.tree(each) == other.tree(each) for each in regions if _entry(each) in known)

    __hash__: ClassVar[None] = None  # pyright: ignore[reportIncompatibleMethodOverride] - compared only

    def tree(self, region: Any) -> DominatorTree[Any]:
        """Return the dominator tree of a region's blocks."""
        entry = _entry(region)
        if entry not in self._trees:
            roots = () if entry is None else (entry,)
            self._trees[entry] = DominatorTree(roots, lambda block: list(block.successors))
        return self._trees[entry]

    def is_reachable(self, block: Any) -> bool:
        """Return whether a block is reachable from the entry block of the enclosing region."""
        return block in self.tree(block.region)

    def dominates(self, a: Any, b: Any) -> bool:
        """Return whether `a` equals `b` or properly dominates `b`."""
        a, b = (getattr(each, "operation", each) for each in (a, b))
        return (type(a) is type(b) and a == b) or self.properly_dominates(a, b)

    def properly_dominates(self, a: Any, b: Any) -> bool:
        """Return whether control always passes through `a` before it reaches `b`.

        * An op dominates the later ops of the same block, all ops inside those ops, and all ops in
          the blocks that its block dominates. An op dominates the ops inside it, but the op's
          results do not dominate those ops. In a graph region, every op dominates all ops,
          including itself.
        * A block dominates all blocks inside its ops. Every block dominates unreachable blocks.
        * A block argument dominates all ops of its block. If `a` is a value, `b` must be an op.

        Raises:
            TypeError: If `a` and `b` cannot be compared, for example because `a` is an op and `b`
                is a block.

        Source: `mlir::DominanceInfo::properlyDominates`, MLIR 22.
        """
        ir = self._bindings.ir
        if isinstance(a, ir.Block) and isinstance(b, ir.Block):
            return self._block_dominates(a, b)
        if hasattr(b, "operation"):
            if isinstance(a, ir.BlockArgument):
                block = block_of(b)
                return block is not None and (
                    a.owner == block or self._block_dominates(a.owner, block)
                )
            if isinstance(a, ir.Value):
                return self._op_dominates(a.owner.operation, b.operation, enclosing=False)
            if hasattr(a, "operation"):
                return self._op_dominates(a.operation, b.operation, enclosing=True)
        msg = f"cannot compare {type(a).__name__} with {type(b).__name__}"
        raise TypeError(msg)

    def is_before(self, a: Any, b: Any) -> bool:
        """Return whether the op `a` precedes the op `b` in the same block.

        Source: `mlir::Operation::isBeforeInBlock`, MLIR 22.
        """
        block, other = block_of(a), block_of(b)
        if block is None or other is None or block != other:
            return False
        return a.operation != b.operation and a.operation.is_before_in_block(b.operation)

    def _is_ordered(self, block: Any) -> bool:
        """Return whether values in a block's region must be defined before they are used.

        The order matters in every region with several blocks. In a region with one block, the order
        matters unless the enclosing op has graph regions or is unregistered.

        Source: `mlir::detail::DominanceInfoBase::hasSSADominance`, MLIR 22.
        """
        if len(list(block.region)) > 1:
            return True
        owner = block.owner.operation
        return owner.name not in _GRAPH_REGION_OPS and bool(
            owner.context.is_registered_operation(owner.name)
        )


def _entry(region: Any) -> Any:
    return next(iter(region), None)


def _outwards(operation: Any) -> Iterator[Any]:
    while operation is not None:
        yield operation
        operation = parent_of(operation)


class SymbolUse(NamedTuple):
    """A reference from an attribute of an op to a symbol.

    Attributes:
        user: The op whose attributes contain the reference.
        reference: The full symbol reference, such as `@a::@b`, which uses both `a` and `b`.
    """

    user: Any
    reference: Any


class SymbolUsers:
    """The uses of each symbol inside an op, including references in arrays and dictionaries.

    A reference is resolved in the closest symbol table that encloses the user, and counts as a use
    of every symbol that a component of the reference denotes. The bindings' class `SymbolTable`
    determines which ops are symbol tables. References inside attributes other than arrays and
    dictionaries are not found, because the bindings do not expose the elements of those attributes.
    The constructor walks the op once, and queries take O(1) time. The analysis remains valid until
    a symbol or a reference is added, erased or renamed.

    Attributes:
        unresolved: The uses whose reference cannot be fully resolved.

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
        unresolved: list[SymbolUse] = []
        for user in self._bindings.walk(op.operation.opview):
            for reference in self._references_in([*dict(user.operation.attributes).values()]):
                use = SymbolUse(user, reference)
                path = self._path(user, reference)
                for symbol in path:
                    self._uses.setdefault(symbol, []).append(use)
                if len(path) < len(self._names(reference)):
                    unresolved.append(use)
        self.unresolved: tuple[SymbolUse, ...] = tuple(unresolved)

    def __eq__(self, other: object) -> bool:
        """Return whether two analyses have the same uses, unresolved uses and symbol tables."""
        if not isinstance(other, SymbolUsers):
            return NotImplemented
        tables = [*self._tables, *other._tables]
        try:
            return (
                self._uses == other._uses
                and self.unresolved == other.unresolved
                and all(self._symbols(each) == other._symbols(each) for each in tables)
            )
        except RuntimeError:  # one of them knows an op that was erased
            return False

    __hash__: ClassVar[None] = None  # pyright: ignore[reportIncompatibleMethodOverride] - compared only

    def uses(self, symbol: Any) -> tuple[SymbolUse, ...]:
        """Return the uses of a symbol, in the program order of the users."""
        return tuple(self._uses.get(symbol.operation, ()))

    def users(self, symbol: Any) -> tuple[Any, ...]:
        """Return the ops that refer to a symbol, without duplicates, in program order."""
        return tuple(dict.fromkeys(use.user for use in self.uses(symbol)))

    def is_unused(self, symbol: Any) -> bool:
        """Return whether no op inside the analyzed op refers to a symbol."""
        return symbol.operation not in self._uses

    def lookup(self, user: Any, reference: Any) -> Any:
        """Return the op that a symbol reference in `user` resolves to, or None."""
        path = self._path(user, reference)
        return path[-1].opview if len(path) == len(self._names(reference)) else None

    def _path(self, user: Any, reference: Any) -> list[Any]:
        """Return the ops that the components of a reference name, up to the first unknown name."""
        tables = _outwards(parent_of(user))
        place = next((each for each in tables if self._symbols(each) is not None), None)
        path: list[Any] = []
        for name in self._names(reference):
            symbols = None if place is None else self._symbols(place)
            if symbols is None or name not in symbols:
                break
            place = symbols[name]
            path.append(place)
        return path

    def _symbols(self, operation: Any) -> dict[str, Any] | None:
        """Return the symbols of a symbol table by name, or None for any other op."""
        if operation not in self._tables:
            self._tables[operation] = None
            with suppress(TypeError, ValueError):
                self._bindings.ir.SymbolTable(operation)
                children = (child.operation for child in self._bindings.children(operation))
                named = ((symbol_name(child), child) for child in children)
                self._tables[operation] = {name: op for name, op in named if name is not None}
        return self._tables[operation]

    def _names(self, reference: Any) -> list[str]:
        is_flat = isinstance(reference, self._bindings.ir.FlatSymbolRefAttr)
        return [reference.value] if is_flat else list(reference.value)

    def _references_in(self, attributes: Iterable[Any]) -> Iterator[Any]:
        ir = self._bindings.ir
        for each in attributes:
            if isinstance(each, (ir.FlatSymbolRefAttr, ir.SymbolRefAttr)):
                yield each
            elif isinstance(each, ir.ArrayAttr):
                yield from self._references_in(each)
            elif isinstance(each, ir.DictAttr):
                yield from self._references_in(each[n].attr for n in range(len(each)))

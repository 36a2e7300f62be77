"""Common subexpression elimination as xDSL's driver does it, with attributes hashed once.

Ops are equal if their names, operands, result types, attributes and properties are, and their
regions equivalent. xDSL hashes all that anew whenever it looks for an op. Most types and
attributes of a program are few objects: each of them is hashed once here, and gets a number
that equal ones share.
"""
# pyright: reportPrivateUsage=false
# The walk follows xDSL's private links, and knows values by address: xDSL hashes in Python.

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from xdsl.rewriter import Rewriter
from xdsl.traits import get_effects

from passel.xdsl.fast.effects import is_dead
from passel.xdsl.fast.op_classes import READ, UNKNOWN, WRITE, ClassTable, Source, kinds_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from xdsl.ir import Attribute, Block, Operation, Region

    Preorder = Callable[[Region], Iterable[tuple[Block, int]]]

_Key = tuple[object, ...]
_MAY_WRITE: Final = WRITE | UNKNOWN


class _Known:
    """An op that can be used in place of equal ones.

    Attributes:
        op: The op.
        writes: How many ops of its block may have written before it.
    """

    __slots__ = ("op", "writes")

    def __init__(self, op: Operation, writes: int) -> None:
        self.op = op
        self.writes = writes


class _Scope:
    """Ops that can be used in a region, in groups with the same key.

    Args:
        enclosing: Those that can be used outside of the region; None if nothing outside is seen.
    """

    __slots__ = ("_enclosing", "_groups")

    def __init__(self, enclosing: _Scope | None = None) -> None:
        self._enclosing = enclosing
        self._groups: dict[_Key, list[_Known]] = {}

    def find(self, key: _Key, op: Operation) -> _Known | None:
        """Return what can be used in place of an op, which has a key."""
        scope = self
        while scope is not None:
            for known in scope._groups.get(key, ()):
                if not op.regions or _have_same_regions(known.op, op):
                    return known
            scope = scope._enclosing
        return None

    def add(self, key: _Key, op: Operation, writes: int) -> None:
        """Use an op from now on, also in place of an equal one."""
        group = self._groups.setdefault(key, [])
        for known in group:
            if not op.regions or _have_same_regions(known.op, op):
                known.op, known.writes = op, writes
                return
        group.append(_Known(op, writes))


def _have_same_regions(op: Operation, other: Operation) -> bool:
    pairs = zip(op.regions, other.regions, strict=True)
    return all(mine.is_structurally_equivalent(theirs) for mine, theirs in pairs)


class SubexpressionEliminator:
    """Replaces ops by equal ones that dominate them, and erases dead ones.

    Args:
        preorder: Returns the blocks of a region down its dominator tree, with their depths.

    Attributes:
        replaced: How many ops were found to be computed already.
        dead: How many ops were unused to begin with.
    """

    def __init__(self, preorder: Preorder) -> None:
        self._preorder = preorder
        self._classes = ClassTable()
        self._scope = _Scope()
        self._kinds: dict[int, int] = {}
        # By address: nothing is erased, and no attribute replaced, before the walk is over.
        self._numbers: dict[int, int] = {}
        self._by_value: dict[Attribute, int] = {}
        self._operands_known: set[int] = set()
        self._to_erase: dict[int, Operation] = {}
        self.replaced: int = 0
        self.dead: int = 0

    @property
    def erased(self) -> int:
        """How many ops were erased."""
        return len(self._to_erase)

    def simplify(self, op: Operation) -> None:
        """Simplify what is nested in an op."""
        for region in op.regions:
            self._simplify_region(region)
        for each in self._to_erase.values():
            if each.parent is not None:
                Rewriter.erase_op(each)

    def _simplify_region(self, region: Region) -> None:
        """Walk down the dominator tree; what was found on the way is known below.

        Blocks that cannot be reached are left alone.
        """
        first = region.first_block
        if first is None:
            return
        enclosing = self._scope
        if first is region.last_block:
            self._scope = _Scope(enclosing)
            self._simplify_block(first)
        else:
            path = [enclosing]
            for block, depth in self._preorder(region):
                del path[depth + 1 :]
                self._scope = _Scope(path[-1])
                path.append(self._scope)
                self._simplify_block(block)
        self._scope = enclosing

    def _simplify_block(self, block: Block) -> None:
        classes, writes = self._classes, 0
        op = block.first_op
        while op is not None:
            facts = classes[type(op)]
            if op.regions:
                enclosing, operands = self._scope, self._operands_known
                if facts.is_isolated:
                    # Operands matter only of ops that can be found.
                    self._scope, self._operands_known = _Scope(), set()
                for region in op.regions:
                    self._simplify_region(region)
                self._scope, self._operands_known = enclosing, operands
            kinds = self._kinds_of(op)
            if facts.may_be_terminator:
                pass
            elif facts.erasable is not False and is_dead(op, facts, classes):
                self._to_erase[id(op)] = op
                self.dead += 1
            elif not kinds & ~READ and not any(
                region.first_block is not region.last_block for region in op.regions
            ):
                self._simplify_op(op, writes, reads=bool(kinds))
            if kinds & _MAY_WRITE:
                writes += 1
            op = op._next_op

    def _kinds_of(self, op: Operation) -> int:
        """Return the kinds of effects of an op, which stay as they are during the walk."""
        facts = self._classes[type(op)]
        if facts.source is Source.OP:
            return kinds_of(get_effects(op))
        if facts.source is not Source.NESTED:
            return self._classes.kinds_of(op, facts)
        kinds = self._kinds.get(id(op))
        if kinds is None:
            inside = (
                inner for region in op.regions for block in region.blocks for inner in block.ops
            )
            kinds = facts.kinds
            for inner in inside:
                kinds |= self._kinds_of(inner)
                if kinds & UNKNOWN:
                    kinds = UNKNOWN
                    break
            self._kinds[id(op)] = kinds
        return kinds

    def _simplify_op(self, op: Operation, writes: int, *, reads: bool) -> None:
        """Use an equal op instead of one that has no effects, or only reads."""
        key = self._key(op)
        known = self._scope.find(key, op)
        if known is not None and (
            not reads or (known.op.parent is op.parent and known.writes == writes)
        ):
            self._replace(op, known.op)
            return
        self._scope.add(key, op, writes)
        self._operands_known.update(map(id, op._operands))

    def _replace(self, op: Operation, existing: Operation) -> None:
        self.replaced += 1
        for old, new in zip(op.results, existing.results, strict=True):
            # In graph regions there may be users that were visited before.
            if id(old) in self._operands_known and any(
                self._scope.find(self._key(use.operation), use.operation) for use in old.uses
            ):
                continue
            old.replace_all_uses_with(new)
        if all(result.first_use is None for result in op.results):
            self._to_erase[id(op)] = op

    def _key(self, op: Operation) -> _Key:
        """Return what is the same for ops that are equal but for their regions."""
        numbers = self._numbers
        try:
            return (
                op.name,
                tuple(map(id, op._operands)),
                tuple([numbers[id(result._type)] for result in op.results]),
                _numbered(op.properties, numbers),
                _numbered(op.attributes, numbers),
            )
        except KeyError:
            types = [result._type for result in op.results]
            for each in (*types, *op.properties.values(), *op.attributes.values()):
                self._number(each)
            return self._key(op)

    def _number(self, attribute: Attribute) -> None:
        if id(attribute) not in self._numbers:
            number = self._by_value.setdefault(attribute, len(self._by_value))
            self._numbers[id(attribute)] = number


def _numbered(named: Mapping[str, Attribute], numbers: Mapping[int, int]) -> _Key:
    """Return names and numbers of attributes, whatever the order in which they were set."""
    if not named:
        return ()
    return tuple([(name, numbers[id(named[name])]) for name in sorted(named)])

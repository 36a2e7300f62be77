"""Contents of an op at one time, to find out later which of them have changed."""
# pyright: reportPrivateUsage=false
# The loops follow xDSL's private links, as those of fingerprints do.

from __future__ import annotations

from operator import is_
from typing import TYPE_CHECKING, Any

from passel.errors import EncodingError
from passel.xdsl.fingerprint import payloads_in

if TYPE_CHECKING:
    from collections.abc import Sequence

    from xdsl.ir import Attribute, Block, BlockArgument, Operation, Region, SSAValue


class Nodes:
    """An op and all that is inside, breadth first: equal ops have as much, in the same order.

    Args:
        root: The op.
        recursive: Whether to look inside.

    Attributes:
        ops: The op and those inside.
        regions: The regions.
        blocks: The blocks.
        arguments: The arguments of blocks.
        values: The same, and the results of ops.
        op_spans: For each block, where its ops start and end among all.
        block_spans: The same for each region and its blocks.
    """

    __slots__ = ("arguments", "block_spans", "blocks", "op_spans", "ops", "regions", "values")

    def __init__(self, root: Operation, *, recursive: bool = True) -> None:
        self.ops: list[Operation] = [root]
        self.regions: list[Region] = []
        self.blocks: list[Block] = []
        self.arguments: list[BlockArgument] = []
        self.op_spans: list[tuple[int, int]] = []
        self.block_spans: list[tuple[int, int]] = []
        ops, results = self.ops, list[Any](root.results)
        if recursive:
            self._add_regions(root)
        for block in self.blocks:  # which grows
            self.arguments += block.args
            start = len(ops)
            op = block.first_op
            while op is not None:
                ops.append(op)
                results += op.results
                if op.regions:
                    self._add_regions(op)
                op = op._next_op
            self.op_spans.append((start, len(ops)))
        self.values: list[SSAValue] = [*self.arguments, *results]

    def _add_regions(self, op: Operation) -> None:
        for region in op.regions:
            start = len(self.blocks)
            block = region.first_block
            while block is not None:
                self.blocks.append(block)
                block = block.next_block
            self.regions.append(region)
            self.block_spans.append((start, len(self.blocks)))

    def columns(self) -> tuple[Sequence[object], ...]:
        """Return what tells whether there is something else now, or in another order."""
        return self.ops, self.regions, self.blocks, self.values

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many ops, regions, blocks and values there are."""
        return tuple(map(len, self.columns()))


def add_own_facts(op: Operation, facts: list[Any]) -> None:
    """Add an op's location, properties and attributes."""
    facts.append(op.location)
    if named := op.properties:
        facts += named
        facts += named.values()
    if named := op.attributes:
        facts.append(None)
        facts += named
        facts += named.values()


class Snapshot:
    """An op and all that is inside, and what that consists of.

    Orders of uses are not among it: a use gets to another place in them only where an op
    is given operands.

    Args:
        root: The op.

    Attributes:
        nodes: The op and what is inside.
        operands: The operands of each op.
        successors: The successors of each op.
        regions: The regions of each op.
        results: The results of each op.
        own: Locations, properties and attributes of all ops.
        starts: Where those of each op start.
        types: The type of each value.
        names: The name of each value.
        arguments: The arguments of each block.
        block_names: The name of each block.
        locations: The location of each argument.
    """

    def __init__(self, root: Operation) -> None:
        self.nodes: Nodes = Nodes(root)
        nodes = self.nodes
        ops, values, blocks = nodes.ops, nodes.values, nodes.blocks
        self.operands: list[Sequence[SSAValue]] = [op._operands for op in ops]
        self.successors: list[Sequence[Block]] = [op._successors for op in ops]
        self.regions: list[Sequence[Region]] = [op.regions for op in ops]
        self.results: list[Sequence[SSAValue]] = [op.results for op in ops]
        self.types: list[Attribute] = [value._type for value in values]
        self.names: list[str | None] = [value.name_hint for value in values]
        self.arguments: list[Sequence[SSAValue]] = [block.args for block in blocks]
        self.block_names: list[str | None] = [block.name_hint for block in blocks]
        self.locations: list[Attribute] = [argument.location for argument in nodes.arguments]
        self.own: list[Any] = []
        self.starts: list[int] = []
        own, starts = self.own, self.starts
        for op in ops:
            starts.append(len(own))
            add_own_facts(op, own)
        starts.append(len(own))

    def checked(self) -> Snapshot:
        """Return it, unless changes can escape it.

        Raises:
            EncodingError: There are attributes that can be changed in place.
        """
        if any(True for _ in payloads_in((*self.own, *self.types))):
            root = self.nodes.ops[0]
            raise EncodingError(f"'{root.name}' has attributes that can be changed in place")
        return self

    @classmethod
    def of_shell(cls, root: Operation) -> Snapshot:
        """Return what is known of an op where it has come without properties and contents."""
        shell = cls.__new__(cls)
        shell.nodes = Nodes(root, recursive=False)
        shell.operands, shell.successors = [root._operands], [root._successors]
        shell.regions, shell.results = [()], [root.results]
        shell.types = [result._type for result in root.results]
        shell.names = [result.name_hint for result in root.results]
        shell.arguments, shell.block_names, shell.locations = [], [], []
        shell.own, shell.starts = [], [0, 0]
        return shell

    def own_facts(self, place: int) -> list[Any]:
        """Return location, properties and attributes of an op."""
        return self.own[self.starts[place] : self.starts[place + 1]]

    def is_same(self, other: Snapshot) -> bool:
        """Return whether nothing has changed from one snapshot to the other."""
        mine, others = self.nodes, other.nodes
        return (
            mine.op_spans == others.op_spans
            and mine.block_spans == others.block_spans
            and all(map(are_same, mine.columns(), others.columns()))
            and all(map(are_same, self._columns(), other._columns()))
        )

    def _columns(self) -> tuple[Sequence[object], ...]:
        return (
            *(self.operands, self.successors, self.regions, self.results, self.own, self.types),
            *(self.names, self.arguments, self.block_names, self.locations),
        )


def are_same(some: Sequence[object], others: Sequence[object]) -> bool:
    """Return whether two sequences consist of the same objects."""
    return len(some) == len(others) and all(map(is_, some, others))

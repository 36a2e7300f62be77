"""A fingerprint must notice every change, and nothing else."""

import io
from collections.abc import Callable

import pytest
from xdsl.dialects import builtin
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr, UnitAttr, UnknownLoc, i32, i64
from xdsl.dialects.dlti import DataLayoutEntryAttr, DataLayoutSpecAttr
from xdsl.ir import Block, Data, Operation, Region
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.rewriter import InsertPoint, Rewriter

from passel.xdsl.fingerprint import fingerprint
from passel.xdsl.verification import verify

_SOURCE = """
builtin.module attributes {a = 1 : i32, b} {
  func.func @f(%x: i32, %y: i32) -> i32 {
    %0 = "test.op"(%x) {k = "v"} : (i32) -> i32
    %1 = arith.addi %0, %x : i32
    "test.op"() ({
      "test.op"(%1) : (i32) -> ()
      "test.termop"() : () -> ()
    }, {
      "test.termop"() : () -> ()
    }) : () -> ()
    "test.termop"(%1) [^bb1, ^bb2] : (i32) -> ()
  ^bb1:
    func.return %1 : i32
  ^bb2:
    func.return %0 : i32
  }
  "some.unregistered"() {z = 1 : i32} : () -> ()
}
"""


class _Sample:
    """A module with something of everything, by name."""

    def __init__(self, module: Operation) -> None:
        self.module = module
        ops = [op for op in module.walk() if op is not module]
        self.func, self.first, self.add, self.nest, self.inner = ops[:5]
        self.branch = next(op for op in ops if op.successors)
        self.unregistered = ops[-1]
        self.entry, self.bb1, self.bb2 = self.func.regions[0].blocks


@pytest.fixture
def sample(parse: Callable[[str], Operation]) -> _Sample:
    """The sample, freshly parsed."""
    return _Sample(parse(_SOURCE))


def _replace_by_clone(op: Operation) -> None:
    clone = op.clone()
    Rewriter.insert_op(clone, InsertPoint.before(op))
    for old, new in zip(op.results, clone.results, strict=True):
        old.replace_all_uses_with(new)
    Rewriter.erase_op(op)


def _move(op: Operation, to: InsertPoint) -> None:
    op.detach()
    Rewriter.insert_op(op, to)


def _swap_blocks(s: _Sample) -> None:
    region = s.func.regions[0]
    region.detach_block(s.bb1)
    region.insert_block_after(s.bb1, s.bb2)


def _move_ops_over(s: _Sample) -> None:
    """Move the last op of a block to the front of the next one, so that their order stays."""
    _move(s.bb1.last_op or s.add, InsertPoint.at_start(s.bb2))


def _attribute_to_property(s: _Sample) -> None:
    s.first.properties["k"] = s.first.attributes.pop("k")


def _swap_attributes(s: _Sample) -> None:
    attributes = s.module.attributes
    attributes["a"], attributes["b"] = attributes["b"], attributes["a"]


def _set_successor(s: _Sample) -> None:
    s.branch.successors[0] = s.bb2


_MUTATIONS: dict[str, Callable[[_Sample], object]] = {
    "set attribute": lambda s: s.first.attributes.update(k=StringAttr("w")),
    "set attribute to an equal one": lambda s: s.first.attributes.update(k=StringAttr("v")),
    "add attribute": lambda s: s.first.attributes.update(extra=UnitAttr()),
    "remove attribute": lambda s: s.first.attributes.pop("k"),
    "rename attribute": lambda s: s.first.attributes.update(n=s.first.attributes.pop("k")),
    "swap attributes": _swap_attributes,
    "set property": lambda s: s.func.properties.update(sym_name=StringAttr("g")),
    "remove property": lambda s: s.func.properties.pop("sym_name"),
    "attribute to property": _attribute_to_property,
    "attribute of the root": lambda s: s.module.attributes.pop("a"),
    "attribute of an unregistered op": lambda s: s.unregistered.attributes.update(z=UnitAttr()),
    "set operand": lambda s: setattr(s.add, "operands", (s.add.operands[0], s.entry.args[1])),
    "reorder operands": lambda s: setattr(s.add, "operands", tuple(reversed(s.add.operands))),
    "drop operand": lambda s: setattr(s.inner, "operands", ()),
    "add operand": lambda s: setattr(s.inner, "operands", (*s.inner.operands, s.entry.args[0])),
    "replace all uses": lambda s: s.first.results[0].replace_all_uses_with(s.entry.args[0]),
    "erase value unsafely": lambda s: s.add.results[0].erase(safe_erase=False),
    "set successor": _set_successor,
    "drop successor": lambda s: setattr(s.branch, "successors", list(s.branch.successors)[:1]),
    "move op to another block": lambda s: _move(s.add, InsertPoint.at_start(s.bb1)),
    "move op within its block": lambda s: _move(s.first, InsertPoint.after(s.add)),
    "move op out of a region": lambda s: _move(s.inner, InsertPoint.after(s.nest)),
    "move last op out of a region": lambda s: _move(
        s.nest.regions[1].block.ops.first or s.inner, InsertPoint.after(s.nest)
    ),
    "move op into a region": lambda s: _move(s.add, InsertPoint.before(s.inner)),
    "erase op": lambda s: Rewriter.erase_op(s.inner),
    "erase op and insert its clone": lambda s: _replace_by_clone(s.add),
    "erase last op": lambda s: Rewriter.erase_op(s.unregistered),
    "insert op": lambda s: Rewriter.insert_op(s.inner.clone(), InsertPoint.before(s.inner)),
    "insert block argument": lambda s: s.bb1.insert_arg(i32, 0),
    "erase block argument": lambda s: s.entry.erase_arg(s.entry.args[1]),
    "change type of a result": lambda s: Rewriter.replace_value_with_new_type(
        s.add.results[0], i64
    ),
    "change type of an argument": lambda s: Rewriter.replace_value_with_new_type(
        s.entry.args[0], i64
    ),
    "location": lambda s: setattr(s.add, "location", UnknownLoc()),
    "location of an argument": lambda s: setattr(s.entry.args[0], "location", UnknownLoc()),
    "location of the root": lambda s: setattr(s.module, "location", UnknownLoc()),
    "add region": lambda s: s.inner.add_region(Region()),
    "remove region": lambda s: s.nest.detach_region(0),
    "swap regions": lambda s: s.nest.add_region(s.nest.detach_region(0)),
    "move region": lambda s: s.inner.add_region(s.nest.detach_region(1)),
    "move blocks to the region before, in order": lambda s: s.nest.regions[1].move_blocks(
        s.nest.regions[0]
    ),
    "move op to the next block, in order": _move_ops_over,
    "add block": lambda s: s.func.regions[0].add_block(Block()),
    "erase block": lambda s: s.func.regions[0].detach_block(s.bb2),
    "swap blocks": _swap_blocks,
    "split block": lambda s: s.entry.split_before(s.nest),
}


@pytest.mark.parametrize("mutation", _MUTATIONS)
def test_notices(sample: _Sample, mutation: str) -> None:
    """Every kind of change that xDSL offers makes the fingerprints unequal."""
    before = fingerprint(sample.module)
    assert fingerprint(sample.module) == before
    _MUTATIONS[mutation](sample)
    assert fingerprint(sample.module) != before
    assert fingerprint(sample.module, before) != before


def test_notices_what_attribute_equality_does_not(sample: _Sample) -> None:
    """A changed data layout counts, although xDSL calls all data layouts equal."""
    layouts = [
        DataLayoutSpecAttr(ArrayAttr([])),
        DataLayoutSpecAttr(ArrayAttr([DataLayoutEntryAttr(i32, i64)])),
    ]
    sample.module.attributes["layout"] = layouts[0]
    before = fingerprint(sample.module)
    sample.module.attributes["layout"] = layouts[1]
    assert layouts[0] == layouts[1]
    assert fingerprint(sample.module) != before
    assert fingerprint(sample.module, before) is not before


def test_notices_a_dead_object_in_the_place_of_another(sample: _Sample) -> None:
    """Addresses used again are no identity: erased objects stay told apart."""
    before = fingerprint(sample.module)
    for _ in range(50):
        sample.first.attributes["k"] = StringAttr("w")
        assert fingerprint(sample.module) != before


def test_ignores_reading(sample: _Sample) -> None:
    """Walking, printing and verifying change nothing, and the fingerprint agrees."""
    before = fingerprint(sample.module)
    list(sample.module.walk())
    for generic in (True, False):
        Printer(stream=io.StringIO(), print_generic_format=generic).print_op(sample.module)
    verify(sample.module, recursive=False)
    sample.module.clone()
    assert sample.module.is_structurally_equivalent(sample.module)
    assert fingerprint(sample.module) == before


def test_ignores_rebuilt_containers(sample: _Sample) -> None:
    """Setting lists to what they hold already is no change."""
    before = fingerprint(sample.module)
    sample.add.operands = tuple(sample.add.operands)
    sample.branch.successors = list(sample.branch.successors)
    sample.module.attributes = dict(sample.module.attributes)
    _swap_blocks(sample)
    sample.func.regions[0].detach_block(sample.bb2)
    sample.func.regions[0].insert_block_after(sample.bb2, sample.bb1)
    assert fingerprint(sample.module) == before
    assert fingerprint(sample.module, before) is before


def test_ignores_the_order_of_names(sample: _Sample) -> None:
    """The order in which attributes were set does not count; their values do."""
    before = fingerprint(sample.module)
    named = sample.module.attributes
    first = next(iter(named))
    named[first] = named.pop(first)
    assert fingerprint(sample.module) == before
    assert fingerprint(sample.module, before) is before
    sample.module.attributes["b"] = StringAttr("new")
    assert fingerprint(sample.module) != before


def test_ignores_names_and_the_place_of_the_root(sample: _Sample) -> None:
    """Name hints, and where the fingerprinted op itself stands, do not count."""
    before = fingerprint(sample.func)
    sample.add.results[0].name_hint = "other"
    sample.entry.args[0].name_hint = None
    sample.func.detach()
    assert fingerprint(sample.func) == before


def test_ignores_changes_outside(sample: _Sample) -> None:
    """A change beside or above the fingerprinted op does not count."""
    before = fingerprint(sample.nest)
    Rewriter.erase_op(sample.unregistered)
    sample.func.attributes["x"] = UnitAttr()
    _swap_blocks(sample)
    assert fingerprint(sample.nest) == before


def test_takes_deep_nests(sample: _Sample) -> None:
    """Nesting of 2000 regions is no reason to fail."""
    op = root = sample.inner.clone()
    for _ in range(2000):
        child = sample.unregistered.clone()
        op.add_region(Region(Block([child])))
        op = child
    before = fingerprint(root)
    op.attributes["x"] = UnitAttr()
    assert fingerprint(root) != before


def test_a_payload_that_cannot_be_pickled_is_compared_by_its_parts() -> None:
    """Its representation may hide what has changed."""

    class Payload:
        """Holds a function, which no pickle takes, and a list."""

        def __init__(self) -> None:
            self.function, self.values = (lambda: 0), [1]

        def __repr__(self) -> str:
            return "payload"

    @irdl_attr_definition
    class Holding(Data[Payload]):
        """Holds a payload that changes in place."""

        name = "test.holding"

        @classmethod
        def parse_parameter(cls, parser: AttrParser) -> Payload:  # noqa: ARG003 - xDSL's signature
            """Return a new payload."""
            return Payload()

        def print_parameter(self, printer: Printer) -> None:
            """Print nothing."""

    payload = Payload()
    op = ModuleOp([], {"held": builtin.DictionaryAttr({"inside": Holding(payload)})})
    before = fingerprint(op)
    assert fingerprint(op) == before
    payload.values.append(2)
    assert fingerprint(op) != before

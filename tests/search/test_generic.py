"""The generic form as a tree, and what is repaired in one."""

from __future__ import annotations

import pytest

from passel.frontend import SourcePart, frontend_of
from passel.frontend.generic_form import GenericSyntaxError, parse_generic
from passel.ir import PrintFlags, adapter_named
from passel.search.edits import KINDS, EditKind

_GENERIC = PrintFlags(generic=True, local_scope=True)

SOURCE = """
module attributes {a.b = "x, } -> \\" {", a.m = affine_map<(d0)[s0] -> (d0 + s0)>} {
  func.func private @g(i32) -> i32
  func.func @f(%x: i32, %c: i1, %t: tensor<4x?xf32>) -> (i32, () -> i32) attributes {d.n} {
    %0:2 = scf.if %c -> (i32, i32) {
      %z = arith.addi %x, %x : i32
      scf.yield %z, %x : i32, i32
    } else {
      scf.yield %x, %x : i32, i32
    }
    %k = builtin.unrealized_conversion_cast %x : i32 to () -> i32
    cf.cond_br %c, ^one(%0#1 : i32), ^two
  ^one(%a: i32):
    %r = func.call @g(%a) : (i32) -> i32
    return %r, %k : i32, () -> i32
  ^two:
    return %0#0, %k : i32, () -> i32
  }
  func.func @h() -> i32 {
    %0 = arith.constant 7 : i32
    return %0 : i32
  }
}
"""


def _generic(ir: str, text: str) -> str:
    frontend = frontend_of(adapter_named(ir), implicit_module=True)
    parsed = frontend.read(SourcePart(text, "x"), frontend.new_context(), lambda _: None)
    return frontend.adapter.print_op(parsed.op, _GENERIC)


@pytest.mark.parametrize("ir", ["xdsl", "mlir"])
def test_what_is_read_is_written(ir: str) -> None:
    """A tree prints as text that the IR reads as the same module."""
    text = _generic(ir, SOURCE)
    written = str(parse_generic(text))
    assert str(parse_generic(_generic(ir, written))) == written


@pytest.mark.parametrize("ir", ["xdsl", "mlir"])
def test_values_have_names_of_their_own(ir: str) -> None:
    """Each value has another name, also where isolated regions use the same."""
    root = parse_generic(_generic(ir, SOURCE))
    names = [name for op in root.walk() for name, _ in op.results]
    names += [name for op in root.walk() for block in op.blocks() for name, _ in block.args]
    assert len(names) == len(set(names)) == 10


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("module {}", "line 1: expected a name"),
        ('"a.b"() : () -> ()\n"a.c"() : () -> ()', "line 2: expected the end"),
        ('"a.b"() ({\n"a.c"( : () -> ()}) : () -> ()', "line 2: expected"),
    ],
)
def test_another_form_is_refused(text: str, place: str) -> None:
    """Text in another form is an error that says where."""
    with pytest.raises(GenericSyntaxError, match=place):
        parse_generic(text)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.find.__name__)
@pytest.mark.parametrize("ir", ["xdsl", "mlir"])
def test_edits_use_no_value_that_is_not_defined(ir: str, kind: EditKind) -> None:
    """Whatever edits of a kind are made, alone or all, no use is left without a definition."""
    root = parse_generic(_generic(ir, SOURCE))
    found = list(kind.find(root))
    for chosen in [*([one] for one in found), found]:
        copy = root.copy()
        kind.apply(copy, chosen)
        defined = {value for op in copy.walk() for value in op.results}
        defined |= {value for op in copy.walk() for b in op.blocks() for value in b.args}
        used = {value for op in copy.walk() for value in op.operands}
        assert used <= defined

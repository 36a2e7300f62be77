"""Texts of IR as rows: locations left out, values matched whose names have changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from passel.instruments.ir_diff import unified_diff

if TYPE_CHECKING:
    from javascript import JavaScript

OLD = """\
func.func @f(%a : i32, %b : i32) -> i32 {
  %0 = arith.addi %a, %b : i32 loc("a(b\\")":3:4)
  %1 = arith.addi %a, %b : i32
  %2 = arith.muli %0, %1 : i32
  %3 = arith.addi %2, %a : i32
  cf.br ^bb1(%3 : i32)
^bb1(%x : i32):
  func.return %x : i32
} loc(fused["x.mlir":1:1, callsite("g" at "h")])
#loc1 = loc("x.mlir":1:1)"""
NEW = """\
func.func @f(%a : i32, %b : i32) -> i32 {
  %0 = arith.addi %a, %b : i32
  %1 = arith.muli %0, %0 : i32
  %2 = arith.addi %1, %a : i32
  cf.br ^bb0(%2 : i32)
^bb0(%x : i32):
  func.return %x : i32
}"""
LINE = st.sampled_from([*OLD.split("\n"), *NEW.split("\n"), "  %5, %6:2 = x.y %0#1", "^bb2:"])
SETTINGS = st.fixed_dictionaries({"locations": st.booleans(), "names": st.booleans()})


def differing(diff: dict[str, Any]) -> list[tuple[str, str]]:
    """Return both sides of the rows that differ."""
    old, new = [*diff["old"], ""], [*diff["now"], ""]
    return [(old[i].strip(), new[j].strip()) for i, j, same in diff["rows"] if not same]


def compare(javascript: JavaScript, *, locations: bool = False, names: bool = True) -> Any:
    """Return the difference of both texts."""
    settings = {"locations": locations, "names": names}
    return javascript.call("Texts", "compare", OLD.split("\n"), NEW.split("\n"), settings)


def test_a_value_with_another_name_is_the_same_value(javascript: JavaScript) -> None:
    """Only the op that is gone differs, and the one that uses another value now."""
    assert differing(compare(javascript)) == [
        ("%1\N{PRIME} = arith.addi %a, %b : i32", ""),
        ("%1 = arith.muli %0, %1\N{PRIME} : i32", "%1 = arith.muli %0, %0 : i32"),
    ]


@pytest.mark.parametrize("gone", [0, 1, 2])
def test_which_of_equal_ops_is_gone(javascript: JavaScript, gone: int) -> None:
    """Of ops that are alike but for their names, those are kept that have their names."""
    ops = [f"  %{name} = arith.mulf %{name}x, %b : f32" for name in "pqr"]
    left = [*ops[:gone], *ops[gone + 1 :]]
    old, new = ["{", *ops, "  c.c", "}"], ["{", *left, "  c.c", "}"]
    removal = javascript.call("Texts", "compare", old, new, {"names": True})
    assert differing(removal) == [(ops[gone].strip(), "")]
    addition = javascript.call("Texts", "compare", new, old, {"names": True})
    assert differing(addition) == [("", ops[gone].strip())]


def test_a_value_of_an_op_that_has_changed(javascript: JavaScript) -> None:
    """An op with another operand or type defines the same value, which others use as before."""
    old = ["func.func @f(%x: i32) {", "  %0 = a.a %x : i32", "  %1 = b.b %0 : i32", "  c.c %1", "}"]
    new = ["func.func @f(%x: i64) {", "  %3 = a.a %x : i32", "  %4 = b.b %3 : i64", "  c.c %4", "}"]
    assert differing(javascript.call("Texts", "compare", old, new, {"names": True})) == [
        ("func.func @f(%x: i32) {", "func.func @f(%x: i64) {"),
        ("%4 = b.b %3 : i32", "%4 = b.b %3 : i64"),
    ]


def test_a_value_with_a_name_of_its_own(javascript: JavaScript) -> None:
    """An op whose value was given another name is another op, even if it is like the old one."""
    old, new = ["%half = a.a 32", "b.b %half"], ["%upper = a.a 64", "b.b %upper"]
    found = differing(javascript.call("Texts", "compare", old, new, {"names": True}))
    assert found == [("%half = a.a 32", "%upper = a.a 64"), ("b.b %half", "b.b %upper")]


def test_locations(javascript: JavaScript) -> None:
    """Locations, with the strings and parentheses in them, and their aliases are left out."""
    assert not any("loc" in line for line in compare(javascript)["old"])
    found = differing(compare(javascript, locations=True))
    assert ('#loc1 = loc("x.mlir":1:1)', "") in found
    assert any('loc("a(b\\")":3:4)' in old for old, _ in found)


def test_indentation(javascript: JavaScript) -> None:
    """Lines of which only the indentation has changed are the same."""
    old, new = ["a.a {", "    b.b %0", "}"], ["  b.b %0"]
    for names in (True, False):
        diff = javascript.call("Texts", "compare", old, new, {"names": names})
        assert differing(diff) == [("a.a {", ""), ("}", "")]


@given(st.lists(LINE, max_size=12), st.lists(LINE, max_size=12), SETTINGS)
def test_rows_hold_both_texts(
    javascript: JavaScript, old: list[str], new: list[str], settings: dict[str, bool]
) -> None:
    """Each line of both texts is in one row, in order; lines of a row that is the same are."""
    diff = javascript.call("Texts", "compare", old, new, settings)
    rows = diff["rows"]
    assert [i for i, _, _ in rows if i >= 0] == list(range(len(diff["old"])))
    assert [j for _, j, _ in rows if j >= 0] == list(range(len(diff["now"])))
    for i, j, same in rows:
        assert not same or diff["old"][i].lstrip() == diff["now"][j].lstrip()
    assert diff["removed"] == sum(i >= 0 for i, _, same in rows if not same)
    assert diff["added"] == sum(j >= 0 for _, j, same in rows if not same)
    if settings["locations"]:
        assert diff["now"] == new


def test_lines_that_are_left_out_say_where_they_are(javascript: JavaScript) -> None:
    """The symbol of the nearest enclosing op is named."""
    lines = ["builtin.module @m {", "  func.func @f() {", "    %0 = a.a", "  }", "}"]
    assert javascript.call("Texts", "enclosing", lines, 2) == "@f"
    assert javascript.call("Texts", "enclosing", lines, 1) == "@m"
    assert javascript.call("Texts", "enclosing", lines, 0) == ""


USE = "  %r = arith.xori {} : i32"
CASES = {
    "another op": (["  %t = arith.subi %a", USE], ["  %t = a.b %a", "  %t_1 = a.c %t", USE], "%t %t_1"),
    "moved": (["a.a {", "  %0 = b.b", "  %1 = c.c", USE, "}"], ["%0 = c.c", "a.a {", "  %1 = b.b", USE, "}"], "%1 %0"),
    "other operands": (["  %1 = b.b %x", USE], ["  %2 = b.b %y", USE], "%1 %2"),
    "its name": (["  %1 = b.b %x", USE], ["  %1 = c.c %x", USE], "%1 %1"),
    "blocks": (["cf.br ^a1, ^a2", "^a1:", "b.b", "^a2:", USE], ["cf.br ^a2, ^a1", "^a1:", "b.b", "^a2:", USE], "%1 %1"),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_the_page_and_the_terminal_show_the_same_lines(javascript: JavaScript, case: str) -> None:
    """What a diff has as removed and added lines are the rows that differ."""
    before, after, names = CASES[case]
    old, new = (
        [line.replace("{}", name) for line in lines]
        for lines, name in zip((before, after), names.split(), strict=True)
    )
    diff = javascript.call("Texts", "compare", old, new, {"names": True, "locations": True})
    rows = [(i, j) for i, j, same in diff["rows"] if not same]
    lines = unified_diff("\n".join(old), "\n".join(new)).splitlines()[2:]
    assert [old[i] for i, _ in rows if i >= 0] == [each[1:] for each in lines if each[0] == "-"]
    assert [new[j] for _, j in rows if j >= 0] == [each[1:] for each in lines if each[0] == "+"]

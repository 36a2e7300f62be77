"""Diffs of IR: what only has another number is no change, what stands for another value is one."""

from __future__ import annotations

import difflib
import random
import time

import pytest

from passel.instruments import ir_diff
from passel.instruments.ir_diff import unified_diff

BEFORE = """\
func.func @f(%arg0: i32) -> i32 {
  %0 = arith.constant 1 : i32
  %1 = arith.addi %arg0, %arg0 : i32
  test.generic ins(%1 : i32) {
    "test.use"(%1) {text = "of %0"} : (i32) -> ()
  }
  %2 = arith.muli %1, %arg0 : i32
  cf.cond_br %c, ^bb1(%1 : i32), ^bb2
^bb1(%3: i32):
  %named_1 = arith.xori %3, %2 : i32
  cf.br ^bb2
^bb2:
  %4:2 = "test.two"(%2) : (i32) -> (i32, i32)
  func.return %4#1 : i32
}
func.func @g(%arg0: index) {
  %0 = arith.constant 1 : index
  scf.for %arg1 = %0 to %arg0 step %0 {
    "test.use"(%arg1) : (index) -> ()
  }
}
"""
"""Only the constant of the first function has no use."""


def renumbered(text: str) -> str:
    """Return the text without the constant, as printers number what is left of the function."""
    first, end, second = text.partition("func.func @g")
    first = first.replace("  %0 = arith.constant 1 : i32\n", "")
    for number in range(1, 5):
        first = first.replace(f"%{number}", f"%{number - 1}")
    return first.replace("%named_1", "%named") + end + second


def changed(before: str, after: str) -> list[str]:
    """Return the lines of a diff that are not the same."""
    return [line for line in unified_diff(before, after).splitlines()[2:] if line[0] in "+-"]


def test_a_number_is_no_change() -> None:
    """The diff has only the removed line; lines of context are those of the new text."""
    after = renumbered(BEFORE)
    assert changed(BEFORE, after) == ["-  %0 = arith.constant 1 : i32"]
    assert "\n   %0 = arith.addi %arg0, %arg0 : i32\n" in unified_diff(BEFORE, after)
    assert changed(after, BEFORE) == ["+  %0 = arith.constant 1 : i32"]
    assert unified_diff(BEFORE, BEFORE) == ""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("xori %2, %1", "xori %1, %2"),
        ("muli %0, %arg0", "muli %arg0, %0"),
        ("^bb1(%0 : i32), ^bb2", "^bb2(%0 : i32), ^bb1"),
        ("%3#1", "%3#0"),
        ('use"(%arg1)', 'use"(%arg0)'),
        ("named = ", "other = "),
        ("ins(%0 : i32)", "ins(%arg0 : i32)"),
        ('"of %0"', '"of %1"'),
    ],
    ids=["values", "argument", "blocks", "results", "loop", "names", "region", "string"],
)  # fmt: skip
def test_another_value_is_a_change(old: str, new: str) -> None:
    """A use of another value is a change, even among renumbered values."""
    after = renumbered(BEFORE)
    assert old in after
    found = changed(BEFORE, after.replace(old, new))
    assert [line[0] for line in found] == ["-", "-", "+"]
    assert new in found[2]


def test_blocks_are_those_of_their_function() -> None:
    """Branches name blocks that follow; another function has other blocks of the same names."""
    target = "  cf.br ^bb1\n^bb1:\n"
    old = f"func.func @f() {{\n{target}  a.a\n  cf.br ^bb2\n^bb2:\n  a.b\n}}\n"
    new = old.replace("^bb2", "^bb3").replace("^bb1", "^bb2").replace("{\n", "{\n" + target)
    after = f"func.func @g() {{\n  cf.cond_br %c, ^bb1, ^bb2\n{old.partition(target)[2]}"
    other = after.replace("^bb1, ^bb2", "^bb2, ^bb2")
    assert changed(old + after, new + after) == ["+  cf.br ^bb2", "+^bb2:"]
    assert changed(old + after, new + other)[2:] == [
        "-  cf.cond_br %c, ^bb1, ^bb2",
        "+  cf.cond_br %c, ^bb2, ^bb2",
    ]


def test_uses_of_another_op_have_changed() -> None:
    """A line has changed if it uses a value of another op under another name."""
    use = "  %r = arith.xori {}, %c : i32\n"
    before = "  %t = arith.subi %a, %s : i32\n" + use.format("%t")
    after = "  %t = arith.xori %s, %m : i32\n  %t_1 = arith.addi %a, %t : i32\n"
    assert changed(before, after + use.format("%t_1")) == [
        "-  %t = arith.subi %a, %s : i32",
        "-  %r = arith.xori %t, %c : i32",
        "+  %t = arith.xori %s, %m : i32",
        "+  %t_1 = arith.addi %a, %t : i32",
        "+  %r = arith.xori %t_1, %c : i32",
    ]
    assert changed(before, after.replace("%t_1", "%u").replace("%t ", "%v ") + use.format("%t"))[2:]


def test_what_replaces_an_op_by_its_name_is_used_as_it_was() -> None:
    """Uses have not changed if another op takes over the name, or if the op has other operands."""
    constant = "-  %0 = arith.constant 1 : i32"
    after = renumbered(BEFORE).replace("arith.addi %arg0, %arg0", "arith.addi %arg0, %c")
    assert changed(BEFORE, after) == [
        constant,
        "-  %1 = arith.addi %arg0, %arg0 : i32",
        "+  %0 = arith.addi %arg0, %c : i32",
    ]
    loop = "  %0 = scf.for %i = %c to %c step %c {\n    %1 = test.a %i\n  }\n"
    use = "  test.use %0\n"
    assert changed("  %0 = test.a\n" + use, "  %c = test.c\n" + loop + use)[0::4] == [
        "-  %0 = test.a",
        "+  }",
    ]


def test_what_has_moved_is_used_as_it_was() -> None:
    """An op that has moved and has another number is still the same op."""
    loop = "  scf.for %i = %c to %c step %c {\n    %0 = a.a %i\n    %1 = a.b\n    use %0, %1\n  }\n"
    hoisted = "  %0 = a.b\n" + loop.replace("    %1 = a.b\n", "").replace("%0, %1", "%1, %0")
    hoisted = hoisted.replace("%0 = a.a", "%1 = a.a")
    assert changed(loop, hoisted) == ["+  %0 = a.b", "-    %1 = a.b"]
    other = hoisted.replace("%1, %0", "%0, %0")
    assert changed(loop, other)[2:] == ["-    use %0, %1", "+    use %0, %0"]


def test_an_op_with_another_constant_is_matched_at_its_place() -> None:
    """Uses have not changed if the name of the op's operand differs only in numbers."""
    add, use = "  %3 = arith.addi %1, {}\n", "  test.use %3\n"
    constants = "  %c2 = arith.constant 2\n", "  %c2_1 = arith.constant 2\n"
    old = "".join(constants) + add.format("%c2_1") + use
    new = constants[0] + add.format("%c2") + use + "  %4 = arith.addi %2, %c2_1\n"
    assert changed(old, new) == [
        "-  %c2_1 = arith.constant 2",
        "-  %3 = arith.addi %1, %c2_1",
        "+  %3 = arith.addi %1, %c2",
        "+  %4 = arith.addi %2, %c2_1",
    ]


def test_an_op_in_another_region_has_changed() -> None:
    """The indentation shows the change of region; the uses of the op have not changed."""
    old, new = "a.a {\n    %0 = b.b\n    c.c %0\n}\n", "%0 = b.b\na.a {\n    c.c %0\n}\n"
    assert changed(old, new) == ["+%0 = b.b", "-    %0 = b.b"]


def test_of_equal_lines_the_later_ones_are_removed() -> None:
    """A removed function is shown from its first line to its last, between other changes."""
    functions = [f"f @{name} {{\n  a\n  b\n}}\n" for name in "abc"]
    old, new = "x {a}\n" + "".join(functions) + "y {a}\n", "x {b}\n" + functions[0] + functions[2]
    gone = [f"-{line}" for line in functions[1].splitlines()]
    assert changed(old, new + "y {b}\n")[2:-2] == gone


def test_a_diff_holds_both_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A diff with all of its context consists of the old text and the new text."""
    monkeypatch.setattr(ir_diff, "_CONTEXT", 100)
    numbers = random.Random(1)  # noqa: S311 - repeatable
    for _ in range(300):
        old, new = (numbers.choices("abcdef", k=numbers.randrange(1, 20)) for _ in range(2))
        lines = unified_diff("\n".join(old), "\n".join(new)).splitlines()[3:]
        assert [line[1:] for line in lines if line[0] != "+"] == (old if old != new else [])
        assert [line[1:] for line in lines if line[0] != "-"] == (new if old != new else [])


def test_a_diff_of_other_texts_is_that_of_python() -> None:
    """Without names of values, headers, hunks and their context are those of difflib."""
    new = [f"test.op{number}" for number in range(20)]
    old = [*new[:4], "test.old", *new[5:14], "test.gone", *new[14:]]
    assert unified_diff("\n".join(old), "\n".join(new)) == "".join(
        f"{line}\n" for line in difflib.unified_diff(old, new, "before", "after", lineterm="")
    )


def test_many_similar_functions_take_little_time() -> None:
    """Lines that most functions share are not compared with each other."""
    functions = [f"f @{n} {{\n  a\n  b\n  c\n  d\n  e\n}}" for n in range(400)]
    changed = [each.replace("  c\n", "") if n % 2 else each for n, each in enumerate(functions)]
    start = time.process_time()
    assert unified_diff("\n".join(functions), "\n".join(changed)).count("\n-  c") == 200
    assert time.process_time() - start < 1

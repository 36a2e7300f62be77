"""CHECK lines that can never fail."""

from __future__ import annotations

from pathlib import Path

import pytest

from passel.testing import idle_checks

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("lines", "line", "problem"),
    [
        ("// CHECK: a\n// CHECK-NXT: b", 2, "'CHECK-NXT' is no directive; did you mean"),
        ("// CHECK_NEXT: b", 1, "did you mean 'CHECK-NEXT'?"),
        ("// CHEK: b", 1, "did you mean 'CHECK'?"),
        ("# CHECK-LABLE: b", 1, "did you mean 'CHECK-LABEL'?"),
        ("// CHECK-NEXT b", 1, "'CHECK-NEXT' lacks the colon right behind it"),
        ("// CHECK-NOT : b", 1, "'CHECK-NOT' lacks the colon right behind it"),
        ("// CHECK:", 1, "an empty pattern is found everywhere"),
        ("// CHECK-NOT:   ", 1, "an empty pattern is found everywhere"),
        ("// CHECK: {{.*}}", 1, "'{{.*}}' is found everywhere"),
        ("// CHECK-NOT: arith.addi %x\n// CHECK: arith.addi", 1, "is found first by 'CHECK'"),
        ("// CHECK-NOT: a\n// CHECK-NOT: b\n// CHECK-NEXT: c", 1, "nothing lies between"),
        ("// RUN: true CHECK: b", 1, "FileCheck does not read 'CHECK' on a line with RUN"),
        ("// COM: CHECK-NEXT: b", 1, "FileCheck does not read 'CHECK-NEXT' on a line with COM"),
    ],
)
def test_what_can_never_fail_is_found(lines: str, line: int, problem: str) -> None:
    """Each kind of line that can never fail is found, with its number and why."""
    found = idle_checks(lines)
    assert found[0].line == line
    assert problem in found[0].problem


@pytest.mark.parametrize(
    "lines",
    [
        "// CHECK: a\n// CHECK-NEXT: b\n// CHECK-SAME: c\n// CHECK-COUNT-3: d",
        "// CHECK-LABEL: f\n// CHECK-NOT: b\n// CHECK-DAG: c\n// CHECK-EMPTY:",
        "// CHECK-NOT: a\n// CHECK: ab",  # the first `a` may come before `ab`
        "// CHECK-NOT: b",
        "// CHECK that this is so",
        "// NOTE: this is no directive",
        "// RUN: passel-opt %s | FileCheck %s",
        "// CHECK-MLIR: of another prefix",
        "// CHECK{LITERAL}: [[1, 2]]",
        "// CHECK-NEXT: {{.*}}",  # there has to be a line
    ],
)
def test_what_can_fail_is_left_alone(lines: str) -> None:
    """Directives of all kinds, prose, and directives of other prefixes are no problem."""
    assert idle_checks(lines) == []


def test_passels_own_suite_can_fail() -> None:
    """No line of the lit suite is one that can never fail."""
    for file in sorted((ROOT / "tests" / "lit").rglob("*.mlir")):
        assert idle_checks(file.read_text(encoding="utf-8")) == [], file

"""Ops of every dialect that is installed are read, printed, verified and rewritten both ways."""

from __future__ import annotations

from io import StringIO
from random import Random
from typing import TYPE_CHECKING

import pytest
from foreign_ops import module_of
from rewriting_twins import compare_rewriting
from twins import assert_same
from xdsl_inputs import STEP, xdsl_context

from passel.xdsl import XDSLAdapter
from passel.xdsl.fast import printer_class, slow_paths
from passel.xdsl.registration import installed_universe

if TYPE_CHECKING:
    from xdsl.ir import Operation

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def _said(op: Operation) -> list[str]:
    """Return what is wrong with each op inside, and the text of both forms, by this way."""
    said = [""]
    for each in op.walk():
        try:
            each.verify_()
        except Exception as error:  # noqa: BLE001 - verifiers raise what they like
            said.append(f"{type(error).__name__}: {error}")
    for generic in (True, False):
        stream = StringIO()
        try:
            printer_class()(stream, print_generic_format=generic).print_op(op)
        except Exception as error:  # noqa: BLE001 - so do printers
            stream.write(repr(error))
        said.append(stream.getvalue())
    return said


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(n, marks=pytest.mark.sweep) for n in (1, 2, 3))]
)
def test_every_op_is_the_same_both_ways(seed: int) -> None:
    """Whatever ops of a dialect are like: the text, errors of verifiers, and what passes make of it."""
    XDSLAdapter()
    random, step = Random(seed), STEP if seed else 80  # noqa: S311 - repeatable
    names = sorted(installed_universe().all_dialects)
    for name in names:
        dialect = installed_universe().all_dialects[name]()
        for op_class in [*dialect.operations][seed % step :: step]:
            module = module_of(dialect, op_class, random)
            if module is None:
                continue
            said = _said(module)
            with slow_paths():
                assert said == _said(module), op_class.name
            generic = said[-2]
            for text in (generic, said[-1]):
                assert_same(text, xdsl_context)
            compare_rewriting(generic, "canonicalize,dce,cse", xdsl_context)

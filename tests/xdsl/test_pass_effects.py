"""The table of what xDSL's passes do outside the IR is complete."""

from __future__ import annotations

import inspect
import re
import sys
from typing import TYPE_CHECKING

from xdsl.passes import ModulePass
from xdsl.transforms import get_all_passes

from passel.xdsl.module_passes import effects_of, wrap_module_pass

if TYPE_CHECKING:
    from xdsl.context import Context
    from xdsl.dialects.builtin import ModuleOp

OUTSIDE = re.compile(
    r"\bopen\(|\.(read|write)_(text|bytes)\(|\bsubprocess\b|\btempfile\b|\bos\.(system|popen)|"
    r"\bMLIROptPass\b|\bget_all_passes\b|\bsocket\b|\b__import__\b"
)


class Foreign(ModulePass):
    """A pass of a package that does not know passel."""

    name = "foreign"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        """Do nothing."""


class Declared(Foreign):
    """A pass of a package that knows passel."""

    name = "declared"
    effects = ("read-files",)


def test_every_pass_that_reaches_outside_is_in_the_table() -> None:
    """Whatever opens files, starts processes or runs passes by name has effects, and no other."""
    reaching = {
        name
        for name, load in get_all_passes().items()
        if OUTSIDE.search(inspect.getsource(sys.modules[load().__module__]))
    }
    assert {name for name, load in get_all_passes().items() if effects_of(load())} == reaching


def test_passes_of_other_packages_declare_their_effects() -> None:
    """Those that do not may do anything."""
    assert wrap_module_pass(Foreign()).own_effects() == ("unknown",)
    assert wrap_module_pass(Declared()).own_effects() == ("read-files",)

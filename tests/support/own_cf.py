"""A dialect of a user's own that has the name of one of xDSL's."""

from __future__ import annotations

from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition


@irdl_op_definition
class JumpOp(IRDLOperation):
    """An op that xDSL's `cf` does not have."""

    name = "cf.jump"
    assembly_format = "attr-dict"


OWN_CF = Dialect("cf", [JumpOp])

"""A plugin with a dialect."""

from xdsl.ir import Dialect
from xdsl.irdl import IRDLOperation, irdl_op_definition


@irdl_op_definition
class CatOp(IRDLOperation):
    """A cat."""

    name = "zoo.cat"


ZOO = Dialect("zoo", [CatOp], [])

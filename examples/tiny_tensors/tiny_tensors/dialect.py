"""The dialect `tt`: sums and transposes of tensors."""

from typing import ClassVar, cast

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Dialect
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    base,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure
from xdsl.universe import Universe
from xdsl.utils.exceptions import VerifyException


@irdl_op_definition
class AddOp(IRDLOperation):
    """The sum of two tensors of one shape."""

    T: ClassVar = VarConstraint("T", base(TensorType[Attribute]))
    name = "tt.add"
    lhs = operand_def(T)
    rhs = operand_def(T)
    result = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($result)"


@irdl_op_definition
class TransposeOp(IRDLOperation):
    """A matrix with rows for columns."""

    name = "tt.transpose"
    source = operand_def(TensorType[Attribute])
    result = result_def(TensorType[Attribute])
    traits = traits_def(Pure())
    assembly_format = "$source attr-dict `:` type($source) `->` type($result)"

    def verify_(self) -> None:
        """Compare the shapes."""
        types = (cast("TensorType[Attribute]", each.type) for each in (self.source, self.result))
        source, result = (each.get_shape() for each in types)
        if source != result[::-1]:
            raise VerifyException("result is not of the transposed shape")


TT = Dialect("tt", [AddOp, TransposeOp], [])
UNIVERSE = Universe(all_dialects={"tt": lambda: TT})

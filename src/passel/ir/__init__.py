"""Adapters to IRs: their interface, their optional abilities, and the lookup of adapters."""

from passel.ir.abilities import LowersPasses, SendsOps, ShipsOps
from passel.ir.adapters import adapter_for, adapter_named, running_on
from passel.ir.contract import ANY, FunctionLike, InvalidIR, IRAdapter, OpKind, PrintFlags, outwards
from passel.ir.sibling_watch import SiblingWatch

__all__ = [
    "ANY",
    "FunctionLike",
    "IRAdapter",
    "InvalidIR",
    "LowersPasses",
    "OpKind",
    "PrintFlags",
    "SendsOps",
    "ShipsOps",
    "SiblingWatch",
    "adapter_for",
    "adapter_named",
    "outwards",
    "running_on",
]

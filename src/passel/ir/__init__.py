"""Adapters to IRs: their interface, their optional abilities, and the lookup of adapters."""

from passel.ir.abilities import LowersPasses, SendsOps, ShipsOps
from passel.ir.adapters import adapter_for, adapter_named, running_on
from passel.ir.contract import ANY, FunctionLike, InvalidIR, IRAdapter, OpKind, PrintFlags, outwards

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
    "adapter_for",
    "adapter_named",
    "outwards",
    "running_on",
]

"""The adapter contract, optional abilities, and which adapter answers for an object."""

from passel.ir.abilities import (
    BringsFrontend,
    BringsPasses,
    EntersContexts,
    FusesPasses,
    IdentifiesOps,
    TakesContainers,
    WrapsPasses,
    WritesSources,
    ability_of,
    identities_of,
)
from passel.ir.adapters import (
    adapter_for,
    adapter_names,
    entered_context,
    imported_irs,
    op_name_of,
    running_adapter,
    running_on,
)
from passel.ir.contract import ANY, InvalidIR, IRAdapter, OpKind, PrintFlags
from passel.ir.policies import (
    Lifetime,
    PlaceLifetime,
    RunPolicies,
    SetsPolicies,
    SiblingWatch,
    policies_of,
)

__all__ = [
    "ANY",
    "BringsFrontend",
    "BringsPasses",
    "EntersContexts",
    "FusesPasses",
    "IRAdapter",
    "IdentifiesOps",
    "InvalidIR",
    "Lifetime",
    "OpKind",
    "PlaceLifetime",
    "PrintFlags",
    "RunPolicies",
    "SetsPolicies",
    "SiblingWatch",
    "TakesContainers",
    "WrapsPasses",
    "WritesSources",
    "ability_of",
    "adapter_for",
    "adapter_names",
    "entered_context",
    "identities_of",
    "imported_irs",
    "op_name_of",
    "policies_of",
    "running_adapter",
    "running_on",
]

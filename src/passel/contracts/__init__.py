"""Contracts: what passes require of those before them, held against a pipeline that is compiled.

A pass declares the analyses that it produces, requires and preserves, and the dialects that it
requires, makes legal and makes illegal. Each pass between a producer and its consumer has to
preserve the analysis.

Source: the schedule discipline of NVIDIA's tileiras, which holds it for one region at a time.
"""

from passel.contracts.walk import (
    ContractWalk,
    Named,
    Place,
    Region,
    Violation,
    check_contracts,
    refuse,
)

__all__ = ["ContractWalk", "Named", "Place", "Region", "Violation", "check_contracts", "refuse"]

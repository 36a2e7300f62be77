"""Contracts: what passes declare about each other, and whether a pipeline is as they declare.

Pass managers check it when they compile a pipeline, and builders when they put one together.
Its names for users are those of `passel.builder`.
"""

from passel.contracts.check import check_contracts, refuse
from passel.contracts.declarations import Declarations, DeclarationTable, default_declarations
from passel.contracts.walk import Violation

__all__ = [
    "DeclarationTable",
    "Declarations",
    "Violation",
    "check_contracts",
    "default_declarations",
    "refuse",
]

"""Contracts: what passes declare about each other, and whether a pipeline is as they declare.

Pass managers check it when they compile a pipeline, and builders when they put one together.
"""

from passel.contracts.check import check_contracts, refuse
from passel.contracts.constraints import (
    Constraint,
    after_all,
    after_any,
    before_first,
    conflicts,
    followed_by,
    immediately_after,
    not_between,
    once,
    preceded_by,
    requires,
)
from passel.contracts.declarations import Declarations, DeclarationTable, default_declarations
from passel.contracts.origin import Origin
from passel.contracts.rules import Rule
from passel.contracts.walk import Place, Region, Violation

__all__ = [
    "Constraint",
    "DeclarationTable",
    "Declarations",
    "Origin",
    "Place",
    "Region",
    "Rule",
    "Violation",
    "after_all",
    "after_any",
    "before_first",
    "check_contracts",
    "conflicts",
    "default_declarations",
    "followed_by",
    "immediately_after",
    "not_between",
    "once",
    "preceded_by",
    "refuse",
    "requires",
]

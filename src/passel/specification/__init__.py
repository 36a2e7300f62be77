"""Declarations of passes in TableGen: read, documented, and made Python of.

A `Passes.td` declares passes for C++ and for Python alike; `passel-tblgen` is the command
for all that is here.
"""

from passel.errors import SpecificationError
from passel.specification.base_classes import pass_decls
from passel.specification.markdown import pass_doc
from passel.specification.model import (
    OptionDeclaration,
    PassDeclaration,
    Place,
    StatisticDeclaration,
)
from passel.specification.records import read_passes

__all__ = [
    "OptionDeclaration",
    "PassDeclaration",
    "Place",
    "SpecificationError",
    "StatisticDeclaration",
    "pass_decls",
    "pass_doc",
    "read_passes",
]

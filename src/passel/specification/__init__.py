"""Declarations of passes in TableGen: read, documented, and made Python of.

A `Passes.td` declares passes for C++ and for Python alike; `passel-tblgen` is the command
for all that is here.
"""

from passel.errors import SpecificationError
from passel.specification.generated import pass_decls
from passel.specification.markdown import pass_doc
from passel.specification.records import (
    OptionDeclaration,
    PassDeclaration,
    Place,
    StatisticDeclaration,
    read_passes,
)

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

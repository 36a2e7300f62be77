"""Declarations of passes in TableGen: read, documented, and made Python of.

A `Passes.td` declares passes for C++ and for Python alike; `passel-tblgen` is the command
for all that is here.
"""

from passel.errors import SpecificationError
from passel.specification.base_classes import pass_decls
from passel.specification.classes import class_doc
from passel.specification.markdown import pass_doc
from passel.specification.model import (
    OptionDeclaration,
    PassDeclaration,
    Place,
    StatisticDeclaration,
)
from passel.specification.records import read_passes
from passel.specification.td_file import pass_td

__all__ = [
    "OptionDeclaration",
    "PassDeclaration",
    "Place",
    "SpecificationError",
    "StatisticDeclaration",
    "class_doc",
    "pass_decls",
    "pass_doc",
    "pass_td",
    "read_passes",
]

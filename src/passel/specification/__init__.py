"""Pass declarations in TableGen: reading, documentation, and generated Python.

One `Passes.td` declares passes for both C++ and Python; `passel-tblgen` is the command.
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

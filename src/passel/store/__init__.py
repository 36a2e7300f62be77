"""Results kept across runs: what they depend on, as keys, and where they are.

A hit cannot be told from a miss, except by its time. What is kept is data, never code, and
holds for the very same key alone. Whatever is wrong with a store makes a miss.
"""

from passel.store.code import UnknowableError, code_of, versions_of
from passel.store.database import Statistics, Store, StoreError, default_directory
from passel.store.keys import digest_of

__all__ = [
    "Statistics",
    "Store",
    "StoreError",
    "UnknowableError",
    "code_of",
    "default_directory",
    "digest_of",
    "versions_of",
]

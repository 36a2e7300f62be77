"""Results kept across runs: what they depend on, as keys, and where they are.

A hit cannot be told from a miss, except by its time. What is kept is data, never code, and
holds for the very same key alone. Whatever is wrong with a store makes a miss.
"""

from passel.store.database import LocalStore
from passel.store.entries import Statistics, Store, StoreError
from passel.store.keys import NotKeptError, digest_of
from passel.store.known import KnownResults, Result
from passel.store.passes import key_of_run, looks_beside
from passel.store.places import default_place, open_store
from passel.store.reports import Report

__all__ = [
    "KnownResults",
    "LocalStore",
    "NotKeptError",
    "Report",
    "Result",
    "Statistics",
    "Store",
    "StoreError",
    "default_place",
    "digest_of",
    "key_of_run",
    "looks_beside",
    "open_store",
]

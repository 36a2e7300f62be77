"""The Dask cluster of `--cluster`."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from passel.diagnostics import brief
from passel.ir.frontend import UsageError

if TYPE_CHECKING:
    from collections.abc import Generator
    from concurrent.futures import Executor

_PATIENCE = 10
"""Seconds in which a scheduler has to answer."""


@contextmanager
def workers_at(address: str) -> Generator[Executor]:
    """Yield an executor of a Dask cluster's workers.

    Args:
        address: The address of its scheduler, such as `tcp://host:8786`.

    Raises:
        UsageError: No scheduler answers there, or Dask is not installed.
    """
    try:
        from distributed import Client
    except ImportError:
        raise UsageError(
            "--cluster needs Dask: pip install '.[cluster]' in passel's checkout"
        ) from None
    make: Any = Client
    try:
        client = make(address, timeout=_PATIENCE, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise UsageError(f"no Dask cluster at '{address}': {brief(error)}") from None
    try:
        yield client.get_executor()
    finally:
        client.close()

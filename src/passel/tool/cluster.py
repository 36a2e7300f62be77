"""The Dask cluster of `--cluster`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from passel.diagnostics import brief
from passel.execution.strategies.futures import workers_of
from passel.ir.frontend import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from concurrent.futures import Executor

    from passel.tool.definition import ToolDefinition

_PATIENCE = 10
"""Seconds in which a scheduler has to answer."""


class Cluster:
    """A Dask cluster, as long as it is entered.

    Args:
        address: The address of its scheduler, such as `tcp://host:8786`.
        set_up: Returns what parts of an input share, a `passel.tool.part.Shared`, from the
            words of a command line; a function that workers can import.

    Raises:
        UsageError: Nothing answers there, or Dask is not installed.

    Attributes:
        executor: An executor of its workers.
        workers: How many calls they execute at once.
        set_up: As given.
    """

    def __init__(
        self, address: str, set_up: Callable[[Sequence[str], ToolDefinition], Any]
    ) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise UsageError("--cluster needs Dask: pip install 'passel[cluster]'") from None
        make: Any = Client
        try:
            self._client = make(address, timeout=_PATIENCE, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            raise UsageError(f"no Dask cluster at '{address}': {brief(error)}") from None
        self.executor: Executor = self._client.get_executor()
        self.workers: int = workers_of(self.executor)
        self.set_up = set_up

    def __enter__(self) -> Self:
        """Return the cluster."""
        return self

    def __exit__(self, *exc_info: object) -> None:
        """Leave the cluster, which goes on."""
        self._client.close()

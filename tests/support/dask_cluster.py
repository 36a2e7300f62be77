"""A local Dask cluster, which is really started."""

from __future__ import annotations

import copyreg
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

_reducers = dict(copyreg.dispatch_table)
distributed: Any = pytest.importorskip("distributed")
# Its import changes how all exceptions of the process are pickled, which other tests look at.
copyreg.dispatch_table.clear()
copyreg.dispatch_table.update(_reducers)


@contextmanager
def two_workers(directory: Path) -> Generator[Any]:
    """Start two workers with one thread each, which can import what is in a directory.

    Yields:
        A client.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(
            "PYTHONPATH", os.pathsep.join([str(directory), os.environ.get("PYTHONPATH", "")])
        )
        arguments: dict[str, Any] = {"n_workers": 2, "threads_per_worker": 1}
        cluster = distributed.LocalCluster(**arguments, dashboard_address=":0")
        with cluster, distributed.Client(cluster) as made:
            yield made

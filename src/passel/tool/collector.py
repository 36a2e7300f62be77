"""When the cyclic garbage collector runs in the process of a tool.

Until the passes run, a tool imports modules and parses, and all of that lives until the end: the
collector would visit it for nothing.
"""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Generator

_is_held = False


@contextmanager
def collector_held() -> Generator[None]:
    """Keep the collector from running inside the `with` block, until it is released."""
    global _is_held  # noqa: PLW0603 - as the collector, it is the process's
    _is_held = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if _is_held:
            gc.enable()
        _is_held = False


def release_collector() -> None:
    """Let the collector run as it did before, but not visit what there is by now."""
    gc.freeze()
    if _is_held:
        gc.enable()

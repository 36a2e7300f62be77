"""What tells how a run went: clients of the hooks.

Each is loaded when it is first used.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from passel.instruments.reproducer import CrashReproducer
    from passel.instruments.statistics_report import StatisticsReport
    from passel.instruments.timing import Timer, Timing

__all__ = ["CrashReproducer", "StatisticsReport", "Timer", "Timing"]

_MODULES = {
    "CrashReproducer": "reproducer",
    "StatisticsReport": "statistics_report",
    "Timer": "timing",
    "Timing": "timing",
}


def __getattr__(name: str) -> Any:
    try:
        module = _MODULES[name]
    except KeyError:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from None
    return getattr(import_module(f"{__name__}.{module}"), name)

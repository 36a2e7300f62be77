"""Instrumentations for timing, dumps, statistics, reproducers, traces and checks.

All instrumentations are based on `passel.hooks`. In a hook, `self.run` is the current run. Each
module is imported on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from passel.instruments.actions import ActionLog, DebugCounter
    from passel.instruments.ir_printer import PrintIR
    from passel.instruments.reproducer import CrashReproducer
    from passel.instruments.statistics_report import StatisticsReport
    from passel.instruments.timing import Timer, Timing
    from passel.instruments.trace import Trace

__all__ = [
    "ActionLog",
    "CrashReproducer",
    "DebugCounter",
    "PrintIR",
    "StatisticsReport",
    "Timer",
    "Timing",
    "Trace",
]

_MODULES = {
    "ActionLog": "actions",
    "CrashReproducer": "reproducer",
    "DebugCounter": "actions",
    "PrintIR": "ir_printer",
    "StatisticsReport": "statistics_report",
    "Timer": "timing",
    "Timing": "timing",
    "Trace": "trace",
}


def __getattr__(name: str) -> object:
    """Import a public class on first use."""
    if name in _MODULES:
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

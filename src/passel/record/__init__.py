"""Records of runs in files.

A record has an event for each execution of a pass, and the texts of the ops that changed.
`passel-opt --record=FILE` and the instrumentation `Recorder` write it, and `Record.open` reads it.
"""

from passel.record.model import (
    Execution,
    FailureInfo,
    RecordError,
    RecordInfo,
    RunInfo,
    StepInfo,
)
from passel.record.reader import Record
from passel.record.recorder import Recorder

__all__ = [
    "Execution",
    "FailureInfo",
    "Record",
    "RecordError",
    "RecordInfo",
    "Recorder",
    "RunInfo",
    "StepInfo",
]

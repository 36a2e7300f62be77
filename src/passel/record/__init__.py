"""Record runs in files, and read the records.

A record contains an event for each execution of a pass, and the text of each op that changed.
`passel-opt --record=FILE` and the instrumentation `Recorder` write records. `Record.open` reads a
record.
"""

from passel.record.model import (
    Execution,
    RecordError,
    RecordInfo,
    RunInfo,
    StepInfo,
)
from passel.record.reader import Record
from passel.record.recorder import Recorder

__all__ = [
    "Execution",
    "Record",
    "RecordError",
    "RecordInfo",
    "Recorder",
    "RunInfo",
    "StepInfo",
]

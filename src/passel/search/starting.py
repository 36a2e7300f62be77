"""Preparing a search: printing a case in generic form, and finding the failure of the case."""

from __future__ import annotations

import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from passel.diagnostics import brief
from passel.errors import PasselError
from passel.ir import PrintFlags
from passel.record import Record, RecordError
from passel.record.recorder import Recorder
from passel.search.children import Died, SearchError, in_child
from passel.search.subject import Case, FailureIdentity

if TYPE_CHECKING:
    from passel.record import Execution, RunInfo
    from passel.search.children import Scratch
    from passel.search.subject import Subject

_RAN_HERE = re.compile(r"/\d+:[^/]+/[^/]+")
"""In a path: a pass that ran a pipeline on its own op, and the pipeline's anchor."""

_GENERIC = PrintFlags(generic=True, local_scope=True)


def printed(subject: Subject, text: str, flags: PrintFlags = _GENERIC) -> str | None:
    """Parse IR, and print the IR in the form that the flags select, by default in generic form.

    The result is None if the IR cannot be parsed or printed.
    """

    def form(_: Scratch) -> str | None:
        try:
            return subject.frontend.adapter.print_op(subject.parse(text)[0].op, flags)
        except Exception:  # noqa: BLE001 - whatever a parser or printer raises
            return None

    result = in_child(form)
    return None if isinstance(result, Died) else result


def readable(subject: Subject, text: str) -> str:
    """Convert the text of IR to custom form without locations.

    If the custom form does not round-trip, the result is in generic form.
    """
    generic, custom = printed(subject, text), printed(subject, text, PrintFlags(local_scope=True))
    is_same = custom is not None and printed(subject, custom) == generic
    return (custom if is_same else generic) or text


def failure_of(subject: Subject, case: Case) -> FailureIdentity | None:
    """Return the identity of the first failure of a case, or None if the case does not fail.

    Raises:
        PasselError: If the case cannot be parsed, or the pipeline does not fit the IR.
    """

    def run(scratch: Scratch) -> tuple[FailureIdentity, ...]:
        try:
            return subject.run(case, scratch)
        except PasselError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever a parser raises
            raise SearchError(f"the case cannot be read: {brief(error)}") from None

    result = in_child(run)
    if isinstance(result, Died):
        return FailureIdentity.of_death(result)
    return next(iter(result), None)


def run_to_search(record: Record) -> RunInfo:
    """Return the first run that failed or crashed the process; if no run did, the first run."""
    runs = record.info.top_runs
    return next((run for run in runs if run.failures or not run.is_complete), runs[0])


def first_failed(record: Record, run: int = 0) -> Execution | None:
    """Return the first execution that made a run fail or crashed the process; None for no failure.

    If a pass on an enclosing op ran the failed pass, the result is the execution on the enclosing
    op.
    """
    info = record.info.runs[run]
    if info.is_complete and not info.failures:
        return None  # an enclosing pass has tolerated failures
    failed = [e for e in record.executions if e.run == run and e.failure is not None]
    died = [e for e in reversed(record.running) if e.run == run and not e.is_amid]
    first = next(iter([*failed, *died]), None)
    while first is not None and first.is_amid and first.caller is not None:
        first = record.executions[first.caller]
    return first


def pipeline_of(execution: Execution) -> str:
    """Return a pipeline that runs only the pass of an execution, nested in the same anchors."""
    anchors = _RAN_HERE.sub("", execution.path).split("/")
    anchors.pop()
    return "(".join([*anchors, execution.title]) + ")" * len(anchors)


def narrowed(subject: Subject, case: Case) -> Case | None:
    """Run a failing case, and return a case with only the failed pass and the IR before that pass.

    The result is None if the run cannot be recorded, or if the record does not contain the IR
    before the failed pass.
    """
    with TemporaryDirectory(prefix="passel-") as folder:
        path = Path(folder, "record")

        def run(scratch: Scratch) -> None:
            recorder = Recorder(path)
            recorder.finds_changes = subject.frontend.adapter.finds_changes
            subject.run(case, scratch, recorder)

        in_child(run)
        try:
            record = Record.open(path)
        except RecordError:
            return None
        failed = first_failed(record)
        text = None if failed is None else record.state_before(failed)
    if failed is None or text is None or (ir := printed(subject, text)) is None:
        return None
    return case._replace(ir=ir, pipeline=pipeline_of(failed))

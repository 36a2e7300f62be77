"""Where a search starts: a case in generic form, how it fails, and the pass that fails alone."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar

from passel.diagnostics import brief
from passel.errors import PasselError
from passel.instruments.reproducer import CrashReproducer
from passel.instruments.reproducer_file import RUNNING, read_reproducer
from passel.ir import PrintFlags
from passel.ir.frontend import SourcePart
from passel.search.children import Children, Died
from passel.search.oracle import Case, FailureIdentity, place_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from passel.instruments.reproducer import Recipe
    from passel.schedule import PassStep
    from passel.search.children import Scratch
    from passel.search.oracle import Subject

_R = TypeVar("_R")

_GENERIC = PrintFlags(generic=True, local_scope=True)


class SearchError(PasselError):
    """A search cannot start: the message says why, and what would help."""


def in_child(function: Callable[[Scratch], _R]) -> _R | Died:
    """Call a function in a child process, and return its result or how the child died."""

    def call(_: None, scratch: Scratch) -> _R:
        return function(scratch)

    results = Children(call, bool).results([None])
    if not results:
        raise SearchError("a child process could not tell its result")
    return results[0]


def printed(subject: Subject, text: str, flags: PrintFlags = _GENERIC) -> str | None:
    """Return IR in another form, by default the generic one; None if it does not parse or print."""

    def form(_: Scratch) -> str | None:
        try:
            return subject.frontend.adapter.print_op(subject.parse(text)[0].op, flags)
        except Exception:  # noqa: BLE001 - whatever a parser or printer raises
            return None

    result = in_child(form)
    return None if isinstance(result, Died) else result


def failure_of(subject: Subject, case: Case) -> FailureIdentity | None:
    """Return the identity of the first failure of a case; None if it does not fail.

    Raises:
        PasselError: The case cannot be read, or its pipeline is not for it.
    """

    def run(scratch: Scratch) -> tuple[FailureIdentity, ...] | PasselError:
        try:
            return subject.run(case, scratch)
        except PasselError as error:
            return error
        except Exception as error:  # noqa: BLE001 - whatever a parser raises
            return SearchError(f"the case cannot be read: {brief(error)}")

    result = in_child(run)
    if isinstance(result, PasselError):
        raise result
    if isinstance(result, Died):
        return FailureIdentity.of_death(result)
    return next(iter(result), None)


class _LocalReproducer(CrashReproducer):
    """A reproducer of the pass that fails at a place; of all others, the IR is not printed."""

    def __init__(self, file: Path, place: str) -> None:
        super().__init__(file, local=True)
        self._place = place

    def _local_recipe(self, step: PassStep, op: Any) -> Recipe | None:
        is_there = place_of(step, op, self.run) == self._place
        return super()._local_recipe(step, op) if is_there else None


def narrowed(subject: Subject, case: Case) -> Case | None:
    """Return the IR before the pass that fails, and that pass alone, if that can be recorded."""

    def find(scratch: Scratch) -> str:
        subject.run(case, scratch)
        return scratch.noted

    found = in_child(find)
    place = found.note if isinstance(found, Died) else found
    with TemporaryDirectory(prefix="passel-") as folder:
        file = Path(folder, "local.mlir")

        def run(scratch: Scratch) -> None:
            subject.run(case, scratch, _LocalReproducer(file, place))

        in_child(run)
        left = [each for each in (file, Path(f"{file}{RUNNING}")) if each.exists()]
        if not left:
            return None
        text = left[0].read_text(encoding="utf-8", errors="surrogateescape")

    def read(_: Scratch) -> Case | None:
        parsed, _ = subject.parse(text)
        recorded = read_reproducer(parsed.resources, SourcePart(text, "<case>"))
        if recorded is None or recorded.pipeline is None:
            return None
        ir = subject.frontend.adapter.print_op(parsed.op, _GENERIC)
        return case._replace(ir=ir, pipeline=recorded.pipeline)

    result = in_child(read)
    return None if isinstance(result, Died) else result

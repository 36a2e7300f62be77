"""Reading records."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from passel.instruments.ir_diff import unified_diff
from passel.record.contents import read_contents
from passel.record.readable import readable, reader_for
from passel.record.texts import Composite, without_locations

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from passel.record.contents import Contents
    from passel.record.model import Execution, RecordInfo


class Record:
    """A record of runs, for reading.

    Attributes:
        path: The file.
        info: Facts about the record as a whole.
        executions: All executions of passes, in program order: what a pass runs by itself comes
            before it. But for the times they are the same however many workers there were.
        running: The executions that had begun and not ended when the record ends, outermost first;
            empty for one that is complete. Their numbers are those of the next that ended.

    Example:
        >>> import tempfile
        >>> from passel import PassManager
        >>> from passel.testing import ToyAdapter, parse_toy
        >>> pm = PassManager("toy.module", adapter=ToyAdapter())
        >>> functions = pm.nest("toy.func").add(lambda op, _: None)
        >>> pm.enable_recording(f"{tempfile.mkdtemp()}/record")
        >>> record = pm.run(parse_toy("toy.module(toy.func @f)")).record
        >>> for each in record.executions:
        ...     print(each.path, each.op_title, each.status)
        toy.module/toy.func/0:lambda toy.func @f unchanged
    """

    def __init__(self, path: str | Path) -> None:
        self.path: Path = Path(path)
        self._readable: dict[tuple[str, str], str] = {}

    @classmethod
    def open(cls, path: str | Path) -> Record:
        """Read a record, also one that is still being written.

        Raises:
            RecordError: The file is no record, or has another form, or it cannot be read.
        """
        record = cls(path)
        _ = record.info
        return record

    @property
    def info(self) -> RecordInfo:
        """Facts about the record as a whole."""
        return self._contents.info

    @property
    def executions(self) -> Sequence[Execution]:
        """All executions of passes, in program order."""
        return self._contents.executions

    @property
    def running(self) -> Sequence[Execution]:
        """The executions that had begun and not ended when the record ends, outermost first."""
        return self._contents.begun

    @cached_property
    def _contents(self) -> Contents:
        return read_contents(self.path)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """Show the pipeline with what its passes changed and took, in notebooks."""
        from passel.notebooks import bundle  # noqa: PLC0415 - for notebooks alone
        from passel.record.notebook import parts_of  # noqa: PLC0415

        return bundle(*parts_of(self.info, self.executions, self.diff))

    def text(self, digest: str) -> str:
        """Return the text of an op: in generic form with locations, which can be parsed.

        Raises:
            RecordError: It is damaged or missing.
        """
        content = self._contents.content(digest)
        if isinstance(content, Composite):
            return content.filled([self.text(part) for part in content.parts])
        return content

    def readable(self, digest: str, *, run: int = 0, locations: bool = False) -> str:
        """Return the text of an op as people read it: in the custom form of its dialects.

        Args:
            digest: The digest of the text.
            run: The number of the run that it is of, which tells the IR.
            locations: Whether to print locations.

        Returns:
            The text; as `text` does if the IR or a dialect is not installed, or cannot read it.
        """
        return self.all_readable([digest], run=run, locations=locations)[0]

    def all_readable(
        self, digests: Sequence[str], *, run: int = 0, locations: bool = False
    ) -> list[str]:
        """Return several texts as `readable` does, in less time than one by one."""
        ir, known = self.info.runs[run].ir, self._readable
        reader = reader_for(ir)
        unread: list[str] = []
        composites: dict[str, Composite] = {}
        for each in dict.fromkeys(digests):
            content = None if (each, ir) in known else self._contents.content(each)
            if (
                reader
                and isinstance(content, Composite)
                and (outline := reader.outline(content.outline))
            ):
                composites[each] = content._replace(outline=outline)
            elif content is not None:
                unread.append(each)
        if composites:  # all that is inside together with the others, each text once
            inside = (part for each in composites.values() for part in each.parts)
            self.all_readable([*unread, *inside], run=run)
            for digest, each in composites.items():
                known[digest, ir] = each.filled([known[part, ir] for part in each.parts])
        elif unread:
            texts = readable([self.text(each) for each in unread], ir)
            known.update(zip([(each, ir) for each in unread], texts, strict=True))
        found = [known[each, ir] for each in digests]
        return found if locations else [without_locations(each) for each in found]

    def diff(self, execution: Execution) -> str:
        """Return what a pass has changed in its op, as a unified diff of texts that people read.

        Returns:
            The diff; empty if nothing was changed, or if it is not known what.
        """
        if execution.before is None or execution.after is None:
            return ""
        digests = [execution.before, execution.after]
        return unified_diff(
            *(f"{each}\n" for each in self.all_readable(digests, run=execution.run))
        )

    def state_before(self, execution: Execution) -> str | None:
        """Return the text of the run's top-level op before an execution; see `state_after`."""
        if execution.is_amid:
            return None
        first = execution.number
        while first and (self.executions[first - 1].caller or -1) in range(execution.number + 1):
            first -= 1  # what the pass has run by itself
        return self._state(execution.run, (first - 1).__ge__)

    def state_after(self, execution: Execution) -> str | None:
        """Return the text of the run's top-level op after an execution.

        All executions before it in program order have happened, also those on siblings, and
        none after it.

        Returns:
            The text, with which a run can go on. None if it is not known: the printer failed,
            pipelines were at work inside of an op whose nested ops are not printed apart, or a
            pass was at work on an enclosing op.
        """
        if execution.is_amid:
            return None
        return self._state(execution.run, execution.number.__ge__)

    def state_at(self, paths: Collection[str], run: int = 0) -> str | None:
        """Return the text of a run's top-level op when some passes have run, on all of their ops.

        Args:
            paths: The paths of these passes: the first ones of the pipeline.
            run: The number of the run.

        Returns:
            The text, as of `state_after`.
        """

        def has_ended(number: int) -> bool:
            execution = self.executions[number]
            while execution.caller is not None:
                execution = self.executions[execution.caller]
            return execution.path in paths

        return self._state(run, has_ended)

    def _state(self, run: int, has_ended: Callable[[int], bool]) -> str | None:
        digest = self._contents.state(run, has_ended).digest((0,))
        return None if digest is None else self.text(digest)

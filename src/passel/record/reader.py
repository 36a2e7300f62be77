"""Read records from files."""

from __future__ import annotations

import shlex
from collections import defaultdict
from functools import cache, cached_property
from itertools import takewhile, zip_longest
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.errors import PasselError
from passel.frontend import SourcePart, UnreadableError, frontend_of
from passel.frontend.generic_form import symbol_in
from passel.instruments.ir_diff import unified_diff
from passel.ir import PrintFlags
from passel.record.contents import read_contents
from passel.record.texts import HOLE, Outline

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from passel.frontend import Frontend
    from passel.record.contents import Contents
    from passel.record.model import Execution, RecordInfo

_MOST_DIFFS = 5
"""The number of diffs of each pass in a notebook's file."""


class Record:
    """A recorded set of runs, read from a file.

    Attributes:
        path: The path of the file.
        info: General information about the record.
        executions: All executions of passes, in the order in which they end in a run without
            workers. The passes of a dynamic pipeline therefore precede the pass that ran the
            pipeline. Apart from times, executions do not depend on the number of workers.
        running: The executions that had begun but not ended at the end of the record, outermost
            first; empty if the record is complete. The `number` of such an execution is the number
            of executions that ended before it began.

    Example:
        >>> import tempfile
        >>> from passel import PassManager
        >>> from passel.record import Recorder
        >>> from passel.testing import ToyAdapter, parse_toy
        >>> pm = PassManager("toy.module", adapter=ToyAdapter())
        >>> functions = pm.nest("toy.func").add(lambda op, _: None)
        >>> pm.add_instrumentation(Recorder(f"{tempfile.mkdtemp()}/record"))
        >>> record = pm.run(parse_toy("toy.module(toy.func @f)")).record
        >>> for each in record.executions:
        ...     print(each.path, each.op_title, each.status)
        toy.module/toy.func/0:lambda toy.func @f unchanged
    """

    def __init__(self, path: str | Path) -> None:
        self.path: Path = Path(path)
        self._readable: dict[str, dict[str, str]] = {}  # by IR and digest

    @classmethod
    def open(cls, path: str | Path) -> Record:
        """Read a record from a file.

        Another process may still be writing to the file.

        Raises:
            RecordError: If the file is not a record, has an unsupported format, or cannot be read.
        """
        record = cls(path)
        _ = record.info
        return record

    @property
    def info(self) -> RecordInfo:
        """General information about the record."""
        return self._contents.info

    @property
    def executions(self) -> Sequence[Execution]:
        """All executions of passes, in the order in which they end in a run without workers."""
        return self._contents.executions

    @property
    def running(self) -> Sequence[Execution]:
        """The executions that had not ended when the record ended, outermost first."""
        return self._contents.begun

    @cached_property
    def _contents(self) -> Contents:
        return read_contents(self.path)

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        """Show the pipeline with the changes and times of its passes, in notebooks."""
        from passel.notebooks import bundle  # noqa: PLC0415 - for notebooks alone
        from passel.record.outline import lines_of  # noqa: PLC0415

        return bundle([*lines_of(self, most_diffs=_MOST_DIFFS)])

    def text(self, digest: str) -> str:
        """Return the text with the given digest, in generic form with locations.

        Raises:
            RecordError: If the text is damaged or missing.
        """
        return self._contents.texts.text(digest)

    def readable(self, digest: str, *, run: int = 0) -> str:
        """Return the text of an op in custom form, without locations.

        Custom form is the syntax that the dialects define.

        Args:
            digest: The digest of the op's text.
            run: The number of the run that recorded the text.

        Returns:
            The text in custom form. If the recorded text cannot be parsed, for example because the
            package of the IR is not installed, it is returned as recorded, in generic form.
        """
        return self.all_readable([digest], run=run)[0]

    def all_readable(self, digests: Sequence[str], *, run: int = 0) -> list[str]:
        """Return the texts of several ops in custom form; see `readable`.

        One call is faster than calling `readable` for each text.
        """
        ir = self.info.runs[run].ir
        known, reader = self._readable.setdefault(ir, {}), _reader_for(ir)
        if reader is None:
            return [*map(self.text, digests)]
        unread = [each for each in dict.fromkeys(digests) if each not in known]
        outlines: dict[str, Outline] = {}
        for each in unread:
            content = self._contents.texts.content(each)
            if content.parts and (text := reader.outline(content.text)):
                outlines[each] = content._replace(text=text)
        unread = [each for each in unread if each not in outlines]
        if outlines:  # nested ops are read together with the others, and each text only once
            inside = (part for each in outlines.values() for part in each.parts)
            self.all_readable([*unread, *inside], run=run)
            for digest, each in outlines.items():
                known[digest] = each.filled([known[part] for part in each.parts])
        elif unread:
            known.update(zip(unread, reader.readable([*map(self.text, unread)]), strict=True))
        return [known[each] for each in digests]

    def diff(self, execution: Execution) -> str:
        """Return the changes that a pass made to its op, as a unified diff in custom form.

        Returns:
            The diff; empty if the op is unchanged, or if the changes are unknown.
        """
        if execution.before is None or execution.after is None:
            return ""
        digests = [execution.before, execution.after]
        return unified_diff(*self.all_readable(digests, run=execution.run))

    def state_before(self, execution: Execution) -> str | None:
        """Return the text of the top-level op before the execution of a pass; see `state_after`."""
        return self._state(execution, execution.span[0])

    def state_after(self, execution: Execution) -> str | None:
        """Return the text of the run's top-level op after the execution of a pass.

        The text includes the changes of this execution and of all executions before it in
        `executions`, including executions on sibling ops. The text does not include the changes of
        executions after this execution.

        Returns:
            The text, or None if the text is unknown. A run can be continued from the text. The text
            is unknown if the op could not be printed, if pipelines were running inside an op whose
            nested ops are not printed separately, or if a pass was running on an enclosing op.
        """
        return self._state(execution, execution.span[1])

    def _state(self, execution: Execution, changes: int) -> str | None:
        state = self._contents.states[execution.run]
        while changes < len(state.changes) and state.changes[changes].owner is None:
            changes += 1  # texts between passes
        return None if execution.is_amid else state.text_after(state.changes[:changes])

    def state_at(self, paths: Collection[str]) -> str | None:
        """Return the text of the first run's op after only the first passes of the pipeline.

        Args:
            paths: The paths of these passes. The text includes the changes that the passes made to
                all ops.

        Returns:
            The text, or None if the text is unknown; see `state_after`.
        """
        state = self._contents.states[0]
        # After a change of another pass, texts between passes contain that change.
        allowed = {*paths, None}
        pure = [*takewhile(lambda each: each.owner in allowed, state.changes)]
        later = (each for each in state.changes[len(pure) :] if each.owner in paths)
        return state.text_after([*pure, *later])

    # -- Commands --------------------------------------------------------------------------------

    def replay(self, execution: Execution) -> str:
        """Return the command that repeats an execution of a pass, on only the op of the execution.

        For a pass in a dynamic pipeline, the command reruns the pass that runs this pipeline. If no
        symbol name identifies the op, the command runs the pass on all ops on which the pass ran.

        Returns:
            The command; empty if the record does not contain the IR before the pass, or if
            passel-opt cannot run the pass. passel-opt cannot run Python functions, and cannot run
            passes on only one part of a split input.
        """
        while execution.caller is not None:
            execution = self.executions[execution.caller]
        earlier = [e for e in self.executions[: execution.number] if e.caller is None]
        start = self._place(earlier[-1]) if earlier else ""
        stop = self._place(execution)
        if execution.run or not stop or (earlier and not start):
            return self.replay_of_pass(execution.path, execution.run)
        known = self.state_before(execution) is not None
        return self._command(start, stop) if known else ""

    def replay_of_pass(self, path: str, run: int = 0) -> str:
        """Return the command that reruns a pass on all ops on which the pass ran; see `replay`."""
        info = self.info.runs[run]
        paths = [step.path for step in info.steps]
        if run or path not in paths:
            return ""
        earlier = paths[: paths.index(path)]
        known = info.before if not earlier else self.state_at(earlier)
        return self._command(earlier[-1] if earlier else "", path) if known is not None else ""

    def _place(self, execution: Execution) -> str:
        """Return the place right after an execution; empty if no place means only that."""
        path, symbol = execution.path, execution.symbol
        others = [e.symbol for e in self.executions if e.path == path and e != execution]
        if not symbol:
            return "" if others else path
        return "" if symbol in others else f"{path}@{symbol}"

    def _command(self, start: str, stop: str) -> str:
        words = self.info.runs[0].replay
        places = [f"--start-after={start}"] if start else []
        places.append(f"--stop-after={stop}")
        return shlex.join([*words, *places, str(self.path)]) if words else ""


class TextReader(NamedTuple):
    """A reader that converts the recorded texts of an IR from generic form to custom form."""

    frontend: Frontend
    context: Any

    def readable(self, texts: Sequence[str]) -> list[str]:
        """Convert texts to custom form. Texts that cannot be parsed remain unchanged."""
        if (found := self._read(texts)) is not None:
            return found
        # Some IRs refuse two versions of a symbol, and calls of undefined functions.
        versions: defaultdict[str, list[str]] = defaultdict(list)
        for text in texts:
            versions[symbol_in(text) or text].append(text)
        read: dict[str, str] = {}
        for group in zip_longest(*versions.values()):
            sides = zip(group, versions.values(), strict=True)
            complete = [each[0] if text is None else text for text, each in sides]
            found = self._read(complete)
            if found is None:
                found = [(self._read([each]) or [each])[0] for each in complete]
            read.update(zip(complete, found, strict=True))
        return [read[text] for text in texts]

    def _read(self, texts: Sequence[str]) -> list[str] | None:
        """Return texts, parsed in a third of the time as one module; None if that is refused."""
        module = self._parsed("\n".join(['"builtin.module"() ({', *texts, "}) : () -> ()"]))
        ops = () if module is None else self.frontend.adapter.children(module)
        return [self._printed(op) for op in ops] if len(ops) == len(texts) else None

    def outline(self, text: str) -> str | None:
        """Convert the outline of an op to custom form; None if the outline cannot be parsed."""
        if (op := self._parsed(text.replace(HOLE, "{^bb0:\n}"))) is None:
            return None
        found = self._printed(op)
        return found.replace(_EMPTY, HOLE) if found.count(_EMPTY) == 1 else None

    def _printed(self, op: Any) -> str:
        return self.frontend.adapter.print_op(op, PrintFlags(local_scope=True))

    def _parsed(self, text: str) -> Any:
        try:
            op = self.frontend.read(SourcePart(text, "-"), self.context, lambda _: None).op
        except (UnreadableError, PasselError):
            return None
        return self.frontend.adapter.op_of(op)


_EMPTY = "{\n}"


@cache
def _reader_for(ir: str) -> TextReader | None:
    """Return the reader of an IR's texts; None if the IR is not installed, or has no parser."""
    try:
        frontend = frontend_of(ir, allow_unregistered=True)
    except PasselError:
        return None
    return TextReader(frontend, frontend.new_context())

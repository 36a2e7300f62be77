"""Print IR before and after passes, for `--mlir-print-ir-after-all` and related flags.

Source: `IRPrinterInstrumentation`, MLIR 22, which cannot print diffs.
"""

from __future__ import annotations

import re
import sys
from contextlib import suppress
from copy import copy
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.hooks import PassInstrumentation
from passel.instruments.ir_diff import unified_diff
from passel.instruments.whole_files import lasting, write_whole
from passel.ir import PrintFlags, outwards
from passel.schedule import PassStep

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TextIO

    from passel.errors import Failure
    from passel.hooks import OpIdentity
    from passel.schedule import Step


_UNSAFE = re.compile(r'[\x00-\x1f\x7f/\\:*?"<>|%]')


class PrintIR(PassInstrumentation):
    """An instrumentation that prints the op of a pass before or after the pass.

    A dump starts with a header such as `// -----// IR Dump After CSE (cse) //----- //`. An invalid
    op is printed in generic form. A write error is reported once and does not affect the run.

    Args:
        before: The passes before which to print: True for all passes, or a list of names.
        after: The passes after which to print: True for all passes, or a list of names.
        module_scope: Whether to print the top-level op instead of the op of the pass. If true, the
            header of each dump names the op of the pass.
        only_on_change: Whether to print only after passes that changed the op.
        only_on_failure: Whether to print only after passes that failed. If true, `after` has no
            effect.
        flags: The flags that control how the IR is printed.
        directory: The directory in which each dump is written to a separate file, such as
            `builtin_module_a/func_func_f/0_0_cse.mlir`. None means that dumps are printed to
            `stream`.
        diff: Whether to print the changes of each pass as a unified diff. If `after` selects no
            passes, diffs are printed after all passes.
        stream: The stream to print to; by default, the value of `sys.stderr` at the time of
            printing.

    Example:
        >>> import sys
        >>> from passel import PassManager
        >>> from passel.manager.combinators import register
        >>> from passel.passes import PassRegistry
        >>> from passel.testing import ToyAdapter, parse_toy
        >>> registry = PassRegistry()
        >>> register(registry)
        >>> pipeline = "toy.module(toy.func(composite-fixed-point-pass))"
        >>> pm = PassManager.parse(pipeline, registry=registry, adapter=ToyAdapter())
        >>> pm.add_instrumentation(PrintIR(after=True, stream=sys.stdout))
        >>> result = pm.run(parse_toy("toy.module(toy.func @f)"))
        // -----// IR Dump After CompositeFixedPointPass (composite-fixed-point-pass) //----- //
        toy.func @f
        <BLANKLINE>

    Source: `mlir::PassManager::enableIRPrinting`, MLIR 22.
    """

    def __init__(  # noqa: PLR0913 - a keyword for each
        self,
        *,
        before: bool | Sequence[str] = False,
        after: bool | Sequence[str] = False,
        module_scope: bool = False,
        only_on_change: bool = False,
        only_on_failure: bool = False,
        flags: PrintFlags = PrintFlags(),  # noqa: B008 - immutable
        directory: str | Path | None = None,
        diff: bool = False,
        stream: TextIO | None = None,
    ) -> None:
        wants_all = only_on_failure or (diff and not after)
        self._before = before
        self._after = True if wants_all else after
        self._module_scope = module_scope
        self.finds_changes: bool = only_on_change or diff
        self._only_on_failure = only_on_failure
        self._flags = flags
        self._diff = diff
        self._put: Callable[[Dump], None] = Sink(stream, directory).take
        self._kept: list[Dump] = []  # of a part of a run, elsewhere
        self._old: list[str] = []  # the texts before the running passes, which diffs start from
        self._has_failed = False

    # -- Runs ------------------------------------------------------------------------------

    def split(self) -> PrintIR | None:
        """Return a printer that stores the dumps of a worker, or None if `module_scope` is set."""
        if self._module_scope:
            return None
        child = copy(self)
        child._kept, child._old = [], []
        child._put = child._kept.append
        return child

    def merge(self, child: PrintIR) -> None:
        """Print the dumps that a worker stored."""
        for dump in child._kept:
            self.run.reports.catch_up(dump.reported)
            self._put(dump)

    # -- Passes ----------------------------------------------------------------------------

    def before_pass(self, step: Step, op: Any) -> None:
        """Print the op if `before` selects the pass.

        If a diff is needed after the pass, also store the text of the op.
        """
        if isinstance(step, PassStep):
            target = self._target(op)
            if _takes(self._before, step):
                self._dump(step, op, "Before", self._text(target))
            is_compared = self._diff and _takes(self._after, step)
            self._old.append(self._custom_text(target) if is_compared else "")

    def after_pass(self, step: Step, op: Any) -> None:
        """Print the op, or the changes to the op, if `after` selects the pass."""
        if isinstance(step, PassStep):
            old = self._old.pop()
            if not self._only_on_failure and (self.ended.changed or not self.finds_changes):
                self._dump_after(step, op, old)

    def after_pass_failed(self, step: Step, op: Any, failure: Failure | None) -> None:
        """Print the op, or the changes to the op, if `after` selects the pass."""
        if isinstance(step, PassStep):
            self._has_failed = True
            self._dump_after(step, op, self._old.pop(), failed=" Failed")

    def _dump_after(self, step: PassStep, op: Any, old: str, failed: str = "") -> None:
        if not _takes(self._after, step):
            return
        target = self._target(op)
        if self._diff:
            text = unified_diff(old, self._custom_text(target)).removesuffix("\n")
            text = text or (failed and "// the pass changed nothing")
        else:
            text = self._text(target)
        if text:
            self._dump(step, op, "After", text, failed)

    def _dump(self, step: PassStep, op: Any, when: str, text: str, failed: str = "") -> None:
        ops = self.run.identify(op)
        where = f" ({ops[-1].title})" if self._module_scope else ""
        header = f"// -----// IR Dump {when} {step.pass_.dump_title(failed)}{where} //----- //"
        is_diff = self._diff and when == "After"
        self._put(Dump(ops, step.pass_.name, header, text, is_diff, self.run.reports.count))

    # -- Texts -----------------------------------------------------------------------------

    def _target(self, op: Any) -> Any:
        """Return the op to print when a pass runs on `op`."""
        return list(outwards(self.run.adapter, op))[-1] if self._module_scope else op

    def _custom_text(self, op: Any) -> str:
        """Return an op's text for a diff: even invalid ops are in custom form, as they were."""
        return self.run.adapter.print_op(op, self._flags_for(op))

    def _flags_for(self, op: Any) -> PrintFlags:
        """Return the print flags for an op. Local scope is faster for nested ops."""
        is_top = self.run.adapter.parent(op) is None
        return self._flags if is_top else self._flags._replace(local_scope=True)

    def _text(self, op: Any) -> str:
        """Return an op's text, with an empty line after a top-level op, as MLIR prints it."""
        run, flags = self.run, self._flags_for(op)
        is_trusted = run.verifies and not self._has_failed
        if not is_trusted and run.adapter.verification_error(op, recursive=True):
            flags = flags._replace(generic=True)
        text = run.adapter.print_op(op, flags)
        return text if flags.local_scope else f"{text}\n"


def _takes(wanted: bool | Sequence[str], step: PassStep) -> bool:
    return wanted if isinstance(wanted, bool) else step.pass_.name in wanted


# -- Where dumps go ----------------------------------------------------------------------------


class Dump(NamedTuple):
    """A dump of the IR before or after the execution of a pass.

    Attributes:
        ops: All enclosing ops, outermost first, and then the op that the pass ran on.
        name: The textual name of the pass.
        header: The first line of the dump.
        text: The IR, or a unified diff of the IR.
        is_diff: Whether the text is a unified diff.
        reported: The number of diagnostics that were reported before the dump.
    """

    ops: tuple[OpIdentity, ...]
    name: str
    header: str
    text: str
    is_diff: bool
    reported: int

    def __str__(self) -> str:
        return f"{self.header}\n{self.text}\n\n"


class Sink:
    """A writer that prints dumps to a stream, or stores each dump in a file.

    The files are in a tree of directories, with a directory for each op.

    A write error is reported once. After a write error, no more dumps are written.

    The directory of an op is nested in the directory of the enclosing op. Directories have names
    such as `func_func_main` or `func_func_no-symbol-name`. Characters with a special meaning in
    file systems or shells are escaped, as in `%2F`. Ops with equal names share a directory. A file
    name such as `0_2_cse.mlir` has a number for each op, from the outermost op to the printed op,
    followed by the name of the pass. For the printed op, the number is the index of this dump among
    the dumps of the op, counted from 0. For an enclosing op, the number is the index of the latest
    dump of this op, or 0 if there is no such dump.

    Args:
        stream: The stream to write to; by default, the value of `sys.stderr` at the time of
            writing.
        directory: The root directory of the files, created when needed. None means that dumps are
            written to the stream.

    Source: `FileTreeIRPrinterConfig`, MLIR 22. In MLIR, ops with the same name overwrite each
    other's files, and the parent of the root directory must exist.
    """

    def __init__(self, stream: TextIO | None, directory: str | Path | None) -> None:
        self._stream = stream
        self._directory = directory
        self._start = lasting("")
        self._counts: dict[Path, int] = {}
        self._broken = False

    def take(self, dump: Dump) -> None:
        """Write a dump to the stream, or to a file in the directory."""
        if self._broken:
            return
        where = ""
        try:
            if self._directory is None:
                stream = sys.stderr if self._stream is None else self._stream
                stream.write(str(dump))
                stream.flush()  # so that later diagnostics come after it
            else:
                path = self._path_for(dump, Path(self._directory))
                where = f" to '{path}'"
                target = self._start / path
                target.parent.mkdir(parents=True, exist_ok=True)
                write_whole(target, str(dump).encode("utf-8", "backslashreplace"))
        except OSError as error:
            self._broken = True
            if not isinstance(error, BrokenPipeError):
                reason = error.strerror or error
                with suppress(OSError):  # it may be the stream that is broken
                    sys.stderr.write(
                        f"error: cannot print the IR{where}: {reason}; nothing more is printed\n"
                    )

    def _path_for(self, dump: Dump, root: Path) -> Path:
        names = (
            file_name(f"{op.name.replace('.', '_')}_{op.symbol or 'no-symbol-name'}")
            for op in dump.ops
        )
        _, *directories = accumulate(names, Path.joinpath, initial=root)
        last = directories[-1]
        self._counts[last] = self._counts.get(last, -1) + 1
        # As in MLIR, an enclosing op without a dump counts as dumped once from here on.
        prefix = "_".join(str(self._counts.setdefault(each, 0)) for each in directories)
        suffix = ".diff" if dump.is_diff else ".mlir"
        return last / (file_name(f"{prefix}_{dump.name}") + suffix)


def file_name(text: str) -> str:
    """Return a valid file name for a text. Different texts result in different file names.

    Example:
        >>> file_name("func_func_../../etc")
        'func_func_..%2F..%2Fetc'
    """
    name = _UNSAFE.sub(lambda match: f"%{ord(match[0]):02X}", text)
    return name.encode("utf-8", "backslashreplace").decode()

"""The bindings' pass managers, without their traps.

A pipeline that is refused says why in one line; what MLIR reports in a run is collected and
never ends the process; and what failed in there is found.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.mlir.calls import calls_of
from passel.mlir.diagnostics import convert_diagnostic
from passel.mlir.upstream import upstream_passes

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from passel.diagnostics import Diagnostic
    from passel.mlir.bindings import Bindings

_UNKNOWN = "does not refer to a registered pass or pass pipeline"
_NOISE = re.compile(
    r"^(MLIR Textual PassPipeline Parser:\d+:\d+: error|<Pass-Options-Parser>|[^ ]*): ?(?=\S)"
    r"|^failed to add .*"
)
_HEADER = re.compile(r"// -----// IR Dump Before (.+?)(?: \(([^ ()]+)\)|: ([^ {]+))")
"""`CSE (cse)`, in later builds `CSEPass: cse`, with options behind the name."""

_UNSCHEDULABLE = re.compile(r"unable to schedule pass '(.*?)'")

_DUMP = re.compile(r"(?:\d+_)+(.+)\.mlir")
_WORD = re.compile(r"[^\s,{}()=\"']+")
_MEMORY = "/dev/shm"  # noqa: S108 - names in there are made unique
_redirection = RLock()
"""Held while the standard error, of which a process has one, is somewhere else."""


class Refused(Exception):  # noqa: N818 - says what is; never leaves this package
    """MLIR does not accept a pipeline.

    Attributes:
        text: All that it says.
        reason: What it says about the cause, in one line.
        is_unknown: Whether a name is unknown to it.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text
        lines = (_NOISE.sub("", line).strip() for line in text.splitlines())
        self.reason: str = next(filter(None, lines), text.strip())
        self.is_unknown: bool = _UNKNOWN in text


class Outcome(NamedTuple):
    """How a pipeline went.

    Attributes:
        diagnostics: What MLIR reported, in its order.
        failed: Whether a pass failed.
        dumps: Of each pass that failed: the ops around its op, outermost first, as MLIR's IR
            printer names them in a file tree, and its textual name.
    """

    diagnostics: tuple[Diagnostic, ...]
    failed: bool
    dumps: tuple[tuple[tuple[str, ...], str], ...] = ()


class CompiledPipeline:
    """A pass manager of the bindings.

    Args:
        manager: The manager.
        bindings: The build.
        dumps: Where its IR printer writes the op of a pass that fails, if it is to do so.
    """

    def __init__(self, manager: Any, bindings: Bindings, dumps: Path | None = None) -> None:
        self._manager = manager
        self._bindings = bindings
        self._dumps = dumps

    def __str__(self) -> str:
        return str(self._manager)

    def run(self, operation: Any) -> Outcome:
        """Run the pipeline on an op of its anchor's name."""
        succeeded, reports = calls_of(self._bindings).run(self._manager, operation)
        diagnostics = tuple(map(convert_diagnostic, reports))
        if succeeded:
            return Outcome(diagnostics, failed=False)
        return Outcome(diagnostics, failed=True, dumps=tuple(self._failures()))

    def dump_before(self, directory: str) -> None:
        """Let MLIR write what each pass gets into files."""
        self._manager.enable_ir_printing(
            print_before_all=True, print_after_all=False, tree_printing_dir_path=directory
        )

    def _failures(self) -> Iterator[tuple[tuple[str, ...], str]]:
        if self._dumps is None:
            return
        for directory, _, files in os.walk(self._dumps):
            ops = Path(directory).relative_to(self._dumps).parts
            for file in files:
                if found := _DUMP.fullmatch(file):
                    yield ops, found[1]
        shutil.rmtree(self._dumps, ignore_errors=True)


def parsed(bindings: Bindings, context: Any, text: str) -> CompiledPipeline:
    """Parse a pipeline, with its name as the anchor.

    Args:
        bindings: The build.
        context: The context; None for one that is there only to ask.
        text: The pipeline.

    Raises:
        Refused: MLIR does not accept it.
    """
    context = query_context(bindings) if context is None else context
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise Refused(f"invalid UTF-8: {error.reason}") from None
    with _error_output() as said:
        try:
            manager = bindings.passmanager.PassManager.parse(text, context)
        except ValueError as error:
            reason = f"{said()}\n{error}" if "{" in text else str(error)
            raise Refused(reason) from None
    return CompiledPipeline(manager, bindings)


@cache
def expanded(bindings: Bindings, name: str) -> str:
    """Return the passes that MLIR makes of a name, as text; empty for a name that it lacks.

    A pass is its name. It is asked on ops of any kind, where nothing is wrong: what a pipeline
    adds that its op does not take ends the process.
    """
    if not name.isprintable():
        return ""
    try:
        found = parsed(bindings, None, f"any({name})")
        # Some passes leave options uninitialized, which ends the process when they are printed.
        return name if name in upstream_passes() else str(found)[len("any(") : -1]
    except Refused as error:
        return "" if error.is_unknown else name


def words_in(options: str) -> list[str]:
    """Return the words in options' text that could name passes."""
    return _WORD.findall(options)


def is_pass(bindings: Bindings, name: str) -> bool:
    """Return whether MLIR has a pass of a name, rather than a pipeline."""
    found = expanded(bindings, name)
    return found == name or found.startswith(f"{name}{{")


class Trial(NamedTuple):
    """The answer of MLIR about a pass on modules.

    Attributes:
        fits: Whether it takes them.
        display_name: Its name in dumps; empty if MLIR does not say.
    """

    fits: bool
    display_name: str


def on_nothing(bindings: Bindings, name: str, *, run: bool) -> Trial:
    """Try a pass on an empty module, to learn about it.

    Args:
        bindings: The build.
        name: The pass.
        run: Whether it may be run. If not, MLIR only checks whether it could be.

    Raises:
        Refused: It does not run on modules, or needs options.
    """
    text = f"builtin.module({name})"
    with (
        _error_output(),  # nor may two threads use the context, which passes load dialects into
        tempfile.TemporaryDirectory(dir=_scratch()) as directory,
    ):
        pipeline = parsed(bindings, None, text if run else f"builtin.module({text})")
        pipeline.dump_before(directory)
        module = bindings.ir.Module.create(bindings.ir.Location.unknown(query_context(bindings)))
        outcome = pipeline.run(module.operation)
        for said in outcome.diagnostics:
            if found := _UNSCHEDULABLE.search(said.message):
                return Trial(fits=False, display_name=found[1])
        for file in Path(directory).rglob("*.mlir"):
            found = _HEADER.match(file.read_text(encoding="utf-8"))
            if found and name in found.groups():
                return Trial(fits=True, display_name=found[1])
    return Trial(fits=True, display_name="")


def compiled(
    bindings: Bindings, context: Any, text: str, *, verify: bool, locate: bool = False
) -> CompiledPipeline:
    """Return a pass manager for a pipeline that MLIR is known to accept.

    Args:
        bindings: The build.
        context: The context of the ops that it will run on.
        text: The pipeline.
        verify: Whether it verifies after each pass.
        locate: Whether an outcome tells which passes failed on which ops.
    """
    manager = bindings.passmanager.PassManager.parse(text, context)
    manager.enable_verifier(verify)
    dumps = None
    if locate:
        # Made by MLIR when something fails, and removed when that is read.
        dumps = Path(_scratch(), f"passel-{os.urandom(16).hex()}")
        calls_of(bindings).name_failures(manager, str(dumps))
    return CompiledPipeline(manager, bindings, dumps)


def _scratch() -> str:
    """Return where files are made and removed quickest: in memory, where the system has that."""
    return _MEMORY if os.access(_MEMORY, os.W_OK | os.X_OK) else tempfile.gettempdir()


@cache
def query_context(bindings: Bindings) -> Any:
    """Return a context in which to ask about passes."""
    return bindings.new_context()


@contextmanager
def _error_output() -> Generator[Any]:
    """Keep what native code writes to the standard error: MLIR says there what is wrong.

    Yields:
        A function that returns what has been written.
    """
    with _redirection, _redirected() as said:
        yield said


@contextmanager
def _redirected() -> Generator[Any]:
    with suppress(AttributeError, OSError, ValueError):
        sys.stderr.flush()
    try:
        saved = os.dup(2)
    except OSError:  # there is no standard error
        yield str
        return
    with tempfile.TemporaryFile(dir=_scratch()) as file:
        os.dup2(file.fileno(), 2)

        def said() -> str:
            file.seek(0)
            return file.read().decode(errors="replace")

        try:
            yield said
        finally:
            os.dup2(saved, 2)
            os.close(saved)

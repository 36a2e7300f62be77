"""Reproducers as files: IR, and in a block after it the pipeline to run on it.

Source: `makeReproducer` of `lib/Pass/PassCrashRecovery.cpp`, MLIR 22.
"""

from __future__ import annotations

import os
import weakref
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passel.diagnostics import file_problem
from passel.instruments.whole_files import is_special, lasting, write_whole
from passel.ir.resources import ExternalResource, print_resources
from passel.pipeline import PipelineNode, print_pipeline

if TYPE_CHECKING:
    from collections.abc import Iterable

    from passel.schedule import PassStep, Pipeline

GROUP = "mlir_reproducer"
"""The group of external resources that the pipeline and its settings belong to."""

RUNNING = ".running"
"""The end of the name of a file that is written ahead of a failure."""


def reproducer_text(
    ir: str, pipeline: str, *, disable_threading: bool = False, verify_each: bool = True
) -> str:
    r"""Return a reproducer.

    Args:
        ir: The IR as a file.
        pipeline: What to run on it.
        disable_threading: Whether to run it on one thread.
        verify_each: Whether to verify after passes.

    Example:
        >>> print(reproducer_text("module {}", 'builtin.module(print{label="a b"})'))
        module {}
        <BLANKLINE>
        {-#
          external_resources: {
            mlir_reproducer: {
              pipeline: "builtin.module(print{label=\22a b\22})",
              disable_threading: false,
              verify_each: true
            }
          }
        #-}
        <BLANKLINE>
    """
    entries: dict[str, bool | bytes] = {
        "pipeline": pipeline.encode("utf-8", "surrogateescape"),
        "disable_threading": disable_threading,
        "verify_each": verify_each,
    }
    resources = (ExternalResource(GROUP, key, value) for key, value in entries.items())
    return f"{ir}\n\n{print_resources(resources)}\n"


def pipeline_text(pipeline: Pipeline, anchor: str) -> str:
    """Return a pipeline with all options, so that other defaults elsewhere do not matter.

    Args:
        pipeline: The pipeline at the top.
        anchor: The name of the op that it runs on, which may be more than it says.

    Returns:
        Text with `, ` between the elements at the top and `,` between others, as MLIR does.
    """
    return print_pipeline(pipeline.to_node(all_options=True)._replace(anchor=anchor), spaced=True)


def scoped_text(scopes: Iterable[str], step: PassStep) -> str:
    """Return a pipeline of one pass inside of the anchors given."""
    *outer, innermost = scopes
    node = PipelineNode(innermost, step.to_nodes(all_options=True))
    for anchor in reversed(outer):
        node = PipelineNode(anchor, (node,))
    return print_pipeline(node)


class ReproducerFile:
    """A reproducer on disk, which is written ahead of the failure.

    A process that dies at once cannot write any more. So the text goes to a file beside the
    target, which vanishes when the run is over. What is found at the target stays there until
    all of another reproducer takes its place.

    Attributes:
        path: The target, wherever the working directory is by then.
        title: What messages call it.
        problem: Why it could not be written; empty if it could.
        running: The file beside the target, while there is one.
    """

    def __init__(self, path: str | Path) -> None:
        self.path: Path = lasting(path)
        self.title: str = str(path)
        self.problem: str = ""
        self.running: Path | None = None
        self._ahead: str = ""
        self._removal: weakref.finalize[..., Any] | None = None

    def prepare(self, text: str) -> None:
        """Write the text beside the target, unless that is a device or a pipe."""
        if is_special(self.path):
            return
        try:
            if self.running is None:
                self._reserve()
            if self.running is not None:
                self._ahead = ""
                write_whole(self.running, text)
                self._ahead = text
        except (OSError, ValueError) as error:
            self._refuse(error)

    def commit(self, text: str, ahead: str) -> bool:
        """Write the text to the target.

        Args:
            text: The text.
            ahead: What will do as well, if it was written ahead and there is room for no more.

        Returns:
            Whether that went well. If not, what was at the target still is.
        """
        try:
            write_whole(self.path, text)
        except (OSError, ValueError) as error:
            if self.running is None or self._ahead != ahead or not self._put_ahead():
                self._refuse(error)
                return False
        return True

    def discard(self) -> None:
        """Leave nothing behind but what is at the target."""
        if self.running is not None:
            _remove(self.running, os.getpid())
        if self._removal is not None:
            self._removal.detach()
        self.running = self._removal = None

    def _put_ahead(self) -> bool:
        """Put what was written ahead at the target; return whether that went well."""
        try:
            assert self.running is not None  # noqa: S101 - the caller has looked
            self.running.replace(os.path.realpath(self.path))
        except OSError:
            return False
        return True

    def _reserve(self) -> None:
        """Create a file of its own: one that is there is of another run, perhaps a dead one."""
        number, base = 0, Path(os.path.realpath(self.path))
        while self.running is None:
            infix = f".{number}" if number else ""
            path = base.with_name(f"{base.name}{infix}{RUNNING}")
            number += 1
            if os.path.lexists(path):
                continue
            try:
                path.touch(exist_ok=False)
                self.running = path
                # A caller that forgets to discard it leaves nothing behind.
                self._removal = weakref.finalize(self, _remove, path, os.getpid())
            except FileExistsError:
                continue
            except BaseException:  # an interrupt, after which no caller knows of the file
                _remove(path, os.getpid())
                raise

    def _refuse(self, error: OSError | ValueError) -> None:
        kept = "; the older file of that name is kept" if self.path.is_file() else ""
        self.problem = (
            "failed to create output stream: Failed to create reproducer stream: "
            f"cannot open output file '{self.title}': {file_problem(error)}{kept}"
        )


def _remove(path: Path, process: int) -> None:
    """Remove a file, unless this is a process that the owner has forked."""
    if os.getpid() == process:
        with suppress(OSError):
            path.unlink()

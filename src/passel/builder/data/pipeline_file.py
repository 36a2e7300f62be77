"""A file with a pipeline: opened, read as data, its keys checked."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.builder.data.tree import (
    Table,
    as_list,
    as_table,
    as_text,
    excess,
    refusal,
)
from passel.builder.data.variables import Scope
from passel.builder.data.yaml_form import read_yaml
from passel.diagnostics import Source, Span, file_problem, suggest
from passel.errors import PipelineError, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from passel.builder.data.tree import Data

_SUFFIXES = (".yaml", ".yml")
_KEYS = ("anchor", "description", "variables", "bundles", "constraints", "Pipeline")
_MAX_DEPTH = 64
_MOST_FILES = 256
_MOST_BYTES = 2**18
"""Most bytes of a pipeline with all files that it includes, each as often as it is."""


class Budget:
    """How much the files of one pipeline may still be."""

    def __init__(self) -> None:
        self._files = _MOST_FILES
        self._bytes = _MOST_BYTES

    def read(self, path: str | Path, span: Span | None = None) -> Source:
        """Return what stands in a file.

        Args:
            path: The file. A pipe or a device is read only if no other file names it.
            span: Where it is named, if that is in another file.

        Raises:
            PipelineError: It cannot be read, or is too much.
        """
        self._files -= 1
        if self._files < 0:
            raise excess(f"a pipeline has {_MOST_FILES} files at most", span)
        try:
            is_regular = Path(path).is_file()
            if span is not None and not is_regular and Path(path).exists():
                raise OSError(0, "it is no regular file")  # noqa: TRY301 - put as others are
            with Path(path).open("rb") as file:
                data = file.read(self._bytes + 1)
            self._bytes -= len(data)
            if self._bytes < 0:
                message = f"the files of a pipeline have {_MOST_BYTES} bytes at most"
                raise excess(f"{message}, of which '{path}' is beyond", span)
            return Source(data.decode("utf-8-sig").replace("\r\n", "\n"), str(path))
        except PipelineError:
            raise
        except (OSError, ValueError) as error:
            message = f"cannot open pipeline file '{path}': {file_problem(error)}"
            raise PipelineError(Problem(message, span)) from None


class PipelineFile(NamedTuple):
    """The contents of a file about a pipeline.

    Attributes:
        path: The file.
        anchor: The anchor of the pipeline; empty if it does not say.
        anchor_span: Where that stands.
        elements: The pipeline's elements.
        bundles: The bundles that it defines, by name.
        constraints: Where passes may stand.
        scope: Its variables.
        budget: How much may still be included.
        included_by: The files that include it, the outermost first.
    """

    path: Path
    anchor: str
    anchor_span: Span | None
    elements: tuple[Data, ...]
    bundles: Mapping[str, Data]
    constraints: tuple[Data, ...]
    scope: Scope
    budget: Budget
    included_by: tuple[Path, ...] = ()

    def include(self, name: str, given: Mapping[str, Any], span: Span) -> PipelineFile:
        """Open a file that this one includes.

        Args:
            name: Its name, relative to this file.
            given: Values of its variables.
            span: Where it is included.

        Raises:
            PipelineError: It cannot be read, or includes this one.
        """
        path = self.path.parent / name
        chain = (*self.included_by, self.path)
        if _identity(path) in map(_identity, chain):
            shown = " includes ".join(f"'{each}'" for each in (*chain, path))
            raise refusal(f"a file cannot include itself: {shown}", span)
        if len(chain) > _MAX_DEPTH:
            raise excess(f"files include each other more than {_MAX_DEPTH} levels deep", span)
        if not is_data(path):
            raise refusal(f"'{name}' is no .yaml file, which alone can be included", span)
        file = open_pipeline_file(path, given, span, self.budget)
        return file._replace(included_by=chain)


def is_data(path: str | Path) -> bool:
    """Return whether a file holds a pipeline as data, as its name says."""
    return Path(path).suffix in _SUFFIXES


def read_text(path: str | Path) -> Source:
    """Return what stands in a file.

    Raises:
        PipelineError: It cannot be read, or is too much.
    """
    return Budget().read(path)


def _identity(path: Path) -> str:
    """Return one name for all names of a file, of one that cannot exist as well."""
    with suppress(OSError, ValueError):
        return os.path.realpath(path)
    return str(path)


def open_pipeline_file(
    path: str | Path,
    given: Mapping[str, Any],
    span: Span | None = None,
    budget: Budget | None = None,
) -> PipelineFile:
    """Open a file with a pipeline as data.

    Args:
        path: The file, whose name ends in `.yaml` or `.yml`.
        given: Values of its variables, as values or as text.
        span: Where the file and the values are named, if that is in another file.
        budget: How much there may be, if that is in another file.

    Raises:
        PipelineError: It cannot be read, or is wrong on the whole.
    """
    path = Path(path)
    budget = budget or Budget()
    source = budget.read(path, span)
    start = Span(source, 0, len(source.text.partition("\n")[0]))
    data = read_yaml(source)
    table = as_table(data, "a pipeline's file")
    for key, place in table.keys.items():
        if key not in _KEYS:
            hint = suggest(key, _KEYS) or f"; it has {', '.join(_KEYS)}"
            if key.lower() == "pipeline":
                hint = "; did you mean 'Pipeline'?"
            raise refusal(f"a pipeline's file has no key '{key}'{hint}", place)
    if "Pipeline" not in table.values:
        raise refusal("a pipeline's file has a key 'Pipeline', with a list of what runs", start)
    scope = Scope(_table(table, "variables"), given, span)
    anchor = table.values.get("anchor")
    bundles = _table(table, "bundles")
    return PipelineFile(
        path,
        "" if anchor is None else scope.filled(as_text(anchor, "an op's name, or 'any'"))[0],
        None if anchor is None else anchor.span,
        as_list(table.values["Pipeline"], "the elements of the pipeline"),
        {} if bundles is None else bundles.values,
        as_list(table.values.get("constraints"), "constraints"),
        scope,
        budget,
    )


def _table(table: Table, key: str) -> Table | None:
    return as_table(table.values[key], f"the {key}") if key in table.values else None

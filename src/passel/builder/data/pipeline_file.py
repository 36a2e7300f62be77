"""A file with a pipeline: opened, read as data, its keys checked."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.builder.data.tree import Listing, Scalar, Table, as_list, as_table, as_text, refusal
from passel.builder.data.variables import Scope
from passel.builder.data.yaml_form import read_yaml
from passel.diagnostics import Source, Span, file_problem, suggest
from passel.errors import PipelineError, Problem
from passel.pipeline import PassNode, parse_elements

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from passel.builder.data.tree import Data
    from passel.pipeline import ElementNode

_SUFFIXES = (".yaml", ".yml")
_KEYS = ("anchor", "description", "variables", "bundles", "constraints", "Pipeline")
_MAX_DEPTH = 64


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
        span: Where the text begins.
        included_by: The files that include it, the outermost first.
    """

    path: Path
    anchor: str
    anchor_span: Span | None
    elements: tuple[Data, ...]
    bundles: Mapping[str, Data]
    constraints: tuple[Data, ...]
    scope: Scope
    span: Span
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
        if path.resolve() in (each.resolve() for each in chain):
            shown = " includes ".join(f"'{each}'" for each in (*chain, path))
            raise refusal(f"a file cannot include itself: {shown}", span)
        if len(chain) > _MAX_DEPTH:
            raise refusal(f"files include each other more than {_MAX_DEPTH} levels deep", span)
        if not is_data(path):
            raise refusal(f"'{name}' is no .yaml file, which alone can be included", span)
        return open_pipeline_file(path, given, span)._replace(included_by=chain)


def is_data(path: str | Path) -> bool:
    """Return whether a file holds a pipeline as data, as its name says."""
    return Path(path).suffix in _SUFFIXES


def read_text(path: str | Path, span: Span | None = None) -> Source:
    """Return what stands in a file.

    Args:
        path: The file.
        span: Where it is named, if that is in another file.

    Raises:
        PipelineError: It cannot be read.
    """
    try:
        return Source(Path(path).read_text(encoding="utf-8-sig"), str(path))
    except (OSError, ValueError) as error:
        message = f"cannot open pipeline file '{path}': {file_problem(error)}"
        raise PipelineError(Problem(message, span)) from None


def open_pipeline_file(
    path: str | Path,
    given: Mapping[str, Any],
    span: Span | None = None,
) -> PipelineFile:
    """Open a file with a pipeline as data.

    Args:
        path: The file, whose name ends in `.yaml` or `.yml`.
        given: Values of its variables, as values or as text.
        span: Where the file and the values are named, if that is in another file.

    Raises:
        PipelineError: It cannot be read, or is wrong on the whole.
    """
    path = Path(path)
    source = read_text(path, span)
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
        as_list(table.values["constraints"], "constraints")
        if "constraints" in table.values
        else (),
        scope,
        start,
    )


def _table(table: Table, key: str) -> Table | None:
    return as_table(table.values[key], f"the {key}") if key in table.values else None


def pass_names(path: str | Path) -> Iterator[str]:
    """Yield what a file with a pipeline names as passes, as far as it can be read.

    For a look at a file before it is read; nothing is checked.
    """
    todo: list[tuple[Path, Any]] = [(Path(path), "")]
    seen: set[Path] = set()
    while todo:
        file, data = todo.pop()
        if isinstance(data, Scalar):
            yield from _names_in(data.text)
        elif isinstance(data, Listing):
            todo += ((file, each) for each in data.items)
        elif isinstance(data, Table):
            for key, value in data.values.items():
                if key == "include" and isinstance(value, Scalar):
                    todo.append((file.parent / value.text.partition("{")[0].strip(), ""))
                elif key == "pass" or not isinstance(value, Scalar):
                    todo.append((file, value))
        elif file.resolve() not in seen:
            seen.add(file.resolve())
            with suppress(PipelineError):
                source = read_text(file)
                if is_data(file):
                    todo.append((file, read_yaml(source)))
                else:
                    yield from _names_in(source.text)


def _names_in(text: str) -> Iterator[str]:
    todo: list[ElementNode] = []
    with suppress(PipelineError):
        todo += parse_elements(text)
    while todo:
        node = todo.pop()
        if isinstance(node, PassNode):
            yield node.name
        else:
            todo += node.elements

"""Files with pipelines: text, or YAML as llvm/lighthouse writes it, with includes and variables.

The only module that imports PyYAML, when a file in YAML is read.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from passel.diagnostics import Source, Span, file_problem, suggest
from passel.errors import PipelineError, PipelineSyntaxError, Problem
from passel.pipeline import MAX_ELEMENTS, parse_elements_at, parse_options

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping

    from passel.pipeline import ElementNode

_SUFFIXES = (".yaml", ".yml")
_KEYS = ("anchor", "description", "variables", "Pipeline")
_USE = re.compile(r"\$(?:(?P<dollar>\$)|\{(?P<braced>[\w-]+)\}|(?P<name>\w+))")
_MOST_FILES = 256
_MOST_BYTES = 2**18
"""Most bytes of a pipeline with all files that it includes, each as often as it is."""
_MOST_CHARACTERS = 2**16
"""Longest text that variables make, as each include may hand on twice of what it was given."""


class PipelineFile(NamedTuple):
    """The contents of a file with a pipeline, and of the files that it includes.

    Attributes:
        anchor: The anchor of the pipeline.
        elements: The elements of the pipeline, each with the place of what it was made of.
    """

    anchor: str
    elements: tuple[tuple[ElementNode, Span], ...]


def is_data(path: str | Path) -> bool:
    """Return whether a file holds a pipeline in YAML, as its name says."""
    return Path(path).suffix in _SUFFIXES


def read_text(path: str | Path) -> Source:
    """Return what stands in a file.

    Raises:
        PipelineError: It cannot be read, or is too much.
    """
    return _Reader().text(path, None)


def read_pipeline_file(path: str | Path, variables: Mapping[str, Any]) -> PipelineFile:
    """Read a file with a pipeline in YAML.

    Args:
        path: The file.
        variables: Values of its variables.

    Raises:
        PipelineError: It cannot be read, or is wrong; with the place.
    """
    reader = _Reader()
    given = {name: _spelled(value) for name, value in variables.items()}
    reader.read(Path(path), given, (), None)
    return PipelineFile(reader.anchor or "builtin.module", tuple(reader.elements))


def _spelled(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _refusal(message: str, span: Span | None) -> PipelineSyntaxError:
    return PipelineSyntaxError(Problem(message, span))


class _Scope:
    """The variables of one file.

    Args:
        given: Values from outside.
        span: Where they are given, if that is a file.
    """

    def __init__(self, given: Mapping[str, str], span: Span | None) -> None:
        self._values = dict(given)
        self._span = span
        self._known: set[str] = set()

    def declare(self, name: str, default: str, place: Span) -> None:
        """Declare a variable; without a default it has to be given."""
        if not default and name not in self._values:
            raise _refusal(f"variable '{name}' has neither a default nor a value", place)
        self._values.setdefault(name, default)
        self._known.add(name)

    def fill(self, text: str, span: Span, exact: Span | None) -> str:
        """Return a text with values for its variables."""
        length = 0

        def value(use: re.Match[str]) -> str:
            nonlocal length
            if use["dollar"]:
                return "$"
            start = 0 if exact is None else exact.start
            ends = {"start": start + use.start(), "end": start + use.end()}
            place = span if exact is None else exact._replace(**ends)
            name = use["braced"] or use["name"]
            if name not in self._values:
                hint = suggest(name, self._values) or "; declare it, or give it a value"
                raise _refusal(f"variable '{name}' has no value{hint}", place)
            self._known.add(name)
            length += len(self._values[name])
            if length > _MOST_CHARACTERS:
                most = f"{_MOST_CHARACTERS} characters"
                raise _refusal(f"variables make a text of more than {most}", place)
            return self._values[name]

        return _USE.sub(value, text)

    def check_use(self, path: Path) -> None:
        """Refuse values that nothing asks for."""
        for name in self._values:
            if name not in self._known:
                rest = suggest(name, self._known) or (
                    f"; it has {', '.join(sorted(self._known))}"
                    if self._known
                    else "; it has no variables"
                )
                raise _refusal(f"'{path}' has no variable '{name}'{rest}", self._span)


class _Reader:
    """One reading of a file with all that it includes.

    Attributes:
        anchor: The anchor of the outermost file; empty if it does not say.
        elements: The elements that were found, with their places.
    """

    def __init__(self) -> None:
        self.anchor: str = ""
        self.elements: list[tuple[ElementNode, Span]] = []
        self._files = _MOST_FILES
        self._bytes = _MOST_BYTES

    def text(self, path: str | Path, span: Span | None) -> Source:
        """Return what stands in a file.

        Args:
            path: The file. A pipe or a device is read only if no other file names it.
            span: Where it is named, if that is in another file.
        """
        self._files -= 1
        if self._files < 0:
            raise _refusal(f"a pipeline has {_MOST_FILES} files at most", span)
        try:
            if span is not None and Path(path).exists() and not Path(path).is_file():
                raise OSError(0, "it is no regular file")  # noqa: TRY301 - put as others are
            with Path(path).open("rb") as file:
                data = file.read(self._bytes + 1)
            text = data.decode("utf-8-sig").replace("\r\n", "\n")
        except (OSError, ValueError) as error:
            message = f"cannot open pipeline file '{path}': {file_problem(error)}"
            raise PipelineError(Problem(message, span)) from None
        self._bytes -= len(data)
        if self._bytes < 0:
            message = f"the files of a pipeline have {_MOST_BYTES} bytes at most"
            raise _refusal(f"{message}, of which '{path}' is beyond", span)
        return Source(text, str(path))

    def read(
        self, path: Path, given: Mapping[str, str], chain: tuple[Path, ...], span: Span | None
    ) -> None:
        """Read a file.

        Args:
            path: The file.
            given: Values of its variables.
            chain: The files that include it, the outermost first.
            span: Where it is included.
        """
        if _identity(path) in map(_identity, chain):
            shown = " includes ".join(f"'{each}'" for each in (*chain, path))
            raise _refusal(f"a file cannot include itself: {shown}", span)
        if not is_data(path):
            raise _refusal(f"'{path.name}' is no .yaml file, which alone can be included", span)
        source = self.text(path, span)
        table = _Table.of(_root(source), source, "a pipeline's file", _KEYS)
        scope = _Scope(given, span)
        if variables := table.values.get("variables"):
            declared = _Table.of(variables, source, "the variables")
            for name, node in declared.values.items():
                default = _scalar(node, source, f"the value of '{name}'", empty=True)
                scope.declare(name, default, declared.keys[name])
        if anchor := table.values.get("anchor"):
            self._check_anchor(_scalar(anchor, source, "an op's name, or 'any'"), chain, span)
        pipeline = table.values.get("Pipeline")
        if pipeline is None or pipeline.id != "sequence":
            start = Span(source, 0, len(source.text.partition("\n")[0]))
            place = start if pipeline is None else _span(source, pipeline)
            raise _refusal("a pipeline's file has 'Pipeline', a list of what runs", place)
        for node in pipeline.value:
            self._element(node, source, scope, (*chain, path))
        scope.check_use(path)

    def _check_anchor(self, anchor: str, chain: tuple[Path, ...], span: Span | None) -> None:
        if not chain:
            self.anchor = anchor
        elif anchor != (self.anchor or "builtin.module"):
            outer = self.anchor or "builtin.module"
            message = f"this is a pipeline for '{anchor}', and is included in one for '{outer}'"
            raise _refusal(message, span)

    def _element(self, node: Any, source: Source, scope: _Scope, chain: tuple[Path, ...]) -> None:
        span = _span(source, node)
        if node.id == "scalar":
            return self._pass(node, source, scope)
        table = _Table.of(node, source, "an element of a pipeline", ("pass", "include"))
        if len(table.values) != 1:
            raise _refusal("an element of a pipeline has one of 'pass' and 'include'", span)
        ((key, value),) = table.values.items()
        if key == "pass":
            return self._pass(value, source, scope)
        text = _scalar(value, source, "the name of a file")
        filled = scope.fill(text, _span(source, value), _exact(source, value))
        name, brace, rest = filled.partition("{")
        with placed(_span(source, value)):
            options = parse_options(brace + rest, braces=True) if brace else ()
        given = {each.key: "true" if each.value is None else each.value.text for each in options}
        folder = chain[-1].parent
        path = next(filter(Path.exists, _places(folder, name.strip())), folder / name.strip())
        return self.read(path, given, chain, _span(source, value))

    def _pass(self, node: Any, source: Source, scope: _Scope) -> None:
        text = _scalar(node, source, "the name of a pass")
        span, exact = _span(source, node), _exact(source, node)
        filled = scope.fill(text, span, exact)
        if exact is None or filled != text:  # the text stands nowhere
            exact = Span(Source(filled, ""), 0, len(filled))
        with placed(span):
            self.elements += ((each, span) for each in parse_elements_at(exact))
        if len(self.elements) > MAX_ELEMENTS:
            raise _refusal(f"a pipeline has {MAX_ELEMENTS} elements at most", span)


def _places(folder: Path, name: str) -> Iterator[Path]:
    """Yield where an included file may be: beside the one that includes it, or in a folder above.

    Source: llvm/lighthouse, where a folder of all descriptors is searched.
    """
    yield folder / name
    with suppress(OSError, ValueError):
        yield from (above / name for above in folder.resolve().parents)


def _identity(path: Path) -> str:
    """Return one name for all names of a file, of one that cannot exist as well."""
    with suppress(OSError, ValueError):
        return os.path.realpath(path)
    return str(path)


@contextmanager
def placed(span: Span) -> Generator[None]:
    """Let errors about texts that stand in no file point to what they were made of.

    Args:
        span: Where that stands.
    """
    try:
        yield
    except PipelineError as error:
        error.problems = tuple(
            problem
            if problem.span is not None and problem.span.source == span.source
            else problem._replace(span=span)
            for problem in error.problems
        )
        raise


# -- Nodes of PyYAML -------------------------------------------------------------------------


def _root(source: Source) -> Any:
    """Return the root of what a YAML text holds; None if that is nothing."""
    import yaml  # noqa: PLC0415 - for those who read YAML alone

    try:
        return yaml.SafeLoader(source.text).get_single_node()
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at = min(mark.index, len(source.text)) if mark else 0
        parts = [part for part in (error.problem, error.context) if part]
        raise _refusal("this is no YAML: " + ", ".join(parts), Span(source, at, at)) from None
    except yaml.reader.ReaderError as error:
        at = min(error.position, len(source.text))
        message = f"YAML has no character U+{ord(source.text[at]):04X}"
        raise _refusal(message, Span(source, at, at + 1)) from None
    except RecursionError:
        raise _refusal("the file is nested too deeply", Span(source, 0, 1)) from None


class _Table(NamedTuple):
    """Keys with their values.

    Attributes:
        values: The values by key.
        keys: Where the keys stand.
    """

    values: dict[str, Any]
    keys: dict[str, Span]

    @classmethod
    def of(cls, node: Any, source: Source, what: str, known: tuple[str, ...] = ()) -> _Table:
        """Return a table with known keys, any if there are none."""
        if node is None or node.id != "mapping":
            place = Span(source, 0, 0) if node is None else _span(source, node)
            raise _refusal(f"expected {what}, a table of keys", place)
        table = cls({}, {})
        for key, value in node.value:
            place = _span(source, key)
            if key.id != "scalar":
                raise _refusal("a key is a single word", place)
            if key.value in table.values:
                raise _refusal(f"key '{key.value}' is there twice", place)
            if known and key.value not in known:
                hint = suggest(key.value, known) or f"; it has {', '.join(known)}"
                if key.value in ("schedule", "transform"):
                    hint = ": run schedules with 'transform-interpreter'"
                raise _refusal(f"{what} has no key '{key.value}'{hint}", place)
            table.values[key.value], table.keys[key.value] = value, place
        return table


def _scalar(node: Any, source: Source, what: str, *, empty: bool = False) -> str:
    """Return the text of a node."""
    if node.id != "scalar" or not (node.value or empty):
        raise _refusal(f"expected {what}", _span(source, node))
    return node.value


def _span(source: Source, node: Any) -> Span:
    first = min(node.start_mark.index, len(source.text))
    last = min(node.end_mark.index, len(source.text))
    # Blocks end where the next thing starts.
    return Span(source, first, first + len(source.text[first:last].rstrip()))


def _exact(source: Source, node: Any) -> Span | None:
    """Return where the text of a node stands as it is; None if it is written in another way."""
    start = node.start_mark.index + (node.style in ("'", '"'))
    exact = Span(source, start, start + len(node.value))
    return exact if exact.text == node.value else None

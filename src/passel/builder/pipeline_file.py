"""Pipeline files, which contain YAML in the format of llvm/lighthouse.

The files can include other files and use variables. Only this module imports PyYAML, and only to
read a file.
"""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

from passel.diagnostics import Source, Span, file_problem, suggest
from passel.errors import PipelineError, PipelineSyntaxError, Problem
from passel.pipeline.parser import MAX_ELEMENTS, parse_elements, parse_options

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from passel.pipeline import ElementNode

_KEYS = ("anchor", "variables", "Pipeline")
_MOST_FILES = 256
_MOST_BYTES = 2**18
"""The maximum total size of the files of a pipeline in bytes, counting each inclusion of a file."""
_MOST_CHARACTERS = 2**16
"""The maximum length of expanded text, since each included file can double its variables."""


def read_pipeline_file(
    path: str | Path, variables: Mapping[str, Any]
) -> tuple[str, list[tuple[ElementNode, Span]]]:
    """Read a YAML pipeline file and the files that it includes.

    Args:
        path: The path of the file.
        variables: The value of each variable in the file, keyed by the name of the variable.

    Returns:
        The anchor of the pipeline, and a list with each element and its location.

    Raises:
        PipelineError: If a file cannot be read, or is invalid. The error contains the location of
            the mistake.
    """
    reader = _Reader()
    texts = {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in variables.items()
    }
    reader.read(Path(path), texts, None)
    return reader.anchor, reader.elements


@contextmanager
def located(span: Span) -> Generator[None]:
    """Set the location of the problems in a `PipelineError` that the `with` block raises.

    Args:
        span: The location in a pipeline file to which the problems refer.
    """
    try:
        yield
    except PipelineError as error:
        error.problems = tuple(each._replace(span=span) for each in error.problems)
        raise


def _refusal(message: str, span: Span | None) -> PipelineSyntaxError:
    return PipelineSyntaxError(Problem(message, span))


class _Reader:
    """A reader of a file and the files that it includes.

    Attributes:
        anchor: The anchor of the outermost file.
        elements: The elements of the pipeline, with their locations.
    """

    def __init__(self) -> None:
        self.anchor: str = "builtin.module"
        self.elements: list[tuple[ElementNode, Span]] = []
        self._files = _MOST_FILES
        self._bytes = _MOST_BYTES

    def _source(self, path: Path, span: Span | None) -> Source:
        """Return the contents of a file. An included file must not be a pipe or a device."""
        self._files -= 1
        if self._files < 0:
            message = (
                f"a pipeline can include at most {_MOST_FILES} files; does a file include itself?"
            )
            raise _refusal(message, span)
        try:
            if span is not None and path.exists() and not path.is_file():
                raise OSError(0, "it is not a regular file")  # noqa: TRY301 - reported like other errors
            with path.open("rb") as file:
                data = file.read(self._bytes + 1)
            text = data.decode("utf-8-sig").replace("\r\n", "\n")
        except (OSError, ValueError) as error:
            message = f"cannot open pipeline file '{path}': {file_problem(error)}"
            raise PipelineError(Problem(message, span)) from None
        self._bytes -= len(data)
        if self._bytes < 0:
            message = f"the files of a pipeline can have at most {_MOST_BYTES} bytes in total"
            raise _refusal(f"{message}; '{path}' exceeds this limit", span)
        return Source(text, str(path))

    def read(self, path: Path, given: dict[str, str], span: Span | None) -> None:
        """Read a YAML pipeline file, and append its elements.

        Args:
            path: The path of the file.
            given: The value of each variable in the file, keyed by the name of the variable.
            span: The location of the inclusion, or None for the outermost file.
        """
        source = self._source(path, span)
        root = _root(source)
        table = root.table("a pipeline file", _KEYS)
        values = dict(given)
        if "variables" in table:
            values = _defaults(table["variables"], given) | values
        known = {*Template(source.text).get_identifiers()} | (values.keys() - given.keys())
        if unknown := next((name for name in given if name not in known), ""):
            hint = suggest(unknown, known) or "; the file does not use it"
            raise _refusal(f"'{path}' has no variable '{unknown}'{hint}", span)
        if "anchor" in table:
            anchor, outer = table["anchor"].text("an op's name, or 'any'"), self.anchor
            if span is not None and anchor != outer:
                message = f"cannot include a pipeline on '{anchor}' in a pipeline on '{outer}'"
                raise _refusal(message, span)
            self.anchor = anchor
        pipeline = table.get("Pipeline", root)
        if pipeline.kind != "sequence":
            raise pipeline.error("a pipeline file needs the key 'Pipeline', whose value is a list")
        for node in pipeline.items():
            self._element(node, values, path.parent)

    def _element(self, node: _Node, values: dict[str, str], folder: Path) -> None:
        if node.kind == "scalar":
            return self._pass(node, values)
        table = node.table("an element of a pipeline", ("pass", "include"))
        if len(table) != 1:
            raise node.error("an element of a pipeline must have one key: 'pass' or 'include'")
        if "pass" in table:
            return self._pass(table["pass"], values)
        include = table["include"]
        name, brace, rest = include.filled("the name of a file", values).partition("{")
        with located(include.span):
            options = parse_options(brace + rest, braces=True) if brace else ()
        given = {each.key: "true" if each.value is None else each.value.text for each in options}
        # Next to this file or in a folder above; llvm/lighthouse has one folder for descriptors.
        places = [each / name.strip() for each in (folder, *folder.resolve().parents)]
        file = next(filter(Path.exists, places), places[0])
        return self.read(file, given, include.span)

    def _pass(self, node: _Node, values: dict[str, str]) -> None:
        text = node.filled("the name of a pass", values)
        with located(node.span):
            written = Span(Source(text, str(node.span)), 0, len(text))
            elements = parse_elements(node.span if node.span.text == text else written)
        self.elements += ((each, node.span) for each in elements)
        if len(self.elements) > MAX_ELEMENTS:
            raise node.error(f"a pipeline can have at most {MAX_ELEMENTS} elements")


def _defaults(variables: _Node, given: Mapping[str, str]) -> dict[str, str]:
    """Return the defaults of the variables in a table, and reject variables without any value."""
    found: dict[str, str] = {}
    for name, value in variables.table("the variables").items():
        found[name] = value.text(f"the value of '{name}'", empty=True)
        if not found[name] and name not in given:
            raise value.error(f"variable '{name}' has neither a default nor a value")
    return found


class _Node:
    """A node of a YAML text.

    Args:
        node: PyYAML's node, or None for an empty text.
        source: The YAML text.

    Attributes:
        kind: The kind of the node: `scalar`, `sequence` or `mapping`.
        span: The location of the node.
    """

    def __init__(self, node: Any, source: Source) -> None:
        self.kind: str = node.id if node else ""
        marks = (node.start_mark.index, node.end_mark.index) if node else (0, 0)
        first, last = (min(each, len(source.text)) for each in marks)
        # YAML's blocks end at the next token.
        self.span: Span = Span(source, first, first + len(source.text[first:last].rstrip()))
        self._node = node

    def error(self, message: str) -> PipelineSyntaxError:
        """Return a syntax error that contains the location of the node."""
        return _refusal(message, self.span)

    def text(self, what: str, *, empty: bool = False) -> str:
        """Return the text of a scalar node."""
        if self.kind != "scalar" or not (self._node.value or empty):
            raise self.error(f"expected {what}")
        return self._node.value

    def filled(self, what: str, values: Mapping[str, str]) -> str:
        """Return the text of a scalar node with each variable replaced by its value."""
        text = self.text(what)
        if text.count("$") * max(map(len, values.values()), default=0) > _MOST_CHARACTERS:
            most = f"{_MOST_CHARACTERS} characters"
            raise self.error(f"with variables expanded, this text could be longer than {most}")
        try:
            return Template(text).substitute(values)
        except KeyError as error:
            hint = suggest(error.args[0], values) or "; declare it, or give it a value"
            raise self.error(f"variable '{error.args[0]}' has no value{hint}") from None
        except ValueError:
            raise self.error("'$' needs a variable name; write '$$' for a dollar sign") from None

    def items(self) -> list[_Node]:
        """Return the elements of a sequence node."""
        return [_Node(each, self.span.source) for each in self._node.value]

    def table(self, what: str, known: tuple[str, ...] = ()) -> dict[str, _Node]:
        """Return the values of a mapping node, by key."""
        if self.kind != "mapping":
            raise self.error(f"{what} must be a YAML mapping, such as 'key: value'")
        found: dict[str, _Node] = {}
        for pair in self._node.value:
            key, value = (_Node(each, self.span.source) for each in pair)
            name = key.text("a single word as the key")
            if name in found:
                raise key.error(f"key '{name}' is repeated")
            if known and name not in known:
                hint = suggest(name, known) or f"; use {' or '.join(known)}"
                raise key.error(f"{what} has no key '{name}'{hint}")
            found[name] = value
        return found


def _root(source: Source) -> _Node:
    """Parse a YAML text."""
    import yaml  # noqa: PLC0415 - only needed to read YAML

    try:
        return _Node(yaml.SafeLoader(source.text).get_single_node(), source)
    except RecursionError:
        raise _refusal("the file is nested too deeply", Span(source, 0, 1)) from None
    except yaml.reader.ReaderError as error:
        at, reason = error.position, error.reason
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at, reason = mark.index if mark else 0, error.problem or error.context
    at = min(at, len(source.text))
    raise _refusal(f"invalid YAML: {reason}", Span(source, at, at))

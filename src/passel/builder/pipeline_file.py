"""Pipeline files: text, or llvm/lighthouse's YAML with includes and variables.

Only this module imports PyYAML, when it reads a YAML file.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from passel.diagnostics import Source, Span, file_problem, suggest
from passel.errors import PipelineError, PipelineSyntaxError, Problem
from passel.pipeline import MAX_ELEMENTS, parse_elements, parse_options

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from passel.pipeline import ElementNode

_KEYS = ("anchor", "description", "variables", "Pipeline")
_USE = re.compile(r"\$(?:(?P<dollar>\$)|\{(?P<braced>[\w-]+)\}|(?P<name>\w+))")
_MOST_FILES = 256
_MOST_BYTES = 2**18
"""The maximum size of a pipeline, with each inclusion of a file."""
_MOST_CHARACTERS = 2**16
"""The maximum length of expanded text, since each include can double its variables."""


def is_data(path: str | Path) -> bool:
    """Return whether the name of a file has the suffix of YAML files."""
    return Path(path).suffix in (".yaml", ".yml")


def read_text(path: str | Path, variables: Mapping[str, Any]) -> Source:
    """Return the contents of a file with the text of a pipeline.

    Raises:
        PipelineError: If the file cannot be read or is too large, or variables are given.
    """
    source = _Reader().text(path, None)
    if variables:
        message = f"'{path}' is not YAML, so it has no variable '{next(iter(variables))}'"
        raise PipelineError(Problem(message))
    return source


def read_pipeline_file(
    path: str | Path, variables: Mapping[str, Any]
) -> tuple[str, list[tuple[ElementNode, Span]]]:
    """Read a YAML pipeline file, and the files that it includes.

    Args:
        path: The file.
        variables: Values for the variables of the file.

    Returns:
        The anchor of the pipeline, and its elements, each with its place in the source.

    Raises:
        PipelineError: If a file cannot be read, or is invalid; with the place.
    """
    reader = _Reader()
    texts = {
        name: str(value).lower() if isinstance(value, bool) else str(value)
        for name, value in variables.items()
    }
    reader.read(Path(path), texts, (), None)
    return reader.anchor, reader.elements


@contextmanager
def placed(span: Span) -> Generator[None]:
    """Move errors about generated text to the source of the text.

    Args:
        span: The place in the source.
    """
    try:
        yield
    except PipelineError as error:
        error.problems = tuple(
            each
            if each.span is not None and each.span.source == span.source
            else each._replace(span=span)
            for each in error.problems
        )
        raise


def _refusal(message: str, span: Span | None) -> PipelineSyntaxError:
    return PipelineSyntaxError(Problem(message, span))


class _Reader:
    """A reader of a file and the files that it includes.

    Attributes:
        anchor: The anchor of the outermost file.
        elements: The elements, with their places.
    """

    def __init__(self) -> None:
        self.anchor: str = "builtin.module"
        self.elements: list[tuple[ElementNode, Span]] = []
        self._files = _MOST_FILES
        self._bytes = _MOST_BYTES

    def text(self, path: str | Path, span: Span | None) -> Source:
        """Return the contents of a file.

        Args:
            path: The file. Pipes and devices cannot be included.
            span: The place of the name in the including file, if any.
        """
        self._files -= 1
        if self._files < 0:
            raise _refusal(f"a pipeline can have at most {_MOST_FILES} files", span)
        try:
            if span is not None and Path(path).exists() and not Path(path).is_file():
                raise OSError(0, "it is not a regular file")  # noqa: TRY301 - put as others are
            with Path(path).open("rb") as file:
                data = file.read(self._bytes + 1)
            text = data.decode("utf-8-sig").replace("\r\n", "\n")
        except (OSError, ValueError) as error:
            message = f"cannot open pipeline file '{path}': {file_problem(error)}"
            raise PipelineError(Problem(message, span)) from None
        self._bytes -= len(data)
        if self._bytes < 0:
            message = f"the files of a pipeline can have at most {_MOST_BYTES} bytes"
            raise _refusal(f"{message}; '{path}' exceeds this", span)
        return Source(text, str(path))

    def read(
        self, path: Path, given: dict[str, str], chain: tuple[Path, ...], span: Span | None
    ) -> None:
        """Read a file.

        Args:
            path: The file.
            given: Values for the variables of the file.
            chain: The including files, the outermost first.
            span: The place of the inclusion, if any.
        """
        chain = (*chain, path)
        if not is_data(path):
            raise _refusal(f"'{path.name}' cannot be included: it is not a .yaml file", span)
        file = _File(self.text(path, span), given)
        if any(path.samefile(each) for each in chain[:-1]):
            shown = " includes ".join(f"'{each}'" for each in chain)
            raise _refusal(f"a file cannot include itself: {shown}", span)
        table = file.table(_root(file.source), "a pipeline file", _KEYS)
        if "variables" in table:
            file.declare(table["variables"][1])
        if "anchor" in table:
            anchor, outer = file.scalar(table["anchor"][1], "an op's name, or 'any'"), self.anchor
            if span is not None and anchor != outer:
                message = f"this pipeline for '{anchor}' is included in a pipeline for '{outer}'"
                raise _refusal(message, span)
            self.anchor = anchor
        _, pipeline = table.get("Pipeline", (None, None))
        if pipeline is None or pipeline.id != "sequence":
            first_line = Span(file.source, 0, len(file.source.text.partition("\n")[0]))
            place = file.span(pipeline) if pipeline else first_line
            raise _refusal("a pipeline file needs the key 'Pipeline', with a list", place)
        for node in pipeline.value:
            self._element(node, file, chain)
        if unknown := next((name for name in file.values if name not in file.known), ""):
            have = f"it has {', '.join(sorted(file.known)) or 'no variables'}"
            hint = suggest(unknown, file.known) or f"; {have}"
            raise _refusal(f"'{path}' has no variable '{unknown}'{hint}", span)

    def _element(self, node: Any, file: _File, chain: tuple[Path, ...]) -> None:
        if node.id == "scalar":
            return self._pass(node, file)
        table = file.table(node, "an element of a pipeline", ("pass", "include"))
        if len(table) != 1:
            message = "an element of a pipeline has either 'pass' or 'include'"
            raise _refusal(message, file.span(node))
        ((key, (_, value)),) = table.items()
        if key == "pass":
            return self._pass(value, file)
        span = file.span(value)
        name, brace, rest = file.fill(value, "the name of a file").partition("{")
        with placed(span):
            options = parse_options(brace + rest, braces=True) if brace else ()
        given = {each.key: "true" if each.value is None else each.value.text for each in options}
        # Next to this file or in a folder above; llvm/lighthouse has one folder for descriptors.
        folder = chain[-1].parent
        places = [each / name.strip() for each in (folder, *folder.resolve().parents)]
        return self.read(next(filter(Path.exists, places), places[0]), given, chain, span)

    def _pass(self, node: Any, file: _File) -> None:
        filled, span = file.fill(node, "the name of a pass"), file.span(node)
        exact = file.exact(node)
        if exact is None or filled != node.value:  # the text is not in the file
            exact = Span(Source(filled, ""), 0, len(filled))
        with placed(span):
            self.elements += ((each, span) for each in parse_elements(exact))
        if len(self.elements) > MAX_ELEMENTS:
            raise _refusal(f"a pipeline can have at most {MAX_ELEMENTS} elements", span)


class _File:
    """A file, with the values of its variables.

    Args:
        source: The text of the file.
        values: The values of variables from the including file or the caller.

    Attributes:
        known: The variables that the file declares or uses.
    """

    def __init__(self, source: Source, values: dict[str, str]) -> None:
        self.source: Source = source
        self.values: dict[str, str] = values
        self.known: set[str] = set()

    # -- Variables --------------------------------------------------------------------------

    def declare(self, node: Any) -> None:
        """Declare the variables of a table; variables without a default need a value."""
        for name, (key, value) in self.table(node, "the variables").items():
            default = self.scalar(value, f"the value of '{name}'", empty=True)
            if not default and name not in self.values:
                message = f"variable '{name}' has neither a default nor a value"
                raise _refusal(message, self.span(key))
            self.values.setdefault(name, default)
            self.known.add(name)

    def fill(self, node: Any, what: str) -> str:
        """Return the text of a node with its variables replaced by their values."""
        text, exact = self.scalar(node, what), self.exact(node)
        length = 0

        def value(use: re.Match[str]) -> str:
            nonlocal length
            if use["dollar"]:
                return "$"
            place = self.span(node)
            if exact is not None:
                start, end = exact.start + use.start(), exact.start + use.end()
                place = exact._replace(start=start, end=end)
            name = use["braced"] or use["name"]
            if name not in self.values:
                hint = suggest(name, self.values) or "; declare it, or give it a value"
                raise _refusal(f"variable '{name}' has no value{hint}", place)
            self.known.add(name)
            length += len(self.values[name])
            if length > _MOST_CHARACTERS:
                most = f"{_MOST_CHARACTERS} characters"
                raise _refusal(f"with variables expanded, this text exceeds {most}", place)
            return self.values[name]

        return _USE.sub(value, text)

    # -- Nodes of PyYAML --------------------------------------------------------------------

    def table(self, node: Any, what: str, known: tuple[str, ...] = ()) -> dict[str, Any]:
        """Return the key and value nodes of a table by the text of the key."""
        if node is None or node.id != "mapping":
            place = Span(self.source, 0, 0) if node is None else self.span(node)
            raise _refusal(f"expected a table of keys for {what}", place)
        found: dict[str, tuple[Any, Any]] = {}
        for key, value in node.value:
            place = self.span(key)
            if key.id != "scalar":
                raise _refusal("a key must be a single word", place)
            if key.value in found:
                raise _refusal(f"key '{key.value}' is repeated", place)
            if known and key.value not in known:
                hint = suggest(key.value, known) or f"; it has {', '.join(known)}"
                if key.value in ("schedule", "transform"):
                    hint = ": run schedules with 'transform-interpreter'"
                raise _refusal(f"{what} has no key '{key.value}'{hint}", place)
            found[key.value] = key, value
        return found

    def scalar(self, node: Any, what: str, *, empty: bool = False) -> str:
        """Return the text of a node."""
        if node.id != "scalar" or not (node.value or empty):
            raise _refusal(f"expected {what}", self.span(node))
        return node.value

    def span(self, node: Any) -> Span:
        """Return the place of a node."""
        first = min(node.start_mark.index, len(self.source.text))
        last = min(node.end_mark.index, len(self.source.text))
        # YAML's blocks end at the next token.
        return Span(self.source, first, first + len(self.source.text[first:last].rstrip()))

    def exact(self, node: Any) -> Span | None:
        """Return the place of a node's text; None if the file does not contain it verbatim."""
        start = node.start_mark.index + (node.style in ("'", '"'))
        exact = Span(self.source, start, start + len(node.value))
        return exact if exact.text == node.value else None


def _root(source: Source) -> Any:
    """Return the root node of a YAML text; None if the text is empty."""
    import yaml  # noqa: PLC0415 - for those who read YAML alone

    try:
        return yaml.SafeLoader(source.text).get_single_node()
    except RecursionError:
        raise _refusal("the file is nested too deeply", Span(source, 0, 1)) from None
    except yaml.reader.ReaderError as error:
        at, reasons = (
            error.position,
            [f"it has the character U+{ord(source.text[error.position]):04X}"],
        )
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        at, reasons = mark.index if mark else 0, [error.problem, error.context]
    at = min(at, len(source.text))
    message = "invalid YAML: " + ", ".join(filter(None, reasons))
    raise _refusal(message, Span(source, at, at))

"""Data to items of a builder."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from passel.builder.bundle import Bundle
from passel.builder.conditions import holds
from passel.builder.constraints import PHRASES
from passel.builder.data.constraint_form import read_constraints, read_target
from passel.builder.data.options import options_of
from passel.builder.data.tree import (
    ExcessError,
    Listing,
    Scalar,
    Table,
    as_bool,
    as_count,
    as_list,
    as_table,
    as_text,
    excess,
    refusal,
)
from passel.builder.data.variables import Choice
from passel.builder.data.variables import as_text as as_words
from passel.builder.origin import Origin
from passel.builder.sequence import BundleUse, Nest, bundled, stage_groups, steps_of
from passel.diagnostics import Source, Span, suggest
from passel.errors import MAX_PROBLEMS, PipelineError, Problem
from passel.passes.pass_type import PassType
from passel.pipeline import MAX_ELEMENTS, PassNode, parse_elements_at, parse_options

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable

    from passel.builder.conditions import Condition
    from passel.builder.constraints import Constraint
    from passel.builder.data.pipeline_file import PipelineFile
    from passel.builder.data.tree import Data
    from passel.builder.items import Normalizer
    from passel.builder.sequence import Node
    from passel.pipeline import ElementNode

_COMMON = ("label", "when", "enabled", "part-of")
_KEYS = {
    "pass": ("options",),
    "nest": ("passes", "jobs"),
    "bundle": ("passes", "together", "types", "idempotent", "constraints"),
    "stage": ("required", "default", "pre", "before", "passes", "after", "post"),
    "include": (),
}
_SAID = {
    "pass": "the name of a pass",
    "nest": "an op's name, or 'any'",
    "bundle": "the name of a bundle",
    "stage": "the name of a stage",
    "include": "the name of a file",
}
_SCHEDULES = ("schedule", "transform")
_MAX_DEPTH = 64


class Reader:
    """Makes items of what files say. They stand nowhere yet.

    Args:
        normalizer: Makes items of passes.
        file: The outermost file.
        anchor: The anchor of the pipeline that the items are for.

    Attributes:
        labels: The labels that the files give to items.
        asked: Constraints of the files, with the targets that they are for and their places.
    """

    def __init__(self, normalizer: Normalizer, file: PipelineFile, anchor: str) -> None:
        self.labels: set[str] = set()
        self.asked: list[tuple[Any, Constraint, Span]] = []
        self._normalizer = normalizer
        self._outermost = anchor
        self._file = file  # the one that is read
        self._anchor = anchor  # of the innermost pipeline that is read
        self._uses: dict[str, BundleUse] = {}
        self._bundles: dict[tuple[Any, str], Bundle] = {}
        self._problems: list[Problem] = []
        self._kind: type[PipelineError] | None = None
        self._count = 0
        self._depth = 0
        self._open: list[tuple[Any, str]] = []

    def nodes(self) -> list[Node]:
        """Return the items of the file.

        Raises:
            PipelineError: With all that is wrong, as far as elements do not depend on others.
        """
        found: list[Node] = []
        with self._collecting():
            found += self._read_file(None)
            if self._kind is None:
                self._file.scope.check_use(f"'{self._file.path}'")
        if self._kind is not None:
            raise self._kind(*self._problems[:MAX_PROBLEMS])
        return found

    @contextmanager
    def _collecting(self) -> Generator[None]:
        """Keep what is wrong with an element, so that the next can be looked at."""
        try:
            yield
        except ExcessError:
            raise
        except PipelineError as error:
            self._problems += error.problems
            self._kind = self._kind or type(error)

    @contextmanager
    def _in(self, anchor: str = "", file: PipelineFile | None = None) -> Generator[None]:
        """Read what is in a nested pipeline, or in another file."""
        outer = self._anchor, self._file
        self._anchor, self._file = anchor or self._anchor, file or self._file
        try:
            yield
        finally:
            self._anchor, self._file = outer

    def _read_file(self, span: Span | None) -> list[Node]:
        file = self._file
        if file.anchor and file.anchor != self._anchor:
            message = (
                f"this is a pipeline for '{file.anchor}', and stands where '{self._anchor}' is"
            )
            raise refusal(f"{message}; put it into nest: {file.anchor}", span or file.anchor_span)
        found = self._elements(file.elements)
        for element in file.constraints:
            with self._collecting():
                self._constraints(element)
        return found

    def _constraints(self, element: Data) -> None:
        table = as_table(element, "a constraint", ("for", *PHRASES))
        if "for" not in table.values:
            raise refusal("a constraint says what it is 'for'", table.span)
        target = read_target(table.values["for"], self._filled_bundle)
        for constraint, data in read_constraints(table, self._filled_bundle):
            self.asked.append((target, constraint, data.span))

    def _elements(self, elements: Iterable[Data]) -> list[Node]:
        found: list[Node] = []
        self._depth += 1
        for element in elements:
            if self._depth > _MAX_DEPTH:
                raise excess(
                    f"elements are nested more than {_MAX_DEPTH} levels deep", element.span
                )
            if len(self._problems) >= MAX_PROBLEMS:
                break
            self._add(1, element.span)
            with self._collecting():
                found += self._element(element)
        self._depth -= 1
        return found

    def _add(self, number: int, span: Span) -> None:
        self._count += number
        if self._count > MAX_ELEMENTS:
            raise excess(f"a pipeline has {MAX_ELEMENTS} elements at most", span)

    def _element(self, data: Data) -> list[Node]:
        if isinstance(data, Listing):  # an alias for several
            return self._elements(data.items)
        if isinstance(data, Scalar):
            return self._text(as_text(data, "an element of a pipeline"), None)
        kind = self._kind_of(data)
        as_table(data, f"an element with '{kind}'", (kind, *_KEYS[kind], *_COMMON))
        said = as_text(data.values[kind], _SAID[kind])
        make: Callable[[Table, Scalar], list[Node]] = getattr(self, f"_{kind}")
        nodes = make(data, said)
        self._finish(nodes, data)
        return nodes

    def _kind_of(self, table: Table) -> str:
        kinds = [key for key in table.values if key in _KEYS]
        if len(kinds) == 1:
            return kinds[0]
        span = table.keys[kinds[1]] if kinds else table.span
        if kinds:
            raise refusal(f"an element has one of '{kinds[0]}' and '{kinds[1]}', not both", span)
        for key, place in table.keys.items():
            if key in _SCHEDULES:
                message = (
                    f"'{key}' is no pass: preload the schedule with "
                    "'transform-preload-library', and run it with 'transform-interpreter'"
                )
                raise refusal(message, place)
            if hint := suggest(key, _KEYS):
                raise refusal(f"an element of a pipeline has no key '{key}'{hint}", place)
        raise refusal(f"an element of a pipeline is one of {', '.join(_KEYS)}, or text", span)

    # -- Kinds ------------------------------------------------------------------------------

    def _pass(self, table: Table, name: Scalar) -> list[Node]:
        return self._text(name, table.values.get("options"))

    def _text(self, scalar: Scalar, options: Data | None) -> list[Node]:
        """Return the items of a pipeline's text."""
        text, exact = self._file.scope.filled(scalar)
        with placed(scalar.span):
            elements = parse_elements_at(exact or Span(Source(text, ""), 0, len(text)))
            if options is not None:
                elements = (self._with_options(elements, scalar, options),)
            origin = _origin(scalar.span)
            nodes = [
                n for each in elements for n in self._normalizer.nodes(each, self._anchor, origin)
            ]
        self._add(sum(1 for _ in steps_of(nodes)), scalar.span)
        if exact is None:  # the text stands nowhere
            for step in steps_of(nodes):
                step.entry = step.entry._replace(span=scalar.span)
            for nest in (node for node in nodes if isinstance(node, Nest)):
                nest.span = scalar.span
        return nodes

    def _with_options(
        self, elements: tuple[ElementNode, ...], scalar: Scalar, options: Data
    ) -> PassNode:
        first = elements[0]
        if len(elements) > 1 or not isinstance(first, PassNode) or first.options:
            raise refusal("'options' go with the bare name of one pass", scalar.span)
        table = as_table(options, f"the options of '{first.name}'")
        return first._replace(options=tuple(options_of(table, self._file.scope)))

    def _nest(self, table: Table, name: Scalar) -> list[Node]:
        anchor, _ = self._file.scope.filled(name)
        jobs = as_count(table.values.get("jobs"), "'jobs'")
        nest = Nest(anchor, _origin(table.span), name.span, jobs)
        with self._in(anchor):
            nest.items += self._inside(table, "passes")
        return [nest]

    def _bundle(self, table: Table, name: Scalar) -> list[Node]:
        if "passes" in table.values:
            return self._added(self._declared(name.text, table), table)
        definition = self._definition(name)
        with self._opened(name):
            nodes = self._added(self._defined(name), definition)
        self._conditions(nodes, definition)
        return nodes

    def _added(self, bundle: Bundle, table: Table) -> list[Node]:
        return bundled(bundle, self._members(bundle, table), _origin(table.span))

    def _members(self, bundle: Bundle, table: Table) -> list[Node]:
        """Return the items of the passes of a bundle, which are its members."""
        if "passes" not in table.values:
            raise refusal(f"bundle '{bundle.name}' has no 'passes'", table.span)
        items = self._inside(table, "passes")
        bundle.members = bundle.members or tuple(e.item for e in self._normalizer.entries(items))
        return items

    def _filled_bundle(self, name: Scalar) -> Bundle:
        """Return a bundle that the file defines, with its members."""
        with self._opened(name), self._in(self._outermost):
            bundle = self._defined(name)
            self._members(bundle, self._definition(name))
        return bundle

    @contextmanager
    def _opened(self, name: Scalar) -> Generator[None]:
        """Refuse bundles whose definitions lead back to them."""
        key = (self._file.path, name.text)
        if key in self._open:
            chain = (*self._open[self._open.index(key) :], key)
            shown = " needs ".join(f"'{each}'" for _, each in chain)
            raise refusal(f"a bundle cannot need itself: {shown}", name.span)
        if len(self._open) >= _MAX_DEPTH:
            message = f"bundles need each other more than {_MAX_DEPTH} levels deep"
            raise excess(message, name.span)
        self._open.append(key)
        try:
            yield
        finally:
            self._open.pop()

    def _defined(self, name: Scalar) -> Bundle:
        """Return a bundle that the file defines, always the same one."""
        key = (self._file.path, name.text)
        if key not in self._bundles:
            self._bundles[key] = self._declared(name.text, self._definition(name))
        return self._bundles[key]

    def _definition(self, name: Scalar) -> Table:
        known = self._file.bundles
        if name.text not in known:
            rest = (
                suggest(name.text, known) or "; give its 'passes' here, or define it in 'bundles'"
            )
            raise refusal(f"there is no bundle '{name.text}'{rest}", name.span)
        definition = known[name.text]
        if isinstance(definition, Listing):
            return Table({"passes": definition}, {}, definition.span)
        return as_table(definition, f"bundle '{name.text}'", (*_KEYS["bundle"], "when"))

    def _declared(self, name: str, table: Table) -> Bundle:
        constraints = [
            constraint
            for each in as_list(table.values.get("constraints"), "constraints")
            for constraint, _ in read_constraints(
                as_table(each, "a constraint of a bundle", PHRASES), self._filled_bundle
            )
        ]
        types = as_list(table.values.get("types"), "types of pass")
        return Bundle(
            name,
            together=as_bool(table.values.get("together"), "'together'"),
            idempotent=as_bool(table.values.get("idempotent"), "'idempotent'", default=None),
            constraints=tuple(constraints),
            types=tuple(PassType(as_text(each, "a type of pass").text) for each in types),
        )

    def _stage(self, table: Table, name: Scalar) -> list[Node]:
        required = as_bool(table.values.get("required"), "'required'")
        groups = stage_groups(name.text, _origin(table.span), required=required)
        for group, key in zip(groups, ("pre", "passes", "post"), strict=True):
            group.label = f"stage {group.name}"
            self._take(group.label, name.span, f"stage '{name.text}'")
            group.items += self._inside(table, key)
        before, stage, after = groups
        stage.set_default(self._inside(table, "default"))
        between = (self._inside(table, key) for key in ("before", "after"))
        return [before, *next(between), stage, *next(between), after]

    def _include(self, table: Table, name: Scalar) -> list[Node]:
        text, _ = self._file.scope.filled(name)
        path, brace, rest = text.partition("{")
        options = parse_options(brace + rest, braces=True) if brace else ()
        given = {node.key: "true" if node.value is None else node.value.text for node in options}
        included = self._file.include(path.strip(), given, name.span)
        problems = len(self._problems)
        with self._in(file=included):
            found = self._read_file(name.span)
        if len(self._problems) == problems:
            included.scope.check_use(f"'{included.path}'")
        return found

    # -- What all kinds have ----------------------------------------------------------------

    def _inside(self, table: Table, key: str) -> list[Node]:
        return self._elements(as_list(table.values.get(key), f"'{key}'"))

    def _finish(self, nodes: list[Node], table: Table) -> None:
        """Give items what the keys say that all kinds of element have."""
        if not as_bool(table.values.get("enabled"), "'enabled'", default=True):
            for step in steps_of(nodes):
                step.enabled = False
        for each in _one_or_more(table.values.get("part-of")):
            use = self._use(as_text(each, "the name of a bundle"))
            for step in steps_of(nodes):
                step.bundles = (*step.bundles, use)
        if "label" in table.values:
            label = as_text(table.values["label"], "a label")
            if len(nodes) > 1:
                raise refusal(f"a label is for one item, not for {len(nodes)}", label.span)
            self._take(label.text, label.span, f"an item with the label '{label.text}'")
            for node in nodes:
                node.label = label.text
        self._conditions(nodes, table)

    def _take(self, label: str, span: Span, what: str) -> None:
        if label in self.labels:
            raise refusal(f"there is {what} already", span)
        self.labels.add(label)

    def _use(self, key: Scalar) -> BundleUse:
        """Return the addition of a bundle that `part-of` names."""
        if key.text not in self._uses:
            name = key.text.partition("#")[0]
            self._uses[key.text] = BundleUse(self._defined(Scalar(name, name, key.span)))
        return self._uses[key.text]

    def _conditions(self, nodes: list[Node], table: Table) -> None:
        """Have items depend on conditions; those of an included file are decided at once."""
        for each in _one_or_more(table.values.get("when")):
            condition = self._condition(each)
            if not self._file.included_by:
                for node in nodes:
                    node.conditions = (*node.conditions, condition)
            elif not holds(condition, self._file.scope.values, self._file.path.name):
                nodes.clear()

    def _condition(self, data: Data) -> Condition:
        if isinstance(data, Table):
            return self._choice(data)
        said = as_text(data, "a variable, or 'not' and a variable")
        words = said.text.split()
        name = words[-1]
        if words[:-1] not in ([], ["not"]):
            raise refusal("a condition is a variable, or 'not' and a variable", said.span)
        value = self._file.scope.value(name, said.span)
        if not isinstance(value, bool):
            message = (
                f"variable '{name}' is '{as_words(value)}', and a condition is true or false: ask "
                f"for a value, {{{name}: {as_words(value)}}}"
            )
            raise refusal(message, said.span)
        return " ".join(words)

    def _choice(self, table: Table) -> Condition:
        """Return the condition that a variable has one of some values."""
        if len(table.values) != 1:
            raise refusal("a condition asks for one variable; several are a list", table.span)
        ((name, data),) = table.values.items()
        value = self._file.scope.value(name, table.keys[name])
        choice = Choice(name, tuple(as_text(each, "a value").text for each in _one_or_more(data)))
        if isinstance(value, (bool, tuple)):
            raise refusal(f"variable '{name}' has no values to choose from", table.keys[name])
        return choice


def _one_or_more(data: Data | None) -> tuple[Data, ...]:
    if data is None:
        return ()
    return data.items if isinstance(data, Listing) else (data,)


def _origin(span: Span) -> Origin:
    return Origin("", span.source.name, span.line)


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

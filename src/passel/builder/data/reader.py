"""Data to items of a builder."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from passel.builder.bundle import Bundle
from passel.builder.conditions import holds
from passel.builder.data.constraint_form import KINDS, read_constraints, read_target
from passel.builder.data.options import options_of, placed
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
from passel.builder.items import anchor_of
from passel.builder.sequence import BundleUse, Container, Group, Nest, stage_groups
from passel.contracts.origin import Origin
from passel.diagnostics import Source, Span, suggest
from passel.errors import MAX_PROBLEMS, PipelineError, Problem
from passel.passes.pass_type import PassType
from passel.pipeline import MAX_ELEMENTS, PassNode, parse_elements_at, parse_options

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from passel.builder.conditions import Condition
    from passel.builder.data.pipeline_file import PipelineFile
    from passel.builder.data.tree import Data
    from passel.builder.items import Normalizer
    from passel.builder.sequence import Node, Step
    from passel.contracts.constraints import Constraint
    from passel.pipeline import ElementNode

_COMMON = ("label", "when", "enabled", "part-of")
_KEYS = {
    "pass": ("options",),
    "nest": ("passes", "jobs"),
    "bundle": ("passes", "together", "types", "idempotent", "constraints"),
    "stage": ("required", "default", "pre", "before", "passes", "after", "post"),
    "include": (),
}
_NOTHING = Scalar(None, "", Span(Source("", ""), 0, 0))
_SCHEDULES = ("schedule", "transform")
_MAX_DEPTH = 64


class Reader:
    """Makes items of what files say. They stand nowhere yet.

    Args:
        normalizer: Makes items of passes.
        root: The container that the items are for.

    Attributes:
        labels: The labels that the files give to items.
        asked: Constraints of the files, with the targets that they are for and their places.
    """

    def __init__(self, normalizer: Normalizer, root: Container) -> None:
        self._normalizer = normalizer
        self._root = root
        self.labels: set[str] = set()
        self._uses: dict[str, BundleUse] = {}
        self._bundles: dict[tuple[Any, str], Bundle] = {}
        self.asked: list[tuple[Any, Constraint, Span]] = []
        self._problems: list[Problem] = []
        self._kind: type[PipelineError] | None = None
        self._count = 0
        self._depth = 0
        self._open: list[tuple[Any, str]] = []

    def nodes(self, file: PipelineFile) -> list[Node]:
        """Return the items of a file.

        Raises:
            PipelineError: With all that is wrong, as far as elements do not depend on others.
        """
        found: list[Node] = []
        with self._collecting():
            found += self._file(file, self._root, None)
            if self._kind is None:
                file.scope.check_use(f"'{file.path}'")
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

    def _file(self, file: PipelineFile, container: Container, span: Span | None) -> list[Node]:
        anchor = anchor_of(container)
        if file.anchor and file.anchor != anchor:
            message = f"this is a pipeline for '{file.anchor}', and stands where '{anchor}' is"
            raise refusal(f"{message}; put it into nest: {file.anchor}", span or file.anchor_span)
        found = self._elements(file.elements, container, file)
        for element in file.constraints:
            with self._collecting():
                self._constraints(element, container, file)
        return found

    def _constraints(self, element: Data, container: Container, file: PipelineFile) -> None:
        table = as_table(element, "a constraint", ("for", *KINDS))
        if "for" not in table.values:
            raise refusal("a constraint says what it is 'for'", table.span)

        def bundle_of(name: Scalar) -> Bundle:
            return self._filled_bundle(name, container, file)

        target = read_target(table.values["for"], bundle_of)
        for constraint, data in read_constraints(table, bundle_of):
            self.asked.append((target, constraint, data.span))

    def _elements(
        self, elements: Iterable[Data], container: Container, file: PipelineFile
    ) -> list[Node]:
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
                found += self._element(element, container, file)
        self._depth -= 1
        return found

    def _add(self, number: int, span: Span) -> None:
        self._count += number
        if self._count > MAX_ELEMENTS:
            raise excess(f"a pipeline has {MAX_ELEMENTS} elements at most", span)

    def _element(self, data: Data, container: Container, file: PipelineFile) -> list[Node]:
        if isinstance(data, Listing):  # an alias for several
            return self._elements(data.items, container, file)
        if isinstance(data, Scalar):
            return self._text(as_text(data, "an element of a pipeline"), container, file, None)
        kind = self._kind_of(data)
        as_table(data, f"an element with '{kind}'", (kind, *_KEYS[kind], *_COMMON))
        make = getattr(self, f"_{kind}")
        nodes: list[Node] = make(data, container, file)
        self._finish(nodes, data, file)
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

    def _pass(self, table: Table, container: Container, file: PipelineFile) -> list[Node]:
        name = as_text(table.values["pass"], "the name of a pass")
        return self._text(name, container, file, table.values.get("options"))

    def _text(
        self, scalar: Scalar, container: Container, file: PipelineFile, options: Data | None
    ) -> list[Node]:
        """Return the items of a pipeline's text."""
        text, exact = file.scope.filled(scalar)
        with placed(scalar.span):
            span = exact or Span(Source(text, ""), 0, len(text))
            elements = parse_elements_at(span)
            if options is not None:
                elements = (self._with_options(elements, scalar, options, file),)
            origin = _origin(scalar.span)
            nodes = [
                n for each in elements for n in self._normalizer.nodes(each, container, origin)
            ]
        self._add(sum(1 for node in nodes for _ in node.steps()), scalar.span)
        if exact is None:  # the text stands nowhere
            for step in (step for node in nodes for step in node.steps()):
                step.entry = step.entry._replace(span=scalar.span)
            for nest in (node for node in nodes if isinstance(node, Nest)):
                nest.span = scalar.span
        return nodes

    @staticmethod
    def _with_options(
        elements: tuple[ElementNode, ...], scalar: Scalar, options: Data, file: PipelineFile
    ) -> PassNode:
        first = elements[0]
        if len(elements) > 1 or not isinstance(first, PassNode) or first.options:
            raise refusal("'options' go with the bare name of one pass", scalar.span)
        table = as_table(options, f"the options of '{first.name}'")
        return first._replace(options=tuple(options_of(table, file.scope)))

    def _nest(self, table: Table, container: Container, file: PipelineFile) -> list[Node]:
        anchor, _ = file.scope.filled(as_text(table.values["nest"], "an op's name, or 'any'"))
        jobs = as_count(table.values.get("jobs"), "'jobs'")
        nest = Nest(anchor, _origin(table.span), table.values["nest"].span, jobs)
        nest.parent = container
        nest.items += self._inside(table, "passes", nest, file)
        return [nest]

    def _bundle(self, table: Table, container: Container, file: PipelineFile) -> list[Node]:
        name = as_text(table.values["bundle"], "the name of a bundle")
        if "passes" in table.values:
            whole, bundle = table, self._declared(name.text, table, file)
            group = self._with_members(bundle, whole, container, file)
        else:
            whole = self._definition(name, file)
            with self._opened(name, file):
                bundle = self._defined(name, file)
                group = self._with_members(bundle, whole, container, file)
        use = BundleUse(bundle)
        for step in group.steps():
            step.bundles = (*step.bundles, use)
        nodes: list[Node] = [group] if bundle.together else group.items
        if whole is not table:
            self._conditions(nodes, whole, file)
        return nodes

    def _with_members(
        self, bundle: Bundle, table: Table, container: Container, file: PipelineFile
    ) -> Group:
        """Return a group of the passes of a bundle, which are its members."""
        if "passes" not in table.values:
            raise refusal(f"bundle '{bundle.name}' has no 'passes'", table.span)
        group = Group(bundle.name, _origin(table.span), is_closed=bundle.together)
        group.parent = container
        group.items += self._inside(table, "passes", group, file)
        bundle.members = bundle.members or tuple(e.item for e in self._normalizer.entries(group))
        return group

    def _filled_bundle(self, name: Scalar, container: Container, file: PipelineFile) -> Bundle:
        """Return a bundle that the file defines, with its members."""
        with self._opened(name, file):
            bundle = self._defined(name, file)
            self._with_members(bundle, self._definition(name, file), container, file)
        return bundle

    @contextmanager
    def _opened(self, name: Scalar, file: PipelineFile) -> Generator[None]:
        """Refuse bundles whose definitions lead back to them."""
        key = (file.path, name.text)
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

    def _defined(self, name: Scalar, file: PipelineFile) -> Bundle:
        """Return a bundle that the file defines, always the same one."""
        key = (file.path, name.text)
        if key not in self._bundles:
            definition = self._definition(name, file)
            self._bundles[key] = self._declared(name.text, definition, file)
        return self._bundles[key]

    @staticmethod
    def _definition(name: Scalar, file: PipelineFile) -> Table:
        definition = file.bundles.get(name.text)
        if definition is None:
            hint = suggest(name.text, file.bundles)
            rest = hint or "; give its 'passes' here, or define it in 'bundles'"
            raise refusal(f"there is no bundle '{name.text}'{rest}", name.span)
        if isinstance(definition, Listing):
            return Table({"passes": definition}, {}, definition.span)
        return as_table(definition, f"bundle '{name.text}'", (*_KEYS["bundle"], "when"))

    def _declared(self, name: str, table: Table, file: PipelineFile) -> Bundle:
        constraints: list[Constraint] = []
        for each in as_list(table.values.get("constraints", _NOTHING), "constraints"):
            element = as_table(each, "a constraint of a bundle", KINDS)
            constraints += (
                constraint
                for constraint, _ in read_constraints(
                    element, lambda name: self._filled_bundle(name, self._root, file)
                )
            )
        types = as_list(table.values["types"], "types of pass") if "types" in table.values else ()
        return Bundle(
            name,
            together=as_bool(table.values.get("together"), "'together'"),
            idempotent=as_bool(table.values.get("idempotent"), "'idempotent'", default=None),
            constraints=tuple(constraints),
            types=tuple(PassType(as_text(each, "a type of pass").text) for each in types),
        )

    def _stage(self, table: Table, container: Container, file: PipelineFile) -> list[Node]:
        name = as_text(table.values["stage"], "the name of a stage")
        required = as_bool(table.values.get("required"), "'required'")
        groups = stage_groups(name.text, _origin(table.span), required=required)
        for group, key in zip(groups, ("pre", "passes", "post"), strict=True):
            group.parent = container
            group.label = f"stage {group.name}"
            self._take(group.label, name.span, f"stage '{name.text}'")
            group.items += self._inside(table, key, group, file)
        before, stage, after = groups
        stage.default = tuple(self._inside(table, "default", stage, file))
        between = (self._inside(table, key, container, file) for key in ("before", "after"))
        return [before, *next(between), stage, *next(between), after]

    def _include(self, table: Table, container: Container, file: PipelineFile) -> list[Node]:
        name = as_text(table.values["include"], "the name of a file")
        text, _ = file.scope.filled(name)
        path, brace, rest = text.partition("{")
        options = parse_options(brace + rest, braces=True) if brace else ()
        given = {node.key: "true" if node.value is None else node.value.text for node in options}
        included = file.include(path.strip(), given, name.span)
        problems = len(self._problems)
        found = self._file(included, container, name.span)
        if len(self._problems) == problems:
            included.scope.check_use(f"'{included.path}'")
        return found

    # -- What all kinds have ----------------------------------------------------------------

    def _inside(
        self, table: Table, key: str, container: Container, file: PipelineFile
    ) -> list[Node]:
        if key not in table.values:
            return []
        return self._elements(as_list(table.values[key], f"'{key}'"), container, file)

    def _finish(self, nodes: list[Node], table: Table, file: PipelineFile) -> None:
        """Give items what the keys say that all kinds of element have."""
        steps = [step for node in nodes for step in node.steps()]
        if not as_bool(table.values.get("enabled"), "'enabled'", default=True):
            for step in steps:
                step.enabled = False
        if "part-of" in table.values:
            self._part_of(steps, table.values["part-of"], file)
        if "label" in table.values:
            label = as_text(table.values["label"], "a label")
            if len(nodes) > 1:
                raise refusal(f"a label is for one item, not for {len(nodes)}", label.span)
            self._take(label.text, label.span, f"an item with the label '{label.text}'")
            for node in nodes:
                node.label = label.text
        self._conditions(nodes, table, file)

    def _take(self, label: str, span: Span, what: str) -> None:
        if label in self.labels:
            raise refusal(f"there is {what} already", span)
        self.labels.add(label)

    def _part_of(self, steps: list[Step], data: Data, file: PipelineFile) -> None:
        listed = data.items if isinstance(data, Listing) else (data,)
        for each in listed:
            key = as_text(each, "the name of a bundle")
            name = key.text.partition("#")[0]
            if key.text not in self._uses:
                bundle = self._defined(Scalar(name, name, key.span), file)
                self._uses[key.text] = BundleUse(bundle)
            for step in steps:
                step.bundles = (*step.bundles, self._uses[key.text])

    def _conditions(self, nodes: list[Node], table: Table, file: PipelineFile) -> None:
        """Have items depend on conditions; those of an included file are decided at once."""
        when = table.values.get("when")
        if when is None:
            return
        for each in when.items if isinstance(when, Listing) else (when,):
            condition = self._condition(each, file)
            if not file.included_by:
                for node in nodes:
                    node.conditions = (*node.conditions, condition)
            elif not holds(condition, file.scope.values, file.path.name):
                nodes.clear()

    def _condition(self, data: Data, file: PipelineFile) -> Condition:
        if isinstance(data, Table):
            return self._choice(data, file)
        said = as_text(data, "a variable, or 'not' and a variable")
        words = said.text.split()
        name = words[-1]
        if words[:-1] not in ([], ["not"]):
            raise refusal("a condition is a variable, or 'not' and a variable", said.span)
        value = file.scope.value(name, said.span)
        if not isinstance(value, bool):
            message = (
                f"variable '{name}' is '{as_words(value)}', and a condition is true or false: ask "
                f"for a value, {{{name}: {as_words(value)}}}"
            )
            raise refusal(message, said.span)
        return " ".join(words)

    @staticmethod
    def _choice(table: Table, file: PipelineFile) -> Condition:
        """Return the condition that a variable has one of some values."""
        if len(table.values) != 1:
            raise refusal("a condition asks for one variable; several are a list", table.span)
        ((name, data),) = table.values.items()
        value = file.scope.value(name, table.keys[name])
        listed = data.items if isinstance(data, Listing) else (data,)
        choice = Choice(name, tuple(as_text(each, "a value").text for each in listed))
        if isinstance(value, (bool, tuple)):
            raise refusal(f"variable '{name}' has no values to choose from", table.keys[name])
        return choice


def _origin(span: Span) -> Origin:
    return Origin("", span.source.name, span.line)

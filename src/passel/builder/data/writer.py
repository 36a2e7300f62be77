"""A builder's items to data, and to YAML: reading it gives equal items."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from passel.builder.bundle import Bundle
from passel.builder.data.constraint_form import write_constraint, write_target
from passel.builder.data.variables import Choice
from passel.builder.data.yaml_form import dump_yaml
from passel.builder.naming import describe
from passel.builder.sequence import Group, Nest, is_stage, name_of
from passel.errors import PipelineError, Problem
from passel.manager import OpPassManager
from passel.passes import Pass
from passel.pipeline import print_element

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from collections.abc import Sequence as Items

    from passel.builder.conditions import Condition
    from passel.builder.rules import Rule
    from passel.builder.sequence import BundleUse, Node, Sequence, Step

_Element: TypeAlias = "dict[str, Any]"


def to_yaml(sequence: Sequence, variables: Mapping[str, Any]) -> str:
    """Return a builder's items, and the constraints from outside, as YAML.

    Args:
        sequence: The items.
        variables: The variables, whose values become the defaults.

    Raises:
        PipelineError: Something cannot be written.
    """
    regions = sequence.regions
    for region in regions:
        message = (
            f"the region between {describe(region.start)} and {describe(region.end)} preserves "
            "analyses, which are classes, so it cannot be written"
        )
        raise PipelineError(Problem(message))
    return dump_yaml(_Writer(sequence.root, variables, sequence.constraints).data())


class _Writer:
    """Turns items into plain data."""

    def __init__(self, root: Nest, variables: Mapping[str, Any], rules: tuple[Rule, ...]) -> None:
        self._root = root
        self._variables = variables
        self._rules = rules
        self._bundles: dict[str, Any] = {}
        self._parts: dict[BundleUse, str] = {}

    def data(self) -> dict[str, Any]:
        """Return all as plain data."""
        found: dict[str, Any] = {}
        if self._root.anchor != "builtin.module":
            found["anchor"] = _escaped(self._root.anchor)
        if self._variables:
            found["variables"] = {n: _plain(n, v) for n, v in self._variables.items()}
        elements = self._elements(self._root.items)
        constraints = [self._constraint(rule) for rule in self._rules]
        if self._bundles:
            found["bundles"] = self._bundles
        if constraints:
            found["constraints"] = constraints
        return {**found, "Pipeline": elements}

    def _constraint(self, rule: Rule) -> _Element:
        """Return a constraint; the bundles that it names are defined, with their passes."""
        for target in (rule.target, *rule.constraint.targets):
            if isinstance(target, Bundle):
                defined = self._bundles.setdefault(target.name, _declared(target))
                defined.setdefault("passes", [_member(each) for each in target.members])
        said = write_constraint(rule.constraint)
        return said if rule.target is None else {"for": write_target(rule.target), **said}

    def _elements(self, items: Items[Node], block: BundleUse | None = None) -> list[_Element]:
        """Return the elements for items that stand next to each other.

        Args:
            items: The items.
            block: The innermost enclosing bundle that stays together.
        """
        found: list[_Element] = []
        index = 0
        while index < len(items):
            item = items[index]
            length = 1
            if not isinstance(item, Group):
                found.append(self._single(item, block))
            elif item.use is not None:
                found.append(self._block(item, item.use, block))
            else:
                length = _length_of_stage(items[index:])
                found.append(self._stage(items[index : index + length]))
            index += length
        return found

    def _block(self, group: Group, use: BundleUse, block: BundleUse | None) -> _Element:
        """Return the element for a bundle that stays together."""
        uses = _uses_inside(next(group.steps(), None), block)
        outer = uses[uses.index(use) + 1 :] if use in uses else []
        element = {"bundle": group.name, **_declared(use.bundle)}
        self._describe(element, group, outer)
        return {**element, "passes": self._elements(group.items, use)}

    def _stage(self, items: Items[Node]) -> _Element:
        before, stage, after = filter(is_stage, items)
        middle = items.index(stage)
        element: _Element = {"stage": stage.name}
        if stage.is_required:
            element["required"] = True
        self._describe(element, stage)
        parts = {
            "default": stage.items if stage.is_by_default else stage.default,
            "pre": before.items,
            "before": items[1:middle],
            "passes": () if stage.is_by_default else stage.items,
            "after": items[middle + 1 : -1],
            "post": after.items,
        }
        return element | {key: self._elements(inner) for key, inner in parts.items() if inner}

    def _single(self, item: Step | Nest, block: BundleUse | None) -> _Element:
        if isinstance(item, Nest):
            element: _Element = {"nest": _escaped(item.anchor)}
            if item.jobs is not None:
                element["jobs"] = item.jobs
            self._describe(element, item)
            return {**element, "passes": self._elements(item.items, block)}
        if not item.pass_.name:
            shown = item.pass_.display_name
            raise PipelineError(Problem(f"pass '{shown}' has no name, so it cannot be written"))
        element = {"pass": _escaped(print_element(item.pass_.to_node()))}
        self._describe(element, item, _uses_inside(item, block))
        if not item.enabled:
            element["enabled"] = False
        return element

    def _part(self, use: BundleUse) -> str:
        """Return what an addition of a bundle is called in `part-of`."""
        name = use.bundle.name
        if self._bundles.setdefault(name, _declared(use.bundle)) != _declared(use.bundle):
            message = f"there are different bundles '{name}', so they cannot be written; rename one"
            raise PipelineError(Problem(message))
        if use not in self._parts:
            number = sum(part.partition("#")[0] == name for part in self._parts.values()) + 1
            self._parts[use] = name if number == 1 else f"{name}#{number}"
        return self._parts[use]

    def _describe(self, element: _Element, item: Node, uses: Items[BundleUse] = ()) -> None:
        """Add what the keys say that all kinds of element have."""
        if item.label not in ("", name_of(item)) and not is_stage(item):
            element["label"] = item.label
        conditions = [_condition(each, item.label) for each in item.conditions if each is not None]
        if conditions:
            element["when"] = conditions[0] if len(conditions) == 1 else conditions
        if uses:
            element["part-of"] = [self._part(use) for use in uses]


def _uses_inside(step: Step | None, block: BundleUse | None) -> list[BundleUse]:
    """Return the bundles of a step that are inside of an enclosing one, the innermost first."""
    uses = () if step is None else step.bundles
    return list(takewhile(lambda use: use is not block, uses))


def _declared(bundle: Bundle) -> _Element:
    found: _Element = {}
    if bundle.together:
        found["together"] = True
    if bundle.types:
        found["types"] = [each.name for each in bundle.types]
    if bundle.idempotent is not None:
        found["idempotent"] = bundle.idempotent
    if bundle.constraints:
        found["constraints"] = [write_constraint(each) for each in bundle.constraints]
    return found


def _member(member: object) -> Any:
    if isinstance(member, str):
        return _escaped(member)
    if isinstance(member, OpPassManager):
        return _escaped(str(member))
    pass_: Any = member
    if isinstance(member, Pass) and pass_.name:
        return _escaped(str(pass_))
    if isinstance(member, Bundle):
        return {
            "bundle": member.name,
            **_declared(member),
            "passes": list(map(_member, member.members)),
        }
    raise PipelineError(Problem(f"{member!r} has no name, so it cannot be written"))


def _condition(condition: Condition, label: str) -> str | _Element:
    if isinstance(condition, str):
        return condition
    if isinstance(condition, Choice):
        values = list(condition.values)
        return {condition.name: values[0] if len(values) == 1 else values}
    message = (
        f"'{label}' runs on a condition in Python, which cannot be written; use a variable of "
        "the pipeline"
    )
    raise PipelineError(Problem(message))


def _length_of_stage(items: Items[Node]) -> int:
    """Return how many items a stage is, from `pre_` to `post_`."""
    places = [place for place, item in enumerate(items) if is_stage(item)][:3]
    names = [name_of(items[place]) for place in places]
    name = names[0].removeprefix("pre_")
    if names != [f"pre_{name}", name, f"post_{name}"]:
        message = f"a part of stage '{name}' was taken out, so it cannot be written"
        raise PipelineError(Problem(message))
    return places[-1] + 1


def _plain(name: str, value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return [_plain(name, item) for item in cast("Iterable[Any]", value)]
    if isinstance(value, (str, bool, int, float)):
        return value
    raise PipelineError(Problem(f"variable '{name}' is {value!r}, which cannot be written"))


def _escaped(text: str) -> str:
    return text.replace("$", "$$")

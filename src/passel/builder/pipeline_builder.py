"""The pipeline builder: a pipeline whose order is variable until it is built.

It makes pass managers and is not known to them: nothing about how pipelines run depends on it.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, Literal, Self, TypedDict, Unpack, overload

from passel.builder.contracts import Region, refuse, violations_in
from passel.builder.declarations import default_declarations
from passel.builder.duplicates import drop_duplicates
from passel.builder.explaining import explanation
from passel.builder.extensions import run_extensions
from passel.builder.finishing import finish
from passel.builder.followers import insert_followers
from passel.builder.insertion import put_after, put_before
from passel.builder.items import Normalizer
from passel.builder.order import Order, refuse_breaches
from passel.builder.origin import caller
from passel.builder.positions import Positions
from passel.builder.sequence import Sequence, steps_of
from passel.builder.targets import Stage, Targets
from passel.errors import AnchorError, InsertionError, PipelineError, Problem
from passel.ir import ANY, op_name_of
from passel.manager import Nesting, OpPassManager, PassManager
from passel.pipeline import PipelineNode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from passel.builder.conditions import Condition
    from passel.builder.constraints import Constraint
    from passel.builder.contract_model import Violation
    from passel.builder.declarations import DeclarationTable
    from passel.builder.drawing import Form, Picture
    from passel.builder.explaining import Explanation
    from passel.builder.extensions import Extension
    from passel.builder.finishing import Remark
    from passel.builder.insertion import Put
    from passel.builder.rules import Rule
    from passel.builder.sequence import Step
    from passel.builder.targets import Handle, Occurrence, Target
    from passel.ir import IRAdapter
    from passel.passes import Options, PassRegistry, PassType


class _How(TypedDict, total=False):
    """Arguments of `insert_before` and `insert_after` that do not change what they return."""

    occurrence: Occurrence
    split: bool
    when: Condition


class PipelineBuilder:
    """A pipeline that is being put together, maybe by several who do not know each other.

    Its elements are steps, each with a label and a handle that stay valid whatever is put
    around it. `build` makes a pass manager of them. Whatever is refused with an error leaves
    the builder as it was.

    Args:
        anchor: An op name, an op class, or `any`.
        context: As for `PassManager`.
        adapter: As for `PassManager`.
        registry: Where names are looked up; by default all installed passes.
        declarations: What is declared of passes beside what their classes say; by default what
            installed packages declare.
        nesting: What to do with a pass that has another anchor.
        variables: The variables that conditions may ask for, with their values.

    Example:
        >>> builder = PipelineBuilder("builtin.module")
        >>> canonicalize = builder.add("canonicalize")
        >>> _ = builder.insert_before(canonicalize, "cse")
        >>> print(builder.build())
        builtin.module(cse,canonicalize)
    """

    def __init__(
        self,
        anchor: str | type = "builtin.module",
        context: Any = None,
        *,
        adapter: IRAdapter | None = None,
        registry: PassRegistry | None = None,
        declarations: DeclarationTable | None = None,
        nesting: Nesting = Nesting.EXPLICIT,
        variables: Mapping[str, Any] | None = None,
    ) -> None:
        empty = PipelineNode(op_name_of(anchor))
        self._template = PassManager.from_node(empty, context, registry=registry, adapter=adapter)
        self._template.nesting = nesting
        self.declarations: DeclarationTable = declarations or default_declarations()
        self.variables: dict[str, Any] = dict(variables or {})
        normalizer = Normalizer(self._template)
        self._order = Order(self.declarations, normalizer)
        self._positions = Positions(Sequence(self._template.anchor), self._order, normalizer)
        self._normalizer = normalizer
        self._at: str = ""  # the label of the nested pipeline that is added to

    def nest(
        self, anchor: str | type, *, label: str = "", jobs: int | None = None
    ) -> PipelineBuilder:
        """Append a nested pipeline, and return a builder that adds to it.

        As a context manager it only groups the code. It is the same pipeline: targets are
        searched for everywhere.

        Args:
            anchor: An op name, an op class, or `any`.
            label: Its label.
            jobs: How many such ops it may run on at once, if the run allows more.
        """
        view = copy(self)
        (view._at,) = self.add(OpPassManager(anchor, jobs=jobs), label=label).labels
        return view

    # -- Editing ----------------------------------------------------------------------------

    def add(
        self, *items: object, label: str = "", stage: str = "", when: Condition = None
    ) -> Handle:
        """Append passes, and return a handle to what was added.

        Args:
            items: As for `OpPassManager.add`; or bundles.
            label: The label of what is added, if that is one item.
            stage: The name of a stage to append to, also `pre_` or `post_` and its name.
            when: The variable or predicate that it depends on whether they run.

        Raises:
            InsertionError: A constraint would be broken, the label is taken, or there is no such
                stage.
            PipelineError: The text is wrong, or a pass has another anchor.
        """
        with self._positions.edit() as edit:
            container = edit.stage(stage) if stage else edit.container(self._at)
            edit.append(items, container, label)
            edit.depend_on(when)
        return edit.handle

    @overload
    def insert_before(
        self, target: Target, *items: object, missing_ok: Literal[False] = ..., **how: Unpack[_How]
    ) -> Handle: ...
    @overload
    def insert_before(
        self, target: Target, *items: object, missing_ok: bool, **how: Unpack[_How]
    ) -> Handle | None: ...
    def insert_before(
        self, target: Target, *items: object, missing_ok: bool = False, **how: Unpack[_How]
    ) -> Handle | None:
        """Put passes right before a target, by default before the first one.

        A pass that cannot stand in the nested pipeline of the target is put before that
        pipeline, if the target is the first in there.

        Args:
            target: What they are put before.
            items: As for `add`.
            occurrence: Which one, of several that match.
            missing_ok: Return None if the target is not there, or a constraint would be broken.
            split: Whether a nested pipeline may be split to make place.
            when: As for `add`.

        Raises:
            InsertionError: The target is not there, or a constraint would be broken.
            PipelineError: The text is wrong, or a pass has another anchor.
        """
        return self._insert(put_before, target, items, "first", missing_ok=missing_ok, **how)

    @overload
    def insert_after(
        self, target: Target, *items: object, missing_ok: Literal[False] = ..., **how: Unpack[_How]
    ) -> Handle: ...
    @overload
    def insert_after(
        self, target: Target, *items: object, missing_ok: bool, **how: Unpack[_How]
    ) -> Handle | None: ...
    def insert_after(
        self, target: Target, *items: object, missing_ok: bool = False, **how: Unpack[_How]
    ) -> Handle | None:
        """Put passes right after a target, by default after the last one.

        The arguments and errors are as for `insert_before`.
        """
        return self._insert(put_after, target, items, "last", missing_ok=missing_ok, **how)

    def insert_inside(
        self, target: PassType | Stage | str, *items: object, when: Condition = None
    ) -> Handle:
        """Put passes inside the interval of a type, right after its first pass; or into a stage.

        Args:
            target: A type of pass, or a stage.
            items: As for `add`.
            when: As for `add`.

        Raises:
            InsertionError: No pass has the type, there is no such stage, or a constraint would
                be broken.
        """
        if isinstance(target, (Stage, str)):
            return self.add(*items, stage=str(target), when=when)
        return self.insert_after(target, *items, occurrence="first", when=when)

    def _insert(
        self,
        put: Put,
        target: Target,
        items: tuple[object, ...],
        by_default: Occurrence,
        *,
        missing_ok: bool,
        **how: Unpack[_How],
    ) -> Handle | None:
        occurrence = how.get("occurrence", by_default)
        try:
            with self._positions.edit() as edit:
                edit.insert(put, target, items, occurrence, split=how.get("split", False))
                edit.depend_on(how.get("when"))
        except InsertionError:
            if missing_ok:
                return None
            raise
        return edit.handle

    def replace(self, target: Target, *items: object, occurrence: Occurrence = "all") -> Handle:
        """Put passes in place of a target.

        Args:
            target: What they replace.
            items: As for `add`.
            occurrence: Which one, of several that match.

        Raises:
            InsertionError: The target is not there, or a constraint would be broken.
        """
        with self._positions.edit() as edit:
            edit.replace(target, items, occurrence)
        return edit.handle

    def remove(
        self, target: Target, *, occurrence: Occurrence = "all", missing_ok: bool = False
    ) -> None:
        """Take a target out.

        Args:
            target: What is taken out.
            occurrence: Which one, of several that match.
            missing_ok: Do nothing if it is not there.

        Raises:
            InsertionError: The target is not there, a constraint would be broken, or an
                extension has put something next to it and another one removes it.
        """
        with self._positions.edit() as edit:
            edit.remove(target, occurrence, missing_ok=missing_ok)

    def disable(self, target: Target, *, occurrence: Occurrence = "all") -> None:
        """Leave a target where it is, but out of what is built.

        Raises:
            InsertionError: The target is not there, or holds no passes; what a stage would have
                by default does not stand in it.
        """
        with self._positions.edit() as edit:
            edit.enable(target, occurrence, enabled=False)

    def enable(self, target: Target, *, occurrence: Occurrence = "all") -> None:
        """Take back what `disable` did.

        Raises:
            InsertionError: The target is not there.
        """
        with self._positions.edit() as edit:
            edit.enable(target, occurrence, enabled=True)

    # -- Order ------------------------------------------------------------------------------

    def constrain(self, target: Target, *constraints: Constraint) -> None:
        """Put constraints on a target, in addition to what its passes and bundles declare.

        They hold for all that the target stands for, now and later; nothing need be there yet.

        Args:
            target: The passes that they are for.
            constraints: Where these may stand.

        Raises:
            InsertionError: The pipeline breaks one of them already; the builder is as it was.
            DefinitionError: Something is no constraint.

        Example:
            >>> from passel.builder import PipelineBuilder, after_all
            >>> builder = PipelineBuilder()
            >>> builder.constrain("cse", after_all("canonicalize"))
            >>> _ = builder.add("canonicalize", "cse")
            >>> builder.insert_before("canonicalize", "cse", missing_ok=True) is None
            True
        """
        with self._positions.edit() as edit:
            edit.constrain(target, constraints)

    def place(self, *items: object, label: str = "", when: Condition = None) -> Handle:
        """Put passes where their constraints want them, and return a handle to them.

        Where that is depends on the steps that were added explicitly, on the set of placed steps
        and on the set of constraints, and not on the order of the calls: all placed steps are
        placed anew at every change. One that has to run after others runs as early as it can;
        one that only has to run before others, right before the first of them; one without
        constraints on its order, last. What a step needs may be added later: whether it is there
        is not checked before `build`.

        A pass stands in the pipeline that it is placed in, if it can, else in the first nested
        one where it can. Nested pipelines and stages are not split, and bundles keep the order
        of their members. `immediately_after` and `not_between` are only checked: what they are for
        is put in its place by `insert_after` and its like. A call is refused if there is no order
        then, even if a later one would make it possible: extensions are called again in this
        case, and one call can place several. What something is put next to by `insert_before`
        and its like stays there.

        Args:
            items: As for `add`.
            label: As for `add`.
            when: As for `add`.

        Raises:
            InsertionError: There is no order that fulfils all constraints; the error says which
                of them contradict each other.
            PipelineError: The text is wrong, or no pipeline here has the anchor of a pass.

        Example:
            >>> from passel.builder import PipelineBuilder, before_first
            >>> builder = PipelineBuilder()
            >>> builder.constrain("cse", before_first("canonicalize"))
            >>> _ = builder.add("symbol-dce", "canonicalize")
            >>> _ = builder.place("cse")
            >>> print(builder)
            builtin.module(symbol-dce,cse,canonicalize)
        """
        with self._positions.edit() as edit:
            edit.place(items, self._at, label)
            edit.depend_on(when)
        return edit.handle

    def arrange(self, *items: object, when: Condition = None) -> Handle:
        """Append passes, and bring all into an order that fulfils the constraints.

        Steps that were added explicitly keep their order as far as the constraints allow: of
        those that can come next, the first always does. Nested pipelines, stages and bundles
        that stay together stay as they are inside and out; the order inside is arranged as well,
        but that of the members of a bundle.

        Args:
            items: As for `add`.
            when: As for `add`.

        Raises:
            InsertionError: There is no such order; the error says which constraints contradict
                each other.
            PipelineError: The text is wrong, or a pass has another anchor.

        Example:
            >>> from passel.builder import PipelineBuilder, after_all
            >>> builder = PipelineBuilder()
            >>> builder.constrain("cse", after_all("canonicalize"))
            >>> _ = builder.arrange("cse", "canonicalize", "symbol-dce")
            >>> print(builder)
            builtin.module(canonicalize,cse,symbol-dce)
        """
        with self._positions.edit(is_free=True) as edit:
            edit.append(items, edit.container(self._at))
            edit.depend_on(when)
        return edit.handle

    def explain(self, target: Target, *, occurrence: Occurrence = "first") -> Explanation:
        """Return why a step stands where it stands.

        Args:
            target: The step, or something that stands for it.
            occurrence: Which one, of several that match.

        Raises:
            InsertionError: The target is not there.

        Example:
            >>> from passel.builder import PipelineBuilder, before_first
            >>> builder = PipelineBuilder()
            >>> _ = builder.add("canonicalize")
            >>> builder.constrain("cse", before_first("canonicalize"))
            >>> _ = builder.place("cse")
            >>> print(builder.explain("cse"))
            'cse' was placed at ...
              it runs right before 'canonicalize'
              it must run before the first 'canonicalize' (declared at ...)
        """
        (unit,) = self._positions.targets.select(target, occurrence)
        step = next(steps_of(unit), None)
        if step is None:
            raise InsertionError(Problem(f"there is nothing in '{target}' to be explained"))
        return explanation(step, self._positions.rules)

    # -- Asking -----------------------------------------------------------------------------

    def find(self, target: Target) -> tuple[Step, ...]:
        """Return the steps that a target stands for, in the order in which they run."""
        return tuple(
            step for unit in self._positions.targets.units(target) for step in steps_of(unit)
        )

    def steps(self) -> Iterator[Step]:
        """Yield all steps in the order in which they run."""
        return self._positions.sequence.steps()

    def types_of(self, step: Step) -> tuple[PassType, ...]:
        """Return the parts that a step plays: its pass's own, and its bundles'."""
        return self._positions.targets.types_of(step)

    def constraints(self) -> Iterator[tuple[Rule, Step]]:
        """Yield the constraints that are in force, with the steps that each holds for."""
        return self._positions.rules.all()

    def __contains__(self, target: Target) -> bool:
        """Return whether there is something that a target stands for."""
        return bool(self._positions.targets.units(target))

    def __len__(self) -> int:
        return sum(1 for _ in self.steps())

    def __bool__(self) -> bool:
        """A builder is true even when it is empty, so that `builder or default` keeps it."""
        return True

    def __str__(self) -> str:
        return str(self._manager(self._positions.sequence))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    # -- Contracts --------------------------------------------------------------------------

    def between(self, start: Target, end: Target, *, preserves: type | tuple[type, ...]) -> Self:
        """Ask that each pass between two others declares that it preserves analyses.

        What passes themselves say that they produce and require is watched without this. The
        region goes from each pass that `start` stands for to the next one of `end`; both are
        looked for when the pipeline is built.

        Args:
            start: What the region starts after.
            end: What it ends before.
            preserves: One analysis, or several.
        """
        kinds = preserves if isinstance(preserves, tuple) else (preserves,)
        with self._positions.edit() as edit:
            edit.sequence.regions += (Region(start, end, kinds, edit.origin),)
        return self

    def violations(self) -> tuple[Violation, ...]:
        """Return what breaks contracts in the pipeline that would be built, and warnings."""
        sequence, _ = self._finished()
        return self._violations(sequence, self._manager(sequence))

    def _violations(self, sequence: Sequence, manager: PassManager) -> tuple[Violation, ...]:
        targets = Targets(sequence, self.declarations, self._order.rules(sequence).index)
        return violations_in(manager, sequence, targets, self.declarations)

    # -- Stages -----------------------------------------------------------------------------

    def stage(
        self,
        name: str,
        *default: object,
        required: bool = False,
    ) -> Stage:
        """Append a stage: a place with a name that is a promise, which passes' names are not.

        Around it are two more, `pre_` and `post_` and its name.

        Args:
            name: Its name.
            default: What stands in it if nothing else is put there.
            required: Whether a pipeline is refused if nothing is put there.

        Raises:
            InsertionError: There is a stage of this name.
        """
        with self._positions.edit() as edit:
            edit.add_stage(name, default, edit.container(self._at), required=required)
        return Stage(name)

    # -- Handing it around ------------------------------------------------------------------

    def extend(self, *extensions: Callable[[PipelineBuilder], object] | Extension) -> Self:
        """Let extensions add to the pipeline, and return this builder.

        They are called in the order of their names, whatever the order in which they are
        given. One that misses a target is called again when others have added theirs.

        Args:
            extensions: Functions that are given this builder; an `Extension` gives one a name.

        Raises:
            InsertionError: An extension cannot do what it wants, or two of them disagree; the
                builder is as it was.
        """
        with self._positions.all_or_nothing():
            run_extensions(self, extensions, self._positions)
        return self

    # -- Building ---------------------------------------------------------------------------

    @classmethod
    def from_manager(cls, manager: OpPassManager, **arguments: Any) -> Self:
        """Return a builder that holds what a manager does, and builds an equal one.

        Args:
            manager: The manager.
            arguments: As for the constructor.
        """
        builder = cls(manager.anchor, **arguments)
        draft = builder._positions.draft()
        for node in builder._normalizer.from_entries(manager.entries(), caller()):
            draft.append(node, draft.root)
        builder._positions.sequence = draft  # whatever constraints it breaks
        return builder

    @classmethod
    def parse(
        cls,
        text: str,
        context: Any = None,
        *,
        flat_anchor: str | None = None,
        name: str = "<pass-pipeline>",
        **arguments: Any,
    ) -> Self:
        """Return a builder that holds what a pipeline's text says.

        Args:
            text: A pipeline such as `builtin.module(func.func(cse))`.
            context: As for the constructor.
            flat_anchor: As for `PassManager.parse`.
            name: What errors call the text.
            arguments: As for the constructor.

        Raises:
            PipelineError: The text is wrong.
        """
        manager = PassManager.parse(
            text,
            context,
            registry=arguments.get("registry"),
            adapter=arguments.get("adapter"),
            flat_anchor=flat_anchor,
            name=name,
        )
        return cls.from_manager(manager, context=context, **arguments)

    @classmethod
    def from_file(
        cls,
        path: str | Path,
        context: Any = None,
        *,
        variables: Mapping[str, Any] | None = None,
        **arguments: Any,
    ) -> Self:
        """Return a builder that holds what a file says.

        Args:
            path: A `.yaml` or `.yml` file; any other holds a pipeline's text, with
                `builtin.module` around it if it has no anchor.
            context: As for the constructor.
            variables: Values of the variables that the file uses, as values or as text.
            arguments: As for the constructor.

        Raises:
            PipelineError: The file cannot be read, or is wrong; its `problems` say where.

        Source: the descriptors of llvm/lighthouse, which this reads as well.
        """
        # Files are read by few programs; reading them takes more modules than building.
        from passel.builder.data import (  # noqa: PLC0415
            Reader,
            is_data,
            open_pipeline_file,
            placed,
            read_text,
        )

        given = dict(variables or {})
        if not is_data(path):
            source = read_text(path)
            if given:
                message = f"'{path}' holds text and no variables such as '{next(iter(given))}'"
                raise PipelineError(Problem(message))
            anchor = "builtin.module" if source.text.strip() else None
            return cls.parse(
                source.text, context, flat_anchor=anchor, name=source.name, **arguments
            )
        file = open_pipeline_file(path, given)
        anchor = file.anchor or "builtin.module"
        builder = cls(anchor, context, variables=file.scope.values, **arguments)
        with builder._positions.edit() as edit:
            reader = Reader(builder._normalizer, edit.sequence.root)
            nodes = reader.nodes(file)
            edit.sequence.reserve(reader.labels)
            edit.append_nodes(nodes, edit.sequence.root)
        for target, constraint, span in reader.asked:
            with placed(span):
                builder.constrain(target, constraint)
        return builder

    def copy(self) -> Self:
        """Return a builder with the same steps, labels and constraints, to be changed alone."""
        other = copy(self)
        other._positions = self._positions.copy()
        other._at = ""
        other.variables = dict(self.variables)
        return other

    def build(self) -> PassManager:
        """Return the pipeline as a pass manager; the builder stays as it is.

        Raises:
            InsertionError: A required stage is empty, or a constraint is broken.
            ContractError: A pass does not preserve what one after it needs.
            AnchorError: A pass cannot run where it stands, or an anchor is no op that can be
                anchored on; found here if the builder has a context, else by a run.
        """
        sequence, _ = self._finished()
        manager = self._manager(sequence)
        refuse(self._violations(sequence, manager))
        manager.use_contracts(self.declarations)
        if manager.context is not None:
            manager.check()
        return manager

    def to_yaml(self) -> str:
        """Return the pipeline as YAML, which `from_file` reads to an equal builder.

        Raises:
            PipelineError: Something in it has no text: a condition or a pass that is a function.
        """
        from passel.builder.data import to_yaml  # noqa: PLC0415

        return to_yaml(self._positions.sequence, self.variables)

    def __call__(self, manager: OpPassManager, options: Options | None = None) -> None:
        """Add the pipeline to a manager, so that a builder can be registered as a pipeline.

        Args:
            manager: The manager.
            options: Values for the variables of the same names.

        Raises:
            AnchorError: The manager is for other ops.
            InsertionError: As for `build`.

        Example:
            >>> from passel import PassManager, default_registry
            >>> registry = default_registry().copy()
            >>> registry.register_pipeline("tidy", PipelineBuilder.parse("any(canonicalize,cse)"))
            >>> print(PassManager.parse("any(tidy)", registry=registry))
            any(canonicalize,cse)
        """
        if ANY not in (self.anchor, manager.anchor) and self.anchor != manager.anchor:
            message = f"this is a pipeline for '{self.anchor}', not for '{manager.anchor}'"
            raise AnchorError(Problem(message))
        draft = self.copy()
        for info in () if options is None else options.option_infos():
            draft.variables[info.field] = getattr(options, info.field)
        manager.add_entries(*draft.build().entries())

    @property
    def anchor(self) -> str:
        """The name of the ops that the pipeline runs on, or `any`."""
        return self._positions.sequence.root.anchor

    def draw(self, form: Form = "tree") -> str:
        """Return a picture of the pipeline, with stages, types and constraints.

        Args:
            form: `tree` for terminals, or `mermaid`.

        Raises:
            ValueError: There is no such form.
        """
        from passel.builder.drawing import FORMS  # noqa: PLC0415 - few draw

        if form not in FORMS:
            raise ValueError(f"a pipeline is drawn as {', '.join(FORMS)}, not as {form!r}")
        return FORMS[form](self.picture())

    def picture(self) -> Picture:
        """Return what `draw` shows: rows, intervals of types, and arcs for constraints."""
        from passel.builder.drawing import picture_of  # noqa: PLC0415

        return picture_of(self._positions.sequence.root, self)

    def report(self) -> tuple[Remark, ...]:
        """Return what `build` drops and adds, and why."""
        return tuple(self._finished()[1])

    def _finished(self) -> tuple[Sequence, list[Remark]]:
        """Return the steps that are built, and what was done to get there."""
        draft = self._positions.draft()
        remarks = finish(draft, self.variables)
        remarks += insert_followers(draft, self._order, self._normalizer)
        remarks += drop_duplicates(draft, self.declarations)
        refuse_breaches(self._order.rules(draft, is_final=True))
        return draft, remarks

    def _manager(self, sequence: Sequence) -> PassManager:
        return self._template.copy().add_entries(*self._normalizer.entries(sequence.root))

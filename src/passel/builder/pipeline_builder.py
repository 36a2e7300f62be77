"""The pipeline builder: a pipeline whose order is variable until it is built.

It makes pass managers and is not known to them: nothing about how pipelines run depends on it.
"""

from __future__ import annotations

from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any, Self

from passel.builder.contract_walk import ContractWalk
from passel.builder.contracts import Region, in_builder, refuse
from passel.builder.declarations import default_declarations
from passel.builder.duplicates import drop_duplicates
from passel.builder.extensions import Extensions
from passel.builder.finishing import finish
from passel.builder.followers import insert_followers
from passel.builder.items import Normalizer
from passel.builder.ordering import Ordering
from passel.builder.rules import Rules
from passel.builder.sequence import Group, Nest, Sequence, Step, stage_groups, steps_of
from passel.builder.targets import Handle, Stage, Targets, describe
from passel.errors import AnchorError, InsertionError, PipelineError, Problem
from passel.ir import ANY, op_name_of
from passel.manager import Nesting, OpPassManager, PassManager
from passel.pipeline import PipelineNode

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from passel.builder.contract_model import Violation
    from passel.builder.declarations import DeclarationTable
    from passel.builder.drawing import Form, Picture
    from passel.builder.extensions import Extension
    from passel.builder.finishing import Remark
    from passel.builder.rules import Rule
    from passel.builder.sequence import Container
    from passel.builder.targets import Target
    from passel.ir import IRAdapter
    from passel.passes import Options, PassRegistry, PassType


class PipelineBuilder(Ordering):
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
        self._sequence = Sequence(self._template.anchor)
        self._at: Container = self._sequence.root
        self._extensions = Extensions()
        self._regions: list[Region] = []
        self._assemble()

    def _assemble(self) -> None:
        """Make the parts that work on the sequence."""
        self._rules = Rules(self._sequence, self.declarations)
        self._targets = Targets(self._sequence, self.declarations, self._rules.index)
        self._normalizer = Normalizer(self._template, self._sequence)

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
        nested = self.add(OpPassManager(anchor, jobs=jobs), label=label)
        return self._inside(nested)

    def _inside(self, handle: Handle) -> PipelineBuilder:
        view = copy(self)
        container = self._sequence.labelled(handle.labels[0])
        assert isinstance(container, (Nest, Group))  # noqa: S101 - for type checkers
        view._at = container
        return view

    # -- Asking -----------------------------------------------------------------------------

    def find(self, target: Target) -> tuple[Step, ...]:
        """Return the steps that a target stands for, in the order in which they run."""
        return tuple(steps_of(item for unit in self._targets.units(target) for item in unit))

    def steps(self) -> Iterator[Step]:
        """Yield all steps in the order in which they run."""
        return self._sequence.steps()

    def types_of(self, step: Step) -> tuple[PassType, ...]:
        """Return the parts that a step plays: its pass's own, and its bundles'."""
        return self._targets.types_of(step)

    def constraints(self) -> Iterator[tuple[Rule, Step]]:
        """Yield the constraints that are in force, with the steps that each holds for."""
        return self._rules.all()

    def __contains__(self, target: Target) -> bool:
        """Return whether there is something that a target stands for."""
        return bool(self._targets.units(target))

    def __len__(self) -> int:
        return sum(1 for _ in self.steps())

    def __bool__(self) -> bool:
        """A builder is true even when it is empty, so that `builder or default` keeps it."""
        return True

    def __str__(self) -> str:
        return str(self._manager())

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
        asked = Region(start, end, kinds, self._origin())
        self._regions.append(asked)
        self._sequence.on_undo(lambda: self._regions.remove(asked))
        return self

    def violations(self) -> tuple[Violation, ...]:
        """Return what breaks contracts in the pipeline that would be built, and warnings."""
        draft, _ = self._finished()
        return draft._broken(draft._manager())

    def _broken(self, manager: PassManager) -> tuple[Violation, ...]:
        regions = [each.watched(partial(in_builder, self._targets)) for each in self._regions]
        return ContractWalk(self.declarations, regions, self.steps()).violations(manager)

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
        if self._targets.units(Stage(name)):
            raise InsertionError(Problem(f"there is a stage '{name}' already"))
        container = self._here()
        with self._changing() as added:
            groups = stage_groups(name, self._origin(), required=required)
            for group in groups:
                self._sequence.append(group, container, f"stage {group.name}")
                added.append(group)
            stage = groups[1]
            stage.default = tuple(n for item in default for n in self._nodes(item, stage))
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
        with self._sequence.change():
            self._extensions.run(self, extensions, self._sequence)
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
        with builder._sequence.change():
            for node in builder._normalizer.from_entries(manager.entries(), builder._origin()):
                builder._sequence.append(node, builder._at)
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
        reader = Reader(builder._normalizer, builder._sequence, builder._at)
        with builder._changing() as added:
            for node in reader.nodes(file):
                builder._sequence.append(node, builder._at)
                added.append(node)
        for target, constraint, span in reader.asked:
            with placed(span):
                builder.constrain(target, constraint)
        return builder

    def copy(self) -> Self:
        """Return a builder with the same steps, labels and constraints, to be changed alone."""
        other = copy(self)
        other._sequence = self._sequence.copy()
        other._at = other._sequence.root
        other._extensions = self._extensions.copy()
        other._regions = list(self._regions)
        other.variables = dict(self.variables)
        other._assemble()
        self._rules.copy_to(other._rules)
        return other

    def build(self) -> PassManager:
        """Return the pipeline as a pass manager; the builder stays as it is.

        Raises:
            InsertionError: A required stage is empty, or a constraint is broken.
            ContractError: A pass does not preserve what one after it needs.
            AnchorError: A pass cannot run where it stands, or an anchor is no op that can be
                anchored on; found here if the builder has a context, else by a run.
        """
        draft, _ = self._finished()
        manager = draft._manager()
        refuse(draft._broken(manager))
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

        self._check_writable()
        return to_yaml(self._sequence.root, self.variables, self._rules.from_outside())

    def _check_writable(self) -> None:
        if self._regions:
            region = self._regions[0]
            message = (
                f"the region between {describe(region.start)} and {describe(region.end)} preserves "
                "analyses, which are classes, so it cannot be written"
            )
            raise PipelineError(Problem(message))

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
        return self._sequence.root.anchor

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

        return picture_of(self._sequence.root, self)

    def report(self) -> tuple[Remark, ...]:
        """Return what `build` drops and adds, and why."""
        return tuple(self._finished()[1])

    def _finished(self) -> tuple[PipelineBuilder, list[Remark]]:
        draft = self.copy()
        remarks = finish(draft._sequence, draft.variables)
        remarks += insert_followers(draft._sequence, draft._rules, draft._normalizer)
        remarks += drop_duplicates(draft._sequence, draft.declarations)
        draft._rules.check_all(is_final=True)
        return draft, remarks

    def _manager(self) -> PassManager:
        return self._template.copy().add_entries(*self._normalizer.entries(self._sequence.root))

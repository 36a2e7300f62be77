"""The pipeline builder: a pipeline whose order can change until it is built.

The builder creates pass managers. Pass managers and runs do not depend on the builder.
"""

from __future__ import annotations

from contextlib import nullcontext, suppress
from copy import copy
from typing import TYPE_CHECKING, Self

from passel.builder.constraints import Rule
from passel.builder.editing import edited
from passel.builder.extensions import run_extensions
from passel.builder.pipeline_plan import PipelinePlan
from passel.builder.steps import Handle, Stage, describe
from passel.errors import InsertionError
from passel.manager import OpPassManager

if TYPE_CHECKING:
    from collections.abc import Callable

    from passel.builder.constraints import Constraint
    from passel.builder.extensions import Extension
    from passel.builder.steps import Occurrence, Target
    from passel.passes import PassType


class PipelineBuilder(PipelinePlan):
    """A pipeline under construction, possibly by several packages.

    The elements of the pipeline are steps. Labels and handles stay valid when steps are added.
    `build` creates a pass manager from the steps. A change that raises an error leaves the builder
    unchanged.

    Args:
        anchor: An op name, an op class, or `any`.
        context: As for `PassManager`.
        adapter: As for `PassManager`.
        registry: The registry for names of passes; by default the one for all installed passes.
        declarations: Declarations in addition to those in pass classes; by default the declarations
            of installed packages.
        nesting: Whether a pass with another anchor is nested implicitly or rejected.

    Attributes:
        adapter: The adapter, if one was passed.
        registry: The registry for names, where extensions can register their passes.

    Example:
        >>> builder = PipelineBuilder("builtin.module")
        >>> canonicalize = builder.add("canonicalize")
        >>> _ = builder.insert_before(canonicalize, "cse")
        >>> print(builder.build())
        builtin.module(cse,canonicalize)
    """

    _at: str = ""
    """The label of the nested pipeline to add to; empty for the outermost one."""

    def nest(
        self, anchor: str | type, *, label: str = "", jobs: int | None = None
    ) -> PipelineBuilder:
        """Append a nested pipeline, and return a builder that adds to it.

        A `with` statement on the returned builder only groups code. Targets match steps of the
        whole pipeline.

        Args:
            anchor: An op name, an op class, or `any`.
            label: The label of the nested pipeline.
            jobs: The maximum number of ops to process at once, within the limit of the run.
        """
        view = copy(self)
        (view._at,) = self.add(OpPassManager(anchor, jobs=jobs), label=label).labels
        return view

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    # -- Editing ----------------------------------------------------------------------------

    def add(self, *items: object, label: str = "", stage: str = "") -> Handle:
        """Append passes, and return a handle to them.

        Args:
            items: As for `OpPassManager.add`; or bundles.
            label: The label of the new step; several items become a bundle of this name.
            stage: The stage to append to, also as `pre_NAME` or `post_NAME`.

        Raises:
            InsertionError: If a constraint would be broken, the label is taken, or there is no such
                stage.
            PipelineError: If the text is invalid, or a pass has another anchor.
        """
        with edited(self._draft) as edit:
            scope = edit.stage(stage) if stage else edit.nest(self._at)
            edit.append(items, [scope], label)
        return edit.handle

    def insert_before(
        self,
        target: Target,
        *items: object,
        occurrence: Occurrence = "first",
        split: bool = False,
        missing_ok: bool = False,
    ) -> Handle:
        """Put passes right before a target.

        If the target is the first step of a nested pipeline that cannot contain a pass, the pass is
        put before that pipeline.

        Args:
            target: The step to insert before.
            items: As for `add`.
            occurrence: Which of several matching steps to use.
            split: Whether a nested pipeline may be split to make room.
            missing_ok: Whether to return an empty handle, which is false, if the target is missing
                or a constraint would be broken.

        Raises:
            InsertionError: If the target is missing, or a constraint would be broken.
            PipelineError: If the text is invalid, or a pass has another anchor.
        """
        with suppress(InsertionError) if missing_ok else nullcontext(), edited(self._draft) as edit:
            edit.insert(target, items, occurrence, after=False, split=split)
            return edit.handle
        return Handle(())

    def insert_after(
        self,
        target: Target,
        *items: object,
        occurrence: Occurrence = "last",
        split: bool = False,
        missing_ok: bool = False,
    ) -> Handle:
        """Put passes right after a target, by default after the last one.

        The arguments and errors are as for `insert_before`.
        """
        with suppress(InsertionError) if missing_ok else nullcontext(), edited(self._draft) as edit:
            edit.insert(target, items, occurrence, after=True, split=split)
            return edit.handle
        return Handle(())

    def insert_inside(self, target: PassType | Stage | str, *items: object) -> Handle:
        """Put passes inside the interval of a type, right after its first pass; or into a stage.

        Args:
            target: A type of pass, or a stage.
            items: As for `add`.

        Raises:
            InsertionError: If no pass has the type, there is no such stage, or a constraint would
                be broken.
        """
        if isinstance(target, (Stage, str)):
            return self.add(*items, stage=str(target))
        return self.insert_after(target, *items, occurrence="first")

    def replace(self, target: Target, *items: object, occurrence: Occurrence = "all") -> Handle:
        """Put passes in place of a target.

        Args:
            target: The steps to replace.
            items: As for `add`.
            occurrence: Which of several matching steps to use.

        Raises:
            InsertionError: If the target is missing, or a constraint would be broken.
        """
        with edited(self._draft) as edit:
            edit.replace(target, items, occurrence)
        return edit.handle

    def remove(
        self, target: Target, *, occurrence: Occurrence = "all", missing_ok: bool = False
    ) -> None:
        """Remove the steps of a target.

        Args:
            target: The steps to remove.
            occurrence: Which of several matching steps to use.
            missing_ok: Whether to do nothing if the target is missing.

        Raises:
            InsertionError: If the target is missing, a constraint would be broken, or another
                extension has inserted a step next to the target.
        """
        with edited(self._draft) as edit:
            if not missing_ok or target in self:
                edit.remove(target, occurrence)

    # -- Order ------------------------------------------------------------------------------

    def constrain(self, target: Target, *constraints: Constraint) -> None:
        """Put constraints on a target, in addition to what its passes and bundles declare.

        The constraints apply to all present and future steps of the target.

        Args:
            target: The passes to constrain.
            constraints: The constraints.

        Raises:
            InsertionError: If the pipeline already breaks one of the constraints. The builder is
                unchanged.
            DefinitionError: If an argument is not a constraint.

        Example:
            >>> from passel.builder import PipelineBuilder, after_all
            >>> builder = PipelineBuilder()
            >>> builder.constrain("cse", after_all("canonicalize"))
            >>> _ = builder.add("canonicalize", "cse")
            >>> bool(builder.insert_before("canonicalize", "cse", missing_ok=True))
            False
        """
        with edited(self._draft) as edit:
            by = edit.origin.extension
            self._draft.constraints += tuple(
                Rule(each, None, target, by).checked() for each in constraints
            )

    def place(self, *items: object, label: str = "") -> Handle:
        """Put passes where their constraints require them, and return a handle to them.

        Existing steps keep their order. A placed pass comes last, or right before the steps that
        must follow it.

        A pass that this pipeline cannot contain is added to the first nested pipeline that can.
        Bundles keep the order of their members. `not_between` is only checked.

        Args:
            items: As for `add`.
            label: As for `add`.

        Raises:
            InsertionError: If no order satisfies all constraints (the error contains the shortest
                cycle of them), or a required pass is missing.
            PipelineError: If the text is invalid, or no pipeline here has the anchor of a pass.

        Example:
            >>> from passel.builder import PipelineBuilder, before_first
            >>> builder = PipelineBuilder()
            >>> builder.constrain("cse", before_first("canonicalize"))
            >>> _ = builder.add("symbol-dce", "canonicalize")
            >>> _ = builder.place("cse")
            >>> print(builder)
            builtin.module(symbol-dce,cse,canonicalize)
        """
        with edited(self._draft) as edit:
            edit.place(items, edit.nest(self._at), label)
        return edit.handle

    # -- Contracts --------------------------------------------------------------------------

    def between(self, start: Target, end: Target, *, preserves: type | tuple[type, ...]) -> Self:
        """Require each pass in a region to declare that it preserves analyses.

        Passes that declare `produces` and `requires` need no such region. A region extends from
        each step of `start` to the next step of `end`; both are found when the pipeline is built.

        Args:
            start: The steps after which the region starts.
            end: The steps before which the region ends.
            preserves: One analysis, or several.
        """
        kinds = preserves if isinstance(preserves, tuple) else (preserves,)
        with edited(self._draft) as edit:
            where = edit.origin.clause(" (requested")
            title = f"between {describe(start)} and {describe(end)}{where}{where and ')'}"
            self._draft.regions += ((title, start, end, kinds),)
        return self

    # -- Stages -----------------------------------------------------------------------------

    def stage(self, name: str, *default: object, required: bool = False) -> Stage:
        """Append a stage: a named place in the pipeline that is kept when passes change.

        Two more stages, `pre_NAME` and `post_NAME`, surround it.

        Args:
            name: The name of the stage.
            default: The passes of the stage until `add` puts other passes there. Passes inserted
                next to a default pass join the stage without replacing the default.
            required: Whether an empty stage is an error.

        Raises:
            InsertionError: If there is a stage of this name, or the default breaks a constraint.
        """
        with edited(self._draft) as edit:
            edit.add_stage(name, default, edit.nest(self._at), required=required)
        return Stage(name)

    # -- Extensions -------------------------------------------------------------------------

    def extend(self, *extensions: Callable[[PipelineBuilder], object] | Extension) -> Self:
        """Let extensions add to the pipeline, and return this builder.

        Extensions run in the order of their names. An extension whose target is missing runs again
        after the other extensions.

        Args:
            extensions: Functions that take this builder; `Extension` names a function.

        Raises:
            InsertionError: If an extension fails, or two extensions conflict; the builder is
                unchanged.
            PipelineError: If an extension adds invalid text, or a pass with another anchor.
            Exception: Any other error of an extension, with a note. All errors name the extension.
        """
        with self._draft.all_or_nothing():
            run_extensions(self, extensions, self._draft)
        return self

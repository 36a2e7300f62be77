"""The pipeline builder: a pipeline whose order is variable until it is built.

It makes pass managers and is not known to them: nothing about how pipelines run depends on it.
"""

from __future__ import annotations

from contextlib import nullcontext, suppress
from copy import copy
from typing import TYPE_CHECKING, Self

from passel.builder.constraints import Rule
from passel.builder.extensions import run_extensions
from passel.builder.pipeline_plan import PipelinePlan
from passel.builder.sequence import Between
from passel.builder.targets import Handle, Stage
from passel.errors import InsertionError
from passel.manager import OpPassManager

if TYPE_CHECKING:
    from collections.abc import Callable

    from passel.builder.constraints import Constraint
    from passel.builder.extensions import Extension
    from passel.builder.targets import Occurrence, Target
    from passel.passes import PassType


class PipelineBuilder(PipelinePlan):
    """A pipeline that is being put together, maybe by several parties.

    Its elements are steps, each with a label and a handle that stay valid whatever is added
    around it. `build` makes a pass manager of them. Whatever is refused with an error leaves
    the builder as it was.

    Args:
        anchor: An op name, an op class, or `any`.
        context: As for `PassManager`.
        adapter: As for `PassManager`.
        registry: Where names are looked up; by default all installed passes.
        declarations: The declarations for passes besides their classes' own; by default what
            installed packages declare.
        nesting: What to do with a pass that has another anchor.

    Attributes:
        adapter: The adapter, if one is given.
        registry: Where names are looked up, so that an extension can register its passes.

    Example:
        >>> builder = PipelineBuilder("builtin.module")
        >>> canonicalize = builder.add("canonicalize")
        >>> _ = builder.insert_before(canonicalize, "cse")
        >>> print(builder.build())
        builtin.module(cse,canonicalize)
    """

    _at: str = ""
    """The label of the nested pipeline that is added to; empty for the outermost."""

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
            stage: The name of a stage to append to, also `pre_` or `post_` and its name.

        Raises:
            InsertionError: A constraint would be broken, the label is taken, or there is no such
                stage.
            PipelineError: The text is wrong, or a pass has another anchor.
        """
        with self._draft.edit() as edit:
            scope = edit.stage(stage) if stage else edit.nest(self._at)
            edit.append(items, scope, label)
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

        A pass that cannot go into the nested pipeline of the target is put before that
        pipeline, if the target is the first in there.

        Args:
            target: The step that they are put before.
            items: As for `add`.
            occurrence: Which one, of several that match.
            split: Whether a nested pipeline may be split to make place.
            missing_ok: Return an empty handle, which is false, if the target is not there, or a
                constraint would be broken.

        Raises:
            InsertionError: The target is not there, or a constraint would be broken.
            PipelineError: The text is wrong, or a pass has another anchor.
        """
        with suppress(InsertionError) if missing_ok else nullcontext(), self._draft.edit() as edit:
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
        with suppress(InsertionError) if missing_ok else nullcontext(), self._draft.edit() as edit:
            edit.insert(target, items, occurrence, after=True, split=split)
            return edit.handle
        return Handle(())

    def insert_inside(self, target: PassType | Stage | str, *items: object) -> Handle:
        """Put passes inside the interval of a type, right after its first pass; or into a stage.

        Args:
            target: A type of pass, or a stage.
            items: As for `add`.

        Raises:
            InsertionError: No pass has the type, there is no such stage, or a constraint would
                be broken.
        """
        if isinstance(target, (Stage, str)):
            return self.add(*items, stage=str(target))
        return self.insert_after(target, *items, occurrence="first")

    def replace(self, target: Target, *items: object, occurrence: Occurrence = "all") -> Handle:
        """Put passes in place of a target.

        Args:
            target: The steps that they replace.
            items: As for `add`.
            occurrence: Which one, of several that match.

        Raises:
            InsertionError: The target is not there, or a constraint would be broken.
        """
        with self._draft.edit() as edit:
            edit.replace(target, items, occurrence)
        return edit.handle

    def remove(
        self, target: Target, *, occurrence: Occurrence = "all", missing_ok: bool = False
    ) -> None:
        """Take a target out.

        Args:
            target: The steps to remove.
            occurrence: Which one, of several that match.
            missing_ok: Do nothing if it is not there.

        Raises:
            InsertionError: The target is not there, a constraint would be broken, or an
                extension has put something next to it and another one removes it.
        """
        with self._draft.edit() as edit:
            edit.remove(target, occurrence, missing_ok=missing_ok)

    # -- Order ------------------------------------------------------------------------------

    def constrain(self, target: Target, *constraints: Constraint) -> None:
        """Put constraints on a target, in addition to what its passes and bundles declare.

        They apply to all steps of the target, now and later; none need exist yet.

        Args:
            target: The passes that they are for.
            constraints: Where these may go.

        Raises:
            InsertionError: The pipeline breaks one of them already; the builder is as it was.
            DefinitionError: Something is not a constraint.

        Example:
            >>> from passel.builder import PipelineBuilder, after_all
            >>> builder = PipelineBuilder()
            >>> builder.constrain("cse", after_all("canonicalize"))
            >>> _ = builder.add("canonicalize", "cse")
            >>> bool(builder.insert_before("canonicalize", "cse", missing_ok=True))
            False
        """
        with self._draft.edit() as edit:
            by = edit.origin.extension
            edit.sequence.constraints += tuple(
                Rule(each, None, target, by).checked() for each in constraints
            )

    def place(self, *items: object, label: str = "") -> Handle:
        """Put passes where their constraints want them, and return a handle to them.

        Existing steps keep their order. Of the steps that can come next, the oldest goes first, so
        that a placed pass goes last, or right before the steps that must follow it.

        A pass goes into the pipeline that it is placed in, if it can, else into the first nested
        one where it can. Bundles keep the order of their members. `not_between` is only checked.

        Args:
            items: As for `add`.
            label: As for `add`.

        Raises:
            InsertionError: No order satisfies all constraints; the error has the
                shortest cycle of them. Or a required pass is missing.
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
        with self._draft.edit() as edit:
            edit.place(items, edit.nest(self._at), label)
        return edit.handle

    # -- Contracts --------------------------------------------------------------------------

    def between(self, start: Target, end: Target, *, preserves: type | tuple[type, ...]) -> Self:
        """Ask that each pass between two others declares that it preserves analyses.

        The declarations `produces` and `requires` of passes are checked without this. The
        region goes from each pass matching `start` to the next one matching `end`; both are
        looked for when the pipeline is built.

        Args:
            start: The steps that the region starts after.
            end: The steps that it ends before.
            preserves: One analysis, or several.
        """
        kinds = preserves if isinstance(preserves, tuple) else (preserves,)
        with self._draft.edit() as edit:
            edit.sequence.regions += (Between(start, end, kinds, edit.origin),)
        return self

    # -- Stages -----------------------------------------------------------------------------

    def stage(self, name: str, *default: object, required: bool = False) -> Stage:
        """Append a stage: a place with a name that is a promise, which passes' names are not.

        Beside it are two more, `pre_` and `post_` and its name.

        Args:
            name: Its name.
            default: Its contents until something is put into the stage. Passes put next
                to one of the default are in the stage as well, and keep the default.
            required: Whether a pipeline is refused if nothing is put there.

        Raises:
            InsertionError: There is a stage of this name, or the default breaks a constraint.
        """
        with self._draft.edit() as edit:
            edit.add_stage(name, default, edit.nest(self._at), required=required)
        return Stage(name)

    # -- Extensions -------------------------------------------------------------------------

    def extend(self, *extensions: Callable[[PipelineBuilder], object] | Extension) -> Self:
        """Let extensions add to the pipeline, and return this builder.

        They are called in the order of their names, whatever the order in which they are
        given. One that misses a target is called again when others have added theirs.

        Args:
            extensions: Functions that are given this builder; an `Extension` gives one a name.

        Raises:
            InsertionError: An extension fails, or two extensions disagree; the
                builder is as it was.
            PipelineError: An extension adds a wrong text, or a pass that has another anchor.
            Exception: Any other error of an extension, with a note. All errors name the extension.
        """
        with self._draft.all_or_nothing():
            run_extensions(self, extensions, self._draft)
        return self

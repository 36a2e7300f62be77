"""The pipeline builder, which can reorder passes until the pipeline is built.

A pass manager that a builder has created does not depend on the builder.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Self

from passel.builder.constraints import Rule
from passel.builder.editing import edited
from passel.builder.extensions import run_extensions
from passel.builder.pipeline_plan import PipelinePlan
from passel.builder.steps import Stage, describe
from passel.passes.op_pass_manager import OpPassManager

if TYPE_CHECKING:
    from collections.abc import Callable

    from passel.builder.constraints import Constraint
    from passel.builder.extensions import Extension
    from passel.builder.steps import Handle, Occurrence, Target


class PipelineBuilder(PipelinePlan):
    """A pipeline under construction, to which several packages can add passes.

    A pipeline consists of steps, each of which runs a pass. Methods select steps by a target: a
    pass class, a pass name, a pass type, the label of a step, a handle, a bundle or a stage. Labels
    and handles remain valid when steps are added. `build` creates a pass manager from the steps. If
    a change raises an error, the builder stays unchanged.

    Args:
        anchor: The anchor of the pipeline: an op name, an op class, or `any`.
        context: The context of the IR; see `PassManager`.
        adapter: The adapter of the IR; see `PassManager`.
        registry: The registry that resolves pass names; by default, the registry from
            `default_registry`.
        declarations: A table that declares pass types and idempotence in addition to what pass
            classes declare; by default, the table from `default_declarations`.

    Attributes:
        adapter: The adapter that was passed to the constructor; None if no adapter was passed.
        registry: The registry that resolves pass names. Extensions can register passes in this
            registry.

    Example:
        >>> builder = PipelineBuilder("builtin.module")
        >>> canonicalize = builder.add("canonicalize")
        >>> _ = builder.insert_before(canonicalize, "cse")
        >>> print(builder.build())
        builtin.module(cse,canonicalize)
    """

    _at: str = ""
    """The label of the nested pipeline to add to, or an empty string for the outermost one."""

    def nest(self, anchor: str | type, *, jobs: int | None = None) -> PipelineBuilder:
        """Append a nested pipeline, and return a builder that adds passes to the nested pipeline.

        The returned builder can be used in a `with` statement, which only groups code. In the
        methods of the returned builder, targets still match steps of the whole pipeline.

        Args:
            anchor: The anchor of the nested pipeline: an op name, an op class, or `any`.
            jobs: The maximum number of ops that the nested pipeline processes in parallel, even if
                the run allows more. By default, only the limit of the run applies.
        """
        view = copy(self)
        (view._at,) = self.add(OpPassManager(anchor, jobs=jobs)).labels
        return view

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    # -- Editing ----------------------------------------------------------------------------

    def add(self, *items: object, stage: str = "") -> Handle:
        """Append passes, and return a handle to the new steps.

        Args:
            items: Bundles, or passes in any form that `OpPassManager.add` accepts.
            stage: The name of the stage to append to. By default, the passes are appended to the
                end of the pipeline.

        Raises:
            InsertionError: If the change would violate a constraint, or the stage does not exist.
            PipelineError: If a pipeline text is invalid, or the anchor of a pass does not match the
                pipeline.
        """
        with edited(self._draft) as edit:
            scope = edit.stage(stage) if stage else edit.nest(self._at)
            edit.append(items, [scope])
        return edit.handle

    def insert_before(
        self, target: Target, *items: object, occurrence: Occurrence = "first"
    ) -> Handle:
        """Insert passes right before a match of a target, by default the first match.

        If the match is the first step of a nested pipeline and a new pass cannot run there, the new
        pass is inserted before the nested pipeline.

        Args:
            target: A target. The passes are inserted right before a step that matches the target.
            items: The passes to insert, in any form that `add` accepts.
            occurrence: The match to use if the target has several matches: `first`, `last` or
                `all`.

        Raises:
            InsertionError: If no step matches the target, the change would violate a constraint, or
                a nested pipeline would have to be split.
            PipelineError: If a pipeline text is invalid, or the anchor of a pass does not match the
                pipeline.
        """
        with edited(self._draft) as edit:
            edit.insert(target, items, occurrence, after=False)
        return edit.handle

    def insert_after(
        self, target: Target, *items: object, occurrence: Occurrence = "last"
    ) -> Handle:
        """Insert passes right after a match of a target, by default the last match.

        The method takes the same arguments and raises the same errors as `insert_before`.
        """
        with edited(self._draft) as edit:
            edit.insert(target, items, occurrence, after=True)
        return edit.handle

    def remove(self, target: Target, *, occurrence: Occurrence = "all") -> None:
        """Remove the steps that match a target.

        Args:
            target: A target that matches the steps to remove.
            occurrence: The match to remove: `first`, `last` or, by default, `all`.

        Raises:
            InsertionError: If no step matches the target, or the change would violate a constraint.
        """
        with edited(self._draft) as edit:
            edit.remove(target, occurrence)

    # -- Order ------------------------------------------------------------------------------

    def constrain(self, target: Target, *constraints: Constraint) -> None:
        """Add constraints to all current and future steps that match a target.

        The constraints apply in addition to the constraints that passes and bundles declare.

        Args:
            target: A target that matches the steps to constrain.
            constraints: The constraints to add.

        Raises:
            InsertionError: If the pipeline already violates one of the constraints.
            DefinitionError: If an object in `constraints` is not a `Constraint`.

        Example:
            >>> from passel.builder import PipelineBuilder, after_all
            >>> builder = PipelineBuilder()
            >>> builder.constrain("cse", after_all("canonicalize"))
            >>> _ = builder.add("cse", "canonicalize")
            Traceback (most recent call last):
            ...
            passel.errors.InsertionError: 'cse' must run after every 'canonicalize' ...
        """
        with edited(self._draft) as edit:
            by = edit.origin.extension
            self._draft.constraints += tuple(
                Rule(each, None, target, by).checked() for each in constraints
            )

    def place(self, *items: object) -> Handle:
        """Add passes at positions that satisfy all constraints; return a handle to the new steps.

        Existing steps keep their order. By default, a placed pass runs last. If constraints require
        some steps to run after the pass, the pass runs right before the first of these steps.

        A pass that cannot run in this pipeline is added to the first nested pipeline in which the
        pass can run. The members of each bundle keep their order.

        Args:
            items: The passes to place, in any form that `add` accepts.

        Raises:
            InsertionError: If no order satisfies all constraints, or a pass that a constraint
                requires is missing. If constraints contradict each other, the message lists the
                shortest cycle of constraints.
            PipelineError: If a pipeline text is invalid, or a pass can run neither in this pipeline
                nor in a nested pipeline.

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
            edit.place(items, edit.nest(self._at))
        return edit.handle

    # -- Contracts --------------------------------------------------------------------------

    def between(self, start: Target, end: Target, *, preserves: type | tuple[type, ...]) -> Self:
        """Require each pass between two steps to declare that it preserves certain analyses.

        `between` defines regions of the pipeline. A region starts after each step that matches
        `start`, and ends before the next step that matches `end`. The regions are determined when
        the pipeline is built. `between` is not needed for analyses that passes declare in
        `produces` and `requires`.

        Args:
            start: A target. A region starts after each step that matches the target.
            end: A target. A region ends before the next step that matches the target.
            preserves: The analyses to preserve: an analysis class, or a tuple of analysis classes.
        """
        kinds = preserves if isinstance(preserves, tuple) else (preserves,)
        with edited(self._draft) as edit:
            where = edit.origin.clause(" (requested")
            title = f"between {describe(start)} and {describe(end)}{where}{where and ')'}"
            self._draft.regions += ((title, start, end, kinds),)
        return self

    # -- Stages -----------------------------------------------------------------------------

    def stage(self, name: str, *items: object) -> Stage:
        """Append a stage: a named position in the pipeline at which extensions can add passes.

        Args:
            name: The name of the stage.
            items: The first passes of the stage, in any form that `add` accepts.

        Raises:
            InsertionError: If a stage with this name exists, or the change would violate a
                constraint.
        """
        with edited(self._draft) as edit:
            edit.add_stage(name, items, edit.nest(self._at))
        return Stage(name)

    # -- Extensions -------------------------------------------------------------------------

    def extend(self, *extensions: Callable[[PipelineBuilder], object] | Extension) -> Self:
        """Run extensions, which add passes to the pipeline, and return this builder.

        Extensions run in the alphabetical order of their names. If an extension raises
        `InsertionError`, for example because a target is missing, the extension runs again after
        the other extensions.

        Args:
            extensions: The functions to call with this builder, or `Extension` objects, which give
                functions a name.

        Raises:
            InsertionError: If the builder rejects a change that an extension makes, or two
                extensions have the same name.
            PipelineError: If an extension adds an invalid pipeline text, or a pass whose anchor
                does not match the pipeline.
            Exception: If an extension raises any other exception. A note on the exception names the
                extension.
        """
        with self._draft.all_or_nothing():
            run_extensions(self, extensions, self._draft)
        return self

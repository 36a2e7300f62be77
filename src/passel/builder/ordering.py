"""Ordering a sequence by constraints."""

from __future__ import annotations

from typing import TYPE_CHECKING

from passel.builder.editing import Editor

if TYPE_CHECKING:
    from passel.builder.constraints import Constraint
    from passel.builder.targets import Target


class Ordering(Editor):
    """What constraints do to a builder's sequence."""

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
        by = f"extension '{self._extensions.current}'" if self._extensions.current else ""
        with self._changing():
            for constraint in constraints:
                self._rules.declare(target, constraint, by)

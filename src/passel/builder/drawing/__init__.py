"""Pictures of pipelines: a tree, and Mermaid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

from passel.builder.drawing.mermaid import to_mermaid
from passel.builder.drawing.picture import Picture, picture_of
from passel.builder.drawing.tree import to_tree, tree_lines

if TYPE_CHECKING:
    from collections.abc import Callable

Form: TypeAlias = Literal["tree", "mermaid"]
"""A form in which a pipeline can be drawn."""

FORMS: dict[str, Callable[[Picture], str]] = {
    "tree": to_tree,
    "mermaid": to_mermaid,
}
"""The functions that draw each form."""

__all__ = ["FORMS", "Form", "Picture", "picture_of", "tree_lines"]

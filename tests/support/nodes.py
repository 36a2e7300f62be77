"""Syntax nodes without their spans, to compare them."""

from __future__ import annotations

from typing import Any, cast


def bare(node: Any) -> Any:
    """Return a node, or a tuple of nodes, as tuples without spans, which are last in each node."""
    if not isinstance(node, tuple):
        return node
    fields = cast("tuple[Any, ...]", node)
    return type(fields), *map(bare, fields[:-1] if hasattr(fields, "span") else fields)

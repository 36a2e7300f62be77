"""A plugin whose import fails."""

WIDTH = 1 / 0

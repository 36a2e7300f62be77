"""Schedules: the immutable, compiled form of pass managers, which instrumentations see."""

from passel.schedule.model import NestedStep, PassStep, Pipeline, Step, passes_of

__all__ = ["NestedStep", "PassStep", "Pipeline", "Step", "passes_of"]

"""Fixtures of every folder, and how property tests run: the same examples, without a deadline."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

pytest_plugins = ["tool_fixtures", "toy_fixtures"]

settings.register_profile(
    "passel",
    database=None,
    deadline=None,
    derandomize=True,
    max_examples=150,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("passel")

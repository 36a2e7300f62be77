"""Fixtures of every folder, and how property tests run: the same examples, without a deadline."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

pytest_plugins = ["tool_fixtures", "toy_fixtures"]

settings.register_profile(
    "quick",
    database=None,
    deadline=None,
    derandomize=True,
    max_examples=50,
    suppress_health_check=[HealthCheck.too_slow],
)
# For sweeps: `--hypothesis-profile=thorough`.
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=300)
settings.load_profile("quick")

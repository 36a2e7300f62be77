"""How the property tests run: the same examples every time, without a deadline each."""

from __future__ import annotations

from hypothesis import HealthCheck, settings

settings.register_profile(
    "passel",
    database=None,
    deadline=None,
    derandomize=True,
    max_examples=150,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("passel")

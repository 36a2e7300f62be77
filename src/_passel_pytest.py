"""The plugin for pytest: fixtures for tests of passes.

pytest loads it in each of its runs, so that it is outside of the package and imports nothing of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from passel.testing.runs import PassesRun


@pytest.fixture
def run_passes() -> Callable[..., PassesRun]:
    """Run a pipeline on IR as text: `run_passes(source, pipeline)`; see `passel.testing`."""
    from passel.testing import run_passes  # noqa: PLC0415 - when a test asks for it

    return run_passes


@pytest.fixture
def check_passes(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Compare what a pipeline makes of a file with its CHECK lines; see `passel.testing`.

    A path that is not absolute is looked up in the folder of the test's file.
    """
    from passel.errors import PipelineError  # noqa: PLC0415 - when a test asks for it
    from passel.frontend import UnreadableError  # noqa: PLC0415
    from passel.testing import check_passes as compare  # noqa: PLC0415

    def check(path: str | Path, *args: Any, **options: Any) -> None:
        message = ""
        try:
            compare(request.path.parent / path, *args, **options)
        except (AssertionError, FileNotFoundError, PipelineError, UnreadableError) as error:
            message = str(error)
        if message:
            pytest.fail(message, pytrace=False)

    return check

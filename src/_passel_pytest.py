"""A pytest plugin with the fixture `check_passes`.

Every run of pytest loads the plugin, so it is outside the package, and imports passel on first use.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def check_passes(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Run a pipeline on a file, and compare the output with its CHECK lines; see `passel.testing`.

    A relative path starts at the folder of the test module.
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

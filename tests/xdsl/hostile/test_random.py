"""Random dialects that keep state and look around do the same as with xDSL."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest
from both_sides import as_passel, as_xdsl
from random_dialects import random_dialect, random_program
from xdsl_inputs import sampled

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def _outcome(
    side: Callable[[str, list[str]], list[object]], source: str, texts: list[str]
) -> object:
    try:
        return side(source, texts)
    except Exception as error:  # noqa: BLE001 - that both sides fail alike is what is compared
        return type(error).__name__


@sampled(15)
def test_random_dialects(step: int) -> None:
    """Text, all fields of the IR and what dialects note are xDSL's, whatever their code does."""
    compared, seeds = 0, range(0, 600, step)
    for seed in seeds:
        random = Random(seed)  # noqa: S311 - not about secrets
        source, names = random_dialect(random)
        texts = [random_program(random, names) for _ in range(2)]
        expected, found = (_outcome(side, source, texts) for side in (as_xdsl, as_passel))
        assert found == expected, f"seed {seed}:\n{source}\n{texts[0]}\n{texts[1]}"
        compared += isinstance(expected, list)
    assert compared > len(seeds) // 2

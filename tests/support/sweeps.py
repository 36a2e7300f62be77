"""How much of a sweep is gone through: of the longest ones, CI takes a part."""

import os

STEP = int(os.environ.get("SWEEP_STEP", "1"))
"""Of how many cases one is taken: coprime to the numbers of choices that cases combine."""

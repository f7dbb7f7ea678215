# SPDX-License-Identifier: Apache-2.0
"""The contents of registers and memories before reset in a simulation: random bits from a seed, or 0 everywhere for seed 0."""

import os
import re

from girih.errors import GirihError

VARIABLE = "GIRIH_SEED"
MOST = 2**31 - 1


def power_up_seed(default: int) -> int:
    """The seed that the environment gives, else `default`."""
    text = os.environ.get(VARIABLE, str(default))
    if not re.fullmatch("[0-9]{1,10}", text) or int(text) > MOST:
        raise GirihError(f"{VARIABLE} is {text[:20]!r}", "the environment", f"A seed is a number from 0 to {MOST}.")
    return int(text)

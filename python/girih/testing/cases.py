# SPDX-License-Identifier: Apache-2.0
"""Tests with more cases than the default run has time for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest


def some_of(count: int, cases: Sequence[tuple[Any, ...]]) -> list[Any]:
    """For `pytest.mark.parametrize`: all of the cases, of which the default run has `count`, spread over the list from its first on. The others are thorough tests."""
    chosen = {index * len(cases) // count for index in range(count)}
    return [case if index in chosen else pytest.param(*case, marks=pytest.mark.thorough) for index, case in enumerate(cases)]

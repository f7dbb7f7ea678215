# SPDX-License-Identifier: Apache-2.0
"""The seed of the environment is used, or refused with a sentence."""

import pytest

from girih.errors import GirihError
from girih.power_up import MOST, VARIABLE, power_up_seed


def test_the_environment_goes_before_the_default(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)
    assert power_up_seed(7) == 7
    for seed in (0, 12, MOST):
        monkeypatch.setenv(VARIABLE, str(seed))
        assert power_up_seed(7) == seed


@pytest.mark.parametrize("text", ["", "x", "-1", "1.5", "²", str(MOST + 1), "9" * 5000])
def test_what_is_not_a_seed_is_refused(monkeypatch, text):
    monkeypatch.setenv(VARIABLE, text)
    with pytest.raises(GirihError, match=f"{VARIABLE} is .*A seed is a number from 0 to {MOST}"):
        power_up_seed(7)

# SPDX-License-Identifier: Apache-2.0
"""The loop card, built once for all tests of the virtual card."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from loop_design import loop_design


@pytest.fixture(scope="session")
def loop_folder() -> Path:
    return loop_design()


@pytest.fixture
def card(loop_folder):
    from girih.card import VirtualCard

    with VirtualCard(loop_folder, collect=True) as card:
        yield card

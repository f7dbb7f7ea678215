# SPDX-License-Identifier: Apache-2.0
"""The card of designs/nic.yaml, and both forms of virtqueues."""

import random

import pytest

from experiments.host import FORMS
from girih.card import VirtualCard
from girih.testing import SEED


@pytest.fixture
def card(built):
    random.seed(SEED)
    with VirtualCard(built("nic"), collect=True) as card:
        yield card


@pytest.fixture(params=FORMS)
def ring(request):
    """The class of the driver's queues."""
    return FORMS[request.param]

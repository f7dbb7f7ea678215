# SPDX-License-Identifier: Apache-2.0
"""The card of designs/nic.yaml, and both forms of virtqueues."""

import random

import pytest

from experiments.host import FORMS
from girih.card import VirtualCard
from girih.compiler.compile import compile_design
from girih.paths import DESIGNS
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


@pytest.fixture(scope="session")
def unsegmented(tmp_path_factory):
    """The folder of the card of designs/nic.yaml whose tile cannot cut frames into segments, at the width that is built soonest."""
    text = (DESIGNS / "nic.yaml").read_text()
    assert text.count("kind: virtio_net,") == 1
    path = tmp_path_factory.mktemp("designs") / "unsegmented.yaml"
    path.write_text("width: 128\n" + text.replace("kind: virtio_net,", "kind: virtio_net, segmentation: 0,"))
    return compile_design(path)

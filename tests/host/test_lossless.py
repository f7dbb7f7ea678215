# SPDX-License-Identifier: Apache-2.0
"""Lossless frames to a card's host with two pairs of virtqueues, from a match-action port: a pair whose host offers no buffers holds up the other
one only so long."""

import pytest

from girih.card import VirtualCard
from girih.card.account import account
from girih.card.host import RECEIVE, SEND
from girih.compiler.compile import compile_design
from girih.experiments.host_driver import HEADER, WRITE
from tests.host.queues import RUN, frame, fresh
from tests.host.test_pairs import SIZE, SLOT, Host, flow

CARD = """\
width: 256
fabric: crossbar
mac: 02:67:69:72:69:68
ip: 10.77.0.2/24
tiles:
  wire: {kind: rmt_port, exit: host}
  host: {kind: virtio_net, pairs: 2, segmentation: 0, next: {any: wire}}
  scheduler: {kind: scheduler}
  unit: {kind: unit_delay}
services:
  nothing: [unit]
"""
FRAMES, SENT = 30, 40  # received by each pair; sent by the host
GAP = 400  # cycles from one frame to the next of the same pair, in which two pass and none is lost at the wire

pytestmark = pytest.mark.thorough  # a card of its own


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    path = tmp_path_factory.mktemp("designs") / "lossless.yaml"
    path.write_text(CARD)
    with VirtualCard(compile_design(path), collect=True) as card:
        yield card


@pytest.fixture
def card(opened):
    return fresh(opened)


def test_a_pair_without_buffers_holds_up_the_other_for_a_time_only(card, ring):
    """Also while the wire takes nothing that the host sends. Frames without a flow go to the first pair, and all flows to the second."""
    card.registers.write("wire.lossless", 1)
    card.host.steer([1])
    host = Host(card, ring, (1,))
    idle = ring(host.memory, 0, SIZE)
    card.host.start(RECEIVE, idle.place)
    card.set_ready(0, 0.0)
    for at in range(SENT):
        host.offer(1, frame(2000), at)
    host.kick(2 + SEND)
    card.run(4 * RUN)
    assert len(host.queues[2 + SEND].used()) < SENT, "the host's frames wait"

    to_idle, to_other = [frame(1500) for _ in range(FRAMES)], [flow(number, size=200) for number in range(FRAMES)]
    start = card.cycle + 20
    for number, (one, other) in enumerate(zip(to_idle, to_other, strict=True)):
        card.inject(0, one, cycle=start + GAP * number)
        card.inject(0, other, cycle=start + GAP * number + GAP // 2)
    card.run(GAP * FRAMES + 2 * RUN)
    assert host.came() == {1: to_other}
    drops = {name: count for tile in card.registers.counters().values() for name, count in tile.items() if name.startswith("drop_") and count}
    assert set(drops) == {"drop_not_served"} and 0 < drops["drop_not_served"] < FRAMES

    buffers = {}
    for at in range(FRAMES):
        address = host.memory.base + (2 << 20) + at * SLOT
        buffers[idle.add([(address, SLOT)], WRITE)] = address
    idle.publish()
    card.host.kick(RECEIVE)
    card.set_ready(0, 1.0)
    card.run(SENT * 100 + 2 * RUN)
    came = [host.memory.read(buffers[head] + HEADER, size - HEADER) for head, size in idle.used()]
    assert came == to_idle[: FRAMES - drops["drop_not_served"]]
    assert len(card.collect()) == SENT
    account(card.manifest, card.registers.counters()).judge()

# SPDX-License-Identifier: Apache-2.0
"""The host tile of a card with the largest frames that a design can have: with their header they exceed 65,535 bytes."""

import random

import pytest

from girih.card import VirtualCard
from girih.card.host import RECEIVE, SEND
from girih.compiler.compile import compile_design
from girih.experiments.host_driver import HEADER, WRITE, HostMemory, PackedQueue, header, pieces
from girih.paths import DESIGNS
from tests.host.test_offloads import ones_complement

pytestmark = pytest.mark.thorough  # a card of its own
MOST = 65_553
SLOT = 1 << 17
BUFFERS = 1 << 16


@pytest.fixture(scope="module")
def card(tmp_path_factory):
    path = tmp_path_factory.mktemp("designs") / "nic_largest.yaml"
    path.write_text(f"max_frame: {MOST}\nwidth: 128\ntime_bits: 32\n{(DESIGNS / 'nic.yaml').read_text()}")
    with VirtualCard(compile_design(path), collect=True) as card:
        yield card


def frame(size: int) -> bytes:
    return bytes.fromhex("02676972696802000000000188b5") + random.randbytes(size - 14)


SIZES = [MOST - HEADER - 19, MOST - HEADER - 18, MOST - HEADER - 17, 65_535, 65_536, MOST - 1, MOST]


def test_to_the_host(card):
    """Each arrives whole in its buffer, and so do the small ones after it."""
    memory = HostMemory(card, 4 << 20)
    queue = PackedQueue(memory, 0x0, 64)
    buffers = []
    for number in range(2 * len(SIZES)):
        buffers.append(pieces(memory.base + BUFFERS + SLOT * number + random.randrange(5000), MOST + HEADER, 3))
        assert queue.add(buffers[-1], WRITE) is not None
    queue.publish()
    card.host.start(RECEIVE, queue.place)
    card.run(1000)
    sent = [data for size in SIZES for data in (frame(size), frame(60))]
    for data in sent:
        card.inject(0, data)
        card.run(12_000)
    used = queue.used()
    assert [size for _, size in used] == [HEADER + len(data) for data in sent]
    for parts, data in zip(buffers, sent, strict=True):
        assert b"".join(memory.read(*part) for part in parts)[HEADER : HEADER + len(data)] == data
    card.host.stop(RECEIVE)
    card.check_conservation()


def test_from_the_host(card):
    """Also with a checksum, which lies in the last two bytes where its offset can be so large; one byte more stops the queue."""
    memory = HostMemory(card, 4 << 20)
    queue = PackedQueue(memory, 0x0, 64)
    card.host.start(SEND, queue.place)
    for with_sum in (False, True):
        sent = [frame(size) for size in SIZES]
        places = [(start, min(len(data) - start - 2, 65_534)) for data in sent for start in (14 + len(data) % 2,)]
        for number, (data, csum) in enumerate(zip(sent, places, strict=True)):
            address = memory.base + BUFFERS + SLOT * number
            memory.write(address, header(csum if with_sum else None) + data)
            queue.add(pieces(address, HEADER + len(data), 3))
        queue.publish()
        card.host.kick(SEND)
        card.run(100_000)
        out = [got.data for got in card.collect()]
        assert len(queue.used()) == len(SIZES)
        if with_sum:
            for number, (data, (start, offset)) in enumerate(zip(sent, places, strict=True)):
                at = start + offset
                assert (ones_complement(out[number][start:]) + int.from_bytes(data[at : at + 2], "big")) % 0xFFFF == 0
                out[number] = out[number][:at] + data[at : at + 2] + out[number][at + 2 :]
        assert [got[12:] for got in out] == [data[12:] for data in sent]
    queue.add([(memory.base + BUFFERS, HEADER + MOST + 1)])
    queue.publish()
    card.host.kick(SEND)
    card.run(2000)
    assert card.host.state(SEND).reason == "size" and not card.collect()
    card.host.stop(SEND)
    card.check_conservation()

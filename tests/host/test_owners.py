# SPDX-License-Identifier: Apache-2.0
"""Host memory that several programs map: a guest's program, and programs that map for tiles with `dma`. Whoever maps memory owns it: no order of
actions takes memory from another owner, and addresses that another has mapped are refused."""

import os
import random
import struct
from contextlib import ExitStack, closing

import pytest

from girih.card import VirtualCard
from girih.card.host import SEND
from girih.card.probe import Accesses, MemoryProbe
from girih.errors import GirihError
from girih.experiments.host_driver import SplitQueue
from girih.testing import SEED
from tests.host.programs import (
    BASE,
    GET_FEATURES,
    SET_FEATURES,
    SIZE,
    USER,
    VERSION_1,
    Guest,
    GuestMemory,
    Server,
    sends,
)

PAGE = 4096
GRANTED, PIECE, PIECES = 0x7_0010_0000, 32 * PAGE, 4  # pages that designs/dma.yaml grants to the probe, in pieces, one or several to a mapping
ALL_GRANTED = (0x7_0000_0000, 0x7_0020_0000)  # the first byte that any tile may reach, and the byte behind the last
STEPS = 60
FRESH = 0x7_4000_0000


@pytest.fixture(scope="module")
def card(built):
    with VirtualCard(built("dma"), collect=True) as card:
        yield card


@pytest.fixture
def server(card, tmp_path):
    """Checks that the test leaves nothing mapped, and as many open descriptors as before."""
    before = set(os.listdir("/proc/self/fd"))
    with closing(Server(card, tmp_path / "nic.sock")) as server:
        yield server
    card.host.unmap_all()
    assert len(set(os.listdir("/proc/self/fd")) - before) <= 1  # the listing itself opens one


class Program:
    """A program that maps memory for tiles, one or several pieces at a time."""

    def __init__(self, card, rng: random.Random):
        self.host, self.rng = card.host, rng
        self.file = os.memfd_create("pieces")
        os.ftruncate(self.file, PIECES * PIECE)
        self.mapped: dict = {}  # pieces, by the handle of their mapping

    def pieces(self) -> set[int]:
        return {piece for pieces in self.mapped.values() for piece in pieces}

    def maps(self, others: set[int]) -> None:
        first = self.rng.randrange(PIECES)
        pieces = set(range(first, self.rng.randint(first, PIECES - 1) + 1))
        address, size, at = GRANTED + PIECE * first, PIECE * len(pieces), PIECE * first
        if pieces & (others | self.pieces()):
            with pytest.raises(GirihError, match=r"host memory 0x7001\w+ to 0x7001\w+ overlaps what is mapped there from 0x7001"):
                self.host.map(address, size, self.file, at)
        else:
            self.mapped[self.host.map(address, size, self.file, at)] = pieces

    def unmaps(self) -> None:
        gone = self.rng.sample(list(self.mapped), self.rng.randint(0, len(self.mapped)))
        for one in gone:
            del self.mapped[one]
        self.host.unmap(gone)
        self.host.unmap(gone)  # unmapping twice does no harm


def reaches(card, piece: int, number: int) -> bool:
    """Whether a tile can write a word of the piece."""
    probe = MemoryProbe(card.registers, "probe")
    probe.start(Accesses("write", GRANTED + PIECE * piece + 8 * number, 8, count=1))
    while probe.running:
        card.run(50)
    return probe.measured.failed == 0


class Visitor:
    """A guest's program that connects, shares its memory in one part or two, shares it again, and leaves in either of two ways."""

    def __init__(self, card, server):
        self.card, self.server = card, server
        self.guest: Guest | None = None
        self.memory = GuestMemory()
        self.kick, self.call = os.eventfd(0), os.eventfd(0)

    def comes(self) -> None:
        self.guest = Guest(self.server)
        self.guest.send(GET_FEATURES)
        self.guest.send(SET_FEATURES, struct.pack("<Q", struct.unpack("<Q", self.guest.answer())[0] & VERSION_1))

    def gives(self, rng: random.Random) -> None:
        """The cut lies between two pages, and the parts come in any order."""
        cut = PAGE * rng.randrange(SIZE // PAGE)
        parts = [(FRESH + start, end - start, USER + start, start) for start, end in ((0, cut), (cut, SIZE)) if start < end]
        rng.shuffle(parts)
        self.guest.set_memory(*parts, descriptors=[self.memory.descriptor] * len(parts))

    def works(self) -> None:
        """The guest sends a frame, and it leaves the card."""
        self.memory.base = FRESH
        queue = SplitQueue(self.memory, 0x0, 16)
        self.guest.set_queue(queue.place, self.kick, self.call, base=FRESH)
        sends(self.card, self.memory, queue, self.kick)
        self.guest.send(11, struct.pack("<II", SEND, 0))
        self.guest.answer()

    def goes(self, rng: random.Random) -> None:
        if rng.random() < 0.5:
            self.guest.send(99)  # not served: the connection ends
        self.guest.close()
        self.guest = None
        self.server.serve_all()

    def close(self) -> None:
        if self.guest:
            self.guest.close()
            self.server.serve_all()
        self.memory.close()
        os.close(self.kick)
        os.close(self.call)


def test_each_takes_away_only_its_own(card, server):
    """Two programs that map memory for tiles, and a guest, act in random order. After each step exactly the pieces that are mapped can be reached,
    and the guest's queue works."""
    rng = random.Random(SEED)
    with ExitStack() as stack:
        visitor = stack.enter_context(closing(Visitor(card, server)))
        programs = [Program(card, rng) for _ in range(2)]
        for program in programs:
            stack.callback(os.close, program.file)
        given, both = False, 0
        for number in range(STEPS):
            kind = rng.randrange(4)
            if kind < 2:
                one, other = programs[kind], programs[1 - kind]
                if rng.random() < 0.6:
                    one.maps(other.pieces())
                else:
                    one.unmaps()
            elif visitor.guest is None:
                visitor.comes()
            elif kind == 2:
                visitor.goes(rng)
                given = False
            else:
                visitor.gives(rng)
                given = True
            owned = programs[0].pieces() | programs[1].pieces()
            both += bool(owned) and given
            piece = rng.randrange(PIECES)
            for piece in range(PIECES):
                assert reaches(card, piece, number) == (piece in owned), number
            if given:
                visitor.works()
        assert both > STEPS // 10, "the programs and the guest hardly had memory at the same time"
        for program in programs:
            card.host.unmap(list(program.mapped))


REFUSED = {
    "all of it": ((ALL_GRANTED[0], SIZE), "which the card's tiles may reach"),
    "the first page": ((ALL_GRANTED[0] - SIZE + 1, SIZE), "which the card's tiles may reach"),
    "the last page": ((ALL_GRANTED[1] - 1, SIZE), "which the card's tiles may reach"),
    "more than all": ((ALL_GRANTED[0] - PAGE, ALL_GRANTED[1] - ALL_GRANTED[0] + 2 * PAGE), "which the card's tiles may reach"),
}


@pytest.mark.parametrize("what", REFUSED)
def test_a_guest_cannot_bring_memory_to_pages_that_tiles_reach(card, server, what):
    """Otherwise a tile would reach the guest's memory, or the guest's virtqueues the tile's."""
    (address, size), said = REFUSED[what]
    card.registers.write("dma.grant_rights[0]", 1)
    with closing(Guest(server)) as guest:
        gives(guest, (address, size))
        assert guest.is_dropped() and said in server.said[-1]
    card.registers.write("dma.grant_rights[0]", 3)


def gives(guest, *regions: tuple[int, int]) -> None:
    """The guest shares memory at these addresses, each region from the start of a file of its own."""
    files = []
    for _, size in regions:
        files.append(os.memfd_create("guest"))
        os.ftruncate(files[-1], size)
    guest.set_memory(*[(address, size, USER + (number << 32), 0) for number, (address, size) in enumerate(regions)], descriptors=files)
    for file in files:
        os.close(file)


def test_a_guest_has_memory_beside_those_pages(card, server):
    """Also at the tiles' addresses, while these are not granted or have other upper bits."""
    beside = [(ALL_GRANTED[0] - SIZE, SIZE), (ALL_GRANTED[1], SIZE)]
    with closing(Guest(server)) as guest:
        gives(guest, *beside)
        card.registers.write("dma.upper", 1)
        gives(guest, *beside, (ALL_GRANTED[0], SIZE))
        card.registers.write("dma.upper", 0)
        for number in range(3):
            card.registers.write(f"dma.grant_rights[{number}]", 0)
        gives(guest, (ALL_GRANTED[0], SIZE))
        for number in range(3):
            card.registers.write(f"dma.grant_rights[{number}]", 3)
        assert not guest.is_dropped() and not server.said


def test_a_guest_cannot_bring_memory_where_another_has_some(card, server):
    """The guest also cannot map two regions at one address. What the other has mapped stays."""
    file = os.memfd_create("other")
    os.ftruncate(file, SIZE)
    other = card.host.map(FRESH, SIZE, file)
    os.close(file)
    for regions in ([(FRESH + SIZE - 1, PAGE)], [(BASE + (4 << 20), SIZE), (FRESH - SIZE, SIZE + 1)], [(BASE + (4 << 20), SIZE), (BASE + (5 << 20) - 1, 1)]):
        server.said.clear()
        with closing(Guest(server)) as guest:
            gives(guest, *regions)
            assert guest.is_dropped() and "overlaps what is mapped there" in server.said[-1]
        with pytest.raises(GirihError, match="overlaps"):
            card.host.map(FRESH, 1, 0)
    card.host.unmap([other])


@pytest.mark.parametrize("left", [0, SIZE // 2])
def test_memory_whose_file_has_become_shorter_does_not_stand_in_the_way(card, server, left):
    """Unmapping another mapping of that file works. The lost one stays unreachable until it is unmapped and mapped again."""
    with closing(GuestMemory()) as memory:
        mine = card.host.map(GRANTED, SIZE, memory.descriptor)
        other = card.host.map(FRESH, SIZE, memory.descriptor)
        os.ftruncate(memory.descriptor, left)
        card.host.unmap([other])
        assert not reaches(card, 0, SIZE // 8 - 1)
        os.ftruncate(memory.descriptor, SIZE)
        card.host.unmap([mine])
        mine = card.host.map(GRANTED, SIZE, memory.descriptor)
        assert reaches(card, 0, 0)
        card.host.unmap([mine])
    assert not server.said

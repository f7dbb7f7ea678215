# SPDX-License-Identifier: Apache-2.0
"""The control queue, with split and packed rings: the commands of virtio 1.2 (5.1.6.5), which frames the host receives after them, and malformed
commands and chains."""

import random
import struct

import pytest

from girih.card.account import account
from girih.card.host import RECEIVE, Commands, Place, Region
from girih.experiments.host_driver import HEADER, NEXT, WRITE, HostMemory, SplitQueue, pieces
from tests.host.queues import MAC, RUN, counted

OK, ERROR = 0, 1
PROMISCUOUS, ALL_MULTICAST, TABLE, ADDRESS, VLAN_ADD, VLAN_DELETE, PAIRS = (0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1), (4, 0)
RSS = (4, 1)
EVERYTHING = Commands(receive=True, vlan=True, address=True, pairs=True, coalesce=True, rss=True)
FORGETS = 4200  # cycles that the card takes after the queue's start to clear its table of VLANs
COMMANDS, ANSWERS, TABLES, FRAMES = 0x40000, 0x50000, 0x58000, 0x80000
ROOM = 16  # entries of the table of addresses
BUFFERS, SLOT = 64, 2048
BROADCAST = b"\xff" * 6


class ControlQueue:
    """The control queue of a driver, in its memory from byte `at` on."""

    def __init__(self, card, ring, memory: HostMemory, at: int, offers: Commands = EVERYTHING):
        self.card, self.number, self.ring, self.memory, self.at, self.offers = card, card.host.control, ring, memory, at, offers
        self.start()

    def start(self) -> None:
        """Starts the control queue from its beginning."""
        self.queue = self.ring(self.memory, self.at, 16)
        place = self.queue.place
        self.card.host.offer(MAC.hex(":"), self.offers)
        self.card.host.start(self.number, Place(place.descriptors, place.driver, place.device, place.size, place.start, place.packed, indirect=True))

    def offer(self, data: bytes, answer: list[tuple[int, int]] | None = None, most: int = 3, table: bool = False) -> int:
        at = self.memory.base + COMMANDS + random.randrange(64)
        self.memory.write(at, data)
        answer = answer or [(self.memory.base + ANSWERS + random.randrange(64), random.choice((1, 1, 5)))]
        self.memory.write(self.memory.base + ANSWERS - 8, b"\xaa" * 128)
        buffers = pieces(at, len(data), most) + answer
        name = self.queue.add(buffers, table=self.memory.base + TABLES if table else None, answers=len(answer))
        assert name is not None
        self.queue.publish()
        self.card.host.kick(self.number)
        return name

    def ask(self, name: tuple[int, int], data: bytes = b"", **more) -> int:
        """The answer to a command. Nothing but the answer is written."""
        answer = self.memory.base + ANSWERS + random.randrange(64)
        behind = random.choice(([], [(self.memory.base + ANSWERS + 100, 3)]))  # more room than the answer takes
        head = self.offer(bytes(name) + data, [(answer, random.choice((1, 1, 5))), *behind], **more)
        used = []
        for _ in range(20):
            self.card.run(500)
            used = self.queue.used()
            if used:
                break
        assert used == [(head, 1)]
        written = self.memory.read(self.memory.base + ANSWERS - 8, 128)
        at = answer - self.memory.base - ANSWERS + 8
        assert written[:at] + written[at + 1 :] == b"\xaa" * 127
        return written[at]

    def does(self, name: tuple[int, int], data: bytes = b"", **more) -> None:
        assert self.ask(name, data, **more) == OK


class Driver(ControlQueue):
    """A control queue, and a receive queue with buffers."""

    def __init__(self, card, ring, offers: Commands = EVERYTHING):
        memory = HostMemory(card, 1 << 21)
        self.receive = ring(memory, 0x0, BUFFERS)
        card.host.start(RECEIVE, self.receive.place)
        super().__init__(card, ring, memory, 0x8000, offers)
        self.buffers = {}
        for slot in range(BUFFERS):
            self._buffer(slot)
        self.receive.publish()
        card.host.kick(RECEIVE)

    def _buffer(self, slot: int) -> None:
        address = self.memory.base + FRAMES + SLOT * slot
        self.buffers[self.receive.add([(address, SLOT)], WRITE)] = slot

    def gets(self, *frames: bytes) -> list[bool]:
        """For each of these frames from the wire, whether it is received."""
        for number, data in enumerate(frames):
            self.card.inject(0, data, cycle=self.card.cycle + 20 + 10 * number)
        self.card.run(10 * len(frames) + RUN)
        came = []
        for slot, size in [(self.buffers.pop(head), size) for head, size in self.receive.used()]:
            came.append(self.memory.read(self.memory.base + FRAMES + SLOT * slot + HEADER, size - HEADER))
            self._buffer(slot)
        self.receive.publish()
        self.card.host.kick(RECEIVE)
        assert len(set(frames)) == len(frames) and came == [data for data in frames if data in came]
        return [data in came for data in frames]


def to(address: bytes, vlan: int | None = None) -> bytes:
    tag = b"" if vlan is None else struct.pack(">HH", 0x8100, random.randrange(16) << 12 | vlan)
    return address + bytes.fromhex("020000000001") + tag + bytes.fromhex("88b5") + random.randbytes(random.randint(48, 150))


def table(unicast: list[bytes], multicast: list[bytes]) -> bytes:
    return b"".join(struct.pack("<I", len(some)) + b"".join(some) for some in (unicast, multicast))


def address(group: bool = False) -> bytes:
    first = random.getrandbits(8) & 0xFC | 2 | group
    return bytes([first]) + random.randbytes(5)


def counters(card) -> dict:
    return card.registers.counters("host")["host"]


def test_addresses(card, ring):
    """All frames are received until the driver restricts them: then those to its own address, to an address in its table and to everybody. The modes
    pass all frames, or all groups."""
    driver = Driver(card, ring)
    mine, other, others, group, groups = MAC, address(), [address() for _ in range(5)], address(True), [address(True) for _ in range(5)]
    wire = [to(mine), to(other), *map(to, others), to(group), *map(to, groups), to(BROADCAST)]
    assert all(driver.gets(*wire))
    driver.does(PROMISCUOUS, b"\0")
    assert driver.gets(*wire) == [True] + 12 * [False] + [True]
    assert card.host.filter.active and not card.host.filter.promiscuous
    driver.does(TABLE, table(others, groups[:2]), table=True)
    assert driver.gets(*wire) == [True, False, *5 * [True], False, True, True, *3 * [False], True]
    assert card.host.filter.addresses == 7
    driver.does(ALL_MULTICAST, b"\1")
    assert driver.gets(*wire) == [True, False, *5 * [True], *7 * [True]]
    driver.does(ALL_MULTICAST, b"\0")
    driver.does(ADDRESS, other)
    driver.does(TABLE, table([], groups), most=9)
    assert driver.gets(*wire) == [False, True, *5 * [False], False, *6 * [True]]
    assert card.host.filter.mac == other.hex(":")
    driver.does(TABLE, table([], []))
    driver.does(PROMISCUOUS, b"\1")
    assert all(driver.gets(*wire))
    dropped = 12 + 5 + 1 + 7
    assert counters(card)["drop_other_address"] == dropped and counters(card)["mark_commands"] == 8
    assert card.host.queue_stats(2).frames == 8 and card.host.queue_stats(2).drops == 0
    account(card.manifest, card.registers.counters()).judge()


def test_a_table_that_is_too_large_brings_all_of_its_sort(card, ring):
    driver = Driver(card, ring)
    driver.does(PROMISCUOUS, b"\0")
    unicast, multicast = [address() for _ in range(ROOM)], [address(True) for _ in range(ROOM)]
    wire = [to(unicast[-1]), to(address()), to(multicast[0]), to(multicast[-1]), to(address(True))]
    driver.does(TABLE, table(unicast, []))
    assert driver.gets(*wire) == [True, False, False, False, False]
    driver.does(TABLE, table(unicast, multicast))
    assert driver.gets(*wire) == [True, False, True, True, True] and card.host.filter.many_multicast
    driver.does(TABLE, table([*unicast, address()], []))
    assert driver.gets(*wire) == [True, True, False, False, False]
    driver.does(TABLE, table([address() for _ in range(500)], [address(True) for _ in range(500)]))
    assert driver.gets(*wire) == 5 * [True]
    driver.does(TABLE, table([], multicast))
    assert driver.gets(*wire) == [False, False, True, True, False] and not card.host.filter.many_multicast


def test_vlans(card, ring):
    """Tagged frames are received of the VLANs that were added and of no others. The next driver starts with none."""
    driver = Driver(card, ring)
    driver.does(PROMISCUOUS, b"\0")
    names = [0, 1, 7, 0x800, 0xFFE, 0xFFD]
    assert driver.gets(to(MAC), *(to(MAC, name) for name in names)) == [True] + 6 * [False]
    for name in names[:5]:
        driver.does(VLAN_ADD, struct.pack("<H", name))
    assert driver.gets(to(MAC), *(to(MAC, name) for name in names), to(address(), 7)) == 6 * [True] + [False, False]
    driver.does(VLAN_DELETE, struct.pack("<H", 7))
    assert driver.gets(*(to(MAC, name) for name in names)) == [True, True, False, True, True, False]
    assert counters(card)["drop_other_vlan"] == 6 + 1 + 2 and counters(card)["drop_other_address"] == 1
    driver.does(PROMISCUOUS, b"\1")
    assert driver.gets(to(MAC, 7)) == [True]
    card.host.stop(2)
    assert driver.gets(to(MAC, 7), to(address())) == [True, True], "without a control queue all frames come"
    driver.start()
    driver.does(PROMISCUOUS, b"\0")
    assert driver.gets(*(to(MAC, name) for name in names)) == 6 * [False]


def test_what_was_not_offered_is_refused(card, ring):
    """A driver to which no command was offered still receives every frame."""
    driver = Driver(card, ring, Commands())
    for name, data in ((PROMISCUOUS, b"\0"), (TABLE, table([], [])), (ADDRESS, address()), (VLAN_ADD, b"\1\0"), (PAIRS, b"\1\0")):
        assert driver.ask(name, data) == ERROR
    assert all(driver.gets(to(address()), to(address(True)), to(MAC, 5))) and not card.host.filter.active
    assert counters(card)["mark_commands_refused"] == 5 and counters(card)["mark_commands"] == 0


def test_commands_that_cannot_be_change_nothing(card, ring):
    """They are answered with an error, change nothing, and do not stop the queue."""
    driver = Driver(card, ring)
    known = address()
    driver.does(PROMISCUOUS, b"\0")
    driver.does(TABLE, table([known], []))
    good = {PROMISCUOUS: b"\1", ALL_MULTICAST: b"\1", TABLE: table([address()], [address(True)]), ADDRESS: address(), VLAN_ADD: b"\5\0", VLAN_DELETE: b"\5\0", PAIRS: b"\1\0"}
    wrong = [(name, data[:-1]) for name, data in good.items()] + [(name, data + b"\0") for name, data in good.items()] + [(name, b"") for name in good]
    wrong += [(PROMISCUOUS, b"\2"), (ALL_MULTICAST, b"\xff"), (VLAN_ADD, b"\0\x10"), (PAIRS, b"\0\0"), (PAIRS, b"\5\0"), (PAIRS, b"\1\1")]
    wrong += [(TABLE, struct.pack("<I", 1 << 16) + bytes(8)), (TABLE, struct.pack("<I", 2) + bytes(10)), (TABLE, table([], []) + table([], []))]
    wrong += [((name, command), b"\0") for name, command in ((0, 2), (0, 6), (1, 2), (2, 2), (3, 0), (4, 1), (5, 0), (255, 255))]
    random.shuffle(wrong)
    for name, data in wrong:
        assert driver.ask(name, data, table=random.random() < 0.3) == ERROR, (name, data)
    assert driver.gets(to(MAC), to(known), to(address()), to(address(True)), to(MAC, 5)) == [True, True, False, False, False]
    assert counters(card)["mark_commands_refused"] == len(wrong)
    for name, data in good.items():
        driver.does(name, data)


def test_a_chain_that_cannot_be_stops_the_control_queue_alone(card, ring):
    """The chain has no command, no room for the answer, the answer before the command, or a buffer outside of the granted memory, or in memory that is
    granted and not there. What the driver set before stays in force."""
    driver = Driver(card, ring)
    driver.does(PROMISCUOUS, b"\0")
    base = driver.memory.base
    card.run(RUN)  # the queue is at rest while its memory is granted anew
    card.host.grant([Region(base, driver.memory.size), Region(0, 4096)])
    chains = [
        ([(base + ANSWERS, 1)], 1, "size"), ([(base + COMMANDS, 3)], 0, "flags"), ([(base, 3), (base + COMMANDS, 2), (base + COMMANDS + 2, 1)], 0, "flags"),
        ([(0x1000, 3), (base + ANSWERS, 1)], 1, "refused"), ([(base + COMMANDS, 3), (0x1000, 1)], 1, "refused"), ([(base + COMMANDS, 0), (base + ANSWERS, 1)], 1, "zero"),
        ([(base + COMMANDS, 1 << 16), (base + ANSWERS, 1)], 1, "size"), ([(0x800, 3), (base + ANSWERS, 1)], 1, "bus"), ([(base + COMMANDS, 3), (0x800, 1)], 1, "bus"),
    ]  # fmt: skip
    for buffers, answers, reason in chains:
        before = counted(card, reason)
        driver.memory.write(base + COMMANDS, bytes(PROMISCUOUS) + b"\0")
        driver.queue.add(buffers, answers=answers)
        driver.queue.publish()
        card.host.kick(2)
        card.run(RUN)
        assert card.host.state(2).reason == reason and counted(card, reason) == before + 1, (buffers, reason)
        assert driver.queue.used() == []
        assert driver.gets(to(MAC), to(address())) == [True, False], "the filter holds until the driver resets the device"
        card.host.stop(2)
        driver.start()
        driver.does(PROMISCUOUS, b"\0")


def test_a_command_that_is_readable_behind_its_answer_is_refused(card, ring):
    driver = Driver(card, ring)
    base, queue = driver.memory.base, driver.queue
    driver.memory.write(base + COMMANDS, bytes(PROMISCUOUS) + b"\0")
    queue.add([(base + COMMANDS, 2), (base + ANSWERS, 1), (base + COMMANDS + 2, 1)])
    if isinstance(queue, SplitQueue):
        head = next(iter(queue.chains))
        indices = queue.chains[head]
        queue.descriptor(indices[1], base + ANSWERS, 1, WRITE | NEXT, indices[2])
    else:
        slot = 1
        flags = int.from_bytes(driver.memory.read(queue.place.descriptors + 16 * slot + 14, 2), "little")
        driver.memory.write(queue.place.descriptors + 16 * slot + 14, struct.pack("<H", flags | WRITE))
    queue.publish()
    card.host.kick(2)
    card.run(RUN)
    assert card.host.state(2).reason == "flags"


@pytest.mark.parametrize("cut", range(0, 400, 37))
def test_the_control_queue_ends_in_any_cycle(card, ring, cut):
    """The command takes effect or it does not; the next driver starts with no filter."""
    driver = Driver(card, ring)
    card.run(FORGETS)
    driver.offer(bytes(PROMISCUOUS) + b"\0")
    card.run(cut)
    card.host.stop(2)
    assert all(driver.gets(to(MAC), to(address())))
    driver.start()
    driver.does(PROMISCUOUS, b"\0")
    assert driver.gets(to(MAC), to(address())) == [True, False]

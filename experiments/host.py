# SPDX-License-Identifier: Apache-2.0
"""The host's network device: frames per cycle in each direction, and the time from a doorbell to the wire, with the host's memory 400 ns away."""

from __future__ import annotations

import random
import statistics
import struct
from dataclasses import replace

from girih.card.host import RECEIVE, SEND
from girih.card.virtual import VirtualCard
from girih.experiments import Exhibit, Progress, Row
from girih.experiments.host_driver import HEADER, WRITE, HostMemory, PackedQueue, SplitQueue, header
from girih.paths import DESIGNS, ROOT

LATENCY = 100  # cycles of 4 ns
SIZES = (64, 1500)  # bytes of a frame, without its check sequence
QUEUE, SLOT, MEMORY = 1024, 2048, 32 << 20
PAIRS, PAIRS_CARD = 4, ROOT / "experiments" / "cards" / "nic_pairs.yaml"
RING, BUFFERS = 0x10000, 4 << 20  # bytes for a ring; where the buffers start
FLOWS = 256  # of received frames
STEP = 16  # cycles between two looks at the used ring
WANTED = {64: "wanted: 0.12 (30 M/s), aim: 0.32 over four pairs", 1500: "wanted: 100 Gbps each way at once"}
DOORBELL = f"wanted: {3 * LATENCY + 60}, aim: {2 * LATENCY + 40}"
Queue = SplitQueue | PackedQueue
# What another pair sends in the meantime: bytes of its frames; the largest is cut into segments of SEGMENT bytes of data.
BESIDE, LARGE, SEGMENT = (0, 1500, 9000, 65_549), 65_549, 1448
TIMES = 12  # a doorbell is measured so often
FORMS: dict[str, type[Queue]] = {"split": SplitQueue, "packed": PackedQueue}


def run(progress: Progress) -> list[Row]:
    rows = []
    with VirtualCard.open(DESIGNS / "nic.yaml", collect=True) as card:
        clock = card.manifest.clock_mhz
        for ring in FORMS:
            progress(f"doorbell, {ring} ring")
            rows.append(Row("doorbell_cycles", {"ring": ring, "pairs": 1, "way": "to the wire", "bytes": 64}, "cycles", None, doorbell(card, ring), None, DOORBELL))
            for size in SIZES:
                for ways in ((SEND,), (RECEIVE,), (SEND, RECEIVE)):
                    progress(f"frames of {size} bytes, {ring} ring")
                    rows += _rows(rates(card, size, ways, ring), ring, size, ways, 1, clock)
    with VirtualCard.open(PAIRS_CARD, collect=True) as card:
        for ring in FORMS:
            for size in SIZES:
                progress(f"frames of {size} bytes, {PAIRS} pairs of {ring} rings")
                rows += _rows(rates(card, size, (SEND, RECEIVE), ring, PAIRS), ring, size, (SEND, RECEIVE), PAIRS, card.manifest.clock_mhz)
        for other in BESIDE:
            progress(f"beside a pair that sends frames of {other} bytes")
            for size in SIZES:
                rows.append(Row("packets_per_cycle_beside", {"ring": "packed", "bytes": size, "other": other}, "per cycle", None, round(rate_beside(card, size, other), 4)))
            cycles = doorbells_beside(card, other)
            for name, value in (("median", statistics.median(cycles)), ("most", max(cycles))):
                rows.append(Row("doorbell_cycles_beside", {"ring": "packed", "bytes": 64, "other": other, "of": name}, "cycles", None, value))
    return rows


def _rows(found: dict[int, float], ring: str, size: int, ways: tuple[int, ...], pairs: int, clock: float) -> list[Row]:
    rows = []
    for way, rate in found.items():
        way_name, both = "to the wire" if way == SEND else "to the host", "yes" if len(ways) > 1 else "no"
        params = {"ring": ring, "pairs": pairs, "way": way_name, "bytes": size, "both": both}
        rows.append(Row("packets_per_cycle", params, "per cycle", None, round(rate, 4), None, WANTED[size]))
        rows.append(Row("gbps", params, "Gbps", None, round(rate * size * 8 * clock / 1000, 1), None, WANTED[size]))
    return rows


def _frame(card: VirtualCard, size: int, flow: int) -> bytes:
    """A UDP frame without checksums; the flow determines its source port."""
    mac, _ip = card.manifest.port_address(0)
    packet = struct.pack(">BBHHHBBHII", 0x45, 0, size - 14, 0, 0, 64, 17, 0, 0x0A4D0001, 0x0A4D0002) + struct.pack(">HHHH", 1024 + flow, 7, size - 34, 0)
    return bytes.fromhex(mac.replace(":", "")) + bytes.fromhex("020000000001" + "0800") + packet + bytes(size - 42)


def _queues(card: VirtualCard, size: int, ring: str, pairs: int = 1) -> dict[int, Queue]:
    """All queues, with all their descriptors offered (frames to send, and buffers) but no kick yet."""
    card.host.set_latency(LATENCY)
    memory = HostMemory(card, MEMORY)
    queues: dict[int, Queue] = {}
    for index in range(2 * pairs):
        queue = queues[index] = FORMS[ring](memory, RING * index, QUEUE)
        if isinstance(queue, SplitQueue):
            queue.free.sort(reverse=True)
        for number in range(QUEUE):
            address = memory.base + BUFFERS + SLOT * (QUEUE * index + number)
            sends = index % 2 == SEND
            memory.write(address, bytes(HEADER) + _frame(card, size, number % FLOWS))
            queue.add([(address, HEADER + size if sends else SLOT)], 0 if sends else WRITE)
    return queues


def doorbell(card: VirtualCard, ring: str) -> int:
    """Cycles from the end of the doorbell's write to the first beat on the wire, on an idle card."""
    queues = _queues(card, 64, ring)
    card.host.start(SEND, queues[SEND].place)
    card.run(4 * LATENCY)
    queues[SEND].publish()
    card.host.kick(SEND)
    start = card.cycle
    card.run(20 * LATENCY)
    card.host.stop(SEND)
    return card.collect()[0].first_cycle - start


def rates(card: VirtualCard, size: int, ways: tuple[int, ...], ring: str, pairs: int = 1) -> dict[int, float]:
    """Frames per cycle by direction, in the middle of a queue of frames. To the host they arrive faster than they are taken, as far as a link of
    512 bits carries them; what finds no room is dropped."""
    queues = {index: queue for index, queue in _queues(card, size, ring, pairs).items() if index % 2 in ways}
    card.host.steer(range(pairs))
    for index, queue in queues.items():
        queue.publish()
        if index % 2 == RECEIVE:
            card.host.start(index, queue.place)
    card.run(20 * LATENCY)
    every = max(3 if pairs == 1 else 2, -(-size // 64))
    frames = QUEUE * pairs
    start = card.cycle + 10 * LATENCY
    if RECEIVE in ways:
        for number in range(frames):
            card.inject(0, _frame(card, size, number % FLOWS), cycle=start + every * number)
    for index, queue in queues.items():
        if index % 2 == SEND:
            card.host.start(index, queue.place)
    seen: dict[int, list[tuple[int, int]]] = {way: [] for way in ways}
    used = dict.fromkeys(ways, 0)
    while card.cycle < start + every * frames:  # while frames arrive
        card.run(STEP)
        for index, queue in queues.items():
            used[index % 2] += len(queue.used())
        for way in ways:
            seen[way].append((card.cycle, used[way]))
    card.run_until_quiet()
    card.collect()
    for index in queues:
        card.host.stop(index)
    return {way: _slope([(cycle, count) for cycle, count in seen[way] if frames // 8 <= count < frames * 3 // 4]) for way in ways}


def _two_pairs(card: VirtualCard, other: int) -> list[PackedQueue]:
    """The send queues of two pairs; the first has frames of `other` bytes, and is working on them."""
    card.host.set_latency(LATENCY)
    memory = HostMemory(card, MEMORY)
    queues = [PackedQueue(memory, RING * pair, QUEUE) for pair in range(2)]
    for pair, queue in enumerate(queues):
        card.host.start(2 * pair + SEND, replace(queue.place, udp=True))
    if other:
        start = header((34, 6), 5, SEGMENT) if other == LARGE else bytes(HEADER)
        memory.write(memory.base + BUFFERS, start + _frame(card, other, 0))
        for _ in range(QUEUE):
            queues[0].add([(memory.base + BUFFERS, HEADER + other)])
        queues[0].publish()
        card.host.kick(SEND)
        card.run(8 * LATENCY)
        card.collect()
    return queues


def _offer(card: VirtualCard, queue: PackedQueue, size: int) -> None:
    """Adds a frame of the second pair, which has a flow of its own."""
    address = queue.memory.base + 2 * BUFFERS
    queue.memory.write(address, bytes(HEADER) + _frame(card, size, 1))
    queue.add([(address, HEADER + size)])


def _sent(card: VirtualCard, flow: int) -> list[int]:
    """The cycles in which frames of the flow left; all others are forgotten."""
    return [frame.first_cycle for frame in card.collect() if frame.data[34:36] == struct.pack(">H", 1024 + flow)]


def _end(card: VirtualCard, queues: list[PackedQueue], other: int) -> None:
    assert not other or len(queues[0].used()) < QUEUE, "the other pair has ended before"
    for pair in range(2):
        card.host.stop(2 * pair + SEND)
    card.run_until_quiet()
    card.collect()


def rate_beside(card: VirtualCard, size: int, other: int) -> float:
    """Frames per cycle of a pair while another sends, in the middle of a queue of frames."""
    queues, frames = _two_pairs(card, other), QUEUE * 3 // 8
    for _ in range(frames):
        _offer(card, queues[1], size)
    queues[1].publish()
    card.host.kick(2 + SEND)
    cycles: list[int] = []
    while len(cycles) < frames:
        card.run(LATENCY)
        cycles += _sent(card, 1)
    _end(card, queues, other)
    few, many = frames // 8, frames * 7 // 8
    return (many - few) / (cycles[many] - cycles[few])


def doorbells_beside(card: VirtualCard, other: int) -> list[int]:
    """Cycles from a doorbell to the wire while another pair sends."""
    queues, rng, found = _two_pairs(card, other), random.Random(1), []
    for _ in range(TIMES):
        card.run(4 * LATENCY + rng.randrange(LATENCY))
        _offer(card, queues[1], 64)
        queues[1].publish()
        card.host.kick(2 + SEND)
        start = card.cycle
        card.run(10 * LATENCY)
        found += [cycle - start for cycle in _sent(card, 1)]
    assert len(found) == TIMES
    _end(card, queues, other)
    return found


def _slope(points: list[tuple[int, int]]) -> float:
    (first, low), (last, high) = points[0], points[-1]
    return (high - low) / (last - first)


EXHIBIT = Exhibit(
    id="host",
    title="the host's network device: frames per cycle, doorbell to wire",
    source="no published exhibit",
    differs="there is no paper; the figures are those of designs/nic.yaml, which has one pair of virtqueues, and of that card with four; memory is 100 cycles away",
    run=run,
)

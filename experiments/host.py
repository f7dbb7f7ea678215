# SPDX-License-Identifier: Apache-2.0
"""The host's network device: frames per cycle in each direction, and the time from a doorbell to the wire, with the host's memory 400 ns away."""

from __future__ import annotations

from girih.card.host import RECEIVE, SEND
from girih.card.virtual import VirtualCard
from girih.experiments import Exhibit, Progress, Row
from girih.experiments.host_driver import HEADER, WRITE, HostMemory, PackedQueue, SplitQueue
from girih.paths import DESIGNS

LATENCY = 100  # cycles of 4 ns
SIZES = (64, 1500)  # bytes of a frame, without its check sequence
QUEUE, SLOT, MEMORY = 1024, 2048, 16 << 20
AT = {SEND: 0x0, RECEIVE: 0x10000}
BUFFERS = {SEND: 4 << 20, RECEIVE: 8 << 20}
STEP = 16  # cycles between two looks at the used ring
WANTED = {64: "wanted: 0.12 (30 M/s), aim: 0.32 over four pairs", 1500: "wanted: 100 Gbps each way at once"}
DOORBELL = f"wanted: {3 * LATENCY + 60}, aim: {2 * LATENCY + 40}"
Queue = SplitQueue | PackedQueue
FORMS: dict[str, type[Queue]] = {"split": SplitQueue, "packed": PackedQueue}


def run(progress: Progress) -> list[Row]:
    rows = []
    with VirtualCard.open(DESIGNS / "nic.yaml", collect=True) as card:
        clock = card.manifest.clock_mhz
        for ring in FORMS:
            progress(f"doorbell, {ring} ring")
            rows.append(Row("doorbell_cycles", {"ring": ring, "way": "to the wire", "bytes": 64}, "cycles", None, doorbell(card, ring), None, DOORBELL))
            for size in SIZES:
                for ways in ((SEND,), (RECEIVE,), (SEND, RECEIVE)):
                    progress(f"frames of {size} bytes, {ring} ring")
                    for way, rate in rates(card, size, ways, ring).items():
                        params = {"ring": ring, "way": "to the wire" if way == SEND else "to the host", "bytes": size, "both": "yes" if len(ways) > 1 else "no"}
                        rows.append(Row("packets_per_cycle", params, "per cycle", None, round(rate, 4), None, WANTED[size]))
                        rows.append(Row("gbps", params, "Gbps", None, round(rate * size * 8 * clock / 1000, 1), None, WANTED[size]))
    return rows


def _frame(card: VirtualCard, size: int) -> bytes:
    mac, _ip = card.manifest.port_address(0)
    return bytes.fromhex(mac.replace(":", "")) + bytes.fromhex("020000000001" + "88b5") + bytes(size - 14)


def _queues(card: VirtualCard, size: int, ring: str) -> dict[int, Queue]:
    """Both queues, with all their descriptors offered: frames to send, and buffers; the card has not been told."""
    card.host.set_latency(LATENCY)
    memory = HostMemory(card, MEMORY)
    queues: dict[int, Queue] = {}
    for way, at in AT.items():
        queue = queues[way] = FORMS[ring](memory, at, QUEUE)
        if isinstance(queue, SplitQueue):
            queue.free.sort(reverse=True)
        for number in range(QUEUE):
            address = memory.base + BUFFERS[way] + SLOT * number
            memory.write(address, bytes(HEADER) + _frame(card, size))
            queue.add([(address, HEADER + size if way == SEND else SLOT)], 0 if way == SEND else WRITE)
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


def rates(card: VirtualCard, size: int, ways: tuple[int, ...], ring: str) -> dict[int, float]:
    """Frames per cycle by direction, in the middle of a queue of frames. To the host they arrive faster than they are taken, as far as a link of
    512 bits carries them; what finds no room is dropped."""
    queues = _queues(card, size, ring)
    for queue in queues.values():
        queue.publish()
    if RECEIVE in ways:
        card.host.start(RECEIVE, queues[RECEIVE].place)
        card.run(20 * LATENCY)
    every = max(3, -(-size // 64))
    start = card.cycle + 10 * LATENCY
    if RECEIVE in ways:
        for number in range(QUEUE):
            card.inject(0, _frame(card, size), cycle=start + every * number)
    if SEND in ways:
        card.host.start(SEND, queues[SEND].place)
    seen: dict[int, list[tuple[int, int]]] = {way: [] for way in ways}
    used = dict.fromkeys(ways, 0)
    while card.cycle < start + every * QUEUE:  # as long as frames arrive
        card.run(STEP)
        for way in ways:
            used[way] += len(queues[way].used())
            seen[way].append((card.cycle, used[way]))
    card.run_until_quiet()
    card.collect()
    for way in ways:
        card.host.stop(way)
    return {way: _slope([(cycle, count) for cycle, count in seen[way] if QUEUE // 8 <= count < QUEUE]) for way in ways}


def _slope(points: list[tuple[int, int]]) -> float:
    (first, low), (last, high) = points[0], points[-1]
    return (high - low) / (last - first)


EXHIBIT = Exhibit(
    id="host",
    title="the host's network device: frames per cycle, doorbell to wire",
    source="no published exhibit",
    differs="there is no paper; the figures are those of designs/nic.yaml with one pair of virtqueues, and memory 100 cycles away",
    run=run,
)

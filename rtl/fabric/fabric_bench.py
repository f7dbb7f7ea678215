# SPDX-License-Identifier: Apache-2.0
"""Common parts of the fabrics' tests: tiles that send and receive messages, and a scoreboard. For each pair of tiles the scoreboard has what was sent
and not yet received, in order; a message's number travels in the descriptor's `length`, its sender in `src`, and the data of every flit are
random."""

from __future__ import annotations

import os
import random
from collections import defaultdict, deque

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from girih.spec.message import CardParams, descriptor_fields, flit_fields, pack, unpack
from girih.testing.clock import start_clock
from girih.topology import Topology

PARAMS = CardParams(data_width=int(os.environ.get("GIRIH_DATA_WIDTH", "512")))
FLIT = flit_fields(PARAMS)
DESCRIPTOR = descriptor_fields(PARAMS)
MOODS = [0, 0.3, 0.9]


def message(src: int, dst: int, flits: int, number: int = 0) -> list[int]:
    """The packed flits of a message with random data; later flits carry a random descriptor."""
    width = sum(field.width for field in DESCRIPTOR)
    desc = pack(DESCRIPTOR, {"dst": dst, "src": src, "length": number % (1 << 14)})
    return [
        pack(
            FLIT,
            {
                "desc": desc if i == 0 else random.getrandbits(width),
                "first": int(i == 0),
                "last": int(i == flits - 1),
                "bad": random.getrandbits(1) if i == flits - 1 else 0,
                "empty": random.randrange(PARAMS.flit_bytes) if i == flits - 1 else 0,
                "data": random.getrandbits(PARAMS.data_width),
            },
        )
        for i in range(flits)
    ]


class Fabric:
    """Drives all ports of a fabric, one step per cycle, and checks everything that comes out.

    ports: the ports that exist. nodes[i]: node number of port i. Each queue of `offers` holds the
    flits that its port has still to send. With two classes port N + i is that of port i's replies, which are always taken.
    """

    def __init__(self, dut, ports: list[int], nodes: list[int], classes: int = 1):
        self.dut, self.each, self.classes = dut, len(ports), classes
        self.ports = [number * len(ports) + port for number in range(classes) for port in ports]
        self.nodes = nodes * classes
        self.port_of = {node: port for port, node in zip(ports, nodes)}
        self.offers: dict[int, deque[int]] = {port: deque() for port in self.ports}
        self.expected: dict[tuple[int, int], deque[list[int]]] = defaultdict(deque)
        self.receiving: dict[int, list[int]] = {port: [] for port in self.ports}
        self.waiting: dict[int, int] = {}  # flits on offer, not taken in the last cycle
        self.idle = dict.fromkeys(self.ports, 0.0)
        self.stall = dict.fromkeys(self.ports, 0.0)
        self.offering: set[int] = set()
        self.cycle = 0
        self.taken: dict[int, list[int]] = defaultdict(list)  # cycles in which a port's input took a flit
        self.given: dict[int, list[int]] = defaultdict(list)  # cycles in which an output gave a flit

    async def reset(self) -> None:
        self.dut.rst_i.value = 1
        self.dut.in_valid_i.value = 0
        self.dut.out_ready_i.value = 0
        start_clock(self.dut)
        for _ in range(3):
            await RisingEdge(self.dut.clk_i)
        self.dut.rst_i.value = 0

    def send(self, port: int, dst: int, flits: int, *, arrives: int | None = None, number: int = 0) -> None:
        """Queues a message at `port`; it is expected at the port of node `dst`, or at port `arrives`."""
        packed = message(self.nodes[self.ports.index(port)], dst, flits, number)
        self.offers[port].extend(packed)
        self.expected[port, self.beside(self.port_of[dst] if arrives is None else arrives, port)].append(packed)

    def beside(self, port: int, other: int) -> int:
        """The same tile's port for another class."""
        return port % self.each + other // self.each * self.each

    async def step(self) -> None:
        """One cycle."""
        valid = ready = 0
        for port in self.ports:
            if self.offers[port] and (port in self.offering or random.random() >= self.idle[port]):
                valid |= 1 << port
                if port not in self.offering:
                    self.offering.add(port)
                    self.dut.in_flit_i[port].value = self.offers[port][0]
            if port >= self.each or random.random() >= self.stall[port]:  # replies are always taken
                ready |= 1 << port
        self.dut.in_valid_i.value, self.dut.out_ready_i.value = valid, ready
        await ReadOnly()
        took, gives = valid & int(self.dut.in_ready_o.value), int(self.dut.out_valid_o.value)
        for port in self.ports:
            if took >> port & 1:
                self.offers[port].popleft()
                self.offering.discard(port)
                self.taken[port].append(self.cycle)
            if gives >> port & 1:
                flit = int(self.dut.out_flit_o[port].value)
                assert self.waiting.get(port, flit) == flit, f"port {port}: a waiting flit changed"
                self.waiting.pop(port, None)
                if ready >> port & 1:
                    self.given[port].append(self.cycle)
                    self._receive(port, flit)
                else:
                    self.waiting[port] = flit
            else:
                assert port not in self.waiting, f"port {port}: a waiting flit vanished"
        await RisingEdge(self.dut.clk_i)
        self.cycle += 1

    def _receive(self, port: int, flit: int) -> None:
        flits = self.receiving[port]
        flits.append(flit)
        if not unpack(FLIT, flit)["last"]:
            return
        self.receiving[port] = []
        src = unpack(DESCRIPTOR, unpack(FLIT, flits[0])["desc"])["src"]
        queue = self.expected.get((self.beside(self.port_of[src], port), port)) if src in self.port_of else None
        assert queue, f"port {port}: a message from node {src} that nobody sent here, or an interleaved one"
        assert queue.popleft() == flits, f"port {port}: a message from node {src} is changed or out of order"

    def requests_wait(self, port: int) -> int:
        """The cycles that requests wait in the queue behind a fabric of two classes."""
        return int(self.classes == 2 and port < self.each)

    @property
    def outstanding(self) -> int:
        return sum(len(queue) for queue in self.expected.values())

    async def drain(self, limit: int = 20_000) -> None:
        """Runs until every message has arrived."""
        for _ in range(limit):
            if not self.outstanding:
                return
            await self.step()
        raise AssertionError(f"{self.outstanding} messages did not arrive within {limit} cycles")

    def change_moods(self) -> None:
        for port in self.ports:
            self.idle[port], self.stall[port] = random.choice(MOODS), random.choice(MOODS)


async def random_traffic(fabric: Fabric, pairs: list[tuple[int, int]], messages: int) -> None:
    """Random messages between (port, destination node) pairs, then quiet; everything must arrive."""
    for number in range(messages):
        port, node = random.choice(pairs)
        fabric.send(port, node, random.choice([1, 1, 2, 3, random.randrange(4, 30)]), number=number)
    while fabric.outstanding:
        fabric.change_moods()
        for _ in range(100):
            if not fabric.outstanding:
                return
            await fabric.step()
        assert fabric.cycle < 60_000, f"{fabric.outstanding} messages did not arrive"


async def every_message_takes_its_route(fabric: Fabric, shape: Topology, depth: int) -> None:
    """Stalls the end of each route in turn: exactly the links of `shape.route` stall."""
    names = [link.text for link in shape.links()]
    for port, start in enumerate(shape.places):
        for to, end in enumerate(shape.places):
            links = {link.text for link in shape.hops(start, end)}
            if port == to or not links:
                continue
            fabric.stall[to] = 1.0
            flits = depth * (len(links) + 1) + 2
            fabric.send(port, shape.node(end), flits)
            for _ in range(flits + 2 * len(links) + 4):
                await fabric.step()
            stalled = int(fabric.dut.stall_o.value)
            assert {name for bit, name in enumerate(names) if stalled >> bit & 1} == links, f"from {start} to {end}"
            fabric.stall[to] = 0.0
            await fabric.drain()
            assert int(fabric.dut.stall_o.value) == 0


CLASS_TESTS = ["a_class_that_is_not_taken_holds_no_other", "classes_take_turns"]


async def a_class_that_is_not_taken_holds_no_other(fabric: Fabric) -> None:
    """No request is taken anywhere, and every queue fills up; replies then move as if there were no requests."""
    taking, full = range(fabric.each, 2 * fabric.each), range(fabric.each)
    for port in full:
        fabric.stall[port] = 1.0
        for _ in range(4):
            for to in random.sample(list(full), fabric.each):
                if to != port:
                    fabric.send(port, fabric.nodes[to], random.choice([1, 3, 30]))
    for _ in range(400):
        await fabric.step()
    stuck = {port: len(fabric.taken[port]) for port in full}
    assert all(fabric.offers[port] for port in full)
    for port in taking:
        for _ in range(20):
            to = random.choice([to for to in full if to != port - fabric.each])
            fabric.send(port, fabric.nodes[to], random.choice([1, 2, 9]))
    for _ in range(3000):
        await fabric.step()
    left = sum(len(queue) for (port, _), queue in fabric.expected.items() if port in taking)
    assert left == 0, f"{left} replies did not arrive"
    assert stuck == {port: len(fabric.taken[port]) for port in full}
    for port in full:
        fabric.stall[port] = 0.0
    await fabric.drain()


async def classes_take_turns(fabric: Fabric) -> None:
    """Both classes flood one link: each has half of it. Alone, each has all of it."""
    port, to = 0, fabric.each - 1
    for own in (port, port + fabric.each):
        for _ in range(50):
            fabric.send(own, fabric.nodes[to], random.choice([1, 2, 4]))
    await fabric.drain()
    both = [fabric.given[to], fabric.given[to + fabric.each]]
    shared = min(both[0][-1], both[1][-1])
    early = [sum(cycle <= shared for cycle in cycles) for cycles in both]
    assert abs(early[0] - early[1]) <= 4, "the classes do not take turns"
    cycles = sorted(set(both[1]) | {cycle - 1 for cycle in both[0]})
    assert cycles == list(range(cycles[0], cycles[0] + len(both[0]) + len(both[1]))), "the link was idle while flits waited"


def class_tests(names: dict, start) -> None:
    """The tests of two classes, to be run on the fabric that `start` returns."""
    for run in (a_class_that_is_not_taken_holds_no_other, classes_take_turns):
        names[run.__name__] = _as_test(run, start)


def _as_test(run, start):
    async def test(dut):
        fabric = await start(dut)
        if fabric.classes == 2:
            await run(fabric)

    test.__name__ = test.__qualname__ = run.__name__
    return cocotb.test()(test)

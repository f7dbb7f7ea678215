# SPDX-License-Identifier: Apache-2.0
"""arp: resolves, queues, asks, answers and learns; nothing is lost without a count, and nothing is blocked."""

import itertools
import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Raw

from girih.spec.kinds import load_kind
from girih.testing import WIDTHS, run_cocotb
from girih.testing.messages import FLIT_BYTES, PARAMS, Events, Message, settle, start

KIND = load_kind("arp")
IP_ADDR, GATEWAY = "10.0.0.1", "10.0.0.254"
PORT, OTHER_PORT = 5, 11
VLAN = 7
BROADCAST = "ff:ff:ff:ff:ff:ff"
CONFIG = {"mac": 0x0200000000FD, "ip": 0x0A000001, "netmask": 0xFFFFFF00, "gateway": 0x0A0000FE}


@pytest.mark.parametrize("data_width", WIDTHS)
def test_arp_engine(data_width):
    run_cocotb("arp_engine", __file__, data_width=data_width)


def config(**changes) -> int:
    values = CONFIG | {"retry_cycles": 100_000, "max_age": 0, "announce": 0} | changes
    word = 0
    for field in KIND.config:
        word = word << field.width | values[field.name]
    return word


def own_mac(port: int) -> str:
    """The card's MAC address at a port: that of port 0 ends in fd, so that adding the port carries."""
    return (CONFIG["mac"] + port).to_bytes(6, "big").hex(":")


def mac_of(ip: str, generation: int = 0) -> str:
    """A neighbour's MAC address in these tests."""
    return f"06:{generation:02x}:" + ":".join(f"{int(part):02x}" for part in ip.split("."))


MAC = own_mac(PORT)


def ether(dst, src, vlan):
    return Ether(dst=dst, src=src) / Dot1Q(vlan=vlan[0], prio=vlan[1]) if vlan else Ether(dst=dst, src=src)


def random_vlan():
    return (VLAN, random.randrange(8)) if random.random() < 0.3 else None


def packet(dst: str, size: int = 60, vlan=None, bad=False, port=PORT, requester=None) -> Message:
    """An outgoing packet as ipv4_tx passes it on, without its destination MAC. requester: the source address of the frame that it answers."""
    frame = ether("00:00:00:00:00:00", requester or own_mac(port), vlan) / IP(src=IP_ADDR, dst=dst) / UDP(sport=1, dport=2)
    room = max(0, size - len(frame))
    data = bytes(frame / Raw(random.randbytes(room)))
    desc = {
        "length": len(data),
        "l3_offset": 18 if vlan else 14,
        "port": port,
        "tenant": random.randrange(16),
        "timestamp": random.getrandbits(24),
    }
    return Message(data, desc, bad=bad)


def arp_frame(op, src_ip, dst_ip=IP_ADDR, src_mac=None, vlan=None, bad=False, cut=None, port=PORT, **fields) -> Message:
    src_mac = src_mac or mac_of(src_ip)
    body = ARP(op=op, hwsrc=src_mac, psrc=src_ip, hwdst=own_mac(port) if op == 2 else "00:00:00:00:00:00", pdst=dst_ip)
    for name, value in fields.items():
        setattr(body, name, value)
    frame = bytes(ether(BROADCAST if op == 1 else own_mac(port), src_mac, vlan) / body).ljust(60, b"\0")
    desc = {
        "l3_offset": 18 if vlan else 14,
        "port": port,
        "tenant": random.randrange(16),
        "timestamp_valid": 1,
        "timestamp": random.getrandbits(24),
    }
    return Message(frame[:cut], desc, bad=bad)


class Bench:
    """The engine with its source, sink and counters."""

    async def begin(self, dut, idle=0.0, stall=0.0, **cfg):
        self.dut = dut
        dut.cfg_i.value = config(**cfg)
        self.source, self.sink = await start(dut, idle, stall)
        self.events = Events(dut, [c.name for c in KIND.engine_counters])
        self.entered = 0
        return self

    def send(self, *messages):
        self.entered += len(messages)
        self.source.send(*messages)

    async def run(self, *messages) -> list[Message]:
        """Sends messages, waits until all is quiet, and returns the messages that came out meanwhile."""
        before = len(self.sink.messages)
        self.send(*messages)
        await settle(self.dut, self.source, self.sink)
        return self.sink.messages[before:]

    async def teach(self, *ips, generation=0, **where):
        out = await self.run(*[arp_frame(2, ip, src_mac=mac_of(ip, generation), **where) for ip in ips])
        assert out == [] or generation

    def conserved(self, waiting=0):
        count = self.events.count
        made = sum(v for name, v in count.items() if name.startswith("made_"))
        gone = sum(v for name, v in count.items() if name.startswith(("drop_", "used_")))
        assert self.entered + made == len(self.sink.messages) + gone + waiting


def is_arp(message: Message) -> bool:
    return ARP in Ether(message.data)


def check_forwarded(sent: Message, got: Message, mac: str):
    assert got.data[:6] == bytes.fromhex(mac.replace(":", ""))
    assert got.data[6:] == sent.data[6:] and got.bad == sent.bad
    assert all(got.desc[name] == value for name, value in sent.desc.items())
    assert got.key == sent.desc["port"]


def check_request(got: Message, ip: str, cause: Message, vlan):
    own = own_mac(cause.desc["port"])
    want = ether(BROADCAST, own, vlan) / ARP(
        op=1, hwsrc=own, psrc=IP_ADDR, hwdst="00:00:00:00:00:00", pdst=ip, hwlen=6, plen=4
    )
    assert got.data == bytes(want) and not got.bad
    assert got.desc["timestamp_valid"] == 0 and got.desc["length"] == len(got.data)
    assert all(got.desc[name] == cause.desc[name] for name in ("port", "tenant", "l3_offset"))
    assert got.key == cause.desc["port"]


@cocotb.test()
async def known_neighbours_are_written_in_place(dut):
    bench = await Bench().begin(dut)
    neighbours = [f"10.0.0.{i}" for i in range(2, 9)]
    await bench.teach(GATEWAY, *neighbours)
    await bench.teach(GATEWAY, *neighbours, vlan=(VLAN, 3))
    for idle, stall in [(0, 0), (0.5, 0), (0, 0.5), (0.4, 0.4)]:
        bench.source.idle, bench.sink.stall = idle, stall
        sent, macs = [], []
        for _ in range(100):
            dst = random.choice([*neighbours, "192.168.7.7", "8.8.8.8", "10.0.0.255", "255.255.255.255"])
            size = random.choice([42, 60, 64, 1514, random.randint(42, 500)])
            sent.append(packet(dst, size, random_vlan(), random.random() < 0.1))
            if dst.endswith(".255"):
                macs.append(BROADCAST)
            else:
                macs.append(mac_of(dst if dst in neighbours else GATEWAY))
        for message, got, mac in zip(sent, await bench.run(*sent), macs, strict=True):
            check_forwarded(message, got, mac)
    assert bench.events.count["mark_hit"] == 400 and bench.events.count["mark_miss"] == 0
    assert bench.events.count["mark_learned"] == 16
    bench.conserved()


@cocotb.test()
async def requests_for_us_are_answered(dut):
    bench = await Bench().begin(dut, idle=0.2, stall=0.3)
    asked = []
    for i in range(40):
        ip = "0.0.0.0" if i % 10 == 0 else f"10.0.0.{random.randint(2, 12)}"  # 0.0.0.0: a probe
        vlan = random_vlan()
        asked.append((ip, vlan, arp_frame(1, ip, src_mac=mac_of(ip, 1), vlan=vlan)))
    out = await bench.run(*[m for _, _, m in asked])
    for (ip, vlan, message), got in zip(asked, out, strict=True):
        mac = mac_of(ip, 1)
        want = ether(mac, MAC, vlan) / ARP(op=2, hwsrc=MAC, psrc=IP_ADDR, hwdst=mac, pdst=ip, hwlen=6, plen=4)
        assert got.data == bytes(want)
        assert got.desc["timestamp_valid"] == 1 and got.desc["timestamp"] == message.desc["timestamp"]
        assert all(got.desc[name] == message.desc[name] for name in ("port", "tenant", "l3_offset"))
    assert bench.events.count["made_reply"] == bench.events.count["used_arp"] == 40
    assert bench.events.count["mark_learned"] == 36  # who asks is learned, except by probes
    ip, vlan, _ = next(one for one in reversed(asked) if one[0] != "0.0.0.0")
    sent = packet(ip, vlan=vlan)
    check_forwarded(sent, (await bench.run(sent))[0], mac_of(ip, 1))
    bench.conserved()


@cocotb.test()
async def only_who_should_teaches(dut):
    bench = await Bench().begin(dut)
    await bench.teach("10.0.0.2")
    stranger, known = "10.0.0.3", "10.0.0.2"
    nobody = ["0.0.0.0", "10.0.0.0", "10.0.0.255", "255.255.255.255", "224.0.0.1", "127.0.0.1", "10.0.1.3", "192.0.2.1"]
    ignored = [
        *[arp_frame(2, ip) for ip in nobody],
        arp_frame(1, stranger, dst_ip="10.0.0.77"),  # not for us
        arp_frame(2, stranger, dst_ip="10.0.0.77"),
        arp_frame(1, stranger, dst_ip=stranger),  # gratuitous, of an unknown host
        arp_frame(2, IP_ADDR, dst_ip=IP_ADDR),  # another host has our address
        arp_frame(2, known, src_mac=mac_of(known, 7), bad=True),  # did not arrive whole
    ]
    assert await bench.run(*ignored) == []
    assert bench.events.count["mark_learned"] == 1 and bench.events.count["drop_aborted"] == 1
    malformed = [
        arp_frame(2, known, hwtype=6),
        arp_frame(2, known, ptype=0x86DD),
        arp_frame(2, known, hwlen=8),
        arp_frame(2, known, plen=16),
        arp_frame(3, known),
        arp_frame(2, known, src_mac="03:00:00:00:00:00"),  # a group address
        arp_frame(2, known, src_mac="00:00:00:00:00:00"),
        *[arp_frame(2, known, src_mac=own_mac(port)) for port in (0, PORT, 15)],
        arp_frame(1, known, cut=41),
        arp_frame(1, known, vlan=(5, 0), cut=45),
        Message(packet(known).data[:33], {"l3_offset": 14}),
        Message(bytes(1), {"l3_offset": 14}),
    ]
    assert await bench.run(*malformed) == []
    assert bench.events.count["drop_malformed"] == len(malformed)
    sent = packet(known)
    check_forwarded(sent, (await bench.run(sent))[0], mac_of(known))
    # The same address in another VLAN or at another port is another neighbour.
    await bench.teach(known, generation=5, port=OTHER_PORT)
    await bench.teach(known, generation=6, vlan=(VLAN, 0))
    for generation, where in ((0, {}), (5, {"port": OTHER_PORT}), (6, {"vlan": (VLAN, 7)})):
        sent = packet(known, **where)
        check_forwarded(sent, (await bench.run(sent))[0], mac_of(known, generation))
    gratuitous = arp_frame(1, known, dst_ip=known, src_mac=mac_of(known, 9))
    sent = packet(known)
    check_forwarded(sent, (await bench.run(gratuitous, sent))[0], mac_of(known, 9))
    assert is_arp((await bench.run(packet(stranger)))[0])  # still unknown: it is asked for
    bench.conserved(waiting=1)


@cocotb.test()
async def unresolved_wait_and_block_nobody(dut):
    bench = await Bench().begin(dut)
    await bench.teach("10.0.0.2")
    missing = ["10.0.0.10", "10.0.0.11", "172.16.0.1"]  # the last one by the gateway
    hop = {"172.16.0.1": GATEWAY}
    waiting = {ip: [] for ip in missing}
    vlans = dict(zip(missing, [None, (7, 3), None], strict=True))
    sent, known = [], []
    for _ in range(40):
        dst = random.choice([*missing, "10.0.0.2"])
        message = packet(dst, random.choice([60, 64, 200, 700]), vlans.get(dst))
        (known if dst == "10.0.0.2" else waiting[dst]).append(message)
        sent.append(message)
    out = await bench.run(*sent)
    requests = {Ether(m.data)[ARP].pdst: m for m in out if is_arp(m)}
    assert len(requests) == bench.events.count["made_request"] == 3
    for ip in missing:
        check_request(requests[hop.get(ip, ip)], hop.get(ip, ip), waiting[ip][0], vlans[ip])
    for message, got in zip(known, [m for m in out if not is_arp(m)], strict=True):
        check_forwarded(message, got, mac_of("10.0.0.2"))
    for ip in random.sample(missing, 3):
        # A message right behind the answer must not overtake those that wait.
        later = [packet(ip, 60, vlans[ip]) for _ in range(3)] + [packet("10.0.0.2")]
        out = await bench.run(arp_frame(2, hop.get(ip, ip), vlan=vlans[ip]), *later)
        for message, got in zip(waiting[ip] + later[:3], [m for m in out if Ether(m.data).dst != mac_of("10.0.0.2")], strict=True):
            check_forwarded(message, got, mac_of(hop.get(ip, ip)))
    assert bench.events.count["drop_pending_full"] == 0
    bench.conserved()


@cocotb.test()
async def unanswered_are_asked_again_and_dropped(dut):
    retry = 300
    bench = await Bench().begin(dut, retry_cycles=retry)
    sent = [packet("10.0.0.50", 60) for _ in range(5)]
    out = await bench.run(*sent)
    await ClockCycles(dut.clk_i, 5 * retry)
    out = bench.sink.messages
    assert len(out) == 4 and all(is_arp(m) for m in out)
    gaps = [after.first - before.first for before, after in itertools.pairwise(out)]
    assert all(retry <= gap <= retry + 2 for gap in gaps)
    assert bench.events.count["drop_unresolved"] == 5
    bench.conserved()
    dut.cfg_i.value = config(gateway=0)
    await bench.run(packet("8.8.8.8"))
    assert bench.events.count["drop_unresolved"] == 6
    sent = packet("10.0.0.50")  # the slot is free again
    await bench.run(sent)
    check_forwarded(sent, (await bench.run(arp_frame(2, "10.0.0.50")))[-1], mac_of("10.0.0.50"))
    bench.conserved()


@cocotb.test()
async def a_full_room_drops_and_counts(dut):
    bench = await Bench().begin(dut)
    size = PARAMS.max_frame - 4
    big = [packet("10.0.0.60", size) for _ in range(4)]
    bad = packet("10.0.0.60", 300, bad=True)
    small = packet("10.0.0.60")
    others = [packet(f"10.0.0.{61 + i}") for i in range(6)]  # more than there are slots
    await bench.run(bad, *big, small, *others)
    slot_flits = 1 << (-(-PARAMS.max_frame // FLIT_BYTES) - 1).bit_length()
    fit = slot_flits // -(-size // FLIT_BYTES)
    assert bench.events.count["drop_pending_full"] == (4 - fit) + 3
    assert bench.events.count["drop_aborted"] == 1
    out = await bench.run(arp_frame(2, "10.0.0.60"))
    for message, got in zip([*big[:fit], small], out, strict=True):
        check_forwarded(message, got, mac_of("10.0.0.60"))
    bench.conserved(waiting=3)


@cocotb.test()
async def the_oldest_neighbour_is_forgotten(dut):
    bench = await Bench().begin(dut)
    ips = [f"10.0.0.{i}" for i in range(2, 19)]  # one more than there are entries
    await bench.teach(*ips)
    out = await bench.run(*[packet(ip) for ip in ips[1:]])
    assert [Ether(m.data).dst for m in out] == [mac_of(ip) for ip in ips[1:]]
    assert is_arp((await bench.run(packet(ips[0])))[0])
    bench.conserved(waiting=1)


@cocotb.test()
async def strangers_push_out_nobody_in_use(dut):
    bench = await Bench().begin(dut)
    ips = [f"10.0.0.{i}" for i in range(2, 18)]  # as many as there are entries
    await bench.teach(*ips)
    used = ips[3:5]
    await bench.run(*[packet(ip) for ip in used])
    forged = [arp_frame(random.choice([1, 2]), f"10.0.0.{i}", dst_ip=IP_ADDR) for i in range(100, 140)]
    await bench.run(*forged)
    assert bench.events.count["mark_learned"] == 16 + 40 and bench.events.count["mark_not_learned"] == 0
    sent = [packet(ip) for ip in used]
    for message, got, ip in zip(sent, await bench.run(*sent), used, strict=True):
        check_forwarded(message, got, mac_of(ip))
    # When all are in use, only a neighbour that the card has asked for is stored, and replaces the oldest.
    others = [f"10.0.0.{i}" for i in range(126, 140)]  # the last of them are known
    await bench.run(*[packet(ip) for ip in others])
    assert bench.events.count["mark_miss"] == 0
    await bench.run(*[arp_frame(1, f"10.0.0.{i}", dst_ip=IP_ADDR) for i in range(200, 220)])
    assert bench.events.count["mark_not_learned"] == 20
    sent = [packet(ip) for ip in [*used, *others]]
    assert [Ether(m.data).dst for m in await bench.run(*sent)] == [mac_of(ip) for ip in [*used, *others]]
    newcomer = packet("10.0.0.220")
    await bench.run(newcomer)
    check_forwarded(newcomer, (await bench.run(arp_frame(2, "10.0.0.220")))[0], mac_of("10.0.0.220"))
    again = packet("10.0.0.220")
    check_forwarded(again, (await bench.run(again))[0], mac_of("10.0.0.220"))
    bench.conserved()


@cocotb.test()
async def a_requester_holds_one_slot(dut):
    bench = await Bench().begin(dut)
    stranger, honest = "06:66:00:00:00:01", "06:66:00:00:00:02"
    await bench.run(*[packet(f"10.0.0.{i}", requester=stranger) for i in range(100, 120)])
    assert bench.events.count["made_request"] == 1 and bench.events.count["drop_pending_full"] == 19
    sent = packet("10.0.0.9", requester=honest)
    await bench.run(sent, packet("10.0.0.100", requester=stranger))  # to the host for which it waits already
    check_forwarded(sent, (await bench.run(arp_frame(2, "10.0.0.9")))[0], mac_of("10.0.0.9"))
    assert bench.events.count["drop_pending_full"] == 19
    # Once it is answered, it may ask for another one.
    assert len(await bench.run(arp_frame(2, "10.0.0.100"))) == 2
    await bench.run(packet("10.0.0.101", requester=stranger))
    assert bench.events.count["drop_pending_full"] == 19
    bench.conserved(waiting=1)


@cocotb.test()
async def slots_that_nobody_answers_for_come_free_sooner_when_all_are_taken(dut):
    retry = 400
    bench = await Bench().begin(dut, retry_cycles=retry)
    await bench.run(*[packet(f"10.0.0.{i}", requester=f"06:66:00:00:00:{i:02x}") for i in range(100, 104)])
    await bench.run(packet("10.0.0.9"))
    assert bench.events.count["drop_pending_full"] == 1
    await ClockCycles(dut.clk_i, 2 * retry)
    assert bench.events.count["drop_unresolved"] >= 1
    sent = packet("10.0.0.9")
    await bench.run(sent)
    check_forwarded(sent, (await bench.run(arp_frame(2, "10.0.0.9")))[-1], mac_of("10.0.0.9"))
    await ClockCycles(dut.clk_i, 4 * retry)
    bench.conserved()


@cocotb.test()
async def each_port_has_an_address_of_its_own(dut):
    bench = await Bench().begin(dut)
    for port in (0, 1, 2, 3, 15):
        (reply,) = await bench.run(arp_frame(1, "10.0.0.9", port=port))
        mac = mac_of("10.0.0.9")
        assert reply.data == bytes(ether(mac, own_mac(port), None) / ARP(op=2, hwsrc=own_mac(port), psrc=IP_ADDR, hwdst=mac, pdst="10.0.0.9"))
        sent = packet("10.0.0.77", port=port)
        (request,) = await bench.run(sent)
        check_request(request, "10.0.0.77", sent, None)
        (got,) = await bench.run(arp_frame(2, "10.0.0.77", port=port))
        check_forwarded(sent, got, mac_of("10.0.0.77"))
    bench.conserved()


@cocotb.test()
async def entries_age(dut):
    """A neighbour that sends no ARP packet is asked for again after max_age; one that sends some is not."""
    unit, age = 4096, 3
    bench = await Bench().begin(dut, max_age=age)
    await bench.teach("10.0.0.2", "10.0.0.3")
    for turn in range(3 * (age + 1)):
        await ClockCycles(dut.clk_i, unit)
        await bench.teach("10.0.0.3")
        out = await bench.run(sent := packet("10.0.0.3"))
        check_forwarded(sent, out[0], mac_of("10.0.0.3"))
        if turn < age - 1:
            out = await bench.run(sent := packet("10.0.0.2"))
            check_forwarded(sent, out[0], mac_of("10.0.0.2"))
    assert bench.events.count["mark_miss"] == 0
    (request,) = await bench.run(sent := packet("10.0.0.2"))
    check_request(request, "10.0.0.2", sent, None)
    (got,) = await bench.run(arp_frame(2, "10.0.0.2"))
    check_forwarded(sent, got, mac_of("10.0.0.2"))
    bench.conserved()


@cocotb.test()
async def its_address_is_announced_after_reset_and_when_it_changes(dut):
    bench = await Bench().begin(dut, announce=0b1000000000000101)

    async def announced(ip: str) -> None:
        await ClockCycles(dut.clk_i, 60)
        out, bench.sink.messages = bench.sink.messages, []
        assert [message.key for message in out] == [0, 2, 15]
        for message in out:
            own = own_mac(message.key)
            want = Ether(dst=BROADCAST, src=own) / ARP(op=1, hwsrc=own, psrc=ip, hwdst="00:00:00:00:00:00", pdst=ip, hwlen=6, plen=4)
            assert message.data == bytes(want)

    await announced(IP_ADDR)
    dut.cfg_i.value = config(announce=0b1000000000000101, ip=0x0A000099)
    await announced("10.0.0.153")
    dut.cfg_i.value = config(announce=0b1000000000000101, ip=0)
    await ClockCycles(dut.clk_i, 60)
    assert not bench.sink.messages


@cocotb.test()
async def three_cycles_and_no_bubble(dut):
    bench = await Bench().begin(dut)
    await bench.teach("10.0.0.2", "10.0.0.3")
    flit = FLIT_BYTES
    for size in (60, 64, 65, 1514, 9014):
        number = 300 if size < 100 else 8
        sent = [packet(random.choice(["10.0.0.2", "10.0.0.3"]), size) for _ in range(number)]
        out = await bench.run(*sent)
        assert out[-1].last - out[0].first + 1 == number * -(-size // flit)
        # One cycle more for each further flit that the IPv4 header reaches into.
        assert out[0].first - sent[0].first == 3 + (34 - 1) // flit


@cocotb.test()
async def a_random_neighbourhood(dut):
    """Neighbours that answer late or never, frames of all kinds, and random bytes: everything is accounted for."""
    bench = await Bench().begin(dut, retry_cycles=1500)
    alive = [f"10.0.0.{i}" for i in range(2, 26)]
    order, answered = {}, 0
    for idle, stall in [(0, 0), (0.3, 0.3), (0.1, 0.6)]:
        bench.source.idle, bench.sink.stall = idle, stall
        for _ in range(1500):
            kind = random.random()
            if kind < 0.7:
                dst = random.choice([*alive[: random.choice([3, 24])], "10.0.0.200", "10.0.0.201", "9.9.9.9"])
                vlan = random_vlan()
                message = packet(dst, random.choice([60, 60, 64, 130, 400]), vlan, random.random() < 0.05)
                order[message.data[6:]] = (len(order), (dst, vlan is None))
            elif kind < 0.8:
                message = arp_frame(
                    random.choice([1, 1, 2, 5]),
                    random.choice(alive),
                    random.choice([IP_ADDR, "10.0.0.9"]),
                    vlan=random_vlan(),
                    bad=random.random() < 0.2,
                )
            elif kind < 0.85:
                message = Message(random.randbytes(random.randint(1, 200)), {"l3_offset": random.choice([14, 18, 0, 255])})
            else:
                await ClockCycles(dut.clk_i, random.randrange(30))
                continue
            bench.send(message)
            while answered < len(bench.sink.messages):
                got = Ether(bench.sink.messages[answered].data)
                answered += 1
                if ARP in got and got[ARP].op == 1 and got[ARP].pdst in alive and random.random() < 0.7:
                    bench.send(arp_frame(2, got[ARP].pdst, vlan=(VLAN, 1) if Dot1Q in got else None))
        await settle(dut, bench.source, bench.sink, cycles=8000)
        seen = {}
        for message in bench.sink.messages:
            if message.data[6:] not in order:
                continue
            number, dst = order[message.data[6:]]
            assert number > seen.get(dst, -1), "messages to one neighbour changed their order"
            seen[dst] = number
            assert message.data[:6] == bytes.fromhex(mac_of(dst[0]).replace(":", ""))
        bench.conserved()
        count = bench.events.count
        assert all(count[name] > 0 for name in ("drop_unresolved", "drop_aborted", "mark_hit", "mark_miss", "made_reply"))
        assert len(seen) > 10

# SPDX-License-Identifier: Apache-2.0
"""ipv4_rx: every fault dropped and counted once, everything else trimmed and passed."""

import ipaddress
import os
import random
from collections import Counter
from itertools import pairwise

import cocotb
import pytest
from scapy.layers.inet import IPOption_NOP
from scapy.utils import checksum

from girih.testing import WIDTHS, run_cocotb
from girih.testing.engines import (
    TRAFFIC,
    EngineBench,
    check_no_bubbles,
    config_word,
    frame_of,
    random_ip,
    random_options,
    random_size,
    udp,
)
from girih.testing.messages import FLIT_BYTES, Message, flits_of

OURS, PREFIX = "10.0.0.2", 24
CONFIG = {"ip": OURS, "netmask": "255.255.255.0"}


@pytest.mark.parametrize("data_width", WIDTHS)
def test_ipv4_rx_engine(data_width):
    run_cocotb("ipv4_rx_engine", __file__, data_width=data_width)


def test_ipv4_rx_engine_that_forwards():
    run_cocotb("ipv4_rx_engine", __file__, data_width=512, parameters={"Forward": 1}, environment={"GIRIH_FORWARD": "1"}, testcase="packets_to_all_hosts_are_taken_to_be_forwarded")


def is_host(address: bytes, prefix: int) -> bool:
    """Whether a packet may come from there."""
    ip, ours = ipaddress.ip_address(address), ipaddress.ip_address(OURS)
    subnet = ipaddress.ip_interface(f"{OURS}/{prefix}").network
    if ip.is_loopback or ip.is_multicast or address[0] in (0, *range(240, 256)) or ip == ours:
        return False
    return prefix >= 31 or ip not in (subnet.network_address, subnet.broadcast_address)


def fault_of_options(options: bytes) -> str | None:
    """The model of options after RFC 791."""
    while options and options[0] != 0:
        if options[0] == 1:
            options = options[1:]
            continue
        if len(options) < 2 or not 2 <= options[1] <= len(options):
            return "drop_options"
        if options[0] in (131, 137):
            if options[1] < 3 or options[2] < 4:
                return "drop_options"
            if options[2] <= options[1]:
                return "drop_source_route"
        options = options[options[1] :]
    return None


def reason(frame: bytes, l3_offset: int, prefix: int = PREFIX) -> str | None:
    """The model: why this frame is dropped, or None."""
    packet = frame[l3_offset:]
    if len(packet) < 20:
        return "drop_short"
    header_bytes = 4 * (packet[0] & 15)
    total_length = int.from_bytes(packet[2:4], "big")
    fragment = int.from_bytes(packet[6:8], "big") & 0x3FFF
    checks = [
        ("drop_version", packet[0] >> 4 != 4),
        ("drop_header_length", header_bytes < 20),
        ("drop_short", len(packet) < header_bytes),
        ("drop_checksum", checksum(packet[:header_bytes] + bytes(header_bytes % 2)) != 0),
        ("drop_length", total_length < header_bytes),
        ("drop_fragment", fragment != 0),
        ("drop_not_ours", packet[16:20] != bytes(int(part) for part in OURS.split("."))),
        ("drop_bad_source", len(packet) >= 20 and not is_host(packet[12:16], prefix)),
        ("drop_group_frame", frame[0] & 1),
    ]
    return next((name for name, failed in checks if failed), None) or fault_of_options(packet[20:header_bytes])


def frame(size=None, *, options=None, tagged=None, **ip_fields) -> Message:
    """A frame with a UDP datagram in it, often with Ethernet padding or more behind the packet."""
    packet = udp(
        random.randbytes(random_size() if size is None else size),
        options=random_options() if options is None else options,
        dst=OURS,
    )
    for name, value in ip_fields.items():
        setattr(packet, name, value)
    data, l3_offset, _ = frame_of(packet, random.random() < 0.3 if tagged is None else tagged)
    data = data.ljust(60, b"\xa5")
    if random.random() < 0.2:
        data += random.randbytes(random.choice([1, 4, 64, 300]))
    return Message(data, {"l3_offset": l3_offset, "port": random.getrandbits(4)})


def without_checksum_error(message: Message) -> Message:
    """The same frame with the checksum made right."""
    at = message.desc["l3_offset"]
    header = bytearray(message.data[at : at + 4 * (message.data[at] & 15)])
    header[10:12] = b"\0\0"
    header[10:12] = checksum(bytes(header)).to_bytes(2, "big")
    message.data = message.data[:at] + bytes(header) + message.data[at + len(header) :]
    return message


def with_header_byte(index: int, value: int) -> Message:
    message = frame()
    at = message.desc["l3_offset"] + index
    message.data = message.data[:at] + bytes([value]) + message.data[at + 1 :]
    return message


def wrong_version() -> Message:
    return frame(version=random.choice([v for v in range(16) if v != 4]))


def wrong_header_length() -> Message:
    return with_header_byte(0, 0x40 | random.randint(0, 4))


def header_length_beyond_end() -> Message:
    message = frame(0, options=[], tagged=False)
    message.data = message.data[: random.randint(34, 73)]
    return Message(message.data[:14] + b"\x4f" + message.data[15:], message.desc)


def flipped_bit() -> Message:
    message = frame()
    return with_flip(message, random.randrange(4 * (message.data[message.desc["l3_offset"]] & 15)))


def with_flip(message: Message, index: int) -> Message:
    data = bytearray(message.data)
    data[message.desc["l3_offset"] + index] ^= 1 << random.randrange(8)
    message.data = bytes(data)
    return message


def length_below_header() -> Message:
    return without_checksum_error(frame(len=random.randint(0, 19)))


def fragment() -> Message:
    flags, offset = random.choice([("MF", 0), ("MF", 100), (0, 1), (0, 0x1FFF), (0, 1 << random.randrange(13))])
    return frame(flags=flags, frag=offset)


def not_ours() -> Message:
    return frame(dst=random.choice([random_ip(), "10.0.0.3", "255.255.255.255", "224.0.0.1"]))


def bad_source() -> Message:
    return frame(src=random.choice(["0.0.0.0", "127.0.0.1", "224.0.0.1", "239.1.2.3", "240.0.0.1", "255.255.255.255",
                                    "10.0.0.0", "10.0.0.255", OURS]))  # fmt: skip


def in_a_frame_to_a_group() -> Message:
    message = frame()
    dst = random.choice([b"\xff" * 6, b"\x01\0\x5e\0\0\x01", b"\x33\x33\0\0\0\x01"])
    return Message(dst + message.data[6:], message.desc)


def with_options(options: bytes, size=None) -> Message:
    """options: any bytes; they are filled up to a whole number of words."""
    options = options.ljust(-(-len(options) // 4) * 4, random.choice([b"\0", b"\1"]))
    message = frame(size, options=[IPOption_NOP()] * len(options))
    at = message.desc["l3_offset"] + 20
    message.data = message.data[:at] + options + message.data[at + len(options) :]
    return without_checksum_error(message)


def source_route() -> Message:
    """Anywhere among other options; finished or not."""
    hops = random.randint(1, 4)
    length = 3 + 4 * hops
    pointer = random.choice([4, 4 * random.randint(1, hops), length, length + 1, length + 5, 255, 3, 0])
    before = b"".join(random.choice([b"\1", b"\1\1", b"\x88\x04\0\0", b"\x07\x07\x04" + random.randbytes(4)]) for _ in range(random.randint(0, 3)))
    route = bytes([random.choice([131, 137]), length, pointer]) + random.randbytes(length - 3)
    return with_options((before + route)[:40])


def any_options() -> Message:
    """Any bytes, and all that have a length of 2 or do nothing, which take the longest to go through."""
    words = random.randint(1, 10)
    kind = random.choice([random.randbytes(4 * words), b"\x88\2" * 2 * words, b"\1" * 4 * words, b"\1\x88\2\1" * words])
    return with_options(kind)


def cut_short() -> Message:
    message = frame()
    message.data = message.data[: random.randint(1, len(message.data))]
    return message


def longer_than_frame() -> Message:
    return frame(len=random.choice([0xFFFF, 0x4000, 16383, 9000, random.randint(60, 0xFFFF)]))


def declared_void() -> Message:
    message = random.choice(CASES[:-1])()
    message.bad = True
    return message


def unusual_but_right() -> Message:
    """Time to live 0, reserved bit, type of service: none of them is a reason for a host to drop."""
    return frame(ttl=random.choice([0, 1]), tos=random.getrandbits(8), flags=random.choice(["DF", "evil"]))


CASES = [frame, frame, frame, wrong_version, wrong_header_length, header_length_beyond_end, flipped_bit,
         length_below_header, fragment, not_ours, bad_source, in_a_frame_to_a_group, source_route, any_options, cut_short, longer_than_frame, unusual_but_right,
         declared_void]  # fmt: skip


def check(sent: list[Message], out: list[Message], events: dict[str, int], prefix: int = PREFIX) -> None:
    expected, passed = Counter(), []
    for message in sent:
        why = reason(message.data, message.desc["l3_offset"], prefix)
        if why is not None:
            expected[why] += 1
            continue
        passed.append(message)
        packet = message.data[message.desc["l3_offset"] :]
        expected["mark_options"] += packet[0] & 15 > 5
        expected["mark_truncated"] += len(packet) < int.from_bytes(packet[2:4], "big")
    assert events == +expected
    assert len(out) == len(passed)
    for message, result in zip(passed, out, strict=True):
        l3_offset = message.desc["l3_offset"]
        end = l3_offset + int.from_bytes(message.data[l3_offset + 2 : l3_offset + 4], "big")
        assert result.data == message.data[:end]
        assert result.bad == (message.bad or len(message.data) < end)
        assert result.key == message.data[l3_offset + 9]
        assert result.desc == result.desc | message.desc | {
            "length": min(end, (1 << 14) - 1),
            "l4_offset": l3_offset + 4 * (message.data[l3_offset] & 15),
        }


@cocotb.test()
@cocotb.parametrize(traffic=TRAFFIC)
async def right_packets_pass_and_others_are_counted(dut, traffic):
    bench = await EngineBench.start(dut, "ipv4_rx", idle=traffic[0], stall=traffic[1], **CONFIG)
    sent = [random.choice(CASES)() for _ in range(400)]
    check(sent, await bench.run(sent), bench.events)


@cocotb.test()
@cocotb.parametrize(prefix=[0, 8, 23, 24, 30, 31, 32])
async def sources_of_every_size_of_subnet(dut, prefix):
    mask = str(ipaddress.ip_interface(f"{OURS}/{prefix}").netmask)
    bench = await EngineBench.start(dut, "ipv4_rx", ip=OURS, netmask=mask)
    subnet = ipaddress.ip_interface(f"{OURS}/{prefix}").network
    edges = [subnet.network_address, subnet.broadcast_address, *(ipaddress.ip_address(0x0A000000 + n) for n in range(5))]
    edges += [ipaddress.ip_address(text) for text in ("10.0.0.255", "10.0.1.255", "10.255.255.255", "11.0.0.0", "126.255.255.255", "223.255.255.255")]
    sent = [frame(20, src=str(address)) for address in edges]
    check(sent, await bench.run(sent), bench.events, prefix)


@cocotb.test()
async def options_take_at_most_29_cycles(dut):
    bench = await EngineBench.start(dut, "ipv4_rx", **CONFIG)
    sent = [with_options(options, 20) for options in (b"\1\x88\2" * 13 + b"\1", b"\x88\2" * 20, b"\1" * 40, b"\1\x88\2\1" * 10, b"\x88\x28" + bytes(38)) for _ in range(5)]
    out = await bench.run(sent)
    assert len(out) == len(sent)
    # 29 cycles from one packet to the next, and those of all flits but the first ones, of which some are padding.
    for (before, long_before), (after, long_after) in pairwise(zip(out, [flits_of(message.data) for message in sent], strict=True)):
        assert after.first - before.first <= 29 + long_before - 1 + long_after - 1


@cocotb.test()
async def every_length_of_packet_and_frame(dut):
    bench = await EngineBench.start(dut, "ipv4_rx", **CONFIG)
    sent = []
    for size in range(2 * FLIT_BYTES):
        for extra in (0, 1, FLIT_BYTES):
            message = frame(size, options=random_options(size % 11), tagged=size % 2 == 1)
            message.data += bytes(extra)
            sent.append(message)
    check(sent, await bench.run(sent), bench.events)


@cocotb.test()
async def random_bytes_are_dropped_and_counted(dut):
    bench = await EngineBench.start(dut, "ipv4_rx", idle=0.1, stall=0.1, **CONFIG)
    sent = []
    for _ in range(1000):
        data = bytearray(random.randbytes(random.randint(1, 200)))
        if len(data) > 18 and random.random() < 0.9:
            data[14] = data[18] = random.choice([0x45, 0x46, 0x4F])
        sent.append(Message(bytes(data), {"l3_offset": random.choice([14, 18])}))
    sent.append(frame())
    check(sent, await bench.run(sent), bench.events)


@cocotb.test()
async def two_cycles_and_no_bubbles(dut):
    bench = await EngineBench.start(dut, "ipv4_rx", **CONFIG)
    for size in (1, 18, 22, 86, 470, 1472, 8972):
        packets = [udp(random.randbytes(size), dst=OURS) for _ in range(6)]
        sent = [Message(frame_of(packet)[0], {"l3_offset": 14}) for packet in packets]
        out = await bench.run(sent)
        check_no_bubbles(out)
        # The window waits for the 34 bytes of headers, which are more than a flit at small widths.
        assert out[0].first - sent[0].first == 2 + flits_of(bytes(34)) - 1
    # Padding costs no more than the flits that it fills.
    padded = [Message(frame_of(udp(b"", dst=OURS))[0].ljust(60, b"\0"), {"l3_offset": 14}) for _ in range(50)]
    await bench.run(padded)
    check_no_bubbles(padded)


@cocotb.test(skip="GIRIH_FORWARD" not in os.environ)
async def packets_to_all_hosts_are_taken_to_be_forwarded(dut):
    """RFC 1812, 5.3.7: not those to what cannot be a host's address. All else is checked as before."""
    bench = await EngineBench.start(dut, "ipv4_rx", **CONFIG)
    for prefix in (24, 30, 31, 32):
        subnet = ipaddress.ip_interface(f"{OURS}/{prefix}").network
        dut.cfg_i.value = config_word("ipv4_rx", ip=OURS, netmask=str(subnet.netmask))
        before = Counter(bench.events)
        around = [str(subnet.network_address), str(subnet.broadcast_address), OURS, "10.0.0.1", "10.0.0.3", "10.0.1.255", "8.8.8.8", "223.255.255.255"]
        none = ["0.0.0.0", "0.1.2.3", "127.0.0.1", "224.0.0.1", "240.0.0.1", "255.255.255.255"]
        sent = [frame(dst=address, options=[]) for address in around + none] + [fragment(), flipped_bit(), bad_source(), wrong_version()]
        taken = [
            message for message in sent
            if reason(message.data, message.desc["l3_offset"], prefix) in (None, "drop_not_ours") and is_destination(message, prefix)
        ]  # fmt: skip
        out = await bench.run(sent)
        assert [m.data[m.desc["l3_offset"] + 16 :][:4] for m in out] == [m.data[m.desc["l3_offset"] + 16 :][:4] for m in taken]
        assert sum((Counter(bench.events) - before)[name] for name in bench.events if name.startswith("drop")) == len(sent) - len(taken)


def is_destination(message: Message, prefix: int) -> bool:
    address = message.data[message.desc["l3_offset"] + 16 :][:4]
    return address == ipaddress.ip_address(OURS).packed or is_host(address, prefix)

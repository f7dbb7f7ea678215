# SPDX-License-Identifier: Apache-2.0
"""icmp_error: errors as scapy makes them, about nothing that must not have one, and no more of them than the limit allows."""

import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.packet import Raw

from girih.testing import run_cocotb
from girih.testing.engines import (
    TRAFFIC,
    EngineBench,
    config_word,
    frame_of,
    random_ip,
    random_options,
    random_size,
    udp,
)
from girih.testing.messages import Message

OURS = "10.0.0.2"
CONFIG = {"ip": OURS, "error_type": 3, "error_code": 3, "interval": 1, "burst": 200}
NETWORK_CONTROL = 0xC0


@pytest.mark.parametrize("data_width", [512, *(pytest.param(width, marks=pytest.mark.thorough) for width in (128, 256, 1024))])
def test_icmp_error_engine(data_width):
    run_cocotb("icmp_error_engine", __file__, data_width=data_width)


def message_of(packet: IP, tagged: bool | None = None) -> Message:
    frame, l3_offset, l4_offset = frame_of(packet, random.random() < 0.3 if tagged is None else tagged)
    return Message(frame, {"l3_offset": l3_offset, "l4_offset": l4_offset, "length": len(frame), "port": random.getrandbits(4)})


def error_about(message: Message, kind: int = 3, code: int = 3) -> bytes:
    """All but what ipv4_tx writes."""
    at = message.desc["l3_offset"]
    packet = message.data[at:]
    error = IP(src=OURS, dst=IP(packet).src, tos=NETWORK_CONTROL, id=0, ttl=0, chksum=0) / ICMP(type=kind, code=code) / packet[:68]
    return message.data[:at] + bytes(error)


def packets() -> list:
    return [
        lambda: udp(random.randbytes(random_size()), options=random_options()),
        lambda: IP(src=random_ip(), dst=OURS) / TCP() / Raw(random.randbytes(random.randint(0, 60))),
        lambda: IP(src=random_ip(), dst=OURS, options=random_options(10), flags="MF") / Raw(random.randbytes(random.randint(0, 30))),
        lambda: IP(src=random_ip(), dst=OURS, proto=99) / Raw(random.randbytes(random.randint(0, 9))),
        lambda: IP(src=random_ip(), dst=OURS) / ICMP(type=random.choice([0, 8, 13, 14, 17, 18])) / Raw(random.randbytes(9)),
    ]


@cocotb.test()
@cocotb.parametrize(traffic=TRAFFIC)
async def errors_quote_the_packet(dut, traffic):
    bench = await EngineBench.start(dut, "icmp_error", idle=traffic[0], stall=traffic[1], **CONFIG)
    sent = [message_of(random.choice(packets())()) for _ in range(200)]
    for message in sent:
        message.bad = random.random() < 0.1
    out = await bench.run(sent)
    answered = [message for message in sent if not message.bad]
    assert [m.data for m in out] == [error_about(m) for m in answered]
    for message, result in zip(answered, out, strict=True):
        length, l4_offset = len(result.data), message.desc["l3_offset"] + 20
        assert result.desc == result.desc | message.desc | {"length": length, "l4_offset": l4_offset}
        assert result.key == message.desc["port"] and not result.bad
    assert bench.events == {"mark_error": len(out), "drop_aborted": len(sent) - len(out)}


@cocotb.test()
async def every_length_and_every_type(dut):
    bench = await EngineBench.start(dut, "icmp_error", **CONFIG)
    for kind, code in ((3, 3), (3, 2), (11, 0)):
        dut.cfg_i.value = config_word("icmp_error", **CONFIG | {"error_type": kind, "error_code": code})
        sent = [message_of(IP(src=random_ip(), dst=OURS, proto=99) / Raw(random.randbytes(n)), n % 2 == 0) for n in range(80)]
        assert [m.data for m in await bench.run(sent)] == [error_about(m, kind, code) for m in sent]


@cocotb.test()
async def about_these_no_error_is_sent(dut):
    """RFC 1122, 3.2.2."""
    bench = await EngineBench.start(dut, "icmp_error", **CONFIG)
    src = "192.0.2.1"
    unfit = [IP(src=src, dst=OURS, options=random_options(random.choice([0, 3]))) / ICMP(type=kind) / Raw(bytes(8))
             for kind in (3, 4, 5, 11, 12, 1, 2, 9, 10, 30, 255)]  # fmt: skip
    unfit += [IP(src=src, dst=dst) / UDP() for dst in ("224.0.0.1", "239.255.255.255", "255.255.255.255")]
    unfit += [IP(src=no_host, dst=OURS) / UDP() for no_host in ("0.0.0.0", "127.0.0.1", "224.0.0.9", "255.255.255.255")]
    unfit += [IP(src=src, dst=OURS, frag=1) / Raw(bytes(20)), IP(src=src, dst=OURS, frag=8000, flags="MF") / Raw(bytes(20))]
    unfit += [IP(src=src, dst=OURS, proto=1)]
    assert not await bench.run([message_of(packet) for packet in unfit])
    assert bench.events == {"drop_unfit": len(unfit)}
    message = message_of(IP(src=src, dst=OURS) / UDP())
    for group in (b"\xff" * 6, b"\x01\0\x5e\0\0\x01"):
        assert not await bench.run([Message(group + message.data[6:], message.desc)])
    assert bench.events == {"drop_unfit": len(unfit) + 2}
    for keep in (1, 14, 20, 33, len(message.data) - 1):
        assert not await bench.run([Message(message.data[:keep], message.desc)])
    assert bench.events == {"drop_unfit": len(unfit) + 2, "drop_short": 5}


@cocotb.test()
async def no_more_errors_than_the_limit_allows(dut):
    interval, burst = 500, 7
    bench = await EngineBench.start(dut, "icmp_error", **CONFIG | {"interval": interval, "burst": burst})
    await ClockCycles(dut.clk_i, 2 * burst * interval)
    message = message_of(udp(b"12345678", src="192.0.2.1", dst=OURS), False)
    out = await bench.run([message] * 50)
    assert burst <= len(out) <= burst + 1 and bench.events["drop_limited"] == 50 - len(out)
    await ClockCycles(dut.clk_i, 3 * interval)
    assert 3 <= len(await bench.run([message] * 50)) <= 4
    bench.sink.stall = 0.3
    out = await bench.run([message] * 4000)
    cycles = out[-1].last - out[0].first
    assert len(out) <= cycles // interval + 1 and len(out) >= 4000 // interval


@cocotb.test()
async def random_bytes_never_hang_it(dut):
    bench = await EngineBench.start(dut, "icmp_error", idle=0.1, stall=0.1, **CONFIG)
    junk = []
    for _ in range(300):
        data = bytearray(random.randbytes(random.randint(1, 200)))
        if len(data) > 16 and random.random() < 0.5:
            data[14], data[16] = 0x45, 0
        junk.append(Message(bytes(data), {"l3_offset": random.choice([14, 14, 18, random.getrandbits(8)]), "length": len(data)}))
    out = await bench.run(junk)
    assert len(out) + sum(n for name, n in bench.events.items() if name.startswith("drop")) == len(junk)
    message = message_of(udp(b"12345678", src="192.0.2.1", dst=OURS), False)
    assert [m.data for m in await bench.run([message])] == [error_about(message)]

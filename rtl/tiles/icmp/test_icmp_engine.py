# SPDX-License-Identifier: Apache-2.0
"""icmp: echo replies as scapy makes them; everything else dropped and counted."""

import random
from collections import Counter

import cocotb
import pytest
from scapy.layers.inet import ICMP, IP
from scapy.layers.l2 import Ether
from scapy.utils import checksum as scapy_checksum

from girih.testing import WIDTHS, run_cocotb
from girih.testing.engines import (
    TRAFFIC,
    EngineBench,
    check_no_bubbles,
    echo_request,
    frame_of,
    random_options,
    random_size,
)
from girih.testing.messages import Message, flits_of


@pytest.mark.parametrize("data_width", WIDTHS)
def test_icmp_engine(data_width):
    run_cocotb("icmp_engine", __file__, data_width=data_width)


def message_of(packet, *, tagged=None) -> Message:
    frame, l3_offset, l4_offset = frame_of(packet, random.random() < 0.3 if tagged is None else tagged)
    desc = {"l3_offset": l3_offset, "l4_offset": l4_offset, "length": len(frame), "port": random.getrandbits(4)}
    return Message(frame, desc)


def request(size=None, **fields) -> Message:
    payload = random.randbytes(random_size() if size is None else size)
    return message_of(echo_request(payload, options=random_options(), **fields))


def reply(frame: bytes) -> bytes:
    """Addresses swapped, type changed, the ICMP checksum recomputed; the rest of the IPv4 header unchanged."""
    packet = Ether(frame)
    packet[IP].src, packet[IP].dst = packet[IP].dst, packet[IP].src
    packet[ICMP].type = 0
    del packet[ICMP].chksum
    return bytes(packet)


def good() -> tuple[Message, str | None]:
    return request(), None


def other_type() -> tuple[Message, str]:
    return request(type=random.choice([0, 3, 5, 9, 40, 255]), code=random.choice([0, 1]), id=1, seq=1), "drop_not_echo"


def other_code() -> tuple[Message, str]:
    return request(code=random.randint(1, 255)), "drop_code"


def flipped_bit() -> tuple[Message, str]:
    message = request()
    data = bytearray(message.data)
    data[random.randrange(message.desc["l4_offset"], len(data))] ^= 1 << random.randrange(8)
    message.data = bytes(data)
    return message, "drop_checksum"


def too_short() -> tuple[Message, str]:
    message = request(0)
    keep = message.desc["l4_offset"] + random.randint(0, 7)
    message.data, message.desc["length"] = message.data[:keep], random.choice([0, keep])
    return message, "drop_length"


def void() -> tuple[Message, str]:
    message, _ = random.choice([good, other_type, flipped_bit, too_short])()
    message.bad = True
    if random.random() < 0.5:
        message.data = message.data[: random.randint(1, len(message.data))]
    return message, "drop_aborted"


CASES = [good, good, good, other_type, other_code, flipped_bit, too_short, void]


@cocotb.test()
@cocotb.parametrize(traffic=TRAFFIC)
async def requests_are_answered_and_others_are_counted(dut, traffic):
    bench = await EngineBench.start(dut, "icmp", path_mtu=1, idle=traffic[0], stall=traffic[1])
    cases = [random.choice(CASES)() for _ in range(250)]
    out = await bench.run([message for message, _ in cases])
    assert bench.events == Counter(why for _, why in cases if why)
    answered = [message for message, why in cases if why is None]
    assert len(out) == len(answered)
    for message, result in zip(answered, out, strict=True):
        assert result.data == reply(message.data) and not result.bad
        assert result.desc == result.desc | message.desc
        assert result.key == 0


@cocotb.test()
async def every_size_and_every_place_of_the_header(dut):
    bench = await EngineBench.start(dut, "icmp", path_mtu=0)
    sent = [
        message_of(echo_request(random.randbytes(size), options=random_options(size % 11)), tagged=size % 2 == 1)
        for size in range(140)
    ]
    out = await bench.run(sent)
    assert [m.data for m in out] == [reply(m.data) for m in sent]


@cocotb.test()
async def checksums_are_right_at_their_edges(dut):
    """Replies whose sum is, or is next to, one of the two zeros of ones' complement or a carry."""
    bench = await EngineBench.start(dut, "icmp", path_mtu=0)
    sent = [message_of(echo_request(bytes(size), id=0, seq=0, options=[])) for size in (*range(140), 1472, 8972)]
    for wanted in (0x0000, 0x0001, 0x07FF, 0x0800, 0xF7FE, 0xF7FF, 0xF800, 0xF801, 0xFFFE):
        for head, size in (({"id": 0x1234, "seq": 1}, 2), ({"id": 0, "seq": 0}, 2), ({"id": 0xFFFF, "seq": 0xFFFF}, 400)):
            body = random.randbytes(size - 2) + b"\0\0"
            now = ICMP(bytes(echo_request(body, **head | {"type": 0})[ICMP])).chksum
            # The last two bytes add to the sum what the reply's checksum has to lose.
            body = body[:-2] + ((now - wanted) % 0xFFFF).to_bytes(2, "big")
            sent.append(message_of(echo_request(body, **head)))
            assert ICMP(reply(sent[-1].data)[sent[-1].desc["l4_offset"] :]).chksum in (wanted, wanted or 0xFFFF)
    out = await bench.run(sent)
    assert [m.data for m in out] == [reply(m.data) for m in sent]
    assert not any(scapy_checksum(m.data[m.desc["l4_offset"] :]) for m in out)


@cocotb.test()
async def errors_that_a_packet_was_too_big_go_to_tcp(dut):
    """Unchanged, with the offsets of the headers that they quote; not if they quote less than these, nor behind options or a tag, nor with a wrong checksum, nor without the setting."""

    def too_big(quoted: bytes, *, options=None, tagged=False, code: int = 4) -> Message:
        return message_of(echo_request(quoted, options=options or [], type=3, code=code, id=0, seq=576), tagged=tagged)

    cases = [(too_big(random.randbytes(size)), None) for size in (28, 29, 60, 540)]
    cases += [(too_big(random.randbytes(size)), "drop_length") for size in (0, 27)]
    cases += [(too_big(bytes(60), tagged=True), "drop_not_echo"), (too_big(bytes(60), code=3), "drop_not_echo")]
    cases += [(too_big(bytes(60), options=random_options(2)), "drop_not_echo")]
    cases += [(request(20), None), (too_big(bytes(28)), "drop_checksum")]
    wrong = bytearray(cases[-1][0].data)
    wrong[41] ^= 1  # of the MTU
    cases[-1][0].data = bytes(wrong)
    random.shuffle(cases)
    cases = [*cases, *cases]
    for path_mtu in (1, 0):
        bench = await EngineBench.start(dut, "icmp", path_mtu=path_mtu, idle=0.2, stall=0.7)
        out = await bench.run([message for message, _ in cases])
        errors = [message for message, why in cases if why is None and message.data[34] == 3]
        want = Counter(why for _, why in cases if why)
        if path_mtu:
            want["mark_too_big"] = len(errors)
        else:
            want = Counter({"drop_checksum": 2, "drop_not_echo": len(cases) - 4})
        assert bench.events == want
        passed = [message for message in out if message.key]
        assert [message.data for message in passed] == [message.data for message in errors] * path_mtu
        for message, original in zip(passed, errors, strict=False):
            assert message.key == 6 and not message.bad
            assert message.desc == message.desc | original.desc | {"l3_offset": 42, "l4_offset": 62}
        assert len(out) == len(passed) + 2


@cocotb.test()
async def random_bytes_never_hang_it(dut):
    bench = await EngineBench.start(dut, "icmp", path_mtu=1, idle=0.1, stall=0.1)
    junk = []
    for _ in range(300):
        data = random.randbytes(random.randint(1, 300))
        desc = {"l3_offset": random.choice([14, 18, random.getrandbits(8)]), "l4_offset": random.getrandbits(8)}
        junk.append(Message(data, desc | {"length": random.choice([0, len(data), random.getrandbits(14)])}))
    out = await bench.run(junk)
    assert len(out) + sum(bench.events.values()) == len(junk)
    message = request()
    assert (await bench.run([message]))[0].data == reply(message.data)


@cocotb.test()
async def three_cycles_and_no_bubbles(dut):
    bench = await EngineBench.start(dut, "icmp", path_mtu=0)
    for size in (0, 18, 56, 470, 1472, 8972):
        sent = [message_of(echo_request(random.randbytes(size)), tagged=False) for _ in range(6)]
        out = await bench.run(sent)
        check_no_bubbles(out)
        # The window waits for the first 38 bytes, which are more than a flit at small widths.
        assert out[0].first - sent[0].last == 3 + flits_of(bytes(38)) - 1

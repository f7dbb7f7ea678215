# SPDX-License-Identifier: Apache-2.0
"""stun: binding requests are answered with the client's address and port; nothing else is. scapy reads the answers."""

import random

import cocotb
import pytest
from scapy.contrib.stun import STUN, STUNXorMappedAddress
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw

from girih.testing import WIDTHS, run_cocotb
from girih.testing.engines import EngineBench
from girih.testing.messages import Message

COOKIE = 0x2112A442


@pytest.mark.parametrize("data_width", WIDTHS)
def test_stun_engine(data_width):
    run_cocotb("stun_engine", __file__, data_width=data_width)


def request(*, kind: int = 1, cookie: int = COOKIE, attributes: bytes = b"", length: int | None = None, cut: int = 0) -> bytes:
    """A request of RFC 8489, section 5. length: what it says of its attributes; cut: bytes that are missing at its end."""
    length = len(attributes) if length is None else length
    whole = kind.to_bytes(2, "big") + length.to_bytes(2, "big") + cookie.to_bytes(4, "big") + random.randbytes(12) + attributes
    return whole[: len(whole) - cut]


def datagram(payload: bytes, client: str = "10.0.0.1", port: int = 40000) -> Message:
    packet = Ether(dst="02:00:00:00:00:01", src="02:00:00:00:00:02") / IP(src=client, dst="10.0.0.2") / UDP(sport=port, dport=3478) / Raw(payload)
    return Message(bytes(packet), {"length": len(packet), "l3_offset": 14, "l4_offset": 34, "payload_offset": 42})


@cocotb.test()
async def clients_learn_their_address(dut):
    for idle, stall in ((0.0, 0.0), (0.4, 0.4)):
        bench = await EngineBench.start(dut, "stun", idle=idle, stall=stall)
        clients = [(f"{random.randrange(1, 224)}.{random.randrange(256)}.7.{n}", random.randrange(1024, 65536)) for n in range(40)]
        asked = [datagram(request(attributes=random.randbytes(4 * random.choice([0, 1, 10, 300]))), *client) for client in clients]
        out = await bench.run(asked)
        for message, answer, (client, port) in zip(asked, out, clients, strict=True):
            packet = Ether(answer.data)
            assert (packet[IP].dst, packet[UDP].dport, packet[UDP].sport) == (client, port, 3478)
            stun = STUN(answer.data[42:])
            assert stun.stun_message_type == 0x0101 and stun.length == 12 and len(answer.data) == 42 + 32
            assert stun.transaction_id.to_bytes(12, "big") == message.data[50:62]
            (mapped,) = stun.attributes
            assert isinstance(mapped, STUNXorMappedAddress)
            assert (mapped.xip, mapped.xport) == (client, port)
        assert bench.events == {"mark_answered": len(clients)}


@cocotb.test()
async def nothing_else_is_answered(dut):
    bench = await EngineBench.start(dut, "stun")
    others = [
        request(kind=0x0101),
        request(kind=0x0003),
        request(kind=0x8001),
        request(cookie=COOKIE ^ 1),
        request(length=4),
        request(attributes=bytes(8), length=4),
        request(attributes=bytes(6)),
        request(cut=1),
        request(cut=19),
        b"",
        bytes(1472),
    ]
    out = await bench.run([datagram(payload) for payload in others for payload in (payload, request())])
    assert [answer.bad for answer in out] == [True, False] * len(others)
    assert bench.events == {"mark_answered": len(others), "mark_void": len(others)}

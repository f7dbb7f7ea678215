# SPDX-License-Identifier: Apache-2.0
"""Whole cards with services: packets follow the chains of the design and chains added at run time, tenants reach only what is theirs, and every
packet is accounted for."""

import hashlib
import random

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from girih.card import VirtualCard
from girih.errors import GirihError
from girih.rmt.stage import Refused
from girih.services.chains import bits_of
from girih.testing import SEED
from tests.frames import Host, ethernet, ipv4, udp
from tests.oracle import IPV4, UDP

HOST = Host(bytes([2, 0, 0, 0, 0, 1]), bytes([10, 77, 0, 1]))
OTHER = Host(bytes([2, 0, 0, 0, 0, 9]), bytes([10, 77, 0, 9]))
UNITS = ["unit_0", "unit_1", "unit_2", "unit_3"]
SIZES = [0, 1, 18, 22, 64, 200, 470, 1472, 8972]


def frame(port: int, size: int) -> bytes:
    """A datagram to a UDP port, at least as long as the minimum frame, so that it leaves unchanged."""
    return datagram(port, random.randbytes(max(size, 18)))


def datagram(port: int, payload: bytes) -> bytes:
    """A datagram without a checksum, because units change payloads."""
    datagram = udp(HOST.ip, OTHER.ip, payload, destination=port, checksum=0)
    return ethernet(OTHER.mac, HOST.mac, IPV4, ipv4(HOST.ip, OTHER.ip, UDP, datagram))


@pytest.fixture
def card(built):
    random.seed(SEED)
    with VirtualCard(built("panic_delay"), collect=True) as card:
        yield card


def through(card: VirtualCard, frames: list[bytes], port: int = 0, load: float = 0.5) -> list[bytes]:
    """Sends frames into a port at a share of its rate; returns the frames that leave by the other one and are not void."""
    at: float = card.cycle
    for data in frames:
        card.inject(port, data, cycle=round(at))
        at += -(-len(data) // (card.manifest.data_width // 8)) / load
    card.run_until_quiet()
    return [got.data for got in card.collect(1 - port) if not got.bad]


def visits(card: VirtualCard) -> list[int]:
    return [card.registers.counters(unit)[unit]["in_messages"] for unit in UNITS]


@pytest.mark.parametrize("port", [0, 1])
def test_what_lies_behind_a_packet_is_cut_off(card, port):
    """Padding of Ethernet or anything else: services do not see it."""
    sent = [datagram(1000 + random.randrange(5), random.randbytes(random.choice([0, 1, 17, 18, 22, 64, 470]))) for _ in range(150)]
    whole = [data.ljust(60, b"\0") for data in sent]
    got = through(card, [data + bytes(random.choice([0, 0, 1, 63, 64, 65, 300])) for data in whole], port)
    assert sorted(got) == sorted(whole)
    card.check_conservation()


def test_a_packet_cut_short_is_void(card):
    sent = [frame(1000 + random.randrange(5), random.choice(SIZES[4:])) for _ in range(150)]
    cut = [random.random() < 0.3 for _ in sent]
    got = through(card, [data[: -random.randint(1, 18)] if short else data for data, short in zip(sent, cut)])
    assert sorted(got) == sorted(data for data, short in zip(sent, cut) if not short)
    assert card.registers.counters("wire")["wire"]["mark_truncated"] == sum(cut)
    card.check_conservation()


@pytest.mark.parametrize("port", [0, 1])
def test_packets_follow_their_chains(card, port):
    lengths = [random.randrange(5) for _ in range(200)]
    sent = [frame(1000 + length, random.choice(SIZES)) for length in lengths]
    got = through(card, sent, port)
    assert sorted(got) == sorted(sent)
    for length in range(5):  # one unit each: nothing overtakes within a chain
        ours = [data for data, steps in zip(sent, lengths) if steps == length]
        assert [data for data in got if data in ours] == ours
    assert visits(card) == [sum(length > unit for length in lengths) for unit in range(4)]
    card.check_conservation()


def test_what_does_not_fit_is_counted(card):
    """Packets with and without chains share the exit: at full rate some find no room."""
    sent = [frame(1000 + random.randrange(5), random.choice(SIZES)) for _ in range(300)]
    got = through(card, sent, load=1.0)
    counters = card.registers.counters()
    dropped = {name: value for tile in counters.values() for name, value in tile.items() if name.startswith("drop_") and value}
    assert len(got) + sum(dropped.values()) == len(sent) and set(dropped) <= {"drop_overflow"}
    assert set(got) <= set(sent)
    card.check_conservation()


def test_a_unit_has_room_for_the_largest_lossless_packets(card):
    """Back to back to a unit slower than the link: the unit sends none back, and each packet returns its token once."""
    card.registers.write("wire.lossless", 1)
    card.registers.write("unit_0.byte_time", 1 << 14)
    sent = [frame(1001, max(SIZES)) for _ in range(6)]
    assert through(card, sent, load=1.0) == sent
    assert card.registers.counters("unit_0")["unit_0"]["mark_detoured"] == 0
    card.check_conservation()


def test_a_chain_comes_and_goes(card):
    sent = [frame(2000, 100) for _ in range(20)]
    assert through(card, sent) == sent and visits(card) == [0, 0, 0, 0]
    card.services.add_chain("late", ["third", {"service": "first", "class": 2}], match={"udp.dst": 2000})
    assert through(card, sent) == sent and visits(card) == [20, 0, 20, 0]
    card.services.delete_chain("late")
    assert through(card, sent) == sent and visits(card) == [20, 0, 20, 0]
    card.check_conservation()


def test_reset_brings_the_design_back(card):
    card.services.add_chain("late", ["third"], match={"udp.dst": 2000})
    card.reset()
    sent = [frame(2000, 100), frame(1002, 100)]
    assert sorted(through(card, sent)) == sorted(sent) and visits(card) == [1, 1, 0, 0]


@pytest.mark.parametrize("tenant", [1, 15])
def test_a_tenant_reaches_no_register_and_no_table(card, tenant):
    theirs = card.registers.as_tenant(tenant)
    for name in ("wire.exit", "scheduler.rights[1]", "unit_0.slots"):
        before = card.registers.read(name)
        with pytest.raises(GirihError):
            theirs.read(name)
        with pytest.raises(GirihError):
            theirs.write(name, 0)
        assert card.registers.read(name) == before
    with pytest.raises(GirihError):  # the class table
        theirs.write_window("scheduler", 0, 1)


@pytest.mark.parametrize(
    "change, complaint",
    [
        ({"services": ["fifth"]}, "fifth is not among the services"),
        ({"services": []}, "a chain of 0 services"),
        ({"services": ["first"] * 5}, "a chain of 5 services. On this card it may have 1 to 4. For longer ones write chain_hops: 5"),
        ({"match": {"udp.port": 1}}, "no match on udp.port"),
        ({"match": {}}, "no match on nothing"),
        ({"match": {"ipv4.src": 1}}, "lacks a field of the match"),
        ({"tenant": "nobody"}, "nobody is not among the tenants"),
        ({"name": "one"}, "there is a chain one already"),
    ],
)
def test_what_is_no_chain_is_refused(card, change, complaint):
    chain = {"name": "late", "services": ["first"], "match": {"udp.dst": 2000}} | change
    with pytest.raises(GirihError, match=complaint):
        card.services.add_chain(chain.pop("name"), chain.pop("services"), **chain)


@pytest.mark.parametrize("chain", [[{"service": 4}], [{}] * 5])
def test_the_card_itself_refuses_a_chain_that_descriptors_cannot_hold(card, chain):
    """Four services and four hops: the card does not truncate it to what fits."""
    stages = card.services._stages
    action = {"chain_set": 1, "chain_count": len(chain), "chain": chain}
    with pytest.raises(Refused):
        stages.insert("wire", 0, stages.entry("wire", 0, bits_of({"udp.dst": 2000}), action, 16))


# ---- panic.yaml: real engines ----

KEY, SALT = bytes(range(32)), bytes([0xA1, 0xB2, 0xC3, 0xD4])
IPSEC, VIDEO = 4500, 5004  # UDP ports of the design's chains
TENANT_IPSEC = 1


def cipher(vector: bytes, text: bytes) -> bytes:
    """AES-256 in counter mode as RFC 3686 has it; its own inverse."""
    block = SALT + vector + (1).to_bytes(4, "big")
    return Cipher(algorithms.AES(KEY), modes.CTR(block)).encryptor().update(text)


def load_key(card: VirtualCard, key: bytes = KEY) -> None:
    """Loads a key as the tenant itself."""
    theirs = card.registers.as_tenant(TENANT_IPSEC)
    for unit in ("aes_0", "aes_1"):
        for word, at in enumerate(range(0, 32, 4)):
            theirs.write_window(unit, 4 * word, int.from_bytes(key[at : at + 4], "little"))
        theirs.write_window(unit, 0x20, int.from_bytes(SALT, "little"))
        theirs.write_window(unit, 0x24, 0)


def test_traffic_is_decrypted_and_checked(built):
    """Two kinds of datagrams mixed: encrypted ones arrive decrypted, others get their digest, wrong ones do not arrive."""
    random.seed(SEED)
    expected, sent, wrong = [], [], 0
    for _ in range(60):
        text = random.randbytes(random.choice([0, 1, 50, 300, 1300]))
        if random.random() < 0.5:
            sent.append(datagram(VIDEO, text + bytes(64)))
            expected.append(datagram(VIDEO, text + hashlib.sha3_512(text).digest()))
            continue
        vector = random.randbytes(8)
        clear = text + hashlib.sha3_512(vector + text).digest()
        secret = bytearray(cipher(vector, clear))
        if random.random() < 0.2:
            secret[random.randrange(len(secret))] ^= 1
            wrong += 1
        else:
            expected.append(datagram(IPSEC, vector + clear))
        sent.append(datagram(IPSEC, vector + bytes(secret)))
    with VirtualCard(built("panic"), collect=True) as card:
        load_key(card)
        got = through(card, sent, load=0.1)
        assert sorted(got) == sorted(expected) and wrong
        counters = card.registers.counters()
        assert sum(values.get("drop_engine", 0) + values.get("drop_aborted", 0) for values in counters.values()) + counters["host"]["mark_bad_out"] == wrong
        card.check_conservation()

# SPDX-License-Identifier: Apache-2.0
"""The example programs do what their comments say, compiled for the host with sanitizers from the same source and header (firmware/host)."""

import hashlib
import random
import struct
import subprocess
from functools import cache

import pytest
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw

from girih.build.generate import write_if_changed
from girih.firmware.compile import FIRMWARE, map_header

FLAGS = ["-std=gnu11", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover", "-Wall", "-Wextra", "-Wconversion", "-Werror"]
DROPPED = 0xFFFFFFFF
KEY, SALT = bytes(range(7, 39)), b"salt"
ENDS = {"src": "10.0.0.1", "dst": "192.0.2.7"}
PUBLIC = "198.51.100.1"


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    folder = tmp_path_factory.mktemp("host")
    write_if_changed(folder / "girih_core_map.h", map_header())

    @cache
    def compiled(name, *defines):
        built = folder / name
        sources = [FIRMWARE / "programs" / f"{name}.c", FIRMWARE / "host" / "host.c"]
        subprocess.run(["gcc", *FLAGS, *defines, f"-I{FIRMWARE / 'include'}", f"-I{folder}", *sources, "-o", built], check=True)
        return built

    return compiled


def run(program, messages, each=1):
    """What the program sends for each message (bytes, offsets of its network header, transport header, payload); None if it drops it. each: so many times."""
    asked = b"".join(struct.pack("<4I", len(data), *offsets) + data for data, *offsets in messages)
    done = subprocess.run([program], input=asked, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    answers, at = [], 0
    while at < len(done.stdout):
        (word,) = struct.unpack_from("<I", done.stdout, at)
        size = 0 if word == DROPPED else word & 0xFFFF
        answers.append(None if word == DROPPED else done.stdout[at + 4 : at + 4 + size])
        at += 4 + size
    assert len(answers) == each * len(messages)
    return answers


def frame(layer, payload=b"", transport=8):
    """A frame, and its offsets."""
    return bytes(Ether(dst="02:00:00:00:00:08", src="02:00:00:00:00:09") / layer / Raw(payload)), 14, 34, 34 + transport


def with_sums(packet):
    """The packet with the checksums that scapy computes."""
    for layer in (IP, TCP, UDP, ICMP):
        if layer in packet:
            del packet[layer].chksum
    return bytes(packet)


def test_aes_is_that_of_the_library(program):
    defines = [f"-D{name}={','.join(map(str, value))}" for name, value in (("AES_KEY", KEY), ("AES_SALT", SALT))]
    sizes = [8, 9, 23, 24, 25, 40, 1472, *(random.randrange(8, 300) for _ in range(20))]
    payloads = [random.randbytes(size) for size in sizes]
    heads = [random.randbytes(random.randrange(14, 60)) for _ in sizes]
    answers = run(program("aes", *defines), [(head + payload, 0, 0, len(head)) for head, payload in zip(heads, payloads, strict=True)])
    for head, payload, answer in zip(heads, payloads, answers, strict=True):
        cipher = Cipher(algorithms.AES(KEY), modes.CTR(SALT + payload[:8] + (1).to_bytes(4, "big"))).encryptor()
        assert answer == head + payload[:8] + cipher.update(payload[8:])
    assert run(program("aes", *defines), [(bytes(49), 14, 34, 42), (bytes(60), 14, 34, 0)]) == [None, None]


def test_sha1_is_that_of_the_library(program):
    payloads = [random.randbytes(size + 20) for size in (0, 1, 55, 56, 63, 64, 65, 119, 120, 128, 1452, *(random.randrange(700) for _ in range(20)))]
    heads = [random.randbytes(random.randrange(14, 60)) for _ in payloads]
    answers = run(program("sha1"), [(head + payload, 0, 0, len(head)) for head, payload in zip(heads, payloads, strict=True)])
    assert answers == [head + payload[:-20] + hashlib.sha1(payload[:-20]).digest() for head, payload in zip(heads, payloads, strict=True)]
    assert run(program("sha1"), [(bytes(61), 14, 34, 42), (bytes(90), 14, 34, 0)]) == [None, None]


def test_icmp_echo_answers_requests_and_nothing_else(program):
    good = [(IP(**ends) / ICMP(id=random.getrandbits(16), seq=n), random.randbytes(size)) for n, size in enumerate((0, 1, 17, 56, 1472)) for ends in (ENDS, ENDS | {"ttl": 3})]
    good.append((IP(**ENDS) / ICMP(id=0xF900), b""))  # a checksum of 0xfefe: the change of the type carries
    messages = [frame(layer, payload) for layer, payload in good]
    messages += [(data + bytes(9), *offsets) for data, *offsets in messages[:2]]  # padded to the least length of a frame
    for (data, *_), answer in zip(messages, run(program("icmp_echo"), messages), strict=True):
        packet = Ether(data)
        wanted = Ether(data[: 14 + packet[IP].len])
        wanted[IP].src, wanted[IP].dst, wanted[ICMP].type = packet[IP].dst, packet[IP].src, 0
        assert answer == with_sums(wanted)
    request, *offsets = messages[4]
    wrong = [frame(IP(**ENDS) / ICMP(type=kind, code=code), bytes(20)) for kind, code in ((0, 0), (3, 0), (8, 1), (13, 0), (255, 0))]
    wrong += [(request[:45] + bytes([request[45] ^ 1]) + request[46:], *offsets), (request[:-1], *offsets), (request, 14, 0, 0), (request[:38], *offsets)]
    wrong.append(frame(IP(**ENDS, proto=1), bytes.fromhex("0800f7ff")))  # half a header, with a good checksum
    looks = b"\x08\0" + messages[6][0][2:-2]  # no transport header was found, and the frame itself looks like a request
    wrong.append((looks + struct.pack(">H", -sum(struct.unpack(f">{len(looks) // 2}H", looks)) % 0xFFFF), 14, 0, 0))
    assert run(program("icmp_echo"), wrong) == [None] * len(wrong)


@pytest.mark.parametrize("name", ["echo", "udp_echo"])
def test_echoes_turn_datagrams_round(program, name):
    ports = [(1024, 7), (0x1234, 0x3412), (65535, 1024), (0xFF00, 0x00FF)]
    for source, port in ports:
        message = frame(IP(**ENDS) / UDP(sport=source, dport=port), random.randbytes(20))
        (answer,) = run(program(name), [message])
        wanted = Ether(message[0])
        wanted[IP].src, wanted[IP].dst, wanted[UDP].sport, wanted[UDP].dport = wanted[IP].dst, wanted[IP].src, port, source
        assert answer == bytes(wanted)
    wrong = [frame(IP(**ENDS) / UDP(sport=source, dport=port)) for source, port in ((1023, 7), (0, 7), (7, 7), (5000, 5000))]
    assert run(program(name), wrong) == [None] * len(wrong)


def test_copies_are_as_the_messages(program):
    messages = [(random.randbytes(size), 0, 0, 0) for size in (60, 61, 127, 128, 129, 1500, 2048)]
    assert run(program("copy"), messages) == [data for data, *_ in messages]
    assert run(program("copy"), [(bytes(2049), 0, 0, 0)]) == [None]
    assert run(program("tee"), messages, each=2) == [data for data, *_ in messages for _ in range(2)]


def test_nat_translates_tcp_and_udp_and_drops_the_rest(program):
    flows = [(layer, number) for number in range(40) for layer in (TCP, UDP)]
    messages = [frame(IP(**ENDS | {"src": f"10.0.0.{n}"}) / layer(sport=1024 + n, dport=80), random.randbytes(n), 20 if layer is TCP else 8) for layer, n in flows]
    no_sum = Ether(messages[1][0])
    no_sum[UDP].chksum = 0
    messages += [(bytes(no_sum), *messages[1][1:]), *messages[:4]]
    for (data, *_), answer in zip(messages, run(program("nat"), messages), strict=True):
        before, after = Ether(data), Ether(answer)
        assert after[IP].src == PUBLIC and after[IP].sport >= 0x8000
        wanted = before.copy()
        wanted[IP].src, wanted[IP].sport = PUBLIC, after[IP].sport
        kept = UDP in before and before[UDP].chksum == 0
        whole = with_sums(wanted)
        assert answer == (whole[:40] + b"\0\0" + whole[42:] if kept else whole)
    wrong = [frame(IP(**ENDS, proto=protocol), bytes(40)) for protocol in range(256) if protocol not in (6, 17)]
    wrong += [frame(IP(**ENDS, flags=flags, frag=place, proto=17), bytes(40)) for flags, place in (("MF", 0), (0, 1), (0, 0x1FFF))]
    wrong += [(frame(IP(**ENDS) / layer)[0][: 34 + size], 14, 34, 0) for layer, most in ((TCP(), 20), (UDP(), 8)) for size in range(most)]
    wrong += [(messages[0][0], 14, 0, 0), (messages[0][0][:20], 14, 34, 0)]
    assert run(program("nat"), wrong) == [None] * len(wrong)


@pytest.mark.parametrize("source, port, passes", [("10.77.0.66", 7, False), ("10.77.0.65", 7, True), ("10.77.1.65", 7, False), ("9.9.9.9", 7000, True), ("9.9.9.9", 7999, True), ("9.9.9.9", 8000, False), ("10.77.0.66", 7000, False)])  # fmt: skip
def test_the_first_rule_that_matches_decides(program, source, port, passes):
    message = frame(IP(src=source, dst="10.77.0.2") / UDP(dport=port), b"text")
    assert run(program("firewall"), [message]) == [message[0] if passes else None]


EVENT, TIME, ANSWER, ASKED = range(0xFFFFFFF0, 0xFFFFFFF4)
BALANCE_H = """
static const struct { struct { unsigned replicas, in_messages; } balancer; struct { unsigned drop_overrun; } echo_0, echo_1; } girih_card = {
    .balancer = {.replicas = 0x30400, .in_messages = 0x38000}, .echo_0 = {.drop_overrun = 0x138000}, .echo_1 = {.drop_overrun = 0x238000}};
"""


def managed(program, *records):
    """What the program of a control core does with messages and with records of control.c: the words of its requests to write, and its answers, in order."""
    asked = b"".join(struct.pack("<4I", len(record[0]), *record[1:]) + record[0] if isinstance(record[0], bytes) else struct.pack("<4I", *record) for record in records)
    done = subprocess.run([program], input=asked, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    found, at = [], 0
    while at < len(done.stdout):
        (word,) = struct.unpack_from("<I", done.stdout, at)
        if word == ASKED:
            found.append(struct.unpack_from("<3I", done.stdout, at + 4))
            at += 16
        elif word == DROPPED:
            found.append(None)
            at += 4
        else:
            found.append(done.stdout[at + 4 : at + 4 + (word & 0xFFFF)])
            at += 4 + (word & 0xFFFF)
    return found


@pytest.fixture(scope="module")
def balance(tmp_path_factory):
    folder = tmp_path_factory.mktemp("balance")
    (folder / "girih_core_map.h").write_text(map_header())
    (folder / "card.h").write_text(BALANCE_H)
    sources = [FIRMWARE / "programs" / "balance.c", FIRMWARE / "host" / "host.c", FIRMWARE / "host" / "control.c"]
    subprocess.run(["gcc", *FLAGS, "-DQUIET=1000", f"-I{FIRMWARE / 'include'}", f"-I{folder}", *sources, "-o", folder / "balance"], check=True)
    return folder / "balance"


def test_balance_adds_a_replica_for_drops_and_takes_one_away_when_it_is_quiet(balance):
    load, drops = (EVENT, 0), (EVENT, 2)
    one, two = (0x30400, 1, 1), (0x30400, 1, 2)

    def at(time):
        return (TIME, time & 0xFFFFFFFF, time >> 32, 0)

    ask = frame(IP(**ENDS) / UDP(sport=5000, dport=8), b"how is it?")
    assert managed(balance) == [one]
    assert managed(balance, (*load, 900, 0), at(1500), (*load, 900, 0), at(2600)) == [one], "load alone is no reason"
    assert managed(balance, (*drops, 3, 0), (*drops, 1, 0)) == [one, two], "there are no more than two"
    assert managed(balance, (*drops, 3, 0), at(999)) == [one, two]
    assert managed(balance, (*drops, 3, 0), at(1000)) == [one, two, one]
    assert managed(balance, (*drops, 3, 0), (*load, 249, 0), at(1000)) == [one, two, one]
    assert managed(balance, (*drops, 3, 0), (*load, 250, 0), at(1000), at(1999)) == [one, two], "and what was counts no more afterwards"
    assert managed(balance, (*drops, 3, 0), (*load, 250, 0), at(1000), at(2000), at(9000)) == [one, two, one]
    assert managed(balance, (*drops, 3, 0), at(900), (*drops, 1, 0), at(1800)) == [one, two], "a drop is no quiet"
    assert managed(balance, (ANSWER, 0x30400, 1, 0), (*drops, 3, 0), at(5000)) == [one, two], "a change that was refused has not happened"
    assert managed(balance, (EVENT, 1 << 29 | 2, 2, 0), at(5000)) == [one], "a watch that ended is no drop"
    *_, answer = managed(balance, (*drops, 3, 0), at(1 << 40), (*drops, 4, 0), ask)
    wanted = Ether(ask[0])
    assert struct.unpack("!4I", answer[42:]) == (2, 2, 1, 7)
    assert (Ether(answer)[IP].dst, Ether(answer)[UDP].dport) == (wanted[IP].src, 5000)
    assert managed(balance, frame(IP(**ENDS) / UDP(sport=53, dport=8), b"x")) == [one, None], "no loop with another server"


def test_the_block_store_keeps_blocks(program):
    """In either memory; blocks beyond it, of 64 KB here, are refused, and requests that are too short are dropped."""
    layer = IP(src="10.0.0.1", dst="10.0.0.2") / UDP(sport=5000, dport=7)
    back = IP(src="10.0.0.2", dst="10.0.0.1") / UDP(sport=7, dport=5000)
    store = program("block_store", "-DBASE=0x4000ull")
    blocks = {number: random.randbytes(1024) for number in (0, 5, 47, 1 << 31, 1 << 31 | 63)}
    writes = [struct.pack("!II", 1, number) + block for number, block in blocks.items()]
    reads = [struct.pack("!II", 0, number) for number in blocks]
    beyond = [struct.pack("!II", 0, 48), struct.pack("!II", 1, 1 << 31 | 64) + bytes(1024)]
    short = [struct.pack("!II", 1, 0) + bytes(1023), bytes(7)]
    answers = run(store, [frame(layer, payload) for payload in (*writes, *reads, *beyond, *short)])
    payloads = [answer and answer[42:] for answer in answers]
    assert payloads[:5] == [struct.pack("!II", 0, number) for number in blocks]
    assert payloads[5:10] == [struct.pack("!II", 0, number) + block for number, block in blocks.items()]
    assert payloads[10:] == [struct.pack("!II", 1, 48), struct.pack("!II", 1, 1 << 31 | 64), None, None]
    for answer in answers[:12]:
        packet = Ether(answer)
        assert (packet[IP].src, packet[IP].dst, packet[UDP].sport, packet[UDP].dport) == (back[IP].src, back[IP].dst, 7, 5000)

# SPDX-License-Identifier: Apache-2.0
"""Programs in C that access memory, on a whole card: a store of blocks for UDP clients, programs that ask for what is not theirs, programs that are replaced
while their accesses are in flight, and the time that an access takes."""

import mmap
import os
import random
import struct

import pytest

from girih.card.account import account
from girih.card.virtual import VirtualCard
from girih.experiments.host_driver import BASE
from girih.firmware.compile import compile_program
from girih.firmware.load import console, hold, load, start, state
from girih.paths import DESIGNS
from tests.frames import ethernet, ipv4, udp
from tests.oracle import IPV4, UDP
from tests.registers import keep_what_is_written
from tests.test_bad_input import CARD, HOSTS, introductions

HOST, HEADERS = HOSTS[0], 42
PAGE, BLOCK = 4096, 1024
SIZE = 512 * PAGE  # of the host's memory, of which the first 256 pages are granted to the tile
ON_CARD = 1 << 31  # of the number of a block: it is in external memory
OK, REFUSED, MALFORMED, SLAVE, DECODE = range(5)

# Takes one message, and accesses memory for ever with it.
ATTACKER = """
#include "girih_core.h"
static const uint64_t places[] = {
    GIRIH_HOST(0), GIRIH_HOST(0x700000000 - 64), GIRIH_HOST(0x700100000), GIRIH_HOST(0xfffffffff0),
    0x100000, 0xffffffff00, 0x700000000,
};
int main(void)
{
    girih_message *m = girih_receive();
    for (uint32_t i = 0; i < sizeof places / sizeof *places; i++) {
        uint64_t at = places[i] & ~(uint64_t)127;
        memset(girih_data(m) + 128, 0x5a, 64);
        int read = girih_memory_read(m, girih_data(m) + 128, at, 64), kept = girih_data(m)[128] == 0x5a;
        girih_log("%d%d%d ", read, kept, girih_memory_write(m, at, girih_data(m) + 128, 64));
    }
    girih_log("\\n");
    for (;;)
        girih_receive();
}
"""
# Starts a read, or a write, of a page's part for each message, and never looks at how it ends.
CARELESS = """
#include "girih_core.h"
int main(void)
{
    for (uint32_t i = 0;; i++) {
        girih_message *m = girih_receive();
        if (i & 1)
            girih_dma_write(m, girih_at_host(0x700000000 + i * 4096), girih_data(m), 1024);
        else
            girih_dma_read(m, girih_data(m), girih_at_host(0x700000000 + i * 4096), 1024);
    }
}
"""
KEEPER = """
#include "girih_core.h"
int main(void)
{
    girih_message *kept[15];
    for (int i = 0; i < 15; i++)
        kept[i] = girih_receive();
    girih_receive();  // when the replies to the former program have come
    for (int i = 0; i < 15; i++)
        girih_log("%d", girih_dma_busy(kept[i]) || girih_dma_wait(kept[i]));
    for (int i = 0; i < 15; i++) {
        const uint32_t *words = (const uint32_t *)(girih_data(kept[i]) + 44);
        int good = 1;
        for (uint32_t at = 0; at < 220; at++)
            good &= words[at] == 0x33333333;
        girih_log("%c", good ? 'g' : 'b');
    }
    girih_log("\\n");
    for (;;)
        girih_receive();
}
"""
MEASURE = """
#include "girih_core.h"
static void measure(girih_message *m, uint64_t at, uint32_t bytes, int write)
{
    uint32_t before = girih_cycles();
    if (write)
        girih_dma_write(m, at, girih_data(m), bytes);
    else
        girih_dma_read(m, girih_data(m), at, bytes);
    uint32_t posted = girih_cycles();
    int status = girih_dma_wait(m);
    uint32_t after = girih_cycles();
    girih_log("%lu %lu %lu %d\\n", bytes, posted - before, after - before, status);
}
int main(void)
{
    girih_message *m = girih_receive();
    for (int turn = 0; turn < 3; turn++) {
        for (int write = 0; write < 2; write++) {
            measure(m, girih_at_host(0x700000000), 64, write);
            measure(m, girih_at_host(0x700000000), 2048, write);
        }
    }
    girih_drop(m);
    for (;;)
        girih_drop(girih_receive());
}
"""
# Reads or writes 64 bytes of memory for each message, many at once: the first word of its payload says whether it writes, the second the address. Byte 128 of
# the message is the first that goes to memory or comes from there.
SERVANT = """
#include "girih_core.h"
int main(void)
{
    girih_message *kept[16] = {0};
    for (;;) {
        girih_message *m = girih_wait();
        for (int i = 0; i < 16; i++) {
            if (m && !kept[i]) {
                uint8_t *payload = girih_payload(m);
                if (girih_get32(payload))
                    girih_dma_write(m, girih_get32(payload + 4), girih_data(m) + 128, 64);
                else
                    girih_dma_read(m, girih_data(m) + 128, girih_get32(payload + 4), 64);
                kept[i] = m, m = 0;
            }
            if (kept[i] && !girih_dma_busy(kept[i])) {
                girih_put32(girih_payload(kept[i]), (uint32_t)girih_dma_wait(kept[i]));
                girih_send(kept[i], girih_length(kept[i]));
                kept[i] = 0;
            }
        }
    }
}
"""
SHARED = """
name: shared_core
fabric: {crossbar: 7}
ports: 2
tiles:
  wire: {kind: rmt_port, port: 0, exit: store}
  host: {kind: rmt_port, port: 1, exit: wire}
  scheduler: {kind: scheduler}
  unit: {kind: unit_null}
  store: {kind: dma_core, program: servant.c, next: {reply: host, memory: memory}}
  memory: {kind: memory, grant_node: [store, store], grant_first: [0, 1], grant_last: [0, 1], grant_tenant: [1, 2], grant_rights: [3, 3]}
services:
  nothing: [unit]
tenants:
  first: {}
  second: {}
chains:
  one: {services: [nothing], match: {udp.dst: 1001}, tenant: first}
  two: {services: [nothing], match: {udp.dst: 1002}, tenant: second}
"""


@pytest.fixture(scope="module")
def opened():
    with VirtualCard.open(DESIGNS / "dma_core.yaml", collect=True) as card:
        for _kind, frame, bad in introductions(HOSTS[:1]):
            card.inject(0, frame, bad=bad)
        card.run_until_quiet()
        yield card


@pytest.fixture
def card(opened):
    """The card with its design's program, freshly loaded."""
    opened.host.set_latency(100)
    hold(opened.registers, "store")
    opened.run_until_quiet()
    console(opened.registers, "store")
    load(opened.registers, "store", opened.manifest.tile("store").program)
    opened.run(2000)
    opened.collect(0)
    yield opened
    opened.host.set_latency(1)
    opened.run_until_quiet()
    hold(opened.registers, "store")
    opened.run_until_quiet()
    account(opened.manifest, opened.registers.counters()).judge()


class Memory:
    """Memory of a host for tiles, on a card without a network device."""

    def __init__(self, card):
        descriptor = os.memfd_create("host")
        try:
            os.ftruncate(descriptor, SIZE)
            self.bytes = mmap.mmap(descriptor, SIZE)
            card.host.unmap_all()
            card.host.map(BASE, SIZE, descriptor)
        finally:
            os.close(descriptor)

    def write(self, address, data):
        self.bytes[address - BASE : address - BASE + len(data)] = data

    def read(self, address, size):
        return self.bytes[address - BASE : address - BASE + size]


@pytest.fixture
def memory(card):
    return Memory(card)


def counters(card, tile):
    return card.registers.counters(tile)[tile]


def request(card, payload):
    card.inject(0, ethernet(CARD.mac, HOST.mac, IPV4, ipv4(HOST.ip, CARD.ip, UDP, udp(HOST.ip, CARD.ip, payload, destination=7))))


def run_program(card, text, tmp_path):
    source = tmp_path / "program.c"
    source.write_text(text.replace("GIRIH_HOST(", "(1ull << 63) + ("))
    load(card.registers, "store", compile_program(source, memory_bytes=card.manifest.tile("store").memory_bytes).image)
    card.run(2000)


def answers(card, count):
    """The payloads of the next answers."""
    found = []
    for _ in range(2000):
        card.run(100)
        found += [frame.data[HEADERS : HEADERS - 8 + int.from_bytes(frame.data[38:40], "big")] for frame in card.collect(0)]  # without padding
        if len(found) == count:
            return found
    raise AssertionError(f"{len(found)} of {count} answers came")


@pytest.mark.parametrize("latency", [1, *(pytest.param(more, marks=pytest.mark.thorough) for more in (100, 3000))])
def test_a_store_of_blocks_keeps_them(card, memory, latency):
    """In the host's memory and in the card's; a quarter of the requests is in flight at once, and the memories hold what was written and nothing else."""
    card.host.set_latency(latency)
    rng = random.Random(latency)
    blocks = {}
    before = memory.read(BASE, SIZE)
    for _ in range(4):
        numbers = rng.sample([*range(1024), *(ON_CARD | n for n in range(1024))], 4)
        for number in numbers:
            blocks[number] = rng.randbytes(BLOCK)
            request(card, struct.pack("!II", 1, number) + blocks[number])
        assert sorted(answers(card, 4)) == sorted(struct.pack("!II", OK, number) for number in numbers)
    for number, block in blocks.items():
        there = card.memory.read((number & ~ON_CARD) * BLOCK, BLOCK) if number & ON_CARD else memory.read(BASE + number * BLOCK, BLOCK)
        assert there == block
    wanted = bytearray(before)
    for number, block in blocks.items():
        if not number & ON_CARD:
            wanted[number * BLOCK : (number + 1) * BLOCK] = block
    assert memory.read(BASE, SIZE) == bytes(wanted)
    for first in range(0, len(blocks), 4):
        some = dict([*blocks.items()][first : first + 4])
        for number in some:
            request(card, struct.pack("!II", 0, number))
        assert sorted(answers(card, 4)) == sorted(struct.pack("!II", OK, number) + block for number, block in some.items())
    assert state(card.registers, "store").restarts == 0


def test_what_is_not_granted_is_refused(card, memory):
    """The block behind the last page of the grant, of either memory; and memory that the host takes away ends with a bus error."""
    refused = {tile: counters(card, tile)["mark_refused"] for tile in ("memory", "dma")}
    before, wrong = memory.read(BASE, SIZE), counters(card, "store")["mark_dma_failed"]
    for base in (0, ON_CARD):
        for number in (1024, 1_000_000):
            request(card, struct.pack("!II", 0, base | number))
            request(card, struct.pack("!II", 1, base | number) + bytes(range(256)) * 4)
    assert sorted(answers(card, 8)) == sorted(struct.pack("!II", REFUSED, base | number) for base in (0, ON_CARD) for number in (1024, 1_000_000) for _ in range(2))
    assert {tile: counters(card, tile)["mark_refused"] - count for tile, count in refused.items()} == {"memory": 4, "dma": 4}
    assert counters(card, "store")["mark_dma_failed"] - wrong == 8 and memory.read(BASE, SIZE) == before
    card.host.unmap_all()
    request(card, struct.pack("!II", 0, 5))
    assert answers(card, 1)[0][:4] == struct.pack("!I", DECODE)


def test_a_program_reaches_only_what_its_tile_is_granted(card, memory, tmp_path):
    """Whatever it asks for: nothing is read or written, and it gets a status."""
    memory.write(BASE, secret := random.Random(1).randbytes(SIZE))
    card.memory.write(0x100000, b"\xc3" * PAGE)
    before = card.host.stats
    run_program(card, ATTACKER, tmp_path)
    request(card, bytes(100))
    card.run(20_000)
    status = f"{REFUSED}1{REFUSED}"
    assert console(card.registers, "store").split() == [status] * 7
    assert card.host.stats == before, "an access has left the card"
    assert memory.read(BASE, SIZE) == secret and card.memory.read(0x100000, PAGE) == b"\xc3" * PAGE


def test_a_program_that_is_replaced_leaves_nothing_to_the_next_one(card, memory, tmp_path):
    """16 accesses are in flight, of which nobody asks how they end. The next program has the tile's slots only as replies come, and its messages are as they
    were sent; what the former one wrote has come whole."""
    memory.write(BASE, b"\xee" * SIZE)
    run_program(card, CARELESS, tmp_path)
    card.host.set_latency(50_000)
    before = counters(card, "store")
    for number in range(16):
        request(card, bytes([number]) * 1000)
        card.run(100)
    card.run(2000)
    assert counters(card, "store")["made_requests"] - before["made_requests"] == 16
    run_program(card, KEEPER, tmp_path)
    assert state(card.registers, "store").running
    request(card, b"\x33" * 900)
    card.run(1000)
    now = counters(card, "store")
    assert now["drop_overrun"] - before["drop_overrun"] == 1 and now["drop_reset"] == before["drop_reset"], "no slot is free before its reply has come"
    while (now := counters(card, "store"))["used_replies"] - before["used_replies"] < 16:
        card.run(500)
        if now["used_replies"] - before["used_replies"] > 3:  # while the other replies come
            request(card, b"\x33" * 900)
    for _ in range(20):
        request(card, b"\x33" * 900)
        card.run(300)
    card.run(30_000)
    assert counters(card, "store")["drop_reset"] - before["drop_reset"] == 16
    assert console(card.registers, "store") == "0" * 15 + "g" * 15 + "\n"
    for number in range(1, 16, 2):
        assert memory.read(BASE + number * PAGE + HEADERS, 1000 - 24) == bytes([number]) * 976
        assert memory.read(BASE + (number - 1) * PAGE, PAGE) == b"\xee" * PAGE


def test_the_operator_takes_a_page_back(card, memory):
    """As docs/dma.md says: once the tile has answered all that it had taken, nothing is in flight to the page."""
    card.host.set_latency(60_000)
    made = counters(card, "store")["made_requests"]
    for number in range(4):
        request(card, struct.pack("!II", 1, number) + b"\x77" * BLOCK)
    while counters(card, "store")["made_requests"] < made + 4:
        card.run(1000)
    card.run(200)
    assert not card.collect(0)
    card.registers.write("dma.grant_rights[0]", 0)
    taken = counters(card, "dma")["in_messages"]
    while counters(card, "dma")["out_messages_1"] + counters(card, "dma")["drop_aborted"] < taken:
        card.run(500)
    card.host.unmap_all()
    assert {answer[:4] for answer in answers(card, 4)} == {struct.pack("!I", OK)}
    request(card, struct.pack("!II", 0, 1))
    assert answers(card, 1)[0][:4] == struct.pack("!I", REFUSED)
    card.registers.write("dma.grant_rights[0]", 3)
    assert memory.read(BASE, BLOCK) == b"\x77" * BLOCK


def test_an_access_takes_as_long_as_its_memory_and_little_more(card, memory, tmp_path):
    """The memory is 100 cycles (400 ns) away. Prints the cycles from the program's call to its knowing the end."""
    memory.write(BASE, bytes(PAGE))
    run_program(card, MEASURE, tmp_path)
    request(card, bytes(100))
    card.run(20_000)
    rows = [tuple(map(int, line.split())) for line in console(card.registers, "store").splitlines()]
    print("\nbytes, cycles to start, cycles to the end:", rows)
    assert len(rows) == 12 and all(status == OK for *_, status in rows)
    for size, posted, cycles, _status in rows[4:]:
        assert posted <= 30 and cycles <= {64: 160, 2048: 250}[size]
    hold(card.registers, "store")
    start(card.registers, "store")


@pytest.mark.thorough  # a card of its own
def test_a_program_reaches_for_a_tenant_what_that_tenant_is_granted(tmp_path):
    """One program serves two tenants, with accesses of both in flight at once: those for a message of one tenant reach the page of this tenant only,
    whatever the program asks for."""
    (tmp_path / "servant.c").write_text(SERVANT)
    (tmp_path / "card.yaml").write_text(SHARED)
    rng = random.Random(4)
    with VirtualCard.open(tmp_path / "card.yaml", collect=True) as card:
        card.run(3000)
        card.memory.write(0, before := rng.randbytes(2 * PAGE))
        wanted, places = bytearray(before), [*range(0, 2 * PAGE, 64)]
        rng.shuffle(places)  # each is accessed once: accesses in flight may pass each other
        sent = {}
        for number, place in enumerate(places):
            tenant, writes, data = rng.randrange(2), rng.randrange(2), rng.randbytes(160)
            payload = struct.pack("!III", writes, place, place) + data
            card.inject(0, ethernet(CARD.mac, HOST.mac, IPV4, ipv4(HOST.ip, CARD.ip, UDP, udp(HOST.ip, CARD.ip, payload, destination=1001 + tenant))))
            own = place // PAGE == tenant
            at = 128 - HEADERS
            if own and writes:
                wanted[place : place + 64] = payload[at : at + 64]
            elif own:
                payload = payload[:at] + before[place : place + 64] + payload[at + 64 :]
            sent[place] = struct.pack("!I", OK if own else REFUSED) + payload[4:]
            if number % 8 == 7:  # so many at once
                card.run(5000)
        card.run_until_quiet()
        found = [frame.data[HEADERS:] for frame in card.collect(1)]
        assert {struct.unpack_from("!I", payload, 8)[0]: payload for payload in found} == sent and len(found) == len(sent)
        assert card.memory.read(0, 2 * PAGE) == bytes(wanted)
        assert 0 < counters(card, "memory")["mark_refused"] < len(places)
        account(card.manifest, card.registers.counters()).judge()
        keep_what_is_written(card.registers, "unit")

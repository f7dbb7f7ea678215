# SPDX-License-Identifier: Apache-2.0
"""A card that manages itself: the program of a control core spreads load over cores while the host accesses the same tiles. Neither keeps the other
from the control network, and the program has exactly the rights that the design gives."""

from __future__ import annotations

import random
import re
import statistics
import struct
from dataclasses import replace

import pytest

from girih.card import VirtualCard
from girih.compiler.check.card import check_file
from girih.compiler.emit.program import emit_card_header
from girih.errors import GirihError
from girih.firmware.compile import FIRMWARE, compile_program
from girih.firmware.load import console, hold, load, state
from girih.paths import DESIGNS
from girih.testing import SEED
from tests.frames import ethernet, ipv4, udp
from tests.oracle import IPV4, UDP
from tests.test_bad_input import CARD, HOSTS, introductions

HOST = HOSTS[0]
HEADERS = 42
MOST_WAIT = 16  # cycles that a flood may add to a host's access to the same tile: two earlier requests at the node, and the beats on the ring
ROUNDS = 300

FLOOD = """
#include "girih_control.h"
int main(void)
{
    girih_watch(0, girih_card.balancer.in_messages, 0);
    for (uint32_t count = 0;; count++) {  // without waiting for answers
        *girih_device(GIRIH_DEVICE_CONTROL_DATA) = 1 + (count & 1);
        *girih_device(GIRIH_DEVICE_CONTROL_WRITE) = girih_card.balancer.replicas;
    }
}
"""
FORBIDDEN = """
#include "girih_control.h"
int main(void)
{
    uint32_t value = 7;
    const uint32_t balancer = girih_card.balancer.kind >> 16;
    girih_log("%d ", girih_write(girih_card.echo_0.watchdog, 1));                  // may be read
    girih_log("%d %d ", girih_read(UDP_RX << 16, &value), girih_write(UDP_RX << 16 | 0x1000, 1));
    girih_log("%d %d ", girih_read(MANAGER << 16 | 0x800, &value), girih_write(MANAGER << 16 | 0x800, 3));  // its own rights
    girih_log("%d %d ", girih_read(0xff0000, &value), girih_read(0x7f0000, &value));  // the card's own registers, and nobody's
    girih_log("%d %d ", girih_read(balancer << 16 | 0x3ffc, &value), girih_read(1u << 24 | balancer << 16, &value));
    girih_log("%lu ", value);
    girih_log("%d\\n", girih_write(girih_card.balancer.by_flow, 1));
    for (;;)
        girih_wait();
}
"""


@pytest.fixture(scope="module")
def opened(built):
    with VirtualCard(built("balanced", 128), collect=True) as card:
        for _kind, frame, bad in introductions(HOSTS[:1]):
            card.inject(0, frame, bad=bad)
        card.run_until_quiet()
        yield card


@pytest.fixture
def card(opened):
    """The card with its design's program, freshly loaded."""
    hold(opened.registers, "manager")
    console(opened.registers, "manager")
    load(opened.registers, "manager", opened.manifest.tile("manager").program)
    opened.run(2000)
    opened.collect(0)
    yield opened
    opened.run_until_quiet()
    opened.check_conservation()


def datagram(port: int, payload: bytes) -> bytes:
    return ethernet(CARD.mac, HOST.mac, IPV4, ipv4(HOST.ip, CARD.ip, UDP, udp(HOST.ip, CARD.ip, payload, destination=port)))


def run_program(card, text, tmp_path, **nodes):
    source = tmp_path / "program.c"
    source.write_text(text)
    tile = card.manifest.tile("manager")
    hold(card.registers, "manager")
    console(card.registers, "manager")
    defines = tuple(f"{name}={value}" for name, value in nodes.items())
    load(card.registers, "manager", compile_program(source, memory_bytes=tile.memory_bytes, defines=defines, card=tile.card_header).image)


def echoes(card, count, spacing):
    """Sends datagrams `spacing` cycles apart. Returns the numbers of those that came back."""
    start = card.cycle + 100
    for number in range(count):
        card.inject(0, datagram(7, struct.pack("!I", number) + bytes(60)), cycle=start + number * spacing)
    card.run(count * spacing + 3000)
    return [int.from_bytes(frame.data[HEADERS : HEADERS + 4], "big") for frame in card.collect(0)]


def told(card):
    """What the program reports over the network: replicas in use, added and removed, and messages dropped."""
    card.inject(0, datagram(8, b"how is it?"))
    card.run(5000)
    (answer,) = card.collect(0)
    return struct.unpack_from("!IIII", answer.data, HEADERS)


def dropped(card):
    return sum(card.registers.counters(tile)[tile]["drop_overrun"] for tile in ("echo_0", "echo_1"))


def test_the_service_grows_with_its_load_and_shrinks_again(card):
    """No host takes part. One core cannot keep up with the load; two drop nothing."""
    registers = card.registers
    assert registers.read("balancer.replicas") == 1
    assert len(echoes(card, 50, 200)) == 50 and told(card) == (1, 0, 0, 0)
    before = dropped(card)
    echoes(card, 400, 40)
    assert registers.read("balancer.replicas") == 2
    lost = dropped(card) - before
    assert lost > 0 and told(card) == (2, 1, 0, lost), "the program reports every drop, once"
    got = echoes(card, 400, 40)
    assert sorted(got) == list(range(400)) and dropped(card) - before == lost
    card.run(150_000)
    assert registers.read("balancer.replicas") == 1 and told(card)[:3] == (1, 1, 1)
    assert len(echoes(card, 50, 200)) == 50
    assert console(registers, "manager") == "1 in use\n2 in use\n1 in use\n"
    assert state(registers, "manager").running and state(registers, "manager").restarts == 0


def accesses(card):
    """The cycles of the host's accesses to the tile that the program writes, and to another one. Each access gets its own answer."""
    registers, cycles, rng = card.registers, {"balancer": [], "udp_rx": []}, random.Random(SEED)
    for number in range(ROUNDS):
        for tile, values in cycles.items():
            if tile == "balancer":
                registers.write("balancer.by_flow", number & 1)
            before = card.cycle
            read = registers.read("balancer.by_flow" if tile == "balancer" else "udp_rx.next_hop[0]")
            values.append(card.cycle - before)
            assert read == number & 1 if tile == "balancer" else read & 0xFFFF == 7
            card.run(rng.randrange(60))  # so that they collide at any phase
    return cycles


def test_a_flood_takes_nothing_from_the_host(card, tmp_path):
    """A program that writes without pause and watches as fast as it can delays a host's access by a few cycles, whichever tile it is to, and every
    answer is right."""
    registers = card.registers
    hold(registers, "manager")
    quiet = accesses(card)
    registers.write("manager.pace", 0)
    run_program(card, FLOOD, tmp_path)
    card.run(3000)
    before, start = registers.counters("manager")["manager"], card.cycle
    flooded = accesses(card)
    after, cycles = registers.counters("manager")["manager"], card.cycle - start
    requests = after["mark_requests"] - before["mark_requests"]
    assert requests > cycles / 100 and after["mark_failed"] == before["mark_failed"]
    for tile in quiet:
        added = max(flooded[tile]) - max(quiet[tile])
        print(f"{tile}: {statistics.mean(quiet[tile]):.2f} cycles, with a request of the program every {cycles / requests:.0f} cycles {statistics.mean(flooded[tile]):.2f}, at most {added} more")
        assert added <= MOST_WAIT
    assert statistics.mean(flooded["balancer"]) > statistics.mean(quiet["balancer"]), "the accesses of the host and of the program never collided"
    assert sorted(echoes(card, 50, 200)) == list(range(50)), "the traffic does not go on"
    registers.write("manager.pace", 100)


def test_a_program_has_the_rights_of_the_design_and_no_others(card, tmp_path):
    registers = card.registers
    node = {tile.name: tile.node for tile in card.manifest.tiles}
    before = {name: registers.read(name) for name in ("echo_0.watchdog", "udp_rx.next_hop[0]", "manager.right[0]", "manager.right[1]")}
    registers.write("balancer.by_flow", 0)
    counted = registers.counters("manager")["manager"]
    run_program(card, FORBIDDEN, tmp_path, UDP_RX=f"{node['udp_rx']}u", MANAGER=f"{node['manager']}u")
    card.run(20_000)
    refused, error, nobody = 1, 2, 3
    assert console(registers, "manager") == f"{refused} {refused} {refused} {refused} {refused} {refused} {refused} {error} {nobody} 7 0\n"
    assert registers.read("balancer.by_flow") == 1
    assert {name: registers.read(name) for name in before} == before
    now = registers.counters("manager")["manager"]
    assert now["mark_control_refused"] - counted["mark_control_refused"] == 7
    # The operator revokes the right to write, and grants it again.
    right = registers.read("manager.right[0]")
    assert right >> 16 == node["balancer"]
    registers.write("balancer.by_flow", 0)
    registers.write("manager.right[0]", right & ~(right ^ before["manager.right[1]"]) & 0xFF)
    run_program(card, FORBIDDEN, tmp_path, UDP_RX=f"{node['udp_rx']}u", MANAGER=f"{node['manager']}u")
    card.run(20_000)
    assert console(registers, "manager").endswith(f"7 {refused}\n") and registers.read("balancer.by_flow") == 0
    registers.write("manager.right[0]", right & 0xFF)


def test_a_program_knows_only_what_it_may_reach(tmp_path):
    """card.h has the tiles of the design's rights; a program that names another does not compile."""
    design = tmp_path / "card.yaml"
    (tmp_path / "own.c").write_text('#include "girih_control.h"\nint main(void) { return girih_write(girih_card.udp_rx.next_hop, 0); }\n')
    design.write_text((DESIGNS / "balanced.yaml").read_text().replace("balance.c", "own.c"))
    with pytest.raises(GirihError) as caught:
        check_file(design)
    assert "has no member named 'udp_rx'" in str(caught.value) and "card.yaml:" in str(caught.value)
    design.write_text((DESIGNS / "balanced.yaml").read_text().replace("write: [balancer]", "write: [manager]"))
    with pytest.raises(GirihError, match="control of tile manager names manager in write, whose window only the host may write"):
        check_file(design)


def test_a_program_of_a_tenant_knows_windows_alone():
    """Registers and interrupts belong to the operator: the card refuses them to a tenant, so card.h leaves them out."""

    def header(design: str, name: str, tenant: int) -> str:
        card = check_file(DESIGNS / f"{design}.yaml")
        tile = card.tile(name)
        assert tile.control is not None
        return emit_card_header(card, replace(tile, control=replace(tile.control, tenant=tenant)))

    assert "girih_line = {.dhcp = 0}" in header("dhcp", "syslog", 0) and ".replicas = " in header("balanced", "manager", 0)
    assert "girih" not in header("dhcp", "syslog", 3)
    places = re.findall(r"^    \.(\w+) = \{(.*)\},$", header("balanced", "manager", 3), re.MULTILINE)
    assert places == [("echo_0", ".window = 0x134000"), ("echo_1", ".window = 0x234000")]


def test_every_register_of_every_kind_has_a_name_in_c(tmp_path):
    """The header of each design whose programs reach other tiles compiles, and agrees with the addresses of the card's map."""
    from girih.compiler.emit.registers import emit_python

    for name in ("balanced", "managed", "dhcp"):
        card = check_file(DESIGNS / f"{name}.yaml")
        python: dict = {}
        exec(emit_python(card), python)
        tile = next(tile for tile in card.tiles if tile.control)
        lines = ['#include "card.h"', '#include "girih_core.h"', "int main(void)", "{"]
        for right in tile.control.rights:
            found = {key: value for key, value in vars(python[right.tile]).items() if key.isupper() and key != "BASE"}
            lines += [f'if (girih_card.{right.tile}.{key.lower()} != {value:#x}u) girih_stop({value:#x}u);' for key, value in found.items()]
        source = tmp_path / f"{name}.c"
        source.write_text("\n".join([*lines, "return 0;", "}", ""]))
        listing = (compile_program(source, memory_bytes=32768, card=emit_card_header(card, tile)).folder / "program.lst").read_text()
        assert "<girih_stop>" not in listing.split("<main>:")[1].split("\n\n")[0], "an address differs"


def test_programs_with_a_card_are_those_of_the_card():
    assert (FIRMWARE / "programs" / "balance.c").is_file()
    with pytest.raises(GirihError, match=r"card\.h: No such file"):
        compile_program(FIRMWARE / "programs" / "balance.c", memory_bytes=32768)

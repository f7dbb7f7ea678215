# SPDX-License-Identifier: Apache-2.0
"""Cards whose tiles with cores have a clock of their own, slower, equal and faster than the card's: messages, registers, programs, requests on the control
network, time, debugger, resets, and the rest of a card."""

from __future__ import annotations

import json
import random
import struct
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest

from girih.build.lint import lint
from girih.card import VirtualCard
from girih.card.copy import snapshot
from girih.card.drops import last_drops
from girih.compiler.compile import compile_design
from girih.compiler.emit.registers import base
from girih.compiler.model import CARD_NODE
from girih.firmware.debug import Debugger
from girih.firmware.load import console, load_program, state
from girih.paths import DESIGNS
from girih.spec.windows import offset
from girih.testing import SEED
from tests.commands import girih
from tests.frames import Host, arp, ethernet, ipv4, udp
from tests.oracle import ARP, IPV4, UDP

CARD_MHZ = 250
LEAST, SLOWER, FASTER, MOST = 15.625, 125, 322.265625, 1000  # MHz
CARD, HOST = Host(bytes.fromhex("026769726968"), bytes([10, 77, 0, 2])), Host(bytes([2, 0, 0, 0, 0, 1]), bytes([10, 77, 0, 1]))
HEADERS = 42
ECHO, MANAGER = 7, 8  # ports
LONG = 20_000  # cycles of the card, longer than a program takes
CYCLES = 0x10  # the card's register: cycles since its reset
# An echo, and a program that asks other tiles and its own.
DESIGN = """\
width: 128
max_frame: 1518
clocks: {cores: CORES}
fabric: {mesh: [4, 2]}
mac: 02:67:69:72:69:68
ip: 10.77.0.2/24
tiles:
  eth_rx: {kind: eth_rx, next: {ipv4: ip_rx}}
  ip_rx: {kind: ipv4_rx, next: {udp: udp_rx}}
  udp_rx: {kind: udp_rx, next: {7: echo, 8: manager}}
  echo: {kind: core, program: udp_echo.c, debug: 1, drop_log: 16, next: swap}
  manager:
    kind: control_core
    program: manager.c
    control: {read: [udp_rx, echo, manager], write: [echo]}
    next: swap
  swap: {kind: relay, next: eth_tx}
  eth_tx: {kind: eth_tx}
"""
# Answers with what it reads: a setting of `echo`, which it then changes, a setting of its own tile, a register without a right, and messages of udp_rx.
PROGRAM = """
#include "girih_control.h"
int main(void)
{
    for (;;) {
        girih_message *message = girih_receive();
        uint8_t *words = girih_payload(message);
        uint32_t value = 0, next = girih_get32(words);
        const uint32_t at[] = {girih_card.echo.watchdog, girih_card.manager.watchdog, 0xff0000, girih_card.udp_rx.in_messages};
        for (uint32_t i = 0; i < 4; i++) {
            uint32_t ended = (uint32_t)girih_read(at[i], &value);
            girih_put32(words + 8 * i, ended);
            girih_put32(words + 8 * i + 4, value);
        }
        girih_put32(words + 32, (uint32_t)girih_write(girih_card.echo.watchdog, next));
        girih_send(message, girih_length(message));
    }
}
"""
# Answers with the card's time and the cycles of its own clock.
CLOCK = """
#include "girih_core.h"
int main(void)
{
    girih_log("started\\n");
    for (;;) {
        girih_message *message = girih_receive();
        girih_put32(girih_payload(message), girih_now());
        girih_put32(girih_payload(message) + 4, (uint32_t)girih_time());
        girih_send(message, girih_length(message));
    }
}
"""
Opener = Callable[..., VirtualCard]


@pytest.fixture
def opened(tmp_path):
    """`opened(125)`: the card with this clock of its cores in MHz; all have the same hardware."""
    cards: list[VirtualCard] = []

    def open_card(mhz: float, text: str = DESIGN, **options) -> VirtualCard:
        cards.append(VirtualCard(compiled(tmp_path, mhz, text), collect=True, **options))
        return cards[-1]

    yield open_card
    for card in cards:
        card.close()


def compiled(folder: Path, mhz: float, text: str = DESIGN) -> Path:
    (folder / "manager.c").write_text(PROGRAM)
    (folder / "clock.c").write_text(CLOCK)
    path = folder / "cores.yaml"
    path.write_text(text.replace("CORES", str(mhz)))
    return compile_design(path)


def datagram(port: int, payload: bytes, source: int = 5000) -> bytes:
    return ethernet(CARD.mac, HOST.mac, IPV4, ipv4(HOST.ip, CARD.ip, UDP, udp(HOST.ip, CARD.ip, payload, source=source, destination=port)))


def payloads(rng: random.Random, count: int, most: int = 1400) -> list[bytes]:
    return [number.to_bytes(4, "big") + rng.randbytes(rng.randint(36, most)) for number in range(count)]


def introduce(card: VirtualCard) -> None:
    """The host asks for the card's address, which tells the card its own."""
    card.inject(0, ethernet(b"\xff" * 6, HOST.mac, ARP, arp(1, HOST, bytes(6), CARD.ip)))
    card.run_until_quiet()
    card.collect(0)


def ask(card: VirtualCard, port: int, payload: bytes) -> bytes:
    """The payload of the answer to a datagram."""
    card.inject(0, datagram(port, payload))
    card.run_until_quiet(LONG)
    (answer,) = card.collect(0)
    return answer.data[HEADERS : HEADERS + len(payload)]


def echoes(card: VirtualCard, sent: list[bytes], spacing: int) -> list[bytes]:
    """The payloads that come back."""
    for number, payload in enumerate(sent):
        card.inject(0, datagram(ECHO, payload), cycle=card.cycle + spacing * number)
    card.run_until_quiet()
    return [answer.data[HEADERS:] for answer in card.collect(0)]


@pytest.mark.parametrize(("mhz", "seed"), [(SLOWER, 1), (FASTER, 4), *(pytest.param(*more, marks=pytest.mark.thorough) for more in [(CARD_MHZ, 3), (LEAST, 0), (SLOWER, 2), (MOST, 5)])])
def test_a_core_answers_every_message_at_any_ratio(opened, mhz, seed):
    """One at a time each comes back as it was, and of a burst each comes back or is counted."""
    rng = random.Random(SEED + seed)
    card = opened(mhz, seed=seed)
    sent = payloads(rng, 30)
    assert echoes(card, sent, int(150 * max(1, CARD_MHZ / mhz))) == sent
    sent = payloads(rng, 60, most=80)
    came = echoes(card, sent, 0)
    counters = card.registers.counters()["echo"]
    assert set(came) <= set(sent) and len(came) + counters["drop_overrun"] == len(sent) and len(came) > 10
    card.check_conservation()


@pytest.mark.parametrize("mhz", [LEAST, pytest.param(SLOWER, marks=pytest.mark.thorough), MOST])
def test_registers_programs_and_requests_on_the_control_network(opened, mhz):
    card = opened(mhz)
    registers = card.registers
    for value in (1_000_000, 0, 2_000_000):
        registers.write("echo.watchdog", value)
        assert registers.read("echo.watchdog") == value
    received = registers.counters()["udp_rx"]["in_messages"]
    for number, value in enumerate((123_456, 654_321)):
        said = struct.unpack(">9I", ask(card, MANAGER, struct.pack(">I", value) + bytes(32)))
        assert said == (0, 2_000_000 if number == 0 else 123_456, 0, registers.read("manager.watchdog"), 1, said[5], 0, received + 1 + number, 0)
        assert registers.read("echo.watchdog") == value
    assert state(registers, "echo").running
    card.check_conservation()


@pytest.mark.parametrize("mhz", [SLOWER, *(pytest.param(mhz, marks=pytest.mark.thorough) for mhz in (LEAST, FASTER, MOST))])
def test_a_core_knows_the_time_of_the_card_and_counts_its_own_cycles(opened, tmp_path, mhz):
    card = opened(mhz)
    load_program(card.registers, "echo", tmp_path / "clock.c")
    ratio = CARD_MHZ / mhz
    reset = card.cycle - card.registers.bus.read32(base(CARD_NODE) + CYCLES)  # when it ended, or up to 20 cycles before
    said = []
    for _ in range(4):
        start = card.cycle
        card.inject(0, datagram(ECHO, bytes(40)))
        card.run_until_quiet()
        (answer,) = card.collect(0)
        said.append(struct.unpack(">II", answer.data[HEADERS : HEADERS + 8]))
        assert start - reset - 20 <= said[-1][0] <= answer.first_cycle - reset
    for (now, cycles), (later, more) in pairwise(said):
        assert abs(later - now - (more - cycles) * ratio) <= 4 * ratio + 2
    assert console(card.registers, "echo") == "started\n"


def test_a_debugger_halts_a_core_and_lets_it_go_on(opened):
    card = opened(SLOWER)
    debugger = Debugger(card.registers, "echo")
    debugger.attach()
    debugger.why()
    assert debugger.register(2) > 0x1000 and debugger.read(0, 4) != bytes(4)
    debugger.detach()
    sent = payloads(random.Random(SEED), 3)
    assert echoes(card, sent, 400) == sent


@pytest.mark.parametrize("mhz", [SLOWER, *(pytest.param(mhz, marks=pytest.mark.thorough) for mhz in (LEAST, MOST))])
def test_drops_have_cycles_of_the_card(opened, mhz):
    """The program drops datagrams from low ports. It has just begun to wait when one comes: between two waits it would take it some cycles later."""
    card = opened(mhz)
    sent = []
    for _ in range(3):
        card.run(7_000)
        card.inject(0, datagram(ECHO, bytes(20)))
        card.run_until_quiet()
        card.run(int(40 * CARD_MHZ / mhz))
        sent.append(card.cycle)
        card.inject(0, datagram(ECHO, bytes(20), source=7))
        card.run_until_quiet()
    drops = last_drops(card.registers, "echo").drops
    assert [drop.reasons for drop in drops] == [("drop_program",)] * 3
    reset = card.cycle - card.registers.bus.read32(base(CARD_NODE) + CYCLES)
    late = [drop.cycle + reset - at for drop, at in zip(drops, sent, strict=True)]
    assert max(late) - min(late) <= 2 * max(1, CARD_MHZ / mhz) and 0 < late[0] + 60 * CARD_MHZ / mhz < 3_000


@pytest.mark.parametrize("mhz", [SLOWER, *(pytest.param(mhz, marks=pytest.mark.thorough) for mhz in (LEAST, MOST))])
def test_a_reset_in_the_middle(opened, mhz):
    rng = random.Random(SEED)
    card = opened(mhz)
    for cycles in (30, 90, 200, 333, 1200):
        for payload in payloads(rng, 12):
            card.inject(0, datagram(ECHO, payload))
        card.inject(0, datagram(MANAGER, bytes(40)))
        card.run(cycles)
        card.reset()
        card.run_until_quiet()
        card.collect(0)
        sent = payloads(rng, 3)
        assert echoes(card, sent, int(400 * max(1, CARD_MHZ / mhz))) == sent
        assert card.registers.counters()["echo"]["in_messages"] >= 3
        card.check_conservation()


@pytest.mark.parametrize("seed", [5, pytest.param(0, marks=pytest.mark.thorough)])
def test_a_run_is_the_same_each_time_and_is_replayed(opened, tmp_path, seed):
    for name in ("one", "two"):
        card = opened(FASTER, record=tmp_path / name, seed=seed)
        rng = random.Random(SEED)
        echoes(card, payloads(rng, 20), 60)
        card.reset()
        echoes(card, payloads(rng, 20), 60)
        card.close()
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    replay = opened(FASTER, bare=True, seed=seed).replay(tmp_path / "one")
    assert replay.difference is None and replay.outputs > 20


def test_a_card_rests_only_when_its_crossings_are_empty(opened):
    """A message takes 48 cycles and more to a core that is 16 times slower; meanwhile no link of the card holds it."""
    card = opened(LEAST)
    before = card.registers.counters()["echo"]["in_messages"]
    card.run(5000)
    card.inject(0, datagram(ECHO, bytes(1400)))
    quiet = []
    for _ in range(2_000):
        card.run(1)
        quiet.append(card.quiet_cycles)
    assert sum(cycles == 0 for cycles in quiet) > 88 * 16  # as many flits
    card.run_until_quiet()
    assert card.registers.counters()["echo"]["in_messages"] == before + 1


def test_the_clock_is_shown(opened):
    card = opened(SLOWER)
    card.run(1001)
    assert snapshot(card)["clocks"] == {"cores": {"mhz": SLOWER, "cycles": card.edge_cycles()["cores"]}}
    assert abs(card.edge_cycles()["cores"] - card.cycle / 2) <= 1


def test_a_card_whose_cores_use_its_clock_has_no_crossing(tmp_path):
    folder = compiled(tmp_path, SLOWER, DESIGN.replace("clocks: {cores: CORES}\n", ""))
    assert not any(word in (folder / "card.sv").read_text() for word in ("crossing", "cores_", "_own_")) and '"clocks":' not in (folder / "card.json").read_text()


@pytest.mark.thorough
def test_constraints_name_the_crossings_of_the_tile(tmp_path):
    compiled(tmp_path, SLOWER)
    said = girih("synth", str(tmp_path / "cores.yaml"), "--constraints", str(tmp_path / "card.xdc"))
    assert said.returncode == 0, said.stdout + said.stderr
    text = (tmp_path / "card.xdc").read_text()
    for fifo in ("gen_in[0].u_fifo", "gen_out[0].u_fifo", "u_into", "u_back"):
        name = f"gen_echo_crossing.u_crossing/{fifo}".replace("[", "\\[").replace("]", "\\]")
        assert f"set_bus_skew -from [get_cells {{{name}/write_gray_q_reg*}}]" in text, fifo
    assert "set_bus_skew -from [get_cells {gen_edges.u_cores_time/code_q_reg*}]" in text
    assert "gen_manager_crossing.u_interrupts/stage_q_reg" not in text  # no tile has interrupts


@pytest.mark.thorough
def test_a_crossing_takes_seven_cycles_if_the_clocks_are_equal(opened):
    taken = []
    for text in (DESIGN, DESIGN.replace("clocks: {cores: CORES}\n", "")):
        card = opened(CARD_MHZ, text)
        start = card.cycle + 100
        card.inject(0, datagram(ECHO, bytes(18)), cycle=start)
        card.run_until_quiet()
        (answer,) = card.collect(0)
        taken.append(answer.first_cycle - start)
    assert taken[0] - taken[1] == 7


@pytest.mark.thorough
def test_tiles_may_have_the_names_of_crossings(tmp_path):
    text = DESIGN.replace("echo: {", "cores_time: {").replace("7: echo", "7: cores_time").replace("echo, manager", "cores_time, manager")
    text = text.replace("write: [echo]", "write: [cores_time]").replace("swap", "cores_time_crossing").replace("eth_tx:", "cores_time_out_own:").replace("next: eth_tx", "next: cores_time_out_own")
    (tmp_path / "manager.c").write_text('#include "girih_control.h"\nint main(void)\n{\n    for (;;)\n        girih_drop(girih_receive());\n}\n')
    (tmp_path / "cores.yaml").write_text(text.replace("CORES", "125"))
    folder = compile_design(tmp_path / "cores.yaml")
    found = lint("card_sim", json.loads((folder / "card.json").read_text())["sources"])
    assert found.clean, found.output


def among(name: str, width: int, mhz: float) -> str:
    """A design of designs/ with this width and clock of its cores."""
    return f"width: {width}\nclocks: {{cores: {mhz}}}\n{(DESIGNS / f'{name}.yaml').read_text()}"


@pytest.mark.thorough
@pytest.mark.parametrize("mhz", [LEAST, SLOWER, MOST])
def test_units_behind_the_scheduler_answer_every_message_and_give_every_credit_back(opened, mhz):
    """Two, of which the first pushes messages to the second, which then cancels a credit for each."""
    rng = random.Random(SEED)
    text = among("panic_core", 256, mhz).replace("crossbar: 6", "crossbar: 7").replace("services: [first]", "services: [first, second]")
    unit = next(line for line in text.splitlines() if "kind: unit_core" in line)
    text = text.replace(unit, f"{unit}\n{unit.replace('core:', 'more:')}").replace("first: [core]", "first: [core]\n  second: [more]")
    card = opened(mhz, text)
    for spacing, most in ((4, 100), (60, 1400), (0, 400)):
        sent = [datagram(1001, payload) for payload in payloads(rng, 40, most)]
        for number, frame in enumerate(sent):
            card.inject(0, frame, cycle=card.cycle + spacing * number)
        card.run_until_quiet(LONG)
        assert sorted(frame.data for frame in card.collect(1)) == sorted(sent)
        for unit in range(2):
            credits = card.registers.read_window("scheduler", offset("scheduler_window", "units", unit=unit))
            assert credits == card.registers.read(f"scheduler.unit_credits[{unit}]")
        card.check_conservation()
    assert card.registers.counters("more")["more"]["mark_pushed"] > 60


@pytest.mark.thorough
@pytest.mark.parametrize("mhz", [SLOWER, MOST])
def test_a_cluster_answers_every_message(opened, mhz):
    rng = random.Random(SEED)
    card = opened(mhz, among("cluster", 128, mhz))
    introduce(card)
    sent = payloads(rng, 60, 500)
    assert echoes(card, sent, 200) == sent  # those of one flow stay in order
    card.check_conservation()


@pytest.mark.thorough
@pytest.mark.parametrize("mhz", [SLOWER, MOST])
def test_a_core_with_access_to_memory_keeps_what_it_gets(opened, mhz):
    """In the card's memory: requests leave by the tile's output, and replies come by a link of their own."""
    rng = random.Random(SEED)
    card = opened(mhz, among("dma_core", 128, mhz))
    introduce(card)
    blocks = {number: rng.randbytes(1024) for number in rng.sample(range(1024), 8)}
    for number, block in blocks.items():
        card.inject(0, datagram(ECHO, struct.pack(">II", 1, 1 << 31 | number) + block))
        card.run_until_quiet(LONG)
        assert card.memory.read(number * 1024, 1024) == block
    for number in blocks:
        card.inject(0, datagram(ECHO, struct.pack(">II", 0, 1 << 31 | number)))
    card.run_until_quiet(LONG)
    answers = [frame.data[HEADERS:] for frame in card.collect(0)][-len(blocks) :]
    assert sorted(answers) == sorted(struct.pack(">II", 0, 1 << 31 | number) + block for number, block in blocks.items())
    card.check_conservation()


ALARM = """\
width: 128
max_frame: 1518
clocks: {cores: CORES}
fabric: {mesh: [3, 2]}
mac: 02:67:69:72:69:68
tiles:
  rx: {kind: eth_rx, promiscuous: true, next: {ipv4: bell, arp: listener}}
  bell: {kind: alarm}
  listener: {kind: control_core, program: listen.c, control: {read: [bell], write: [bell]}, next: tx}
  tx: {kind: eth_tx}
"""
LISTEN = """
#include "girih_control.h"
int main(void)
{
    girih_write(girih_card.bell.interrupt_enable, 1);
    for (uint32_t count = 0;;) {
        girih_listen(girih_line.bell);
        girih_event event;
        girih_message *message;
        while (!girih_poll_event(&event))
            if ((message = girih_wait()))
                girih_drop(message);
        if (event.line) {
            girih_write(girih_card.bell.interrupt_pending, 1);
            girih_log("%lu\\n", ++count);
        }
    }
}
"""


@pytest.mark.thorough
@pytest.mark.parametrize("mhz", [LEAST, SLOWER, MOST])
def test_a_control_core_is_told_of_interrupts(opened, tmp_path, mhz):
    """Each once: the program clears an interrupt, and the line falls before it listens again."""
    (tmp_path / "listen.c").write_text(LISTEN)
    card = opened(mhz, ALARM)
    card.run(20_000)
    for number in range(1, 5):
        card.inject(0, datagram(ECHO, bytes(18)))
        card.run_until_quiet(LONG)
        assert console(card.registers, "listener") == f"{number}\n"
        assert card.registers.read("bell.interrupt_pending") == 0 and card.interrupting() == []

# SPDX-License-Identifier: Apache-2.0
"""The end of a run on the loop card: ports are closed, frames inside leave, and every frame is accounted for."""

import random
import signal

import pytest

from girih import interrupts
from girih.card import Session, VirtualCard
from girih.card import copy as copy_module
from girih.card import registers as registers_module
from girih.card import session as session_module
from girih.card.control import ControlServer
from girih.card.copy import snapshot
from girih.card.library import CardFault
from girih.card.registers import Bus
from girih.card.virtual import QUIET_CYCLES
from girih.errors import GirihError

SEED = 20_240_801


def faults(draw: random.Random) -> dict[str, float]:
    """Faults of one direction: some, none or all; they may hold frames for longer than any test waits."""
    chances = {name: draw.choice((0, 0, 0.2)) for name in ("loss", "duplicate", "corrupt", "reorder", "delay")}
    return chances | {"reorder_cycles": draw.choice((10, 10**12)), "delay_cycles": draw.choice((10, 10**12)), "seed": draw.randrange(1000)}


@pytest.mark.parametrize("number", range(20))
def test_at_any_moment_every_frame_is_somewhere(loop_folder, number):
    """Frames are entering, inside and leaving when the ports are shut."""
    draw = random.Random(SEED + number)
    with VirtualCard(loop_folder, collect=True) as card:
        for port in (0, 1):
            for way in ("in", "out"):
                card.set_faults(port, way, **faults(draw))
            card.set_ready(port, draw.choice((1, 0.5)), seed=number)
            for _ in range(100):
                card.inject(port, bytes(draw.randint(60, 2000)))
        card.run(draw.randint(1, 3000))
        before = [card.port_stats(port) for port in (0, 1)]
        card.shut_ports()
        with pytest.raises(CardFault, match="shut"):
            card.inject(0, bytes(100))
        assert card.rests_within(10 * QUIET_CYCLES)
        for port in (0, 1):
            stats, entered, left = card.port_stats(port), card.fault_counts(port, "in"), card.fault_counts(port, "out")
            assert stats.rx_frames - before[port].rx_frames <= 1  # the rest of a frame that had started
            if entered["frames"]:
                assert stats.rx_frames == entered["frames"] + entered["duplicated"] - entered["lost"]
            assert stats.tx_frames == stats.rx_frames
            assert len(card.collect(port)) == stats.tx_frames + left["duplicated"] - left["lost"]
        card.check_conservation()


def test_a_session_ends_with_an_account_that_is_even(loop_folder):
    with VirtualCard(loop_folder) as card:
        session = Session(card, control=False)
        for _ in range(1000):
            card.inject(0, bytes(1000))
        session.serve(cycles=500)
        account = session.finish()
        account.judge()
        assert account.rested and not account.held
        assert account.text == "Every message is accounted for in every tile."


def test_a_card_that_does_not_rest_in_time_is_not_judged(loop_folder):
    with VirtualCard(loop_folder, watchdog=0) as card:
        session = Session(card, control=False)
        card.set_ready(0, 0)
        for _ in range(10):
            card.inject(0, bytes(1000))
        session.serve(cycles=500)
        account = session.finish(seconds=0.1)
        account.judge()
        assert not account.rested and "did not come to rest" in account.text


@pytest.fixture
def handlers_restored():
    """After a second signal, a session leaves all of them ignored, and so would every program that a later test starts."""
    before = {number: signal.getsignal(number) for number in interrupts.NUMBERS}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.usefixtures("handlers_restored")
@pytest.mark.parametrize("signals", [[signal.SIGINT], [signal.SIGINT, signal.SIGTERM]])
def test_signals_while_the_control_socket_is_made_leave_none_behind(loop_folder, monkeypatch, signals):
    made = []

    def interrupted(session):
        made.append(ControlServer(session))
        for number in signals:
            signal.raise_signal(number)
        return made[0]

    monkeypatch.setattr(session_module, "ControlServer", interrupted)
    with VirtualCard(loop_folder) as card:
        session = Session(card)
        try:
            with session:
                pass
        except KeyboardInterrupt:
            assert len(signals) == 2, "the first only ends the run"
        assert session.stopped and not made[0].path.exists()


def test_a_signal_while_the_control_socket_is_removed_comes_afterwards(loop_folder, monkeypatch):
    close = ControlServer.close

    def interrupted(server):
        signal.raise_signal(signal.SIGINT)
        close(server)

    monkeypatch.setattr(ControlServer, "close", interrupted)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background of a shell, it is ignored
    try:
        with pytest.raises(KeyboardInterrupt), VirtualCard(loop_folder) as card, Session(card) as session:
            path = session.server.path
    finally:
        signal.signal(signal.SIGINT, before)
    assert not path.exists()


def test_a_snapshot_is_of_one_moment_and_leaves_the_card_alone(loop_folder, tmp_path):
    """Taken at any moment under traffic; the card then behaves as it does without the snapshot."""

    def run(looks: bool) -> tuple[list[bytes], bytes, bytes]:
        record, out = tmp_path / f"{looks}.girih", tmp_path / f"{looks}.pcapng"
        with VirtualCard(loop_folder, collect=True, record=record) as card:
            card.pcap_out(0, out)
            card.set_faults(0, "out", loss=0.1, reorder=0.2, seed=3)
            draw = random.Random(SEED)
            for _ in range(300):
                card.inject(0, draw.randbytes(draw.randint(60, 1500)))
            for _ in range(40):
                card.run(draw.randint(1, 60))
                if looks:
                    before = (card.cycle, card.port_stats(0))
                    found = snapshot(card)
                    assert found["rested"] and not found["missing"]
                    assert found["tiles"]["loop"]["in_messages"] == found["tiles"]["loop"]["out_messages"]
                    assert 0 <= found["tiles"]["loop"]["in_messages"] - found["ports"][0]["rx_frames"] <= 1
                    assert found["cycle"] == card.cycle and before == (card.cycle, card.port_stats(0))
            card.run_until_quiet()
            frames = [frame.data for frame in card.collect(0)]
        return frames, record.read_bytes(), out.read_bytes()

    assert run(True) == run(False)


class SlowBus(Bus):
    """Every access takes a second, by a clock of its own, as on a card of many tiles whose simulation is slow."""

    def __init__(self, bus):
        self._bus = bus
        self.seconds = 0.0

    def read32(self, address):
        self.seconds += 1
        return self._bus.read32(address)

    def write32(self, address, value):
        self.seconds += 1
        self._bus.write32(address, value)


@pytest.fixture
def slow(loop_folder, monkeypatch):
    """A slow card, and the seconds that its counters take."""
    with VirtualCard(loop_folder) as card:
        bus = SlowBus(card.registers.bus)
        monkeypatch.setattr(card.registers, "bus", bus)
        monkeypatch.setattr(registers_module.time, "monotonic", lambda: bus.seconds)
        card.registers.counters()
        yield card, bus.seconds


def test_how_long_the_counters_take_is_known_before(slow):
    card, seconds = slow
    assert 0.5 * seconds <= card.registers.seconds_to_count() <= seconds


@pytest.mark.parametrize(("limit", "told"), [(2, 0), (0.4, 1)])
def test_people_are_told_when_the_counters_take_long(slow, monkeypatch, limit, told):
    card, seconds = slow
    sentences: list[str] = []
    monkeypatch.setattr(session_module, "LONG_SECONDS", limit * seconds)
    Session(card, control=False, say=sentences.append).finish()
    assert len(sentences) == told
    assert all("Ctrl-C ends the run without them" in sentence for sentence in sentences)


def test_a_snapshot_that_would_hold_up_the_card_for_long_is_refused_at_once(slow, monkeypatch):
    card, seconds = slow
    monkeypatch.setattr(copy_module, "COUNT_SECONDS", 2 * seconds)
    assert snapshot(card)["tiles"]
    monkeypatch.setattr(copy_module, "COUNT_SECONDS", 0.4 * seconds)
    with pytest.raises(GirihError, match=r"to read its counters\. .*End the run with Ctrl-C"):
        snapshot(card)

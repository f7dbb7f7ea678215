# SPDX-License-Identifier: Apache-2.0
"""The virtual card's API on the loop card: frames, registers, checks, conservation."""

import random
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from girih.build import coverage
from girih.build.coverage import Report
from girih.build.model import QUICK_BUILD, build_model
from girih.card import Session, VirtualCard, virtual
from girih.card import session as session_module
from girih.card.client import ControlClient
from girih.card.library import CardFault
from girih.card.registers import violations
from girih.card.session import SHORT_SLICE_SECONDS, SLICE_SECONDS
from girih.card.stall import TILE, CardStalled
from girih.errors import GirihError


def swapped(frame: bytes) -> bytes:
    return frame[6:12] + frame[:6] + frame[12:]


def test_frames_of_every_length_come_back_on_their_port(card):
    random.seed(1)
    sent = {port: [bytes(12) + random.randbytes(n) for n in (1, 2, 51, 52, 53, 500, 1500, 9006)] for port in (0, 1)}
    for port, frames in sent.items():
        for frame in frames:
            card.inject(port, frame)
    card.run_until_quiet(100)
    for port, frames in sent.items():
        assert [frame.data for frame in card.collect(port)] == [swapped(frame) for frame in frames]


def test_cycle_stamps_are_those_of_the_beats(card):
    start = card.cycle
    card.inject(0, bytes(200), cycle=start + 100, bad=True)
    card.run(200)
    (frame,) = card.collect(0)
    assert (frame.first_cycle, frame.last_cycle, frame.bad) == (start + 101, start + 104, True)


def test_backpressure_keeps_the_bytes(card):
    card.set_ready(0, 0.3, seed=7)
    frames = [bytes(range(12)) + bytes([i]) * 300 for i in range(50)]
    for frame in frames:
        card.inject(0, frame)
    card.run_until_quiet(100)
    assert [frame.data for frame in card.collect(0)] == [swapped(frame) for frame in frames]
    assert card.port_stats(0).rx_stalls > 0


def test_a_stall_is_noticed_and_gone_when_things_move_again(loop_folder):
    with VirtualCard(loop_folder, collect=True, watchdog=500) as card:
        card.set_ready(0, 0)
        for _ in range(30):
            card.inject(0, bytes(1000))
        with pytest.raises(CardStalled) as raised:
            card.run_until_quiet()
        stall = raised.value.stall
        assert stall.cycles == 500 and stall.kind == TILE
        assert stall.chain == ("fabric > loop", "tile loop", "loop > fabric")
        again = card.cycle
        with pytest.raises(CardStalled):
            card.run_until_quiet()
        assert card.cycle - again == 500
        card.set_ready(0, 1)
        card.run_until_quiet(100)
        assert card.stall() is None and len(card.collect(0)) == 30


def test_registers_by_name(card):
    card.registers.write("loop.scratch", 0xDEADBEEF)
    assert card.registers.read("loop.scratch") == 0xDEADBEEF
    card.inject(0, bytes(64))
    card.run_until_quiet(100)
    assert card.registers.counters() == {"loop": {"in_messages": 1, "out_messages": 1}}


@pytest.mark.parametrize(
    ("name", "word"), [("loop.nothing", "loop.scratch"), ("nobody.scratch", "loop"), ("loop", "loop.scratch")]
)
def test_an_unknown_register_is_answered_with_those_that_exist(card, name, word):
    with pytest.raises(GirihError, match=word):
        card.registers.read(name)


def test_an_access_beside_every_tile_is_a_bus_error(card):
    with pytest.raises(CardFault, match="0x00990000"):
        card.read32(0x0099_0000)


def test_a_failed_assertion_is_an_error_and_not_the_end_of_the_process(card):
    with pytest.raises(CardFault, match="told to fail") as error:
        card.registers.write("loop.break", 2)
        card.run(10)
    assert "card.sv" in str(error.value)
    with pytest.raises(CardFault, match="told to fail"):
        card.run(1)


def test_conservation_finds_a_leak(card):
    card.inject(0, bytes(64))
    card.check_conservation()
    card.registers.write("loop.break", 1)
    card.inject(0, bytes(64))
    with pytest.raises(GirihError) as error:
        card.check_conservation()
    assert "2 messages came in" in str(error.value) or "2 messages" in str(error.value.errors[0])


def test_the_law_counts_every_prefix():
    good = {"in_a": 5, "made_b": 2, "out_c": 3, "drop_d": 1, "used_e": 3, "mark_f": 99}
    assert violations({"t": good}) == []
    assert len(violations({"t": good | {"drop_d": 0}})) == 1


def test_what_the_tiles_send_is_what_they_receive():
    def tile(sent: int, received: int, flits_sent: int, flits_received: int, port: str = "") -> dict[str, int]:
        messages = {"out_messages": sent, "in_messages": received, "made_a": sent, "used_b": received}
        flits = {"mark_out_flits": flits_sent, "mark_in_flits": flits_received}
        return {name if name.startswith(("made", "used")) else name + port: n for name, n in (messages | flits).items()}

    good = {"a": tile(5, 1, 50, 3), "b": tile(3, 2, 4, 30), "c": tile(0, 5, 0, 21, port="_1")}
    assert violations(good) == []
    lost = good | {"c": tile(0, 4, 0, 21, port="_1")}
    assert violations(lost) == ["fabric: the tiles sent 8 messages into it and received 7 from it"]
    cut = good | {"c": tile(0, 5, 0, 20, port="_1")}
    assert violations(cut) == ["fabric: the tiles sent 54 flits into it and received 53 from it"]


def test_reset_forgets_what_is_inside(card):
    card.registers.write("loop.scratch", 5)
    card.reset()
    assert card.registers.read("loop.scratch") == 0


def test_two_cards_in_one_process_are_apart(loop_folder, card):
    with VirtualCard(loop_folder, collect=True) as other:
        other.inject(0, bytes(64))
        other.run(100)
        card.run(100)
        assert len(other.collect(0)) == 1 and card.collect(0) == []


def test_wrong_ports_and_values_are_refused(card):
    for action in (lambda: card.inject(2, bytes(64)), lambda: card.set_ready(0, -1), lambda: card.inject(0, b"")):
        with pytest.raises(CardFault):
            action()


@pytest.mark.thorough  # the card is built once more
def test_the_coverage_of_each_card_is_written_when_it_ends(loop_folder, tmp_path, monkeypatch):
    """Also if one process has cards of several designs: each design is a library with variables of its own."""
    monkeypatch.setenv(coverage.VARIABLE, str(tmp_path))
    library = build_model(loop_folder)
    for name in ("one", "two"):
        copied = Path(shutil.copy(library, tmp_path / f"{name}.so"))
        monkeypatch.setattr(virtual, "build_model", lambda *_, copied=copied, **__: copied)
        with VirtualCard(loop_folder) as card:
            card.inject(0, bytes(64))
            card.run(100)
    assert len(list(tmp_path.glob("*.dat"))) == 2 and any(Report.of(tmp_path).lines.values())


@pytest.mark.thorough
def test_under_sanitizers(loop_folder):
    """The whole runtime once under AddressSanitizer and UBSan, in a process of its own."""
    import subprocess
    import sys
    from pathlib import Path

    # libstdc++ too, or AddressSanitizer would not find what throws exceptions.
    names = ("libasan.so", "libstdc++.so")
    paths = [subprocess.check_output(["g++", f"-print-file-name={name}"], text=True).strip() for name in names]
    done = subprocess.run(
        [sys.executable, str(Path(__file__).parent / "exercise.py"), str(loop_folder)],
        env={"LD_PRELOAD": " ".join(paths), "ASAN_OPTIONS": "detect_leaks=0", QUICK_BUILD: "1", "PATH": "/usr/sbin:/usr/bin:/bin"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and "exercised" in done.stdout, done.stdout + done.stderr


def test_a_card_runs_in_short_slices_while_a_client_asks(loop_folder, monkeypatch):
    """A client waits for its answer before it asks again, so a slice is what each of its requests takes on a busy card."""
    with VirtualCard(loop_folder) as card, Session(card) as session, ThreadPoolExecutor() as pool:
        slices, run_slice = [], card.run_slice

        def run(cycles: int, seconds: float) -> None:
            slices.append(seconds)
            run_slice(min(cycles, 100), seconds)

        def ask() -> dict:
            with ControlClient(session.server.path) as client:
                return client.call("list")

        monkeypatch.setattr(card, "run_slice", run)
        session.serve(cycles=1000)
        assert set(slices) == {SLICE_SECONDS}
        answer = pool.submit(ask)
        session.serve(cycles=10**9, until=answer.done)
        assert answer.result()["links"] and slices[-1] == SHORT_SLICE_SECONDS
        slices.clear()
        monkeypatch.setattr(session_module, "ASKED_SECONDS", 0)
        session.serve(cycles=1000)
        assert set(slices) == {SLICE_SECONDS}

# SPDX-License-Identifier: Apache-2.0
"""The card of `designs/logged.yaml`: the real command reads its logs over a wire that loses, duplicates and corrupts frames, and they are replayed in
simulation. The content of the logs is compared with what probes saw at the links of the running card."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from girih.card import VirtualCard
from girih.card.namespace import Namespace
from girih.card.session import Session
from girih.cli.main import main
from girih.errors import GirihError
from girih.management import log_file
from girih.management.log import card_logs
from girih.management.log_replay import captured, end_of_reset, messages_of, replay_log
from girih.paths import ROOT
from girih.testing import SEED

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="a TAP device in a network namespace needs root"),
    pytest.mark.skipif(not Path("/dev/net/tun").exists(), reason="the kernel offers no TAP devices (/dev/net/tun)"),
]

TAP, CARD = "girih0", "10.77.0.2"
SECONDS = 200
PYTHON = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
BAD = {"loss": 0.1, "duplicate": 0.05, "corrupt": 0.05, "reorder": 0.05, "reorder_cycles": 3000}


def run(session: Session, namespace: Namespace, *commands: list[str]) -> list[tuple[int, str]]:
    """Runs programs of another machine at the same time while the card runs. Returns the exit code and the output of each."""
    running = [namespace.popen(command, env=PYTHON, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) for command in commands]
    try:
        session.serve(seconds=SECONDS, until=lambda: all(process.poll() is not None for process in running))
        assert all(process.poll() is not None for process in running), f"{commands} did not end"
        return [(process.returncode, process.communicate()[0]) for process in running]
    finally:
        for process in running:
            if process.poll() is None:
                process.kill()
                process.wait()


def girih(*words: str) -> list[str]:
    return [sys.executable, "-m", "girih.cli", *words]


@pytest.fixture(scope="module")
def logged(built, tmp_path_factory):
    """The folder of the design, the folder with the log file that the command wrote after traffic over a bad wire and with the probes' capture, the
    frames lost each way, and the counters."""
    folder = tmp_path_factory.mktemp("log")
    design = built("logged")
    with Namespace("logged") as namespace, VirtualCard(design) as card, Session(card, control=False) as session:
        session.watch(0, card.open_tap(0, TAP, namespace.path))
        card.start_capture(folder / "links.pcapng", ["rx_log.in", "tx_log.in"])
        namespace.bring_up(TAP, "10.77.0.1/24")
        echo = [sys.executable, "-m", "girih.card.udp_client", CARD, "7", "12", "4", "200", "1400"]
        ((code, text), _) = run(session, namespace, echo, ["ping", "-c", "3", "-i", "0.2", CARD])
        assert code == 0 and json.loads(text)["received"] == 36
        for number, direction in enumerate(("in", "out")):
            card.set_faults(0, direction, **BAD, seed=SEED + number)
        ((code, text),) = run(session, namespace, girih("log", "--card", CARD, "--design", "logged", "-o", str(folder / "card.log")))
        lost = [card.fault_counts(0, direction)["lost"] for direction in ("in", "out")]
        for direction in ("in", "out"):
            card.set_faults(0, direction)
        assert code == 0, text
        session.finish().judge()
        card.stop_capture()
        counters = card.registers.counters()
    return design, folder, lost, counters


def test_every_record_comes_over_a_bad_wire(logged):
    """Although requests and answers are lost, no record is missing, and all equal what the probes at the links saw, to the cycle and the byte."""
    design, folder, lost, counters = logged
    assert min(lost) > 0, "the wire lost nothing"
    content = log_file.read(folder / "card.log")
    logs = {log.name: log for log in card_logs(design)}
    seen = captured(folder / "links.pcapng", end_of_reset(design), list(logs))
    for name, text in content.logs.items():
        assert text.gone == 0 and [record.number for record in text.records] == list(range(text.end))
        recorded = messages_of(name, text)
        assert len(recorded) > 38
        assert recorded == [message for message in seen[name] if message.source != logs[name].asked_by][: len(recorded)]
        assert counters[name]["drop_reader"] == 0 and counters[name]["mark_answered"] > 0
        assert counters[name]["mark_recorded"] >= text.end


def test_the_log_is_replayed_in_the_same_cycles(logged, capsys):
    design, folder, _, _ = logged
    result = replay_log(log_file.read(folder / "card.log"), design)
    assert result.difference is None
    assert result.inputs > 38 and result.messages > 76
    with pytest.raises(SystemExit) as ended:
        main(["replay", str(folder / "card.log")])
    assert ended.value.code == 0 and "Identical: " in capsys.readouterr().out


def test_a_log_that_was_changed_is_told_apart(logged, tmp_path):
    """A changed cycle, a changed byte, a message that never came."""
    design, folder, _, _ = logged
    lines = (folder / "card.log").read_text().splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines[200:], start=200) if '"log": "tx_log"' in line)
    record = json.loads(lines[at])
    for changed in ({"cycle": record["cycle"] + 1}, {"data": "00" + record["data"][2:]}, {"void": True, "last": True}):
        text = "".join([*lines[:at], json.dumps(record | changed) + "\n", *lines[at + 1 :]])
        (tmp_path / "changed").write_text(text)
        assert replay_log(log_file.read(tmp_path / "changed"), design).difference, changed


def test_what_cannot_be_replayed_is_said(logged, tmp_path, built):
    design, folder, _, _ = logged
    lines = (folder / "card.log").read_text().splitlines(keepends=True)

    def without(dropped: Callable[[str], bool]) -> str:
        """The file as the command would have written it without these records."""
        kept, label = [line for line in lines[1:] if not dropped(line)], json.loads(lines[0])
        for name, said in label["logs"].items():
            said["records"] = sum(json.loads(line)["log"] == name for line in kept)
        return "".join([json.dumps(label) + "\n", *kept])

    def refused(text: str, where: Path = design) -> str:
        (tmp_path / "log").write_text(text)
        with pytest.raises(GirihError) as caught:
            replay_log(log_file.read(tmp_path / "log"), where)
        return str(caught.value)

    assert "has gaps" in refused(without(lambda line: line == lines[1]))
    assert "has no log rx_log" in refused("".join(lines), built("udp_echo"))
    assert "the log cannot be read" in refused("{}\n")
    assert "the log cannot be read" in refused(lines[0] + '{"log": "rx_log", "data": "zz"}\n')
    assert "came straight from a port" in refused(without(lambda line: '"rx_log"' in line))


def test_who_may_not_read_gets_nothing(built):
    """A log that no address may read answers nobody and counts the requests."""
    with Namespace("unread") as namespace, VirtualCard(built("logged")) as card, Session(card, control=False) as session:
        for name in ("rx_log", "tx_log"):
            card.registers.write(f"{name}.reader", 0)
            card.registers.write(f"{name}.reader_mask", 0xFFFFFFFF)
        session.watch(0, card.open_tap(0, TAP, namespace.path))
        namespace.bring_up(TAP, "10.77.0.1/24")
        text = "from girih.management.log import *; import sys; LogReader('10.77.0.2', card_logs(sys.argv[1])[0], patience=2).read()"
        ((code, output),) = run(session, namespace, [sys.executable, "-c", text, str(built("logged"))])
        assert code == 1 and "the log rx_log does not answer" in output
        assert card.registers.counters("rx_log")["rx_log"]["drop_reader"] > 2
        assert card.registers.counters("rx_log")["rx_log"]["mark_answered"] == 0

# SPDX-License-Identifier: Apache-2.0
"""How a run on TAP devices ends: by one or two Ctrl-C, or because a cable is gone. And the report of its losses."""

import os
import re
import resource
import signal
import subprocess
import sys
import time
from contextlib import ExitStack

import pytest

from girih.build import coverage
from girih.card import Manifest, VirtualCard
from girih.card.cable import attach, host_addresses
from girih.card.client import ControlClient
from girih.card.pcapng import packets
from girih.card.session import Session
from girih.cli import demo
from girih.compiler.compile import compile_design
from girih.errors import GirihError
from girih.firmware.compile import FIRMWARE, compile_program
from girih.firmware.load import load
from girih.paths import DESIGNS
from tests.commands import (
    ADDRESS,
    BUILD_SECONDS,
    command,
    girih,
    namespaces,
    needs_tap,
    options,
    ping,
    processor_seconds,
    running,
    wait_for,
)
from tests.frames import ethernet, ipv4, udp
from tests.oracle import IPV4, UDP
from tests.test_bad_input import CARD, HOSTS, introductions

DEMO = "designs/demo.yaml"
REST_SECONDS = 3
STRANGER = "10.77.0.99"  # no host has this address, so that a reply to it waits for ARP

# Datagrams to the card from an address that answers no ARP request.
FORGE = f"""
import socket
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
link = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
link.bind(("girih0", 0))
frame = Ether(src="02:00:00:00:00:99", dst="02:67:69:72:69:68") / IP(src="{STRANGER}", dst="{ADDRESS}") / UDP(sport=9, dport=7) / b"text"
for _ in range(3):
    link.send(bytes(frame))
"""

# Works for 4,200 cycles, and then for a little longer each time.
SLOW = """
static uint16_t slow(void)
{
    static uint32_t cycles = 4000;
    uint32_t start = girih_cycles();
    cycles += 200;
    while (girih_cycles() - start < cycles)
        ;
    return 0;
}

"""


def inside(pid: int, *words: str) -> list[str]:
    return ["ip", "netns", "exec", f"girih-{pid}", *words]


def forge(pid: int, card) -> None:
    """Leaves messages in the card that wait for a neighbour's address longer than any test runs."""
    card.registers.write("arp.retry_cycles", 0xFFFFFFFF)
    subprocess.run(inside(pid, sys.executable, "-c", FORGE), check=True, timeout=60)
    wait_for(lambda: card.registers.counters("arp")["arp"]["made_request"], bool)


def ended(process: subprocess.Popen, *signals: int, pause: float = 0, seconds: float = REST_SECONDS) -> tuple[str, str]:
    """Sends these signals to a run, with a pause between them, and returns its output. The run must end within `seconds` of processor time (other
    tests may run beside it) and leave nothing behind."""
    if coverage.folder():
        seconds *= coverage.SLOWER
    before = processor_seconds(process)
    for number in signals:
        process.send_signal(number)
        time.sleep(pause)
    others = resource.getrusage(resource.RUSAGE_CHILDREN)
    output, errors = process.communicate(timeout=60)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert used.ru_utime + used.ru_stime - others.ru_utime - others.ru_stime - before < seconds
    assert not namespaces(process.pid) and "Traceback" not in output + errors
    return output, errors


@needs_tap
def test_ctrl_c_under_traffic_ends_the_card_at_rest_and_in_time():
    with running(DEMO, "--tap") as (process, card):
        floods = [subprocess.Popen(inside(process.pid, "ping", "-f", "-s", size, ADDRESS), stdout=subprocess.DEVNULL) for size in ("10", "8000")]
        wait_for(lambda: card.registers.counters("icmp")["icmp"]["in_messages"], lambda answered: answered > 500)
        output, errors = ended(process, signal.SIGINT)
        for flood in floods:
            flood.kill()
            flood.wait()
        assert process.returncode == 0, errors
        assert "Every message is accounted for in every tile." in output


def test_a_program_that_is_at_work_at_the_end_is_no_fault(built, tmp_path):
    """It takes longer for a message than a card is silent when it rests, so messages leave it while the counters are read."""
    source = tmp_path / "slow.c"
    source.write_text((FIRMWARE / "programs" / "udp_echo.c").read_text().replace("source = girih", "source = slow() | girih").replace("int main", SLOW + "int main"))
    with VirtualCard(built("core")) as card, Session(card, control=False) as session:
        load(card.registers, "echo", compile_program(source, memory_bytes=card.manifest.tile("echo").memory_bytes).image)
        for _kind, frame, bad in introductions(HOSTS[:1]):
            card.inject(0, frame, bad=bad)
        card.run(2000)
        for number in range(10):
            packet = ipv4(HOSTS[0].ip, CARD.ip, UDP, udp(HOSTS[0].ip, CARD.ip, bytes(number), destination=7))
            card.inject(0, ethernet(CARD.mac, HOSTS[0].mac, IPV4, packet))
        card.run(500)
        said = set()
        while "Every message is accounted for in every tile." not in said:
            found = session.finish(0)
            found.judge()
            said.add(found.text)
            assert card.cycle < 1_000_000, said
        assert card.registers.counters("echo")["echo"]["out_messages"] == 10 and len(said) > 1


@needs_tap
def test_a_message_that_waits_for_arp_at_the_end_is_no_fault():
    with running(DEMO, "--tap") as (process, card):
        forge(process.pid, card)
        output, errors = ended(process, signal.SIGINT)
        assert process.returncode == 0, errors
        assert re.search(r"accounted for: arp holds [1-3], waiting for the address of a neighbour", output)


@needs_tap
@pytest.mark.parametrize("pause", [0.05, 0.3, 1])
def test_a_second_ctrl_c_ends_at_once(pause):
    """The card is not at rest; after one Ctrl-C it would be given time to come to rest."""
    with running(DEMO, "--tap") as (process, card):
        forge(process.pid, card)
        ended(process, signal.SIGINT, signal.SIGTERM, pause=pause, seconds=1 + pause)
        assert process.returncode == 130


@needs_tap
def test_a_card_whose_terminal_is_closed_leaves_nothing_behind(tmp_path):
    """Its output then has no place to go, but its recording is whole."""
    outer, inner = os.openpty()
    record = tmp_path / "run.girih"
    words = ["env", "--default-signal=HUP", "setsid", "--ctty", *command("run", DEMO, "--tap", "--record", record)]  # under nohup, it is ignored
    process = subprocess.Popen(words, **options() | {"stdin": inner, "stdout": inner, "stderr": inner})
    os.close(inner)
    try:
        path = wait_for(lambda: [path for path in ControlClient.sockets() if path.stem.endswith(f"-{process.pid}")], bool, BUILD_SECONDS)[0]
        assert ", 0% packet loss" in ping(process.pid, "-c", "1").stdout
        os.close(outer)
        assert process.wait(60) == 129
    finally:
        process.kill()
        process.wait()
    assert not namespaces(process.pid) and not path.exists()
    done = girih("replay", record)
    assert done.returncode == 0, done.stdout + done.stderr


@needs_tap
def test_a_second_hangup_does_not_keep_a_card_from_its_last_check():
    """The kernel and the shell may both send one when a terminal is closed; the card is not at rest, so that it has to be waited for."""
    with running(DEMO, "--tap", under=["env", "--default-signal=HUP"]) as (process, card):
        forge(process.pid, card)
        output, errors = ended(process, signal.SIGHUP, signal.SIGHUP, signal.SIGHUP, pause=0.3)
        assert process.returncode == 0, errors
        assert re.search(r"accounted for: arp holds [1-3], waiting for the address of a neighbour", output)


# A fault at the end, of which the error output tells, which goes elsewhere.
FAULTY = f"""
import runpy, sys
from girih.card.account import Account
from girih.errors import GirihError
def judge(self):
    raise GirihError("a message is missing", self.name)
Account.judge = judge
sys.argv = ["girih", "run", "{DEMO}", "--tap"]
runpy.run_module("girih.cli", run_name="__main__")
"""


@needs_tap
def test_a_card_whose_terminal_is_closed_is_checked(tmp_path):
    outer, inner = os.openpty()
    with open(tmp_path / "errors", "w+") as errors:
        words = ["env", "--default-signal=HUP", "setsid", "--ctty", sys.executable, "-c", FAULTY]
        process = subprocess.Popen(words, **options() | {"stdin": inner, "stdout": inner, "stderr": errors})
        os.close(inner)
        try:
            wait_for(lambda: [path for path in ControlClient.sockets() if path.stem.endswith(f"-{process.pid}")], bool, BUILD_SECONDS)
            assert ", 0% packet loss" in ping(process.pid, "-c", "1").stdout  # it serves
            os.close(outer)
            code = process.wait(60)
        finally:
            process.kill()
            process.wait()
    assert (code, (tmp_path / "errors").read_text()) == (2, "demo: a message is missing.\n") and not namespaces(process.pid)


@needs_tap
def test_a_card_that_is_to_outlive_its_terminal_does():
    """As under nohup, which has the signal ignored from the start on."""
    with running(DEMO, "--tap", under=["env", "--ignore-signal=HUP"]) as (process, card):
        process.send_signal(signal.SIGHUP)
        assert ", 0% packet loss" in ping(process.pid, "-c", "1").stdout and card.call("info")
        ended(process, signal.SIGTERM)
        assert process.returncode == 0


@needs_tap
def test_a_cable_that_is_deleted_is_noticed():
    with running(DEMO, "--tap") as (process, _card):
        assert ", 0% packet loss" in ping(process.pid).stdout
        subprocess.run(["ip", "-n", f"girih-{process.pid}", "link", "delete", "girih0"], check=True)
        output, errors = ended(process)
        assert process.returncode == 2 and "the TAP device of port 0 has been deleted" in errors
        assert "Every message is accounted for in every tile." in output


@needs_tap
def test_a_demo_whose_cable_is_deleted_says_so(built):
    """While its programs run, and while it stays up."""
    with ExitStack() as stack:
        card = stack.enter_context(VirtualCard(built("demo")))
        (cable,) = attach(stack, card, dict(enumerate(host_addresses(card.manifest, []))))
        session = stack.enter_context(Session(card, control=False))
        session.watch(cable.port, cable.descriptor)
        with pytest.raises(GirihError, match="the TAP device of port 0 has been deleted"):
            demo.Programs(session, cable.namespace).run([["sh", "-c", f"ip link delete {cable.device} && exec sleep 60"]])
        with pytest.raises(GirihError, match="the TAP device of port 0 has been deleted"):
            demo.stay_up(session, cable.namespace, ADDRESS, 7)


def test_the_capture_of_a_demo_is_whole_whatever_another_demo_captures(built, tmp_path, monkeypatch):
    """It is that of the last demo that has come to its end; one that is interrupted leaves no file behind."""
    path = tmp_path / "demo.pcapng"
    monkeypatch.setattr(demo, "CAPTURE", path)
    with ExitStack() as stack:
        one, other, third = (stack.enter_context(VirtualCard(built("demo"))) for _ in range(3))
        first, second, _interrupted = (stack.enter_context(demo.Capture(card, ["port0.rx"])) for card in (one, other, third))
        for card, frames in ((one, 3), (other, 5), (one, 4)):
            for _ in range(frames):
                card.inject(0, bytes(100))
            card.run_until_quiet()
        for capture, frames in ((first, 7), (second, 5)):
            assert (capture.keep(), len(list(packets(path)))) == (frames, frames)
    assert [found.name for found in tmp_path.iterdir()] == [path.name]


@needs_tap
def test_what_is_lost_at_the_port_is_in_the_tables():
    """A fault delays a reply until the device is down, and another one loses a request on its way in."""
    with running(DEMO, "--tap", "--fault", "0:out:delay=1,delay_cycles=1000000000,seed=1") as (process, card):
        subprocess.run(inside(process.pid, "ping", "-c", "1", "-W", "1", ADDRESS), capture_output=True, timeout=60)
        wait_for(lambda: card.call("info")["faults"][0]["out"]["delayed"], bool)
        subprocess.run(inside(process.pid, "ip", "link", "set", "girih0", "down"), check=True)
        shown = re.search(r"│\s+0 │.*│ out: delayed (\d+) ", girih("stats", "--socket", card.path).stdout)
        output, _ = ended(process, signal.SIGINT)
        lost = re.search(r"│\s+0 │.*│\s+(\d+) │ out: delayed (\d+) ", output)  # the card may still have met requests that were on their way
        assert shown and lost and 0 < int(shown[1]) <= int(lost[2]) == int(lost[1])


@needs_tap
def test_every_port_has_a_cable_and_what_crosses_has_passed_the_card():
    with running("designs/panic.yaml", "--tap", "--host", "10.77.0.1/24", "--host", f"{ADDRESS}/24") as (process, card):
        assert namespaces(process.pid) == [f"girih-{process.pid}", f"girih-{process.pid}-port1"]
        assert ", 0% packet loss" in ping(process.pid).stdout
        assert card.registers.counters("wire")["wire"]["in_frames"] >= 5
        ended(process, signal.SIGTERM)


@pytest.fixture(scope="module")
def manifests() -> dict[str, Manifest]:
    return {name: Manifest.load(compile_design(DESIGNS / f"{name}.yaml")) for name in ("demo", "panic", "nat")}


@pytest.mark.parametrize(
    ("design", "given", "found"),
    [
        ("demo", [], ["10.77.0.1/24"]),
        ("demo", ["10.77.0.7"], ["10.77.0.7/24"]),
        ("demo", ["10.77.0.7/16"], ["10.77.0.7/16"]),
        ("panic", ["10.1.0.5/16"], ["10.1.0.5/16", "10.1.0.1/16"]),
        ("panic", ["10.1.0.1/30", "10.9.0.1/30"], ["10.1.0.1/30", "10.9.0.1/30"]),
        ("nat", [], ["10.0.0.2/24", "203.0.113.2/24"]),
        ("nat", ["10.0.0.3"], ["10.0.0.3/24", "203.0.113.2/24"]),
    ],
)
def test_hosts_have_the_addresses_given_and_free_ones(manifests, design, given, found):
    assert [str(host) for host in host_addresses(manifests[design], given)] == found


@pytest.mark.parametrize(
    ("design", "given", "complaint"),
    [
        ("demo", ["10.77.0.2/24"], "is the card's own address"),
        ("demo", ["10.77.0.2"], "is the card's own address"),
        ("demo", ["10.77.0.0/24"], "is not a host's address"),
        ("demo", ["10.77.0.255/24"], "is not a host's address"),
        ("demo", ["10.78.0.1/24"], "is outside the card's network"),
        ("demo", ["224.0.0.1/24"], "cannot be a host's address"),
        ("demo", ["127.0.0.1/24"], "cannot be a host's address"),
        ("demo", ["0.0.0.0/0"], "cannot be a host's address"),
        ("demo", ["10.77.0.1/33"], "is not the address of a host"),
        ("demo", [""], "is not the address of a host"),
        ("demo", ["::1/64"], "is not the address of a host"),
        ("demo", ["10.77.0.1/24", "10.77.0.3/24"], "2 hosts are given"),
        ("panic", [], "gives the card no address"),
        ("nat", ["10.0.0.2/24", "203.0.113.1/24"], "is the card's own address"),
        ("nat", ["203.0.113.2/24"], "is outside the card's network"),
        ("panic", ["10.1.0.1"], "has no network"),
        ("panic", ["10.1.0.1/24", "10.1.0.1/24"], "two ports have the same host"),
        ("panic", ["10.1.0.1/32"], "has no network"),
    ],
)
def test_a_host_that_cannot_be_is_refused(manifests, design, given, complaint):
    with pytest.raises(GirihError, match=complaint):
        host_addresses(manifests[design], given)

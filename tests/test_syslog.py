# SPDX-License-Identifier: Apache-2.0
"""The card of `designs/dhcp.yaml` gets its address from busybox's DHCP server, and reports this and its drops to a syslog collector, a plain Python
program. tshark dissects the same messages."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from girih.card import VirtualCard
from girih.card.namespace import Namespace
from girih.card.session import Session
from girih.spec.kinds import load_kind
from tests.tcp_wire import TAP
from tests.test_dhcp import CARD, CONFIGURATION, SECOND, SERVER, running, until

pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="a TAP device in a network namespace needs root"),
    pytest.mark.skipif(not Path("/dev/net/tun").exists(), reason="the kernel offers no TAP devices (/dev/net/tun)"),
]

# Writes each message on a line of its own, as JSON: the sender, and the text.
COLLECTOR = """
import json, socket, sys
server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
server.bind((sys.argv[1], 514))
while True:
    data, sender = server.recvfrom(65535)
    with open(sys.argv[2], "a") as file:
        print(json.dumps([sender, data.decode("ascii")]), file=file)
"""
# Five datagrams to a port at which nothing listens.
STRANGER = f"""
import socket
for _ in range(5):
    socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"nobody", ("{CARD}", 9))
"""


def test_a_collector_is_told_of_a_lease_and_of_drops(built, tmp_path):
    (tmp_path / "server.conf").write_text(CONFIGURATION)
    (tmp_path / "leases").touch()
    heard, capture = tmp_path / "heard", tmp_path / "wire.pcapng"
    heard.touch()
    server = ["busybox", "udhcpd", "-f", "-I", SERVER, "server.conf"]

    def messages() -> list[str]:
        lines = [json.loads(line) for line in heard.read_text().splitlines(keepends=True) if line.endswith("\n")]
        assert all(sender == [CARD, 514] for sender, _ in lines)
        return [text for _, text in lines]

    with Namespace("syslog") as namespace, VirtualCard(built("dhcp")) as card, Session(card, control=False) as session:
        card.registers.write("dhcp.second_cycles", SECOND)
        session.watch(0, card.open_tap(0, TAP, namespace.path))
        namespace.bring_up(TAP, f"{SERVER}/24")
        card.start_capture(capture, ["port0.tx"])
        with running(namespace, [sys.executable, "-c", COLLECTOR, SERVER, str(heard)]), running(namespace, server, cwd=tmp_path):
            until(session, lambda: any(" interrupt " in text for text in messages()), "a message about the lease")
            assert card.registers.read("syslog.ip") != 0, "nothing is sent without an address"
            namespace.popen([sys.executable, "-c", STRANGER]).wait()
            until(session, lambda: any(" counter " in text for text in messages()), "a message about the datagrams that nobody took")
            session.serve(cycles=30_000)
        card.stop_capture()
        found = messages()
        counters = card.registers.counters("syslog")["syslog"]
        session.finish().judge()

    node = {tile.name: tile.node for tile in card.manifest.tiles}
    bound = 1 << list(load_kind("dhcp").interrupts).index("bound")
    drops = next(counter.offset for counter in load_kind("udp_rx").counters if counter.name == "drop_no_next_hop")
    assert found[0].startswith(f'<132>1 - {CARD} girih - interrupt [girih@32473 node="{node["dhcp"]:02x}" register="0c00" pending="{bound:08x}" cycle="')
    grown = [text for text in found if f'counter [girih@32473 node="{node["udp_rx"]:02x}" register="{drops:04x}" increase="' in text]
    assert sum(int(text.split('increase="')[1][:8], 16) for text in grown) == 5
    assert [int(text.split('number="')[1][:8], 16) for text in found] == list(range(len(found)))
    assert counters["made_message"] == len(found) == counters["out_messages"] and counters["mark_unreachable"] == counters["mark_control_refused"] == 0

    fields = ["-e", "syslog.facility", "-e", "syslog.level", "-e", "syslog.version", "-e", "syslog.hostname", "-e", "syslog.appname", "-e", "syslog.msgid", "-e", "_ws.malformed"]
    told = subprocess.run(["tshark", "-r", str(capture), "-Y", "syslog && udp.dstport == 514", "-T", "fields", *fields], capture_output=True, text=True, check=True).stdout.splitlines()
    # tshark takes the structured data for part of the message.
    assert [line.split("\t") for line in told] == [["16", "4", "1", CARD, "girih", text.split(" ", 5)[5], ""] for text in found]

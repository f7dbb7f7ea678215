# SPDX-License-Identifier: Apache-2.0
"""The text for Prometheus: each line is one of the exposition format, with the numbers of the card; the dashboard asks for nothing else."""

import json
import re
import socket
import struct
import threading
import urllib.error
import urllib.request
from pathlib import Path

import pytest

from girih.errors import GirihError
from girih.management import prometheus
from girih.management.prometheus import METRICS, exposition, serve
from girih.spec.histogram import BINS, bin_of

OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))  # the server is on this machine, behind no proxy
NAME, VALUE = r"[a-zA-Z_:][a-zA-Z0-9_:]*", r"[0-9]+"
LABEL = r'[a-zA-Z_][a-zA-Z0-9_]*="((?:[^"\\\n]|\\[\\"n])*)"'
LINE = re.compile(rf"({NAME})\{{({LABEL}(?:,{LABEL})*)\}} ({VALUE})")
LATENCIES = [3, 30, 30, 31, 200, 1 << 40]
INFO = {"name": 'a "card"\\', "cycle": 99}


def found() -> dict:
    bins = [0] * BINS
    for latency in LATENCIES:
        bins[bin_of(latency)] += 1
    counters = {"in_messages": 7, "out_messages": 4, "made_replies": 1, "used_requests": 2, "drop_no_next_hop": 2, "mark_out_stalls": 11}
    port = {"rx_frames": 7, "rx_bytes": 700, "tx_frames": 4, "tx_bytes": 400}
    return {"cycle": 99, "tiles": {"echo": counters}, "link_stalls": {"[0, 0] > [1, 0]": 5}, "histograms": {"eth_tx": bins}, "drops_by_key": {"echo": {"destination port 53": 2}}, "ports": [port]}


def samples(text: str) -> dict[tuple[str, str], int]:
    """Samples by name and labels; fails for a line that is neither a sample nor a comment of a metric, or for a metric whose type does not precede it."""
    values, typed = {}, set()
    for line in text.splitlines():
        if line.startswith("# "):
            _, what, name, rest = line.split(" ", 3)
            assert what in ("HELP", "TYPE") and rest
            typed |= {name} if what == "TYPE" else set()
            continue
        match = LINE.fullmatch(line)
        assert match, line
        assert match[1] in typed or re.sub("_(bucket|count)$", "", match[1]) in typed, line
        key = match[1], match[2].removeprefix(r'card="a \"card\"\\",').removeprefix(r'card="a \"card\"\\"')
        assert key not in values, line
        values[key] = int(line.rsplit(" ", 1)[1])
    return values


def test_every_number_is_there_once():
    text = exposition(INFO, found(), {"echo": "echo"})
    assert text.endswith("\n")
    values = samples(text)
    assert values["girih_in_total", 'tile="echo",kind="echo",counter="in_messages"'] == 7
    assert values["girih_drops_total", 'tile="echo",kind="echo",reason="no_next_hop"'] == 2
    assert values["girih_drops_by_key_total", 'tile="echo",kind="echo",key="destination port 53"'] == 2
    assert values["girih_events_total", 'tile="echo",kind="echo",event="out_stalls"'] == 11
    assert values["girih_link_stall_cycles_total", 'link="[0, 0] > [1, 0]"'] == 5
    assert values["girih_port_bytes_total", 'port="0",direction="out"'] == 400
    assert values["girih_cycles_total", ""] == 99
    assert {name for name, _ in values} == {name for name, (kind, _) in METRICS.items() if kind == "counter"} | {"girih_latency_cycles_bucket", "girih_latency_cycles_count"}


def test_a_bucket_counts_all_latencies_up_to_its_edge():
    values = samples(exposition(INFO, found(), {"echo": "echo"}))
    edges = {match[1]: value for (name, labels), value in values.items() if name.endswith("_bucket") and (match := re.search(r'(?:^|,)le="([^"]*)"', labels))}
    for edge, count in edges.items():
        assert count == sum(edge == "+Inf" or latency <= int(edge) for latency in LATENCIES), edge
    assert edges["+Inf"] == values["girih_latency_cycles_count", 'tile="eth_tx"'] == len(LATENCIES)


def test_a_card_over_the_network_has_no_ports():
    seen = found()
    del seen["ports"]
    assert not [name for name, _ in samples(exposition(INFO, seen, {"echo": "echo"})) if "port" in name]


def test_the_dashboard_asks_for_metrics_that_there_are():
    dashboard = json.loads((Path(prometheus.__file__).parent / "dashboard.json").read_text())
    known = {name for name, _ in samples(exposition(INFO, found(), {"echo": "echo"}))}
    asked = {name for panel in dashboard["panels"] for target in panel["targets"] for name in re.findall(r"girih_\w+", target["expr"])}
    assert asked <= known and known - asked == {"girih_latency_cycles_count"}
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])


def test_it_is_served():
    answers, address, there = [], [], threading.Event()

    def text() -> str:
        answers.append(1)
        if len(answers) > 1:
            raise GirihError("the card has ended", "card", "Start it again.")
        return "girih_cycles_total 5\n"

    server = threading.Thread(target=serve, args=("0", text, 3, lambda where: (address.append(where), there.set())), daemon=True)
    server.start()
    assert there.wait(10)
    with OPENER.open(address[0], timeout=10) as answer:
        assert answer.read() == b"girih_cycles_total 5\n" and answer.headers["Content-Type"].startswith("text/plain; version=0.0.4")
    for where, code in ((address[0], 503), (address[0] + "/other", 404)):
        with pytest.raises(urllib.error.HTTPError) as refused:
            OPENER.open(where, timeout=10)
        assert refused.value.code == code
    server.join(10)
    assert not server.is_alive()


def test_a_client_that_says_nothing_keeps_nobody_waiting(capfd):
    address, there = [], threading.Event()
    server = threading.Thread(target=serve, args=("0", lambda: "girih_cycles_total 5\n", 3, lambda where: (address.append(where), there.set())), daemon=True)
    server.start()
    assert there.wait(10)
    port = int(address[0].split(":")[2].split("/")[0])
    with socket.create_connection(("127.0.0.1", port)), socket.create_connection(("127.0.0.1", port)) as rude:
        rude.sendall(b"GET /metrics HTTP/1.0\r\n")
        rude.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # it ends with a reset
        rude.close()
        with OPENER.open(address[0], timeout=10) as answer:
            assert answer.read() == b"girih_cycles_total 5\n"
    server.join(10)
    assert not server.is_alive() and "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize("listen", ["", "port", "999999", "nowhere.invalid:80"])
def test_where_nobody_can_listen(listen):
    with pytest.raises(GirihError, match="cannot listen"):
        serve(listen, str)

# SPDX-License-Identifier: Apache-2.0
"""The figures of `./girih stats` as text for Prometheus (exposition format 0.0.4), and a server for it.

The metrics are in METRICS; `dashboard.json` beside this file is a Grafana dashboard of them.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from girih.errors import GirihError
from girih.spec.histogram import bin_start

CONTENT = "text/plain; version=0.0.4; charset=utf-8"
PATH = "/metrics"
LOCAL = "127.0.0.1"
PATIENCE_SECONDS = 10.0  # seconds for a client that sends nothing
# By name: the type, and what it is. The prefix of a counter's name decides in which of girih_in, _out, _made, _used, _drops and _events it is.
METRICS = {
    "girih_in_total": ("counter", "Messages that came into a tile, by its counter."),
    "girih_out_total": ("counter", "Messages that left a tile, by its counter."),
    "girih_made_total": ("counter", "Messages that a tile made itself, by its counter."),
    "girih_used_total": ("counter", "Messages that ended in a tile as they should, by its counter."),
    "girih_drops_total": ("counter", "Messages that a tile dropped, by reason."),
    "girih_drops_by_key_total": ("counter", "Messages without a next hop, by their EtherType, protocol, port or other key, of tiles with drop_log."),
    "girih_events_total": ("counter", "What else a tile counts."),
    "girih_link_stall_cycles_total": ("counter", "Cycles in which a link held a flit that was not taken."),
    "girih_cycles_total": ("counter", "Cycles of the card since its reset."),
    "girih_latency_cycles": ("histogram", "Latency in the card, first beat in to first beat out; the card keeps no sum."),
    "girih_port_frames_total": ("counter", "Frames at the pins of a port."),
    "girih_port_bytes_total": ("counter", "Bytes at the pins of a port."),
}
OF_PREFIX = {"in_": "girih_in_total", "out_": "girih_out_total", "made_": "girih_made_total", "used_": "girih_used_total", "drop_": "girih_drops_total", "mark_": "girih_events_total"}
LABEL_OF_PREFIX = {"drop_": "reason", "mark_": "event"}  # of the others: counter
Sample = tuple[str, dict[str, object], int]  # the name, labels, value


def exposition(info: Mapping, found: Mapping, kinds: Mapping[str, str]) -> str:
    """The text. info, found: of the operations info and snapshot; kinds: of tiles, by name."""
    samples = list(_samples(found, kinds))
    lines = []
    for metric, (kind, doc) in METRICS.items():
        own = [sample for sample in samples if sample[0] == metric or (kind == "histogram" and sample[0].startswith(f"{metric}_"))]
        if own:
            lines += [f"# HELP {metric} {doc}", f"# TYPE {metric} {kind}"]
            lines += [f"{name}{_labels({'card': info['name'], **labels})} {value}" for name, labels, value in own]
    return "\n".join(lines) + "\n"


def _labels(labels: Mapping[str, object]) -> str:
    escaped = {name: str(value).replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n") for name, value in labels.items()}
    return "{" + ",".join(f'{name}="{value}"' for name, value in escaped.items()) + "}"


def _samples(found: Mapping, kinds: Mapping[str, str]) -> Iterator[Sample]:
    yield "girih_cycles_total", {}, found["cycle"]
    for tile, counters in found["tiles"].items():
        for name, value in counters.items():
            prefix = name[: name.index("_") + 1]
            label = LABEL_OF_PREFIX.get(prefix)
            yield OF_PREFIX[prefix], {"tile": tile, "kind": kinds[tile], label or "counter": name.removeprefix(prefix) if label else name}, value
    for tile, keys in found["drops_by_key"].items():
        for key, value in keys.items():
            yield "girih_drops_by_key_total", {"tile": tile, "kind": kinds[tile], "key": key}, value
    for link, cycles in found["link_stalls"].items():
        yield "girih_link_stall_cycles_total", {"link": link}, cycles
    for tile, bins in found["histograms"].items():
        total = 0
        for index, count in enumerate(bins):
            total += count
            edge = "+Inf" if index + 1 == len(bins) else str(bin_start(index + 1) - 1)
            yield "girih_latency_cycles_bucket", {"tile": tile, "le": edge}, total
        yield "girih_latency_cycles_count", {"tile": tile}, total
    for port, stats in enumerate(found.get("ports", ())):
        for way, direction in (("rx", "in"), ("tx", "out")):
            yield "girih_port_frames_total", {"port": port, "direction": direction}, stats[f"{way}_frames"]
            yield "girih_port_bytes_total", {"port": port, "direction": direction}, stats[f"{way}_bytes"]


class _Server(ThreadingHTTPServer):
    """A thread for each client, so that none waits for another."""

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignores clients that go away."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


def serve(listen: str, text: Callable[[], str], requests: int | None = None, say: Callable[[str], None] = print) -> None:
    """Answers requests for /metrics at `[ADDRESS:]PORT`, until Ctrl-C, or for a number of them. Each reads the card anew."""
    address, _, port = listen.rpartition(":")

    turn = threading.Lock()  # only one thread reads the card at a time

    class Handler(BaseHTTPRequestHandler):
        timeout = PATIENCE_SECONDS

        def do_GET(self) -> None:
            if self.path != PATH:
                self.send_error(404, f"there is {PATH} alone")
                return
            try:
                with turn:
                    body = text().encode()
            except GirihError as error:
                self.send_error(503, explain=str(error))
                return
            self.send_response(200)
            self.send_header("Content-Type", CONTENT)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_args: object) -> None:
            """Scrapes come every few seconds and are not worth a line each."""

    try:
        server = _Server((address or LOCAL, int(port)), Handler)
    except (ValueError, OverflowError, OSError) as error:
        raise GirihError(f"cannot listen ({error})", listen, "Give [ADDRESS:]PORT of this machine that is free, such as 9100.") from error
    with server:
        say(f"http://{address or LOCAL}:{server.server_port}{PATH}")
        while requests is None or requests > 0:
            server.handle_request()
            requests = None if requests is None else requests - 1

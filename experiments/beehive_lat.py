# SPDX-License-Identifier: Apache-2.0
"""UDP echo latency through seven tiles, one datagram at a time."""

from girih.experiments import Exhibit, Progress, Row

PAYLOADS = (1, 64, 1024, 1472)
PAPER = {1: 92}  # 368 ns; it gives no other size
COUNT = 100
CUT_THROUGH = "mesh, cut-through"  # the UDP receiver does not store datagrams
AT_LEAST = {("mesh", 1): 38, ("crossbar", 1): 32, ("mesh", 1472): 60, (CUT_THROUGH, 1472): 36}
AIM = {("mesh", 1): 30, ("crossbar", 1): 24, ("mesh", 1472): 50, (CUT_THROUGH, 1472): 30}


def run(progress: Progress) -> list[Row]:
    from girih.experiments.echo import BEEHIVE_FIRST, BEEHIVE_LAST, DESIGN, echo, open_card
    from girih.paths import DESIGNS

    rows = []
    for fabric, design in {**DESIGN, CUT_THROUGH: DESIGNS / "udp_echo_cut_through.yaml"}.items():
        with open_card(design, progress) as card:
            for payload in PAYLOADS:
                progress(f"{fabric}, {payload} bytes")
                flow = echo(card, payload, count=COUNT, window=1).flows[0]
                params = {"payload": payload, "fabric": fabric}
                on_mesh = fabric == "mesh"  # as the paper's
                paper = PAPER.get(payload) if on_mesh else None
                limit = AT_LEAST.get((fabric, payload))
                note = f"wanted: {limit}, aim: {AIM[fabric, payload]}" if limit else ""
                first, last = (BEEHIVE_FIRST[payload], BEEHIVE_LAST[payload]) if on_mesh else (None, None)
                rows += [
                    Row("latency_cycles_first", params, "cycles", paper, flow.first_beat.max, first, note),
                    Row("latency_cycles_last", params, "cycles", None, flow.last_beat.max, last),
                ]
    return rows


EXHIBIT = Exhibit(
    id="beehive-lat",
    title="UDP echo latency",
    source="Beehive, section VII-C",
    differs=(
        "the paper stamps a datagram inside the card, where Ethernet is parsed and where it is left; here a cycle "
        "counts from the first beat at the card's input pins to the first (or last) beat at its output pins, which "
        "is longer. The largest of 100 datagrams is given, one under way at a time."
    ),
    run=run,
)

# SPDX-License-Identifier: Apache-2.0
"""Throughput of the hardware engines: AES-256 and SHA-3-512, narrow and wide, each in a unit of its own."""

from girih.experiments import Exhibit, Progress, Row

MODULES = ("aes", "aes_wide", "sha", "sha_four")  # the services of the design, in the order of their UDP ports
SIZES = (256, 1500)
PAPER_GBPS = {"aes": 38.4}  # at 300 MHz
PAPER_DELAY_NS = {"aes": 407}
PEER_GBPS = {"aes": 32, "sha": 6, "sha_four": 24}  # as the text of section 7.6 gives its prototype's engines
CYCLE_NS = 4
COUNT = 150


def run(progress: Progress) -> list[Row]:
    from girih.experiments.panic import closed_loop, flow, gbps, measure, open_card
    from girih.experiments.shared_aes import load_key
    from girih.paths import ROOT

    rows = []
    with open_card(progress, ROOT / "experiments" / "cards" / "panic_engines.yaml") as card:
        for unit in MODULES[:2]:
            load_key(card, unit, 0)
        for number, module in enumerate(MODULES, 1):
            for size in SIZES:
                progress(f"{module}, {size} bytes")
                params = {"module": module, "size": size}
                one = measure(card, [flow(number, size, window=1, opaque=True)], count=10)
                full = measure(card, [flow(number, size, window=closed_loop(size), opaque=True)], count=COUNT, warmup=50)
                first = one.flows[0].first_beat.max
                delay = PAPER_DELAY_NS.get(module) if size == SIZES[-1] else None
                paper, peer = (rates.get(module) if size == SIZES[-1] else None for rates in (PAPER_GBPS, PEER_GBPS))
                rows += [
                    Row("gbps", params, "Gbit/s", paper, gbps(full.packets_per_cycle, size), peer),
                    Row("latency_cycles_first", params, "cycles", delay and delay / CYCLE_NS, first),
                    *full.account(params),
                ]
    return rows


EXHIBIT = Exhibit(
    id="panic-t1",
    title="engines in hardware",
    source="PANIC, table 1, the rows of AES and SHA in hardware",
    differs=(
        "the paper's AES runs at 300 MHz, its hash in that table is SHA-1; beside ours is what its section 7.6 says of the prototype's engines, whose "
        "SHA-3 runs at 150 MHz. Rates count whole frames, of which 42 bytes of headers and 8 of initialization vector pass the engine by. Latency is "
        "from pin to pin of the card, no load, so it has 27 cycles of ports, fabric and scheduler in it. The rows of "
        "software on a core come with the cores."
    ),
    run=run,
)

# SPDX-License-Identifier: Apache-2.0
"""Throughput of engines: AES-256 and SHA-3-512 in hardware, narrow and wide, each in a unit of its own; AES-256 and SHA-1 as programs on a core."""

from girih.experiments import CLOCK_MHZ, Exhibit, Progress, Row

MODULES = ("aes", "aes_wide", "sha", "sha_four")  # the services of the design, in the order of their UDP ports
SIZES = (256, 1500)
PAPER_GBPS = {"aes": 38.4}  # at 300 MHz
PAPER_DELAY_NS = {"aes": 407}
PEER_GBPS = {"aes": 32, "sha": 6, "sha_four": 24}  # as the text of section 7.6 gives its prototype's engines
CYCLE_NS = 4
COUNT = 150
SOFTWARE = {"aes": 0.154, "sha1": 0.192}  # programs, and the Gbit/s of the paper's
PAPER_CPU_MHZ = 1500  # their clock, according to the table
PACKETS = 6  # for a program, for each core
CLUSTER, TILE = "software", "cluster"


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
    return rows + software(progress) + software_on_a_cluster(progress)


def software(progress: Progress) -> list[Row]:
    """AES and SHA-1 in C on a RISC-V core, each answer judged by a library."""
    import random

    from girih.bootstrap import ensure
    from girih.card import VirtualCard
    from girih.errors import GirihError
    from girih.experiments import panic_core
    from girih.experiments.judges import JUDGES
    from girih.paths import DESIGNS

    ensure(("test",))  # the library that judges
    rows, clock, rng = [], panic_core.clock_mhz(), random.Random(1)
    progress("building panic_core")
    with VirtualCard.open(DESIGNS / "panic_core.yaml", collect=True) as card:
        for program, paper in SOFTWARE.items():
            progress(f"{program} on a core")
            payloads = [rng.randbytes(panic_core.SIZE - panic_core.HEADERS) for _ in range(PACKETS)]
            out = panic_core.programmed(card, program, payloads)
            if [answer.data[panic_core.HEADERS :] for answer in out] != [JUDGES[program](payload) for payload in payloads]:
                raise GirihError("an answer is wrong", program, "This is a fault of the card or of the program.")
            rate = (PACKETS - 2) / (out[-1].last_cycle - out[1].last_cycle)
            rows += rates(f"{program} on a core", rate, paper, clock)
    return rows


def rates(module: str, rate: float, paper: float, clock: float) -> list[Row]:
    """rate: packets per cycle."""
    from girih.experiments.panic import gbps
    from girih.experiments.panic_core import SIZE

    params = {"module": module, "size": SIZE}
    return [
        Row("gbps", params, "Gbit/s", paper, gbps(rate, SIZE), None, "wanted: the paper's; aim: twice that"),
        Row("gbps_at_clock", params | {"clock_mhz": round(clock)}, "Gbit/s", paper, gbps(rate, SIZE) * clock / CLOCK_MHZ),
        Row("bits_per_cycle", params, "bits", 1000 * paper / PAPER_CPU_MHZ, 8 * SIZE * rate),
        Row("cycles_per_packet", params, "cycles", None, 1 / rate),
    ]


def software_on_a_cluster(progress: Progress) -> list[Row]:
    """The same on sixteen cores."""
    import random

    from girih.card import VirtualCard
    from girih.errors import GirihError
    from girih.experiments import panic_core
    from girih.experiments.cluster import clock_mhz
    from girih.experiments.judges import JUDGES
    from girih.paths import ROOT

    rows, clock, rng = [], clock_mhz(), random.Random(1)
    progress(f"building {CLUSTER}")
    with VirtualCard.open(ROOT / "experiments" / "cards" / f"{CLUSTER}.yaml", collect=True) as card:
        cores = card.manifest.tile(TILE).cores
        mac, address = card.manifest.port_address(0)
        for program, paper in SOFTWARE.items():
            progress(f"{program} on {cores} cores")
            size = panic_core.SIZE - panic_core.HEADERS - 8
            payloads = [number.to_bytes(8, "big") + rng.randbytes(size) for number in range(PACKETS * cores)]
            out = panic_core.programmed(card, program, payloads, tile=TILE, port=0, window=2 * cores, mac=mac, address=address)
            # They come in any order, with their numbers as they were.
            answers = sorted(answer.data[panic_core.HEADERS :] for answer in out)
            if answers != [JUDGES[program](payload) for payload in payloads]:
                raise GirihError("an answer is wrong", program, "This is a fault of the card or of the program.")
            # While every core has work. The cores work in step, so the time is from the end of one round to that of another.
            ends = sorted(answer.last_cycle for answer in out)
            first, last = 2 * cores - 1, len(ends) - cores - 1
            rows += rates(f"{program} on {cores} cores", (last - first) / (ends[last] - ends[first]), paper, clock)
    return rows


EXHIBIT = Exhibit(
    id="panic-t1",
    title="engines in hardware and in software",
    source="PANIC, table 1, the rows of AES and SHA",
    differs=(
        "the paper's AES runs at 300 MHz, its hash in that table is SHA-1; beside ours is what its section 7.6 says of the prototype's engines, whose "
        "SHA-3 runs at 150 MHz. Rates count whole frames, of which 42 bytes of headers and 8 of initialization vector pass the engine by. Latency is "
        "from pin to pin of the card, no load, so it has 28 cycles of ports, fabric and scheduler in it. Software runs on the core of "
        "designs/panic_core.yaml, packets of 1,500 bytes with 1,458 of payload; its AES is AES-256 in counter mode with tables. The paper's software runs on a simulated Rocket "
        "core at 1.5 GHz (its section 2.1), not on the 250 MHz core of its prototype; which mode its AES is in, and its packets' size, it does not say."
    ),
    run=run,
)

# SPDX-License-Identifier: Apache-2.0
"""Throughput and latency of four programs on a RISC-V core, at the MTU."""

from girih.experiments import CLOCK_MHZ, Exhibit, Progress, Row

# Program: the paper's Gbps.
PAPER_GBPS = {"no_touch": 61.4, "copy": 1.2, "nat": 21.3, "swap": 20.2}
NAMES = {"no_touch": "no touch", "copy": "memcpy", "nat": "NAT", "swap": "swap"}
COUNT, WINDOW = 60, 12  # packets, and the most in the card at a time
STEP = 12  # cycles between two looks at the output
QUIET = 20_000  # cycles, longer than the slowest program needs for a packet
WANTED = "wanted: at least the paper's; aim: line rate for no touch, NAT and swap"


def run(progress: Progress) -> list[Row]:
    from girih.card import VirtualCard
    from girih.errors import GirihError
    from girih.experiments.panic import gbps
    from girih.experiments.panic_core import SIZE, TILE, clock_mhz, frame
    from girih.firmware.compile import FIRMWARE
    from girih.firmware.load import load_program
    from girih.paths import DESIGNS

    rows = []
    clock = clock_mhz()
    progress("building panic_core")
    with VirtualCard.open(DESIGNS / "panic_core.yaml", collect=True) as card:
        for program, paper in PAPER_GBPS.items():
            progress(NAMES[program])
            load_program(card.registers, TILE, FIRMWARE / "programs" / f"{program}.c")
            card.run(50_000)  # the program clears its data
            start = card.cycle + 100
            card.inject(0, frame(0), cycle=start)
            card.run_until_quiet(QUIET)
            out, sent = card.collect(1), 1
            while len(out) < COUNT and card.cycle < start + COUNT * QUIET:
                for number in range(sent, min(COUNT, len(out) + WINDOW)):
                    card.inject(0, frame(number))
                sent = max(sent, min(COUNT, len(out) + WINDOW))
                card.run(STEP)
                out += card.collect(1)
            card.check_conservation(QUIET)
            if [int.from_bytes(each.data[-4:], "big") for each in out] != list(range(COUNT)):
                raise GirihError(f"{len(out)} packets of {COUNT} came, or not in order", program, "This is a fault of the card.")
            rate = (COUNT - 11) / (out[-1].last_cycle - out[10].last_cycle)
            params = {"program": NAMES[program], "size": SIZE}
            rows += [
                Row("gbps", params, "Gbit/s", paper, gbps(rate, SIZE), None, WANTED),
                Row("gbps_at_clock", params | {"clock_mhz": round(clock)}, "Gbit/s", paper, gbps(rate, SIZE) * clock / CLOCK_MHZ, None, WANTED),
                Row("cycles_per_packet", params, "cycles", None, 1 / rate),
                Row("latency_cycles_first", params, "cycles", None, out[0].first_cycle - start),
            ]
    return rows


EXHIBIT = Exhibit(
    id="panic-f10",
    title="four programs on a RISC-V core",
    source="PANIC, figure 10",
    differs=(
        "packets are 1,500 bytes. NAT computes its hash itself. "
        "The paper's core has a cache, which it flushes for each packet; ours has none. Gbit/s are at 250 MHz, and at the clock that is estimated for the core (docs/cores.md)."
    ),
    run=run,
)

# SPDX-License-Identifier: Apache-2.0
"""Latency of each memory that a core reaches: reads that depend on one another, in random order."""

from girih.experiments import Exhibit, Progress, Row

# Level: where the program chases, words, the paper's ns on LiquidIOII (its first level), and what the paper has for others.
LEVELS = {
    "core memory": (0, 1024, 8.3, "L1; BlueField 5.0, Stingray 1.3, host 1.2"),
    "packet memory": (1, 256, None, "the paper measures no packet memory"),
}
STEPS = 1600
START = 44  # of the words in a packet, the first multiple of 4 in its payload
QUIET = 250_000  # cycles; the program first joins the words to a circle


def run(progress: Progress) -> list[Row]:
    import struct

    from girih.card import VirtualCard
    from girih.errors import GirihError
    from girih.experiments import panic_core
    from girih.firmware.compile import FIRMWARE
    from girih.firmware.load import load_program
    from girih.paths import DESIGNS

    rows = []
    progress("building panic_core")
    with VirtualCard.open(DESIGNS / "panic_core.yaml", collect=True) as card:
        load_program(card.registers, panic_core.TILE, FIRMWARE / "programs" / "pointer_chase.c")
        for level, (where, words, paper, note) in LEVELS.items():
            progress(level)
            frame = bytearray(panic_core.frame(0))
            struct.pack_into("<III", frame, START, where, words, STEPS)
            card.inject(0, bytes(frame))
            card.run(QUIET)
            out = card.collect(1)
            if len(out) != 1:
                raise GirihError("the program has not answered", level, "This is a fault of the card.")
            cycles = struct.unpack_from("<I", out[0].data, START + 12)[0] / STEPS
            params = {"level": level}
            rows += [
                Row("latency_cycles", params, "cycles", None, cycles),
                Row("latency_ns", params | {"clock_mhz": round(panic_core.clock_mhz())}, "ns", paper, 1000 * cycles / panic_core.clock_mhz(), None, note),
            ]
    return rows


EXHIBIT = Exhibit(
    id="ipipe-t2",
    title="latency of the memories of a core",
    source="iPipe, table 2",
    differs=(
        "a core here has no caches: its own memory is the level that the paper calls L1, and it does not reach the card's external memory. "
        "Loops are unrolled by 16, and their share is in the figures. Nanoseconds are at the estimated clock of the core."
    ),
    run=run,
)

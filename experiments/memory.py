# SPDX-License-Identifier: Apache-2.0
"""External memory: the time of a request and its reply, and the reads per cycle."""

from __future__ import annotations

from girih.experiments import Exhibit, Progress, Row

RUN, RESPONDER, WRITES = 1 << 16, 1 << 17, 1 << 18
CONTROL, REPLIES, LATENCY, FLYING = 0x0, 0x4, 0x8, 0xC  # registers of the card
WARM_UP, CYCLES, ALONE_CYCLES = 2_000, 10_000, 4_000
NEAR, FAR = 1, 100  # cycles; 100 are 400 ns
WINDOWS = (64, 128, 256)  # requests in flight
AT_LEAST, AIM = 20, 14  # cycles of a request and its reply in the fabric


def run(progress: Progress) -> list[Row]:
    from girih.experiments.cards import open_special

    rows = []
    with open_special("memory_load", progress) as card:
        card.memory.set(bytes_per_cycle=128, latency=NEAR)
        progress("one request at a time")
        _, fabric = _measure(card, RESPONDER, 1)
        note = f"wanted: {AT_LEAST}, aim: {AIM}"
        rows.append(Row("request_reply_cycles", {"hops": 3, "by": "a tile that answers at once"}, "cycles", None, fabric, None, note))
        for what, flags in (("read", 0), ("write", WRITES)):
            _, total = _measure(card, flags, 1)
            rows.append(Row("request_reply_cycles", {"hops": 3, "by": f"a memory of {NEAR} cycle, {what}"}, "cycles", None, total))
        card.memory.set(latency=FAR)
        for window in WINDOWS:
            progress(f"{window} in flight")
            for what, flags in (("reads", 0), ("writes", WRITES)):
                rate, _ = _measure(card, flags, window)
                note = "wanted: 1 with 128 in flight" if what == "reads" and window > 64 else ""
                rows.append(Row(f"{what}_per_cycle", {"in_flight": window, "latency": FAR}, "per cycle", None, rate, None, note))
    return rows


def _measure(card, flags: int, window: int) -> tuple[float, float]:
    """Replies per cycle, and the mean of the cycles from the offer of a request to its reply."""
    card.write32(CONTROL, RUN | flags | window)
    card.run(WARM_UP)
    card.write32(CONTROL, RUN | flags | window)  # the counts restart
    card.run(ALONE_CYCLES if window == 1 else CYCLES)
    cycles, replies, latency = (card.read32(address) for address in (CONTROL, REPLIES, LATENCY))
    card.write32(CONTROL, 0)
    card.run(WARM_UP)
    assert card.read32(FLYING) == 0, "a request was not answered"
    return round(replies / cycles, 3), round(latency / replies, 2)


EXHIBIT = Exhibit(
    id="memory",
    title="external memory: request and reply, reads per cycle",
    source="no published exhibit",
    differs="there is no paper; the figures are those of the tile and the fabric with requests of a flit of 512 bits on a mesh",
    run=run,
)

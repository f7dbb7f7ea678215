# SPDX-License-Identifier: Apache-2.0
"""What one TCP connection of the card delivers over a path that loses segments, to a peer with SACK and to one without, by NewReno and by CUBIC."""

from girih.experiments import CLOCK_MHZ, Exhibit, Progress, Row

PORT = 19  # character generator
ROUND_TRIP = 25_000  # cycles: 100 us at 250 MHz
LOSSES = ((0.0, 1), (0.01, 1), (0.03, 1), (0.01, 4))  # the share of segments, and how many in a row
WARMUP, CYCLES = 50, 150  # round trips: the first losses halve what slow start has reached, which lasts for some 40
SEEDS = range(1, 9)
COMPARED = range(1, 25)  # seeds of the figures that are compared with Linux
LINUX_RUNS = 24  # connections for each figure
WANTED = "wanted: no slower than Linux"


def run(progress: Progress) -> list[Row]:
    from girih.experiments.echo import open_card
    from girih.experiments.tcp import Peer
    from girih.paths import ROOT

    rows = []
    with open_card(ROOT / "experiments" / "cards" / "tcp_stream.yaml", progress) as card:
        card.registers.write_many({"chargen.bytes": 1460, "chargen.room": 16_000})
        Peer(card, 7).connect()  # the card learns the peer's address
        own_port = 40001
        for loss, burst in LOSSES:
            for sacks, cubic in ((False, False), (True, False), (True, True)):
                card.registers.write("tcp.cubic[0]", PORT if cubic else 0)
                rates, spares = [], []
                for seed in SEEDS[:1] if not loss else COMPARED if burst == 1 and not cubic else SEEDS:
                    progress(f"loss {loss:.0%}, {burst} in a row, {'with' if sacks else 'without'} SACK, {'CUBIC' if cubic else 'NewReno'}, seed {seed}")
                    rate, spare = goodput(card, own_port, loss, burst, sacks, seed)
                    rates.append(rate)
                    spares.append(spare)
                    own_port += 1
                params: dict[str, object] = {"loss": f"{loss:.0%}", "in_a_row": burst, "sack": "yes" if sacks else "no", "congestion": "cubic" if cubic else "newreno"}
                rows.append(Row("gbps", params, "Gbps", None, round(sum(rates) / len(rates) * 8 * CLOCK_MHZ / 1000, 2), None, WANTED))
                rows.append(Row("came_again", params, "%", None, round(100 * sum(spares) / len(spares), 2)))
    return rows + linux(progress)


def linux(progress: Progress) -> list[Row]:
    """Of Linux over the same path, with NewReno, if this machine has a kernel for it; losses are single ones."""
    from girih.experiments.linux_loss import linux_goodput, possible

    if not possible():
        return []
    rows = []
    for loss, sacks in [(loss, sacks) for loss, burst in LOSSES if burst == 1 for sacks in (False, True)]:
        progress(f"Linux, loss {loss:.0%}, {'with' if sacks else 'without'} SACK")
        found = linux_goodput([(loss, sacks)] * (LINUX_RUNS if loss else 1), WARMUP, CYCLES)
        rate = sum(found) / len(found) / ROUND_TRIP
        params = {"loss": f"{loss:.0%}", "in_a_row": 1, "sack": "yes" if sacks else "no", "congestion": "newreno", "stack": "linux"}
        rows.append(Row("gbps", params, "Gbps", None, round(rate * 8 * CLOCK_MHZ / 1000, 2)))
    return rows


def goodput(card, own_port: int, loss: float, burst: int, sacks: bool, seed: int) -> tuple[float, float]:
    """Bytes per cycle, and the share of those that came that the peer had."""
    from girih.experiments.tcp_loss import LossyPeer

    peer = LossyPeer(card, PORT, own_port, round_trip=ROUND_TRIP, loss=loss, burst=burst, sacks=sacks, seed=seed)
    peer.open()
    peer.run(WARMUP * ROUND_TRIP)
    received, came, again = peer.received, peer.came, peer.again
    peer.run(CYCLES * ROUND_TRIP)
    rates = (peer.received - received) / (CYCLES * ROUND_TRIP), (peer.again - again) / max(1, peer.came - came)
    peer.abort()
    return rates


EXHIBIT = Exhibit(
    id="tcp-loss",
    title="Goodput of one TCP connection over a path that loses segments",
    source="RFC 2018, RFC 3042, RFC 6675, RFC 9438",
    differs=(
        "no published figure: the same card sends to a peer with SACK and to one without, which gets what NewReno alone makes of it (RFC 6582), and with SACK by CUBIC. The path has a round trip "
        "of 100 us and no queue, and each of the card's segments is lost by the same probability; acknowledgements are not. Windows are 64 KB, the least time-out 0.5 ms. "
        "Each figure is the mean of eight seeds, or of 24 where Linux is beside it. Linux, where this machine can run it in User-Mode Linux, has the path in netem, 2,000 times as slow because its clock is the machine's, and the same "
        "window, least time-out and acknowledgements; its losses differ from run to run."
    ),
    run=run,
)

# SPDX-License-Identifier: Apache-2.0
"""Latency of two flows by load in front of a unit that is slower than the link, against a pipeline NIC."""

from girih.experiments import CLOCK_MHZ, Exhibit, Progress, Row

LOADS = (0.1, 0.3, 0.5, 0.7, 0.8, 0.9, 1.0, 1.1, 1.3, 1.6, 2.0)  # of the slow unit
OVERLOAD = 2.0
CREDITS = {"girih": (1, 2), "pipeline": (None,)}
DRAWN = {"girih": 2, "pipeline": None}  # the number of credits that the plot shows
COUNT = 1000
SLACK = 10  # cycles, beyond one service time, that overload may add to flow 1


def run(progress: Progress) -> list[Row]:
    from girih.experiments.competing import NICS, SIZE, compete, open_nic, set_credits

    rows = []
    for nic in NICS:
        with open_nic(nic, progress) as card:
            for credits in CREDITS[nic]:
                params = {"nic": nic, "size": SIZE}
                if credits:
                    set_credits(card, credits)
                    params["credits"] = credits
                for load in LOADS:
                    progress(f"{nic}, {credits or 'no'} credits, load {load}")
                    shares = compete(card, load, count=COUNT)
                    rows += _rows(params | {"load": load}, shares)
                    if load == OVERLOAD:
                        alone = compete(card, load, count=COUNT, flows=[1])
                        rows += _added(params | {"load": load, "flow": 1}, shares[1].latencies, alone[1].latencies)
    return rows


def _rows(params: dict, shares) -> list[Row]:
    from girih.experiments.competing import whole
    from girih.experiments.panic import percentile

    rows = []
    for name, share in shares.items():
        own = params | {"flow": name}
        found = share.latencies
        rows += [
            Row("latency_cycles_mean", own, "cycles", None, sum(found) / len(found)),
            Row("latency_cycles_p5", own, "cycles", None, percentile(found, 5)),
            Row("latency_cycles_p99", own, "cycles", None, percentile(found, 99)),
            *share.account(own),
        ]
    return rows + whole(shares, params)


def _added(params: dict, latencies: list[int], alone: list[int]) -> list[Row]:
    """The increase of flow 1's 99th percentile over that of the same packets alone."""
    from girih.experiments.competing import SIZE, SLOW
    from girih.experiments.panic import percentile

    before, after = percentile(alone, 99), percentile(latencies, 99)
    most = SIZE * 8 / SLOW / 1000 * CLOCK_MHZ + SLACK
    note = f"wanted of Girih: at most {most:.0f} cycles, one service and {SLACK}"
    return [
        Row("latency_cycles_p99_alone", params, "cycles", None, before),
        Row("latency_cycles_p99_added", params, "cycles", None, after - before, None, note),
    ]


def plot(rows: list[Row], figure) -> None:
    axes = figure.subplots()
    found = [r for r in rows if r.metric == "latency_cycles_mean" and r.params.get("credits") == DRAWN[r.params["nic"]]]
    for nic in dict.fromkeys(row.params["nic"] for row in found):
        for flow in (1, 2):
            points = [(r.params["load"], r.measured) for r in found if (r.params["nic"], r.params["flow"]) == (nic, flow)]
            axes.plot(*zip(*points), "o-" if flow == 1 else "s:", markersize=4, label=f"{nic}, flow {flow}")
    axes.set(xlabel="load of the slow unit", ylabel="latency, cycles", yscale="log", title="A unit of 60 Gbit/s in front of a fast one")
    axes.legend()


EXHIBIT = Exhibit(
    id="panic-f8f",
    title="latency of two flows, against a pipeline NIC",
    source="PANIC, figure 8f",
    differs=(
        "64 KB of packet memory in both, as in the paper; of ours an eighth is kept free for packets that come. The pipeline is our "
        "own RTL (experiments/baseline), with the same engines. Packets come at even distances; which are flow 1's is drawn; latency from first beat in to last beat out. Load is of the slow unit: 1.0 is 60 Gbit/s."
    ),
    run=run,
    plot=plot,
)

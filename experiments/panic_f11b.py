# SPDX-License-Identifier: Apache-2.0
"""IPSec and video traffic through shared AES units, weighted fair queueing 2 : 1."""

from girih.experiments import Exhibit, Progress, Row

WEIGHTS = {"ipsec": 2, "video": 1}
OFFERED = {  # Gbps, by phase
    1: {"ipsec": 70, "video": 30},
    2: {"ipsec": 50, "video": 30},
    3: {"ipsec": 30, "video": 30},
}
SPLIT = {"ipsec": 42.7, "video": 21.3}  # of 64 Gbps
PAPER: dict[int, dict[str, float]] = {1: SPLIT, 2: SPLIT, 3: {"ipsec": 30, "video": 30}}


def run(progress: Progress) -> list[Row]:
    from girih.experiments.shared_aes import SIZE, open_shared, phase_rows, worst_split

    rows = []
    with open_shared(progress) as card:
        for tenant, weight in WEIGHTS.items():
            card.services.set_tenant(tenant, weight=weight)
        card.services.set_policy("aes", "strict", share=True)
        card.services.set_policy("sha", "strict", share=False)
        for phase, offered in OFFERED.items():
            progress(f"phase {phase}")
            found, _, arrivals = phase_rows(card, phase, offered, PAPER[phase], {})
            rows += found
            if phase != 3:
                params = {"phase": phase, "size": SIZE}
                split = len(arrivals["ipsec"]) / len(arrivals["video"])
                rows += [
                    Row("split", params, "ipsec : video", 2.0, split),
                    Row("split_error_percent", params, "%", None, worst_split(arrivals, 2.0), None, "worst of any 100 microseconds; wanted: 1, aim: 0.2"),
                ]
    return rows


def plot(rows: list[Row], figure) -> None:
    axes = figure.subplots()
    found = [row for row in rows if row.metric == "gbps"]
    for place, flow in enumerate(WEIGHTS):
        own = [row for row in found if row.params["flow"] == flow]
        at = [row.params["phase"] + 0.3 * (place - 0.5) for row in own]
        axes.bar(at, [row.params["offered"] for row in own], 0.27, fill=False, edgecolor="grey")
        axes.bar(at, [row.measured for row in own], 0.27, label=flow)
    axes.set(xlabel="phase", ylabel="received, Gbit/s (frames: offered)", title="Shared AES units, weighted fair 2 : 1")
    axes.set_xticks((1, 2, 3))
    axes.legend()


EXHIBIT = Exhibit(
    id="panic-f11b",
    title="shared engines, weighted fair queueing",
    source="PANIC, figure 11b",
    differs=(
        "as panic-f11a. In phase 1 two SHA units of 24 Gbit/s pass 48 of the 70 Gbit/s that are offered, which is still more than IPSec's share "
        "of the AES units."
    ),
    run=run,
    plot=plot,
)

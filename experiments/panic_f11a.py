# SPDX-License-Identifier: Apache-2.0
"""IPSec, video and background traffic through shared AES and SHA units, strict priority."""

from girih.experiments import Exhibit, Progress, Row

OFFERED = {  # Gbps, by phase
    1: {"ipsec": 30, "video": 50, "background": 20},
    2: {"ipsec": 10, "video": 60, "background": 30},
    3: {"ipsec": 30, "video": 30, "background": 40},
}
PAPER = {1: {"ipsec": 30, "video": 34, "background": 20}, 2: {"ipsec": 10}, 3: {"ipsec": 30, "video": 30, "background": 40}}
# The middle of what the artifact's RTL received.
PEER = {
    1: {"ipsec": 29.1, "video": 32.8, "background": 19.7},
    2: {"ipsec": 9.6, "video": 53.8, "background": 29.2},
    3: {"ipsec": 29.5, "video": 32.2, "background": 39.2},
}


def run(progress: Progress) -> list[Row]:
    from girih.experiments.shared_aes import CLASSES, open_shared, phase_rows

    rows = []
    with open_shared(progress) as card:
        levels = [{"class": number, "level": number} for number in CLASSES.values()]
        card.services.set_policy("aes", "strict", levels, share=False)
        card.services.set_policy("sha", "strict", levels, share=False)
        for phase, offered in OFFERED.items():
            progress(f"phase {phase}")
            found, _, _ = phase_rows(card, phase, offered, PAPER[phase], PEER[phase])
            rows += found
    return rows


def plot(rows: list[Row], figure) -> None:
    axes = figure.subplots()
    found = [row for row in rows if row.metric == "gbps"]
    for place, flow in enumerate(("ipsec", "video", "background")):
        own = [row for row in found if row.params["flow"] == flow]
        at = [row.params["phase"] + 0.25 * (place - 1) for row in own]
        axes.bar(at, [row.params["offered"] for row in own], 0.22, fill=False, edgecolor="grey")
        axes.bar(at, [row.measured for row in own], 0.22, label=flow)
    axes.set(xlabel="phase", ylabel="received, Gbit/s (frames: offered)", title="Shared AES units, strict priority")
    axes.set_xticks((1, 2, 3))
    axes.legend()


EXHIBIT = Exhibit(
    id="panic-f11a",
    title="shared engines, strict priority",
    source="PANIC, figure 11a",
    differs=(
        "frames of 1,024 bytes at even distances from one port, not from hosts. The engines are AES-256-CTR of 32 Gbit/s and SHA-3-512 of four "
        "lanes of 6 Gbit/s, both counted in payload. What the text of the paper does not give of the phases is from the artifact."
    ),
    run=run,
    plot=plot,
)

# SPDX-License-Identifier: Apache-2.0
"""Drops of phase 1 of panic-f11a, by kind of traffic."""

from girih.experiments import Exhibit, Progress, Row

OFFERED = {"ipsec": 30, "video": 50, "background": 20}  # Gbps
PAPER = {"ipsec": 0.0, "video": 33.1, "background": 0.0}  # percent
PEER = {"ipsec": 0.0, "video": 31.4, "background": 0.0}


def run(progress: Progress) -> list[Row]:
    from girih.experiments.panic import gbps
    from girih.experiments.shared_aes import CLASSES, SIZE, open_shared, run_phase

    with open_shared(progress) as card:
        levels = [{"class": number, "level": number} for number in CLASSES.values()]
        card.services.set_policy("aes", "strict", levels, share=False)
        card.services.set_policy("sha", "strict", levels, share=False)
        progress("phase 1")
        done, arrivals, (begin, end) = run_phase(card, OFFERED)
    rows = []
    for (name, speed), found in zip(OFFERED.items(), done.flows):
        missing = 100 * max(0.0, 1 - gbps(len(arrivals[name]) / (end - begin), SIZE) / speed) if found.lost else 0.0
        params = {"phase": 1, "flow": name, "size": SIZE}
        rows.append(Row("drop_percent", params, "%", PAPER[name], missing, PEER[name]))
        rows.append(Row("lost", params, "packets", None, found.lost))
    return rows + done.account({"phase": 1, "size": SIZE})


EXHIBIT = Exhibit(
    id="panic-t5",
    title="drops in phase 1 of figure 11a",
    source="PANIC, table 5",
    differs="as panic-f11a. drop_percent is measured when the queues are full; lost are all packets, from the first on.",
    run=run,
)

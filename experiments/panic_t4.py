# SPDX-License-Identifier: Apache-2.0
"""Area of crossbar, scheduler, PIFO, packet buffer, match-action pipeline and compute unit, by open synthesis."""

from girih.experiments import Exhibit, Progress, Row

PART = 394_000  # LUTs of the paper's part
# Per cent of it. The paper's scheduler is given with its PIFO.
PAPER_PERCENT = {"crossbar_8": 5.5, "crossbar_16": 13.64, "pifo_256": 4.9, "pifo_512": 9.42, "packet_buffer": 0.16, "rmt_pipeline": 0.27}
PEER = {"crossbar_8": {"lut": 22515, "ff": 18806, "lutram": 5120}, "pifo_256": {"lut": 27760, "ff": 4492, "lutram": 0}}
WANTED = {
    "crossbar_8": "wanted: 22,515, aim: half",
    "pifo_1024": "wanted: less than PANIC's PIFO of 256 (27,760), aim: a third",
}
METRICS = ("lut", "lutram", "ff", "bram")
UNITS = {"lut": "LUT", "lutram": "LUT sites", "ff": "flip-flops", "bram": "36 Kb blocks"}
QUEUES = 32  # eight services of four tenants


def run(progress: Progress) -> list[Row]:
    from girih.bootstrap import ensure
    from girih.spec.message import CardParams
    from girih.synth import synthesize_all

    ensure(("synth",))
    jobs = {f"pifo_{entries}": {"top": "pifo", "parameters": {"Queues": QUEUES, "Entries": entries}} for entries in (256, 512, 1024)}
    jobs |= {f"crossbar_{ports}": {"top": "crossbar", "parameters": {"Ports": ports}} for ports in (8, 16)}
    tops = ("packet_buffer", "rank_stage", "credit_manager", "rmt_pipeline", "traffic_manager")
    jobs |= {top: {"top": top} for top in tops}
    jobs["scheduler"] = {"top": "scheduler_core"}
    chained = {name: {**job, "params": CardParams.chained()} for name, job in jobs.items()}
    areas = synthesize_all(chained, lambda name, _area: progress(f"{name} done"))
    rows = []
    for module, area in areas.items():
        percent, peer = PAPER_PERCENT.get(module), PEER.get(module, {})
        for metric in METRICS:
            paper = percent / 100 * PART if percent and metric == "lut" else None
            note = WANTED.get(module, "") if metric == "lut" else ""
            rows.append(Row(metric, {"module": module}, UNITS[metric], paper, getattr(area, metric), peer.get(metric), note))
    return rows


EXHIBIT = Exhibit(
    id="panic-t4",
    title="area of the parts of a programmable NIC",
    source="PANIC, table 4",
    differs=(
        "the paper gives per cent of 394,000 LUTs from its vendor's tool; ours, and those of its RTL, are by Yosys, each module by "
        "itself. Our PIFO has 32 queues (eight services of four tenants), takes a push and a pop in every cycle and also gives up its highest ranks; "
        "PANIC's has one, at half the clock. `scheduler` is all of ours: 1,024 entries, two fabric ports, 256 KB."
    ),
    run=run,
)

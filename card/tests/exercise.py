# SPDX-License-Identifier: Apache-2.0
"""Uses every part of the runtime once, for the build under sanitizers: `exercise.py FOLDER`."""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from girih.card import VirtualCard
from girih.card.library import CardFault
from girih.card.stall import CardStalled


def main(folder: Path) -> None:
    with tempfile.TemporaryDirectory() as scratch:
        record, capture = Path(scratch, "record"), Path(scratch, "capture.pcapng")
        with VirtualCard(folder, collect=True, sanitize=True, record=record) as card:
            card.start_capture(capture, card.manifest.link_names())
            card.set_faults(0, "in", loss=0.1, duplicate=0.1, corrupt=0.1, reorder=0.1, delay=0.1)
            card.set_faults(0, "out", loss=0.1, duplicate=0.1, corrupt=0.1, reorder=0.1, delay=0.1)
            card.set_ready(1, 0.5)
            for port in (0, 1):
                card.add_flow(port=port, payload=[0, 1, 18, 9000], src_port=1000 + port, vlan=port or None, expect="forward" if port else "echo")
            card.run_flows(count=300)
            card.registers.counters()
            card.stop_capture()
            card.pcap_in(0, capture)
            card.pcap_out(1, Path(scratch, "out.pcapng"))
            card.run_until_quiet()
            card.collect(1)
        with VirtualCard(folder, sanitize=True, watchdog=500) as card:
            card.set_ready(0, 0)
            for _ in range(30):
                card.inject(0, bytes(1000))
            try:
                card.run_until_quiet()
            except CardStalled:
                card.set_ready(0, 1)
                card.run_until_quiet()
        with VirtualCard(folder, sanitize=True) as card:
            assert card.replay(record).difference is None
            try:
                card.registers.write("loop.break", 2)
                card.run(10)
            except CardFault:
                print("exercised")


main(Path(sys.argv[1]))

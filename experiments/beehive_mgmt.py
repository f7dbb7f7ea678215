# SPDX-License-Identifier: Apache-2.0
"""Registers changed over TCP: the delay after the request, the rate, and the effect on traffic. Logs: the rate of recording, and whether all records can be read. NAT and tunnels: the cycles that they add."""

from girih.experiments import Exhibit, Progress, Row

KEY = bytes(range(32))
TILES, CARD_NODE = 16, 0xFF
PLACES = {2: (3, 2), 3: (3, 3), 4: (2, 3)}  # of more echoes
CHANGES, ALONE = 200, 20
TRAFFIC = {18: 1, 1472: 24}  # bytes of payload, and flits of the frame
LOAD = 0.5  # load of the echo, as a share of what the port takes
BACK_TO_BACK = "400 wanted, aim: 200"
WRONG = [f"mark_{reason}" for reason in ("wrong_mac", "replayed", "truncated", "excess", "malformed", "without_right", "failed", "torn", "evicted", "crowded")]
# Of four operators each, the cycles between two requests: fast enough for a million changes a second together, and twice that.
EVERY = (1000, 500)


LOSS, RECORDS, RUN, QUIET = 0.1, 1000, 4000, 2000  # frames lost each way; records that are read; cycles


def log_rows(progress: Progress) -> list[Row]:
    """designs/logged.yaml: records while a frame of one flit comes in every cycle, and their reading over a wire that loses frames both ways."""
    from scapy.layers.inet import IP, UDP
    from scapy.layers.l2 import ARP, Ether

    from girih.card import Flow, VirtualCard
    from girih.errors import GirihError
    from girih.management.log import HEADERS, answer, card_logs, question
    from girih.paths import DESIGNS

    progress("building logged")
    mac, here = "02:00:00:00:00:01", "10.77.0.1"
    with VirtualCard.open(DESIGNS / "logged.yaml", collect=True) as card:
        log = card_logs(card.manifest.folder)[0]
        to_mac, to = card.manifest.port_address(0)
        card.inject(0, bytes(Ether(src=mac, dst="ff:ff:ff:ff:ff:ff") / ARP(op=1, hwsrc=mac, psrc=here, pdst=to)).ljust(60, b"\0"))
        card.run(QUIET)
        addresses = card.manifest.addresses
        card.add_flow(Flow(payload=18, src_mac=mac, src_ip=here, dst_mac=addresses["mac"], dst_ip=addresses["ip"], dst_port=7, src_port=50000, rate=1.0))
        card.registers.write(f"{log.name}.overwrite", 1)
        before = card.registers.counters(log.name)[log.name]["mark_recorded"]
        flow = card.run_flows(count=RUN).flows[0]
        end = card.registers.counters(log.name)[log.name]["mark_recorded"]
        recorded = end - before
        rows = [Row("log_records_per_cycle", {"payload": 18}, "per cycle", None, round(recorded / flow.received * flow.packets_per_cycle, 2), None, "1 wanted; a frame of one flit in every cycle")]
        if flow.lost or recorded < RUN:
            raise GirihError(f"{flow.lost} datagrams are lost, and {recorded} of {RUN} recorded", card.manifest.name, "Look at the counters of rx_log.")
        card.registers.write(f"{log.name}.flits", 0)
        card.collect(0)
        for number, direction in enumerate(("in", "out")):
            card.set_faults(0, direction, loss=LOSS, seed=number + 1)
        asked = 0
        wanted = set(range(end - RECORDS, end))
        found: set[int] = set()
        while wanted - found:
            progress(f"{len(found)} of {RECORDS} records")
            missing = sorted(wanted - found)[::10]
            for first in missing:
                asked += 1
                payload = question(log, HEADERS[0], asked & 0xFFFF, first, 10)
                card.inject(0, bytes(Ether(src=mac, dst=to_mac) / IP(src=here, dst=to) / UDP(sport=5000, dport=log.port) / payload))
            card.run(QUIET + 100 * len(missing))
            for frame in card.collect(0):
                said = answer(log, HEADERS[0], frame.data[HEADERS[0] :])
                found |= {record.number for record in said[3] if record} if said else set()
            if asked > 100 * RECORDS:
                break
        rows.append(Row("log_records_read", {"of": RECORDS, "loss": LOSS}, "records", None, len(wanted & found), None, f"all wanted; a tenth of the frames lost each way, {asked} questions for ten records each"))
    return rows


def added_rows(progress: Progress) -> list[Row]:
    """What NAT and both ends of a tunnel add to a packet's path."""
    from girih.experiments.router import added

    rows = []
    for kind, latency, rate in added(progress):
        rows.append(Row("added_latency", {"tile": kind}, "cycles", None, latency, None, "4 wanted, aim: 3"))
        rows.append(Row("packets_per_cycle", {"tile": kind}, "per cycle", None, round(rate, 3), None, "1 wanted; packets of one flit"))
    return rows


def design() -> str:
    """designs/managed.yaml with three more echoes behind the balancer, so that there are as many tiles as the table says."""
    from girih.paths import DESIGNS

    text = (DESIGNS / "managed.yaml").read_text().replace("name: managed", "name: managed_16").replace("[echo_0, echo_1]", "[echo_0, echo_1, echo_2, echo_3, echo_4]")
    more = "".join(f"  echo_{number}: {{kind: echo, at: {list(place)}, next: udp_tx}}\n" for number, place in PLACES.items())
    return text.replace("at: [2, 3]", "at: [0, 3]").replace("  eth_tx:", more + "  eth_tx:", 1)


def run(progress: Progress) -> list[Row]:
    from pathlib import Path
    from tempfile import TemporaryDirectory

    from girih.card import Flow, VirtualCard
    from girih.errors import GirihError
    from girih.experiments.operator import PinOperator
    from girih.management.key import unlock
    from girih.management.protocol import Entry
    from girih.spec.kinds import card_registers

    rows = []
    with TemporaryDirectory() as folder:
        path = Path(folder) / "managed_16.yaml"
        path.write_text(design())
        progress("building managed_16")
        with VirtualCard.open(path, collect=True) as card:
            tiles = card.manifest.tiles
            assert len(tiles) == TILES
            balancer = card.manifest.tile("balancer")
            register = balancer.registers["by_flow"].offset
            unlock(card.registers, KEY, 1)
            operators = [PinOperator(card, KEY, 40000 + number) for number in range(4)]
            # The controller counts cycles from the end of reset, as the card's own register does; the access that reads it takes a few.
            counted = next(register.offset for register in card_registers() if register.name == "cycles")
            before_reset = -card.read32(CARD_NODE << 16 | counted) + card.cycle
            confirmed, done = [], []
            for turn in range(ALONE):
                card.run(37)
                start, cycle, answer = operators[0].ask(Entry(balancer.node, register, turn % 2))
                if answer.status != "done" or card.registers.read("balancer.by_flow") != turn % 2:
                    raise GirihError(f"a change ended with {answer.status}", card.manifest.name, "Look at the controller's counters.")
                confirmed.append(cycle - start)
                done.append(answer.cycle + before_reset - start)
            rows.append(Row("change_request_to_effect", {"tiles": TILES}, "cycles", None, max(done), None, BACK_TO_BACK))
            rows.append(Row("change_request_to_confirmation", {"tiles": TILES}, "cycles", None, max(confirmed), None, "first beat to first beat, at the pins"))
            for every in EVERY:
                for payload, flits in TRAFFIC.items():
                    progress(f"four operators, a change of each in {every} cycles, datagrams of {payload} bytes")
                    before = card.registers.counters("controller")["controller"]
                    start = card.cycle + 2000
                    for turn in range(CHANGES):
                        for number, operator in enumerate(operators):
                            operator.schedule(start + turn * every + number * every // 4, Entry(balancer.node, register, turn % 2))
                    addresses = card.manifest.addresses
                    card.add_flow(Flow(payload=payload, dst_mac=addresses["mac"], dst_ip=addresses["ip"], dst_port=7, src_port=50000, rate=LOAD / flits))
                    flow = card.run_flows(count=int((CHANGES * every + 2000) * LOAD / flits)).flows[0]
                    now = card.registers.counters("controller")["controller"]
                    changes = now["mark_changes"] - before["mark_changes"]
                    wrong = {name: now[name] - before[name] for name in WRONG if now[name] != before[name]}
                    if flow.lost or flow.corrupted or flow.duplicated or wrong or changes != 4 * CHANGES:
                        raise GirihError(f"{flow.lost} datagrams are lost, {flow.corrupted} wrong; {changes} of {4 * CHANGES} changes are done; {wrong}", card.manifest.name, "Look at the tiles' counters.")
                    params = {"tiles": TILES, "payload": payload, "operators": len(operators), "every": every}
                    rows.append(Row("changes_per_second", params, "1,000/s", None, round(changes / (CHANGES * every) * 250_000), None, "100 wanted, aim: 500; with a UDP echo at half of the port's rate, no datagram lost"))
    return rows + log_rows(progress) + added_rows(progress)


EXHIBIT = Exhibit(
    id="beehive-mgmt",
    title="Registers changed over TCP, logs read over UDP, NAT and tunnels",
    source="Beehive, sections V-E and V-F",
    differs="the paper says only that its tables are changed over TCP while traffic flows. Ours has a key and a nonce, and the figures are in cycles at the card's pins, without a network. The paper has no figures for a tunnel or NAT alone; ours are differences to a card that has a relay in the tile's place.",
    run=run,
)

# SPDX-License-Identifier: Apache-2.0
"""Random valid designs: all kinds of tiles, all fabrics and widths, parameters anywhere within their rules."""

from __future__ import annotations

import random

from girih.compiler.read.design import DROP_LOGS
from girih.spec.kinds import Kind, load_kinds
from girih.spec.message import LARGEST_FRAME, SUPPORTED_WIDTHS, TIME_BITS, CardParams
from girih.spec.parameters import Parameters

NAMES = [
    "a", "a_", "a__b", "a1", "a_1", "wire", "logic", "module", "begin", "node", "nodes", "ports", "tiles", "links", "ctrl", "now", "credits", "unused",
    "fabric_in", "fabric_out", "u_card", "mesh", "router", "card_sim", "echo1", "echo_1", "x" * 40, "i_p", "ip", "mac", "next", "kind", "at", "port",
]  # fmt: skip
MOST = {item.name: int(item.max) for item in load_kinds()["scheduler"].parameters if item.name in ("units", "services")}
MOST["tenants"] = 8  # a card with all that there can be takes minutes to build; test_most_tenants.py has one
UNITS = ("unit_aes", "unit_delay", "unit_null", "unit_sha")


class Names:
    """A name for each tile: mostly of its kind, sometimes a strange one."""

    def __init__(self, rng: random.Random):
        self.rng, self.strange, self.taken = rng, rng.sample(NAMES, len(NAMES)), set()

    def new(self, kind: str) -> str:
        name = self.strange.pop() if self.strange and self.rng.random() < 0.3 else kind
        while name in self.taken:
            name = f"{name[:30]}_{self.rng.randrange(1000)}"
        self.taken.add(name)
        return name


def parameters(kind: Kind, params: CardParams, rng: random.Random) -> dict[str, int]:
    """Some parameters of a kind at the limits of their rules or between, jointly valid."""
    values: dict[str, int] = {}
    for item in kind.parameters:
        if item.name in ("port", "units", "services", "tenants") or rng.random() < 0.6:
            continue
        known = Parameters(kind.parameters, params, values)
        limits = known.limits(item)
        if limits is None:
            continue
        low, high = limits
        between = [value for value in {low << step for step in range(8)} | {rng.randint(low, high)} if low <= value <= high and known.allows(item, value)]
        values[item.name] = rng.choice([low, rng.choice(between or [low]), *([high] if rng.random() < 0.2 else [])])
        after = Parameters(kind.parameters, params, values)
        if not all(after.allows(other, after.value(other)) for other in kind.parameters):
            del values[item.name]
    return values


def tile(name: str, kind: str, params: CardParams, rng: random.Random, **settings: object) -> str:
    values = parameters(load_kinds()[kind], params, rng) | settings
    if rng.random() < 0.15:
        values["drop_log"] = rng.choice(DROP_LOGS)
    return f"  {name}: {{{', '.join(f'{key}: {value}' for key, value in {'kind': kind, **values}.items())}}}\n"


def table(ways: dict) -> str:
    return "{" + ", ".join(f"{key}: {to}" for key, to in ways.items()) + "}"


def heading(params: CardParams, ports: int, places: int, rng: random.Random, chained: bool) -> str:
    """The keys of the card; its fabric has room for this many places."""
    sides = [(x, y) for x in range(1, 17) for y in range(1, 9) if places <= x * y <= places + 8]
    butterflies = [(x, y, t) for x in range(1, 8) for y in range(1, 4) for t in range(1, 5) if x * y > 1 and places <= x * y * t <= places + 6]
    fabrics = ["crossbar", f"{{crossbar: {places + rng.randrange(3)}}}"]
    fabrics += [f"{{mesh: {list(rng.choice(sides))}}}"] if sides else []
    fabrics += [f"{{butterfly: {list(rng.choice(butterflies))}}}"] if butterflies else []
    lines = [f"fabric: {rng.choice(fabrics)}", f"width: {params.data_width}", f"max_frame: {params.max_frame}", f"ports: {ports}"]
    lines += [f"clock_mhz: {rng.choice((1, 250, 1000))}", f"route_hops: {rng.randint(9 if chained else 1, 15)}", "mac: 02:00:00:00:00:01"]
    lines += [f"time_bits: {rng.choice(TIME_BITS)}", f"snapshots: {rng.choice(('true', 'false'))}"]
    return "\n".join([*rng.sample(lines, len(lines)), "tiles:\n"])


def random_params(rng: random.Random, chained: bool) -> CardParams:
    widths = [width for width in SUPPORTED_WIDTHS if not chained or width in load_kinds()["scheduler"].widths]
    frame = rng.choice((64, 65, 128, 1518, 9018, LARGEST_FRAME, rng.randint(64, 16383)))
    return CardParams.chained(rng.choice(widths), frame) if chained else CardParams(rng.choice(widths), frame)


def external_memory(params: CardParams, names: Names, rng: random.Random) -> list[str]:
    """A memory tile, of either sort, and copy engines with grants; sometimes also the host's memory, for the engines and a probe."""
    memory, copies = names.new("memory"), [names.new("copy") for _ in range(rng.randint(1, 3))]
    kind = random.Random(str(copies)).choice(("memory", "block_memory"))
    tiles, ways = [tile(memory, kind, params, rng, **grants_of(copies, rng))], memory
    if rng.random() < 0.5:
        dma = names.new("dma")
        tiles += host_memory(dma, copies, params, names, rng)
        ways = table({"memory": memory, "host": dma})
    return [*tiles, *(tile(copy, "copy", params, rng, next=ways) for copy in copies)]


def grants_of(askers: list[str], rng: random.Random) -> dict[str, str]:
    grants: dict[str, list] = {"node": askers, "last": [rng.randrange(1 << 28) for _ in askers], "rights": [rng.randrange(16) for _ in askers]}
    return {f"grant_{name}": f"[{', '.join(map(str, values))}]" for name, values in grants.items()}


def host_memory(dma: str, askers: list[str], params: CardParams, names: Names, rng: random.Random) -> list[str]:
    """A tile for the host's memory and a probe that uses it. askers: other tiles, which may be granted some of it."""
    probe = names.new("memory_probe")
    settings = grants_of([probe, *askers], rng) | {"upper": rng.randrange(1 << 24)}
    return [tile(dma, "dma", params, rng, **settings), tile(probe, "memory_probe", params, rng, next=dma)]


def stack(rng: random.Random) -> str:
    """A network stack at each of one or two ports: UDP port 7 echoes; relays, buffers, balancers and tiles that ask others lie anywhere between;
    sometimes with TCP and a memory."""
    params, names, ports = random_params(rng, False), Names(rng), rng.choice((1, 1, 2))
    tiles: list[str] = []

    def through(to: str) -> str:
        """A tile, or one or two others that lead to it."""
        for _ in range(rng.choice((0, 0, 0, 1, 2))):
            kind = rng.choice(("relay", "buffer", "requester"))
            name, after = names.new(kind), to
            if kind == "requester":
                responder = names.new("responder")
                tiles.append(tile(responder, "responder", params, rng))
                after = table({"requests": responder, "replies": to})
            tiles.append(tile(name, kind, params, rng, next=after))
            to = name
        return to

    for port in range(ports):
        here = {kind: names.new(kind) for kind in ("eth_rx", "ipv4_rx", "udp_rx", "udp_tx", "ipv4_tx", "eth_tx")}
        receiver = random.Random(str(here)).choice(("udp_rx", "udp_rx", "udp_rx_cut_through"))
        ip = f"10.77.{port}.2/24"
        resolved = rng.random() < 0.5
        ways: dict = {"ipv4": here["ipv4_rx"]}
        leased = not port and resolved and params.max_frame >= 590 and rng.random() < 0.3  # by a DHCP client, a third master of the control network
        asked, last = {}, here["eth_tx"]
        if rng.random() < 0.3:  # the frames sent are recorded in a log that can be read
            log, ask, answers = names.new("log"), names.new("buffer"), names.new("buffer")
            asked, last = {5140: ask}, log
            tiles.append(tile(log, "log", params, rng, questions=ask, reader=f"10.77.{port}.1", next=table({"answer": answers, "any": here["eth_tx"]})))
            tiles += [tile(ask, "buffer", params, rng, next=log), tile(answers, "buffer", params, rng, next=here["udp_tx"])]
        out = last
        if resolved:
            out = ways["arp"] = names.new("arp")
            tiles.append(tile(out, "arp", params, rng, next=through(last), ip=ip, mac=f"02:00:00:00:00:0{port + 1}"))
        elif rng.random() < 0.3 and not port:  # a tile with interrupts, and a master of the control network that clears them
            alarm = ways["arp"] = names.new("alarm")
            tiles.append(tile(alarm, "alarm", params, rng))
            tiles.append(tile(names.new("keeper"), "keeper", params, rng, watched=alarm, control=f"{{read: [{alarm}], write: [{alarm}]}}"))
        apps = [rng.choice(("echo", "echo", "shout", "stun", "inverter")) for _ in range(rng.randint(1, 3))]
        own = {app: names.new(kind) for app, kind in enumerate(apps)}
        tiles += [tile(own[app], kind, params, rng, next=through(here["udp_tx"])) for app, kind in enumerate(apps)]
        keys: dict = {7 + app: name for app, name in own.items()}
        if len(own) > 1 and rng.random() < 0.5:
            balancer = names.new("balancer")
            tiles.append(tile(balancer, "balancer", params, rng, by_flow=rng.choice(("true", "false")), next=f"[{', '.join(own.values())}]"))
            keys = {rng.choice((7, "any")): balancer}
        protocols = {"udp": through(here["udp_rx"])}
        if rng.random() < 0.5:
            protocols["icmp"] = names.new("icmp")
            tiles.append(tile(protocols["icmp"], "icmp", params, rng, next=through(here["ipv4_tx"])))
        if rng.random() < 0.4 and not port:  # two more masters of the control network
            kinds = ("tcp", "tcp_echo", "tcp_discard", "tcp_chargen", "http", "controller")
            protocols["tcp"], app, sink, text, web, controller = (names.new(kind) for kind in kinds)
            sockets = "sockets"
            room = {"connections": rng.choice((16, 64)), "window": rng.choice((2048, 8192)), "listen": "[7, 9, 19, 80, 90, 5000]"}
            places = {"connections": rng.choice((room["connections"], 1024))}
            stack = random.Random(str(room)).choice(("tcp", "tcp_duplex"))
            tiles.append(tile(protocols["tcp"], stack, params, rng, **room, ip=ip, next=table({"network": here["ipv4_tx"], 7: app, 9: sink, 19: text, 90: controller, 5000: sockets, "any": web})))
            tiles.append(tile(app, "tcp_echo", params, rng, next=protocols["tcp"]))
            tiles.append(tile(sink, "tcp_discard", params, rng, least=rng.choice((0, 1, 5000)), next=protocols["tcp"]))
            tiles.append(tile(text, "tcp_chargen", params, rng, **places, bytes=rng.choice((0, 1, 9000)), room=rng.choice((0, 16000)), next=protocols["tcp"]))
            tiles.append(f"  {sockets}: {{kind: socket, backlog: {min(places['connections'], 256)}, next: {protocols['tcp']}}}\n")
            tiles.append(tile(web, "http", params, rng, **places, control=f"{{read: [{web}, {app}]}}", next=protocols["tcp"]))
            reach = f"{{read: [{controller}, {web}], write: [{protocols['tcp']}]}}"
            tiles.append(tile(controller, "controller", params, rng, control=reach, next=protocols["tcp"]))
        chance = random.Random("".join(tiles))  # a generator of its own, so that the designs of the other seeds do not change
        if not port and "tcp" not in protocols and params.max_frame >= 189 and chance.random() < 0.4:  # a master that receives their interrupts and watches a counter
            reached = f"[{', '.join([*own.values(), *[ways[key] for key in ways if key == 'arp']])}]"
            settings = {"ip": ip, "collector": f"10.77.{port}.1", "interval": 1000, "watch": f"[{own[0]}.in_messages]", "next": here["udp_tx"]}
            tiles.append(tile("tells", "syslog", params, chance, **settings, control=f"{{read: {reached}, write: {reached}}}"))
        fixed = {} if leased else {"ip": ip}
        if leased:
            client = names.new("dhcp")
            written = f"{{write: [{here['ipv4_rx']}, {here['ipv4_tx']}]}}"
            tiles.append(tile(client, "dhcp", params, rng, second_cycles=1000, control=written, next=table({**ways, "client": here["ipv4_tx"], "probe": here["eth_tx"]})))
            ways = {"any": client}
        tiles.append(tile(here["eth_rx"], "eth_rx", params, rng, port=port, next=table(ways)))
        tiles.append(tile(here["ipv4_rx"], "ipv4_rx", params, rng, **fixed, next=table(protocols)))
        tiles.append(tile(here["udp_rx"], receiver, params, rng, next=table(asked | keys)))
        tiles.append(tile(here["udp_tx"], "udp_tx", params, rng, next=through(here["ipv4_tx"])))
        tiles.append(tile(here["ipv4_tx"], "ipv4_tx", params, rng, **fixed, ttl=rng.randint(1, 255), next=through(out)))
        tiles.append(tile(here["eth_tx"], "eth_tx", params, rng, port=port, reflect="false" if resolved else "true"))
    if rng.random() < 0.3:
        tiles += external_memory(params, names, rng)
    ends = len(tiles) + sum("kind: tcp_duplex" in line for line in tiles)  # a tcp_duplex has two fabric ports
    return heading(params, ports, ends, rng, False) + "".join(rng.sample(tiles, len(tiles)))


def services(rng: random.Random) -> str:
    """A programmable NIC: one to three ports, any number of services, units, tenants and chains."""
    params, names, ports = random_params(rng, True), Names(rng), rng.randint(1, 3)
    wires = [names.new("rmt_port") for _ in range(ports)]
    relay = names.new("relay")
    channels, lanes = rng.randint(1, 4), [rng.randint(1, 3) for _ in wires]
    tiles = []
    for port, name in enumerate(wires):
        kind = rng.randrange(2)  # of the first table, which selects chains: exact or ternary
        settings = {"port": port, "lanes": lanes[port], "exit": wires[(port + 1) % ports] if ports > 1 else relay, "kind_0": kind}
        settings |= {"key_halves_0": rng.choice((8, 10)), "entries_0": rng.choice((16, 256)), "stages": rng.randint(1, 2)}
        tiles.append(tile(name, "rmt_port", params, rng, **settings))
    if ports == 1:
        chance = random.Random("".join(tiles))
        behind = wires[0]
        if chance.random() < 0.5:  # what leaves the services comes to further tables, and only then to the port
            behind = "tables"
            settings = {"exit": wires[0], "kind_0": kind, "key_halves_0": chance.choice((8, 10)), "entries_0": chance.choice((16, 256)), "stages": chance.randint(1, 2)}
            tiles.append(tile(behind, "rmt_inner", params, chance, **settings))
        tiles.append(tile(relay, "relay", params, rng, next=behind))
    most = rng.random() < 0.05  # units and services that a scheduler can have
    units = [rng.choice(UNITS) for _ in range(MOST["units"] if most else rng.randint(1, 6))]
    own = [names.new(kind) for kind in units]
    theirs = {name: parameters(load_kinds()[kind], params, rng) for name, kind in zip(own, units)}
    tiles += [f"  {name}: {table({'kind': kind, **theirs[name]})}\n" for name, kind in zip(own, units)]
    slots = rng.randint(1, min(values.get("lossless_slots", 1) for values in theirs.values()))
    scheduler = load_kinds()["scheduler"]
    tenants = rng.choice((rng.randint(0, 3), MOST["tenants"] - 1))  # in addition to the operator
    known_tenants = {"tenants": 4 if tenants < 4 else MOST["tenants"]}
    while True:
        values = parameters(scheduler, params, rng) | {"channels": channels, "lossless_slots": slots, "most_queues": MOST["services"] * MOST["tenants"]}
        known = Parameters(scheduler.parameters, params, values | known_tenants)
        if all(known.allows(item, known.value(item)) for item in scheduler.parameters):
            break
    tiles.append(f"  {names.new('scheduler')}: {{{', '.join(f'{key}: {value}' for key, value in {'kind': 'scheduler', **values}.items())}}}\n")
    count = MOST["services"] if most else rng.randint(1, len(own))
    groups = [own[start::count] for start in range(count)]
    text = heading(params, ports, len(tiles) - 1 + channels + sum(lanes) - ports, rng, True) + "".join(rng.sample(tiles, len(tiles)))
    policies = ("strict", "fair", "slack", "shaped", "{fair: {0: 2, 1: 1}}", "{strict: {0: 3}}", "{shaped: {0: {mbps: 1000, burst: 3000}}}")
    text += "services:\n"
    for number, group in enumerate(groups):
        settings = {"units": f"[{', '.join(group)}]", "policy": rng.choice(policies), "push": rng.choice(("never", "credit", "always"))}
        settings |= {"credits": rng.choice((1, 16, 255)), "affinity": rng.choice(("true", "false")), "share": rng.choice(("true", "false"))}
        text += f"  s{number}: {{{', '.join(f'{key}: {value}' for key, value in settings.items())}}}\n"
    if tenants:
        text += "tenants:\n" + "".join(f"  t{number}: {{weight: {rng.randint(1, 255)}, guarantee: {rng.choice((0, 64))}}}\n" for number in range(tenants))
    chains = rng.randint(0, 6)
    if chains:
        text += "chains:\n"
        for number in range(chains):
            hops = ", ".join(f"s{rng.randrange(count)}" for _ in range(rng.randint(1, 8)))
            tenant = f", tenant: t{rng.randrange(tenants)}" if tenants else ""
            text += f"  c{number}: {{services: [{hops}], match: {{udp.dst: {1000 + number}}}{tenant}}}\n"
    return text


def baseline(rng: random.Random) -> str:
    """The baseline NIC, which needs no fabric, or one for a host."""
    params, names = random_params(rng, False), Names(rng)
    if rng.random() < 0.5:
        return heading(params, 1, 1, rng, False) + tile(names.new("pipeline_nic"), "pipeline_nic", params, rng, port=0)
    receive, host, transmit = (names.new(kind) for kind in ("eth_rx", "virtio_net", "eth_tx"))
    tiles = [tile(receive, "eth_rx", params, rng, port=0, promiscuous="true", next=table({"any": host}))]
    tiles += [tile(host, "virtio_net", params, rng, next=table({"any": transmit})), tile(transmit, "eth_tx", params, rng, port=0)]
    if rng.random() < 0.5:
        tiles += host_memory(names.new("dma"), [], params, names, rng)
    return heading(params, 1, len(tiles), rng, False) + "".join(rng.sample(tiles, len(tiles)))


def random_card(rng: random.Random) -> str:
    return rng.choice((stack, stack, stack, services, services, services, baseline))(rng)

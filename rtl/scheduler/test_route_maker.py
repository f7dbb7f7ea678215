# SPDX-License-Identifier: Apache-2.0
"""route_maker against a model: units of later hops as far as their services are pushed to, then the exit."""

import random

import cocotb
import pytest
from cocotb.triggers import Timer

from girih.spec.message import CardParams, descriptor_fields, pack, struct_fields, unpack
from girih.testing import run_cocotb

DESC = descriptor_fields(CardParams.chained(512))
HOP = struct_fields("hop")
SERVICES, HOPS = 8, 8


@pytest.mark.parametrize("data_width", [512])
def test_route_maker(data_width):
    run_cocotb("route_maker", __file__, data_width=data_width, chained=True)


def route_of(node: int, services: list[int], exit_node: int, lossless: int, push: int, nodes: list[int]) -> list[int]:
    route = [node]
    if lossless:
        return route
    for service in services[1:]:
        if not push >> service & 1 or nodes[service] == route[-1]:
            return route
        route.append(nodes[service])
    return [*route, exit_node]


@cocotb.test()
async def routes(dut):
    lengths = set()
    for _ in range(5000):
        services = [random.randrange(SERVICES) for _ in range(random.randint(1, HOPS))]
        nodes = [0x10 + random.randrange(12) for _ in range(SERVICES)]
        push = random.choice([0xFF, 0xFF, random.getrandbits(8) | random.getrandbits(8), 0])
        lossless, exit_node = int(random.random() < 0.1), 0x40 + random.randrange(4)
        chain = [pack(HOP, {"service": s, "rank_class": random.getrandbits(4), "meta": random.getrandbits(8)}) for s in services]
        desc = {
            "chain": chain + [random.getrandbits(16) for _ in range(HOPS - len(chain))],
            "chain_count": len(services),
            "exit": exit_node,
            "lossless": lossless,
            "route_count": random.randrange(9),
            "rank_valid": random.getrandbits(1),
            "detoured": random.getrandbits(1),
            "credit": random.getrandbits(1),
            "tenant": random.getrandbits(4),
        }
        desc["chain"] = [(hop & 0x0FFF) | (hop >> 12) % SERVICES << 12 for hop in desc["chain"]]
        node = random.choice(nodes)
        dut.desc_i.value = pack(DESC, desc)
        dut.node_i.value = node
        dut.first_i.value = sum(1 << s for s in range(SERVICES) if push >> s & 1 and nodes[s] != node)
        dut.push_node_i.value = sum(n << 8 * s for s, n in enumerate(nodes))
        passes = [(t, s) for t in range(SERVICES) for s in range(SERVICES) if push >> t & 1 and nodes[t] != nodes[s]]
        dut.pass_i.value = sum(1 << SERVICES * t + s for t, s in passes)
        await Timer(1, "ns")
        out = unpack(DESC, int(dut.desc_o.value))
        route = route_of(node, services, exit_node, lossless, push, nodes)
        assert out["route"][: out["route_count"]] == route
        lengths.add(len(route))
        assert (out["credit"], out["detoured"], out["rank_valid"]) == (1, 0, 0)
        for name in ("chain", "chain_count", "exit", "lossless", "tenant"):
            assert out[name] == desc[name]
    assert lengths == set(range(1, HOPS + 2))

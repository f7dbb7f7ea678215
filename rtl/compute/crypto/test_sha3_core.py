# SPDX-License-Identifier: Apache-2.0
"""SHA-3-512 against FIPS 202's values for known messages and against hashlib."""

import hashlib
import os
import random

import cocotb
import pytest

from girih.spec.message import pack, struct_fields
from girih.testing import run_cocotb
from girih.testing.cores import Core, Packet

WRITE, VERIFY = 0, 1
BLOCK_BYTES, BLOCK_CYCLES = 72, 24
LANES = int(os.environ.get("LANES", "4"))

# NIST's examples and the short-message vectors of the standard's validation suite.
VECTORS = {
    "": "a69f73cca23a9ac5c8b567dc185a756e97c982164fe25859e0d1dcc1475c80a6"
    "15b2123af1f5f94c11e3e9402c3ac558f500199d95b6d3e301758586281dcd26",
    "616263": "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e"
    "10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0",
    "a3" * 200: "e76dfad22084a8b1467fcf2ffa58361bec7628edf5f3fdc0e4805dc48caeeca8"
    "1b7c13c30adf52a3659584739a2df46be589c51ca1a4a8416df6545a1ce8ba00",
}


@pytest.mark.parametrize("data_width, lanes", [(128, 1), (256, 2), (512, 4), (1024, 3)])
def test_sha3_core(data_width, lanes):
    run_cocotb(
        "sha3_core",
        __file__,
        data_width=data_width,
        chained=True,
        parameters={"Lanes": lanes},
        environment={"LANES": str(lanes)},
    )


def packet(message: bytes, digest: bytes, mode: int) -> Packet:
    hop = pack(struct_fields("hop"), {"meta": mode})
    return Packet(message + digest, {"chain_count": 1, "chain": [hop], "flow": len(message)})


@cocotb.test()
async def vectors_of_the_standard(dut):
    core = Core(dut)
    await core.start()
    for message, digest in VECTORS.items():
        core.send(packet(bytes.fromhex(message), bytes(64), WRITE))
        core.send(packet(bytes.fromhex(message), bytes.fromhex(digest), VERIFY))
    await core.drain(2 * len(VECTORS))
    for index, (message, digest) in enumerate(VECTORS.items()):
        written, verified = core.received[2 * index : 2 * index + 2]
        assert written.data == verified.data == bytes.fromhex(message + digest)
        assert not written.void and not verified.void


@cocotb.test()
async def random_messages(dut):
    rng = random.Random(5)
    core = Core(dut, idle=0.05, stall=0.1)
    await core.start()
    sizes = [*range(0, 150, 3), 71, 72, 143, 144, *(rng.randint(0, 1400) for _ in range(30)), 8900]
    rng.shuffle(sizes)
    wanted = []
    for size in sizes:
        message = rng.randbytes(size)
        digest = hashlib.sha3_512(message).digest()
        mode = rng.choice((WRITE, VERIFY))
        given = digest if mode == VERIFY else rng.randbytes(64)
        spoiled = mode == VERIFY and rng.random() < 0.3
        if spoiled:
            place = rng.randrange(64)
            given = given[:place] + bytes([given[place] ^ 1 << rng.randrange(8)]) + given[place + 1 :]
        wanted.append((message + (given if mode == VERIFY else digest), spoiled, size))
        core.send(packet(message, given, mode))
    await core.drain(len(wanted))
    got = [(each.data, each.void, each.desc["flow"]) for each in core.received]
    assert got == wanted


@cocotb.test()
async def no_room_for_a_digest(dut):
    core = Core(dut)
    await core.start()
    sizes = (1, 63, 64, 65)
    for size in sizes:
        core.send(Packet(bytes(range(size)), {}))
    await core.drain(len(sizes))
    assert [each.void for each in core.received] == [True, True, False, False]
    assert [len(each.data) for each in core.received] == list(sizes)
    assert core.received[0].data == bytes(range(1))


@cocotb.test()
async def lanes_are_never_idle(dut):
    core = Core(dut)
    await core.start()
    blocks = 15
    count = 6 * LANES
    for _ in range(count):
        core.send(packet(bytes(BLOCK_BYTES * blocks - 1), bytes(64), WRITE))
    await core.drain(count)
    ends = [each.last for each in core.received]
    spent = ends[-1] - ends[2 * LANES - 1]
    ideal = (count - 2 * LANES) // LANES * blocks * BLOCK_CYCLES
    assert spent <= ideal * 1.02, f"{spent} cycles for what takes {ideal}"

# SPDX-License-Identifier: Apache-2.0
"""unit_aes: payloads are encrypted under their tenant's key, headers untouched; without a key they are dropped."""

import random

import cocotb
import pytest
from cocotb.triggers import RisingEdge
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from girih.spec.message import pack
from girih.testing import run_cocotb
from girih.testing.messages import Message
from rtl.compute.compute_bench import HOP, UnitBench, done_desc, random_desc

KEYS = 4  # of each tenant


@pytest.mark.parametrize("data_width, output_flits", [(128, 0), (512, 512)])
def test_unit_aes_engine(data_width, output_flits):
    run_cocotb(
        "unit_aes_engine", __file__, data_width=data_width, chained=True, parameters={"OutputFlits": output_flits}
    )


async def write(dut, address: int, data: int, tenant: int) -> None:
    dut.window_valid_i.value, dut.window_write_i.value = 1, 1
    dut.window_addr_i.value, dut.window_data_i.value, dut.window_tenant_i.value = address, data, tenant
    await RisingEdge(dut.clk_i)
    while dut.window_done_o.value != 1:
        await RisingEdge(dut.clk_i)
    assert dut.window_error_o.value == 0
    dut.window_valid_i.value = 0
    await RisingEdge(dut.clk_i)


async def load(dut, key: bytes, salt: bytes, index: int, tenant: int) -> None:
    for word in range(8):
        await write(dut, 4 * word, int.from_bytes(key[4 * word : 4 * word + 4], "little"), tenant)
    await write(dut, 0x20, int.from_bytes(salt, "little"), tenant)
    await write(dut, 0x24, index, tenant)


def encrypted(key: bytes, salt: bytes, payload: bytes) -> bytes:
    vector, text = payload[:8], payload[8:]
    cipher = Cipher(algorithms.AES(key), modes.CTR(salt + vector.ljust(8, b"\0") + (1).to_bytes(4, "big")))
    return vector + cipher.encryptor().update(text)


@cocotb.test()
@cocotb.parametrize(traffic=[(0.0, 0.0), (0.3, 0.5)])
async def payloads_are_encrypted(dut, traffic):
    dut.window_valid_i.value = 0
    bench = await UnitBench.start(dut, "unit_aes", {"slots": 255}, idle=traffic[0], stall=traffic[1])
    keys = {}
    for tenant in (1, 2, 3):
        for index in range(KEYS - 1):
            keys[tenant, index] = random.randbytes(32), random.randbytes(4)
            await load(dut, *keys[tenant, index], index, tenant)
    sent, chosen = [], {}
    for tag in range(80):
        offset = random.randint(14, 100)
        data = tag.to_bytes(4, "little") + random.randbytes(offset - 4 + random.randint(9, 400))
        tenant, index = random.randint(1, 3), random.randrange(KEYS)
        hops = [pack(HOP, {"meta": index}), *[random.getrandbits(16) for _ in range(7)]]
        desc = random_desc(len(data), payload_offset=offset, chain=hops, chain_count=2, tenant=tenant, detoured=0)
        sent.append(Message(data, desc))
        chosen[data[:4]] = keys.get((tenant, index))
    ledger = await bench.run(sent)
    for done in ledger.done:
        origin = ledger.origin(done)
        key = chosen[done.data[:4]]
        assert done.bad == (key is None)
        if key is not None:
            offset = origin.desc["payload_offset"]
            assert done.data == origin.data[:offset] + encrypted(*key, origin.data[offset:])
            kept = {k: v for k, v in done_desc(origin.desc).items() if not k.startswith("payload_sum")}
            assert done.desc == done.desc | kept
    assert all(chosen[m.data[:4]] is None for m in ledger.missing)
    assert ledger.done and len(ledger.missing) == bench.events.count["drop_engine"]

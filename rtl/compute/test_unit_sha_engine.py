# SPDX-License-Identifier: Apache-2.0
"""unit_sha: payloads get their digests, headers are untouched; a wrong digest is dropped and counted."""

import hashlib
import random

import cocotb
import pytest

from girih.spec.message import pack
from girih.testing import run_cocotb
from girih.testing.messages import Message
from rtl.compute.compute_bench import HOP, UnitBench, done_desc, random_desc

DIGEST = 64
WRITE, CHECK = 0, 1


@pytest.mark.parametrize("data_width", [128, 512])
def test_unit_sha_engine(data_width):
    run_cocotb("unit_sha_engine", __file__, data_width=data_width, chained=True)


def message(tag: int, payload: bytes, what: int) -> Message:
    offset = random.randint(14, 100)
    data = tag.to_bytes(4, "little") + random.randbytes(offset - 4) + payload
    hops = [pack(HOP, {"meta": what}), *[random.getrandbits(16) for _ in range(7)]]
    return Message(data, random_desc(len(data), payload_offset=offset, chain=hops, chain_count=2, detoured=0))


@cocotb.test()
@cocotb.parametrize(traffic=[(0.0, 0.0), (0.3, 0.5)])
async def digests(dut, traffic):
    bench = await UnitBench.start(dut, "unit_sha", {"slots": 255}, idle=traffic[0], stall=traffic[1])
    sent, wrong = [], set()
    for tag in range(40):
        text = random.randbytes(random.choice([0, 8, random.randint(0, 300)]))
        digest = hashlib.sha3_512(text).digest()
        what = random.choice([WRITE, CHECK])
        if what == WRITE:
            digest = random.randbytes(DIGEST)
        elif random.random() < 0.3:
            digest = random.randbytes(DIGEST)
            wrong.add(tag.to_bytes(4, "little"))
        sent.append(message(tag, text + digest, what))
    ledger = await bench.run(sent)
    seen_wrong = set()
    for done in ledger.done:
        origin = ledger.origin(done)
        if done.data[:4] in wrong:
            seen_wrong.add(done.data[:4])
            assert done.bad
            continue
        text = origin.data[origin.desc["payload_offset"] : -DIGEST]
        assert done.data == origin.data[:-DIGEST] + hashlib.sha3_512(text).digest()
        kept = {k: v for k, v in done_desc(origin.desc).items() if not k.startswith("payload_sum")}
        assert done.desc == done.desc | kept and not done.bad
    assert {m.data[:4] for m in ledger.missing} <= wrong
    assert len(ledger.missing) == bench.events.count["drop_engine"]
    assert wrong and len(wrong) == len(seen_wrong) + len(ledger.missing)

# SPDX-License-Identifier: Apache-2.0
"""What each simulation does before cocotb imports the test's module: it limits its processor time and the work of
Python's collector, and sets clocks and resets.

Everything else starts at random, inputs too, and a design without reset would act on these values.
"""

import gc

import cocotb
from cocotb.handle import Immediate

from girih.testing import time_limit

time_limit.enforce()

# scapy's packets are many small objects that Python's collector would look at again and again.
gc.freeze()
gc.set_threshold(50_000, 20, 20)

# A clock is named clk_i or SIDE_clk_i, and a reset alike.
for _name in dir(cocotb.top):
    if f"_{_name}".endswith(("_clk_i", "_rst_i")):
        getattr(cocotb.top, _name).value = Immediate(int(_name.endswith("rst_i")))

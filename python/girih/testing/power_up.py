# SPDX-License-Identifier: Apache-2.0
"""The state of a design's clock and reset before a test's first cycle; cocotb imports this before the test's module.

Everything else starts at random, inputs too, and a design without reset would act on these values.
"""

import cocotb
from cocotb.handle import Immediate

for _name, _level in (("clk_i", 0), ("rst_i", 1)):
    if hasattr(cocotb.top, _name):
        getattr(cocotb.top, _name).value = Immediate(_level)

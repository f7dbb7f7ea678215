# SPDX-License-Identifier: Apache-2.0
"""What the repository's unit tests share: the runner, messages on links, engines, the control ring."""

from girih.testing.cases import some_of
from girih.testing.runner import SEED, VERILATOR_ARGS, WIDTHS, run_cocotb

__all__ = ["SEED", "VERILATOR_ARGS", "WIDTHS", "run_cocotb", "some_of"]

# SPDX-License-Identifier: Apache-2.0
"""Last pass: emits a card's SystemVerilog, registers, manifest and tables."""

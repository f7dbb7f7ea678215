# SPDX-License-Identifier: Apache-2.0
"""Last pass: what is made of a card: SystemVerilog, registers, manifest, tables."""

# SPDX-License-Identifier: Apache-2.0
"""Programs of processor cores: compiled from C, and loaded over the control network."""

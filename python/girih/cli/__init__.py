# SPDX-License-Identifier: Apache-2.0
"""The command line: one module per command, each with `register(app)`."""

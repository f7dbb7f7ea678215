# SPDX-License-Identifier: Apache-2.0
"""The compiler of design files: parse, read, check, place, emit. Each pass is a pure function."""

# SPDX-License-Identifier: Apache-2.0
"""Third pass: turns a Design into a checked Card, and proposes repairs for a design that can hang."""

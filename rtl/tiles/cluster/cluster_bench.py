# SPDX-License-Identifier: Apache-2.0
"""The program of the tests of clusters."""

from pathlib import Path

CREW = Path(__file__).parent / "programs" / "crew.c"
WORK, DROP, LOOP, AWAY, WILD, KEEP, STOP, FLOOD, MAIL, TAKE, VANISH, MAKE, CHURN = range(13)  # its commands

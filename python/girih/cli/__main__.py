# SPDX-License-Identifier: Apache-2.0
import signal
import sys

from girih import interrupts


def end(number: int, _: object) -> None:
    """Ends a command, cleaned up."""
    interrupts.ignore_hangups()
    interrupts.came.append(number)
    raise KeyboardInterrupt


for number in interrupts.NUMBERS:
    if number == signal.SIGTERM or signal.getsignal(number) != signal.SIG_IGN:  # as SIGINT is in the background of a shell, and SIGHUP under nohup
        signal.signal(number, end)
try:
    from girih.cli.main import main

    main()
except KeyboardInterrupt:
    sys.exit(130)
except Exception:
    if not interrupts.came:
        raise
    sys.exit(130)  # a library that is not written in Python has taken the interrupt for one of its errors

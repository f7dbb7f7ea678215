# SPDX-License-Identifier: Apache-2.0
import signal
import sys

signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends a command as Ctrl-C does: cleaned up
try:
    from girih.cli.main import main

    main()
except KeyboardInterrupt:
    sys.exit(130)

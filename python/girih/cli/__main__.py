# SPDX-License-Identifier: Apache-2.0
from girih.cli.main import main

main()

# SPDX-License-Identifier: Apache-2.0
"""A card with services, and the commands that read and change it while it runs."""

import json

import pytest

from girih.card import VirtualCard
from girih.cli import main as cli
from tests.control.running import running


@pytest.fixture
def card(built):
    with VirtualCard(built("panic"), collect=True) as card:
        yield card


@pytest.fixture(scope="module")
def shared(built):
    """A running card for tests that leave it unchanged; ipsec has a chain there."""
    with VirtualCard(built("panic")) as card:
        card.services.as_tenant("ipsec").add_chain("theirs", ["aes"], match={"udp.dst": 6002})
        with running(card) as path:
            yield path


@pytest.fixture
def girih(capsys):
    """`girih(path, "ctl", ...)`: exit code, output, errors."""

    def call(path, *words: object) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as done:
            cli.main([*map(str, words), "--socket", str(path)])
        printed = capsys.readouterr()
        assert "Traceback" not in printed.out + printed.err
        return int(done.value.code), printed.out, printed.err

    return call


@pytest.fixture
def ctl(girih):
    """`ctl(path, "chain", "list")`: its JSON output. The command must succeed."""

    def call(path, *words: object):
        code, output, errors = girih(path, "ctl", *words, "--json")
        assert code == 0, errors
        return json.loads(output)

    return call


@pytest.fixture
def top(girih):
    """`top(path)`: the numbers that `./girih top --json` gives."""

    def call(path) -> dict:
        code, output, errors = girih(path, "top", "--json")
        assert code == 0, errors
        return json.loads(output)

    return call

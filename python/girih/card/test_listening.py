# SPDX-License-Identifier: Apache-2.0
"""Unix sockets: whoever sees the path can connect."""

import socket

import pytest

from girih.card import vhost_socket
from girih.card.listening import listening


@pytest.mark.parametrize("make", [listening, vhost_socket.listener])
def test_no_path_is_seen_before_its_socket_listens(make, tmp_path, monkeypatch):
    path, seen = tmp_path / "card.sock", []

    class Watched(socket.socket):
        def listen(self, *most):
            seen.append(path.exists())
            super().listen(*most)
            seen.append(path.exists())

    monkeypatch.setattr(socket, "socket", Watched)
    with make(path), socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
        assert seen == [False, False]
        assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("make", [listening, vhost_socket.listener])
def test_a_path_that_exists_is_left_alone(make, tmp_path):
    path = tmp_path / "card.sock"
    path.write_text("mine")
    with pytest.raises(OSError, match="in use"):
        make(path)
    assert list(tmp_path.iterdir()) == [path] and path.read_text() == "mine"


def test_a_socket_that_is_served_is_not_replaced(tmp_path):
    path = tmp_path / "card.sock"
    with vhost_socket.listener(path), pytest.raises(OSError, match="in use"):
        vhost_socket.listener(path)
    with vhost_socket.listener(path), socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))


@pytest.mark.parametrize("make", [listening, vhost_socket.listener])
def test_the_longest_path_can_be_connected_to_and_a_longer_one_is_refused(make, tmp_path):
    path = tmp_path / ("x" * (107 - len(bytes(tmp_path)) - 1))
    with make(path), socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
    with pytest.raises(OSError, match="too long"):
        make(path.with_name(path.name + "x"))
    assert list(tmp_path.iterdir()) == [path]

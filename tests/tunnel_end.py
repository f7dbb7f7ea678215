# SPDX-License-Identifier: Apache-2.0
"""The other end of an IP-in-IP tunnel, for a kernel without the module ipip: between a TUN device, to which the kernel's programs
talk, and a raw socket of protocol 4, whose packets the kernel's own IPv4 sends and receives.

    python tests/tunnel_end.py tun0 192.168.99.1/24 10.77.0.2

Says `ready`, then runs until it is killed."""

from __future__ import annotations

import fcntl
import os
import select
import socket
import struct
import subprocess
import sys

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 1, 0x1000
LARGEST = 65535


def main(device: str, address: str, remote: str) -> None:
    tun = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(tun, TUNSETIFF, struct.pack("16sH22x", device.encode(), IFF_TUN | IFF_NO_PI))
    subprocess.run(["ip", "address", "add", address, "dev", device], check=True)
    subprocess.run(["ip", "link", "set", device, "mtu", "1480", "up"], check=True)
    wire = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_IPIP)
    wire.connect((remote, 0))
    print("ready", flush=True)
    while True:
        for end in select.select([tun, wire.fileno()], [], [])[0]:
            if end != tun:
                packet = wire.recv(LARGEST)
                os.write(tun, packet[4 * (packet[0] & 15) :])
                continue
            packet = os.read(tun, LARGEST)
            if packet[0] >> 4 == 4:  # the kernel also asks for routers of IPv6
                wire.setsockopt(socket.IPPROTO_IP, socket.IP_TOS, packet[1])
                wire.send(packet)


if __name__ == "__main__":
    main(*sys.argv[1:])

#!/usr/bin/env python3
"""Another implementation of mDNS, to be run in a network namespace.

    mdns_peer.py watch            prints what is announced, one JSON object a line
    mdns_peer.py hostile ADDRESS  announces records that are wrong, over and over
"""

import json
import socket
import struct
import sys
import time

from zeroconf import IPVersion, ServiceBrowser, ServiceStateChange, Zeroconf

TYPE = "_gridrace._tcp.local."
GROUP, PORT = "224.0.0.251", 5353
A, PTR, TXT, SRV = 1, 12, 16, 33
VERSION = 5


def watch():
    zeroconf, known = Zeroconf(ip_version=IPVersion.All), {}

    def changed(zeroconf, service_type, name, state_change):
        if state_change is not ServiceStateChange.Removed:
            known.setdefault(name)
        elif known.pop(name, None):
            print(json.dumps({"event": "removed", "name": name}), flush=True)

    ServiceBrowser(zeroconf, TYPE, handlers=[changed])
    while True:
        for name, before in list(known.items()):
            info = zeroconf.get_service_info(TYPE, name)
            if info is None:
                continue
            text = {key.decode(): (value or b"").decode() for key, value in info.properties.items()}
            addresses = sorted(info.parsed_addresses())
            seen = {"name": name, "addresses": addresses, "port": info.port, "text": text}
            if seen != before and name in known:
                known[name] = seen
                print(json.dumps({"event": "seen", **seen}), flush=True)
        time.sleep(0.1)


def name(*labels):
    return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"


def record(owner, kind, data, ttl=120):
    return owner + struct.pack("!HHIH", kind, 1, ttl, len(data)) + data


def packet(records):
    return struct.pack("!6H", 0, 0x8400, 0, len(records), 0, 0) + b"".join(records)


def service(label, strings, address, port=7415):
    """The records of a service whose name and host are `label`."""
    kind = name(b"_gridrace", b"_tcp", b"local")
    full, host = bytes([len(label)]) + label + kind, name(label, b"local")
    text = b"".join(bytes([len(string)]) + string for string in strings)
    return packet([
        record(kind, PTR, full),
        record(full, SRV, struct.pack("!3H", 0, 0, port) + host),
        record(full, TXT, text),
        record(host, A, socket.inet_aton(address)),
    ])


def hostile_packets(address):
    room = b"room1=KQZT slide:4x4 lobby"
    version = b"v=%d" % VERSION
    yield service(b"\x1b[2J\x1b[31mred", [version, room.replace(b"KQZT", b"KQZ\x1b")], address)
    yield service(b"escapes", [version, b"room1=KQZT \x1b]0;x\x07 lobby", b"\x1b[2J=1"], address)
    yield service(b"bytes", [b"v=\xff\xfe", room], address)
    yield service(b"version", [b"v=999999999999999999999", room], address)
    yield service(b"other", [b"v=4", room], address)
    yield service(b"none", [], address)
    yield service(b"many", [version] + [b"room%d=KQZT slide:4x4 lobby" % n for n in range(250)], address)
    yield service(b"long", [version, b"room1=" + b"K" * 249], address)
    yield service(b"tls", [version, room, b"tls=\x1b[31m/../ x"], address)
    yield service(b"port", [version, room], address, 0)
    for wrong in ["127.0.0.1", "0.0.0.0", "255.255.255.255", "224.0.0.251", "169.254.7.7"]:
        yield service(b"address" + wrong.encode(), [version, room], wrong)
    for number in range(300):
        yield service(b"flood%d" % number, [b"v=%d" % (4 + number % 2)], address)
    whole = service(b"cut", [version, room], address)
    for length in range(1, len(whole), 7):
        yield whole[:length]
    # A name that points to itself, and counts that promise more than there is.
    yield struct.pack("!6H", 0, 0x8400, 0, 1, 0, 0) + b"\xc0\x0c" + struct.pack("!HHIH", PTR, 1, 1, 2)
    yield struct.pack("!6H", 0, 0x8400, 65535, 65535, 65535, 65535)
    yield bytes(range(256)) * 30


def announce(address):
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    sender.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    sender.bind(("", PORT))
    sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
    sender.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(address))
    packets = list(hostile_packets(address))
    while True:
        for data in packets:
            sender.sendto(data, (GROUP, PORT))
        print("sent", flush=True)
        time.sleep(0.2)


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["watch"]:
            watch()
        case ["hostile", address]:
            announce(address)
        case _:
            sys.exit(__doc__)

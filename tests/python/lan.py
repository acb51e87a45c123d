#!/usr/bin/env python3
"""The local network: servers are found by mDNS, and QR codes are read from the screen.

    lan.py FOLDER [TEST...]    with the programs gridrace and gridrace-server in FOLDER

Machines are network namespaces on one switch, so it needs root, `ip`, `nft` and tmux; where they
can't be made it fails. Records are read and forged by another implementation of mDNS, and codes
read by another reader of QR codes, from pictures of terminals.
"""

import json
import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import traceback

import zxingcpp

import terminal_picture
from namespaces import PATIENCE, Namespace, Network, Terminal, run, wait_for

HERE = pathlib.Path(__file__).parent
UNREACHABLE = 69
PORT = 7415
# A test keeps nothing in the folders of this account.
os.environ |= {"GRIDRACE_CONFIG": "", "GRIDRACE_RACES": "", "GRIDRACE_CACHE_DIR": ""}
PROGRAMS = pathlib.Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else sys.exit(__doc__)
CLIENT, SERVER = str(PROGRAMS / "gridrace"), str(PROGRAMS / "gridrace-server")


def check(holds, what):
    if not holds:
        raise AssertionError(what)


class Program:
    """A program in a namespace, whose lines are collected."""

    def __init__(self, namespace, *command):
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
        self.process = namespace.start(*command, **pipes)
        self.lines, self.queue = [], queue.SimpleQueue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop(signal.SIGKILL)

    def stop(self, how=signal.SIGTERM):
        if self.process.poll() is None:
            self.process.send_signal(how)
            self.process.wait(PATIENCE)

    def see(self, pattern):
        def look():
            return next((match for line in self.lines if (match := re.search(pattern, line))), None)

        try:
            return wait_for(pattern, look)
        except AssertionError as error:
            raise AssertionError(f"{error} in {self.lines}") from None


class Server(Program):
    """A server with one room."""

    def __init__(self, namespace, *options):
        options = options or ("--ephemeral", "--room", "slide:3x3")
        super().__init__(namespace, SERVER, "--metrics", "off", *options)
        self.code = self.see(r"gridrace join (\w{4}) ").group(1)


class Watch(Program):
    """What another implementation of mDNS hears."""

    def __init__(self, namespace):
        super().__init__(namespace, sys.executable, str(HERE / "mdns_peer.py"), "watch")

    def events(self):
        return [json.loads(line) for line in list(self.lines) if line.startswith("{")]

    def wait(self, what, holds):
        def look():
            return next((event for event in self.events() if holds(event)), None)

        try:
            return wait_for(what, look)
        except AssertionError as error:
            raise AssertionError(f"{error} in {self.lines}") from None

    def rooms(self, text):
        """Waits for a record whose rooms, in one text, contain this."""
        return self.wait(f"a record with {text}", lambda event: text in rooms_of(event))


def rooms_of(event):
    text = event.get("text", {})
    return ", ".join(value for key, value in text.items() if key.startswith("room"))


def join(namespace, *words, **options):
    return namespace.run(CLIENT, "join", *words, check=False, **options)


def found(namespace, code):
    """The address at which a bot finds a room without being told."""
    with Program(namespace, CLIENT, "bot", code, "--identity", "") as bot:
        return bot.see(rf"found {code} on (\S+)").group(1)


def machines(network, *names):
    return [Namespace(network, name, number) for number, name in enumerate(names, 1)]


def a_room_is_found_without_an_address(network):
    host, guest = machines(network, "host", "guest")
    with Server(host) as server:
        check(found(guest, server.code) == f"{host.address}:{PORT}", "the address by IPv4")
        command = f"{CLIENT} join {server.code} --name Ben --identity ''"
        with Terminal(guest, "join", (80, 24), command) as terminal:
            terminal.see("Ben", f"gridrace join {server.code} {host.address}:{PORT}", "hints")


def a_tournament_is_found_without_an_address(network):
    host, guest = machines(network, "host", "guest")
    with tempfile.TemporaryDirectory() as folder:
        key = f"--identity={folder}/{{}}"
        evening = ("host", "--headless", "--tournament", "series:1", "--title", "Friday")
        enter = (CLIENT, "tournament", "enter", "friday", "--json")
        with Program(host, CLIENT, *evening, key.format("host")) as hosted:
            hosted.see(rf"gridrace tournament enter friday {host.address} .*/t/friday")
            entered = json.loads(guest.run(*enter, key.format("anna"), "--name=Anna").stdout)
            check((entered["tournament"], entered["name"]) == ("friday", "Anna"), entered)
            # A server of the guest's own has other things.
            with Server(guest):
                entered = json.loads(guest.run(*enter, key.format("ben"), "--name=Ben").stdout)
                check(entered["name"] == "Ben", entered)
        done = guest.run(*enter, key.format("anna"), check=False)
        check(done.returncode == UNREACHABLE, done)
        check("no tournament friday found" in done.stderr, done.stderr)


def a_record_says_what_the_server_has_and_is_taken_back(network):
    host, guest = machines(network, "host", "guest")
    host.add_interface("docker0", "172.17.0.1/16")
    host.add_interface("dead0", "10.88.0.1/24")
    with Watch(guest) as watch, Server(host) as server:
        watch.rooms(f"{server.code} slide:3x3 lobby")
        own = [host.address, "fd77::1"]
        record = watch.wait("both addresses", lambda event: event.get("addresses") == own)
        check((record["port"], record["text"]["v"]) == (PORT, "5"), record)
        with Program(guest, CLIENT, "bot", server.code, "--count", "2", "--stay", "--identity", "") as bots:
            bots.see("found")
            watch.rooms("slide:3x3 racing")
            watch.rooms("slide:3x3 results")
        server.stop()
        check(server.process.returncode == 0, server.lines)
        others = [event for event in watch.events() if set(event.get("addresses", [])) - set(own)]
        check(not others, others)
        watch.wait("the record taken back", lambda event: event["event"] == "removed")
    check(join(guest, server.code).returncode == UNREACHABLE, "no room is left")


def a_dead_second_interface_is_no_hindrance(network):
    host, guest = machines(network, "host", "guest")
    host.add_interface("dead0", "10.88.0.1/24")
    guest.add_interface("dead1", "10.99.0.1/24")
    with Server(host) as server:
        check(found(guest, server.code) == f"{host.address}:{PORT}", "the address that works")


def where_mdns_is_dropped_the_user_hears_what_to_try(network):
    host, guest = machines(network, "host", "guest")
    guest.drop_mdns()
    with Server(host) as server:
        for words in ([server.code], []):
            done = join(guest, *words)
            check(done.returncode == UNREACHABLE, f"{done.returncode}: {done.stderr}")
            for advice in ("address", "QR code", "Guest Wi-Fi", "5353"):
                check(advice in done.stderr, f"{advice}: {done.stderr}")
        # The address is all that it takes.
        command = f"{CLIENT} join {server.code} {host.address} --name Ben --identity ''"
        with Terminal(guest, "join", (80, 24), command) as terminal:
            terminal.see("Ben", "gridrace join")


def of_two_servers_the_one_with_the_room_is_joined(network):
    one, other, guest = machines(network, "one", "other", "guest")
    with Server(one) as first, Server(other) as second:
        check(found(guest, first.code) == f"{one.address}:{PORT}", "the first")
        check(found(guest, second.code) == f"{other.address}:{PORT}", "the second")
        # Without a code both are listed, and one is chosen from there.
        with Terminal(guest, "list", (80, 24), f"{CLIENT} join --name Ben --identity ''") as terminal:
            terminal.see(first.code, second.code, one.address, other.address)
            terminal.type("Enter")
            terminal.see("Ben", "gridrace join")
        with Terminal(guest, "home", (80, 24), f"{CLIENT} --name Ben --identity ''") as terminal:
            terminal.see("Play now", first.code, second.code)
            second.stop()
            wait_for("the second gone", lambda: second.code not in terminal.screen())
        with Terminal(guest, "small", (40, 12), f"{CLIENT} --name Ben --identity ''") as terminal:
            terminal.see("Play now", first.code)


def a_code_that_two_servers_have_needs_an_address(network):
    one, other, guest = machines(network, "one", "other", "guest")
    with tempfile.TemporaryDirectory() as folder:
        folders = [pathlib.Path(folder) / name for name in ("one", "other")]
        room = ("--room", "evening=slide:3x3")
        with Server(one, "--data", str(folders[0]), *room) as server:
            server.stop()
        shutil.copytree(*folders)
        with (
            Server(one, "--data", str(folders[0]), *room) as first,
            Server(other, "--data", str(folders[1]), *room) as second,
        ):
            check(first.code == second.code, "a room keeps its code")

            def ambiguous():
                # The second may be announced a little later.
                done = join(guest, first.code)
                return done if "2 servers" in done.stderr else None

            done = wait_for("both servers", ambiguous)
            check(done.returncode == 1, done.returncode)
            for namespace in (one, other):
                check(f"join {first.code} {namespace.address}:{PORT}" in done.stderr, done.stderr)


def private_rooms_are_not_announced(network):
    host, guest = machines(network, "host", "guest")
    for options in (["--private"], ["--pin", "4711"]):
        with Watch(guest) as watch, Program(host, CLIENT, "host", "--headless", *options) as hosted:
            code = hosted.see(r"gridrace join (\w{4}) ").group(1)
            record = watch.wait("the server's record", lambda event: "text" in event)
            check(set(record["text"]) == {"v"}, record)
            # The only server is asked all the same.
            with Program(guest, CLIENT, "bot", code, "--pin", "4711", "--identity", "") as bot:
                bot.see(f"asking the only server, {host.address}")
            check(not any(rooms_of(event) for event in watch.events()), watch.lines)


def who_wants_no_announcement_makes_none(network):
    host, guest = machines(network, "host", "guest")
    for options in (["--no-mdns"], ["--listen", f"127.0.0.1:{PORT}"]):
        with Server(host, "--ephemeral", "--room", "slide:3x3", *options) as server:
            check(join(guest, server.code).returncode == UNREACHABLE, options)
    with Server(host) as server:
        done = join(guest, server.code, "--no-mdns")
        check(done.returncode == UNREACHABLE and "looking" not in done.stderr, done.stderr)


def hostile_records_do_no_harm(network):
    host, enemy, guest = machines(network, "host", "enemy", "guest")
    peer = [sys.executable, str(HERE / "mdns_peer.py"), "hostile", enemy.address]
    with Server(host) as server, Program(enemy, *peer) as hostile:
        hostile.see("sent")
        with Terminal(guest, "home", (80, 24), f"{CLIENT} --name Ben --identity ''") as terminal:
            screen = terminal.see("Play now", "Quit", server.code)
            for wrong in ("127.0.0.1", "0.0.0.0", "169.254", "224.0.0"):
                check(wrong not in screen, screen)
            terminal.type("s")
            terminal.see("races")
        check(found(guest, server.code) == f"{host.address}:{PORT}", "the honest server")
        # The server hears all that, too.
        check(server.process.poll() is None and hostile.process.poll() is None, server.lines)
        server.stop()
        check(server.process.returncode == 0, server.lines)


def codes_on(terminal):
    picture = terminal_picture.draw(terminal.styled(), terminal.size)
    return {code.text for code in zxingcpp.read_barcodes(picture)}


def links(code):
    return {f"HTTP://10.77.0.1:{PORT}/{code}", f"HTTP://[FD77::1]:{PORT}/{code}"}


def qr_codes_are_read_from_the_terminal(network):
    (host,) = machines(network, "host")
    servers = [f"{CLIENT} host --headless", f"{SERVER} --ephemeral --metrics off --room slide:3x3"]
    for command in servers:
        with Terminal(host, "server", (90, 30), command) as terminal:
            screen = terminal.see("gridrace join", f"'[fd77::1]:{PORT}'")
            code = re.search(r"gridrace join (\w{4}) ", screen).group(1)
            wait_for(f"the code of {command}", lambda: codes_on(terminal) == {f"HTTP://10.77.0.1:{PORT}/{code}"})
            check(f"http://10.77.0.1:{PORT}/" in screen, screen)
        with Terminal(host, "server", (90, 30), f"{command} --no-qr") as terminal:
            terminal.see("gridrace join", "fd77::1")
            check(not codes_on(terminal), "no code")
    # What isn't a terminal gets none.
    with Program(host, CLIENT, "host", "--headless") as headless:
        headless.see("fd77::1")
        check(not any("▀" in line or "\x1b" in line for line in headless.lines), headless.lines)


def qr_codes_are_read_from_the_lobby(network):
    (host,) = machines(network, "host")
    for variables in ("", "env NO_COLOR=1 "):
        with Terminal(host, "lobby", (80, 24), f"{variables}{CLIENT} host --name Anna --identity ''") as terminal:
            code = re.search(r"gridrace join (\w{4}) ", terminal.see("gridrace join", "Anna")).group(1)
            terminal.type("i")
            terminal.see(f"http://10.77.0.1:{PORT}/{code}")
            seen = wait_for("a code", lambda: codes_on(terminal))
            terminal.type("Tab")
            terminal.see(f"http://[fd77::1]:{PORT}/{code}")
            seen |= wait_for("the other code", lambda: codes_on(terminal) - seen)
            check(seen == links(code), seen)
            terminal.type("Escape")
            terminal.see("Anna", "1 player")
    with Terminal(host, "small", (40, 12), f"{CLIENT} host --name Anna --identity ''") as terminal:
        terminal.see("Anna")
        terminal.type("i")
        terminal.see("No room", f"10.77.0.1:{PORT}/")


TESTS = [
    a_room_is_found_without_an_address,
    a_tournament_is_found_without_an_address,
    a_record_says_what_the_server_has_and_is_taken_back,
    a_dead_second_interface_is_no_hindrance,
    where_mdns_is_dropped_the_user_hears_what_to_try,
    of_two_servers_the_one_with_the_room_is_joined,
    a_code_that_two_servers_have_needs_an_address,
    private_rooms_are_not_announced,
    who_wants_no_announcement_makes_none,
    hostile_records_do_no_harm,
    qr_codes_are_read_from_the_terminal,
    qr_codes_are_read_from_the_lobby,
]


def main():
    failed = []
    tests = [test for test in TESTS if test.__name__ in sys.argv[2:]] or TESTS
    for test in tests:
        name = test.__name__.replace("_", " ")
        try:
            with Network() as network:
                test(network)
            print(f"ok: {name}", flush=True)
        except Exception:  # all tests run, whatever becomes of one
            traceback.print_exc()
            print(f"FAILED: {name}", flush=True)
            failed.append(name)
    if failed:
        sys.exit(f"{len(failed)} of {len(tests)} failed")


def require_namespaces():
    for tool in ("ip", "nft", "tmux"):
        if shutil.which(tool) is None:
            sys.exit(f"{tool} is missing: apt-get install iproute2 nftables tmux")
    try:
        with Network() as network:
            Namespace(network, "probe", 1).run("nft", "list", "ruleset")
    except AssertionError as error:
        sys.exit(f"no network namespaces, which this test needs root for: {error}")


if __name__ == "__main__":
    require_namespaces()
    main()

"""Network namespaces with a switch between them, and programs in them. Needs root, `ip` and `nft`."""

import itertools
import os
import pathlib
import subprocess
import time

# Seconds within which what is waited for must happen: far above what it takes.
PATIENCE = 30


def run(*command, check=True):
    done = subprocess.run(command, capture_output=True, text=True, timeout=2 * PATIENCE)
    if check and done.returncode != 0:
        raise AssertionError(f"{' '.join(command)}: {done.stderr or done.stdout}")
    return done


def wait_for(what, look):
    """Looks until there is something, and returns it."""
    deadline = time.monotonic() + PATIENCE
    while True:
        seen = look()
        if seen:
            return seen
        if time.monotonic() > deadline:
            raise AssertionError(f"never saw {what}")
        time.sleep(0.05)


def descendants(process):
    """Returns the numbers of a process and of all that it has started."""
    try:
        children = pathlib.Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except OSError:
        return []
    return [process, *(number for child in children for number in descendants(child))]


def is_running(process):
    try:
        stat = pathlib.Path(f"/proc/{process}/stat").read_text()
        threads = os.listdir(f"/proc/{process}/task")
    except OSError:
        return False
    # Behind the name, which is in parentheses, stands the state: that of the first thread, while others may
    # still have the port.
    return stat.rpartition(")")[2].split()[0] != "Z" or len(threads) > 1


class Namespace:
    """A machine: its interface `lan0` is on the switch, with 10.77.0.NUMBER and fd77::NUMBER."""

    def __init__(self, network, name, number):
        self.name, self.number = f"gridrace-{os.getpid()}-{name}", number
        self.address = f"10.77.0.{number}"
        run("ip", "netns", "add", self.name)
        network.made.append(self)
        port = f"gr{os.getpid() % 100000}p{number}"
        run("ip", "link", "add", port, "type", "veth", "peer", "name", "lan0", "netns", self.name)
        run("ip", "link", "set", port, "netns", network.switch)
        run("ip", "-n", network.switch, "link", "set", port, "master", "switch0", "up")
        self.ip("link", "set", "lo", "up")
        self.ip("addr", "add", f"{self.address}/24", "dev", "lan0")
        self.ip("addr", "add", f"fd77::{number}/64", "dev", "lan0", "nodad")
        self.ip("link", "set", "lan0", "up")
        # mDNS needs no route, but a machine on a network has one.
        self.ip("route", "add", "default", "via", "10.77.0.254")

    def ip(self, *arguments):
        run("ip", "-n", self.name, *arguments)

    def add_interface(self, name, address):
        """Adds an interface that is up and leads nowhere."""
        self.ip("link", "add", name, "type", "veth", "peer", "name", f"{name}-far")
        self.ip("link", "set", f"{name}-far", "up")
        self.ip("addr", "add", address, "dev", name)
        self.ip("link", "set", name, "up")

    def drop_mdns(self):
        rules = "table inet lan { chain input { type filter hook input priority 0; udp dport 5353 drop; }; }"
        self.run("nft", rules)

    def command(self, *command):
        return ("ip", "netns", "exec", self.name, *command)

    def run(self, *command, check=True):
        return run(*self.command(*command), check=check)

    def start(self, *command, **options):
        return subprocess.Popen(self.command(*command), text=True, **options)


class Network:
    """The switch, and all that was made on it; removed at the end."""

    def __init__(self):
        self.switch = f"gridrace-{os.getpid()}-switch"
        self.made = []

    def __enter__(self):
        run("ip", "netns", "add", self.switch)
        try:
            run("ip", "-n", self.switch, "link", "add", "switch0", "type", "bridge")
            # Without routers that ask who wants which multicast, snooping drops what is wanted.
            run("ip", "-n", self.switch, "link", "set", "switch0", "type", "bridge", "mcast_snooping", "0")
            run("ip", "-n", self.switch, "link", "set", "switch0", "up")
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for namespace in self.made:
            run("ip", "netns", "del", namespace.name, check=False)
        run("ip", "netns", "del", self.switch, check=False)


class Terminal:
    """A screen that tmux holds, in a namespace."""

    # A server of tmux that was told to end may still hold its socket, so each has a socket of its own.
    started = itertools.count()

    def __init__(self, namespace, name, size, command):
        self.socket, self.size = f"{namespace.name}-{name}-{next(Terminal.started)}", size
        variables = ["LANG=C.UTF-8", "TERM=xterm-256color", "COLORTERM=truecolor"]
        self.tmux = namespace.command("env", *variables, "tmux", "-L", self.socket, "-f", "/dev/null")
        columns, lines = map(str, size)
        shell = f"{command}; echo ended with $?; sleep 600"
        run(*self.tmux, "new-session", "-d", "-x", columns, "-y", lines, shell)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shell = run(*self.tmux, "display-message", "-p", "#{pane_pid}", check=False).stdout.strip()
        programs = descendants(shell) if shell else []
        run(*self.tmux, "kill-server", check=False)
        # A server that is told to end has its port for a moment more.
        wait_for("the end of what ran in the terminal", lambda: not any(map(is_running, programs)))

    def screen(self):
        return run(*self.tmux, "capture-pane", "-p").stdout

    def styled(self):
        return run(*self.tmux, "capture-pane", "-p", "-e", "-N").stdout

    def see(self, *texts):
        what = f"{texts} on the screen"
        try:
            return wait_for(what, lambda: (s := self.screen()) and all(t in s for t in texts) and s)
        except AssertionError as error:
            raise AssertionError(f"{error}:\n{self.screen()}") from None

    def type(self, *keys):
        run(*self.tmux, "send-keys", *keys)

#!/usr/bin/env python3
"""Plays a whole heat in JSON, and checks all messages of the server about it.

    play.py ws://127.0.0.1:7415/ws

An independent client, written from docs/bots.md with the `websockets` library and no code of
gridrace. One player opens a room, seats a house bot, syncs its clock, waits for GO and plays a
shortest solution, losing its connection on the way; a spectator watches. Any deviation ends it with
exit code 1.
"""

import asyncio
import hashlib
import json
import sys
import time

from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed

import puzzle

SUBPROTOCOL = "gridrace.v5.json"
VERSION = 5
SPEC = "slide:3x3"
PINGS = 5
# Seconds within which the expected message must arrive.
PATIENCE = 30
OPTIONS = {
    "spec": SPEC,
    "countdown_seconds": 2,
    "time_limit_seconds": 60,
    "hints": {"priced": {"seconds": 10}},
    "bots_allowed": True,
    "private": True,
    "delay_seconds": 0,
    "grace_seconds": 20,
    "idle_seconds": 60,
    "finishers_watch": True,
    "hint_styles": "any",
    "picture": False,
}


def check(holds, what):
    if not holds:
        raise AssertionError(what)


def micros():
    return time.monotonic_ns() // 1000


def tag(message):
    """An enum in JSON is a string, or an object with one key: the variant's name."""
    if isinstance(message, str):
        return message, None
    check(isinstance(message, dict) and len(message) == 1, f"not a message: {message}")
    return next(iter(message.items()))


class Peer:
    """One connection. Queues each message for the caller that waits for its kind."""

    def __init__(self, socket):
        self.socket = socket
        self.log = []
        self.token = None

    async def say(self, message):
        await self.socket.send(json.dumps(message))

    async def hear(self):
        frame = await asyncio.wait_for(self.socket.recv(), PATIENCE)
        check(isinstance(frame, str), "JSON comes in text frames")
        name, body = tag(json.loads(frame))
        self.log.append((name, body))
        check(name != "goodbye", f"the server says goodbye: {body}")
        return name, body

    async def hear_of(self, wanted):
        """The next message of a kind; a refusal is a failure, the others are kept."""
        while True:
            name, body = await self.hear()
            if name == wanted:
                return body
            check(name not in ("refused", "rejected"), f"{name} {body}, waiting for {wanted}")

    async def hear_of_phase(self, wanted):
        while True:
            name, body = tag(await self.hear_of("phase"))
            if name == wanted:
                return body

    async def hello(self):
        check(self.socket.subprotocol == SUBPROTOCOL, "the subprotocol is agreed on")
        await self.say({"hello": {"version": VERSION, "agent": "play.py"}})
        welcome = await self.hear_of("welcome")
        check(welcome["version"] == VERSION, f"version {VERSION}, not {welcome}")

    async def sync(self):
        """Offset of the server's clock from ours, and how wrong it may be, in microseconds."""
        samples = []
        for _ in range(PINGS):
            sent = micros()
            await self.say({"ping": {"sent": sent}})
            pong = await self.hear_of("pong")
            arrived = micros()
            check(pong["sent"] == sent, "a pong brings back what the ping said")
            check(pong["received"] <= pong["replied"], "a pong leaves after its ping came")
            offset = (pong["received"] - sent + pong["replied"] - arrived) / 2
            held = pong["replied"] - pong["received"]
            samples.append((arrived - sent - held, offset))
        round_trip, offset = min(samples)
        return offset, round_trip / 2


async def main(url):
    async with (
        connect(url, subprotocols=[SUBPROTOCOL]) as player_socket,
        connect(url, subprotocols=[SUBPROTOCOL]) as spectator_socket,
    ):
        player, spectator = Peer(player_socket), Peer(spectator_socket)
        await player.hello()
        await spectator.hello()
        offset, error = await player.sync()

        heat, you = await open_heat(player)
        await watch(spectator, heat["code"])
        watching = asyncio.create_task(follow(spectator))

        go, running = await start(player, heat["epoch"], offset, error)
        moves, finished_at = await race(url, player, running)
        result = await player.hear_of_phase("over")

        commitment = last(player.log, "setup", heat["setup"])["commitment"]
        check_commitment(result["reveal"], commitment)
        check(result["start"] == running["start"], "the result shows the board of the start")
        check_standings(result["standings"], you, moves, finished_at - go)
        check_boards(await watching, you)
        best = result["best"] or (await player.hear_of("rated"))["best"]
        shortest = {"at_least": len(moves), "at_most": len(moves)}
        check(best == shortest, f"the board needs {len(moves)} moves, not {best}")

        await player.say("leave")
        await player.socket.close()
        print(f"{len(moves)} moves in {(finished_at - go) / 1000:.3f} s, "
              f"clock offset known to {error / 1000:.1f} ms, commitment and standings hold")


async def open_heat(player):
    entrant = {"name": "Python", "bot": True}
    await player.say({"open": {"entrant": entrant, "options": OPTIONS, "seed": None}})
    joined = await player.hear_of("joined")
    heat, you = joined["room"], joined["you"]
    check(heat["phase"] == "lobby", "a new heat is in the lobby")
    check(heat["setup"]["options"] == OPTIONS, "the options are what was asked for")
    check(heat["setup"]["seed"] == "drawn", "the server drew the seed")
    check(heat["roster"]["host"] == you, "who opens a heat is its host")
    player.token = await player.hear_of("token")
    await player.say({"add_bot": {"skill": "master"}})
    await player.hear_of("roster")
    return heat, you


async def watch(spectator, code):
    entrant = {"name": "Watcher", "bot": True}
    await spectator.say(
        {"join": {"code": code.lower(), "entrant": entrant, "role": "spectator"}}
    )
    await spectator.hear_of("joined")


async def start(player, epoch, offset, error):
    """Starts the heat; returns GO on the heat's clock, and the running phase."""
    await player.say("start")
    check(tag(await player.hear_of("phase"))[0] == "drawing", "the board is drawn first")
    go = (await player.hear_of_phase("countdown"))["go"]
    before_go = json.dumps(player.log)
    check('"tiles"' not in before_go, "no board before GO")
    running = await player.hear_of_phase("running")
    check(running["go"] == go, "GO is when the countdown said")
    # The server's own clock, as we estimate it, has to have reached GO.
    here = micros() + offset - epoch
    check(here + error + 1000 >= go * 1000, f"the board came {go - here / 1000} ms early")
    return go, running


async def race(url, player, running):
    """Plays a shortest solution; returns the moves, and when the last was played.

    Half-way the connection is lost: what isn't acknowledged is sent again on the next one.
    """
    board = running["start"]["slide"]
    check(board["size"] == "3x3", f"the board is 3x3, not {board['size']}")
    tiles = tuple(board["tiles"])
    check(sorted(tiles) == list(range(9)), "each tile is there once")
    check(puzzle.is_solvable(tiles) and tiles != puzzle.GOAL, "solvable, and not solved")

    # A move against the rules first: it is rejected and its number stays free.
    await player.say({"move": {"seq": 1, "play": {"slide": tiles.index(0)}}})
    rejected = None
    while rejected is None:
        name, body = await player.hear()
        check(name != "accepted", "the blank cannot slide")
        rejected = body if name == "rejected" else None
    check(rejected["seq"] == 1 and tag(rejected["why"])[0] == "illegal", f"{rejected}")

    moves, at = puzzle.solve(tiles), running["go"]
    half = len(moves) // 2
    for seq, cell in enumerate(moves, start=1):
        if seq == half:
            await player.say({"move": {"seq": seq, "play": {"slide": cell}}})
            await come_back(url, player, seq, puzzle.play(tiles, cell))
        await player.say({"move": {"seq": seq, "play": {"slide": cell}}})
        accepted = await player.hear_of("accepted")
        check(accepted["seq"] == seq, f"move {seq} is acknowledged, not {accepted}")
        check(accepted["moves"] == {"moves": seq, "acts": seq}, f"{seq} moves, not {accepted}")
        check(accepted["at"] >= at, "the heat's clock never runs backwards")
        at = accepted["at"]
        tiles = puzzle.play(tiles, cell)
    check(tiles == puzzle.GOAL, "solved by our own rules")
    return moves, at


async def come_back(url, player, last_sent, board):
    """Drops the connection with a move in flight, and resumes the seat on a new one."""
    player.socket.transport.abort()
    player.socket = await connect(url, subprotocols=[SUBPROTOCOL])
    await player.hello()
    shown = player.token
    await player.say({"resume": shown})
    joined = await player.hear_of("joined")
    seat = joined["room"]["seat"]
    check(joined["you"] == shown["player"], "we are who we were")
    check(seat["seq"] in (last_sent - 1, last_sent), f"nothing acknowledged is lost: {seat}")
    if seat["seq"] == last_sent:
        check(tuple(seat["board"]["slide"]["tiles"]) == board, "the board is as we left it")
    player.token = await player.hear_of("token")
    check(player.token["token"] != shown["token"], "a token is good once")
    await player.say("confirm")


def check_commitment(reveal, commitment):
    line = f"gridrace-commitment-1 {SPEC}#{reveal['seed']} {reveal['salt']}"
    check(hashlib.sha256(line.encode()).hexdigest() == commitment, "the commitment holds")


def check_standings(rows, you, moves, time_taken):
    check([row["place"] for row in rows] == [1, 2], "two players, two places")
    mine = next(row for row in rows if row["player"] == you)
    check(mine["state"] == {"finished": {"time": time_taken}}, f"{mine} after {time_taken}")
    check(mine["moves"] == {"moves": len(moves), "acts": len(moves)}, f"{mine}")
    check((mine["progress"], mine["hints"], mine["penalty"]) == (1000, 0, 0), f"{mine}")
    theirs = next(row for row in rows if row["player"] != you)
    if theirs["state"] == "dnf":
        check(mine["place"] == 1, "who finishes is before who doesn't")
    else:
        first = theirs["state"]["finished"]["time"] < time_taken
        check(theirs["place"] == (1 if first else 2), "the faster is before the slower")


async def follow(spectator):
    """Plays every move that a spectator is shown; returns the boards at the end."""
    start = (await spectator.hear_of_phase("running"))["start"]["slide"]["tiles"]
    boards = {}
    while True:
        name, body = await spectator.hear()
        if name == "moves":
            for moved in body:
                player = moved["player"]
                tiles = boards.get(player, tuple(start))
                boards[player] = puzzle.play(tiles, moved["play"]["slide"])
        elif name == "phase" and tag(body)[0] == "over":
            return boards


def check_boards(boards, you):
    check(boards.get(you) == puzzle.GOAL, f"the spectator saw it solved, not {boards}")


def last(log, name, otherwise):
    bodies = [body for kind, body in log if kind == name]
    return bodies[-1] if bodies else otherwise


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        asyncio.run(main(sys.argv[1]))
    except (AssertionError, ConnectionClosed, OSError, TimeoutError, KeyError, ValueError) as error:
        sys.exit(f"{type(error).__name__}: {error}")

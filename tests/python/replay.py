"""Reads replays as docs/replays.md says, and checks what needs no rules of gridrace.

    python replay.py FILE...

Prints a line for each file. It shares no code with the project, so it finds differences between
the document and the program.
"""

import hashlib
import sys
import zlib


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        part = self.data[self.at : self.at + count]
        assert len(part) == count, f"the file ends at {len(self.data)}"
        self.at += count
        return part

    def number(self):
        number = shift = 0
        while True:
            byte = self.take(1)[0]
            number |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                assert byte or shift == 7, "a number in more bytes than it needs"
                return number

    def text(self):
        return self.take(self.number()).decode()

    def section(self, name):
        start = self.at
        assert self.take(4) == name, f"{name} at {start}"
        inner = Reader(self.take(self.number()))
        checksum = zlib.crc32(self.data[start : self.at])
        assert checksum == int.from_bytes(self.take(4), "little"), f"{name} is damaged"
        return inner

    def end(self):
        assert self.at == len(self.data), f"{len(self.data) - self.at} bytes are left"


def heat(section):
    head = {"writer": section.text(), "code": section.text(), "number": section.number()}
    head["began"], head["puzzle"] = section.number(), section.text()
    head["options"] = {section.number(): section.number() for _ in range(section.number())}
    section.end()
    return head


def draw(section):
    found = {"host": section.number(), "commitment": section.take(32), "salt": section.take(16)}
    found["seed"], found["family"] = section.text(), section.number()
    rows, cols = section.number(), section.number()
    found["size"] = rows, cols
    if found["family"] == 0:
        found["tiles"] = [section.number() for _ in range(rows * cols)]
        assert sorted(found["tiles"]) == list(range(rows * cols))
    else:
        section.number()
        found["pairs"] = [(section.number(), section.number()) for _ in range(section.number())]
        found["solids"] = [section.number() for _ in range(section.number())]
    section.end()
    return found


def seats(section):
    found = []
    for _ in range(section.number()):
        found.append({"player": section.number(), "kind": section.number(), "name": section.text()})
    section.end()
    return found


def moves(section, drawn, players):
    """Yields instant, index and move or event; slides are played on the way."""
    rows, cols = drawn["size"]
    slides = drawn["family"] == 0
    choices = rows + cols - 2 if slides else 2
    boards = [list(drawn["tiles"]) for _ in players] if slides else None
    at = 0
    while section.at < len(section.data):
        rest, choice = divmod(section.number(), choices + 1)
        span, index = divmod(rest, len(players))
        at += span
        if choice == choices:
            what = section.number()
            yield at, index, ("event", what, section.number() if what == 8 else None)
        elif slides:
            board = boards[index]
            blank = board.index(0)
            line = [
                cell
                for cell in range(rows * cols)
                if cell != blank and (cell // cols == blank // cols or cell % cols == blank % cols)
            ]
            cell = line[choice]
            step = (1 if cell // cols == blank // cols else cols) * (1 if cell > blank else -1)
            tiles = 0
            while blank != cell:
                board[blank], board[blank + step] = board[blank + step], 0
                blank, tiles = blank + step, tiles + 1
            solved = board == [*range(1, rows * cols), 0]
            yield at, index, ("slide", tiles, solved)
        elif choice == 0:
            cell, count = section.number(), section.number()
            bits = section.take(-(-count // 4))
            cells = [cell]
            for n in range(count):
                cell += (-1, -cols, 1, cols)[bits[n // 4] >> 2 * (n % 4) & 3]
                assert 0 <= cell < rows * cols
                cells.append(cell)
            yield at, index, ("draw", cells, False)
        else:
            yield at, index, ("undo", None, False)


def done(section):
    found = {"ended": section.number(), "best": None, "rows": []}
    if section.number():
        found["best"] = section.number(), section.number()
    for _ in range(section.number()):
        row = {"player": section.number(), "place": section.number(), "state": section.number()}
        row["time"] = section.number() if row["state"] == 1 else None
        row["progress"] = section.number()
        row["tally"] = [section.number() for _ in range(4)] if section.number() else None
        row["moves"], row["acts"] = section.number(), section.number()
        row["hints"], row["penalty"] = section.number(), section.number()
        row["connected"] = section.number()
        found["rows"].append(row)
    section.end()
    return found


def check(path):
    with open(path, "rb") as file:
        reader = Reader(file.read())
    assert reader.take(8) == b"\x89grr\r\n\x1a\n", "no replay"
    assert reader.number() == 1, "another version"
    head = heat(reader.section(b"HEAT"))
    drawn = draw(reader.section(b"DRAW"))
    players = seats(reader.section(b"SEAT"))
    section = reader.section(b"MOVE")
    result = done(reader.section(b"DONE"))
    while reader.at < len(reader.data):
        name = reader.data[reader.at : reader.at + 4]
        assert name[:1].islower(), f"section {name}"
        reader.section(name)
    line = f"gridrace-commitment-1 {head['puzzle']}#{drawn['seed']} {drawn['salt'].hex()}"
    assert hashlib.sha256(line.encode()).digest() == drawn["commitment"], "the commitment"
    price = 1_000 * max(head["options"].get(3, 11) - 1, 0)
    acts = {row["player"]: [0, 0, 0, None] for row in players}
    cut = set()
    records = 0
    for at, index, (kind, value, solved) in moves(section, drawn, players):
        records += 1
        mine = acts[players[index]["player"]]
        if kind == "event":
            mine[2] += value == 0
            if value == 7:
                cut.add(players[index]["player"])
            continue
        mine[0] += value if kind == "slide" else 0
        mine[1] += 1
        if solved:
            mine[3] = at + price * mine[2]
        assert at <= result["ended"]
    for row in result["rows"]:
        count, made, hints, time = acts[row["player"]]
        if row["player"] in cut:
            continue
        assert (made, hints, price * hints) == (row["acts"], row["hints"], row["penalty"]), row
        if drawn["family"] == 0:
            assert (count, time) == (row["moves"], row["time"]), row
    print(f"{path}: holds, {records} records of {len(players)} players, {head['puzzle']}")


for path in sys.argv[1:]:
    check(path)

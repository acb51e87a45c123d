"""Reads replays as docs/replays.md says, and checks what needs no rules of gridrace.

    python replay.py FILE...

Prints a line for each file. It shares no code with the project, so it finds differences between
the document and the program.
"""

import hashlib
import sys
import zlib


# Ed25519 as in RFC 8032, section 5.1 and its appendix of Python code.
FIELD = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
CURVE = -121665 * pow(121666, -1, FIELD) % FIELD


def add(a, b):
    """Adds two points in the coordinates X, Y, Z, T with x = X/Z, y = Y/Z, x * y = T/Z."""
    left, right = (a[1] - a[0]) * (b[1] - b[0]), (a[1] + a[0]) * (b[1] + b[0])
    both, twice = 2 * a[3] * b[3] * CURVE, 2 * a[2] * b[2]
    e, f, g, h = right - left, twice - both, twice + both, right + left
    return e * f % FIELD, g * h % FIELD, f * g % FIELD, e * h % FIELD


def multiply(factor, point):
    total = (0, 1, 1, 0)
    while factor:
        if factor & 1:
            total = add(total, point)
        point, factor = add(point, point), factor >> 1
    return total


def point(data):
    number = int.from_bytes(data, "little")
    y, odd = number % 2**255, number >> 255
    square = (y * y - 1) * pow(CURVE * y * y + 1, -1, FIELD) % FIELD
    x = pow(square, (FIELD + 3) // 8, FIELD)
    if (x * x - square) % FIELD:
        x = x * pow(2, (FIELD - 1) // 4, FIELD) % FIELD
    assert y < FIELD and (x * x - square) % FIELD == 0, "no point of the curve"
    if x % 2 != odd:
        x = -x % FIELD
    return x, y, 1, x * y % FIELD


BASE = point((4 * pow(5, -1, FIELD) % FIELD).to_bytes(32, "little"))


def is_signed(key, message, signature):
    scalar = int.from_bytes(signature[32:], "little")
    digest = hashlib.sha512(signature[:32] + key + message).digest()
    challenge = int.from_bytes(digest, "little") % ORDER
    one = multiply(scalar, BASE)
    two = add(point(signature[:32]), multiply(challenge, point(key)))
    same = [(one[n] * two[2] - two[n] * one[2]) % FIELD for n in (0, 1)]
    return scalar < ORDER and same == [0, 0]


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
    signer = "not signed"
    while reader.at < len(reader.data):
        start = reader.at
        name = reader.data[start : start + 4]
        assert name[:1].islower(), f"section {name}"
        extra = reader.section(name)
        if name == b"sign":
            key, signature = extra.take(32), extra.take(64)
            extra.end()
            reader.end()
            digest = hashlib.sha256(reader.data[:start]).hexdigest()
            line = f"gridrace-replay-1 {digest}"
            assert is_signed(key, line.encode(), signature), "the signature"
            fingerprint = hashlib.sha256(f"gridrace-key-1 {key.hex()} server".encode())
            signer = f"signed by {fingerprint.hexdigest()[:32]}"
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
    print(f"{path}: holds, {records} records of {len(players)} players, {head['puzzle']}, {signer}")


for path in sys.argv[1:]:
    check(path)

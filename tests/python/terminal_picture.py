"""A picture of a terminal's screen, from what `tmux capture-pane -e` says of it.

Cells are 8 by 16 pixels. Only what QR codes are drawn with is drawn as it is: half blocks in the
colours of SGR. Any other character is a bar, so that it isn't taken for a blank.
"""

import re

from PIL import Image, ImageDraw

CELL = (8, 16)
# A dark terminal, on which phones fail to read codes without a light border.
GROUND = (30, 30, 30)
TEXT = (208, 208, 208)
NAMED = [
    (0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0),
    (0, 0, 238), (205, 0, 205), (0, 205, 205), (229, 229, 229),
    (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0),
    (92, 92, 255), (255, 0, 255), (0, 255, 255), (255, 255, 255),
]
ESCAPE = re.compile(r"\x1b\[([0-9;]*)m|\x1b\([B0]|[\x0e\x0f]")


def indexed(number):
    """A colour of xterm's 256."""
    if number < 16:
        return NAMED[number]
    if number >= 232:
        return (8 + 10 * (number - 232),) * 3
    levels = (0, 95, 135, 175, 215, 255)
    number -= 16
    return levels[number // 36], levels[number // 6 % 6], levels[number % 6]


class Style:
    def __init__(self):
        self.text, self.ground, self.is_reversed = TEXT, GROUND, False

    def apply(self, codes):
        codes = [int(code or 0) for code in codes.split(";")]
        while codes:
            code = codes.pop(0)
            if code == 0:
                self.__init__()
            elif code == 7:
                self.is_reversed = True
            elif code == 27:
                self.is_reversed = False
            elif code in (38, 48):
                color = indexed(codes.pop(1)) if codes[0] == 5 else tuple(codes[1:4])
                del codes[: 1 if codes[0] == 5 else 4]
                self.text, self.ground = (color, self.ground) if code == 38 else (self.text, color)
            elif 30 <= code <= 37 or 90 <= code <= 97:
                self.text = NAMED[code - 30 if code < 90 else code - 82]
            elif 40 <= code <= 47 or 100 <= code <= 107:
                self.ground = NAMED[code - 40 if code < 100 else code - 92]
            elif code == 39:
                self.text = TEXT
            elif code == 49:
                self.ground = GROUND

    def colors(self):
        return (self.ground, self.text) if self.is_reversed else (self.text, self.ground)


def cells(line, style):
    """The characters of a line with their two colours."""
    at = 0
    while at < len(line):
        escape = ESCAPE.match(line, at)
        if escape:
            if escape.group(1) is not None:
                style.apply(escape.group(1))
            at = escape.end()
            continue
        yield line[at], *style.colors()
        at += 1


def draw(captured, size):
    """Draws a captured screen of so many columns and lines."""
    columns, lines = size
    (width, height), style = CELL, Style()
    image = Image.new("RGB", (columns * width, lines * height), GROUND)
    canvas = ImageDraw.Draw(image)
    for row, line in enumerate(captured.split("\n")[:lines]):
        for column, (character, text, ground) in enumerate(cells(line, style)):
            x, y = column * width, row * height
            middle, right, bottom = y + height // 2, x + width - 1, y + height - 1
            canvas.rectangle((x, y, right, bottom), ground)
            if character == "█":
                canvas.rectangle((x, y, right, bottom), text)
            elif character == "▀":
                canvas.rectangle((x, y, right, middle - 1), text)
            elif character == "▄":
                canvas.rectangle((x, middle, right, bottom), text)
            elif character != " ":
                canvas.rectangle((x + 2, y + 4, x + 5, y + 11), text)
    return image

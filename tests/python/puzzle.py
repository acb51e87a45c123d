"""The 3x3 sliding puzzle, written from its rules, without code of gridrace.

A position is a tuple of 9 tiles, row by row, 0 for the blank. A move names the cell whose
tile slides into the blank next to it.
"""

from collections import deque

SIDE = 3
GOAL = (1, 2, 3, 4, 5, 6, 7, 8, 0)


def play(tiles, cell):
    """The position after the tile at `cell`, anywhere in the blank's row or column, slides."""
    blank = tiles.index(0)
    if cell == blank or not 0 <= cell < SIDE * SIDE:
        raise ValueError(f"no tile to slide at {cell} of {tiles}")
    if cell // SIDE == blank // SIDE:
        step = 1 if cell > blank else -1
    elif cell % SIDE == blank % SIDE:
        step = SIDE if cell > blank else -SIDE
    else:
        raise ValueError(f"{cell} is not in line with the blank of {tiles}")
    after = list(tiles)
    while blank != cell:
        after[blank] = after[blank + step]
        blank += step
    after[cell] = 0
    return tuple(after)


def neighbours(cell):
    row, col = divmod(cell, SIDE)
    for r, c in ((row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)):
        if 0 <= r < SIDE and 0 <= c < SIDE:
            yield r * SIDE + c


def is_solvable(tiles):
    """Johnson and Story (1879), on a board of odd width: the inversions are even."""
    order = [tile for tile in tiles if tile]
    pairs = ((a, b) for n, a in enumerate(order) for b in order[n + 1 :])
    return sum(a > b for a, b in pairs) % 2 == 0


def solve(start):
    """A shortest list of cells that solves `start`: breadth first from the goal."""
    # Each position maps to the cell to play on a shortest solution.
    way_home = {GOAL: None}
    queue = deque([GOAL])
    while start not in way_home:
        if not queue:
            raise ValueError(f"{start} cannot be solved")
        tiles = queue.popleft()
        blank = tiles.index(0)
        for cell in neighbours(blank):
            before = play(tiles, cell)
            if before not in way_home:
                way_home[before] = blank
                queue.append(before)
    cells, tiles = [], start
    while way_home[tiles] is not None:
        cells.append(way_home[tiles])
        tiles = play(tiles, way_home[tiles])
    return cells

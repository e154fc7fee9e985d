#@ constants
ROWS, COLUMNS, MOVES = 8, 8, 50
LETTERS = "GCPR."
COLOURS, KINDS, UNKNOWN = 4, 4, -1

#@ wave: removed fall
def wave(boards, number):
    """Removes tiles and lets all fall. Returns the boards, the points, and which changed."""
    cells = removed(boards)
    points = cells.sum(axis=(1, 2))
    return fall(boards, cells), points, points > 0

#@ removed: threes
def removed(boards):
    """The tiles that a wave removes: the runs of the lowest row with a run, and what is joined to them."""
    down, right = threes(boards)
    bottom = np.zeros(boards.shape, bool)  # lowest cells of vertical threes
    bottom[:, 2:] = down[:, :-2]
    has_run = (bottom | right).any(axis=2)
    if not has_run.any():
        return np.zeros(boards.shape, bool)
    lowest = ROWS - 1 - np.argmax(has_run[:, ::-1], axis=1)
    here = (np.arange(ROWS) == lowest[:, None])[:, :, None]
    first = right & here
    first[:, :, 1:] |= (right & here)[:, :, :-1]
    first[:, :, 2:] |= (right & here)[:, :, :-2]
    column = bottom & here
    for _ in range(ROWS - 2):  # each run upwards, three by three
        first |= column
        first[:, :-1] |= column[:, 1:]
        first[:, :-2] |= column[:, 2:]
        column = np.concatenate([column[:, 1:], np.zeros_like(column[:, :1])], axis=1) & bottom
    along_rows = side_lines(boards.transpose(0, 2, 1), first.transpose(0, 2, 1)).transpose(0, 2, 1)
    return first | side_lines(boards, first) | along_rows


def side_lines(boards, first):
    """Tiles outside of the first runs that make a line of three or more with one of these runs' tiles in its column."""
    pairs = (boards[:, :-1] == boards[:, 1:]) & (boards[:, :-1] != UNKNOWN)  # a tile and the one below it

    def down(cells):
        moved = np.zeros_like(cells)
        moved[:, 1:] = cells[:, :-1] & pairs
        return moved & ~first

    def up(cells):
        moved = np.zeros_like(cells)
        moved[:, :-1] = cells[:, 1:] & pairs
        return moved & ~first

    def shifted(cells, by):
        moved = np.zeros_like(cells)
        if by > 0:
            moved[:, by:] = cells[:, :-by]
        else:
            moved[:, :by] = cells[:, -by:]
        return moved

    below, above = down(first), up(first)
    # Tiles of the first runs with two others below, two above, or one on each side.
    tiles = first & (shifted(down(below), -2) | shifted(up(above), 2) | shifted(below, -1) & shifted(above, 1))
    found = np.zeros_like(first)
    below, above = down(tiles), up(tiles)
    while (below | above).any():
        found |= below | above
        below, above = down(below), up(above)
    return found

#@ begun: swapped matching
def begun(boards, actions):
    """The boards right after a swap; a swap that matches nothing does not happen."""
    matches = matching(boards)[np.arange(len(boards)), actions]
    return np.where(matches[:, None, None], swapped(boards, actions), boards)

#@ after: swapped chain
def after(boards, actions):
    """The boards after a swap and all that is certain to follow, and its points."""
    next_boards, points = chain(swapped(boards, actions))
    # A swap that matches nothing does not happen.
    return np.where((points > 0)[:, None, None], next_boards, boards), points

#@ scalar
def scalar(left):
    """The number that the network sees beside the board."""
    return left / MOVES

#@ move: swaps
def move(action):
    """A swap as [row, column, row, column] of its two tiles."""
    return [int(number) for cell in (FIRST[action], SECOND[action]) for number in divmod(cell, COLUMNS)]

#@ refill
def refill(boards, luck, used):
    """Draws the unknown tiles, in each column from the top; `used` counts the numbers used in each column."""
    unknown = boards == UNKNOWN
    order = used[:, None] + np.cumsum(unknown, axis=1) - 1
    used += unknown.sum(axis=1)
    tiles = luck.numbers(used.max(), COLOURS)[np.arange(COLUMNS), np.maximum(order, 0)]
    return np.where(unknown, tiles, boards).astype(np.int8)

#@ outcomes: begun wave refill luck matching threes
def outcomes(board, actions, left, luck):
    """Plays each swap with the same luck. Returns the boards, the points, and whether the game is over."""
    before = np.repeat(board[None], len(actions), axis=0)
    matches = matching(before)[np.arange(len(actions)), actions]
    boards, playing = begun(before, actions), np.flatnonzero(matches)
    used, points, number = np.zeros((len(actions), COLUMNS), int), np.zeros(len(actions)), 1
    while len(playing):
        next_boards, gained, moved = wave(boards[playing], number)
        points[playing] += gained
        playing, number = playing[moved], number + 1
        if len(playing):
            some = used[playing]
            boards[playing], used[playing] = refill(next_boards[moved], luck, some), some
    for place in np.flatnonzero(matches & ~matching(boards).any(axis=1)):
        boards[place] = settled(boards[place], luck, used[place].copy())
    return boards, points, np.full(len(actions), left == 1)


def settled(board, luck, used):
    """A board on which no swap matches, shuffled until one does. While this makes runs, the upper rows are drawn anew,
    down to the row below the first tile of the first run."""
    shuffles, board = luck.other(), board.copy()
    while True:
        down, right = threes(board[None])
        begins = right[0]
        begins[2:] |= down[0, :-2]  # a vertical run at its lowest tile
        if begins.any():
            lowest = np.flatnonzero(begins.any(axis=1))[-1]
            column = np.flatnonzero(begins[lowest])[0]
            top = lowest
            if lowest >= 2 and down[0, lowest - 2, column]:
                while top > 0 and board[top - 1, column] == board[lowest, column]:
                    top -= 1
            board[: top + 2] = UNKNOWN
            board = refill(board[None], luck, used[None])[0]
        elif not matching(board[None]).any():
            tiles = board.ravel().copy()
            for last in range(len(tiles) - 1, 0, -1):
                place = shuffles.below(last + 1)
                tiles[[last, place]] = tiles[[place, last]]
            board = tiles.reshape(board.shape)
        else:
            return board

#@ features: matching after best_plan
def features(boards, left):
    """Features of each board: the best certain plan of two swaps, the second at half the weight; the sum of the squared
    numbers of tiles of each colour, of which an unknown tile is a quarter."""
    plan = np.zeros(len(boards))
    if left > 0:
        board, actions = np.nonzero(matching(boards))
        next_boards, points = after(boards[board], actions)
        # Plans go on after the four swaps of each board that bring the most points, and their equals.
        order = np.lexsort((-points, board))
        place = np.arange(len(order)) - np.searchsorted(board[order], board[order])
        fourth = np.zeros(len(boards))
        fourth[board[order[place == 3]]] = points[order[place == 3]]
        further = points >= fourth[board]
        plans = points.copy()
        plans[further] += 0.5 * best_plan(next_boards[further], 1 if left > 1 else 0)
        np.maximum.at(plan, board, plans)
    unknown = (boards == UNKNOWN).sum(axis=(1, 2)) / COLOURS
    counts = [(boards == colour).sum(axis=(1, 2)) + unknown for colour in range(COLOURS)]
    colours = sum(count**2 for count in counts) if left > 1 else np.zeros(len(boards))
    return np.stack([plan, colours], axis=1)

ROWS, COLUMNS, MOVES = 10, 8, 25
LETTERS = "abcd#"
COLOURS, KINDS, OBSTACLE, UNKNOWN = 4, 5, 4, -1


# A board is an array of token kinds, [rows, columns], rows from the top. Most functions take many boards at once,
# [boards, rows, columns].
CELLS = np.arange(ROWS * COLUMNS).reshape(ROWS, COLUMNS)

# The two cells of each swap: first all vertical swaps, row by row, then all horizontal ones.
FIRST = np.concatenate([CELLS[:-1].ravel(), CELLS[:, :-1].ravel()])
SECOND = np.concatenate([CELLS[1:].ravel(), CELLS[:, 1:].ravel()])


def read(board):
    """The board's array of kinds; a text has a line a row."""
    if isinstance(board, str):
        rows = [line.strip() for line in board.strip().split("\n")]
        if len(rows) != ROWS or any(len(row) != COLUMNS or set(row) - set(LETTERS) for row in rows):
            raise ValueError(f"a board is {ROWS} lines of {COLUMNS} of the letters {' '.join(LETTERS)}")
        board = [[LETTERS.index(letter) for letter in row] for row in rows]
    return np.asarray(board, np.int8)


def text(board):
    """The board's text: a line a row."""
    return "\n".join("".join(LETTERS[kind] if kind >= 0 else "." for kind in row) for row in board)


def swapped(boards, actions):
    """The boards after a swap on each."""
    cells = boards.reshape(len(boards), ROWS * COLUMNS).copy()
    each, one, other = np.arange(len(boards)), FIRST[actions], SECOND[actions]
    cells[each, one], cells[each, other] = cells[each, other], cells[each, one]
    return cells.reshape(boards.shape)


def threes(boards):
    """Cells from which three equal tokens go down, and cells from which three go to the right."""
    down, right = np.zeros(boards.shape, bool), np.zeros(boards.shape, bool)
    below, beside = boards[:, :-1] == boards[:, 1:], boards[:, :, :-1] == boards[:, :, 1:]
    down[:, :-2] = below[:, :-1] & below[:, 1:]
    right[:, :, :-2] = beside[:, :, :-1] & beside[:, :, 1:]
    can_match = (boards >= 0) & (boards < COLOURS)
    return down & can_match, right & can_match


def cells_of(down, right):
    """All cells of the runs that `threes` found."""
    cells = down | right
    for step in (1, 2):
        cells[:, step:] |= down[:, :-step]
        cells[:, :, step:] |= right[:, :, :-step]
    return cells


def count_runs(down, right, length):
    """The number of runs of so many tokens or more on each board, by what `threes` found."""
    count = 0
    for found in (down, right.transpose(0, 2, 1)):
        # A run begins at a three that continues no other; a run of n tokens is n - 2 threes.
        begins = found.copy()
        begins[:, 1:] &= ~found[:, :-1]
        for step in range(1, length - 2):
            begins[:, :-step] &= found[:, step:]
            begins[:, -step:] = False
        count = count + begins.sum(axis=(1, 2))
    return count


def fall(boards, removed):
    """Removes cells. The tokens above fall, and unknown ones come in at the top."""
    # A stable sort brings the removed cells of each column to the top and keeps the order of the others.
    order = np.argsort(~removed, axis=1, kind="stable")
    return np.take_along_axis(np.where(removed, UNKNOWN, boards), order, axis=1)


def wave(boards, number):
    """Clears runs and obstacles beside them, and lets all fall. Returns the boards, the points, and which changed."""
    down, right = threes(boards)
    gems = cells_of(down, right)
    beside = np.zeros(boards.shape, bool)
    beside[:, 1:] |= gems[:, :-1]
    beside[:, :-1] |= gems[:, 1:]
    beside[:, :, 1:] |= gems[:, :, :-1]
    beside[:, :, :-1] |= gems[:, :, 1:]
    # A run of three brings 8 points, of four 15, of five or more 24.
    points = sum(more * count_runs(down, right, length) for length, more in ((3, 8), (4, 7), (5, 9)))
    return fall(boards, gems | beside & (boards == OBSTACLE)), points, points > 0


def matching(boards):
    """Which swaps make a run at once, [boards, actions]."""
    padded = np.pad(boards, ((0, 0), (3, 3), (3, 3)), constant_values=UNKNOWN)
    can_match = (boards >= 0) & (boards < COLOURS)

    def same(down, right):
        # Whether the token so far away is equal.
        return padded[:, 3 + down : 3 + down + ROWS, 3 + right : 3 + right + COLUMNS] == boards

    def gains(down, right):
        # Whether the token comes into a run if it moves one cell in this direction: two equal ones are then ahead of it,
        # at one side, at the other, or one at each.
        ahead = same(2 * down, 2 * right) & same(3 * down, 3 * right)
        side, far = same(down + right, right + down), same(down + 2 * right, right + 2 * down)
        other, far_other = same(down - right, right - down), same(down - 2 * right, right - 2 * down)
        return can_match & (ahead | side & far | other & far_other | side & other)

    down = gains(1, 0)[:, :-1] | gains(-1, 0)[:, 1:]
    right = gains(0, 1)[:, :, :-1] | gains(0, -1)[:, :, 1:]
    known = boards != UNKNOWN
    down &= known[:, :-1] & known[:, 1:]
    right &= known[:, :, :-1] & known[:, :, 1:]
    right = right.reshape(len(boards), ROWS * (COLUMNS - 1))
    return np.concatenate([down.reshape(len(boards), (ROWS - 1) * COLUMNS), right], axis=1)


def effective(boards):
    """Which swaps change the board, [boards, actions]."""
    cells = boards.reshape(len(boards), ROWS * COLUMNS)
    return cells[:, FIRST] != cells[:, SECOND]


def legal(boards):
    """All swaps, [boards, actions]."""
    return np.ones((len(boards), len(FIRST)), bool)


def chain(boards):
    """Lets wave follow wave until all rests, without chance. Returns the boards and their points."""
    boards, points = boards.copy(), np.zeros(len(boards))
    moving, number = np.arange(len(boards)), 1
    while len(moving):
        next_boards, gained, moved = wave(boards[moving], number)
        boards[moving] = next_boards
        points[moving] += gained
        moving, number = moving[moved], number + 1
    return boards, points


def after(boards, actions):
    """The boards after a swap and all that is certain to follow, and its points."""
    boards, points = chain(swapped(boards, actions))
    return boards, np.where(points == 0, -5.0, points)


def best_plan(boards, depth):
    """The certain points of each board's best plan of so many swaps that match, 0 without such a swap.

    Each swap counts half as much as the one before."""
    best = np.zeros(len(boards))
    if depth > 0:
        board, actions = np.nonzero(matching(boards))
        next_boards, points = after(boards[board], actions)
        np.maximum.at(best, board, points + 0.5 * best_plan(next_boards, depth - 1))
    return best


def setups(board, left):
    """The swaps that match and, before the last move, those that prepare a chain of more points than any of now.

    Of these the twelve best count, and the equals of the last."""
    match = matching(board[None])[0]
    others = np.flatnonzero(effective(board[None])[0] & ~match)
    if left > 1:
        points = best_plan(swapped(np.repeat(board[None], len(others), axis=0), others), 1)
        better = points > best_plan(board[None], 1)[0]
        others, points = others[better], points[better]
        if len(others) > 12:
            others = others[points >= np.sort(points)[-12]]
        match[others] = True
    return match


def offered(board, left):
    """The swaps to choose from, and whether the agent learned to choose among such swaps."""
    for number, mask in enumerate(MASKS):
        found = setups(board, left) if mask is setups else mask(board[None])[0]
        if found.any():
            return found, number == 0
    raise ValueError("no swap is possible on this board")


def move(action):
    """A swap as (x, y, vertical): the token in column x and row y with the one below, or to the right."""
    y, x = divmod(int(FIRST[action]), COLUMNS)
    return x, y, bool(SECOND[action] == FIRST[action] + COLUMNS)


# What the kit's window calls: graphical.Game(ai_callback, transition_callback, end_of_game_callback).run()


def ai_callback(board, score, moves_left):
    """Chooses the next swap (x, y, vertical)."""
    return choose(board, moves_left)


def transition_callback(board, move, score_delta, next_board, moves_left):
    """Learns nothing from a swap's result: the agent is trained."""


def end_of_game_callback(boards, scores, moves, final_score):
    """Says whether to play another game."""
    return False

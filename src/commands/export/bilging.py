#@ constants
ROWS, COLUMNS = 12, 6
LETTERS = "abcdefg"
COLOURS, KINDS, UNKNOWN = 7, 7, -1

#@ wave: threes cells_of count_runs fall
def wave(boards, number):
    """Clears the runs and lets the pieces rise. Returns the boards, the points, and which changed."""
    down, right = threes(boards)
    cells = cells_of(down, right)
    lines, fours, fives = (count_runs(down, right, length) for length in (3, 4, 5))
    # A line of three counts 3, of four 5, of five or more 7, and all count as often as there are lines.
    factor = np.where(lines < 4, lines, np.where(fives > 0, 6, 4))
    points = (3 * lines + 2 * fours + 2 * fives) * factor
    if number > 1:  # pieces that line up without a swap  #unless chains_full
        points = np.zeros(len(boards))  #unless chains_piece chains_full
        points = cells.sum(axis=(1, 2))  #if chains_piece
    return fall(boards, cells), points, cells.any(axis=(1, 2))

#@ after: swapped chain
def after(boards, actions):
    """The boards after a swap and all that is certain to follow, and its points."""
    return chain(swapped(boards, actions))

#@ scalar
def scalar(left):
    """The number that the network sees beside the board."""
    return min(left / 50, 1)

#@ move: swaps
def move(action):
    """A swap as [row, column] of its left piece."""
    return [int(cell) for cell in divmod(FIRST[action], COLUMNS)]

#@ refill: in_run
def refill(board, luck, used):
    """Draws the unknown pieces of a board; `used` counts the numbers used in each column."""
    for column in range(COLUMNS):
        for row in range(ROWS):
            is_open = board[row, column] == UNKNOWN
            while is_open:
                used[column] += 1
                board[row, column] = luck.numbers(used[column], COLOURS_DRAWN)[column, -1]
                is_open = in_run(board, row, column)  # a piece that completes a run is drawn again  #if again
                is_open = False  #unless again

#@ outcomes: swapped wave refill luck
def outcomes(board, actions, left, luck):
    """Plays each swap with the same luck. Returns the boards, the points, and whether the game is over."""
    boards = swapped(np.repeat(board[None], len(actions), axis=0), actions)
    used, points, number = np.zeros((len(actions), COLUMNS), int), np.zeros(len(actions)), 1
    while True:
        boards, gained, moved = wave(boards, number)
        if not moved.any():
            return boards, points, np.full(len(actions), left == 1)
        for place in np.flatnonzero(moved):
            refill(boards[place], luck, used[place])
        points, number = points + gained, number + 1

#@ in_run
def in_run(board, row, column):
    """Whether a piece stands in a run of three or more."""

    def count(down, right):
        length, y, x = 0, row + down, column + right
        while 0 <= y < ROWS and 0 <= x < COLUMNS and board[y][x] == board[row][column]:
            length, y, x = length + 1, y + down, x + right
        return length

    known = board[row][column] != UNKNOWN
    return known and (count(0, -1) + count(0, 1) >= 2 or count(-1, 0) + count(1, 0) >= 2)

#@ bingos: in_run
# A bingo clears three lines at once: a line of X in a row, a line of X down the anchor's column, and a line of O down the
# column beside it. The last swap brings X into the anchor and O beside it.


def bingos(board):
    """The features of each possible bingo: how far the X of the column, the O, the X of the row and the row's O have to
    go, how many of them meet a run on their way, and 0."""
    rows = [[int(piece) for piece in row] for row in board]
    found = []
    for row in range(ROWS):
        counts = [rows[row].count(colour) for colour in range(COLOURS)]
        for x in range(COLOURS):
            for o in range(COLOURS):
                enough = x != o and counts[x] >= 3 and 1 <= counts[o] <= counts[x]
                if enough and stands(rows, row, x) and stands(rows, row, o):
                    sides = [(direction, anchor) for direction, anchor in orientations(columns_of(rows[row], x))]
                    measured = [(measure(rows, row, x, o, *side), side) for side in sides]
                    best, _ = min(measured, key=lambda one: (sum(one[0]), -one[1][0], one[1][1]))
                    found.append([*best, 0])
    return found


def columns_of(pieces, colour):
    return [column for column, piece in enumerate(pieces) if piece == colour]


def pairs(row):
    """Pairs of rows with which a row makes a vertical three."""
    all_pairs = [(row - 2, row - 1), (row - 1, row + 1), (row + 1, row + 2)]
    return [pair for pair in all_pairs if pair[0] >= 0 and pair[1] < ROWS]


def stands(rows, row, colour):
    """Whether a colour is in both rows of a pair."""
    return any(colour in rows[one] and colour in rows[other] for one, other in pairs(row))


def orientations(xs):
    """Sides of the O line and anchors, by a row's two closest X and the third nearest to them."""
    closest = min(right - left for left, right in zip(xs, xs[1:]))
    found = []
    for left, right in zip(xs, xs[1:]):
        if right - left == closest:
            far = {x: left - x if x < left else x - right for x in xs if x not in (left, right)}
            for third in far:
                if far[third] == min(far.values()):
                    found.append((1, min(max(right + 1, 2), 4)) if third > right else (-1, min(max(left - 1, 1), 3)))
    return found


def nearest(rows, row, colour, to):
    """The column of the nearest piece of a colour, the left one of two."""
    return min(columns_of(rows[row], colour), key=lambda column: abs(column - to))


def measure(rows, row, x, o, direction, anchor):
    """The first five features of a bingo."""
    walks = []  # of each piece: row, column, column to reach
    for colour, to in ((x, anchor), (o, anchor + direction)):
        both = [pair for pair in pairs(row) if all(colour in rows[one] for one in pair)]
        both = [[(one, nearest(rows, one, colour, to), to) for one in pair] for pair in both]
        walks += min(both, key=lambda pair: sum(abs(column - to) for _, column, to in pair))
    xs = sorted(sorted(columns_of(rows[row], x), key=lambda column: (abs(column - anchor), column))[:3])
    places = sorted(anchor + step * direction for step in (-2, -1, 1))
    walks += [(row, column, to) for column, to in zip(xs, places)]
    walks.append((row, nearest(rows, row, o, anchor), anchor))
    far = [abs(column - to) for _, column, to in walks]
    from_anchor = sum(abs(column - anchor) for column in xs)
    return [sum(far[:2]), sum(far[2:4]), from_anchor, far[7], sum(is_blocked(rows, *walk) for walk in walks)]


def is_blocked(rows, row, column, to):
    """Whether a piece's straight walk through a row makes a run."""
    rows = [list(pieces) for pieces in rows]
    step = 1 if to > column else -1
    for column in range(column, to, step):
        pieces = rows[row]
        pieces[column], pieces[column + step] = pieces[column + step], pieces[column]
        if in_run(rows, row, column) or in_run(rows, row, column + step):
            return True
    return False

#@ features: bingos
def features(boards, left):
    """Features of each board: those of the possible bingo with the least sum; others and a 1 where there is none."""
    return np.array([min(bingos(board), key=sum, default=NO_BINGO) for board in boards], float)


NO_BINGO = [10, 10, 15, 5, 8, 1]

#@ value: bingos
def value_of(boards, left):
    """The value of each board: the constant plus the weighted features of the best possible bingo."""  #unless many
    """The value of each board: the constant plus the mean weighted features of the best possible bingos."""  #if many
    return np.array([value_of_one(board) for board in boards])


def value_of_one(board):
    constant, *weights = WEIGHTS.values()
    weighed = []
    for features in bingos(board) or [NO_BINGO]:
        weighed.append(sum(weight * feature for weight, feature in zip(weights, features)))
    return constant + max(weighed)  #unless many
    best = sorted(weighed, reverse=True)[:BEST_OF]  #if many
    return constant + sum(best) / len(best)  #if many


NO_BINGO = [10, 10, 15, 5, 8, 1]  # a board without a possible bingo

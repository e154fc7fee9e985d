#@ constants
ROWS, COLUMNS, MOVES = 10, 8, 25
LETTERS = "abcd#"
COLOURS, KINDS, OBSTACLE, UNKNOWN = 4, 5, 4, -1

#@ wave: threes cells_of count_runs fall
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

#@ after: swapped chain
def after(boards, actions):
    """The boards after a swap and all that is certain to follow, and its points."""
    boards, points = chain(swapped(boards, actions))
    return boards, np.where(points == 0, -5.0, points)

#@ setups: effective matching swapped best_plan
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

#@ scalar
def scalar(left):
    """The number that the network sees beside the board."""
    return left / MOVES

#@ move: swaps
def move(action):
    """A swap as (x, y, vertical): the token in column x and row y with the one below, or to the right."""
    y, x = divmod(int(FIRST[action]), COLUMNS)
    return x, y, bool(SECOND[action] == FIRST[action] + COLUMNS)

#@ refill
def refill(boards, luck, used):
    """Draws the unknown tokens, in each column from below; `used` counts the numbers used in each column."""
    unknown = boards == UNKNOWN
    order = used[:, None] + np.cumsum(unknown[:, ::-1], axis=1)[:, ::-1] - 1
    used += unknown.sum(axis=1)
    drawn = luck.numbers(used.max(), COLOURS + OBSTACLE_KINDS)
    tokens = drawn[np.arange(COLUMNS), np.maximum(order, 0)]
    return np.where(unknown, np.minimum(tokens, OBSTACLE), boards).astype(np.int8)

#@ outcomes: swapped wave refill luck
def outcomes(board, actions, left, luck):
    """Plays each swap with the same luck. Returns the boards, the points, and whether the game is over."""
    boards = swapped(np.repeat(board[None], len(actions), axis=0), actions)
    used, points, number = np.zeros((len(actions), COLUMNS), int), np.zeros(len(actions)), 1
    while True:
        boards, gained, moved = wave(boards, number)
        if not moved.any():
            return boards, np.where(points == 0, -5.0, points), np.full(len(actions), left == 1)
        boards, points, number = refill(boards, luck, used), points + gained, number + 1

#@ features: matching after best_plan
def features(boards, left):
    """Features of each board: the best certain plan of two swaps, the second at half the weight; the sum of the squared
    numbers of gems of each colour."""
    if left <= 0:
        return np.zeros((len(boards), 2))
    board, actions = np.nonzero(matching(boards))
    next_boards, points = after(boards[board], actions)
    # Plans begin with the four swaps of each board that bring the most points.
    order = np.lexsort((actions, -points, board))
    place = np.arange(len(order)) - np.searchsorted(board[order], board[order])
    first = order[place < 4]
    plan = np.zeros(len(boards))
    np.maximum.at(plan, board[first], points[first] + 0.5 * best_plan(next_boards[first], 1 if left > 1 else 0))
    counts = [(boards == colour).sum(axis=(1, 2)) for colour in range(COLOURS)]
    colours = sum(count.astype(float) ** 2 for count in counts) if left > 1 else np.zeros(len(boards))
    return np.stack([plan, colours], axis=1)

#@ kit
# What the kit's window calls: graphical.Game(ai_callback, transition_callback, end_of_game_callback).run()


def ai_callback(board, score, moves_left):
    """Chooses the next swap (x, y, vertical)."""
    return choose(board, moves_left)


def transition_callback(board, move, score_delta, next_board, moves_left):
    """Learns nothing from a swap's result: the agent is trained."""


def end_of_game_callback(boards, scores, moves, final_score):
    """Says whether to play another game."""
    return False

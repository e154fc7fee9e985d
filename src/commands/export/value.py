class Luck:
    """A sequence of drawn numbers for each column, the same for all swaps."""

    def __init__(self, seed, number):
        self.streams = [Stream(seed, SIMULATE, number << 5 | column + 1) for column in range(COLUMNS)]
        self.drawn = [[] for _ in range(COLUMNS)]

    def numbers(self, count, kinds):
        """The first numbers of each column, [columns, count]."""
        for stream, drawn in zip(self.streams, self.drawn):
            while len(drawn) < count:
                drawn.append(stream.below(kinds))
        return np.array([drawn[:count] for drawn in self.drawn])


def refill(boards, luck, used):
    """Draws the unknown tokens, in each column from below; `used` counts the numbers used in each column."""
    unknown = boards == UNKNOWN
    order = used[:, None] + np.cumsum(unknown[:, ::-1], axis=1)[:, ::-1] - 1
    used += unknown.sum(axis=1)
    drawn = luck.numbers(used.max(), COLOURS + OBSTACLE_KINDS)
    tokens = drawn[np.arange(COLUMNS), np.maximum(order, 0)]
    return np.where(unknown, np.minimum(tokens, OBSTACLE), boards).astype(np.int8)


def outcomes(board, actions, left, luck):
    """Plays each swap with the same luck. Returns the boards, the points, and whether the game is over."""
    boards = swapped(np.repeat(board[None], len(actions), axis=0), actions)
    used, points, number = np.zeros((len(actions), COLUMNS), int), np.zeros(len(actions)), 1
    while True:
        boards, gained, moved = wave(boards, number)
        if not moved.any():
            return boards, np.where(points == 0, -5.0, points), np.full(len(actions), left == 1)
        boards, points, number = refill(boards, luck, used), points + gained, number + 1


def value_of(boards, left):
    """The value of each board: the constant plus the weighted features."""
    sums = 0.0
    for weight, feature in zip(list(WEIGHTS.values())[1:], features(boards, left).T):
        sums = sums + weight * feature
    return WEIGHTS["constant"] + sums


def values_of(board, left, actions, seed):
    """The discounted value of the position to which each action leads, with its points if REWARDS: the mean over OUTCOMES
    drawn outcomes, or, if these are none, of the board that it leaves for certain."""
    if OUTCOMES == 0:
        boards, points = after(np.repeat(board[None], len(actions), axis=0), actions)
        over = np.full(len(actions), left == 1)
    else:
        played = [outcomes(board, actions, left, Luck(seed, number)) for number in range(OUTCOMES)]
        boards, points, over = (np.concatenate(part) for part in zip(*played))
    values = DISCOUNT * np.where(over, 0.0, value_of(boards, left - 1))
    if REWARDS:
        values = points + values
    return sum(values.reshape(-1, len(actions))) / max(OUTCOMES, 1)


def choose(board, moves_left=MOVES):
    """The agent's move on a board, a text or an array of kinds."""
    board = read(board)
    # All chance depends on the position alone, so that a position always gets the same move.
    stream = stream_of(text(board), moves_left or 0)
    actions = np.flatnonzero(offered(board, moves_left)[0])
    values = values_of(board, moves_left, actions, stream.next())
    best = actions[values == values.max()]
    return move(best[0 if len(best) == 1 else stream.below(len(best))])

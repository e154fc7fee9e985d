#@ constants
ROWS, COLUMNS = 8, 8
LETTERS = "RWYBPOG.?"
COLOURS, KINDS, UNKNOWN = 7, 7, -1

#@ wave: threes cells_of count_runs fall
def wave(boards, number):
    """Clears the runs and lets all fall. Returns the boards, the points, and which changed."""
    down, right = threes(boards)
    cells = cells_of(down, right)
    # A run's length less 2 counts as often as its place among the wave's runs, the shortest first, and that as often as the
    # wave's number.
    points, length, runs = 0, 3, count_runs(down, right, 3)
    longer = runs
    while longer.any():
        points = points + longer * runs - longer * (longer - 1) // 2
        length, longer = length + 1, count_runs(down, right, length + 1)
    return fall(boards, cells), BASE * number * points, cells.any(axis=(1, 2))

#@ after: swapped chain
def after(boards, actions):
    """The boards after a swap and all that is certain to follow, and its points."""
    return chain(swapped(boards, actions))

#@ scalar
def scalar(left):
    """The number that the network sees beside the board."""
    return 1 if not left else min(left / 100, 1)

#@ move: swaps
def move(action):
    """A swap as text: column and row of its upper or left gem, and D for the gem below or R for the one to the right."""
    y, x = divmod(int(FIRST[action]), COLUMNS)
    return f"({x},{y}){'R' if SECOND[action] == FIRST[action] + 1 else 'D'}"

#@ refill
def refill(boards, luck, used):
    """Draws the unknown gems, in each column from below; `used` counts the numbers used in each column."""
    unknown = boards == UNKNOWN
    order = used[:, None] + np.cumsum(unknown[:, ::-1], axis=1)[:, ::-1] - 1
    used += unknown.sum(axis=1)
    gems = luck.numbers(used.max(), COLOURS)[np.arange(COLUMNS), np.maximum(order, 0)]
    return np.where(unknown, gems, boards).astype(np.int8)

#@ outcomes: swapped wave refill luck matching
def outcomes(board, actions, left, luck):
    """Plays each swap with the same luck. Returns the boards, the points, and whether the game is over."""
    boards = swapped(np.repeat(board[None], len(actions), axis=0), actions)
    used, points, number = np.zeros((len(actions), COLUMNS), int), np.zeros(len(actions)), 1
    while True:
        boards, gained, moved = wave(boards, number)
        if not moved.any():
            return boards, points, ~matching(boards).any(axis=1) | (left == 1)
        boards, points, number = refill(boards, luck, used), points + gained, number + 1

#@ features: matching
def features(boards, left):
    """The feature of each board: its number of swaps that match."""
    return matching(boards).sum(axis=1, keepdims=True) * float(left != 0)

#@ action-features: after features matching less
def features_of(board, left, actions):
    """Features of each action: its points, the swaps that match after it, and the unknown gems that it leaves."""
    boards, points = after(np.repeat(board[None], len(actions), axis=0), actions)
    unknown = (boards == UNKNOWN).sum(axis=(1, 2))
    return np.stack([points, features(boards, less(left))[:, 0], unknown], axis=1)

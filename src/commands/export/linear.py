def features_of(board, left, actions):
    """Features of each action: its points, then the features of the board that it leaves for certain."""
    boards, points = after(np.repeat(board[None], len(actions), axis=0), actions)
    return np.column_stack([points, features(boards, left - 1)])


def choose(board, moves_left=MOVES):
    """The agent's move on a board, a text or an array of kinds: the one of the highest sum of weighted features, the first
    of equal ones."""
    board = read(board)
    actions = np.flatnonzero(offered(board, moves_left)[0])
    values = 0.0
    for name, feature in zip(FEATURES, features_of(board, moves_left, actions).T):
        values = values + WEIGHTS.get(name, 0.0) * feature
    return move(actions[np.argmax(values)])

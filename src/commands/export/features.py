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

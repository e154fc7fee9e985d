def values_after(boards, actions, left):
    """The network's outputs for a swap on each board, [boards, outputs], and the certain plans' values to which the first
    output is added. The network sees the board that the swap leaves for certain, and the plans that follow."""
    boards, points = after(boards, actions)
    left = left - 1
    which, following = np.nonzero(matching(boards) & (left != 0))
    next_boards, alone = after(boards[which], following)
    both = alone + 0.5 * best_plan(next_boards, 0 if left == 1 else 1)
    # For plans of one and of two swaps: a number where the first swap begins, and the highest number everywhere.
    planes, highest = [encode(boards)], []
    for plans in (alone, both):
        at_swap = np.zeros((len(boards), ROWS * COLUMNS, 2), np.float32)
        at_swap[which, FIRST[following], GROUP[following]] = POINT * plans.astype(np.float32)
        planes.append(at_swap.reshape(len(boards), ROWS, COLUMNS, 2))
        best = np.zeros(len(boards), np.float32)
        np.maximum.at(best, which, plans.astype(np.float32))
        highest.append(best)
    for best in highest:
        planes.append(np.broadcast_to((POINT * (best / 16))[:, None, None, None], (len(boards), ROWS, COLUMNS, 1)))
    outputs, _ = network(np.concatenate(planes, axis=-1), scalar(left))
    return outputs.sum(axis=(1, 2)) / 16, POINT * (points + 0.5 * highest[0]).astype(np.float32)


def values_of(board, left, actions):
    """The network's values of swaps: of each the best certain plan of two, corrected by the network. The six best are valued
    again, with the best of NEXT_MOVES swaps that may follow, if any."""
    boards = np.repeat(board[None], len(actions), axis=0)
    outputs, prior = values_after(boards, actions, left)
    values = outputs[:, 0] + prior
    if NEXT_MOVES == 0:
        return values
    six = np.argsort(-values, kind="stable")[:6]
    again = np.full(len(actions), -np.inf)
    again[six] = planned(boards[six], actions[six], left) + outputs[six, 1]
    return again


def planned(boards, actions, left):
    """The certain points of each swap plus half the value of the best swap after it, in the network's unit."""
    boards, points = after(boards, actions)
    left = left - 1
    which, following = np.nonzero(matching(boards) & (left != 0))
    next_boards, plans = after(boards[which], following)
    plans = plans + 0.5 * best_plan(next_boards, 0 if left == 1 else 1)
    # Swaps of the best certain plans, of equal ones the first.
    order = np.lexsort((following, -plans, which))
    place = np.arange(len(order)) - np.searchsorted(which[order], which[order])
    tried = order[place < NEXT_MOVES]
    best = np.full(len(boards), -np.inf, np.float32)
    if len(tried):
        outputs, prior = values_after(boards[which[tried]], following[tried], left)
        np.maximum.at(best, which[tried], outputs[:, 0] + prior)
    return POINT * points.astype(np.float32) + 0.5 * np.where(np.isinf(best), 0, best)

#@ value: features
def value_of(boards, left):
    """The value of each board: the constant plus the weighted features."""
    sums = 0.0
    for weight, feature in zip(list(WEIGHTS.values())[1:], features(boards, left).T):
        sums = sums + weight * feature
    return WEIGHTS["constant"] + sums

#@ drawn: value outcomes luck less
def values_of(board, left, actions, seed):
    """The mean over drawn outcomes of each action's points plus the discounted value of the position that it leads to."""  #if rewards
    """The mean over drawn outcomes of the discounted value of the position that each action leads to."""  #unless rewards
    played = [outcomes(board, actions, left, Luck(seed, number)) for number in range(OUTCOMES)]
    boards, points, over = (np.concatenate(part) for part in zip(*played))
    later = np.where(over, 0.0, value_of(boards, less(left)))
    values = points + DISCOUNT * later  #if rewards
    values = DISCOUNT * later  #unless rewards
    return sum(values.reshape(OUTCOMES, len(actions))) / OUTCOMES

#@ certain: value after less
def values_of(board, left, actions, seed):
    """Each action's certain points plus the discounted value of the board that it leaves for certain."""  #if rewards
    """The discounted value of the board that each action leaves for certain."""  #unless rewards
    boards, points = after(np.repeat(board[None], len(actions), axis=0), actions)
    later = np.zeros(len(actions)) if left == 1 else value_of(boards, less(left))
    return points + DISCOUNT * later  #if rewards
    return DISCOUNT * later  #unless rewards

#@ choose: read text offered stream move
def choose(board, moves_left=MOVES):
    """The agent's move on a board, a text or an array of kinds."""
    board = read(board)
    # All chance depends on the position alone, so that a position always gets the same move.
    stream = stream_of(text(board), moves_left or 0)
    actions = np.flatnonzero(offered(board, moves_left)[0])
    values = values_of(board, moves_left, actions, stream.next())
    best = actions[values == values.max()]
    return move(best[0 if len(best) == 1 else stream.below(len(best))])

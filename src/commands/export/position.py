def values_of(board, left, actions):
    """The network's values of actions."""
    outputs, channels = network(encode(board[None]), scalar(left))
    # Each swap's value stands at its first cell, in the plane of its direction.
    values = outputs.reshape(ROWS * COLUMNS, -1)[FIRST, GROUP]
    if DUELING:
        state = convolve("value.output", relu(convolve("value.hidden", channels.mean(axis=(1, 2), keepdims=True))))
        values = values - values.mean() + state[0, 0, 0, 0]
    return values[actions]

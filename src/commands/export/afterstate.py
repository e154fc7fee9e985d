def next_wave(planes):
    """What the agent's model predicts of one wave: the planes after it, and its points in the network's unit."""
    x = relu(convolve("dynamics.stem", by_colour(planes)))
    for layer in range(DYNAMICS_LAYERS - 1):
        mean = x.mean(axis=1, keepdims=True)  # over the colours
        # Half the sum of what is below each cell in its column.
        below = np.zeros_like(mean)
        below[:, :, :-1] = 0.5 * np.cumsum(mean[:, :, :0:-1], axis=2)[:, :, ::-1]
        exchanged = convolve(f"dynamics.exchange.{layer}", np.concatenate([mean, below], axis=-1))
        x = x + relu(convolve(f"dynamics.body.{layer}", x) + exchanged)
    points = convolve("dynamics.points", relu(convolve("dynamics.hidden", x))).sum(axis=(1, 2, 3, 4)) / 16
    odds = [np.moveaxis(convolve("dynamics.own", x)[..., 0], 1, -1)] if SHARED else []
    odds.append(convolve("dynamics.rest", x.mean(axis=1)))
    return (np.concatenate(odds, axis=-1) > 0).astype(np.float32), points


def predict(planes):
    """Follows each board's chain by the model. Returns the planes of the last boards, and the points of the chains."""
    planes, points = planes.copy(), np.zeros(len(planes), np.float32)
    changing = np.arange(len(planes))
    for _ in range(WAVES):
        next_planes, gained = next_wave(planes[changing])
        points[changing] += gained
        changed = (next_planes != planes[changing]).any(axis=(1, 2, 3))
        planes[changing] = next_planes
        changing = changing[changed]
        if len(changing) == 0:
            break
    return planes, points


def valued(boards, actions, left):
    """The network's values of a swap on each board, the planes that the model predicts after it, and the predicted points."""
    planes, points = predict(encode(swapped(boards, actions)))
    outputs, _ = network(planes, scalar(left - 1))
    return outputs.sum(axis=(1, 2, 3)) / 16 + points, planes, points


def values_of(board, left, actions):
    """The network's values of swaps. With a model of waves the best plan of two swaps, the second on the predicted board, has a
    share in the values of the best swaps, if there are rivals."""
    values, planes, points = valued(np.repeat(board[None], len(actions), axis=0), actions, left)
    near = np.argsort(-values, kind="stable")[:PLANS]
    near = near[values[near] >= values[near[0]] - np.float32(PLAN_MARGIN) * POINT]
    if WAVES == 0 or len(near) <= 1:
        return values
    seen = planes[near][..., :KINDS] > 0.5
    boards, left = np.where(seen.any(axis=-1), seen.argmax(axis=-1), UNKNOWN).astype(np.int8), left - 1
    which, following = np.nonzero(matching(boards) & (left != 0))
    best = np.full(len(near), -np.inf, np.float32)
    if len(which):
        np.maximum.at(best, which, valued(boards[which], following, left)[0])
    planned = best > -np.inf
    some = near[planned]
    again = np.full(len(actions), -np.inf, np.float32)
    again[near] = values[near]
    if len(some):
        gains = points[some] + np.float32(PLAN_DISCOUNT) * best[planned] - values[some]
        # What all plans gain tells nothing.
        again[some] += np.float32(PLAN_SHARE) * (gains - gains.mean())
    return again

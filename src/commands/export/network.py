#@ groups: swaps
# The plane of a swap's direction.
GROUP, GROUPS = (SECOND == FIRST + 1).astype(int), 2  #if vertical
GROUP, GROUPS = np.zeros(len(FIRST), int), 1  #unless vertical

#@ convolve
def relu(x):
    return np.maximum(x, 0)


def convolve(name, x):
    """A convolution of x, [.., rows, columns, channels], by its name; a 3x3 one sees zeros beyond the board."""
    weight, bias = WEIGHTS[name + ".weight"], WEIGHTS[name + ".bias"]
    shape = (*x.shape[:-1], len(bias))
    if weight.shape[-1] == 3:
        # The nine cells around each cell side by side make the convolution one product of matrices.
        rows, columns = x.shape[-3:-1]
        padded = np.pad(x, [(0, 0)] * (x.ndim - 3) + [(1, 1), (1, 1), (0, 0)])
        around = [padded[..., down : down + rows, right : right + columns, :] for down in range(3) for right in range(3)]
        x = np.concatenate(around, axis=-1)
    kernel = weight.transpose(2, 3, 1, 0).reshape(-1, len(bias))
    return (x.reshape(-1, len(kernel)) @ kernel + bias).reshape(shape)

#@ by_colour
def by_colour(planes):  #if shared
    """What the network sees for each colour, [boards, colours, rows, columns, channels]: the colour's own plane, the sum of  #if shared
    the other colours' planes, and the planes of no colour. All colours share the weights."""  #if shared
    own = np.moveaxis(planes[..., :COLOURS], -1, 1)[..., None]  #if shared
    rest = np.repeat(planes[:, None, ..., COLOURS:], COLOURS, axis=1)  #if shared
    return np.concatenate([own, own.sum(axis=1, keepdims=True) - own, rest], axis=-1)  #if shared

#@ network: convolve by_colour
def network(planes, number):
    """The network's outputs, [boards, rows, columns, outputs], of planes [boards, rows, columns, planes] and a number that
    every cell sees."""
    everywhere = np.full((*planes.shape[:-1], 1), number, np.float32)
    x = relu(convolve("stem", by_colour(np.concatenate([planes, everywhere], axis=-1))))  #if shared
    x = relu(convolve("stem", np.concatenate([planes, everywhere], axis=-1)))[:, None]  #unless shared
    for layer in range(LAYERS - 1):
        y = convolve(f"body.{layer}", x)
        mean = x.mean(axis=1, keepdims=True)  # over the colours  #if shared
        y = y + convolve(f"exchange.{layer}", mean)  #if shared
        if layer == (LAYERS - 1) // 2:
            y = y + convolve("summary", mean.mean(axis=(2, 3), keepdims=True))  # over the board  #if shared
            y = y + convolve("summary", x.mean(axis=(2, 3), keepdims=True))  # over the board  #unless shared
        x = x + relu(y)
    mean = x.mean(axis=1)
    outputs = convolve("advantage", relu(convolve("hidden", mean)))
    board = mean.mean(axis=(1, 2), keepdims=True)  #if dueling
    return outputs, convolve("value.output", relu(convolve("value.hidden", board)))[:, 0, 0, 0]  #if dueling
    return outputs  #unless dueling

#@ dynamics: convolve by_colour
def next_wave(planes):
    """What the agent's model predicts of one wave: the planes after it, and its points in the network's unit."""
    x = relu(convolve("dynamics.stem", by_colour(planes)))  #if shared
    x = relu(convolve("dynamics.stem", planes))[:, None]  #unless shared
    for layer in range(DYNAMICS_LAYERS - 1):
        mean = x.mean(axis=1, keepdims=True)  # over the colours  #if shared
        mean = x  #unless shared
        # Half the sum of what is below each cell in its column.
        below = np.zeros_like(mean)
        below[:, :, :-1] = 0.5 * np.cumsum(mean[:, :, :0:-1], axis=2)[:, :, ::-1]
        exchanged = convolve(f"dynamics.exchange.{layer}", np.concatenate([mean, below], axis=-1))
        x = x + relu(convolve(f"dynamics.body.{layer}", x) + exchanged)
    points = convolve("dynamics.points", relu(convolve("dynamics.hidden", x))).sum(axis=(1, 2, 3, 4)) / 16
    odds = [np.moveaxis(convolve("dynamics.own", x)[..., 0], 1, -1)]  #if own
    odds = []  #unless own
    odds.append(convolve("dynamics.rest", x.mean(axis=1)))  #if rest
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

#@ values-position: network groups encode scalar
def values_of(board, left, actions):
    """The network's values of actions."""
    outputs, state = network(encode(board[None]), scalar(left))  #if dueling
    outputs = network(encode(board[None]), scalar(left))  #unless dueling
    # Each swap's value stands at its first cell, in the plane of its direction.  #if vertical
    # Each swap's value stands at its first cell.  #unless vertical
    values = outputs.reshape(ROWS * COLUMNS, -1)[FIRST, GROUP]
    values = values - values.mean() + state[0]  #if dueling
    return values[actions]

#@ values-afterstate: network encode scalar begun less
def values_of(board, left, actions):
    """The network's values of swaps: what it makes of the board that each leaves."""
    planes = encode(begun(np.repeat(board[None], len(actions), axis=0), actions))
    planes, points = predict(planes)  #if waves
    outputs = network(planes, scalar(less(left)))
    return outputs.sum(axis=(1, 2, 3)) / 16 + points  #if waves
    return outputs.sum(axis=(1, 2, 3)) / 16  #unless waves

#@ values-shared: network encode scalar begun less matching
def valued(boards, actions, left):
    """The network's values of a swap on each board, the planes that the model predicts after it, and the predicted points."""
    planes, points = predict(encode(begun(boards, actions)))
    outputs = network(planes, scalar(less(left)))
    return outputs.sum(axis=(1, 2, 3)) / 16 + points, planes, points


def values_of(board, left, actions):
    """The network's values of swaps. The best plan of two swaps, the second on the predicted board, has a share in the values
    of the best swaps, if there are rivals."""
    values, planes, points = valued(np.repeat(board[None], len(actions), axis=0), actions, left)
    near = np.argsort(-values, kind="stable")[:PLANS]
    near = near[values[near] >= values[near[0]] - np.float32(PLAN_MARGIN) * POINT]
    if len(near) <= 1:
        return values
    seen = planes[near][..., :KINDS] > 0.5
    boards, left = np.where(seen.any(axis=-1), seen.argmax(axis=-1), UNKNOWN).astype(np.int8), less(left)
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

#@ begun: swapped
def begun(boards, actions):
    """The boards right after a swap."""
    return swapped(boards, actions)

#@ plans: network groups encode scalar matching after best_plan less
def values_after(boards, actions, left):
    """The network's outputs for a swap on each board, [boards, outputs], and the certain plans' values to which the first
    output is added. The network sees the board that the swap leaves for certain, and the plans that follow."""
    boards, points = after(boards, actions)
    left = less(left)
    which, following = np.nonzero(matching(boards) & (left != 0))
    next_boards, alone = after(boards[which], following)
    both = alone + 0.5 * best_plan(next_boards, 0 if left == 1 else 1)
    # For plans of one and of two swaps: a number where the first swap begins, and the highest number everywhere.
    planes, highest = [encode(boards)], []
    for plans in (alone, both):
        at_swap = np.zeros((len(boards), ROWS * COLUMNS, GROUPS), np.float32)
        at_swap[which, FIRST[following], GROUP[following]] = POINT * plans.astype(np.float32)
        planes.append(at_swap.reshape(len(boards), ROWS, COLUMNS, GROUPS))
        best = np.zeros(len(boards), np.float32)
        np.maximum.at(best, which, plans.astype(np.float32))
        highest.append(best)
    for best in highest:
        planes.append(np.broadcast_to((POINT * (best / 16))[:, None, None, None], (len(boards), ROWS, COLUMNS, 1)))
    outputs = network(np.concatenate(planes, axis=-1), scalar(left))
    return outputs.sum(axis=(1, 2)) / 16, POINT * (points + 0.5 * highest[0]).astype(np.float32)

#@ values-plans: plans
def values_of(board, left, actions):
    """The network's values of swaps: of each the best certain plan of two, corrected by the network."""
    outputs, prior = values_after(np.repeat(board[None], len(actions), axis=0), actions, left)
    return outputs[:, 0] + prior

#@ values-next: plans
def values_of(board, left, actions):
    """The network's values of swaps. The six best are valued again, with the best of NEXT_MOVES swaps that may follow."""
    boards = np.repeat(board[None], len(actions), axis=0)
    outputs, prior = values_after(boards, actions, left)
    values = outputs[:, 0] + prior
    six = np.argsort(-values, kind="stable")[:6]
    again = np.full(len(actions), -np.inf)
    again[six] = planned(boards[six], actions[six], left) + outputs[six, 1]
    return again


def planned(boards, actions, left):
    """The certain points of each swap plus half the value of the best swap after it, in the network's unit."""
    boards, points = after(boards, actions)
    left = less(left)
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

#@ choose: read text offered stream move
def choose(board, moves_left=MOVES):
    """The agent's move on a board, a text or an array of kinds."""
    board = read(board)
    found, known = offered(board, moves_left)
    best = np.flatnonzero(found)
    if known:
        values = values_of(board, moves_left, best)
        best = best[values == values.max()]
    # Equal moves, and all those that the agent did not learn to choose from, are drawn from.
    drawn = 0 if len(best) == 1 else stream_of(text(board), moves_left or 0).below(len(best))
    return move(best[drawn])

#@ unpack
def unpack(shapes, text):
    """Arrays of 32-bit numbers by their names and shapes, from one base64 text."""
    numbers, arrays, start = np.frombuffer(base64.b64decode(text), "<f4"), {}, 0
    for name, shape in shapes.items():
        end = start + math.prod(shape)
        arrays[name], start = numbers[start:end].reshape(shape), end
    return arrays

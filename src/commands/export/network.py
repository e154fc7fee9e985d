# The plane of a swap's direction.
GROUP = (SECOND == FIRST + 1).astype(int)


def encode(boards):
    """The boards as planes of 0 and 1, one for each kind of token, [boards, rows, columns, kinds]."""
    return np.stack([boards == kind for kind in range(KINDS)], axis=-1).astype(np.float32)


def scalar(left):
    """The number that the network sees beside the board."""
    return left / MOVES


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


def by_colour(planes):
    """What the network sees for each colour, [boards, colours, rows, columns, channels]: the colour's own plane, the sum of
    the other colours' planes, and the planes of no colour. All colours share the weights, or all planes are seen at once."""
    if not SHARED:
        return planes[:, None]
    own = np.moveaxis(planes[..., :COLOURS], -1, 1)[..., None]
    rest = np.repeat(planes[:, None, ..., COLOURS:], COLOURS, axis=1)
    return np.concatenate([own, own.sum(axis=1, keepdims=True) - own, rest], axis=-1)


def network(planes, number):
    """The network's outputs, [boards, rows, columns, outputs], and their channels' means over the colours, of planes [boards,
    rows, columns, planes] and a number that every cell sees."""
    everywhere = np.full((*planes.shape[:-1], 1), number, np.float32)
    x = relu(convolve("stem", by_colour(np.concatenate([planes, everywhere], axis=-1))))
    for layer in range(LAYERS - 1):
        y = convolve(f"body.{layer}", x)
        mean = x.mean(axis=1, keepdims=True)  # over the colours
        if SHARED:
            y = y + convolve(f"exchange.{layer}", mean)
        if layer == (LAYERS - 1) // 2:
            y = y + convolve("summary", mean.mean(axis=(2, 3), keepdims=True))  # over the board
        x = x + relu(y)
    mean = x.mean(axis=1)
    return convolve("advantage", relu(convolve("hidden", mean))), mean


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


def unpack(shapes, text):
    """Arrays of 32-bit numbers by their names and shapes, from one base64 text."""
    numbers, arrays, start = np.frombuffer(base64.b64decode(text), "<f4"), {}, 0
    for name, shape in shapes.items():
        end = start + math.prod(shape)
        arrays[name], start = numbers[start:end].reshape(shape), end
    return arrays

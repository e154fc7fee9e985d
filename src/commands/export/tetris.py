#@ constants
COLUMNS = 10
PIECES = "OILJTSZ"

# The orientations of each piece: in each of its columns its lowest row and the row above its highest.
ORIENTATIONS = {
    "O": [((0, 0), (2, 2))],
    "I": [((0,), (4,)), ((0, 0, 0, 0), (1, 1, 1, 1))],
    "L": [((0, 0), (3, 1)), ((0, 1, 1), (2, 2, 2)), ((2, 0), (3, 3)), ((0, 0, 0), (1, 1, 2))],
    "J": [((0, 0), (1, 3)), ((0, 0, 0), (2, 1, 1)), ((0, 2), (3, 3)), ((1, 1, 0), (2, 2, 2))],
    "T": [((0, 1), (3, 2)), ((1, 0, 1), (2, 2, 2)), ((1, 0), (2, 3)), ((0, 0, 0), (1, 2, 1))],
    "S": [((0, 0, 1), (1, 2, 2)), ((1, 0), (3, 2))],
    "Z": [((1, 0, 0), (2, 2, 1)), ((0, 1), (2, 3))],
}

#@ read
def read(board, piece=None):
    """The wall, [rows, columns] from the top, and the piece.

    The text has two lines that show the piece, then the rows of the wall; or rows alone, of 20, if the piece is given."""
    if not isinstance(board, str):
        return np.asarray(board, bool), piece
    lines = board.strip().split("\n")
    shown = [letter for letter in "".join(lines[:2]) if letter in PIECES]
    if shown:
        piece, lines = piece or shown[0], lines[2:]
    elif len(lines) == 22 and set("".join(lines[:2])) == {"."}:
        lines = lines[2:]
    wrong = len(lines) > 20 or any(len(line) != COLUMNS or set(line) - set(".#") for line in lines)
    if wrong or piece not in ORIENTATIONS:
        raise ValueError("a board is up to 20 lines of 10 of . and #, below two lines of the piece if it is not given")
    lines = lines if shown else ["." * COLUMNS] * (20 - len(lines)) + lines
    return np.array([[cell == "#" for cell in line] for line in lines]), piece

#@ text
def text(wall, piece):
    """The text of a position: two lines of the piece, then the wall."""
    lower, upper = next(turned for turned in ORIENTATIONS[piece] if max(turned[1]) <= 2)
    shown = [["."] * COLUMNS for _ in range(2)]
    for column, (low, high) in enumerate(zip(lower, upper)):
        for row in range(low, high):
            shown[1 - row][3 + column] = piece
    lines = shown + [["#" if cell else "." for cell in row] for row in wall]
    return "\n".join("".join(line) for line in lines)

#@ placed
def heights_of(walls):
    """The height of each column, [walls, columns]."""
    return np.where(walls.any(axis=1), walls.shape[1] - np.argmax(walls, axis=1), 0)


class Placed:
    """All placements of a piece on a wall; one that reaches above the wall loses, and leaves the wall as it was.

    actions: orientation times 10 plus the piece's left column
    walls, heights: the walls after the placements, without full rows, and their columns' heights
    lost, lines: whether a placement loses, and the rows that it fills
    landing, report_landing, eroded: features of the placements
    """

    def __init__(self, wall, piece):
        height, tops = len(wall), heights_of(wall[None])[0]
        self.actions, walls, full_walls, lost, lines, landing, report_landing, eroded = [], [], [], [], [], [], [], []
        for orientation, (lower, upper) in enumerate(ORIENTATIONS[piece]):
            for column in range(COLUMNS - len(lower) + 1):
                under = tops[column : column + len(lower)]
                rest = max(0, *(int(top) - low for top, low in zip(under, lower)))
                after, in_rows = wall.copy(), np.zeros(height, int)  # cells of the piece in each row
                lost.append(rest + max(upper) > height)
                if not lost[-1]:
                    for place, (low, high) in enumerate(zip(lower, upper)):
                        rows = slice(height - rest - high, height - rest - low)
                        after[rows, column + place] = True
                        in_rows[rows] += 1
                full = after.all(axis=1)
                full_walls.append(after)
                walls.append(np.concatenate([np.zeros((full.sum(), COLUMNS), bool), after[~full]]))
                lines.append(full.sum())
                eroded.append(full.sum() * in_rows[full].sum())
                landing.append(rest + (max(upper) - 1) / 2)
                report_landing.append(max(int(top) + high / 2 for top, high in zip(under, upper)))
                self.actions.append(COLUMNS * orientation + column)
        self.actions, self.walls, self.full_walls = np.array(self.actions), np.array(walls), np.array(full_walls)
        self.heights, self.lost, self.lines = heights_of(self.walls), np.array(lost), np.array(lines)
        self.landing, self.report_landing, self.eroded = np.array(landing), np.array(report_landing), np.array(eroded)

#@ move
def move(action):
    """A placement as [orientation, column] of the piece's left side."""
    return [int(number) for number in divmod(action, COLUMNS)]

#@ landing_height
def landing_height(placed):
    """The middle of the piece where it lands."""
    return placed.landing

#@ eroded_piece_cells
def eroded_piece_cells(placed):
    """Rows removed times the piece's cells in them."""
    return placed.eroded

#@ rows_removed
def rows_removed(placed):
    return placed.lines

#@ report_landing_height
def report_landing_height(placed):
    """The highest of the columns below the piece, each with half of the piece's upper side there."""
    return placed.report_landing

#@ has_lost
def has_lost(placed):
    return np.where(placed.lost, -10000, 100)

#@ row_transitions
def row_transitions(placed):
    """Changes between filled and empty along the rows; the sides are filled."""
    sides = np.pad(placed.walls, ((0, 0), (0, 0), (1, 1)), constant_values=True)
    return (sides[:, :, 1:] != sides[:, :, :-1]).sum(axis=(1, 2))

#@ inner_column_transitions
def inner_column_transitions(placed):
    """Changes between filled and empty along the columns, above the floor."""
    top = np.pad(placed.walls, ((0, 0), (1, 0), (0, 0)))
    return (top[:, 1:] != top[:, :-1]).sum(axis=(1, 2))

#@ column_transitions: inner_column_transitions
def column_transitions(placed):
    """Changes between filled and empty along the columns; the floor is filled."""
    return inner_column_transitions(placed) + (~placed.walls[:, -1]).sum(axis=1)

#@ holes_of
def holes_of(walls):
    """Empty cells below a filled one."""
    return np.logical_or.accumulate(walls, axis=1) & ~walls

#@ holes: holes_of
def holes(placed):
    return holes_of(placed.walls).sum(axis=(1, 2))

#@ rows_with_holes: holes_of
def rows_with_holes(placed):
    return holes_of(placed.walls).any(axis=2).sum(axis=1)

#@ hole_depth
def hole_depth(placed):
    """Filled cells above a hole."""
    empty_below = np.logical_or.accumulate(~placed.walls[:, ::-1], axis=1)[:, ::-1]
    return (placed.walls & empty_below).sum(axis=(1, 2))

#@ topped_holes
def topped_holes(placed):
    """Empty cells with a filled one right above."""
    return (placed.walls[:, :-1] & ~placed.walls[:, 1:]).sum(axis=(1, 2))

#@ wells_of
def wells_of(walls):
    """Empty cells between two filled ones or a side."""
    sides = np.pad(walls, ((0, 0), (0, 0), (1, 1)), constant_values=True)
    return ~walls & sides[:, :, :-2] & sides[:, :, 2:]

#@ well_sums: wells_of
def well_sums(placed):
    """The sum over the cells of wells of the empty cells from each straight down."""
    wells, sums, number = wells_of(placed.walls), 0, 0
    for row in range(placed.walls.shape[1]):
        number = np.where(placed.walls[:, row], 0, number + wells[:, row])
        sums = sums + number.sum(axis=1)
    return sums

#@ well_sums_triangular: wells_of
def well_sums_triangular(placed):
    """The sum of 1 + 2 + .. + k for each well of k cells, down to the first filled one."""
    wells, sums, number = wells_of(placed.walls), 0, 0
    for row in range(placed.walls.shape[1]):
        number = np.where(placed.walls[:, row], 0, number + ((number > 0) | wells[:, row]))
        sums = sums + number.sum(axis=1)
    return sums

#@ diversity
def diversity(placed):
    """How many of the numbers from -2 to 2 are among the differences of neighbouring heights."""
    differences = np.diff(placed.heights, axis=1)
    return sum((differences == number).any(axis=1).astype(int) for number in range(-2, 3))

#@ max_height
def max_height(placed):
    return placed.heights.max(axis=1)

#@ sum_of_heights
def sum_of_heights(placed):
    return placed.heights.sum(axis=1)

#@ squared_heights
def squared_heights(placed):
    return (placed.heights**2).sum(axis=1)

#@ bumpiness
def bumpiness(placed):
    """The sum of the differences of neighbouring heights."""
    return abs(np.diff(placed.heights, axis=1)).sum(axis=1)

#@ height_wells
def height_wells(placed):
    """The sum of 1 + 2 + .. + d for each column d lower than both neighbours; a side is 21 high."""
    sides = np.pad(placed.heights, ((0, 0), (1, 1)), constant_values=21)
    depth = np.maximum(np.minimum(sides[:, :-2], sides[:, 2:]) - placed.heights, 0)
    return (depth * (depth + 1) // 2).sum(axis=1)

#@ linear-choose: read placed move
def values_of(placed):
    """The value of each placement: the sum of its weighted features."""
    values = np.zeros(len(placed.actions))
    for feature, weight in FEATURES.items():
        values = values + weight * feature(placed)
    differences = np.clip(np.diff(placed.heights, axis=1), -3, 3) + 3  #if shapes
    for column in range(7):  #if shapes
        values = values + SHAPES[tuple(differences[:, column : column + 3].T)]  #if shapes
    values = values + SIDES[tuple(differences[:, :3].T)]  # the left side  #if shapes
    values = values + SIDES[tuple(6 - differences[:, :5:-1].T)]  # the right side, mirrored  #if shapes
    values = values + sum(weight * height for weight, height in zip(HEIGHTS, placed.heights.T))  #if heights
    apart = abs(np.diff(placed.heights, axis=1))  #if heights
    values = values + sum(weight * difference for weight, difference in zip(HEIGHT_DIFFERENCES, apart.T))  #if heights
    return values  #unless never_loses
    return np.where(placed.lost, -np.inf, values)  #if never_loses


def choose(board, piece=None):
    """The agent's placement of the piece: the one of the highest value, the first of equal ones."""
    placed = Placed(*read(board, piece))
    return move(placed.actions[np.argmax(values_of(placed))])

#@ offered
def offered(placed):
    """Which placements to choose from, and whether the agent learned to choose among such placements."""
    safe = ~placed.lost  #if safe
    return (safe, True) if safe.any() else (~safe, False)  #if safe
    return np.ones(len(placed.actions), bool), True  #unless safe

#@ value-choose: read text placed offered stream move
def values_of(placed):
    """The value of each placement: its rows plus the discounted value of the wall that it leaves."""  #if rewards
    """The discounted value of the wall that each placement leaves."""  #unless rewards
    constant, *weights = WEIGHTS.values()
    sums = 0.0
    for weight, feature in zip(weights, FEATURES):
        sums = sums + weight * feature(placed)
    later = constant + sums
    later = np.where(placed.lost, 0.0, later)  # the game is over  #if drawn
    values = DISCOUNT * later  #unless rewards
    values = placed.lines + DISCOUNT * later  #if rewards
    # The mean of as many equal outcomes: the next piece changes none of the features.  #if drawn
    return sum([values] * OUTCOMES) / OUTCOMES  #if drawn
    return values  #unless drawn


def choose(board, piece=None):
    """The agent's placement of the piece."""
    wall, piece = read(board, piece)
    placed = Placed(wall, piece)
    found = offered(placed)[0]
    values, actions = values_of(placed)[found], placed.actions[found]
    best = actions[values == values.max()]
    # Equal placements are drawn from, by numbers that depend on the position alone.
    stream = stream_of(text(wall, piece), 0)
    stream.next()
    return move(best[0 if len(best) == 1 else stream.below(len(best))])

#@ encode
def encode(walls, piece=None):
    """Walls, [walls, rows, columns], as planes [walls, 20, columns, 8]: the wall, then a plane of ones for the piece."""
    planes = np.zeros((len(walls), 20, COLUMNS, 1 + len(PIECES)), np.float32)
    planes[:, 20 - walls.shape[1] :, :, 0] = walls
    if piece:
        planes[..., 1 + PIECES.index(piece)] = 1
    return planes

#@ values-position: network encode
def values_of(wall, placed, piece):
    """The network's values of the placements."""
    outputs, state = network(encode(wall[None], piece), len(wall) / 20)  #if dueling
    outputs = network(encode(wall[None], piece), len(wall) / 20)  #unless dueling
    # A placement's value stands in the lowest row, at its left column, in the plane of its orientation.
    values = outputs[0, -1].T.ravel()
    values = values - values.mean() + state[0]  #if dueling
    return values[placed.actions]

#@ values-after: network encode
def values_of(wall, placed, piece):
    """The network's values of the placements: what it makes of the wall that each leaves."""
    planes = encode(placed.full_walls)  # full rows are still there  #if full
    planes = encode(placed.walls)  #unless full
    planes[placed.lost, ..., 0] = 1  # where the game is lost, the wall is full
    planes, points = predict(planes)  #if waves
    planes = np.concatenate([planes, np.zeros((*planes.shape[:-1], 10), np.float32)], axis=-1)  # no certain plan  #if plans
    points = POINT * placed.lines.astype(np.float32)  #if plans
    outputs = network(planes, len(wall) / 20).sum(axis=(1, 2)) / 16
    return outputs[:, 0] + points  #if predicts
    return outputs[:, 0]  #unless predicts next
    # The six best are valued again as the network learned to value plans.  #if next
    values = outputs[:, 0] + points  #if next
    six = np.argsort(np.where(offered(placed)[0], -values, np.inf), kind="stable")[:6]  #if next
    again = np.full(len(values), -np.inf)  #if next
    again[six] = points[six] + outputs[six, 1]  #if next
    return again  #if next

#@ network-choose: read text placed offered stream move
def choose(board, piece=None):
    """The agent's placement of the piece."""
    wall, piece = read(board, piece)
    placed = Placed(wall, piece)
    found, known = offered(placed)
    best = placed.actions[found]
    if known:
        values = values_of(wall, placed, piece)[found]
        best = best[values == values.max()]
    # Equal placements, and all those that the agent did not learn to choose from, are drawn from.
    return move(best[0 if len(best) == 1 else stream_of(text(wall, piece), 0).below(len(best))])

#@ main
def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("board", type=argparse.FileType(), help="file of the board's text, - for standard input")
    parser.add_argument("--piece", choices=list(PIECES), help="the piece, where the board shows none")
    arguments = parser.parse_args()
    try:
        print(json.dumps(choose(arguments.board.read(), arguments.piece)))
    except ValueError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()

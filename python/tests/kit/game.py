"""The game of a stand-in for the kit: docs/match3.md written out cell by cell, in plain Python."""

import random

WIDTH, HEIGHT, MOVES, GEMS = 8, 10, 25, 4


class GameLogic:
    def __init__(self, seed=None, obstacle_kinds=2):
        self._random = random.Random(seed)
        self._kinds = GEMS + obstacle_kinds
        self._score = 0
        self._moves_left = MOVES
        self._rows = [[self._draw() for _ in range(WIDTH)] for _ in range(HEIGHT)]
        self._settle([])

    def score(self):
        return self._score

    def is_gameover(self):
        return self._moves_left <= 0

    def moves_left(self):
        return self._moves_left

    def board(self):
        return "\n".join("".join(" " if kind is None else "abcd#"[min(kind, GEMS)] for kind in row) for row in self._rows)

    def matching_moves(self):
        moves = []
        for x in range(WIDTH):
            for y in range(HEIGHT):
                for vertical in (False, True):
                    if self._swap(x, y, vertical):
                        if any(self._runs()):
                            moves.append((x, y, vertical))
                        self._swap(x, y, vertical)
        return moves

    def play(self, move):
        x, y, vertical = move
        over = self.is_gameover()
        self._moves_left -= 1
        if over:
            return self.board(), 0, True, []
        boards = []
        if self._swap(x, y, vertical):
            boards.append(self.board())
        points = self._settle(boards) or -5
        self._score += points
        return self.board(), points, self.is_gameover(), boards[:-1]

    def _draw(self):
        return self._random.randint(0, self._kinds - 1)

    def _swap(self, x, y, vertical):
        other_x, other_y = (x, y + 1) if vertical else (x + 1, y)
        if x < 0 or y < 0 or other_x >= WIDTH or other_y >= HEIGHT:
            return False
        rows = self._rows
        rows[y][x], rows[other_y][other_x] = rows[other_y][other_x], rows[y][x]
        return True

    def _runs(self):
        """Every maximal run of three or more equal gems, as its cells."""
        lines = [[(x, y) for x in range(WIDTH)] for y in range(HEIGHT)]
        lines += [[(x, y) for y in range(HEIGHT)] for x in range(WIDTH)]
        rows = self._rows
        for line in lines:
            run = []
            for x, y in line:
                if run and rows[y][x] != rows[run[0][1]][run[0][0]]:
                    if len(run) >= 3 and rows[run[0][1]][run[0][0]] < GEMS:
                        yield run
                    run = []
                run.append((x, y))
            if len(run) >= 3 and rows[run[0][1]][run[0][0]] < GEMS:
                yield run

    def _settle(self, boards):
        points = 0
        while True:
            runs = list(self._runs())
            if not runs:
                return points
            points += sum(min(len(run), 5) ** 2 - 1 for run in runs)
            self._clear({cell for run in runs for cell in run})
            boards.append(self.board())
            while self._fall():
                boards.append(self.board())

    def _clear(self, gems):
        rows = self._rows
        cleared = set(gems)
        for x, y in gems:
            for near_x, near_y in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)):
                if 0 <= near_x < WIDTH and 0 <= near_y < HEIGHT and rows[near_y][near_x] >= GEMS:
                    cleared.add((near_x, near_y))
        for x, y in cleared:
            rows[y][x] = None

    def _fall(self):
        rows = self._rows
        fallen = False
        for x in range(WIDTH):
            holes = [y for y in range(HEIGHT) if rows[y][x] is None]
            if holes:
                fallen = True
                for y in range(holes[-1], 0, -1):
                    rows[y][x] = rows[y - 1][x]
                rows[0][x] = self._draw()
        return fallen

"""The runner of a stand-in for the kit: the kit's calls, without the window. The
module runs only in its own folder.
"""

import random

from game import GameLogic

with open("font.txt") as font:
    FONT = font.read()


class Game:
    def __init__(self, ai_callback, transition_callback, end_of_game_callback, speed=1.0, seed=None):
        if seed is None:
            seed = random.SystemRandom().getrandbits(128)
        print(f"Seed: {seed}")
        self.speed = speed
        self._random = random.Random(seed)
        self._callbacks = ai_callback, transition_callback, end_of_game_callback

    def run(self):
        ai_callback, transition_callback, end_of_game_callback = self._callbacks
        while True:
            game = GameLogic(self._random.getrandbits(128))
            boards, scores, moves = [game.board()], [0], []
            while not game.is_gameover():
                before = game.board()
                move = ai_callback(before, game.score(), game.moves_left())
                after, delta, _, _ = game.play(move)
                transition_callback(before, move, delta, after, game.moves_left())
                boards.append(after)
                scores.append(game.score())
                moves.append(move)
            if not end_of_game_callback(boards, scores, moves, game.score()):
                return

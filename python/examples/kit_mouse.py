"""The kit (docs/match3.md), played with the mouse: click on a token, then on one next to it.

    python python/examples/kit_mouse.py FOLDER [SEED]

FOLDER is the kit's, with graphical.py. `python -m matchq watch --click --interval 0.7` plays in
this window from its pixels alone. The kit asks a player for moves; the player of this example waits
for two clicks.
"""

import os
import sys

import pygame

folder = sys.argv[1]
seed = int(sys.argv[2]) if len(sys.argv) > 2 else None
os.chdir(folder)
sys.path.insert(0, os.getcwd())
import game  # noqa: E402
import graphical  # noqa: E402


def clicked_move(board, score, moves_left):
    """The swap of the next two clicks on neighbours."""
    first = None
    while True:
        for event in pygame.event.get():
            if event.type == pygame.QUIT or (event.type == pygame.KEYDOWN and event.key == pygame.K_ESCAPE):
                sys.exit()
            if event.type == pygame.MOUSEBUTTONDOWN:
                cell = tuple(int((at - graphical.SPACING) // graphical.GEM_SIZE) for at in event.pos)
                if not (0 <= cell[0] < game.WIDTH and 0 <= cell[1] < game.HEIGHT):
                    continue
                if first and abs(cell[0] - first[0]) + abs(cell[1] - first[1]) == 1:
                    return min(cell[0], first[0]), min(cell[1], first[1]), cell[1] != first[1]
                first = cell
        pygame.time.wait(10)


def end_of_game(boards, scores, moves, score):
    print(f"score {score}", flush=True)


graphical.Game(clicked_move, lambda *transition: None, end_of_game, seed=seed).run()

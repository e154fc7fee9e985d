"""A window in which the kit's game is played with the mouse: a stand-in for the real ones that ``matchq watch`` plays in.

The window draws as the kit does: triangles, squares, pentagons and hexagons on white, grey squares for obstacles, the cell's place
on each. Two clicks on neighbouring cells swap them. At the end it prints the score.
"""

import math
import sys

import pygame
from game import GEMS, HEIGHT, WIDTH, GameLogic

CELL, EDGE = 60, 6
COLOURS = {"a": (255, 0, 0), "b": (0, 255, 0), "c": (0, 0, 255), "d": (0, 255, 255), "#": (100, 100, 100)}


def draw(window, font, board):
    window.fill((255, 255, 255))
    half = 0.48 * CELL
    for y, row in enumerate(board.split("\n")):
        for x, letter in enumerate(row):
            middle = EDGE + (x + 0.5) * CELL, EDGE + (y + 0.5) * CELL
            if letter == "#":
                pygame.draw.rect(window, COLOURS[letter], (middle[0] - half, middle[1] - half, 2 * half, 2 * half))
            elif letter != " ":
                corners = "abcd".index(letter) + 3
                turns = [2 * math.pi * corner / corners for corner in range(corners)]
                points = [(middle[0] + half * math.sin(turn), middle[1] + half * math.cos(turn)) for turn in turns]
                pygame.draw.polygon(window, COLOURS[letter], points)
            text = font.render(f"{x}, {y}", True, (0, 0, 0))
            window.blit(text, text.get_rect(center=middle))
    pygame.display.flip()


def main():
    seed, pause = int(sys.argv[1]), int(sys.argv[2])
    assert GEMS == 4
    pygame.display.init()
    pygame.font.init()
    window = pygame.display.set_mode((WIDTH * CELL + 2 * EDGE + 120, HEIGHT * CELL + 2 * EDGE))
    font = pygame.font.Font(None, 16)
    game, selected = GameLogic(seed), None
    draw(window, font, game.board())
    while not game.is_gameover():
        for event in pygame.event.get():
            if event.type == pygame.QUIT:
                return
            if event.type != pygame.MOUSEBUTTONDOWN:
                continue
            cell = tuple(int((at - EDGE) // CELL) for at in event.pos)
            if not (0 <= cell[0] < WIDTH and 0 <= cell[1] < HEIGHT):
                continue
            if selected and abs(cell[0] - selected[0]) + abs(cell[1] - selected[1]) == 1:
                move = min(cell[0], selected[0]), min(cell[1], selected[1]), cell[1] != selected[1]
                board, _, _, between = game.play(move)
                selected = None
                for shown in [*between, board]:
                    pygame.time.wait(pause)
                    draw(window, font, shown)
                print(*move, flush=True)
            else:
                selected = cell
        pygame.time.wait(5)
    print(f"score {game.score()}", flush=True)
    # The last board stays for a while.
    pygame.time.wait(500)


main()

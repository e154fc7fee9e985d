"""A player of one's own in the kit's callbacks: the matching move that is lowest on the board.

    python python/examples/my_player.py

In the kit's folder, graphical.Game takes the same callbacks and shows the games in its window.
"""

import matchq


def ai_callback(board, score, moves_left):
    actions = matchq.action_mask(board).nonzero()[0]
    moves = [matchq.move_of_action(int(action)) for action in actions]
    return max(moves, key=lambda move: move[1], default=(0, 0, True))


def transition_callback(board, move, score_delta, next_board, moves_left):
    pass  # a learner learns here


def end_of_game_callback(boards, scores, moves, final_score):
    print(f"{final_score} points")
    return False  # no other game


if __name__ == "__main__":
    matchq.Game(ai_callback, transition_callback, end_of_game_callback, seed=7).run()

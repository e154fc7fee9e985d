import itertools

import pytest
from conftest import traces

import matchq


class Recorder:
    """Notes every call, and plays moves by the board, each an object of its own."""

    def __init__(self, games=1, fails_at=None):
        self.calls, self.games, self.fails_at = [], games, fails_at

    def note(self, *call):
        self.calls.append(call)
        if len(self.calls) == self.fails_at:
            raise LookupError("a callback's own")

    def ai(self, board, score, moves_left):
        self.note("ai", board, score, moves_left)
        letters = sum(map(ord, board))
        move = [letters % 10 - 1, letters % 11 - 1, letters % 2]
        self.calls[-1] += (move,)
        return move

    def transition(self, board, move, score_delta, next_board, moves_left):
        assert move is self.calls[-1][-1]
        self.note("transition", board, move, score_delta, next_board, moves_left)
        return "ignored"

    def end(self, boards, scores, moves, final_score):
        self.note("end", boards, scores, moves, final_score)
        self.games -= 1
        return "more" if self.games else None

    @property
    def callbacks(self):
        return self.ai, self.transition, self.end


@pytest.mark.parametrize("seed", [0, 7, 2**100 + 3])
def test_the_calls_are_those_of_the_stand_in_for_the_kit(kit, seed):
    ours, theirs = Recorder(games=3), Recorder(games=3)
    matchq.Game(*ours.callbacks, seed=seed).run()
    kit[1].Game(*theirs.callbacks, seed=seed).run()
    assert ours.calls == theirs.calls
    assert len(ours.calls) == 3 * 51
    boards, scores, moves, final_score = ours.calls[-1][1:]
    assert (len(boards), len(scores), len(moves), scores[0], scores[-1]) == (26, 26, 25, 0, final_score)
    assert [call[3] for call in ours.calls[:50:2]] == list(range(25, 0, -1))
    assert [call[5] for call in ours.calls[1:50:2]] == list(range(24, -1, -1))


def test_the_games_of_a_session_are_those_of_the_golden_traces():
    for session in traces("kit_sessions.jsonl"):
        recorder = Recorder(games=len(session["games"]))
        matchq.Game(*recorder.callbacks, 2.0, int(session["session_seed"])).run()
        starts = [call[1][0] for call in recorder.calls if call[0] == "end"]
        assert starts == [game["start"] for game in session["games"]]


@pytest.mark.parametrize("fails_at", [1, 2, 25, 50, 51])
def test_an_exception_of_a_callback_comes_out_and_nothing_is_called_after_it(fails_at):
    recorder = Recorder(fails_at=fails_at)
    with pytest.raises(LookupError, match="a callback's own"):
        matchq.Game(*recorder.callbacks, seed=1).run()
    assert len(recorder.calls) == fails_at


@pytest.mark.parametrize("move", [(1, 2), None, "abc", (1.0, 2.0, True)])
def test_what_is_no_move_raises_out_of_run(move):
    with pytest.raises((TypeError, ValueError), match="a move is"):
        matchq.Game(lambda *_: move, seed=1).run()


def test_the_seed_is_printed_and_random_without_one(capsys):
    matchq.Game(lambda *_: (0, 0, True), seed=12)
    assert capsys.readouterr().out == "Seed: 12\n"
    seeds = [matchq.Game(lambda *_: (0, 0, True)).seed for _ in range(2)]
    assert seeds[0] != seeds[1]
    assert capsys.readouterr().out.split() == ["Seed:", str(seeds[0]), "Seed:", str(seeds[1])]


def test_without_observers_one_game_is_played_and_running_again_goes_on():
    boards = []
    game = matchq.Game(lambda board, *_: boards.append(board) or (-1, 0, True), seed=0)
    game.run()
    game.run()
    starts = [board for board, _ in itertools.groupby(boards)]
    assert len(boards) == 50
    assert starts == [game["start"] for game in traces("kit_sessions.jsonl")[0]["games"][:2]]


def test_a_seed_out_of_range_is_refused_at_once():
    with pytest.raises(ValueError, match="the seed is -1"):
        matchq.Game(lambda *_: (0, 0, True), seed=-1)

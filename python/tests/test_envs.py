import copy
import itertools
import warnings

import gymnasium
import numpy as np
import pytest
from conftest import ROOT
from gymnasium.error import ResetNeeded
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import matchq
from matchq._matchq import Games
from matchq.envs import GameEnv, GameVectorEnv, Match3Env, Match3VectorEnv

GAMES = 130  # Enough for several threads.


def text(observation):
    """The board of an observation, as text."""
    letters = np.array(list("abcd#"))
    assert (observation["board"].sum(axis=0) == 1).all()
    return "\n".join("".join(row) for row in letters[observation["board"].argmax(axis=0)])


@pytest.mark.parametrize(
    "options", [{}, {"render_mode": "ansi", "mask": "legal", "obstacle_kinds": 1}, {"render_mode": "rgb_array"}]
)
def test_gymnasiums_checker_passes_without_a_warning(options):
    environment = gymnasium.make("matchq/Match3-v0", **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(environment.unwrapped)


def test_a_seeded_game_is_that_of_game_logic():
    environment = gymnasium.make("matchq/Match3-v0", render_mode="ansi")
    for seed in (0, 1, 2**64 + 5):
        game = matchq.GameLogic(seed)
        observation, info = environment.reset(seed=seed)
        assert environment.unwrapped.game_seed == seed
        chance = np.random.default_rng(seed % 1000)
        for number in range(25):
            assert text(observation) == game.board() == environment.render()
            assert observation["moves_left"] == np.float32((25 - number) / 25)
            assert info["score"] == game.score()
            np.testing.assert_array_equal(info["action_mask"], matchq.action_mask(game.board()))
            np.testing.assert_array_equal(environment.unwrapped.action_masks(), info["action_mask"])
            action = int(chance.integers(142))
            _, delta, over, _ = game.play(matchq.move_of_action(action))
            observation, reward, terminated, truncated, info = environment.step(action)
            assert (reward, terminated, truncated) == (delta, over, False)
            assert type(reward) is float
        assert text(observation) == game.board() and observation["moves_left"] == 0
        assert info["score"] == game.score()


def test_games_after_the_first_follow_from_its_seed_as_documented():
    import random

    environment = Match3Env()
    environment.reset(seed=9)
    session = random.Random(9)
    for _ in range(3):
        observation, _ = environment.reset()
        seed = session.getrandbits(128)
        assert environment.game_seed == seed
        assert text(observation) == matchq.GameLogic(seed).board()


def test_environments_without_a_seed_differ():
    seeds = [Match3Env(), Match3Env()]
    for environment in seeds:
        environment.reset()
    assert seeds[0].game_seed != seeds[1].game_seed
    vector = Match3VectorEnv(3)
    vector.reset()
    assert len(set(vector.game_seeds)) == 3


def test_a_step_without_a_game_is_refused():
    environment = Match3Env()
    with pytest.raises(ResetNeeded):
        environment.step(0)
    environment.reset(seed=0)
    for _ in range(25):
        environment.step(0)
    with pytest.raises(ResetNeeded):
        environment.step(0)
    with pytest.raises(ResetNeeded):
        Match3VectorEnv(2).step([0, 0])


def test_nothing_is_told_of_a_game_that_is_not_there():
    environment, vector = Match3Env(), Match3VectorEnv(2)
    for ask in (
        environment.action_masks,
        vector.action_masks,
        lambda: environment.game_seed,
        lambda: vector.game_seeds,
    ):
        with pytest.raises(ResetNeeded, match="before"):
            ask()


@pytest.mark.parametrize("make", [Match3Env, lambda: Match3VectorEnv(2)])
def test_what_is_no_seed_is_refused_and_what_is_one_taken(make):
    environment = make()
    for seed in (-1, 2**128, 10**60):
        with pytest.raises(ValueError, match=f"the seed is {seed}, but must be from 0 to 2"):
            environment.reset(seed=seed)
    for seed in (1.5, "7"):
        with pytest.raises(TypeError):
            environment.reset(seed=seed)
    for three in (np.int64(3), np.array(3)):
        np.testing.assert_equal(environment.reset(seed=three), make().reset(seed=3))
    with pytest.raises(ValueError, match=r"must be at most 2\^128 - 2: game i has seed N \+ i"):
        Match3VectorEnv(2).reset(seed=2**128 - 1)


def test_more_games_than_there_is_memory_for_are_refused():
    with pytest.raises(MemoryError, match=f"there is no memory for {2**62} games"):
        Games("match3", 2**62, None, "legal", None)
    with pytest.raises((MemoryError, ValueError)):
        Match3VectorEnv(2**62)


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("masked", [True, False])
def test_games_that_are_over_are_reset_where_nothing_else_resets_them(kept, masked):
    vector = Match3VectorEnv(3, autoreset_mode="Disabled", copy=kept)
    vector.reset(seed=0)
    for _ in range(2):
        for _ in range(25):
            over = vector.step([0, 0, 0])[2]
        assert over.all()
        if masked:
            # A game that stays over is reported.
            vector.reset(options={"reset_mask": np.array([True, False, True])})
            with pytest.raises(ResetNeeded, match="game 1"):
                vector.step([0, 0, 0])
            vector.reset(options={"reset_mask": np.array([False, True, False])})
        else:
            vector.reset()
        assert vector.step([0, 0, 0])[0]["moves_left"].tolist() == [[np.float32(24 / 25)]] * 3
        vector.reset()
    # The array of finished games may itself be the mask.
    for _ in range(25):
        over = vector.step([0, 0, 0])[2]
    vector.reset(options={"reset_mask": over})
    assert not vector.step([0, 0, 0])[2].any()


@pytest.mark.parametrize("action, error", [(-1, ValueError), (142, ValueError), (1.5, TypeError), ("1", TypeError)])
def test_what_is_no_action_is_refused_and_plays_nothing(action, error):
    environment = Match3Env()
    environment.reset(seed=0)
    with pytest.raises(error):
        environment.step(action)
    with pytest.raises(ValueError, match=f"the action is {10**30}, but must be from 0 to 141"):
        environment.step(10**30)
    np.testing.assert_equal(environment.step(3), fresh_step(3))
    vector = Match3VectorEnv(2)
    vector.reset(seed=0)
    with pytest.raises(error):
        vector.step(np.array([3, action]))
    assert vector.step([3, 3])[0]["moves_left"].tolist() == [[np.float32(24 / 25)]] * 2
    with pytest.raises(ValueError, match=f"the action of game 1 .* is {2**63 - 1}, but must be from 0 to 141"):
        vector.step(np.array([3, 2**64 - 1], np.uint64))


def test_the_action_after_a_games_end_is_ignored_whatever_it_is():
    vector = Match3VectorEnv(2)
    vector.reset(seed=0)
    for _ in range(25):
        vector.step([0, 0])
    with pytest.raises(ValueError, match="from 0 to 141"):
        vector.reset(options={"reset_mask": np.array([True, False])})
        vector.step([-1, -1])
    observation, rewards, over, _, _ = vector.step([0, -1])
    assert rewards[1] == 0 and not over.any()
    assert observation["moves_left"].tolist() == [[np.float32(24 / 25)], [1.0]]


def fresh_step(action):
    environment = Match3Env()
    environment.reset(seed=0)
    return environment.step(action)


def test_wrong_arguments_are_refused_by_name():
    for make in (Match3Env, Match3VectorEnv):
        with pytest.raises(ValueError, match="'best' is no mask"):
            make(mask="best")
        with pytest.raises(ValueError, match="obstacle kinds is 300"):
            make(obstacle_kinds=300)
        with pytest.raises(ValueError, match="obstacle kinds is 300"):
            make(rules={"obstacle_kinds": 300})
        with pytest.raises(ValueError, match="obstacle_kinds is given twice"):
            make(rules={"obstacle_kinds": 1}, obstacle_kinds=1)
        with pytest.raises(ValueError, match="match3 has no rules .*unknown field `colours`, expected `obstacle_kinds`"):
            make(rules={"colours": 3})
        with pytest.raises(TypeError, match="3 is no name: a dictionary's keys must be text"):
            make(rules={3: 3})
        with pytest.raises(ValueError, match="match3 has no rules"):
            make(obstacle_kinds=-1)
        with pytest.raises(ValueError, match=f"obstacle_kinds is {10**30}: that is too many"):
            make(obstacle_kinds=10**30)
        with pytest.raises(ValueError, match="inf is no number that counts"):
            make(rules={"obstacle_kinds": float("inf")})
        with pytest.raises(TypeError, match="options is 5, but must be a dictionary or None"):
            make().reset(options=5)
        with pytest.raises(TypeError, match="obstacle_kinds is 1.5, but must be a whole number"):
            make(obstacle_kinds=1.5)
        with pytest.raises(ValueError, match="there is no game 'chess': the games are match3"):
            make(game="chess")
        with pytest.raises(ValueError, match="render mode is 'human'"):
            make(render_mode="human")
    with pytest.raises(ValueError, match="num_envs is 0"):
        Match3VectorEnv(0)
    vector = Match3VectorEnv(3)
    with pytest.raises(ResetNeeded):
        vector.reset(options={"reset_mask": np.ones(3, bool)})
    vector.reset(seed=0)
    with pytest.raises(ValueError, match=r"shape \(2,\), but must have \(3,\)"):
        vector.step([0, 0])
    with pytest.raises(ValueError, match="there are 2 seeds, but must be 3"):
        vector.reset(seed=[1, 2])
    with pytest.raises(ValueError, match="the seed is -1"):
        vector.reset(seed=[1, 2, -1])
    with pytest.raises(ValueError, match="at least one"):
        vector.reset(options={"reset_mask": np.zeros(3, bool)})
    with pytest.raises(TypeError, match="must be an array of bool"):
        vector.reset(options={"reset_mask": [True, False, True]})


def vectors(mode, longest=None, **options):
    """A vector environment and Gymnasium's own over single environments, games cut after longest steps."""
    options = options if longest is None else {**options, "max_episode_steps": longest}
    ours = gymnasium.make_vec("matchq/Match3-v0", GAMES, autoreset_mode=mode, **options)
    assert isinstance(ours, Match3VectorEnv)
    one = Match3Env if longest is None else lambda: gymnasium.wrappers.TimeLimit(Match3Env(), longest)
    return ours, SyncVectorEnv([one] * GAMES, autoreset_mode=mode)


def check_equal(ours, theirs):
    """Two results of reset or step are equal: arrays, their types, and all entries of the info."""
    if isinstance(theirs, dict):
        assert {key for key in ours if not key.startswith("_")} == {key for key in theirs if not key.startswith("_")}
        for key, value in theirs.items():
            if key.startswith("_"):
                np.testing.assert_array_equal(ours[key], value)
                continue
            told = theirs.get(f"_{key}")
            # Arrays may hold anything where no game has the entry.
            if told is not None and isinstance(value, np.ndarray):
                assert value.dtype == ours[key].dtype
                check_equal(list(ours[key][told]), list(value[told]))
            else:
                check_equal(ours[key], value)
    elif isinstance(theirs, (list, tuple)):
        assert len(ours) == len(theirs)
        for one, other in zip(ours, theirs):
            check_equal(one, other)
    else:
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("kept", [True, False])
@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
@pytest.mark.parametrize("longest", [None, 7, 25])
def test_the_vector_environment_equals_single_ones_game_by_game(mode, kept, longest):
    ours, theirs = vectors(mode, longest, copy=kept)
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"] == mode
    assert ours.observation_space == theirs.observation_space and ours.action_space == theirs.action_space
    check_equal(ours.reset(seed=5), theirs.reset(seed=5))
    chance = np.random.default_rng(1)
    ended, cut = 0, 0
    for _ in range(80):
        actions = chance.integers(0, 142, GAMES)
        result = ours.step(actions)
        check_equal(result, theirs.step(actions))
        assert result[0] in ours.observation_space
        ended += result[2].sum()
        cut += result[3].sum()
    # A step that only resets is no step of a game.
    cuts = (80 + (mode == AutoresetMode.NEXT_STEP)) // (7 + (mode == AutoresetMode.NEXT_STEP))
    # The last step of a whole game may be both.
    assert (ended, cut) == {None: (3 * GAMES, 0), 7: (0, cuts * GAMES), 25: (3 * GAMES, 3 * GAMES)}[longest]
    # A reset without a seed continues the sequence of games.
    check_equal(ours.reset(), theirs.reset())
    check_equal(ours.reset(seed=list(range(GAMES))), theirs.reset(seed=list(range(GAMES))))


@pytest.mark.parametrize("longest", [None, 7])
def test_games_reset_one_by_one_equal_single_ones(longest):
    ours, theirs = vectors(AutoresetMode.DISABLED, longest)
    check_equal(ours.reset(seed=5), theirs.reset(seed=5))
    chance = np.random.default_rng(2)
    for number in range(60):
        actions = chance.integers(0, 142, GAMES)
        result = ours.step(actions)
        check_equal(result, theirs.step(actions))
        # Some games are given up, so that not all end at once.
        reset = result[2] | result[3] | (chance.random(GAMES) < 0.02)
        if reset.any():
            found, expected = ours.reset(options={"reset_mask": reset}), theirs.reset(options={"reset_mask": reset})
            check_equal(found[0], expected[0])
            np.testing.assert_array_equal(found[1]["score"][reset], expected[1]["score"][reset])
            np.testing.assert_array_equal(found[1]["action_mask"][reset], expected[1]["action_mask"][reset])


def test_gymnasiums_limit_of_steps_is_kept_by_every_game_and_another_one_refused():
    for game in matchq.GAMES:
        vector = gymnasium.make_vec(environment_of(game), 2, max_episode_steps=3)
        _, info = vector.reset(seed=1)
        for step in range(1, 4):
            actions = [vector.single_action_space.sample(mask=mask) for mask in info["action_mask"]]
            _, _, terminated, truncated, info = vector.step(np.array(actions))
            assert not terminated.any() and (truncated == (step == 3)).all(), game
    with pytest.raises(ValueError, match="max_episode_steps is 0, but must be at least 1"):
        Match3VectorEnv(2, max_episode_steps=0)


def test_a_game_that_is_over_is_not_stepped_where_nothing_resets_it():
    vector = Match3VectorEnv(2, autoreset_mode="Disabled")
    vector.reset(seed=0)
    for _ in range(25):
        vector.step([0, 0])
    with pytest.raises(ResetNeeded, match="game 0"):
        vector.step([0, 0])


def test_arrays_are_kept_or_overwritten_as_asked():
    for kept in (True, False):
        vector = Match3VectorEnv(4, copy=kept)
        first, info = vector.reset(seed=0)
        before = copy.deepcopy(first)
        second, *_ = vector.step([0, 1, 2, 3])
        assert (first["board"] is second["board"]) is not kept
        assert np.array_equal(first["moves_left"], before["moves_left"]) is kept
        masks = vector.action_masks()
        assert (masks is not info["action_mask"]) and masks.shape == (4, 142)


def test_what_is_written_to_arrays_that_were_handed_out_changes_no_game():
    vector = Match3VectorEnv(2, autoreset_mode="Disabled")
    _, info = vector.reset(seed=0)
    masks = vector.action_masks()
    info["action_mask"][:] = False
    np.testing.assert_array_equal(vector.action_masks(), masks)
    vector.step([0, 0])[2][:] = True
    vector.step([0, 0])


def test_other_rules_and_masks_reach_every_game():
    for rules in ({"obstacle_kinds": 1}, {"rules": {"obstacle_kinds": 1}}, {"rules": {"obstacle_kinds": np.int8(1)}}):
        vector = Match3VectorEnv(3, mask="legal", render_mode="ansi", **rules)
        _, info = vector.reset(seed=20)
        assert vector.render() == tuple(matchq.GameLogic(20 + index, 1).board() for index in range(3))
        assert info["action_mask"].all()


def test_a_picture_shows_each_token_by_its_own_colour():
    environment, vector = Match3Env("rgb_array"), Match3VectorEnv(2, render_mode="rgb_array")
    for unready in (environment, vector):
        with pytest.raises(ResetNeeded):
            unready.render()
    environment.reset(seed=0)
    picture = environment.render()
    assert (picture.shape, picture.dtype) == ((320, 256, 3), np.uint8)
    middles = picture[16::32, 16::32].reshape(80, 3).tolist()
    letters = matchq.GameLogic(0).board().replace("\n", "")
    shown = {letter: colour for letter, colour in zip(letters, middles)}
    assert [shown[letter] for letter in letters] == middles and len(set(map(tuple, shown.values()))) == 5
    vector.reset(seed=0)
    np.testing.assert_array_equal(vector.render()[0], picture)
    assert len(vector.render()) == 2
    silent = Match3VectorEnv(3)
    silent.reset(seed=0)
    assert silent.render() is None


@pytest.mark.parametrize("game", ["match3", "bilging", "bejeweled", "tile-match"])
def test_tokens_of_a_picture_can_be_told_apart_without_colours(game):
    environment, texts = GameEnv("rgb_array", game=game), GameEnv("ansi", game=game)
    shapes = {}
    for seed in range(5):
        environment.reset(seed=seed)
        texts.reset(seed=seed)
        picture = environment.render()
        for y, row in enumerate(texts.render().split("\n")):
            for x, letter in enumerate(row):
                cell = picture[32 * y + 1 : 32 * y + 32, 32 * x + 1 : 32 * x + 32]
                # What differs from the ground, which is in the corner.
                shape = (cell != cell[0, 0]).any(axis=2)
                assert np.array_equal(shape, shapes.setdefault(letter, shape))
    assert len(shapes) >= 4
    for one, other in itertools.combinations(shapes.values(), 2):
        assert (one != other).sum() > 0.04 * one.size


def test_a_copied_environment_goes_on_by_itself():
    environment = Match3Env()
    environment.reset(seed=4)
    same = copy.deepcopy(environment)
    np.testing.assert_equal(same.step(7), environment.step(7))
    environment.step(8)
    np.testing.assert_equal(same.reset(), environment.reset())


def environment_of(game):
    """Name in Gymnasium: tile-match is TileMatch."""
    return f"matchq/{game.title().replace('-', '')}-v0"


@pytest.mark.parametrize("game", matchq.GAMES)
def test_every_game_has_an_environment_that_keeps_gymnasiums_rules(game):
    environment = gymnasium.make(environment_of(game), render_mode="rgb_array").unwrapped
    assert type(environment) is GameEnv
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(environment)
    picture = environment.render()
    assert picture.dtype == np.uint8 and picture.shape[2] == 3 and picture.any()


@pytest.mark.parametrize("game", matchq.GAMES)
def test_what_an_environment_of_any_game_shows_is_the_codecs(game):
    vector = gymnasium.make_vec(environment_of(game), 3, render_mode="ansi", autoreset_mode="SameStep")
    assert type(vector) is GameVectorEnv
    chance = np.random.default_rng(3)
    observation, info = vector.reset(seed=11)
    points = np.zeros(3)
    over = np.zeros(3, bool)
    while not over.any():
        masks = info["action_mask"]
        assert set(observation) == set(vector.single_observation_space.spaces)
        for place, board in enumerate(vector.render()):
            image, _ = matchq.encode(board, game=game)
            np.testing.assert_array_equal(image, observation["board"][place])
            actions = np.flatnonzero(masks[place]).tolist()
            moves = [matchq.move_of_action(action, game=game) for action in actions]
            assert [matchq.action_of_move(move, game=game) for move in moves] == actions
        observation, rewards, over, _, info = vector.step((chance.random(masks.shape) * masks).argmax(axis=1))
        points += rewards
    np.testing.assert_array_equal(info["final_info"]["score"][over], points[over])


def test_games_on_the_benchmarks_own_board_are_those_of_the_environment(monkeypatch):
    """Needs tile-match-gym; without it only the example's own code is missed."""
    pytest.importorskip("tile_match_gym")
    monkeypatch.syspath_prepend(ROOT / "python" / "examples")
    import lmgame_bench

    player = matchq.Player("cascade", game="tile-match")
    environment = gymnasium.make("matchq/TileMatch-v0", rules={"draws": "numpy"}, render_mode="ansi")
    for seed in (42, 43):
        environment.reset(seed=seed)
        over = False
        for left in range(50, 0, -1):
            move = player.act(environment.render(), left)
            *_, over, _, info = environment.step(matchq.action_of_move(move, game="tile-match"))
        assert over and info["score"] == lmgame_bench.play(player, seed)

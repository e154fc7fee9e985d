//! The agents that ship play as well as the pages say.

use std::collections::HashSet;
use std::path::Path;
use std::sync::LazyLock;

use matchq_players::eval::splitting::Levels;
use matchq_players::eval::{Endurance, Extent, Summary, endure, luck, play_series};
use matchq_players::games::{Bejeweled, Bilging, Match3, Tetris, TileMatch, bejeweled, tetris};
use matchq_players::network::Processor;
use matchq_players::{Agent, ForGame, Linear, Playable, Roster as _, names, parse, registry, with_game};

fn shipped(player: &str, name: &str) -> String {
    format!("{player}:checkpoint={name}")
}

#[test]
fn every_agent_that_ships_has_a_name_of_its_own_and_is_of_its_stated_game_and_kind() {
    struct Check<'a>(&'a mut HashSet<&'static str>);
    impl ForGame for Check<'_> {
        type Output = ();

        fn run<G: Playable>(self) {
            assert!(G::AGENTS.len() <= 5, "{}", G::NAME);
            for shipped in G::AGENTS {
                let agent = Agent::load(Path::new(shipped.name)).unwrap();
                assert_eq!((agent.game(), agent.file.kind), (G::NAME, shipped.kind), "{}", shipped.name);
                assert_eq!(agent.name(), format!("the agent {}", shipped.name));
                let rules = agent.rules::<G>().unwrap();
                let player = agent.player::<G>(&rules, 8, None, &Processor).unwrap();
                assert_eq!(player.name(), shipped.name);
                let file =
                    format!("{}/../../checkpoints/{}/best.safetensors", env!("CARGO_MANIFEST_DIR"), shipped.name);
                assert!(std::fs::read(&file).unwrap() == shipped.file, "{file} is another agent");
                assert!(self.0.insert(shipped.name), "{} is the name of two agents", shipped.name);
            }
        }
    }
    let mut shipped_names = HashSet::new();
    for game in names() {
        with_game(game, Check(&mut shipped_names)).unwrap();
    }
    assert_eq!(shipped_names, registry::agents().map(|agent| agent.name).collect());
    // Each preset weighs features that its game has.
    for preset in Tetris::PRESETS {
        Linear::of::<Tetris>(preset).unwrap();
    }
}

/// Checks that scores have this mean, within four standard errors.
fn assert_mean(what: &str, scores: &[f64], expected: f64) {
    let scores = Summary::of(scores).unwrap();
    let error = scores.standard_deviation.unwrap() / (scores.n as f64).sqrt();
    assert!((scores.mean - expected).abs() < 4.0 * error, "{what}: {scores}, not {expected}");
}

fn scores<G: Playable>(player: &str, rules: &G::Rules, games: u64) -> Vec<f64> {
    let mut player = parse::<G>(player, rules).unwrap();
    play_series(&mut *player, rules, 0, games, |_| ()).unwrap().iter().map(|game| game.score.into()).collect()
}

fn luck_adjusted<G: Playable>(player: &str, games: u64) -> Vec<f64> {
    let rules = Default::default();
    let mut player = parse::<G>(player, &rules).unwrap();
    let games = play_series(&mut *player, &rules, 0, games, |_| ()).unwrap();
    games.iter().map(|game| luck::luck_adjusted::<G>(&rules, game, 20).unwrap()).collect()
}

/// Scores of `dqn`, which two tests need.
static DQN: LazyLock<Vec<f64>> = LazyLock::new(|| luck_adjusted::<Match3>(&shipped("network", "dqn"), 64));

#[test]
fn match_3s_agents_score_what_the_readme_says() {
    assert_mean("dqn", &DQN, 1344.4);
    for (player, name, expected) in
        [("network", "dqn-setups", 1398.4), ("network", "dqn-plain", 1006.6), ("value", "match3-fitted", 1349.1)]
    {
        assert_mean(name, &luck_adjusted::<Match3>(&shipped(player, name), 64), expected);
    }
}

#[test]
fn plans_by_the_learned_model_make_a_network_stronger_in_the_same_games() {
    let mean = |scores: &[f64]| Summary::of(scores).unwrap().mean;
    let (plans, without) = (mean(&DQN), mean(&luck_adjusted::<Match3>("dqn:plan=0", 64)));
    assert!(plans > without + 20.0, "{plans}, {without}");
}

#[test]
fn bilgings_agents_score_what_its_page_says() {
    // docs/bilging.md: points a move; a game has 50 moves.
    for (player, name, points) in [("network", "bilging-dqn", 6.27), ("value:depth=1", "bilging-fitted", 3.71)] {
        assert_mean(name, &scores::<Bilging>(&shipped(player, name), &Default::default(), 24), 50.0 * points);
    }
}

#[test]
fn tetris_agents_make_the_lines_that_its_page_says() {
    // docs/tetris.md: lines a game on ten rows.
    let rules = tetris::Rules::new(10).unwrap();
    let extent = Extent { first: 0, sequences: 32, moves: 60_000 };
    for (name, lines) in [("tetris-shapes", 8108.0), ("tetris-shapes-20", 6985.0), ("tetris-imitation", 6270.0)] {
        let mut player = parse::<Tetris>(&shipped("linear", name), &rules).unwrap();
        let found = Endurance::of(&endure(&mut *player, &rules, extent, &Levels::none()).unwrap());
        let (mean, half_width) = (found.mean.unwrap(), found.half_width.unwrap());
        assert!(found.all.ended > 50 && (mean - lines).abs() < 2.0 * half_width, "{name}: {mean} ± {half_width}");
    }
}

#[test]
fn bejeweleds_agent_makes_more_of_a_hundred_moves_than_its_rivals() {
    let rules = bejeweled::Rules::new(100, [10, 0], [1000, 0]).unwrap();
    let mean = |player: &str| Summary::of(&scores::<Bejeweled>(player, &rules, 24)).unwrap().mean;
    let [agent, first, ranked] = [&*shipped("network", "bejeweled-dqn"), "first", "ranked"].map(mean);
    assert!(agent > 2.0 * first && agent > 1.3 * ranked, "{agent}, {first}, {ranked}");
}

#[test]
fn tile_matchs_agents_score_what_its_page_says() {
    for (name, expected) in [("tile-match-dqn", 1321.0), ("tile-match-fitted:outcomes=50", 1354.0)] {
        assert_mean(name, &luck_adjusted::<TileMatch>(name, 16), expected);
    }
}

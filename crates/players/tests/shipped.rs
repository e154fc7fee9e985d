//! The agents that ship play as well as the pages say.

use matchq::agents::parse;
use matchq::eval::splitting::Levels;
use matchq::eval::{Endurance, Extent, Summary, endure, luck, play_series};
use matchq::games::{Bejeweled, Bilging, Match3, Playable, Tetris, bejeweled, tetris};

/// A player's text for an agent in `checkpoints/`.
fn shipped(player: &str, name: &str) -> String {
    format!("{player}:checkpoint={}/checkpoints/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Checks that the mean of scores is within four standard errors of one.
fn assert_mean(what: &str, scores: &[f64], expected: f64) {
    let scores = Summary::of(scores).unwrap();
    let error = scores.standard_deviation.unwrap() / (scores.n as f64).sqrt();
    assert!((scores.mean - expected).abs() < 4.0 * error, "{what}: {scores}, not {expected}");
}

/// Scores of a player's games from seed 0 on.
fn scores<G: Playable>(player: &str, rules: &G::Rules, games: u64) -> Vec<f64> {
    let mut player = parse::<G>(player, rules).unwrap();
    play_series(&mut *player, rules, 0, games, |_| ()).unwrap().iter().map(|game| game.score.into()).collect()
}

#[test]
fn match_3s_agents_score_what_the_readme_says() {
    for (player, name, less_luck) in [
        ("network", "dqn", 1297.1),
        ("network", "dqn-simulated", 1323.7),
        ("network", "dqn-setups", 1404.4),
        ("network", "dqn-plain", 820.0),
        ("fitted", "match3-fitted", 1349.1),
    ] {
        let rules = Default::default();
        let mut player = parse::<Match3>(&shipped(player, name), &rules).unwrap();
        let games = play_series(&mut *player, &rules, 0, 64, |_| ()).unwrap();
        let scores: Vec<f64> = games.iter().map(|game| luck::less_luck::<Match3>(&rules, game, 20).unwrap()).collect();
        assert_mean(name, &scores, less_luck);
    }
}

#[test]
fn bilgings_agents_score_what_its_page_says() {
    // docs/bilging.md: points a move, of which a game has 50.
    for (player, name, points) in [("network", "bilging-dqn", 6.31), ("fitted:depth=1", "bilging-fitted", 3.71)] {
        assert_mean(name, &scores::<Bilging>(&shipped(player, name), &Default::default(), 24), 50.0 * points);
    }
}

#[test]
fn tetris_controllers_make_the_lines_that_its_page_says() {
    // docs/tetris.md: lines a game on ten rows.
    let rules = tetris::Rules::new(10).unwrap();
    let extent = Extent { first: 0, seats: 32, moves: 60_000 };
    for (name, lines) in [
        ("tetris-shapes", 8108.0),
        ("tetris-shapes-20", 6985.0),
        ("tetris-imitation", 6270.0),
        ("tetris-genetic", 1693.0),
    ] {
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

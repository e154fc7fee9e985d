//! Players against the exact solution of the toy.

use std::path::Path;
use std::sync::LazyLock;

use clap::Parser;

use super::exact::{Solution, positions};
use super::{MOVES, State, Toy};
use matchq::Program;
use matchq::cli::Cli;
use matchq::eval::{deal, play_series};
use matchq::games::{Game, Text};
use matchq::players::network::Processor;
use matchq::players::{self, Agent, NetworkPlayer, Player};
use matchq::random::{Draw, Role, Stream};

static BEST: LazyLock<Solution> = LazyLock::new(|| Solution::best(MOVES));

fn highest(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// Mean and standard error.
fn mean(numbers: &[f64]) -> (f64, f64) {
    let count = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / count;
    let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0) / count).sqrt())
}

/// Loss of each game's moves against the best ones, and the games' scores.
fn losses(player: &mut dyn Player<Toy>, games: u64) -> (Vec<f64>, Vec<f64>) {
    let played = play_series(player, &Default::default(), 0, games, |_| ()).unwrap();
    let loss = |game: &matchq::eval::PlayedGame| {
        let (mut toy, mut random, _) = deal::<Toy>(&Default::default(), game.seed);
        let mut lost = 0.0;
        for action in &game.actions {
            let values = BEST.actions(&toy.state());
            lost += highest(values) - values[usize::from(*action)];
            toy.step(usize::from(*action), &mut random);
        }
        lost
    };
    (played.iter().map(loss).collect(), played.iter().map(|game| game.score.into()).collect())
}

/// A network player from a file.
fn network(file: &Path) -> NetworkPlayer<Toy> {
    let model = Agent::load(file).unwrap().network::<Toy>().unwrap();
    NetworkPlayer::of(&model, 256, &Processor).unwrap()
}

#[test]
fn one_move_before_the_end_the_value_of_an_action_is_its_points_and_those_of_chains() {
    // Swapping the a at the right of row 1 with the token above clears a a a and b b b; six tokens
    // are drawn.
    let mut state = Toy::parse(&Default::default(), "aab\nbba\ncac\nbcb", Some(1)).unwrap();
    let action = (0..Toy::ACTIONS).find(|action| Toy::cells(&state, *action) == [(0, 2), (1, 2)]).unwrap();
    let value = BEST.actions(&state)[action];
    // Brute force: all draws of six tokens, with sampled chains after.
    let (mut sum, mut stream) = (0.0, Stream::new(1, Role::Luck, 0));
    const EACH: u32 = 40;
    for drawing in 0..3_u32.pow(6) {
        for _ in 0..EACH {
            let mut drawn = 0;
            let mut game = state;
            sum += f64::from(game.play(action, |_| {
                drawn += 1;
                if drawn <= 6 { (drawing / 3_u32.pow(drawn - 1) % 3) as u8 } else { stream.below(3) as u8 }
            }));
        }
    }
    let expected = sum / f64::from(EACH * 3_u32.pow(6));
    assert!(value > 16.0 && (value - expected).abs() < 0.3, "{value} is not {expected}");
    // A swap without a match costs 5; the value of the next position is added.
    let resting = (0..Toy::ACTIONS).find(|action| state.swapped(*action).runs().1 == 0).unwrap();
    assert_eq!(BEST.actions(&state)[resting], -5.0);
    state.moves_left = 2;
    let after = State { moves_left: 1, ..state.swapped(resting) };
    assert_eq!(BEST.actions(&state)[resting], highest(BEST.actions(&after)) - 5.0);
}

#[test]
fn the_exact_score_of_a_way_to_play_is_the_mean_of_its_games() {
    let random = Solution::of(MOVES, |_, values| values.iter().sum::<f64>() / values.len() as f64);
    let mut player = players::parse::<Toy>("random", &Default::default()).unwrap();
    let (losses, scores) = losses(&mut *player, 20_000);
    let (score, error) = mean(&scores);
    assert!((score - random.score).abs() < 4.0 * error, "{score} +- {error} is not {}", random.score);
    // Losses are the distance to the best score, with less luck.
    let (loss, error) = mean(&losses);
    assert!((BEST.score - loss - random.score).abs() < 4.0 * error, "{loss} +- {error}");
}

/// Trains DQN on the toy.
fn trained() -> NetworkPlayer<Toy> {
    let folder = temp_dir::TempDir::new().unwrap();
    let runs = folder.path().display().to_string();
    let config = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/learning/toy/dqn.toml");
    let line = ["matchq", "train", "--config", config, "--runs", &runs, "--name", "toy", "--quiet"];
    Program::new().game::<Toy>().execute(Cli::try_parse_from(line).unwrap().command).unwrap();
    network(&folder.path().join("toy/last.safetensors"))
}

/// A player's share of the best score; prints a line of a table.
fn share(name: &str, player: &mut dyn Player<Toy>, games: u64) -> f64 {
    let (loss, error) = mean(&losses(player, games).0);
    let share = (BEST.score - loss) / BEST.score;
    println!("| {name} | {:.2} ± {:.2} | {:.1} % |", BEST.score - loss, 1.96 * error, 100.0 * share);
    share
}

/// Mean absolute error of the highest Q-value over positions, with 1 move left to all.
fn errors(dqn: &mut NetworkPlayer<Toy>) -> Vec<f64> {
    let error = |moves_left| {
        let states: Vec<State> = positions(moves_left).into_iter().step_by(400).collect();
        let values = dqn.evaluator.values(&states).unwrap();
        let exact = states.iter().map(|state| highest(BEST.actions(state)));
        let found = values.chunks(Toy::ACTIONS).map(|values| 10.0 * values.iter().fold(f32::MIN, |a, b| a.max(*b)));
        let differences: Vec<f64> = exact.zip(found).map(|(exact, found)| (f64::from(found) - exact).abs()).collect();
        mean(&differences).0
    };
    (1..=MOVES).map(error).collect()
}

/// With `--nocapture`, prints the tables of docs/dqn.md.
#[test]
#[ignore = "takes minutes: scripts/check_slow training"]
fn dqn_comes_near_the_best_score_and_its_values_near_the_exact_ones() {
    println!(
        "| player | score | share of the best |\n|---|---|---|\n| the best there is | {:.2} | 100 % |",
        BEST.score
    );
    for (player, games, least) in [
        ("random", 2_000, -0.05),
        ("matching", 2_000, 0.68),
        ("greedy", 2_000, 0.8),
        ("plan", 2_000, 0.85),
        ("rollout:sims=400", 400, 0.9),
        ("rollout:sims=400:mask=legal", 400, 0.9),
        ("best:sims=1600", 400, 0.9),
    ] {
        let share = share(player, &mut *players::parse::<Toy>(player, &Default::default()).unwrap(), games);
        assert!(share > least && share < 1.0, "{player}: {share}");
    }
    let mut dqn = trained();
    let (share, errors) = (share("dqn", &mut dqn, 2_000), errors(&mut dqn));

    println!("\nMean difference of the highest Q-value, with 1 to {MOVES} moves left: {errors:.2?}\n");
    let state = positions(MOVES)[54_321];
    println!("{}\n\n| swap | exact | network |\n|---|---|---|", Toy::board(&state));
    let values = dqn.evaluator.values(&[state]).unwrap();
    for (action, (exact, found)) in BEST.actions(&state).iter().zip(values).enumerate() {
        println!("| {} | {exact:.1} | {:.1} |", Toy::words(&state, action), 10.0 * found);
    }
    assert!((0.97..1.0).contains(&share), "{share}");
    assert!(errors.iter().all(|error| *error < 4.0), "{errors:?}");
}

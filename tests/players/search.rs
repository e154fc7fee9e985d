//! The search by simulation.

use std::time::{Duration, Instant};

use matchq::agents::{ActionValue, Budget, Cascade, Leaf, NoLeaf, Policy, Search, parse};
use matchq::eval::Summary;
use matchq::games::Game;
use matchq::games::match3::{Certain, Match3, Rules, State};
use matchq::random::{ColumnStreams, Draw, Role, Stream};

use super::{ALL, CHAIN, FOUR, PREPARATION, action, position, ties};

#[test]
fn draws_column_by_column_take_noise_from_the_difference_of_two_moves() {
    let rules = Rules::default();
    /// The points of a move and of the guide's next.
    fn points(rules: &Rules, state: &State, action: usize, luck: &mut impl Draw) -> f32 {
        let mut game = Match3::at(rules, state);
        let first = game.step(action, luck).reward;
        let next = Policy::<Match3>::choose(&Cascade, &game.state(), &mut ties(0));
        first + game.step(next, luck).reward
    }
    let (mut lanes, mut one_stream) = (0.0, 0.0);
    for deal in 0..60 {
        let state = Match3::new(&rules, &mut Stream::new(6, Role::Game, deal)).state();
        let ranked = Policy::<Match3>::rank(&Cascade, &state, &mut ties(0));
        let [one, other] = [ranked[0].action, ranked[1].action];
        let variance = |difference: &dyn Fn(u64) -> f32| {
            let differences: Vec<f32> = (0..200).map(difference).collect();
            Summary::of(&differences).unwrap().standard_deviation.unwrap().powi(2)
        };
        let lane = |index| ColumnStreams::new(1, Role::Simulate, index);
        let stream = |index| Stream::new(1, Role::Simulate, index);
        let of_lanes = |index, action| points(&rules, &state, action, &mut lane(index));
        let of_stream = |index, action| points(&rules, &state, action, &mut stream(index));
        lanes += variance(&|index| of_lanes(index, one) - of_lanes(index, other));
        one_stream += variance(&|index| of_stream(index, one) - of_stream(index, other));
    }
    assert!(lanes < 0.95 * one_stream, "{lanes} {one_stream}");
}

/// A leaf that values a position by its obstacles, and keeps count of what it is asked.
#[derive(Default)]
struct Obstacles {
    calls: usize,
    states: usize,
}

impl Leaf<Match3> for Obstacles {
    type Error = String;

    fn values(&mut self, states: &[State]) -> Result<Vec<f32>, String> {
        self.calls += 1;
        self.states += states.len();
        Ok(states.iter().map(|state| 100.0 * state.board().matches('#').count() as f32).collect())
    }
}

/// A leaf whose device is gone.
struct Broken;

impl Leaf<Match3> for Broken {
    type Error = String;

    fn values(&mut self, _: &[State]) -> Result<Vec<f32>, String> {
        Err("the device is gone".into())
    }
}

fn search(sims: usize, depth: u32) -> Search<Match3> {
    Search { rules: Rules::default(), budget: Budget::Simulations(sims), depth, prior_visits: 0.0 }
}

/// Candidates that come with no value.
fn promising(actions: impl IntoIterator<Item = usize>) -> Vec<ActionValue> {
    actions.into_iter().map(|action| ActionValue { action, value: 0.0 }).collect()
}

#[test]
fn the_value_a_candidate_comes_with_counts_for_as_many_simulations_as_it_is_trusted() {
    let state = position(&[&FOUR[..], &CHAIN].concat(), 25);
    // Swaps without a match are worth -5 in each of their 10 simulations, whatever chance brings; the values with which they
    // come are 20 on average, 25 above that.
    let candidates = [(action(4, 0, true), 15.0), (action(0, 0, true), 25.0)];
    let candidates = candidates.map(|(action, value)| ActionValue { action, value });
    for (prior_visits, means) in [(0.0, [-5.0, -5.0]), (10.0, [-2.5, -7.5]), (30.0, [-1.25, -8.75])] {
        let search = Search { prior_visits, ..search(20, 0) };
        let Ok(ranked) = search.rank(&state, &candidates, &Cascade, &mut NoLeaf, &mut ties(0), Instant::now());
        let found: Vec<(usize, f64)> = ranked.iter().map(|valued| (valued.action, valued.value)).collect();
        let order = if prior_visits > 0.0 { [1, 0] } else { [0, 1] };
        assert_eq!(found, [(candidates[order[0]].action, means[0]), (candidates[order[1]].action, means[1])]);
    }
}

#[test]
fn a_value_that_is_no_number_does_no_harm_where_values_do_not_count() {
    let state = position(&[&FOUR[..], &CHAIN].concat(), 25);
    let candidates = [action(4, 0, true), action(0, 0, true)].map(|action| ActionValue { action, value: f64::NAN });
    let Ok(ranked) = search(20, 0).rank(&state, &candidates, &Cascade, &mut NoLeaf, &mut ties(0), Instant::now());
    assert!(ranked.iter().all(|valued| valued.value == -5.0), "{ranked:?}");
}

#[test]
fn the_value_of_the_position_a_simulation_ends_in_counts() {
    let state = position(&[&FOUR[..], &CHAIN].concat(), 25);
    // All obstacles on this board are worth keeping, so the swap that clears nothing wins by far.
    let candidates = promising([action(2, 8, true), action(6, 9, false), action(4, 0, true)]);
    let mut leaf = Obstacles::default();
    let ranked = search(60, 0).rank(&state, &candidates, &Cascade, &mut leaf, &mut ties(0), Instant::now()).unwrap();
    assert_eq!(ranked[0], ActionValue { action: action(4, 0, true), value: 67.0 * 100.0 - 5.0 });
    let Ok(without) = search(60, 0).rank(&state, &candidates, &Cascade, &mut NoLeaf, &mut ties(0), Instant::now());
    assert_eq!(without[0].action, action(6, 9, false));
}

#[test]
fn leaves_are_valued_in_one_batch_a_round_within_the_budget() {
    let state = position(&[&FOUR[..], &CHAIN].concat(), 25);
    let candidates = promising(0..9);
    for (sims, spent) in [(1000, 990..=1000), (36, 35..=36), (20, 15..=20), (1, 1..=1)] {
        let mut leaf = Obstacles::default();
        let ranked =
            search(sims, 1).rank(&state, &candidates, &Cascade, &mut leaf, &mut ties(0), Instant::now()).unwrap();
        assert!(spent.contains(&leaf.states), "{} of {sims}", leaf.states);
        assert!((1..=4).contains(&leaf.calls));
        assert_eq!(ranked.len() == 9, sims >= 36);
    }
}

#[test]
fn the_end_of_the_game_is_worth_nothing_more() {
    let mut leaf = Obstacles::default();
    let ranked = search(10, 3)
        .rank(&position(&FOUR, 1), &promising([action(4, 0, true)]), &Cascade, &mut leaf, &mut ties(0), Instant::now())
        .unwrap();
    assert_eq!((ranked[0].value, leaf.states), (-5.0, 0));
}

#[test]
fn a_leaf_that_fails_fails_the_search_and_no_candidates_have_no_ranking() {
    let state = position(&FOUR, 25);
    let failed = search(10, 0).rank(&state, &promising([0, 1]), &Cascade, &mut Broken, &mut ties(0), Instant::now());
    assert_eq!(failed.unwrap_err(), "the device is gone");
    assert_eq!(search(10, 0).rank(&state, &[], &Cascade, &mut Broken, &mut ties(0), Instant::now()), Ok(vec![]));
}

/// A leaf that could take many at once, and keeps count of how many it is given.
struct Wide(Vec<usize>);

impl Leaf<Match3> for Wide {
    type Error = String;

    fn values(&mut self, states: &[State]) -> Result<Vec<f32>, String> {
        self.0.push(states.len());
        Ok(vec![0.0; states.len()])
    }

    fn batch(&self) -> usize {
        256
    }
}

#[test]
fn a_search_for_a_time_begins_with_one_simulation_of_each_and_ends_there_if_the_time_is_over() {
    let state = position(&[&FOUR[..], &CHAIN].concat(), 25);
    let candidates: Vec<ActionValue> =
        promising(0..9).into_iter().map(|valued| ActionValue { value: -(valued.action as f64), ..valued }).collect();
    let search = |milliseconds, prior_visits| {
        let budget = Budget::Time(Duration::from_millis(milliseconds));
        let mut leaf = Wide(vec![]);
        let search = Search { budget, prior_visits, ..search(1, 0) };
        let begin = Instant::now() - Duration::from_millis(5);
        let ranked = search.rank(&state, &candidates, &Cascade, &mut leaf, &mut ties(0), begin).unwrap();
        assert_eq!(ranked.len(), 9);
        (leaf.0, ranked)
    };
    assert_eq!(search(5, 0.0).0, [9]);
    // Unless the candidates come with values that count.
    assert_eq!(search(5, 1.0), (vec![], candidates.clone()));
    let (long, _) = search(60, 0.0);
    assert!(long[0] == 9 && long.len() > 1 && long.iter().all(|states| *states <= 9 * 29), "{long:?}");
}

#[test]
fn a_search_for_a_time_ends_with_a_move_and_not_before() {
    let mut player = parse::<Match3>("rollout:ms=20", &Rules::default()).unwrap();
    assert!(player.is_timed());
    let begin = Instant::now();
    let chosen = player.act(&[position(&PREPARATION, 25)], &mut [ties(0)]).unwrap();
    assert!(begin.elapsed() >= Duration::from_millis(20));
    assert!(Certain::of(&position(&PREPARATION, 25)).matching().contains(chosen[0]));
    assert!(ALL.iter().all(|text| !parse::<Match3>(text, &Rules::default()).unwrap().is_timed()));
}

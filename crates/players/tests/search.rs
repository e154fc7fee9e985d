//! The search by simulation.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use matchq_players::eval::Summary;
use matchq_players::games::bejeweled::{self, Bejeweled};
use matchq_players::games::bilging::{self, Bilging};
use matchq_players::games::match3::{Certain, Match3, Rules, State};
use matchq_players::games::{Game, Lookahead, MaskKind, offered};
use matchq_players::random::{ColumnStreams, Draw, Role, Stream};
use matchq_players::{BoxedPlayer, Budget, Cascade, Policy, Search, Valued, parse};

use super::{ALL, CHAIN, FOUR, PREPARATION, action, position, ties};

#[test]
fn draws_column_by_column_take_noise_from_the_difference_of_two_moves() {
    let rules = Rules::default();
    /// Points of a move and of the guide's next.
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

#[derive(Default)]
struct Counting(AtomicUsize);

impl Counting {
    fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

impl Policy<Match3> for Counting {
    fn values(&self, state: &State, ties: &mut Stream) -> Vec<Valued> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Policy::<Match3>::values(&Cascade, state, ties)
    }
}

fn search(sims: usize, depth: u32) -> Search<Match3> {
    Search { rules: Rules::default(), budget: Budget::Simulations(sims), depth, prior_visits: 0.0, forecasts: false }
}

/// Candidates without a value.
fn promising(actions: impl IntoIterator<Item = usize>) -> Vec<Valued> {
    actions.into_iter().map(|action| Valued::new(action, 0.0)).collect()
}

#[test]
fn a_simulation_may_end_with_the_games_forecast_and_a_level_changes_no_value() {
    let rules = bejeweled::Rules::default();
    let mut game = Bejeweled::new(&rules, &mut Stream::new(9, Role::Game, 0));
    let value = |state: &bejeweled::State, forecasts| {
        let budget = Budget::Simulations(200);
        let search = Search::<Bejeweled> { rules, budget, depth: 1, prior_visits: 0.0, forecasts };
        let mask = Bejeweled::mask(state, MaskKind::default_of::<Bejeweled>());
        let candidates = promising(mask.nth(0));
        search.rank(state, &candidates, &Cascade, &mut ties(1), Instant::now())[0].value
    };
    let state = game.state();
    let (alone, with) = (value(&state, false), value(&state, true));
    // A forecast counts at most 250 moves of 40 points.
    assert!(with > alone + 5_000.0 && with < alone + 10_000.0, "{alone} {with}");
    while game.level().number < 4 && !game.is_over() {
        let mask = Bejeweled::mask(&game.state(), MaskKind::default_of::<Bejeweled>());
        let careful = parse_for_bejeweled("careful", &rules).act(&[game.state()], &mut [ties(0)]).unwrap()[0];
        assert!(mask.contains(careful));
        game.step(careful, &mut ties(u64::from(game.level().points)));
    }
    let (high, unit) = (game.state(), Bejeweled::unit(&game.state()));
    let first = Bejeweled::as_written(&high);
    assert_eq!((unit, Bejeweled::unit(&first)), (2.5, 1.0));
    for forecasts in [false, true] {
        let (high, first) = (value(&high, forecasts), value(&first, forecasts));
        assert!((high - first).abs() < 1e-3 * first, "{high} {first}");
    }
}

fn parse_for_bejeweled(text: &str, rules: &bejeweled::Rules) -> BoxedPlayer<Bejeweled> {
    parse::<Bejeweled>(text, rules).unwrap()
}

#[test]
fn the_value_a_candidate_comes_with_counts_for_as_many_simulations_as_it_is_trusted() {
    let state = position(&[&FOUR[..], &CHAIN].concat(), 25);
    // Swaps without a match cost 5 in each of 10 simulations; the first values are 20 on average,
    // 25 above.
    let candidates = [(action(4, 0, true), 15.0), (action(0, 0, true), 25.0)];
    let candidates = candidates.map(|(action, value)| Valued::new(action, value));
    for (prior_visits, means) in [(0.0, [-5.0, -5.0]), (10.0, [-2.5, -7.5]), (30.0, [-1.25, -8.75])] {
        let search = Search { prior_visits, ..search(20, 0) };
        let ranked = search.rank(&state, &candidates, &Cascade, &mut ties(0), Instant::now());
        let found: Vec<(usize, f64)> = ranked.iter().map(|valued| (valued.action, valued.value)).collect();
        let order = if prior_visits > 0.0 { [1, 0] } else { [0, 1] };
        assert_eq!(found, [(candidates[order[0]].action, means[0]), (candidates[order[1]].action, means[1])]);
    }
}

#[test]
fn a_value_that_is_no_number_does_no_harm_where_values_do_not_count() {
    let state = position(&[&FOUR[..], &CHAIN].concat(), 25);
    let candidates = [action(4, 0, true), action(0, 0, true)].map(|action| Valued::new(action, f64::NAN));
    let ranked = search(20, 0).rank(&state, &candidates, &Cascade, &mut ties(0), Instant::now());
    assert!(ranked.iter().all(|valued| valued.value == -5.0), "{ranked:?}");
}

#[test]
fn simulations_stay_within_the_budget() {
    let state = position(&[&FOUR[..], &CHAIN].concat(), 25);
    let candidates = promising(0..9);
    for (sims, spent) in [(1000, 990..=1000), (36, 35..=36), (20, 15..=20), (1, 1..=1)] {
        // A simulation has one move of the guide.
        let guide = Counting::default();
        let ranked = search(sims, 1).rank(&state, &candidates, &guide, &mut ties(0), Instant::now());
        assert!(spent.contains(&guide.count()), "{} of {sims}", guide.count());
        assert_eq!(ranked.len() == 9, sims >= 36);
    }
}

#[test]
fn a_simulation_ends_with_the_game_and_no_candidates_have_no_ranking() {
    let (state, guide) = (position(&FOUR, 1), Counting::default());
    let rank = |actions: &[usize]| {
        search(10, 3).rank(&state, &promising(actions.iter().copied()), &guide, &mut ties(0), Instant::now())
    };
    assert_eq!((rank(&[action(4, 0, true)])[0].value, guide.count()), (-5.0, 0));
    assert_eq!(rank(&[]), []);
}

#[test]
fn a_search_for_a_time_begins_with_one_simulation_of_each_and_ends_there_if_the_time_is_over() {
    let state = position(&[&FOUR[..], &CHAIN].concat(), 25);
    let candidates: Vec<Valued> =
        promising(0..9).into_iter().map(|valued| Valued { value: -(valued.action as f64), ..valued }).collect();
    let search = |milliseconds, prior_visits| {
        let budget = Budget::Time(Duration::from_millis(milliseconds));
        let guide = Counting::default();
        let search = Search { budget, prior_visits, ..search(1, 1) };
        let begin = Instant::now() - Duration::from_millis(5);
        let ranked = search.rank(&state, &candidates, &guide, &mut ties(0), begin);
        assert_eq!(ranked.len(), 9);
        (guide.count(), ranked.iter().map(|valued| Valued::new(valued.action, valued.value)).collect::<Vec<_>>())
    };
    assert_eq!(search(5, 0.0).0, 9);
    // First values that count replace simulations.
    assert_eq!(search(5, 1.0), (0, candidates.clone()));
    assert!(search(3_000, 0.0).0 > 9 && search(3_000, 1.0).0 > 9);
}

#[test]
fn moves_that_drop_out_early_come_last_and_what_each_costs_is_measured_at_equal_luck() {
    let state = Match3::new(&Rules::default(), &mut Stream::new(4, Role::Game, 0)).state();
    let candidates = promising(Match3::mask(&state, MaskKind::LEGAL).iter().take(20));
    let judged = search(4_000, 2).rank(&state, &candidates, &Cascade, &mut ties(0), Instant::now());
    assert_eq!(judged.len(), 20);
    // Twenty moves are halved to 10, 5, 3 and 2: three were tried in the round before the last.
    assert_eq!(judged.iter().take_while(|judged| !judged.dropped).count(), 3);
    for group in judged.chunk_by(|one, other| one.dropped == other.dropped) {
        assert!(group.is_sorted_by(|one, other| one.value >= other.value), "{group:?}");
    }
    assert!(judged.iter().all(|other| other.value <= judged[0].value), "{judged:?}");
    assert_eq!(judged[0].half_width, None);
    assert!(judged[1..].iter().all(|judged| judged.half_width.is_some_and(|half| half >= 0.0)), "{judged:?}");
    // Ten times the simulations, a third of the width.
    let more = search(40_000, 2).rank(&state, &candidates, &Cascade, &mut ties(0), Instant::now());
    let width = |judged: &[Valued]| judged[1..].iter().filter_map(|judged| judged.half_width).fold(0.0, f64::max);
    assert!((0.2..0.5).contains(&(width(&more) / width(&judged))), "{} {}", width(&more), width(&judged));
}

#[test]
fn a_search_for_a_time_ends_with_a_move_and_not_before() {
    let mut player = parse::<Match3>("rollout:ms=20", &Rules::default()).unwrap();
    assert!(player.is_timed());
    let begin = Instant::now();
    let chosen = player.act(&[position(&PREPARATION, 25)], &mut [ties(0)]).unwrap();
    // A round may end half a simulation early.
    assert!(begin.elapsed() >= Duration::from_millis(15));
    assert!(Certain::of(&position(&PREPARATION, 25)).matching().contains(chosen[0]));
    assert!(ALL.iter().all(|text| !parse::<Match3>(text, &Rules::default()).unwrap().is_timed()));
}

#[test]
fn a_rollout_tries_every_move_of_its_mask_once_and_no_other_whoever_guides_it() {
    let rules = bilging::Rules::default();
    let states: Vec<_> =
        (0..4_000).map(|deal| Bilging::new(&rules, &mut Stream::new(8, Role::Game, deal)).state()).collect();
    let quiet = states.iter().find(|state| Bilging::mask(state, MaskKind::default_of::<Bilging>()).is_empty()).unwrap();
    let rank =
        |text: &str, state: &bilging::State| parse::<Bilging>(text, &rules).unwrap().rank(state, &mut ties(0)).unwrap();
    for state in [&states[0], quiet] {
        for guide in ["cascade", "setup", "planner", "value"] {
            for mask in ["matching", "effective"] {
                let ranked = rank(&format!("rollout:sims=400:depth=0:guide={guide}:mask={mask}"), state);
                let mut tried: Vec<usize> = ranked.iter().map(|valued| valued.action).collect();
                tried.sort_unstable();
                let (offered, _) = offered::<Bilging>(state, MaskKind::of::<Bilging>(mask).unwrap());
                assert_eq!(tried, offered.iter().collect::<Vec<_>>(), "{guide} {mask}");
            }
        }
    }
    // Simulations find a move after which the next gains.
    let best = |player: &str| rank(player, quiet)[0];
    let prepared = best("rollout:sims=2000:depth=1:guide=setup");
    assert!(prepared.value >= best("setup").value.max(3.0), "{prepared:?}");
}

#[test]
fn a_forecast_cannot_be_asked_of_a_game_that_has_none() {
    let told = parse::<Bilging>("rollout:forecast=1", &Default::default()).err().unwrap().to_string();
    assert!(told.ends_with("forecast must be left out: bilging has no forecast"), "{told}");
    assert!(parse::<Match3>("rollout:forecast=1", &Rules::default()).is_ok());
}

//! Players that see what is certain.

use matchq_players::games::match3::{Certain, MATCHING, Match3, Rules, SETUPS, State, best_plan};
use matchq_players::games::{Game, MaskKind, Plan};
use matchq_players::random::{Role, Stream};
use matchq_players::{
    Budget, Cascade, Greedy, PlanThenCascade, Planner, Policy, Random, Rollout, Search, Valued, best,
};

use super::{CHAIN, FOUR, PREPARATION, action, choices, position, prepares, rollout, takes_four, ties, value_of};

fn values(policy: &impl Policy<Match3>, state: &State, ties: &mut Stream) -> Vec<Valued> {
    policy.values(state, ties)
}

#[test]
fn the_random_player_weighs_all_legal_moves_alike() {
    let values = values(&Random { mask: MaskKind::LEGAL }, &position(&FOUR, 25), &mut ties(0));
    assert_eq!(values.iter().map(|valued| valued.action).collect::<Vec<_>>(), (0..142).collect::<Vec<_>>());
    assert!(values.iter().all(|valued| valued.value == 0.0));
}

#[test]
fn ties_are_broken_uniformly() {
    let valued = |(action, value)| Valued::new(action, value);
    let values = [(4, 1.0), (5, 2.0), (6, 0.0), (7, 2.0), (9, 2.0)].map(valued);
    let mut stream = ties(0);
    let mut counts = [0_i32; 10];
    (0..9000).for_each(|_| counts[best(&values, &mut stream)] += 1);
    // Six standard deviations of a count are 270.
    assert!([5, 7, 9].iter().all(|action| (counts[*action] - 3000).abs() < 270), "{counts:?}");
    assert_eq!(counts.iter().sum::<i32>(), counts[5] + counts[7] + counts[9]);
}

#[test]
fn the_matching_player_plays_every_move_that_matches_and_no_other() {
    let state = position(&[&FOUR[..], &CHAIN].concat(), 25);
    let matching: Vec<usize> = Certain::of(&state).matching().iter().collect();
    assert!(matching.len() > 1);
    assert_eq!(choices(&Random { mask: MATCHING }, &state), matching);
}

#[test]
fn the_greedy_player_takes_the_most_points_at_once() {
    assert_eq!(choices(&Greedy, &position(&[&FOUR[..], &CHAIN].concat(), 25)), [action(2, 8, true)]);
}

#[test]
fn the_cascade_player_takes_the_most_points_of_the_certain_chain() {
    let state = position(&[&FOUR[..], &CHAIN].concat(), 25);
    assert_eq!(choices(&Cascade, &state), [action(6, 9, false)]);
    assert_eq!(value_of(&values(&Cascade, &state, &mut ties(0)), action(6, 9, false)), 24.0);
}

#[test]
fn the_planning_player_gives_up_points_now_for_more_that_are_certain_later() {
    let state = position(&PREPARATION, 25);
    assert_eq!(choices(&Cascade, &state), [takes_four()]);
    let plan = Planner(Plan::of(2));
    assert_eq!(choices(&plan, &state), [prepares()]);
    let values = values(&plan, &state, &mut ties(0));
    assert_eq!(value_of(&values, prepares()), 8.0 + 0.5 * 24.0);
    assert_eq!(value_of(&values, takes_four()), 15.0 + 0.5 * 8.0);
}

#[test]
fn a_plan_is_never_longer_than_the_moves_left() {
    let plan = Planner(Plan { depth: 3, weight: 1.0, breadth: 0 });
    assert_eq!(choices(&plan, &position(&PREPARATION, 1)), [takes_four()]);
    let two_left = values(&plan, &position(&PREPARATION, 2), &mut ties(0));
    assert_eq!(value_of(&two_left, prepares()), 8.0 + 24.0);
    let three_left = values(&plan, &position(&PREPARATION, 3), &mut ties(0));
    assert_eq!(value_of(&three_left, prepares()), 8.0 + 24.0 + 15.0);
}

#[test]
fn a_plan_of_little_breadth_looks_further_only_after_the_moves_with_the_most_points() {
    let state = position(&PREPARATION, 25);
    let values = |breadth| values(&Planner(Plan { breadth, ..Plan::of(2) }), &state, &mut ties(0));
    assert_eq!(value_of(&values(1), takes_four()), 15.0 + 0.5 * 8.0);
    assert_eq!(value_of(&values(1), prepares()), 8.0);
    // Equals of the last move count as well.
    let eights = values(0).iter().filter(|valued| valued.action != takes_four()).count();
    assert!(eights > 1);
    for breadth in [2, eights, eights + 1, 142] {
        assert_eq!(values(breadth), values(0));
    }
}

#[test]
fn the_best_plan_is_found_by_trying_all_sequences() {
    fn plain(board: Certain, depth: u32) -> f64 {
        let mut most = 0.0;
        for action in 0..if depth > 0 { Match3::ACTIONS } else { 0 } {
            let mut after = board;
            let points = after.play(action);
            if points > 0 && board.swapped(action) != board {
                most = f64::max(most, f64::from(points) + 0.5 * plain(after, depth - 1));
            }
        }
        most
    }
    for index in 0..20 {
        let game = Match3::new(&Rules::default(), &mut Stream::new(5, Role::Game, index));
        let board = Certain::of(&game.state());
        for depth in 0..3 {
            assert_eq!(best_plan(&board, depth, 0.5), plain(board, depth));
        }
    }
}

#[test]
fn rollouts_see_what_the_guide_makes_of_a_move() {
    assert_eq!(choices(&rollout(500, 1), &position(&PREPARATION, 25)), [prepares()]);
    assert_eq!(choices(&rollout(500, 0), &position(&PREPARATION, 25)), [takes_four()]);
    assert_eq!(choices(&rollout(500, 3), &position(&PREPARATION, 1)), [takes_four()]);
}

#[test]
fn rollouts_that_try_set_ups_play_one_where_the_next_move_gains_the_more() {
    // A fifth a is two rows above the gap between four: 8 points without it, or -5 and then 24.
    let gems = [(0, 9, 'a'), (1, 9, 'a'), (3, 9, 'a'), (4, 9, 'a'), (2, 7, 'a')];
    let without = rollout(500, 1);
    let with = Rollout { mask: SETUPS, ..rollout(500, 1) };
    let sets_up = action(2, 7, true);
    assert_eq!(choices(&with, &position(&gems, 2)), [sets_up]);
    assert!(!choices(&without, &position(&gems, 2)).contains(&sets_up));
    assert!(!choices(&with, &position(&gems, 1)).contains(&sets_up));
    // Every mask tries set-ups where nothing matches.
    let nothing = position(&[(0, 9, 'a'), (1, 9, 'a'), (4, 9, 'a')], 25);
    assert_eq!(choices(&with, &nothing), [action(3, 9, false)]);
    assert_eq!(choices(&without, &nothing), [action(3, 9, false)]);
}

#[test]
fn a_guide_plans_as_many_moves_as_it_is_given_and_then_takes_the_longest_chain() {
    let state = position(&PREPARATION, 25);
    let guide = |plans| PlanThenCascade { planner: Planner(Plan::of(2)), plans };
    let follows = |plans, moves| Policy::<Match3>::follow(&guide(plans), moves, &state, &mut ties(0));
    assert_eq!(
        [follows(0, 0), follows(1, 0), follows(1, 1), follows(2, 1)],
        [takes_four(), prepares(), takes_four(), prepares()]
    );
    assert_eq!(choices(&guide(0), &state), [prepares()], "by itself it plans");
    assert_eq!(Policy::<Match3>::follow(&Cascade, 7, &state, &mut ties(0)), takes_four());
    // The guide's first move is the second of a simulation.
    let value = |plans| {
        let search = Search::<Match3> {
            rules: Rules::default(),
            budget: Budget::Simulations(2000),
            depth: 2,
            prior_visits: 0.0,
            forecasts: false,
        };
        let state = position(&[&PREPARATION[..], &[(0, 1, 'c'), (1, 0, 'c'), (2, 1, 'c')]].concat(), 25);
        let rollout = Rollout { search, guide: guide(plans), mask: MATCHING };
        value_of(&rollout.values(&state, &mut ties(0)), action(1, 0, true))
    };
    // The plan makes 8, then 8 + 24; the longest chain 8, then 15 + 8.
    assert!(value(1) > value(0) + 4.0 && (value(1) - value(2)).abs() < 2.0, "{} {} {}", value(0), value(1), value(2));
}

#[test]
fn a_guide_that_plans_gets_more_out_of_the_moves_that_follow() {
    let state = position(&[&PREPARATION[..], &[(0, 1, 'c'), (1, 0, 'c'), (2, 1, 'c')]].concat(), 25);
    let search = Search::<Match3> {
        rules: Rules::default(),
        budget: Budget::Simulations(1000),
        depth: 2,
        prior_visits: 0.0,
        forecasts: false,
    };
    let planned = Rollout { search, guide: Planner(Plan::of(2)), mask: MATCHING };
    let aside = action(1, 0, true);
    // The plan makes 8, then 8 + 24; the most points at once 8, then 15 + 8; luck is the same.
    let (plan, cascade) = (planned.values(&state, &mut ties(0)), rollout(1000, 2).values(&state, &mut ties(0)));
    assert!(value_of(&plan, aside) > value_of(&cascade, aside) + 4.0, "{plan:?} {cascade:?}");
}

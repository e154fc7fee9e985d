//! Games by policies and by players that are asked move by move.

use super::*;
use crate::{BoxedPlayer, Playable, Valued};
use matchq_games::{Bejeweled, Bilging, Match3, Tetris, tetris};

/// A player that hides its policy.
pub struct Asked<G: Game>(pub BoxedPlayer<G>);

impl<G: Game> Player<G> for Asked<G> {
    fn name(&self) -> &str {
        self.0.name()
    }

    fn act(&mut self, states: &[G::State], ties: &mut [Stream]) -> Result<Vec<usize>> {
        self.0.act(states, ties)
    }

    fn rank(&mut self, state: &G::State, ties: &mut Stream) -> Result<Vec<Valued>> {
        self.0.rank(state, ties)
    }
}

fn check<G: Playable>(player: &str, rules: &G::Rules, longest: u64) {
    let parse = || crate::parse::<G>(player, rules).unwrap();
    let mut seen = 0;
    let goes_on = |moves: Moves| {
        seen = moves.all;
        true
    };
    let series = play_bounded(&mut *parse(), rules, 7, 40, longest, goes_on).unwrap().unwrap();
    assert_eq!(
        play_bounded(&mut Asked(parse()), rules, 7, 40, longest, |_| true).unwrap().unwrap(),
        series,
        "{player}"
    );
    assert_eq!(seen, series.iter().map(|game| game.actions.len() as u64).sum::<u64>(), "{player}");
}

#[test]
fn a_policy_that_is_asked_move_by_move_plays_the_same_games() {
    let rules = tetris::Rules::new(6).unwrap();
    for longest in [0, 1, 150, u64::MAX] {
        check::<Tetris>("linear:weights=shapes-20", &rules, longest);
        check::<Tetris>("linear:weights=dt-10", &rules, longest);
        check::<Tetris>("matching", &rules, longest);
    }
    check::<Tetris>("linear:weights=dt-10:depth=2", &rules, 100);
    check::<Match3>("matching", &Default::default(), u64::MAX);
    check::<Match3>("rollout:sims=50", &Default::default(), 3);
    check::<Bilging>("greedy", &Default::default(), 60);
    check::<Bejeweled>("ranked", &Default::default(), 60);
}

/// A player that panics if asked for a move.
struct Alone(BoxedPlayer<Match3>);

impl Player<Match3> for Alone {
    fn name(&self) -> &str {
        "alone"
    }

    fn act(&mut self, _: &[<Match3 as Game>::State], _: &mut [Stream]) -> Result<Vec<usize>> {
        unreachable!("its policy plays")
    }

    fn rank(&mut self, _: &<Match3 as Game>::State, _: &mut Stream) -> Result<Vec<Valued>> {
        unreachable!("its policy plays")
    }

    fn policy(&self) -> Option<&dyn Policy<Match3>> {
        self.0.policy()
    }
}

#[test]
fn the_games_of_a_policy_are_not_played_move_by_move() {
    let greedy = || crate::parse::<Match3>("greedy", &Default::default()).unwrap();
    let series = play_series(&mut Alone(greedy()), &Default::default(), 0, 5, |_| ()).unwrap();
    assert_eq!(series, play_series(&mut *greedy(), &Default::default(), 0, 5, |_| ()).unwrap());
}

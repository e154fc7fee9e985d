mod advice;
mod figures;
#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

use crate::agents::Shipped;
use crate::bilging::planner;
use crate::contract::Measured;
use crate::texts::{Build, Entry, OwnFigures, OwnPolicy, Played, Roster, beam, beam_player};
use matchq_games::bilging::{Bilging, State};

impl Measured for Bilging {}

impl Roster for Bilging {
    const ABOUT: &'static str = "12 x 6 pieces, 50 swaps in a row, breaks of up to four lines at once";

    const AGENTS: &'static [Shipped] = &[
        shipped!(Network, "bilging-dqn", "learned by DQN from what follows from each swap for certain"),
        shipped!(Value, "bilging-fitted", "weights of six features of the nearest bingo, by fitted value iteration"),
    ];
    const THEMES: &'static [&'static str] = &["bilging"];

    const POLICIES: &'static [OwnPolicy<State>] = &[OwnPolicy {
        name: "planner",
        about: "the swap that leaves the best bingo to build",
        values: planner::values,
    }];

    const BEST: Option<Build<Self>> = Some(|options, _| beam_player(options));

    fn players() -> Vec<Entry<Self>> {
        vec![beam()]
    }

    fn figures(games: &mut dyn Iterator<Item = Played<Self>>) -> OwnFigures {
        figures::figures(games)
    }

    fn about_move(state: &State, action: usize) -> Map<String, Value> {
        advice::of_move(state, action)
    }

    fn about_board(state: &State) -> Map<String, Value> {
        advice::of_board(state)
    }

    fn advice(state: &State, best: usize) -> String {
        advice::drawing(state, best)
    }
}

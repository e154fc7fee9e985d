use crate::agents::Shipped;
use crate::contract::{Forecast, Measured};
use crate::texts::{Build, Roster, recommended};
use matchq_games::tile_match::State;
use matchq_games::{StateFeatures, TileMatch};

impl Measured for TileMatch {
    const UNIT: &'static str = "tiles";
    const FORECAST: Option<Forecast<State>> = Some(Forecast { points: forecast, in_search: true });
}

impl Roster for TileMatch {
    const ABOUT: &'static str = "8 x 8 tiles of four colours, 50 swaps, a point a tile; LMGame-Bench's Candy Crush";

    const AGENTS: &'static [Shipped] = &[
        shipped!(Network, "tile-match-dqn", "learned from its own moves by DQN; it is given only which swaps match"),
        shipped!(Value, "tile-match-fitted", "three weights of two features, by fitted value iteration"),
    ];

    const THEMES: &'static [&'static str] = &["tile-match", "lmgame-bench"];

    /// Rollouts, which play better games than searches with an agent.
    const BEST: Option<Build<Self>> = Some(|options, rules| recommended(options, rules, 1));
}

/// Weighted [features](StateFeatures::features), fitted by least squares to the tiles of eight moves
/// of `plan` from 5,000 positions.
fn forecast(state: &State) -> f64 {
    const WEIGHTS: [f64; 2] = [2.1, 0.008];
    TileMatch::features(state).iter().zip(WEIGHTS).map(|(feature, weight)| weight * feature).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_forecast_of_a_position_is_its_best_plan_and_its_colours() {
        let text = "GCPRGCPR\nPRGCPRGC\n".repeat(4);
        let state = |text: &str, left| State::at_rest(text, left).unwrap();
        // No swap matches; each colour has 16 tiles: 0.008 * 4 * 16^2.
        assert!((forecast(&state(&text, 5)) - 8.192).abs() < 1e-9);
        assert_eq!((forecast(&state(&text, 1)), forecast(&state(&text, 0))), (0.0, 0.0));
        // A G comes from below between two others at the top: 3 tiles, and the P that went down stands above another:
        // three P match next.
        let text = text.replacen('C', "G", 1);
        let colours = 17.0 * 17.0 + 15.0 * 15.0 + 2.0 * 16.0 * 16.0;
        assert!((forecast(&state(&text, 5)) - (2.1 * (3.0 + 0.5 * 3.0) + 0.008 * colours)).abs() < 1e-9);
        assert!((forecast(&state(&text, 1)) - 2.1 * 3.0).abs() < 1e-9);
    }
}

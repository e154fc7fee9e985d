use crate::agents::Shipped;
use crate::contract::{Forecast, Measured};
use crate::texts::{Entry, Roster, ranked};
use matchq_games::StateFeatures;
use matchq_games::match3::{Match3, State};

impl Measured for Match3 {
    const FORECAST: Option<Forecast<State>> = Some(Forecast { points: forecast, in_search: false });
}

impl Roster for Match3 {
    const ABOUT: &'static str =
        "8 x 10 tokens, 25 swaps, runs of three or more; a swap without a match stays and costs 5";

    const AGENTS: &'static [Shipped] = &[
        shipped!(Network, "dqn", "learned from its own moves by DQN; it is given only which swaps match"),
        shipped!(Network, "dqn-plain", "the plain network: five planes in, 142 values out in one pass"),
        shipped!(Network, "dqn-setups", "the one to search with: it values what follows from each swap for certain"),
        shipped!(Value, "match3-fitted", "three weights of two features, by fitted value iteration"),
    ];

    const THEMES: &'static [&'static str] = &["match3", "kit"];

    fn players() -> Vec<Entry<Self>> {
        vec![ranked()]
    }
}

/// Weighted [features](StateFeatures::features), fitted by least squares to the scores of two
/// searching players, 300 games each.
fn forecast(state: &State) -> f64 {
    const WEIGHTS: [f64; 2] = [1.3, 0.135];
    Match3::features(state).iter().zip(WEIGHTS).map(|(feature, weight)| weight * feature).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use matchq_games::match3::{EFFECTIVE, MATCHING};
    use matchq_games::{Game, offered};

    #[test]
    fn the_forecast_of_a_position_is_its_best_plan_and_its_colours() {
        let text = "abcdabcd\ncdabcdab\nabcdabcd\ncdabcdab\nabcdabcd\ncdabcdab\nabcdabcd\ncdabcdab\nabcdabcd\ncdabcdab";
        let state = |left| State::new(text, left).unwrap();
        // No move matches; each colour has 20 tokens: 0.135 * 4 * 20^2.
        assert!(offered::<Match3>(&state(5), MATCHING).0 == Match3::mask(&state(5), EFFECTIVE));
        assert!((forecast(&state(5)) - 216.0).abs() < 1e-9);
        assert_eq!((forecast(&state(1)), forecast(&state(0))), (0.0, 0.0));
        // A move matches for 8 points, three a at the top; after it three c below match for
        // certain.
        let text = text.replacen('b', "a", 1);
        let state = |left| State::new(&text, left).unwrap();
        let colours = 21.0 * 21.0 + 19.0 * 19.0 + 2.0 * 20.0 * 20.0;
        assert!((forecast(&state(5)) - (1.3 * (8.0 + 0.5 * 8.0) + 0.135 * colours)).abs() < 1e-9);
        assert!((forecast(&state(1)) - 1.3 * 8.0).abs() < 1e-9);
    }
}

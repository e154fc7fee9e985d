use super::{Forecast, Measured, Roster};
use crate::games::tile_match::State;
use crate::games::{StateFeatures, TileMatch};

impl Measured for TileMatch {
    const FORECAST: Option<Forecast<State>> = Some(Forecast { points: forecast, in_search: true });
}

impl Roster for TileMatch {
    const ABOUT: &'static str = "8 x 8 tiles of four colours, 50 swaps, a point a tile; LMGame-Bench's Candy Crush";

    const THEMES: &'static [&'static str] = &["tile-match", "lmgame-bench"];
}

/// Weighted [features](StateFeatures::features), fitted to the tiles of the next eight moves of `plan` from 5,000 positions.
fn forecast(state: &State) -> f64 {
    const WEIGHTS: [f64; 2] = [2.1, 0.008];
    TileMatch::features(state).iter().zip(WEIGHTS).map(|(feature, weight)| weight * feature).sum()
}

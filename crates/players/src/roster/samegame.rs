use crate::agents::Shipped;
use crate::contract::{Forecast, Measured};
use crate::texts::Roster;
use matchq_games::samegame::State;
use matchq_games::{SameGame, StateFeatures};

impl Measured for SameGame {
    const FORECAST: Option<Forecast<State>> = Some(Forecast { points: forecast, in_search: true });
}

impl Roster for SameGame {
    const ABOUT: &'static str =
        "15 x 15 tiles of five colours without chance; n equal neighbours give (n - 2)^2 points";

    const AGENTS: &'static [Shipped] =
        &[shipped!(Linear, "samegame-cma", "34 weights by CMA-ES on random boards, with which searches begin")];

    const THEMES: &'static [&'static str] = &["samegame"];
}

/// Points of the groups there are, and a part of those that each colour would have as one group; a
/// single tile takes some away.
fn forecast(state: &State) -> f64 {
    const WHOLE: [f64; 5] = [0.6, 0.3, 0.2, 0.1, 0.1];
    const GROUPS: f64 = 0.5;
    const SINGLE: f64 = -10.0;
    let mut sum = 0.0;
    SameGame::descriptions(state, |numbers| {
        for (whole, colour) in WHOLE.iter().zip(numbers.chunks_exact(6)) {
            sum += 10.0 * (whole * colour[1] + GROUPS * colour[3]) + SINGLE * colour[5];
        }
    });
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use matchq_games::Text;

    #[test]
    fn the_forecast_is_of_whole_colours_groups_and_single_tiles() {
        let mut rows = vec![".".repeat(15); 13];
        rows.extend(["RRG............", "RRB............"].map(str::to_owned));
        let state = SameGame::parse(&Default::default(), &rows.join("\n"), None).unwrap();
        // Four reds are a group of 4 points; two single tiles.
        assert!((forecast(&state) - (0.6 * 16.0 + 0.5 * 4.0 + 0.3 + 0.2 - 20.0)).abs() < 1e-9);
    }
}

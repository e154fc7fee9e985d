use matchq_games::Game;

/// What scores of a game mean, for measuring players.
pub trait Measured: Game {
    /// What a game's score counts.
    const UNIT: &'static str = "points";
    /// Measure of how near its end a game is, where a mishap may come at any move, so that scores of
    /// good players are nearly exponential.
    const IMPORTANCE: Option<Importance<Self>> = None;
    /// Forecast of the points to come.
    const FORECAST: Option<Forecast<Self::State>> = None;
}

/// Level in the importance function of RESTART (Villén-Altamirano 1991), 0 far from the end.
///
/// The chance of an end soon must grow from level to level by about the same small factor;
/// otherwise means are sometimes far off, without wider intervals.
pub type Importance<G> = fn(&G) -> usize;

/// Forecast of the points to come, the control variate of [luck](crate::eval::luck) in games that
/// do not end early: any forecast leaves the mean unbiased, a better one less variance.
#[derive(Clone, Copy)]
pub struct Forecast<S> {
    /// Points to come; 0 where the game has ended.
    pub points: fn(&S) -> f64,
    /// Whether searches by default add the forecast at the end of a simulation, as games that may
    /// end early need.
    pub in_search: bool,
}

pub fn in_search<G: Measured>() -> bool {
    G::FORECAST.is_some_and(|forecast| forecast.in_search)
}

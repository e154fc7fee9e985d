//! The learner on games small enough to compute by hand, resumed runs, network and optimizer; one
//! program, because each test program links all of burn.

mod convolution;
mod dynamics;
mod learner;
mod network;
mod optimizer;
mod probe_games;
mod resume;
mod toy;
mod update;

use matchq::games::Match3;
use matchq::learners::dqn::Config;
use matchq::learners::{Dqn, Source, TrainConfig};

/// Configuration of a text with overrides, for any game without rules.
fn configuration(text: &str, overrides: &[&str]) -> TrainConfig<Config> {
    let overrides: Vec<String> = overrides.iter().map(|text| text.to_string()).collect();
    let source = Source::parse(text, "the configuration", &overrides).unwrap();
    source.resolve::<Match3, Dqn<Match3>>().unwrap().0
}

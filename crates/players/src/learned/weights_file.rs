//! Agents' files of one list of weights.

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::agent_file::{AgentFile, Array, Kind};
use matchq_core::error::{Error, Result, in_words};
use matchq_games::Game;

pub(super) const WEIGHTS: &str = "weights";

/// The file of a model, in single precision.
pub(super) fn write<G: Game>(
    kind: Kind,
    rules: &G::Rules,
    config: &impl Serialize,
    weights: &[f64],
) -> Result<AgentFile> {
    let unwritable = |error: toml::ser::Error| Error::runtime(format!("the agent cannot be written as TOML: {error}"));
    let values: Vec<f32> = weights.iter().map(|weight| *weight as f32).collect();
    Ok(AgentFile {
        game: G::NAME.to_owned(),
        kind,
        rules: toml::to_string(&toml::Table::try_from(rules).unwrap_or_default()).map_err(unwritable)?,
        config: toml::to_string(config).map_err(unwritable)?,
        tensors: [(WEIGHTS.to_owned(), Array { shape: vec![values.len()], values })].into(),
    })
}

/// Configuration of a model; `name` is the file's name in errors.
pub(super) fn config<G: Game, C: DeserializeOwned>(file: &AgentFile, kind: Kind, name: &str) -> Result<C> {
    file.check(G::NAME, kind, name)?;
    toml::from_str(&file.config).map_err(|error: toml::de::Error| {
        let what = in_words(error.message());
        Error::user(format!("{name} has a config that this program does not know: {what}"))
    })
}

/// Exactly `count` weights.
pub(super) fn weights(file: &AgentFile, count: usize, name: &str) -> Result<Vec<f64>> {
    let found = file.tensors.get(WEIGHTS).filter(|array| array.shape == [count]);
    let found = found.ok_or_else(|| Error::user(format!("{name} has no {count} weights")))?;
    Ok(found.values.iter().map(|weight| f64::from(*weight)).collect())
}

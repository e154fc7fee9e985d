//! `matchq card`: an agent's folder as hubs of models want it.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Parser as _;

use super::{eval, other_rules, print, quoted, series};
use crate::cli::{Card, Cli, Command};
use crate::error::{Error, Result};
use crate::eval::Report;
use crate::learners::configurations;
use crate::players::registry::shipped;
use crate::players::{Agent, Agents, BEST, Kind, Playable, run_of};
use crate::{files, named};

/// Files of a run that tell how its agent was trained.
const OF_A_RUN: [&str; 3] = ["config.toml", "evaluations.csv", "curve.svg"];

/// Writes the agent's folder.
pub fn run<G: Playable>(arguments: &Card, agents: &Agents) -> Result<()> {
    let Card { agent: path, folder, games, .. } = arguments;
    super::tell_apart(Some(path));
    let agent = agents.load(path)?;
    let name = files::name(Path::new(agent.label().trim_end_matches(&format!("/{BEST}"))));
    let folder = folder.clone().unwrap_or_else(|| PathBuf::from(format!("card-{name}")));
    let unmade = |error| Error::user(format!("the folder {} cannot be made: {error}", folder.display()));
    if fs::read_dir(&folder).is_ok_and(|mut inside| inside.next().is_some()) {
        return Err(Error::user(format!("the folder {} is not empty: name another by --folder", folder.display())));
    }
    files::create_folder(&folder).map_err(unmade)?;
    files::write_atomically(&folder.join(BEST), &agent.file.to_bytes()?)?;
    let config = write_training(path, &name, &folder)?;

    let given = [path.display().to_string(), games.to_string()];
    let Command::Eval(eval) = command(&["eval", "--checkpoint", &given[0], "--games", &given[1]])? else {
        unreachable!("the command is eval")
    };
    let eval::Evaluated { rules, mut player, text, .. } = eval::evaluated::<G>(&eval, agents)?;
    // Some games hardly end.
    let report = match G::IMPORTANCE {
        None => Some(series::play(player.as_mut(), &rules, &eval.series, false)?),
        Some(_) => None,
    };
    let rules: String = other_rules::<G>(&rules).iter().map(|rule| format!(" --rule {}", quoted(rule))).collect();

    let gif = folder.join("game.gif").display().to_string();
    let mut replay = vec!["replay", "--game", G::NAME, "--seed", "0", "--player", &text, "--gif", &gif];
    let own: Vec<&str> = rules.split_whitespace().collect();
    replay.extend(own);
    let Command::Replay(replay) = command(&replay)? else { unreachable!("the command is replay") };
    super::replay::run::<G>(&replay, agents)?;

    let card = Words {
        name: &name,
        agent: &agent,
        report: report.as_ref(),
        config: config.as_deref(),
        rules: &rules,
        folder: &folder,
    };
    files::write_atomically(&folder.join("README.md"), card.text::<G>().as_bytes())?;
    print(&format!("{}: README.md, {BEST} and what made it\n", folder.display()))
}

/// A command of the program, with the defaults of its flags.
fn command(words: &[&str]) -> Result<Command> {
    let words = [named::name()].into_iter().chain(words.iter().copied());
    Cli::try_parse_from(words).map(|cli| cli.command).map_err(|error| Error::user(error.to_string()))
}

/// Copies what tells of the training; returns the configuration if it is known.
fn write_training(path: &Path, name: &str, folder: &Path) -> Result<Option<String>> {
    let of_run = run_of(path).or_else(|| {
        let beside = if path.is_dir() { Some(path) } else { path.parent() };
        beside.filter(|folder| folder.join("config.toml").is_file()).map(Path::to_owned)
    });
    // The agent that ships comes before a run of its name.
    if let Some(run) = of_run.filter(|_| path.exists() || shipped(name).is_none()) {
        for file in OF_A_RUN.iter().filter(|file| run.join(file).is_file()) {
            files::write_atomically(&folder.join(file), &files::read(&run.join(file))?)?;
        }
        let text = folder.join("config.toml");
        let text = if text.is_file() { Some(files::text("config.toml", files::read(&text)?)?) } else { None };
        return Ok(text);
    }
    let Some((_, text)) = configurations().into_iter().find(|(known, _)| *known == name) else { return Ok(None) };
    files::write_atomically(&folder.join("config.toml"), text.as_bytes())?;
    Ok(Some(text.to_owned()))
}

/// What the card says.
struct Words<'a> {
    name: &'a str,
    agent: &'a Agent,
    /// Games that were played; none where games hardly end.
    report: Option<&'a Report>,
    config: Option<&'a str>,
    rules: &'a str,
    folder: &'a Path,
}

impl Words<'_> {
    fn text<G: Playable>(&self) -> String {
        let Self { name, agent, report, config, rules, folder } = self;
        let (program, game) = (named::name(), G::NAME);
        let title = yaml(name);
        let licence = if agent.ships() { "license: mit\n" } else { "" };
        let network = if agent.file.kind == Kind::Network { "- deep-reinforcement-learning\n" } else { "" };
        let index = report.map_or(String::new(), |report| {
            let scores = &report.figures.scores;
            format!(
                "model-index:\n- name: {title}\n  results:\n  - task:\n      type: reinforcement-learning\n      name: \
                 reinforcement-learning\n    dataset:\n      name: {game}\n      type: {game}\n    metrics:\n    - type: \
                 mean_reward\n      value: {:.1} +/- {:.1}\n      name: mean score of a game, 95 % interval\n      verified: false\n",
                scores.mean, scores.half_width.unwrap_or_default()
            )
        });
        let measured = match report {
            Some(report) => format!(
                "Its mean score is **{:.1} ± {:.1}** (95 %) in {games} games from seed {seed} on. The command plays them again:\n\n    \
                 {program} eval --checkpoint . --games {games} --seed {seed}{rules}\n",
                report.figures.scores.mean,
                report.figures.scores.half_width.unwrap_or_default(),
                games = report.games,
                seed = report.seed,
            ),
            None => format!(
                "Its games hardly end, so that it is measured by points in a number of moves:\n\n    {program} endure --game {game} \
                 --players network:checkpoint=. --moves 1_000_000{rules}\n"
            ),
        };
        let curve = if folder.join("curve.svg").is_file() { "![Evaluations in training](curve.svg)\n\n" } else { "" };
        let config = config.map_or(String::new(), |config| {
            format!(
                "\n## How it was trained\n\n{curve}    {program} train --config config.toml\n\n```toml\n{}\n```\n",
                config.trim()
            )
        });
        format!(
            "---\n{licence}library_name: matchq\ntags:\n- reinforcement-learning\n{network}- matchq\n- {game}\n{index}---\n\n# {name}, an \
             agent for {game}\n\n![A game, seed 0](game.gif)\n\n{measured}\nIt plays in the terminal, and in Python:\n\n    {program} play \
             --player .\n    python -c 'import matchq; print(matchq.Agent.load(\".\"))'\n{config}"
        )
    }
}

/// A text of YAML.
fn yaml(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

//! `matchq card`: an agent's folder as hubs of models want it.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Parser as _;
use matchq_pictures::animation::Tiles;
use matchq_pictures::gif::gif;

use matchq_trainer::{door, other_rules};

use super::{Preferred, print, quoted, replay, series};
use crate::cli::{Card, Cli, Command, Series};
use crate::error::{Error, Result};
use crate::eval::Report;
use crate::learners::{Source, configurations};
use crate::players::{Agent, Agents, BEST, Kind, LAST, Playable, run_of};
use crate::{files, named};

/// Boards in one pass of a network.
const BATCH: usize = 256;

const CONFIG: &str = "config.toml";
const CURVE: &str = "curve.svg";
const GAME: &str = "game.gif";

/// Writes the agent's folder; nothing is written before all is there.
pub fn run<G: Playable>(arguments: &Card, agents: &Agents) -> Result<()> {
    let Card { agent: path, games, .. } = arguments;
    super::tell_apart(Some(path));
    let agent = agents.load(path)?;
    let home = home(path).filter(|_| !agent.ships());
    let name = if agent.ships() { agent.label().to_owned() } else { name_of(path, home.as_deref()) };
    let folder = arguments.folder.clone().unwrap_or_else(|| PathBuf::from(format!("card-{name}")));
    if fs::read_dir(&folder).is_ok_and(|mut inside| inside.next().is_some()) {
        return Err(Error::user(format!("the folder {} is not empty: name another by --folder", folder.display())));
    }

    let rules = agent.rules::<G>()?;
    let mut player = agent.player::<G>(&rules, BATCH, None, &Preferred)?;
    let report = match G::IMPORTANCE {
        None => Some(series::play(player.as_mut(), &rules, &of_games(*games)?, false)?),
        Some(_) => None,
    };
    let frames = replay::frames::<G>(&rules, 0, player.as_mut())?;
    let drawn = gif(&format!("{}, seed 0", G::NAME), Tiles::of::<G>(), &frames).map_err(Error::runtime)?;
    let mut written = vec![(BEST, agent.file.to_bytes()?), (GAME, drawn)];
    let config = match &home {
        Some(home) => configuration(home, G::NAME)?,
        None => configurations().into_iter().find(|(known, _)| *known == name).map(|(_, text)| text.to_owned()),
    };
    written.extend(config.iter().map(|text| (CONFIG, text.clone().into_bytes())));
    // Logs are of a run.
    let logs = ["evaluations.csv", CURVE].into_iter().filter(|_| config.is_some());
    for (file, path) in
        logs.filter_map(|file| Some((file, home.as_ref()?.join(file)))).filter(|(_, path)| path.is_file())
    {
        written.push((file, files::read(&path)?));
    }
    let rules: String = other_rules::<G>(&rules).iter().map(|rule| format!(" --rule {}", quoted(rule))).collect();
    let has_curve = written.iter().any(|(file, _)| *file == CURVE);
    let words = Words {
        name: &name,
        agent: &agent,
        report: report.as_ref(),
        config: config.as_deref(),
        rules: &rules,
        has_curve,
    };
    written.push(("README.md", words.text::<G>().into_bytes()));

    files::create_folder(&folder)
        .map_err(|error| Error::user(format!("the folder {} cannot be made: {error}", folder.display())))?;
    written.iter().try_for_each(|(file, bytes)| files::write_atomically(&folder.join(file), bytes))?;
    let unplayed = if report.is_some() { "" } else { "; its games hardly end, so that none was played for a score" };
    print(&format!("{}: README.md, {BEST} and what made it{unplayed}\n", folder.display()))
}

/// The series of games from seed 0.
fn of_games(games: u64) -> Result<Series> {
    let words = [named::name().to_owned(), "eval".to_owned(), format!("--games={games}")];
    match Cli::try_parse_from(words).map(|cli| cli.command) {
        Ok(Command::Eval(eval)) => Ok(eval.series),
        _ => Err(Error::user(format!("--games {games}: these are no games of eval"))),
    }
}

/// The folder in which an agent's file lies.
fn home(path: &Path) -> Option<PathBuf> {
    let within = match (path.is_dir(), path.exists()) {
        (true, _) => path.to_owned(),
        (false, true) => path.canonicalize().ok()?.parent()?.to_owned(),
        _ => run_of(path)?,
    };
    within.canonicalize().ok()
}

/// Name of an agent's file, or of its folder if the file is a run's.
fn name_of(path: &Path, home: Option<&Path>) -> String {
    let own = path
        .file_stem()
        .filter(|_| path.is_file() && ![BEST, LAST].map(Path::new).iter().any(|run| path.ends_with(run)));
    let name = own.or_else(|| home?.file_name()).unwrap_or_else(|| "agent".as_ref());
    name.to_string_lossy().into_owned()
}

/// The configuration in a folder, if it is one of the game.
fn configuration(folder: &Path, game: &str) -> Result<Option<String>> {
    let path = folder.join(CONFIG);
    // Another program's file may have the name.
    let fits = |source: &Source| {
        source.game().is_ok_and(|own| own == game) && door(game).is_ok_and(|door| door.keys(source).is_ok())
    };
    if !path.is_file() || !Source::load(&path, &[]).is_ok_and(|source| fits(&source)) {
        return Ok(None);
    }
    Ok(Some(files::text(CONFIG, files::read(&path)?)?))
}

/// What the card says.
struct Words<'a> {
    name: &'a str,
    agent: &'a Agent,
    /// Games that were played; none where games hardly end.
    report: Option<&'a Report>,
    config: Option<&'a str>,
    /// Flags of the rules.
    rules: &'a str,
    has_curve: bool,
}

impl Words<'_> {
    fn text<G: Playable>(&self) -> String {
        let Self { name, agent, report, config, rules, has_curve } = self;
        let (program, game) = (named::name(), G::NAME);
        let title = yaml(name);
        let licence = if agent.ships() { "license: mit\n" } else { "" };
        let tags = tags(program, game);
        let network = if agent.file.kind == Kind::Network { "- deep-reinforcement-learning\n" } else { "" };
        let score = report.map(|report| {
            let scores = &report.figures.scores;
            (format!("{:.1}", scores.mean), format!("{:.1}", scores.half_width.unwrap_or_default()), report)
        });
        let index = score.as_ref().map_or(String::new(), |(mean, half_width, _)| {
            format!(
                "model-index:\n- name: {title}\n  results:\n  - task:\n      type: reinforcement-learning\n      \
                 name: reinforcement-learning\n    dataset:\n      name: {game}\n      type: {game}\n    metrics:\n    \
                 - type: mean_reward\n      value: {mean} +/- {half_width}\n      \
                 name: mean score of a game, 95 % interval\n      verified: false\n"
            )
        });
        let measured = match &score {
            Some((mean, half_width, Report { games, seed, .. })) => format!(
                "Its mean score is **{mean} ± {half_width}** (95 %) in {games} games from seed {seed} on. The command plays them \
                 again:\n\n    {program} eval --checkpoint . --games {games} --seed {seed}{rules}\n"
            ),
            None => format!(
                "Its games hardly end, so that it is measured by points in a number of moves:\n\n    \
                 {program} endure --game {game} --players . --moves 1000000{rules}\n"
            ),
        };
        // A program with games of its own has no package for Python.
        let python = match program {
            "matchq" => "    python -c 'import matchq; print(matchq.Agent.load(\".\"))'\n",
            _ => "",
        };
        let curve = if *has_curve { format!("![Evaluations in training]({CURVE})\n\n") } else { String::new() };
        let config = config.map_or(String::new(), |config| {
            format!(
                "\n## How it was trained\n\n{curve}    {program} train --config {CONFIG}\n\n```toml\n{}\n```\n",
                config.trim()
            )
        });
        format!(
            "---\n{licence}library_name: {program}\ntags:\n- reinforcement-learning\n{network}{tags}{index}---\n\n\
             # {name}, an agent for {game}\n\n![A game, seed 0]({GAME})\n\n{measured}\nIt plays:\n\n    \
             {program} play --player .{rules}\n{python}{config}"
        )
    }
}

/// Tags of a card, each once: a program is often named like its game.
fn tags(program: &str, game: &str) -> String {
    if program == game { format!("- {game}\n") } else { format!("- {program}\n- {game}\n") }
}

/// A text of YAML.
fn yaml(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''").replace(char::is_control, " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_has_each_tag_once() {
        assert_eq!([tags("matchq", "tetris"), tags("mine", "mine")], ["- matchq\n- tetris\n", "- mine\n"]);
    }
}

//! `matchq compare`: several players in the same games.

use std::path::Path;

use super::series::{self, games};
use super::{door_of, threads};
use crate::cli::{Compare, Series};
use crate::error::{Error, Result, in_words};
use crate::eval::{Comparison, Figures, Report, Saved, Summary};
use crate::files;
use crate::players::{Agents, Playable};
use crate::report::columns::table;
use crate::report::plot::{self, Contender};
use matchq_pictures::apart;

/// Plays the games with every player and writes the results.
pub fn run<G: Playable>(arguments: &Compare, agents: &Agents) -> Result<()> {
    series::check_plot(arguments.plot.as_deref(), &arguments.series)?;
    let rules = series::check::<G>(&arguments.series)?;
    series::check_luck::<G>(arguments.luck)?;
    threads(arguments.threads)?;
    let texts = arguments.players.iter().chain(&arguments.player);
    let mut players = series::players::<G>(texts, &rules, agents)?;
    let wanted = arguments.luck.is_some();
    let played = players.iter_mut().map(|player| series::play(player.as_mut(), &rules, &arguments.series, wanted));
    adjusted::<G>(arguments, played.collect::<Result<_>>()?)
}

/// Compares the players of the files of `--from`.
pub fn run_again(arguments: &Compare) -> Result<()> {
    let files = arguments.from.iter().map(|path| Ok((path.as_path(), load(path)?))).collect::<Result<Vec<_>>>()?;
    let first = files.iter().find_map(|(path, saved)| Some((path, saved.0.first()?)));
    let (path, player) = first.ok_or_else(|| Error::user("--from: there is no player in these files"))?;
    door_of(player.game(), &format!("--from {}", path.display()))?.compare_again(arguments, files)
}

/// Compares the players of files of one game.
pub(crate) fn again<G: Playable>(arguments: &Compare, files: Vec<(&Path, Saved)>) -> Result<()> {
    series::check_plot(arguments.plot.as_deref(), &arguments.series)?;
    series::check::<G>(&arguments.series)?;
    series::check_luck::<G>(arguments.luck)?;
    threads(arguments.threads)?;
    adjusted::<G>(arguments, checked::<G>(files)?)
}

/// Estimates luck if asked to, and writes the results.
fn adjusted<G: Playable>(arguments: &Compare, mut players: Vec<Report>) -> Result<()> {
    if let Some(simulations) = arguments.luck {
        players.iter_mut().try_for_each(|player| series::estimate_luck::<G>(player, simulations))?;
    }
    conclude(&arguments.series, arguments.plot.as_deref(), players)
}

/// Writes the results.
pub fn conclude(series: &Series, plot: Option<&Path>, mut players: Vec<Report>) -> Result<()> {
    let moves = series::write_moves(series, &mut players);
    series::write(series, &text(&players), &Comparison::of(&players), plot, |path| draw(path, &players)).and(moves)
}

/// Players from files, all with one first seed and one set of rules.
fn checked<G: Playable>(files: Vec<(&Path, Saved)>) -> Result<Vec<Report>> {
    let mut players: Vec<Report> = Vec::new();
    for (path, saved) in files {
        let wrong = |what: &str| Error::user(format!("--from {}: {what}", path.display()));
        for player in saved.0 {
            if player.game() != G::NAME {
                return Err(wrong(&format!("these are games of {}, not of {}", player.game(), G::NAME)));
            }
            let mut player = player.report::<G>().map_err(|what| wrong(&what))?;
            if player.scores.is_empty() || player.scores.len() as u64 != player.games {
                return Err(wrong(&format!("{} must have a score for each of its games", player.player)));
            }
            player.figures.scores = Summary::of(&player.scores).unwrap_or(player.figures.scores);
            if player.rules::<G>().is_ok_and(|rules| G::has_chosen_deals(&rules)) {
                player.figures.scores.half_width = None;
            }
            let Figures { moves_without_match, waves_per_match, milliseconds_per_move, .. } = player.figures;
            let sound = (0.0..=1.0).contains(&moves_without_match)
                && waves_per_match.is_none_or(|mean| (1.0..=1e6).contains(&mean))
                && (0.0..=1e12).contains(&milliseconds_per_move)
                && !player.player.chars().any(char::is_control);
            if !sound {
                return Err(wrong(&format!("the figures of {:?} are none that compare --json writes", player.player)));
            }
            if player.seed.checked_add(u128::from(player.games) - 1).is_none() {
                return Err(wrong("the seeds of all games must lie below 2^128"));
            }
            player.rules::<G>().map_err(|what| wrong(&what))?;
            player.check_luck().map_err(|what| wrong(&what))?;
            if players.first().is_some_and(|first| (first.seed, &first.rules) != (player.seed, &player.rules)) {
                return Err(wrong("all players must have played from the same --seed by the same rules"));
            }
            player.find_own_figures::<G>();
            players.push(player);
        }
    }
    series::check_names("--from", players.iter().map(|player| player.player.as_str()))?;
    Ok(players)
}

/// Reads a file of `compare --json` or `eval --json`.
fn load(path: &Path) -> Result<Saved> {
    let name = format!("--from {}", files::name(path));
    Saved::parse(&files::text(&name, files::read(path)?)?).map_err(|error| {
        let what = in_words(&error.to_string());
        Error::user(format!(
            "{name}: this is no JSON that --json or --moves of compare or eval writes, nor player, game, seed and \
             moves: {what}"
        ))
    })
}

fn draw(path: &Path, players: &[Report]) -> Result<()> {
    let contenders: Vec<Contender> = players
        .iter()
        .map(|report| Contender {
            name: &report.player,
            summary: report.figures.scores,
            milliseconds: report.figures.milliseconds_per_move,
        })
        .collect();
    let who = match players {
        [only] => only.player.clone(),
        _ => format!("{} players", players.len()),
    };
    let drawn = plot::comparison(&format!("{who}: {}", games(players)), &contenders);
    plot::save(path, drawn, "no player")
}

/// Columns of a name, for tables of at most 100 columns; more where different names need them.
const NAME: usize = 26;

/// Letters of a name in the head of a column, with the same exception.
const HEAD: usize = 16;

fn text(all: &[Report]) -> String {
    let alike = all.iter().all(|report| report.games == all[0].games);
    let shared = if alike { "the same for every player" } else { "pairs by the games that both played" };
    let mut text = format!("{}, {shared}\n\n", games(all));
    let lucky = all.iter().any(|report| report.luck.is_some());
    let kept =
        |cells: [(&'static str, usize); 6]| cells.into_iter().filter(|(name, _)| lucky || *name != "luck-adjusted");
    let columns = kept([
        (if all.iter().any(Report::is_estimate) { "mean (95 %)" } else { "mean" }, 16),
        ("luck-adjusted", 16),
        ("median", 7),
        ("no gain", 8),
        ("ms a move", 9),
        ("games", 6),
    ]);
    let all = &sorted(all, lucky);
    let names: Vec<&str> = all.iter().map(|report| report.player.as_str()).collect();
    let names = apart(&names, NAME);
    let rows = all.iter().zip(&names).map(|(Report { figures, games, luck_adjusted, .. }, name)| {
        let mean = |mean: f64, half_width| format!("{mean:.1}{}", around(half_width));
        let mut cells = vec![mean(figures.scores.mean, figures.scores.half_width)];
        if lucky {
            cells.push(luck_adjusted.map_or("-".into(), |scores| mean(scores.mean, scores.half_width)));
        }
        cells.push(figures.scores.median.to_string());
        cells.push(format!("{:.1} %", 100.0 * figures.moves_without_match));
        cells.push(match figures.milliseconds_per_move {
            0.0 => "-".to_owned(),
            milliseconds => format!("{milliseconds:.4}"),
        });
        cells.push(games.to_string());
        (name.clone(), cells)
    });
    text += &table("player", &columns.collect::<Vec<_>>(), &rows.collect::<Vec<_>>());
    if let Some(first) = all.first().filter(|first| !first.ratios.is_empty()) {
        let columns: Vec<_> = first.ratios.iter().map(|(about, _)| (*about, 15)).collect();
        let rows = all.iter().zip(&names).map(|(Report { ratios, .. }, name)| {
            (name.clone(), ratios.iter().map(|(_, ratio)| series::shown(*ratio)).collect())
        });
        text += &format!("\n{}", table("player", &columns, &rows.collect::<Vec<_>>()));
    }
    if all.len() < 2 {
        return text;
    }
    text += &format!("\n{}", differences(all, lucky, &names));
    if !all.iter().any(|report| report.is_estimate()) {
        return text;
    }
    text + "* the interval leaves out 0, as it does by chance for 1 of 20 pairs of equally strong players\n"
}

/// Players with the highest mean first: of luck-adjusted scores where all have them.
fn sorted(all: &[Report], lucky: bool) -> Vec<&Report> {
    let lucky = lucky && all.iter().all(|report| report.luck_adjusted.is_some());
    let mean = |report: &&Report| match report.luck_adjusted.filter(|_| lucky) {
        Some(adjusted) => adjusted.mean,
        None => report.figures.scores.mean,
    };
    let mut all: Vec<&Report> = all.iter().collect();
    all.sort_by(|one, other| mean(other).total_cmp(&mean(one)));
    all
}

/// Most players of a matrix of differences.
const MATRIX: usize = 4;

/// Differences of sorted players: a matrix of a few, of many against the best; luck-adjusted ones
/// where both have them.
fn differences(all: &[&Report], lucky: bool, names: &[String]) -> String {
    let shown = |player: &Report, than: &Report| {
        player.difference(than, lucky).map_or("-  ".into(), |of| {
            format!("{:+.1}{}{}", of.mean, around(of.half_width), if of.significant { " *" } else { "  " })
        })
    };
    let shown_than = if all.len() > MATRIX { 1 } else { all.len() - 1 };
    let than: Vec<&str> = all[..shown_than].iter().map(|report| report.player.as_str()).collect();
    let heads: Vec<(String, usize)> =
        apart(&than, HEAD).into_iter().map(|name| (format!("minus {name}  "), 14)).collect();
    let columns: Vec<(&str, usize)> = heads.iter().map(|(name, width)| (name.as_str(), *width)).collect();
    let rows = all.iter().enumerate().skip(1).map(|(row, player)| {
        let cells = all[..row.min(shown_than)].iter().map(|than| shown(player, than));
        (names[row].clone(), cells.collect())
    });
    let heading = match lucky {
        true => "difference, luck-adjusted",
        false if all.iter().any(|report| report.is_estimate()) => "difference (95 %)",
        false => "difference",
    };
    table(heading, &columns, &rows.collect::<Vec<_>>())
}

fn around(half_width: Option<f64>) -> String {
    half_width.map_or(String::new(), |half| format!(" ± {half:.1}"))
}

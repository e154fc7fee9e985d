//! The commands of the pages: the program takes each, and what each names is there.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use clap::{CommandFactory as _, Parser as _};
use matchq::cli::{Cli, Command};
use matchq::error::Result;
use matchq::learners::{Learner, Source, Task, configurations, with_learner};
use matchq::players::{ForGame, Playable, agent_in, parse, registry, with_game};
use toml::Table;

/// The page of a game of one's own, whose commands are run in its folder.
const OWN_GAME: (&str, &str) = ("docs/own-game.md", "examples/own_game");

/// All pages, and their texts.
fn pages() -> Vec<(PathBuf, String)> {
    let folders = ["", "docs", "docs/reports", "python"].map(|folder| Path::new("./").join(folder));
    let files = folders.iter().flat_map(|folder| fs::read_dir(folder).unwrap()).map(|entry| entry.unwrap().path());
    let pages = files.filter(|path| path.extension() == Some(OsStr::new("md")));
    pages.map(|path| (path.strip_prefix("./").unwrap().to_owned(), fs::read_to_string(&path).unwrap())).collect()
}

/// Code of a page: lines of its blocks, and what stands between backquotes.
fn code(page: &str) -> Vec<String> {
    let (mut lines, mut prose, mut fenced) = (Vec::new(), String::new(), false);
    for line in page.lines() {
        match line.starts_with("```") {
            true => fenced = !fenced,
            false if fenced || line.starts_with("    ") => lines.push(line.trim().to_owned()),
            false => prose.extend([line, " "]),
        }
    }
    lines.extend(prose.split('`').skip(1).step_by(2).map(str::to_owned));
    lines
}

/// The commands of a line of a shell, in words without quotes; a comment is none.
fn commands(line: &str) -> Vec<Vec<String>> {
    let (mut commands, mut word, mut quote) = (vec![Vec::new()], None::<String>, None);
    for character in line.chars().chain(['\n']) {
        match (quote, character) {
            (Some(open), _) if open == character => quote = None,
            (None, '\'' | '"') => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (None, '#') if word.is_none() => break,
            (None, '|' | '&' | ';' | '<' | '>') => {
                commands.last_mut().unwrap().extend(word.take());
                commands.push(Vec::new());
            }
            (None, _) if character.is_whitespace() => commands.last_mut().unwrap().extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    let is_variable = |word: &String| {
        word.split_once('=')
            .is_some_and(|(name, _)| name.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_'))
    };
    commands.into_iter().map(|words| words.into_iter().skip_while(is_variable).collect()).collect()
}

/// Whether a word stands for something that the reader has: FILE, A,B,C or BOARD.txt.
fn is_placeholder(word: &str) -> bool {
    let name = word.split(['.', ':']).next().unwrap_or_default();
    !name.is_empty() && name.chars().all(|letter| letter.is_ascii_uppercase() || letter == ',')
}

/// A command of the program as a page has it: a capital letter stands for a number, dots for more of the same.
fn parsed(words: &[String]) -> std::result::Result<Command, String> {
    let words = words.iter().map(|word| match word.as_str() {
        "N" | "S" | "GAMES" => "1",
        word => word.trim_end_matches("...").trim_end_matches(','),
    });
    Cli::try_parse_from(["matchq"].into_iter().chain(words)).map(|cli| cli.command).map_err(|error| error.to_string())
}

/// Names under which the pages' trainings and the program's configurations are found in runs/.
fn trained<'a>(commands: impl Iterator<Item = &'a Command>) -> BTreeSet<String> {
    let shipped = configurations().into_iter().map(|(name, _)| name.to_owned());
    let named = commands.filter_map(|command| match command {
        Command::Train(train) => train.name.clone(),
        _ => None,
    });
    shipped.chain(named).collect()
}

struct Resolve<'a>(&'a Source);

impl<G: Playable> Task<G> for Resolve<'_> {
    fn run<L: Learner<G>>(self) -> Result<()> {
        self.0.resolve::<G, L>().map(|_| ())
    }
}

impl ForGame for Resolve<'_> {
    type Output = Result<()>;
    fn run<G: Playable>(self) -> Result<()> {
        with_learner::<G>(self.0, self)
    }
}

struct Parse<'a>(&'a str);

impl ForGame for Parse<'_> {
    type Output = Result<()>;
    fn run<G: Playable>(self) -> Result<()> {
        parse::<G>(self.0, &G::Rules::default()).map(|_| ())
    }
}

/// What of a command's configuration, players, agents and files is not there, run in this folder.
fn missing(command: &Command, folder: &Path, trained: &BTreeSet<String>) -> Vec<String> {
    let (mut players, mut files): (Vec<String>, Vec<PathBuf>) = (Vec::new(), Vec::new());
    let mut game = None;
    let agent = |path: &PathBuf| path.display().to_string();
    match command {
        Command::Train(train) => {
            let Some(config) = train.config.as_ref().filter(|config| !is_placeholder(&agent(config))) else {
                return Vec::new();
            };
            let named = folder.join("configs").join(config).with_extension("toml");
            let beside = if named.exists() { named } else { folder.join(config) };
            let set: Vec<_> =
                train.set.iter().filter(|set| !is_placeholder(set.rsplit('=').next().unwrap())).cloned().collect();
            let source = Source::load(if beside.exists() { &beside } else { config }, &set);
            let resolved = source.and_then(|source| match registry::names().contains(&source.game()?) {
                true => with_game(source.game()?, Resolve(&source))?,
                // A package of its own has the game.
                false => Ok(()),
            });
            return resolved.err().map(|error| error.to_string()).into_iter().collect();
        }
        Command::Eval(eval) => {
            players.extend(eval.player.clone().into_iter().chain(eval.checkpoint.as_ref().map(agent)));
            game = eval.series.game.name.clone();
        }
        Command::Compare(compare) => {
            players.extend(compare.players.iter().chain(&compare.player).cloned());
            game = compare.series.game.name.clone();
        }
        Command::Endure(endure) => {
            players.extend(endure.players.iter().cloned());
            game = endure.game.name.clone();
        }
        Command::Replay(replay) => {
            players.extend(replay.player.clone());
            files.extend(replay.file.clone());
            game = replay.game.name.clone();
        }
        Command::Play(play) => {
            players.push(play.player.clone());
            game = play.game.name.clone();
        }
        Command::Card(card) => players.push(agent(&card.agent)),
        Command::Completions(_) | Command::Man(_) => {}
        Command::Verify(verify) => files.extend(verify.files.clone()),
        Command::Solve(solve) => {
            players.push(solve.player.clone());
            game = solve.game.name.clone();
        }
        Command::Advise(advise) => {
            players.push(advise.player.clone());
            files.extend(advise.file.clone());
            game = advise.game.name.clone();
        }
        Command::Serve(serve) => game = serve.game.clone(),
        Command::Read(read) => files.extend(read.image.clone()),
        Command::Export(export) => players.push(agent(&export.agent)),
        Command::Plot(plot) => players.extend(plot.runs.iter().map(agent)),
        Command::Shard(_) | Command::Merge(_) | Command::Players(_) => {}
    }
    let games: Vec<&str> = match &game {
        Some(name) if is_placeholder(name) => registry::names(),
        Some(name) if registry::names().contains(&&**name) => vec![name],
        // A package of its own has the game and its players.
        Some(_) if folder == Path::new(OWN_GAME.1) => return Vec::new(),
        Some(name) => return vec![format!("there is no game {name}")],
        None => registry::names(),
    };
    let is_trained = |text: &str| {
        let run = agent_in(text).map(|path| path.strip_prefix("runs").unwrap_or(path));
        let first = run.and_then(|run| run.components().next());
        first.is_some_and(|first| trained.contains(&*first.as_os_str().to_string_lossy()))
    };
    players.retain(|text| !is_placeholder(text) && !is_trained(text));
    players.retain(|text| !games.iter().any(|game| with_game(game, Parse(text)).is_ok_and(|parsed| parsed.is_ok())));
    let files = files.into_iter().filter(|file| file.components().count() > 1 && !folder.join(file).exists());
    players.into_iter().chain(files.map(|file| file.display().to_string())).collect()
}

#[test]
fn every_command_of_the_pages_is_one_that_the_program_takes_and_names_what_is_there() {
    let (mut wrong, mut found) = (Vec::new(), Vec::new());
    for (page, text) in pages() {
        let lines = code(&text);
        for words in lines.iter().flat_map(|line| commands(line)) {
            let own = match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
                ["matchq", ..] => &words[1..],
                ["cargo", "run", ..] if !words.iter().any(|word| word == "-p" || word == "--package") => {
                    let options = words.iter().position(|word| word == "--").unwrap_or(words.len() - 1);
                    &words[options + 1..]
                }
                _ => continue,
            };
            match own {
                [] => {}
                // A command that is spoken of.
                [name] if Cli::command().find_subcommand(name).is_some() => {}
                _ => match parsed(own) {
                    Ok(command) => found.push((page.clone(), own.join(" "), command)),
                    Err(error) => wrong.push(format!("{}: {}: {error}", page.display(), own.join(" "))),
                },
            }
        }
    }
    assert!(found.len() > 40, "{} commands were found", found.len());
    let trained = trained(found.iter().map(|(_, _, command)| command));
    for (page, words, command) in &found {
        let folder = Path::new(if page == Path::new(OWN_GAME.0) { OWN_GAME.1 } else { "" });
        for what in missing(command, folder, &trained) {
            wrong.push(format!("{}: {words}: {what}", page.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_readme_lists_every_command_with_options_that_it_has() {
    let readme = fs::read_to_string("README.md").unwrap();
    let table = readme.split("\n## Commands\n").nth(1).unwrap().split("\n## ").next().unwrap();
    let mut listed = BTreeSet::new();
    for row in table.lines().filter(|line| line.starts_with("| `")) {
        let cell = row.split('|').nth(1).unwrap();
        // Brackets are around what may be left out.
        for words in code(&cell.replace(['[', ']'], "")).iter().flat_map(|text| commands(text)) {
            listed.insert(words[0].clone());
            if words.len() > 1 {
                parsed(&words).unwrap_or_else(|error| panic!("README.md: {}: {error}", words.join(" ")));
            }
        }
    }
    let known: BTreeSet<String> =
        Cli::command().get_subcommands().map(|command| command.get_name().to_owned()).collect();
    assert_eq!(listed, known);
}

#[test]
fn every_command_of_the_pages_to_cargo_names_what_the_workspace_has() {
    let manifest: Table = fs::read_to_string("Cargo.toml").unwrap().parse().unwrap();
    let is_there = |option: &str, name: &str, package: Option<&str>| {
        let folder = package.map_or(PathBuf::new(), |package| {
            Path::new("crates").join(package.strip_prefix("matchq-").unwrap_or(package))
        });
        match option {
            "-p" | "--package" => folder.join("Cargo.toml").exists(),
            "--example" => folder.join("examples").join(name).with_extension("rs").exists(),
            "--bench" => Path::new("benches").join(name).with_extension("rs").exists(),
            "--test" => Path::new("tests").join(name).join("main.rs").exists(),
            "--profile" => manifest["profile"].get(name).is_some(),
            "--features" => name.split(',').all(|name| manifest["features"].get(name).is_some()),
            "--path" => Path::new(name).exists(),
            other => panic!("no test knows cargo's option {other}"),
        }
    };
    let flags = ["--release", "--locked", "--all", "--workspace", "--all-targets", "--no-default-features", "--quiet"];
    let commands_of = |page: &str| code(page).iter().flat_map(|line| commands(line)).collect::<Vec<_>>();
    let mut found = 0;
    for (page, words) in
        pages().iter().flat_map(|(page, text)| commands_of(text).into_iter().map(move |words| (page, words)))
    {
        if words.first().is_none_or(|word| word != "cargo") || words.len() < 2 {
            continue;
        }
        found += 1;
        let told = format!("{}: {}", page.display(), words.join(" "));
        let known = ["build", "run", "test", "fmt", "clippy", "bench", "check", "install"];
        assert!(known.contains(&&*words[1]), "{told}: no test knows this command of cargo");
        let mut options = words[2..].iter().take_while(|word| *word != "--").filter(|word| !flags.contains(&&***word));
        let package = words.iter().position(|word| word == "-p").map(|at| &*words[at + 1]);
        while let Some(option) = options.next() {
            match options.next() {
                Some(name) if option.starts_with('-') => {
                    assert!(is_there(option, name, package), "{told}: there is no {name}")
                }
                // The part of tests' names that are to be run.
                rest => assert!(rest.is_none() && !option.starts_with('-') && words[1] == "test", "{told}: {option}"),
            }
        }
    }
    assert!(found > 20, "{found} commands of cargo were found");
}

#[test]
fn a_game_is_drawn_as_a_gif_beside_its_svg() {
    let place = super::Place::new();
    let said =
        place.run_well(&["replay", "--seed", "1", "--player", "greedy", "--gif", "game.gif", "--svg", "game.svg"]);
    assert_eq!(said.lines().count(), 2, "{said}");
    assert!(said.lines().all(|line| line.contains("match3, seed 1, 25 moves, ")), "{said}");
    let bytes = fs::read(place.path("game.gif")).unwrap();
    assert!(bytes.starts_with(b"GIF89a") && (20_000..2_000_000).contains(&bytes.len()), "{} bytes", bytes.len());
    let output = place.run(&["replay", "--seed", "1", "--player", "greedy", "--gif", "game.svg"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "error: --gif game.svg: it must end in .gif\n");
}

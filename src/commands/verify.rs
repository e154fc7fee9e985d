//! `matchq verify`: plays the games of a file again and tells what they prove.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::shard::digest;
use crate::cli::Verify;
use crate::door::door;
use crate::error::{Error, Result, in_words};
use crate::files;
use crate::games::{Episode, MaskKind, counted};
use crate::players::Playable;
use crate::report::output::print;

/// Longest file that is read: a gigabyte.
const LONGEST: u64 = 1 << 30;

/// Digits of a digest.
const DIGITS: usize = 16;

/// A game as a line of a file: its deal and its moves, as `--moves` writes them.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Record {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) player: Option<String>,
    pub(super) game: String,
    #[serde(default)]
    pub(super) rules: Value,
    /// Seed of the deal, or a board in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) seed: Option<u128>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) board: Option<String>,
    /// Score that the line claims.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) score: Option<i64>,
    /// Searches of the deal so far, of which this game is the best.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) starts: Option<u64>,
    pub(super) moves: Vec<Value>,
}

/// What a game proves.
#[derive(Clone, Debug, Serialize)]
pub struct Proof {
    game: String,
    pub(super) rules: Value,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u128>,
    #[serde(skip_serializing_if = "Option::is_none")]
    board: Option<String>,
    pub(super) score: i32,
    moves: usize,
    over: bool,
    digest: String,
    #[serde(skip)]
    unit: &'static str,
}

/// Plays the games of a record again; an error says what is wrong with the record.
pub fn prove<G: Playable>(record: &Record) -> Result<Vec<(Record, Proof)>> {
    let is_move = |value: &Value| G::from_json(value).is_ok();
    let games: Vec<&[Value]> = match &record.moves[..] {
        // As --moves writes them: a list of games, those of the seeds from the line's on.
        [Value::Array(first), ..] if !is_move(&record.moves[0]) && first.first().is_none_or(is_move) => {
            record.moves.iter().map(|game| game.as_array().map_or(&[][..], |game| &game[..])).collect()
        }
        moves => vec![moves],
    };
    let several = games.len() > 1;
    let one = |(index, moves): (u128, &[Value])| {
        let seed = record.seed.map(|seed| seed.saturating_add(index));
        let one = Record { seed, moves: moves.to_vec(), ..record.clone() };
        let proof = prove_one::<G>(&one).map_err(|error| match several {
            true => error.of(&format!("game {index} of the line, from 0")),
            false => error,
        })?;
        let moves = vec![Value::Array(one.moves)];
        Ok((Record { score: Some(proof.score.into()), moves, ..one }, proof))
    };
    (0..).zip(games).map(one).collect()
}

fn prove_one<G: Playable>(record: &Record) -> Result<Proof> {
    let rules = match &record.rules {
        Value::Null => G::Rules::default(),
        given => G::Rules::deserialize(given)
            .map_err(|error| Error::user(format!("{} has no such rules: {}", G::NAME, in_words(&error.to_string()))))?,
    };
    let Episode { mut game, mut stream } = match (record.seed, &record.board) {
        (Some(seed), None) => Episode::<G>::deal(&rules, seed),
        (None, Some(board)) => {
            Episode { game: G::at(&rules, &G::parse(&rules, board, None)?), stream: G::random(&rules, 0) }
        }
        _ => return Err(Error::user("a game needs either a seed or a board")),
    };
    if record.board.is_some() && G::PUZZLE.is_none() {
        return Err(Error::user(format!("chance has a part in {}: its games need a seed", G::NAME)));
    }
    for (number, value) in (1..).zip(&record.moves) {
        let wrong = |what: String| Error::user(format!("move {number}, {value}: {what}"));
        if game.is_over() {
            return Err(wrong("the game is over before this move".to_owned()));
        }
        let action = G::from_json(value).map_err(wrong)?;
        if !G::mask(&game.state(), MaskKind::LEGAL).contains(action) {
            return Err(wrong("this move is not legal".to_owned()));
        }
        game.step(action, &mut stream);
    }
    let (score, over) = (game.score(), game.is_over());
    if let Some(claimed) = record.score.filter(|claimed| *claimed != i64::from(score)) {
        return Err(Error::user(format!("the score is {score}, not {claimed} as the line says")));
    }
    let rules = serde_json::to_value(&rules).map_err(|error| Error::runtime(format!("the rules: {error}")))?;
    let Record { seed, board, moves, .. } = record.clone();
    let proof = serde_json::to_vec(&(G::NAME, &rules, seed, &board, &moves))
        .map_err(|error| Error::runtime(format!("the game: {error}")))?;
    let digest = digest(&proof)[..DIGITS].to_owned();
    Ok(Proof { game: G::NAME.to_owned(), rules, seed, board, score, moves: moves.len(), over, digest, unit: G::UNIT })
}

impl Proof {
    /// Name of the deal: equal for games that can be compared.
    fn deal(&self) -> String {
        let rules: Vec<String> = match &self.rules {
            Value::Object(rules) => rules.iter().map(|(key, value)| format!(", {key}={}", plain(value))).collect(),
            _ => Vec::new(),
        };
        let of = match (&self.seed, &self.board) {
            (Some(seed), _) => format!("seed {seed}"),
            (None, board) => format!("board {}", &digest(board.as_deref().unwrap_or_default().as_bytes())[..DIGITS]),
        };
        format!("{}, {of}{}", self.game, rules.concat())
    }

    pub(super) fn sentence(&self) -> String {
        let Self { score, moves, over, digest, unit, .. } = self;
        let end = if *over { "over" } else { "not over" };
        let (score, moves) = (counted(score, unit), counted(moves, "moves"));
        format!("{}: {score} in {moves}, {end}, digest {digest}\n", self.deal())
    }
}

fn plain(value: &Value) -> String {
    value.as_str().map_or_else(|| value.to_string(), str::to_owned)
}

/// Verifies the games of files, and writes the best of each deal where that is asked.
pub fn run(arguments: &Verify) -> Result<()> {
    if let Some(path) = &arguments.best {
        files::check_destination("--best", path)?;
    }
    let mut proofs = Vec::new();
    let mut best: BTreeMap<(String, Option<u128>, String), (Proof, Record)> = BTreeMap::new();
    for path in &arguments.files {
        for record in records(path)? {
            let (place, record) = record?;
            let games = door(&record.game).and_then(|game| game.prove(&record)).map_err(|error| error.of(&place))?;
            for (game, proof) in games {
                let deal = (proof.game.clone(), proof.seed, proof.deal());
                if best.get(&deal).is_none_or(|(known, _)| known.score < proof.score) {
                    best.insert(deal, (proof.clone(), Record { starts: None, ..game }));
                }
                proofs.push(proof);
            }
        }
    }
    if proofs.is_empty() {
        return Err(Error::user("there is no game in what was given: a line of JSON a game, as --moves writes them"));
    }
    let (best, kept): (Vec<Proof>, Vec<Record>) = best.into_values().unzip();
    if let Some(path) = &arguments.best {
        write(path, &kept)?;
    }
    if arguments.json {
        return super::series::print_json(&proofs);
    }
    tell(&proofs, &best)
}

/// Games of a file with their places in it.
pub fn records(path: &Path) -> Result<impl Iterator<Item = Result<(String, Record)>>> {
    let name = files::name(path);
    let text = files::text(&name, files::read_limited(path, LONGEST)?)?;
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let lines = (1..).zip(lines).filter(|(_, line)| !line.trim().is_empty());
    Ok(lines.map(move |(number, line)| {
        let place = format!("{name}, line {number}");
        match serde_json::from_str(&line) {
            Ok(record) => Ok((place, record)),
            Err(error) => Err(Error::user(format!("{place}: this is no game: {}", in_words(&error.to_string())))),
        }
    }))
}

/// Writes games, a line each.
pub fn write(path: &Path, records: &[Record]) -> Result<()> {
    let lines: Result<Vec<String>> = records.iter().map(|record| Ok(super::series::json(record)? + "\n")).collect();
    files::write_atomically(path, lines?.concat().as_bytes())
}

/// Prints games, and the sum of the best ones if they are of one game.
pub fn tell(proofs: &[Proof], best: &[Proof]) -> Result<()> {
    let total: i64 = best.iter().map(|proof| i64::from(proof.score)).sum();
    let mut told: String = proofs.iter().map(Proof::sentence).collect();
    let (deals, unit) = (best.len(), proofs[0].unit);
    if proofs.iter().all(|proof| proof.game == proofs[0].game) {
        let games = match deals {
            1 => "the best game".to_owned(),
            _ if deals == proofs.len() => format!("all {deals} games"),
            _ => format!("the best games of {deals} deals"),
        };
        told += &format!("{games}: {}\n", counted(total, unit));
    }
    print(&told)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{SameGame, TileMatch};

    /// The line `line-09` of an independent program.
    fn golden() -> Record {
        let line = include_str!("../../tests/golden/samegame.jsonl").lines().find(|line| line.contains("\"line-09\""));
        let case: Value = serde_json::from_str(line.unwrap()).unwrap();
        let moves = case["moves"].as_array().unwrap().clone();
        let rules = serde_json::json!({"boards": "standard"});
        let game = "samegame".to_owned();
        Record { game, rules, seed: Some(9), score: Some(4_835), moves, ..Record::default() }
    }

    fn refused(record: &Record) -> String {
        prove_one::<SameGame>(record).unwrap_err().to_string()
    }

    #[test]
    fn a_game_proves_its_score_and_its_end() {
        let proof = prove_one::<SameGame>(&golden()).unwrap();
        assert_eq!((proof.score, proof.moves, proof.over), (4_835, 41, true));
        assert!(
            proof.sentence().starts_with("samegame, seed 9, boards=standard: 4835 points in 41 moves, over, digest ")
        );
        let mut shorter = golden();
        (shorter.score, shorter.moves) = (None, shorter.moves[..40].to_vec());
        let unfinished = prove_one::<SameGame>(&shorter).unwrap();
        assert!(!unfinished.over && unfinished.score == 3_835 && unfinished.digest != proof.digest);
    }

    #[test]
    fn a_line_may_have_the_games_of_several_seeds() {
        let first = Value::from(golden().moves);
        let several =
            Record { seed: Some(8), score: None, moves: vec![Value::Array(vec![]), first.clone()], ..golden() };
        let proofs = prove::<SameGame>(&several).unwrap();
        assert_eq!((proofs[0].1.score, proofs[0].1.moves), (0, 0));
        assert_eq!((proofs[1].1.score, proofs[1].0.seed, &proofs[1].0.moves), (4_835, Some(9), &vec![first]));
        // The same game is the same record, however it is written.
        let alone = prove::<SameGame>(&golden()).unwrap();
        assert_eq!(alone[0].1.digest, proofs[1].1.digest);
    }

    #[test]
    fn what_proves_nothing_is_refused_with_its_move() {
        let with = |change: fn(&mut Record)| {
            let mut record = golden();
            change(&mut record);
            refused(&record)
        };
        assert_eq!(with(|record| record.score = Some(5_000)), "the score is 4835, not 5000 as the line says");
        assert!(with(|record| record.moves[2] = serde_json::json!([0, 99])).starts_with("move 3, [0,99]: "));
        assert!(
            with(|record| record.moves.push(serde_json::json!([14, 0])))
                .starts_with("move 42, [14,0]: the game is over")
        );
        assert!(
            with(|record| record.moves.insert(0, serde_json::json!([0, 0])))
                .contains("move 1, [0,0]: this move is not")
        );
        assert!(with(|record| record.seed = None).contains("either a seed or a board"));
        assert!(
            with(|record| record.rules = serde_json::json!({"boards": "none"})).contains("samegame has no such rules")
        );
        let chance = Record {
            seed: None,
            board: Some("GCPRGCPR\nPRGCPRGC\n".repeat(4)),
            moves: vec![],
            score: None,
            rules: Value::Null,
            ..golden()
        };
        assert!(prove_one::<TileMatch>(&chance).unwrap_err().to_string().contains("chance has a part in tile-match"));
    }
}

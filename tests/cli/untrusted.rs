//! Bytes from nowhere: the inputs of the fuzzer, changed at random, are refused or used as they should.
//!
//! `scripts/fuzz` does the same guided by what the inputs reach, for as long as one likes.

#[path = "../../fuzz/src/targets.rs"]
mod targets;
#[path = "../../fuzz/src/trainer.rs"]
mod trainer;

use std::fs;
use std::path::Path;

use matchq::random::{Draw, Role, Stream};

/// Longest input.
const LONGEST: usize = 1 << 14;

struct Mutator {
    dice: Stream,
    inputs: Vec<Vec<u8>>,
    words: Vec<Vec<u8>>,
}

impl Mutator {
    fn of(target: &str) -> Self {
        let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
        let mut paths: Vec<_> =
            fs::read_dir(fuzz.join("corpus").join(target)).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        let inputs = paths.iter().map(|path| fs::read(path).unwrap()).collect();
        let words = fs::read_to_string(fuzz.join("words.dict")).unwrap();
        let words = words.lines().filter_map(|line| line.strip_prefix('"')?.strip_suffix('"').map(|word| word.into()));
        Self { dice: Stream::new(7, Role::Game, 0), inputs, words: words.collect() }
    }

    fn below(&mut self, count: usize) -> usize {
        self.dice.below(count as u32) as usize
    }

    /// An input with some changes.
    fn next(&mut self) -> Vec<u8> {
        let input = self.below(self.inputs.len());
        let mut bytes = self.inputs[input].clone();
        for _ in 0..=self.below(6) {
            self.change(&mut bytes);
        }
        bytes.truncate(LONGEST);
        bytes
    }

    fn change(&mut self, bytes: &mut Vec<u8>) {
        let place = self.below(bytes.len() + 1);
        let end = place + self.below((bytes.len() - place).min(32) + 1);
        match self.below(7) {
            0 if place < bytes.len() => bytes[place] ^= 1 << self.below(8),
            1 if place < bytes.len() => bytes[place] = self.below(256) as u8,
            2 => drop(bytes.drain(place..end)),
            3 => {
                let again = bytes[place..end].to_vec();
                drop(bytes.splice(place..place, again));
            }
            4 => {
                let word = self.below(self.words.len());
                drop(bytes.splice(place..end, self.words[word].clone()));
            }
            5 => {
                let other = self.below(self.inputs.len());
                let from = self.below(self.inputs[other].len() + 1);
                bytes.truncate(place);
                bytes.extend_from_slice(&self.inputs[other][from..]);
            }
            _ => bytes.insert(place, self.below(256) as u8),
        }
    }
}

/// Calls what reads an input so many times.
fn call(target: &str, times: usize, read: fn(&[u8])) {
    let mut mutator = Mutator::of(target);
    assert!(!mutator.inputs.is_empty() && !mutator.words.is_empty());
    mutator.inputs.iter().for_each(|input| read(input));
    for _ in 0..times {
        read(&mutator.next());
    }
}

#[test]
fn changed_boards_moves_players_and_themes_are_refused_or_survive_a_way_there_and_back() {
    call("board", 2_000_000, targets::board);
    call("moves", 2_000_000, targets::moves);
    call("player", 200_000, targets::player);
    call("theme", 100_000, targets::theme);
}

#[test]
fn changed_agents_and_pictures_are_refused_or_used() {
    call("agent", 1_000, targets::agent);
    call("picture", 150, targets::picture);
}

#[test]
fn changed_requests_of_a_page_get_an_object() {
    call("page", 500_000, targets::page);
}

#[test]
fn changed_configurations_checkpoints_and_results_are_refused_or_used() {
    call("config", 100_000, trainer::config);
    call("checkpoint", 5_000, trainer::checkpoint);
    call("report", 300_000, trainer::report);
}

//! Pictures as SVG: charts, and games that move; games as GIF.
//!
//! A function for SVG gives the text of one file without scripts, which a browser shows as it is.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod animation;
pub mod film;
#[cfg(feature = "gif")]
pub mod gif;
pub mod landed;
mod outline;
pub mod plot;
mod svg;

use matchq_core::statistics;
use matchq_games as games;

/// A text without its middle if longer than `most` letters.
fn shortened(text: &str, most: usize) -> String {
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= most {
        return text.to_owned();
    }
    let (begin, end) = (most.saturating_sub(1) / 2, letters.len() - most / 2);
    letters[..begin].iter().chain(&['…']).chain(&letters[end..]).collect()
}

/// Texts without their middles if longer than `most` letters, or than as many as keep different texts
/// apart.
pub fn apart(texts: &[&str], most: usize) -> Vec<String> {
    let longest = texts.iter().map(|text| text.chars().count()).max().unwrap_or(0);
    let within = |width| texts.iter().map(|text| shortened(text, width)).collect::<Vec<_>>();
    let differ = |names: &Vec<String>| {
        let pairs = (0..texts.len()).flat_map(|one| (0..one).map(move |other| (one, other)));
        pairs.into_iter().all(|(one, other)| names[one] != names[other] || texts[one] == texts[other])
    };
    (most..longest).map(within).find(differ).unwrap_or_else(|| within(longest.max(most)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_too_long_keeps_its_beginning_and_its_end() {
        assert_eq!(shortened("greedy", 6), "greedy");
        assert_eq!([5, 6].map(|width| shortened("abcdefghij", width)), ["ab…ij", "ab…hij"]);
        let agents = ["dqn", "dqn-plain"].map(|name| shortened(&format!("network:checkpoint=checkpoints/{name}"), 26));
        assert_eq!(agents, ["network:chec…eckpoints/dqn", "network:chec…nts/dqn-plain"]);
    }

    #[test]
    fn different_names_stay_different_in_as_few_letters_as_that_takes() {
        assert_eq!(apart(&["abcdefghij", "xbcdefghij"], 5), ["ab…ij", "xb…ij"]);
        assert_eq!(apart(&["abcdefghij", "abcxefghij"], 5), ["abcd…ghij", "abcx…ghij"]);
        assert_eq!(apart(&["abcdefghij", "abcdefghij"], 5), ["ab…ij", "ab…ij"]);
    }
}

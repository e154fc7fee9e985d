//! Errors whose sentences name the file, key or flag and say what is right.

use std::fmt::{self, Display};

/// An error of the user or of the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// Wrong input, such as a flag or a board (exit code 2).
    User(String),
    /// A failure while running, such as a full disk (exit code 1).
    Runtime(String),
}

/// Result whose error is an [`Error`].
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// Error in the user's input; the sentence has one line.
    pub fn user(sentence: impl Into<String>) -> Self {
        Self::User(escaped(&sentence.into()))
    }

    /// Failure while running; the sentence has one line.
    pub fn runtime(sentence: impl Into<String>) -> Self {
        Self::Runtime(escaped(&sentence.into()))
    }

    /// Error with a key or flag before its sentence.
    #[must_use]
    pub fn of(self, key: &str) -> Self {
        match self {
            Self::User(sentence) => Self::User(format!("{}: {sentence}", escaped(key))),
            Self::Runtime(sentence) => Self::Runtime(format!("{}: {sentence}", escaped(key))),
        }
    }

    /// Exit code of the program.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::User(_) => 2,
            Self::Runtime(_) => 1,
        }
    }
}

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User(sentence) | Self::Runtime(sentence) => f.write_str(sentence),
        }
    }
}

impl std::error::Error for Error {}

/// A text for a line of a terminal, in which names from outside may stand: control characters, such as
/// new lines and backspaces, are written as `\n` and `\u{8}`.
pub fn escaped(text: &str) -> String {
    let shown = |letter: char| match letter.is_control() {
        true => letter.escape_debug().to_string(),
        false => letter.to_string(),
    };
    text.chars().map(shown).collect()
}

/// A value out of range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfRange {
    /// Whole key, such as `learning.batch`.
    pub key: String,
    /// Value as the user would write it.
    pub value: String,
    /// What is allowed.
    pub allowed: String,
}

/// Error with key, value and what is allowed, unless `right`.
pub fn require(
    right: bool,
    key: &str,
    value: impl Display,
    allowed: impl Into<String>,
) -> std::result::Result<(), OutOfRange> {
    match right {
        true => Ok(()),
        false => Err(OutOfRange { key: key.to_owned(), value: value.to_string(), allowed: allowed.into() }),
    }
}

/// Parser's message about a wrong type, in the user's words.
pub fn in_words(message: &str) -> String {
    let message = message.trim_end();
    // The section's key stands beside the message.
    let message = match message.split_once("expected struct ") {
        Some((before, after)) => {
            format!("{before}expected a section of keys{}", after.trim_start_matches(char::is_alphanumeric))
        }
        None => message.to_owned(),
    };
    [
        ("unit variant, expected string only", "expected a name in quotes"),
        ("expected usize", "expected a whole number, 0 or above"),
        ("expected u64", "expected a whole number, 0 or above"),
        ("expected u32", "expected a whole number from 0 to 4294967295"),
        ("expected i32", "expected a whole number"),
        ("expected f64", "expected a number"),
        ("expected a boolean", "expected true or false"),
        ("expected a string", "expected text"),
    ]
    .iter()
    .fold(message, |message, (type_name, words)| message.replace(type_name, words))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_a_sentence_cannot_move_a_terminals_cursor() {
        let sentence = Error::user("runs\new\u{8}est\u{1b}[2J\u{9b} is not there").to_string();
        assert_eq!(sentence, r"runs\new\u{8}est\u{1b}[2J\u{9b} is not there");
        assert_eq!(escaped("läufe/ä \\ 'it'"), "läufe/ä \\ 'it'");
    }
}

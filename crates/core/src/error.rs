//! What can go wrong, in sentences.
//!
//! They name the file, the key or the flag and say what would be right.

use std::fmt::{self, Display};

/// An error and whose it is: the exit code follows from that.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// Something is wrong with what the user gave (exit code 2).
    ///
    /// That is flags, configuration, checkpoint, board.
    User(String),
    /// Something failed while running (exit code 1).
    ///
    /// Such as a full disk, a device that went away.
    Runtime(String),
}

/// The result of anything that can fail.
pub type Result<T> = std::result::Result<T, Error>;

impl Error {
    /// An error of what the user gave.
    pub fn user(sentence: impl Into<String>) -> Self {
        Self::User(sentence.into())
    }

    /// A failure while running.
    pub fn runtime(sentence: impl Into<String>) -> Self {
        Self::Runtime(sentence.into())
    }

    /// The same error, the sentence behind the name of a key or a flag.
    #[must_use]
    pub fn of(self, key: &str) -> Self {
        match self {
            Self::User(sentence) => Self::User(format!("{key}: {sentence}")),
            Self::Runtime(sentence) => Self::Runtime(format!("{key}: {sentence}")),
        }
    }

    /// The exit code of a program that ends with this error.
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

/// A value out of its range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfRange {
    /// The whole key, such as `learning.batch`.
    pub key: String,
    /// What was given.
    pub value: String,
    /// What is allowed.
    pub allowed: String,
}

/// Checks one value.
///
/// # Errors
/// When it is not right: its key, itself, and what is allowed.
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

/// What a wrong type should have been, in the user's words, not the program's.
pub fn in_words(message: &str) -> String {
    let message = message.trim_end();
    // A section is known to the user by its key, which is told beside the message.
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

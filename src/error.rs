//! What can go wrong, in sentences.
//!
//! They name the file, the key or the flag and say what would be right.

use std::fmt;

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

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::User(sentence) | Self::Runtime(sentence) => f.write_str(sentence),
        }
    }
}

impl std::error::Error for Error {}

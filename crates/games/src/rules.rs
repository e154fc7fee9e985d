//! Numbers among the parameters of a game's rules, with bounds.

use std::ops::RangeInclusive;

use crate::error::{Error, Result};

/// A number within bounds; an error calls the number by its name.
pub fn within(name: &str, number: u32, bounds: RangeInclusive<u32>) -> Result<u32> {
    match bounds.contains(&number) {
        true => Ok(number),
        false => {
            let (least, most) = bounds.into_inner();
            Err(Error::user(format!("{name} is {number}, but must be from {least} to {most}")))
        }
    }
}

/// Writes out two modules with a function for each key: `checked` refuses a number beyond its bounds,
/// and `read` reads a number that is not, for `deserialize_with`.
macro_rules! numbers {
    ($($key:ident: $name:literal in $bounds:expr;)+) => {
        mod checked {
            use super::*;

            $(pub fn $key(number: u32) -> Result<u32> {
                crate::rules::within($name, number, $bounds)
            })+
        }

        mod read {
            use serde::{Deserialize, Deserializer, de::Error};

            $(pub fn $key<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
                super::checked::$key(u32::deserialize(from)?).map_err(D::Error::custom)
            })+
        }
    };
}

pub(crate) use numbers;

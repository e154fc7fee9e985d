//! Sections of configurations: keys with their defaults, and checks of their values.

use std::fmt::Display;
use std::ops::RangeInclusive;

use crate::error::{OutOfRange, require};

/// Sections of a configuration, as structs whose fields have defaults.
///
/// A key that is not given has its default; an unknown key is an error.
macro_rules! sections {
    ($(
        $(#[$of_section:meta])*
        pub struct $section:ident {
            $($(#[$of_key:meta])* pub $key:ident: $kind:ty = $default:expr,)+
        }
    )+) => {$(
        $(#[$of_section])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[serde(deny_unknown_fields, default)]
        pub struct $section {
            $($(#[$of_key])* pub $key: $kind,)+
        }

        impl Default for $section {
            fn default() -> Self {
                Self { $($key: $default,)+ }
            }
        }
    )+};
}

/// Result of a check; the error names the key and what is allowed.
pub type Checked = Result<(), OutOfRange>;

/// Checks that a value is in a range.
pub fn between<T: Display + PartialOrd>(key: &str, value: T, range: RangeInclusive<T>) -> Checked {
    require(range.contains(&value), key, value, format!("between {} and {}", range.start(), range.end()))
}

/// Checks that a number is in [0, 1].
pub fn share(key: &str, value: f64) -> Checked {
    between(key, value, 0.0..=1.0)
}

/// Checks that a count is not 0.
pub fn at_least_one(key: &str, value: u64) -> Checked {
    require(value >= 1, key, value, "at least 1")
}

/// Checks that a number is above 0.
pub fn positive(key: &str, value: f64) -> Checked {
    require(value > 0.0 && value.is_finite(), key, value, "above 0 and finite")
}

/// Checks that a number is 0 or above.
pub fn not_negative(key: &str, value: f64) -> Checked {
    require(value >= 0.0 && value.is_finite(), key, value, "0 or above, and finite")
}

//! The name of the program, which is not matchq's where it has games of its own.

use std::sync::OnceLock;

static NAMED: OnceLock<(&str, &str)> = OnceLock::new();

/// Gives the program a name and a version; the first ones stay.
pub fn name_it(name: &'static str, version: &'static str) {
    NAMED.get_or_init(|| (name, version));
}

/// Name of the program.
pub fn name() -> &'static str {
    NAMED.get().map_or("matchq", |(name, _)| name)
}

/// Name and version of the program, with those of matchq.
pub fn program() -> String {
    format!("{} {}", name(), version())
}

/// Version of the program, with that of matchq.
pub fn version() -> &'static str {
    static VERSION: OnceLock<String> = OnceLock::new();
    let matchq = env!("CARGO_PKG_VERSION");
    let of = |(_, version): &(&str, &str)| format!("{version} (matchq {matchq})");
    VERSION.get_or_init(|| NAMED.get().map_or(matchq.to_owned(), of))
}

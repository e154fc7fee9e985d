//! Writes the page as a single file, as scripts/build_page calls it.
//!
//! Usage: pack ENGINE.wasm.gz [TRAINER.wasm.gz] FILE.html

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use matchq_page::web::{Inside, single};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut modules: Vec<String> = std::env::args().skip(1).collect();
    let file = modules.pop().ok_or("a module and a file are needed")?;
    let mut encoded = Vec::new();
    for module in modules {
        encoded.push(BASE64_STANDARD.encode(std::fs::read(module)?));
    }
    let [engine, trainer @ ..] = &encoded[..] else { return Err("a module is needed".into()) };
    Ok(std::fs::write(file, single(Inside::Modules { engine, trainer: trainer.first().map(String::as_str) }))?)
}

//! Writes the page as a single file, as scripts/build_page calls it.
//!
//! Usage: pack MODULE.wasm.gz FILE.html

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use matchq_page::web::{Inside, single};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let [module, file] = std::env::args().skip(1).collect::<Vec<_>>().try_into().map_err(|_| "two files are needed")?;
    let module = BASE64_STANDARD.encode(std::fs::read(module)?);
    Ok(std::fs::write(file, single(Inside::Module(&module)))?)
}

//! Standard output.

use std::io::{self, Write};

use crate::error::{Error, Result};

/// Writes to standard output; a closed pipe is no error.
pub fn print(text: &str) -> Result<()> {
    written(&mut io::stdout(), text).map(|_| ())
}

/// Writes a line to standard error; a closed one is no error.
pub fn tell(line: &str) {
    writeln!(io::stderr(), "{line}").ok();
}

/// Writes at once; returns false if the pipe is closed.
pub fn written(out: &mut impl Write, text: &str) -> Result<bool> {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Error::runtime(format!("standard output cannot be written: {error}"))),
    }
}

//! The file of a run's state: named sections of bytes with a checksum.
//!
//! ```text
//! magic     8 bytes   "matchq\x1a\n"
//! version   u32       little-endian, like all numbers
//! sections  u32       then for each: name length u32, name, content length u64, content
//! checksum  u32       CRC-32C of all that stands before
//! ```

use std::path::Path;

use crate::error::{Error, Result};
use crate::files;
use crate::players::agent_file::STATE as MAGIC;

/// Version of the format, to be raised when older readers would misread it.
const VERSION: u32 = 3;

/// Named sections of bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Container(Vec<(String, Vec<u8>)>);

impl Container {
    /// Adds a section.
    pub fn insert(&mut self, name: &str, content: Vec<u8>) {
        self.0.push((name.to_owned(), content));
    }

    /// Content of a section; none if missing.
    pub fn get(&self, name: &str) -> Option<&[u8]> {
        let (_, content) = self.0.iter().find(|(known, _)| known == name)?;
        Some(content)
    }

    /// Writes the file atomically.
    pub fn save(&self, path: &Path) -> Result<()> {
        files::write_atomically(path, &self.to_bytes())
    }

    /// Reads a file; an error if truncated, damaged, foreign or of another version.
    pub fn load(path: &Path) -> Result<Self> {
        Self::from_bytes(&files::read(path)?).map_err(|what| Error::user(format!("{} {what}", path.display())))
    }

    /// Bytes of the file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((self.0.len() as u32).to_le_bytes());
        for (name, content) in &self.0 {
            bytes.extend((name.len() as u32).to_le_bytes());
            bytes.extend(name.as_bytes());
            bytes.extend((content.len() as u64).to_le_bytes());
            bytes.extend(content);
        }
        bytes.extend(crc32c::crc32c(&bytes).to_le_bytes());
        bytes
    }

    /// Reads sections; an error is a phrase after the file's name.
    pub fn from_bytes(bytes: &[u8]) -> std::result::Result<Self, String> {
        let mut rest = bytes;
        if take(&mut rest, MAGIC.len()) != Some(MAGIC) {
            return Err("is not a checkpoint of matchq".into());
        }
        let truncated = || "is truncated or damaged: its length does not fit its content".to_owned();
        let version = take_u32(&mut rest).ok_or_else(truncated)?;
        if version > VERSION {
            return Err(format!(
                "was written by a newer matchq (format {version}; this program reads format {VERSION}): update matchq to read it"
            ));
        }
        match version {
            0 => return Err("is damaged: its format version is 0".into()),
            VERSION => {}
            _ => {
                return Err(format!(
                    "was written by an older matchq (format {version}; this program reads format {VERSION}): resume the run \
                     with that program"
                ));
            }
        }
        let count = take_u32(&mut rest).ok_or_else(truncated)?;
        let mut sections = Vec::new();
        for _ in 0..count {
            let length = take_u32(&mut rest).ok_or_else(truncated)? as usize;
            let name = take(&mut rest, length).ok_or_else(truncated)?;
            let length = take(&mut rest, 8).and_then(|bytes| bytes.try_into().ok()).map(u64::from_le_bytes);
            let length = usize::try_from(length.ok_or_else(truncated)?).map_err(|_| truncated())?;
            let content = take(&mut rest, length).ok_or_else(truncated)?;
            sections.push((String::from_utf8_lossy(name).into_owned(), content.to_vec()));
        }
        let checksum = take_u32(&mut rest).ok_or_else(truncated)?;
        if !rest.is_empty() {
            return Err(truncated());
        }
        if checksum != crc32c::crc32c(&bytes[..bytes.len() - 4]) {
            return Err("is damaged: its checksum does not fit its content".into());
        }
        Ok(Self(sections))
    }
}

fn take<'a>(bytes: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(taken)
}

fn take_u32(bytes: &mut &[u8]) -> Option<u32> {
    Some(u32::from_le_bytes(take(bytes, 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> Container {
        let mut container = Container::default();
        container.insert("config", b"text".to_vec());
        container.insert("empty", Vec::new());
        container.insert("weights", (0..=255).collect());
        container
    }

    #[test]
    fn what_was_written_is_read_again() {
        let read = Container::from_bytes(&example().to_bytes()).unwrap();
        assert_eq!(read, example());
        assert_eq!(read.get("config"), Some(&b"text"[..]));
        assert_eq!(read.get("absent"), None);
    }

    #[test]
    fn every_truncation_and_every_flipped_bit_is_refused() {
        let bytes = example().to_bytes();
        for length in 0..bytes.len() {
            assert!(Container::from_bytes(&bytes[..length]).is_err(), "cut to {length}");
        }
        for index in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[index] ^= 1 << (index % 8);
            assert!(Container::from_bytes(&damaged).is_err(), "byte {index}");
        }
    }

    #[test]
    fn a_format_of_another_version_and_a_foreign_file_are_distinguished() {
        for (version, sentence) in
            [(0, "is damaged"), (VERSION as u8 - 1, "by an older matchq"), (VERSION as u8 + 1, "by a newer matchq")]
        {
            let mut other = example().to_bytes();
            other[8] = version;
            let refusal = Container::from_bytes(&other).unwrap_err();
            assert!(refusal.contains(sentence), "{refusal}");
        }
        assert!(Container::from_bytes(b"PK\x03\x04 something else").unwrap_err().contains("not a checkpoint"));
    }
}

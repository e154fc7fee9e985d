//! The file of a trained agent.
//!
//! The format is [safetensors](https://github.com/huggingface/safetensors). Tensors are of 32-bit
//! floats (`F32`), in the order of their names. `__metadata__` holds:
//!
//! ```text
//! format     matchq-agent
//! version    2
//! game       the game's name
//! kind       the player that plays it: network, value or linear
//! rules      TOML: the parameters of the rules that it was trained with
//! config     TOML: what else is needed to rebuild the model and to play it
//! checksum   CRC-32C, eight hexadecimal digits
//! ```
//!
//! The checksum is over byte strings, each behind its length as little-endian u64: name and content
//! of every other metadata text, then of every tensor its name, `F32`, its shape (each size as u64)
//! and its data. Texts and tensors are in the byte order of their names.

use std::collections::BTreeMap;
use std::path::Path;

use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorInfo};
use serde::{Deserialize, Serialize};

use matchq_core::error::{Error, Result};
use matchq_core::files;

const FORMAT: &str = "matchq-agent";
/// Version of the format, raised when an older reader would misread a file.
const VERSION: u32 = 2;
const CHECKSUM: &str = "checksum";
/// Bytes of the header's length; spaces pad the header to a multiple of this.
const LENGTH: usize = 8;

/// First bytes of the file of a run's state.
pub const STATE: &[u8; 8] = b"matchq\x1a\n";

/// Equal agents have equal bytes.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentFile {
    /// Name of the game that the agent plays.
    pub game: String,
    /// Kind of the model, which names its player.
    pub kind: Kind,
    /// Training's rules as TOML.
    pub rules: String,
    /// Configuration of the model and its player as TOML.
    pub config: String,
    /// Numbers of the model by the tensors' names.
    pub tensors: Arrays,
}

/// Each kind is named after its player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A network of action values.
    Network,
    /// Values of positions, linear in the game's features.
    Value,
    /// Weighted features of actions.
    Linear,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 3] = [Self::Network, Self::Value, Self::Linear];

    /// Name of the kind, which is that of its player.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Network => "network",
            Self::Value => "value",
            Self::Linear => "linear",
        }
    }
}

/// Tensors by their names.
pub type Arrays = BTreeMap<String, Array>;

/// A tensor on no device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Array {
    /// Sizes of the dimensions.
    pub shape: Vec<usize>,
    /// Numbers in row-major order.
    pub values: Vec<f32>,
}

#[derive(Serialize)]
struct Header<'a> {
    #[serde(rename = "__metadata__")]
    metadata: BTreeMap<&'a str, String>,
    #[serde(flatten)]
    tensors: BTreeMap<&'a str, TensorInfo>,
}

impl AgentFile {
    /// Writes the file, whole or not at all.
    pub fn save(&self, path: &Path) -> Result<()> {
        for (name, array) in &self.tensors {
            let wrong = |what| Error::runtime(format!("the agent {what}: it cannot be written"));
            check_numbers(name, &array.values).map_err(wrong)?;
        }
        files::write_atomically(path, &self.to_bytes()?)
    }

    /// Reads an agent's file; refuses files that are damaged or no agents.
    pub fn load(path: &Path) -> Result<Self> {
        Self::from_bytes(&files::read(path)?).map_err(|what| Error::user(format!("{} {what}", path.display())))
    }

    /// Refuses another game; `name` stands for the file in errors.
    pub fn check_game(&self, game: &str, name: &str) -> Result<()> {
        match self.game == game {
            true => Ok(()),
            false => Err(Error::user(format!("{name} plays {}, not {game}", self.game))),
        }
    }

    /// Refuses another game or kind; `name` stands for the file in errors.
    pub fn check(&self, game: &str, kind: Kind, name: &str) -> Result<()> {
        self.check_game(game, name)?;
        if self.kind != kind {
            let (its, asked) = (self.kind.name(), kind.name());
            return Err(Error::user(format!("{name} is an agent of the player '{its}', not of '{asked}'")));
        }
        Ok(())
    }

    /// The file's bytes; panics if a tensor's shape does not fit its numbers.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let Self { game, kind, rules, config, tensors } = self;
        let mut metadata = BTreeMap::from([
            ("format", FORMAT.to_owned()),
            ("version", VERSION.to_string()),
            ("game", game.clone()),
            ("kind", kind.name().to_owned()),
            ("rules", rules.clone()),
            ("config", config.clone()),
        ]);
        let mut data = Vec::new();
        let mut infos = BTreeMap::new();
        for (name, Array { shape, values }) in tensors {
            assert_eq!(shape.iter().product::<usize>(), values.len(), "the shape of tensor '{name}'");
            let start = data.len();
            data.extend(values.iter().flat_map(|value| value.to_le_bytes()));
            let info = TensorInfo { dtype: Dtype::F32, shape: shape.clone(), data_offsets: (start, data.len()) };
            infos.insert(name.as_str(), info);
        }
        let texts = metadata.iter().map(|(name, text)| (*name, text.as_str()));
        metadata.insert(CHECKSUM, checksum(texts, &infos, &data));
        let mut header = serde_json::to_vec(&Header { metadata, tensors: infos })
            .map_err(|error| Error::runtime(format!("the agent cannot be written: {error}")))?;
        header.resize(header.len().next_multiple_of(LENGTH), b' ');
        Ok([&(header.len() as u64).to_le_bytes()[..], &header, &data].concat())
    }

    /// The agent in a file's bytes; an error is the end of a sentence that begins with the file's
    /// name.
    pub fn from_bytes(bytes: &[u8]) -> std::result::Result<Self, String> {
        refuse_other_files(bytes)?;
        let (header, parsed) =
            SafeTensors::read_metadata(bytes).map_err(|error| format!("is truncated or damaged: {error}"))?;
        let metadata =
            parsed.metadata().as_ref().filter(|texts| texts.get("format").is_some_and(|name| name == FORMAT));
        let metadata = metadata.ok_or_else(|| {
            format!("is a safetensors file, but not an agent of matchq: its metadata has no format {FORMAT}")
        })?;
        let text = |name: &str| metadata.get(name).ok_or_else(|| format!("is damaged: its metadata has no {name}"));
        check_version(text("version")?)?;
        let data = &bytes[LENGTH + header..];
        if parsed.data_len() != data.len() {
            return Err("is damaged: its tensors are not those of its length".into());
        }
        let infos = parsed.tensors();
        let infos: BTreeMap<&str, TensorInfo> =
            infos.iter().map(|(name, info)| (name.as_str(), (*info).clone())).collect();
        let texts: BTreeMap<&str, &str> = metadata
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str()))
            .filter(|(name, _)| *name != CHECKSUM)
            .collect();
        if *text(CHECKSUM)? != checksum(texts, &infos, data) {
            return Err("is damaged: its checksum does not fit its content".into());
        }
        let tensor = |(name, info): (&str, TensorInfo)| Ok((name.to_owned(), array(name, info, data)?));
        Ok(Self {
            game: text("game")?.clone(),
            kind: kind(text("kind")?)?,
            rules: text("rules")?.clone(),
            config: text("config")?.clone(),
            tensors: infos.into_iter().map(tensor).collect::<std::result::Result<_, String>>()?,
        })
    }
}

fn refuse_other_files(bytes: &[u8]) -> std::result::Result<(), String> {
    if bytes.starts_with(STATE) {
        return Err("is the state of a run, from which it is resumed; the run's agents lie beside it: \
                    best.safetensors and last.safetensors"
            .to_owned());
    }
    match bytes.get(LENGTH) {
        Some(b'{') => Ok(()),
        _ => Err("is not an agent of matchq, which is a safetensors file".to_owned()),
    }
}

fn check_version(text: &str) -> std::result::Result<(), String> {
    match text.parse::<u32>() {
        Ok(VERSION) => Ok(()),
        Ok(version) if version > VERSION => Err(format!(
            "was written by a newer matchq (format {version}; this program reads format {VERSION}): update matchq to \
             read it"
        )),
        Ok(version) => Err(format!(
            "was written by an earlier matchq (format {version}; this program reads format {VERSION}): train the \
             agent anew"
        )),
        Err(_) => Err(format!("is damaged: its version is '{text}'")),
    }
}

fn kind(name: &str) -> std::result::Result<Kind, String> {
    let known = Kind::ALL.into_iter().find(|kind| kind.name() == name);
    known.ok_or_else(|| {
        let names = Kind::ALL.map(Kind::name).join(", ");
        format!("is an agent of the kind '{name}', which this program does not know: the kinds are {names}")
    })
}

fn array(name: &str, info: TensorInfo, data: &[u8]) -> std::result::Result<Array, String> {
    if info.dtype != Dtype::F32 {
        return Err(format!("holds '{name}' as {}: every tensor of an agent is F32", info.dtype));
    }
    let values = data[info.data_offsets.0..info.data_offsets.1].as_chunks().0;
    let values: Vec<f32> = values.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    check_numbers(name, &values)?;
    Ok(Array { shape: info.shape, values })
}

fn check_numbers(name: &str, values: &[f32]) -> std::result::Result<(), String> {
    match values.iter().find(|value| !value.is_finite()) {
        Some(value) => Err(format!("holds {value} in '{name}', but every number of an agent is finite")),
        None => Ok(()),
    }
}

fn checksum<'a>(
    texts: impl IntoIterator<Item = (&'a str, &'a str)>,
    infos: &BTreeMap<&str, TensorInfo>,
    data: &[u8],
) -> String {
    let mut sum = 0;
    let mut append = |bytes: &[u8]| {
        sum = crc32c::crc32c_append(sum, &(bytes.len() as u64).to_le_bytes());
        sum = crc32c::crc32c_append(sum, bytes);
    };
    for (name, text) in texts {
        append(name.as_bytes());
        append(text.as_bytes());
    }
    for (name, TensorInfo { dtype, shape, data_offsets: (start, end) }) in infos {
        append(name.as_bytes());
        append(dtype.to_string().as_bytes());
        append(&shape.iter().flat_map(|size| (*size as u64).to_le_bytes()).collect::<Vec<u8>>());
        append(&data[*start..*end]);
    }
    format!("{sum:08x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn example() -> AgentFile {
        let array = |shape: &[usize], values: &[f32]| Array { shape: shape.to_vec(), values: values.to_vec() };
        AgentFile {
            game: "toy".into(),
            kind: Kind::Linear,
            rules: "kinds = 2\n".into(),
            config: String::new(),
            tensors: BTreeMap::from([
                ("b.weight".to_owned(), array(&[1, 2], &[1.5, -0.0])),
                ("a".to_owned(), array(&[], &[f32::MIN_POSITIVE])),
                ("none".to_owned(), array(&[0, 3], &[])),
            ]),
        }
    }

    fn parts(bytes: &[u8]) -> (u64, &str, &[u8]) {
        let length = u64::from_le_bytes(bytes[..8].try_into().unwrap());
        let (header, data) = bytes[8..].split_at(length as usize);
        (length, std::str::from_utf8(header).unwrap(), data)
    }

    #[test]
    fn what_was_written_is_read_again_and_gives_the_same_bytes() {
        let bytes = example().to_bytes().unwrap();
        let read = AgentFile::from_bytes(&bytes).unwrap();
        assert_eq!(read, example());
        assert_eq!(read.tensors["b.weight"].values[1].to_bits(), (-0.0f32).to_bits());
        assert_eq!(read.to_bytes().unwrap(), bytes);
    }

    #[test]
    fn a_number_that_is_none_is_refused_by_its_tensor() {
        for number in [f32::NAN, f32::NEG_INFINITY] {
            let mut file = example();
            file.tensors.get_mut("b.weight").unwrap().values[1] = number;
            let refused = AgentFile::from_bytes(&file.to_bytes().unwrap()).unwrap_err();
            assert_eq!(refused, format!("holds {number} in 'b.weight', but every number of an agent is finite"));
            let folder = temp_dir::TempDir::new().unwrap();
            let refused = file.save(&folder.path().join("agent")).unwrap_err().to_string();
            assert!(refused.ends_with("is finite: it cannot be written"), "{refused}");
            assert!(!folder.path().join("agent").exists());
        }
    }

    #[test]
    fn the_bytes_are_those_of_the_documented_format() {
        let bytes = example().to_bytes().unwrap();
        let (length, header, data) = parts(&bytes);
        let mut summed = Vec::new();
        let mut append = |bytes: &[u8]| {
            summed.extend((bytes.len() as u64).to_le_bytes());
            summed.extend(bytes);
        };
        for text in ["config", "", "format", "matchq-agent", "game", "toy", "kind", "linear"] {
            append(text.as_bytes());
        }
        for text in ["rules", "kinds = 2\n", "version", "2"] {
            append(text.as_bytes());
        }
        for (name, shape, data) in [
            ("a", &[][..], &[0, 0, 0x80, 0][..]),
            ("b.weight", &[1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0], &[0, 0, 0xc0, 0x3f, 0, 0, 0, 0x80]),
            ("none", &[0, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0], &[]),
        ] {
            [name.as_bytes(), b"F32", shape, data].into_iter().for_each(&mut append);
        }
        let expected = format!(
            "{{\"__metadata__\":{{\"checksum\":\"{:08x}\",\"config\":\"\",\"format\":\"matchq-agent\",\"game\":\"toy\",\
             \"kind\":\"linear\",\"rules\":\"kinds = 2\\n\",\"version\":\"2\"}},\
             \"a\":{{\"dtype\":\"F32\",\"shape\":[],\"data_offsets\":[0,4]}},\
             \"b.weight\":{{\"dtype\":\"F32\",\"shape\":[1,2],\"data_offsets\":[4,12]}},\
             \"none\":{{\"dtype\":\"F32\",\"shape\":[0,3],\"data_offsets\":[12,12]}}}}",
            crc32c::crc32c(&summed)
        );
        assert_eq!((header.trim_end_matches(' '), length % 8), (expected.as_str(), 0));
        assert_eq!(data, [0, 0, 0x80, 0, 0, 0, 0xc0, 0x3f, 0, 0, 0, 0x80]);
    }

    #[test]
    fn every_truncation_every_flipped_bit_and_every_appended_byte_is_refused() {
        let bytes = example().to_bytes().unwrap();
        for length in 0..bytes.len() {
            assert!(AgentFile::from_bytes(&bytes[..length]).is_err(), "cut to {length}");
        }
        for index in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[index] ^= 1 << bit;
                assert!(AgentFile::from_bytes(&damaged).is_err(), "byte {index}, bit {bit}");
            }
        }
        for byte in [0, b' ', b'{'] {
            assert!(AgentFile::from_bytes(&[&bytes[..], &[byte]].concat()).is_err(), "{byte} behind it");
        }
    }

    #[test]
    fn a_file_that_is_no_agent_is_refused_with_what_it_is() {
        let whole = example().to_bytes().unwrap();
        let refusal = |bytes: &[u8]| AgentFile::from_bytes(bytes).unwrap_err();
        let said = |bytes: &[u8], sentence: &str| {
            let refusal = refusal(bytes);
            assert!(refusal.contains(sentence), "{refusal}");
        };
        for foreign in [&b""[..], b"PK\x03\x04 some other file", b"text that is longer than a few bytes"] {
            said(foreign, "is not an agent of matchq");
        }
        said(&whole[..whole.len() - 1], "is truncated or damaged");
        let last = whole.len() - 1;
        said(&[&whole[..last], &[whole[last] ^ 1]].concat(), "its checksum does not fit");
        let plain = br#"{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}  "#;
        let plain = [&(plain.len() as u64).to_le_bytes()[..], plain, &[0; 4]].concat();
        said(&plain, "is a safetensors file, but not an agent");
        said(&[STATE, &b"\x02\0\0\0 and so on"[..]].concat(), "is the state of a run");
    }

    #[test]
    fn another_format_kind_or_type_and_a_lost_text_are_refused_by_name() {
        let whole = example().to_bytes().unwrap();
        let (_, header, data) = parts(&whole);
        // Replaces a text of the header and sets the checksum that fits.
        let changed = |from: &str, to: &str| {
            let header = header.replace(from, to);
            let bytes = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), data].concat();
            let (_, parsed) = SafeTensors::read_metadata(&bytes).unwrap();
            let texts = parsed.metadata().as_ref().unwrap().iter();
            let texts: BTreeMap<&str, &str> = texts.map(|(name, text)| (name.as_str(), text.as_str())).collect();
            let infos = parsed.tensors();
            let infos = infos.iter().map(|(name, info)| (name.as_str(), (*info).clone())).collect();
            let sum = checksum(
                texts.iter().map(|(name, text)| (*name, *text)).filter(|(name, _)| *name != CHECKSUM),
                &infos,
                data,
            );
            let header = header.replace(texts[CHECKSUM], &sum);
            let bytes = [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), data].concat();
            AgentFile::from_bytes(&bytes).unwrap_err()
        };
        for (version, sentence) in [
            ("3", "was written by a newer matchq (format 3; this program reads format 2): update matchq"),
            ("1", "was written by an earlier matchq (format 1; this program reads format 2): train the agent anew"),
            ("x", "its version is 'x'"),
        ] {
            let refusal = changed("\"version\":\"2\"", &format!("\"version\":\"{version}\""));
            assert!(refusal.contains(sentence), "{refusal}");
        }
        let refusal = changed("\"kind\":\"linear\"", "\"kind\":\"forest\"");
        assert!(
            refusal.ends_with("kind 'forest', which this program does not know: the kinds are network, value, linear")
        );
        let refusal = changed("\"game\":", "\"name\":");
        assert!(refusal.contains("its metadata has no game"), "{refusal}");
        let refusal = changed("\"a\":{\"dtype\":\"F32\"", "\"a\":{\"dtype\":\"I32\"");
        assert!(refusal.contains("holds 'a' as I32"), "{refusal}");
    }

    #[test]
    fn a_file_on_the_disk_is_refused_by_its_name() {
        let folder = temp_dir::TempDir::new().unwrap();
        let path = folder.path().join("an agent.safetensors");
        let refusal = || AgentFile::load(&path).unwrap_err().to_string();
        assert!(refusal().contains("an agent.safetensors cannot be read"));
        example().save(&path).unwrap();
        assert_eq!(AgentFile::load(&path).unwrap(), example());
        std::fs::write(&path, b"text").unwrap();
        assert!(refusal().contains("an agent.safetensors is not an agent"));
    }
}

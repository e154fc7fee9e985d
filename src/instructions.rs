//! Which instructions of the processor are used.
//!
//! The fastest that it has, unless the environment variable `MATCHQ_INSTRUCTIONS` names a smaller set.

use std::env;
use std::fmt::{self, Display, Formatter};
use std::sync::LazyLock;

use crate::error::{Error, Result};

/// A set of instructions; each includes those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InstructionSet {
    /// What every processor has that the program runs on.
    Portable,
    /// Registers of eight numbers: AVX2, FMA and bit instructions.
    ///
    /// The bit instructions are those that came with the others.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Registers of sixteen numbers: the F, BW, DQ and VL parts of AVX-512.
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// The environment variable that names a set.
const VARIABLE: &str = "MATCHQ_INSTRUCTIONS";

impl InstructionSet {
    /// All that this processor has, the smallest first.
    pub fn present() -> Vec<Self> {
        #[cfg_attr(not(target_arch = "x86_64"), allow(unused_mut))]
        let mut present = vec![Self::Portable];
        #[cfg(target_arch = "x86_64")]
        if is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
        {
            present.push(Self::Avx2);
            if is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
            {
                present.push(Self::Avx512);
            }
        }
        present
    }

    /// The one in use.
    #[inline]
    pub fn used() -> Self {
        static USED: LazyLock<InstructionSet> = LazyLock::new(|| InstructionSet::chosen().unwrap_or_default());
        *USED
    }

    /// The one that the environment names, else the largest.
    ///
    /// # Errors
    /// When it names none that this processor has.
    pub fn chosen() -> Result<Self> {
        match env::var_os(VARIABLE).unwrap_or_default().to_string_lossy() {
            name if name.is_empty() => Ok(Self::default()),
            name => Self::named(&name),
        }
    }

    fn named(name: &str) -> Result<Self> {
        let present = Self::present();
        present.iter().copied().find(|set| set.name() == name).ok_or_else(|| {
            let names: Vec<&str> = present.iter().map(|set| set.name()).collect();
            Error::user(format!("{VARIABLE}={name}: it must be one of {}, which this processor has", names.join(", ")))
        })
    }

    fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => "avx512",
        }
    }
}

impl Default for InstructionSet {
    /// The largest that this processor has.
    fn default() -> Self {
        Self::present().into_iter().max().unwrap_or(Self::Portable)
    }
}

impl Display for InstructionSet {
    fn fmt(&self, formatter: &mut Formatter) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_found_by_its_name_and_others_are_refused_with_those_that_are_there() {
        for set in InstructionSet::present() {
            assert_eq!(InstructionSet::named(set.name()).unwrap(), set);
        }
        let error = InstructionSet::named("mmx").unwrap_err().to_string();
        assert!(error.starts_with("MATCHQ_INSTRUCTIONS=mmx: it must be one of portable"), "{error}");
    }
}

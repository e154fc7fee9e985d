//! The processor's fastest instructions, or a smaller set named by `MATCHQ_INSTRUCTIONS`.

use std::env;
use std::fmt::{self, Display, Formatter};
use std::sync::LazyLock;

use crate::error::{Error, Result};

/// A set of instructions, which includes all sets before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum InstructionSet {
    /// Instructions of every supported processor.
    Portable,
    /// Registers of four 32-bit numbers, products and sums in one: NEON.
    #[cfg(target_arch = "aarch64")]
    Neon,
    /// Registers of eight 32-bit numbers: AVX2, FMA, POPCNT, LZCNT, BMI1 and BMI2.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// Registers of sixteen 32-bit numbers: AVX-512 F, BW, DQ and VL.
    #[cfg(target_arch = "x86_64")]
    Avx512,
    /// Products of pairs of bfloat16: AVX512_BF16.
    #[cfg(target_arch = "x86_64")]
    Avx512Bf16,
    /// Products of tiles of pairs of bfloat16 (AMX), if the system permits.
    #[cfg(target_arch = "x86_64")]
    Amx,
}

const VARIABLE: &str = "MATCHQ_INSTRUCTIONS";

impl InstructionSet {
    /// Sets of this processor, the smallest first.
    pub fn present() -> Vec<Self> {
        #[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(unused_mut))]
        let mut present = vec![Self::Portable];
        #[cfg(target_arch = "aarch64")]
        present.push(Self::Neon);
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
                if is_x86_feature_detected!("avx512bf16") {
                    present.push(Self::Avx512Bf16);
                    if has_amx() {
                        present.push(Self::Amx);
                    }
                }
            }
        }
        present
    }

    /// Set in use.
    #[inline]
    pub fn used() -> Self {
        static USED: LazyLock<InstructionSet> = LazyLock::new(|| InstructionSet::chosen().unwrap_or_default());
        *USED
    }

    /// Set that the environment names, which the processor must have, else the largest.
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

    /// Whether networks computed with this set and the named one differ. From AVX-512 on, only
    /// `pairs` of bfloat16 make a difference.
    pub fn differs_from(self, name: &str, pairs: bool) -> bool {
        let of_numbers = |name: &str| match name {
            "avx512bf16" | "amx" if !pairs => "avx512".to_owned(),
            name => name.to_owned(),
        };
        of_numbers(self.name()) != of_numbers(name)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            #[cfg(target_arch = "aarch64")]
            Self::Neon => "neon",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => "avx2",
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            Self::Avx512Bf16 => "avx512bf16",
            #[cfg(target_arch = "x86_64")]
            Self::Amx => "amx",
        }
    }
}

impl Default for InstructionSet {
    fn default() -> Self {
        Self::present().into_iter().max().unwrap_or(Self::Portable)
    }
}

impl Display for InstructionSet {
    fn fmt(&self, formatter: &mut Formatter) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// Whether the processor has tiles of bfloat16 and the system, asked here, grants their use.
///
/// Stable Rust's `is_x86_feature_detected` does not know tiles. Linux keeps tile data only for
/// processes that ask (<https://docs.kernel.org/arch/x86/xstate.html>).
#[cfg(target_arch = "x86_64")]
fn has_amx() -> bool {
    use std::arch::x86_64::{__cpuid_count, _xgetbv};

    /// Leaf 7: bfloat16 in tiles, and tiles.
    const FEATURES: u32 = 1 << 22 | 1 << 24;
    /// State of the tiles that the system keeps: configuration and data.
    const STATE: u64 = 3 << 17;

    #[target_feature(enable = "xsave")]
    fn kept() -> u64 {
        // SAFETY: register 0 exists wherever the instruction does.
        unsafe { _xgetbv(0) }
    }

    is_x86_feature_detected!("xsave")
        && __cpuid_count(7, 0).edx & FEATURES == FEATURES
        // SAFETY: the processor has the instruction, as just checked.
        && unsafe { kept() } & STATE == STATE
        && ask_for_tiles()
}

/// Asks Linux to keep tile data for this process; whether Linux does.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn ask_for_tiles() -> bool {
    // System call `arch_prctl`, its request for a part of the state, and the part: tile data.
    const CALL: i64 = 158;
    const REQUEST: i64 = 0x1023;
    const TILES: i64 = 18;
    let mut result = CALL;
    // SAFETY: the call touches no memory of the process; the instruction changes only these
    // registers.
    unsafe {
        std::arch::asm!(
            "syscall", inout("rax") result, in("rdi") REQUEST, in("rsi") TILES, out("rcx") _, out("r11") _,
            options(nostack)
        );
    }
    result == 0
}

#[cfg(all(target_arch = "x86_64", not(target_os = "linux")))]
fn ask_for_tiles() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_arch = "x86_64")]
    fn the_largest_sets_differ_for_pairs_of_bfloat16_alone() {
        use InstructionSet::{Amx, Avx2, Avx512, Avx512Bf16};
        for (set, other, for_numbers, for_pairs) in [
            (Avx512, "avx512", false, false),
            (Avx512, "avx512bf16", false, true),
            (Amx, "avx512", false, true),
            (Amx, "avx512bf16", false, true),
            (Avx512Bf16, "avx2", true, true),
            (Avx2, "avx512", true, true),
            (Avx2, "portable", true, true),
        ] {
            assert_eq!(
                [false, true].map(|pairs| set.differs_from(other, pairs)),
                [for_numbers, for_pairs],
                "{set}, {other}"
            );
        }
    }

    #[test]
    fn a_set_is_found_by_its_name_and_others_are_refused_with_those_that_are_there() {
        for set in InstructionSet::present() {
            assert_eq!(InstructionSet::named(set.name()).unwrap(), set);
        }
        let error = InstructionSet::named("mmx").unwrap_err().to_string();
        assert!(error.starts_with("MATCHQ_INSTRUCTIONS=mmx: it must be one of portable"), "{error}");
    }
}

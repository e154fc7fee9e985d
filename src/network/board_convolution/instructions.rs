//! Which instructions of the processor the kernels use.

use std::sync::LazyLock;

/// What a kernel may use of the processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InstructionSet {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Portable,
}

impl InstructionSet {
    /// All that this machine has, the best first.
    pub fn present() -> Vec<Self> {
        let mut present = vec![Self::Portable];
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                present.insert(0, Self::Avx2);
            }
            if is_x86_feature_detected!("avx512f") {
                present.insert(0, Self::Avx512);
            }
        }
        present
    }

    /// The best that this machine has.
    pub fn best() -> Self {
        static BEST: LazyLock<InstructionSet> = LazyLock::new(|| InstructionSet::present()[0]);
        *BEST
    }
}

/// Compiles a function for every instruction set and lets that of the best be called.
///
/// Another one, always inlined and generic over the [`Register`](super::register::Register), does its work.
macro_rules! with_the_best_instructions {
    ($(#[$attribute:meta])* $visibility:vis fn $name:ident($($argument:ident: $kind:ty),* $(,)?) = $work:ident) => {
        $(#[$attribute])*
        $visibility fn $name($($argument: $kind),*) {
            use $crate::network::board_convolution::{instructions::InstructionSet, register};

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f")]
            fn avx512($($argument: $kind),*) {
                // SAFETY: this function has the instructions.
                unsafe { $work::<register::Sixteen>($($argument),*) }
            }

            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,fma")]
            fn avx2($($argument: $kind),*) {
                // SAFETY: this function has the instructions.
                unsafe { $work::<register::Eight>($($argument),*) }
            }

            match InstructionSet::best() {
                // SAFETY: the processor has been asked for the instructions.
                #[cfg(target_arch = "x86_64")]
                InstructionSet::Avx512 => unsafe { avx512($($argument),*) },
                // SAFETY: the same.
                #[cfg(target_arch = "x86_64")]
                InstructionSet::Avx2 => unsafe { avx2($($argument),*) },
                // SAFETY: any processor has these.
                InstructionSet::Portable => unsafe { $work::<register::Four>($($argument),*) },
            }
        }
    };
}

pub(super) use with_the_best_instructions;

#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| matchq_fuzz::trainer::report(data));

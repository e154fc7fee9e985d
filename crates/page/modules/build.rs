//! Names the functions that a browser calls.

use std::env;

const FUNCTIONS: [(&str, &[&str]); 2] = [
    ("engine", &["room", "answer"]),
    ("trainer", &["trainer_begin", "trainer_fault", "trainer_room", "trainer_answer", "trainer_put", "trainer_files"]),
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if env::var("CARGO_CFG_TARGET_FAMILY").is_ok_and(|family| family == "wasm") {
        for (module, functions) in FUNCTIONS {
            for function in functions {
                println!("cargo::rustc-link-arg-bin={module}=--export={function}");
            }
        }
    }
}

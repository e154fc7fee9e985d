//! Products without matrices of the processor.

use std::cell::Cell;

use super::*;

thread_local! {
    pub static EMULATED: Cell<bool> = const { Cell::new(false) };
}

pub fn emulated<R>(compute: impl FnOnce() -> R + Send) -> R
where
    R: Send,
{
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    pool.install(|| {
        EMULATED.set(true);
        compute()
    })
}

#[test]
fn words_are_transposed() {
    let lines: [Line; WIDTH] = std::array::from_fn(|k| Line(std::array::from_fn(|i| (100 * k + i) as f32)));
    let mut found = [Line([7.0; WIDTH]); WIDTH];
    transpose(&lines, &mut found);
    for (word, line) in found.iter().enumerate() {
        assert_eq!(line.0, std::array::from_fn(|k| (100 * k + word) as f32));
    }
}

//! Prints how long a function takes, and how many elements a second it does.

use std::hint::black_box;
use std::time::{Duration, Instant};

/// Time that one function is measured for, and before that called to warm up.
const MEASURED: Duration = Duration::from_secs(3);
const WARMED: Duration = Duration::from_secs(1);

/// Functions whose name contains the program's first argument, or all without one.
pub struct Timer {
    wanted: String,
    /// Whether each is called once, to see that it runs: `cargo bench -- --test`.
    once: bool,
}

impl Timer {
    pub fn from_arguments() -> Self {
        let arguments: Vec<String> = std::env::args().skip(1).collect();
        Self {
            once: arguments.iter().any(|argument| argument == "--test"),
            // `cargo bench` gives `--bench`.
            wanted: arguments.into_iter().find(|argument| !argument.starts_with("--")).unwrap_or_default(),
        }
    }

    /// Median time of a call that does `elements` things.
    pub fn time<T>(&self, name: &str, elements: u64, mut work: impl FnMut() -> T) {
        self.time_after(name, elements, || (), |()| work());
    }

    /// [`time`](Self::time) of `work` alone, which takes what `prepare` makes.
    pub fn time_after<P, T>(
        &self,
        name: &str,
        elements: u64,
        mut prepare: impl FnMut() -> P,
        mut work: impl FnMut(P) -> T,
    ) {
        if !name.contains(&self.wanted) {
            return;
        }
        let mut call = || {
            let prepared = prepare();
            let started = Instant::now();
            black_box(work(prepared));
            started.elapsed()
        };
        let calls = |length: Duration, call: &mut dyn FnMut() -> Duration| {
            let started = Instant::now();
            let mut times = vec![call()];
            while started.elapsed() < length {
                times.push(call());
            }
            times
        };
        let [warmed, measured] = if self.once { [Duration::ZERO; 2] } else { [WARMED, MEASURED] };
        calls(warmed, &mut call);
        let mut times = calls(measured, &mut call);
        times.sort_unstable();
        let [least, median, most] = [0.05, 0.5, 0.95].map(|share| times[(times.len() as f64 * share) as usize]);
        let rate = elements as f64 / median.as_secs_f64();
        println!("{name}: {median:.2?} ({least:.2?} to {most:.2?}), {rate:.0} a second");
    }
}

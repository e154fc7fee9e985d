//! How fast a run goes, and how that and the rest of its status is put in words.

use std::fmt;
use std::time::Duration;

use super::progress::Status;

/// The pace of the last half minute or so, evaluations and checkpoints included, and what follows from it.
pub(super) struct Pace {
    total_steps: u64,
    seen: Duration,
    step: u64,
    updates: Option<u64>,
    steps_per_second: Average,
    updates_per_second: Average,
}

impl Pace {
    pub(super) fn new(total_steps: u64, start_step: u64) -> Self {
        Self {
            total_steps,
            seen: Duration::ZERO,
            step: start_step,
            updates: None,
            steps_per_second: Average::default(),
            updates_per_second: Average::default(),
        }
    }

    /// Takes a measurement if the last one is long enough ago or the run is at its end; says whether it did.
    pub(super) fn observe(&mut self, now: Duration, interval: Duration, status: &Status) -> bool {
        let passed = now.saturating_sub(self.seen);
        if passed.is_zero() || passed < interval && status.step < self.total_steps {
            return false;
        }
        let seconds = passed.as_secs_f64();
        let steps = status.step.saturating_sub(self.step);
        self.steps_per_second.add(steps as f64 / seconds, seconds);
        // A resumed run's updates so far are known only from its first status.
        if let Some(before) = self.updates {
            let updates = status.updates.saturating_sub(before);
            self.updates_per_second.add(updates as f64 / seconds, seconds);
        }
        (self.seen, self.step, self.updates) = (now, status.step, Some(status.updates));
        true
    }

    /// What stands beside and below the bar, two lines of less than 80 columns.
    pub(super) fn screen(&self, status: &Status) -> String {
        let mut below = vec![
            format!("{} steps/s", self.steps_per_second),
            format!("{} updates/s", self.updates_per_second),
            format!("eps {:.3}", status.epsilon),
        ];
        below.extend(status.loss.map(|loss| format!("loss {}", short(loss))));
        below.extend(status.evaluation.map(|(_, mean)| format!("eval {mean:.1}")));
        below.extend(status.best.map(|best| format!("best {best:.1}")));
        let steps = short(status.step as f64);
        let total = short(self.total_steps as f64);
        let left = self.left(status);
        format!("{steps} of {total} steps{left}\n{}", below.join("  "))
    }

    /// The same in one line for a file, with nothing rounded that counts.
    pub(super) fn line(&self, status: &Status) -> String {
        let percent = 100.0 * status.step as f64 / self.total_steps.max(1) as f64;
        let mut line = format!(
            "step {} of {} ({percent:.0} %), {} steps/s, {} updates/s, epsilon {:.3}",
            status.step, self.total_steps, self.steps_per_second, self.updates_per_second, status.epsilon
        );
        let mut add = |text: String| {
            line.push_str(", ");
            line.push_str(&text);
        };
        if let Some(loss) = status.loss {
            add(format!("loss {loss:.6}"));
        }
        if let Some((step, mean)) = status.evaluation {
            add(format!("evaluation at {step}: {mean:.1}"));
        }
        if let Some(best) = status.best {
            add(format!("best {best:.1}"));
        }
        line.push_str(&self.left(status));
        line
    }

    /// The time left at this pace, with the comma before it; nothing where that is not known.
    fn left(&self, status: &Status) -> String {
        let steps = self.total_steps.saturating_sub(status.step);
        match self.steps_per_second.value() {
            Some(pace) if pace > 0.0 && steps > 0 => {
                format!(", {} left", duration(steps as f64 / pace))
            }
            _ => String::new(),
        }
    }
}

/// A mean over time whose weights fall by e every ten seconds.
#[derive(Default)]
struct Average {
    sum: f64,
    weight: f64,
}

impl Average {
    fn add(&mut self, value: f64, seconds: f64) {
        let keep = (-seconds / 10.0).exp();
        self.sum = self.sum * keep + value * (1.0 - keep);
        self.weight = self.weight * keep + (1.0 - keep);
    }

    fn value(&self) -> Option<f64> {
        (self.weight > 0.0).then(|| self.sum / self.weight)
    }
}

impl fmt::Display for Average {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.value() {
            Some(value) => f.write_str(&short(value)),
            None => f.write_str("-"),
        }
    }
}

/// A number of three digits and a unit: 0.0123, 7.12, 940, 12.3k, 1.25M.
fn short(value: f64) -> String {
    let (scaled, unit) = match value {
        _ if !value.is_finite() => (value, ""),
        _ if value < 999.5 => (value, ""),
        _ if value < 999_500.0 => (value / 1e3, "k"),
        _ if value < 999_500_000.0 => (value / 1e6, "M"),
        _ => (value / 1e9, "G"),
    };
    // What rounds to the next digit is written with one decimal less.
    let decimals = match scaled {
        _ if scaled < 0.9995 => 4,
        _ if scaled < 9.995 => 2,
        _ if scaled < 99.95 => 1,
        _ => 0,
    };
    let text = format!("{scaled:.decimals$}");
    let text = if decimals > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{unit}")
}

/// Seconds as people say them: 45 s, 12 min, 3 h 20 min, 2 d 4 h.
fn duration(seconds: f64) -> String {
    let minutes = (seconds / 60.0).round() as u64;
    match minutes {
        0 | 1 if seconds < 90.0 => format!("{seconds:.0} s"),
        0..60 => format!("{minutes} min"),
        60..1440 => format!("{} h {} min", minutes / 60, minutes % 60),
        _ => format!("{} d {} h", minutes / 1440, minutes % 1440 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn status(step: u64, updates: u64) -> Status {
        Status { step, updates, epsilon: 0.25, ..Status::default() }
    }

    #[test]
    fn the_pace_is_that_of_the_steps_of_this_session() {
        let mut pace = Pace::new(10_000, 5_000);
        for second in 1..=5 {
            let seen = status(5_000 + second * 100, 700 + second * 25);
            assert!(pace.observe(SECOND * second as u32, SECOND, &seen));
        }
        let line = pace.line(&status(5_500, 825));
        let expected = "step 5500 of 10000 (55 %), 100 steps/s, 25 updates/s, epsilon 0.250, 45 s left";
        assert_eq!(line, expected);
    }

    #[test]
    fn the_pace_follows_a_change_within_half_a_minute() {
        let mut pace = Pace::new(1_000_000, 0);
        let mut step = 0;
        for second in 1..=90 {
            step += if second <= 60 { 1_000 } else { 100 };
            pace.observe(SECOND * second, SECOND, &status(step, 0));
        }
        let value = pace.steps_per_second.value().unwrap();
        assert!((100.0..150.0).contains(&value), "{value}");
    }

    #[test]
    fn measurements_are_taken_at_intervals_and_at_the_end() {
        let mut pace = Pace::new(100, 0);
        assert!(!pace.observe(SECOND / 2, SECOND, &status(50, 0)));
        assert!(pace.observe(SECOND, SECOND, &status(60, 0)));
        assert!(!pace.observe(SECOND, SECOND, &status(60, 0)));
        assert!(pace.observe(SECOND * 5 / 4, SECOND, &status(100, 0)));
    }

    #[test]
    fn before_the_first_measurement_nothing_is_made_up() {
        let line = Pace::new(100, 0).line(&status(0, 0));
        assert_eq!(line, "step 0 of 100 (0 %), - steps/s, - updates/s, epsilon 0.250");
        assert!(Pace::new(0, 0).line(&status(0, 0)).starts_with("step 0 of 0 (0 %)"));
    }

    #[test]
    fn the_bar_shows_everything_in_less_than_eighty_columns() {
        let mut pace = Pace::new(123_000_000, 0);
        pace.observe(SECOND * 60, SECOND, &status(0, 0));
        let all = Status {
            step: 98_765_432,
            updates: 12_345_678,
            epsilon: 0.05,
            loss: Some(0.010_61),
            evaluation: Some((98_000_000, 1412.34)),
            best: Some(1420.06),
        };
        pace.observe(SECOND * 120, SECOND, &all);
        let screen = pace.screen(&all);
        let (beside, below) = screen.split_once('\n').unwrap();
        assert!(beside.starts_with("98.8M of 123M steps, "), "{beside}");
        assert!(38 + beside.len() < 80 && below.len() < 80, "{screen}");
        assert!(below.ends_with("eps 0.050  loss 0.0106  eval 1412.3  best 1420.1"), "{below}");
    }

    #[test]
    fn numbers_keep_three_digits() {
        let numbers = [0.0, 0.01234, 0.99949, 7.125, 9.996, 42.06, 99.96, 940.4, 999.6, 12_345.0, 999_700.0, 2.5e9];
        let texts = ["0", "0.0123", "0.9995", "7.12", "10", "42.1", "100", "940", "1k", "12.3k", "1M", "2.5G"];
        assert_eq!(numbers.map(short), texts);
        assert_eq!([f64::NAN, f64::INFINITY].map(short), ["NaN", "inf"]);
    }

    #[test]
    fn durations_are_told_in_fitting_units() {
        let seconds = [0.4, 89.0, 90.0, 3_569.0, 3_600.0, 12_000.0, 86_400.0 * 2.0 + 4.0 * 3_600.0];
        let texts = ["0 s", "89 s", "2 min", "59 min", "1 h 0 min", "3 h 20 min", "2 d 4 h"];
        assert_eq!(seconds.map(duration), texts);
    }
}

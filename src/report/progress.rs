//! Progress of work: a bar on a terminal, else a plain line at times.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{
    HumanCount, HumanDuration, HumanFloatCount, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle,
};
use matchq_learners::progress::{Length, Progress, silent};

use super::output::tell;

/// Time between plain lines.
const LINE: Duration = Duration::from_secs(10);

/// Progress of a run on standard error, unless `quiet`.
pub fn of_run(quiet: bool) -> impl Fn(Length) -> Box<dyn Progress> {
    move |length| if quiet { silent(length) } else { Box::new(Bar::new(length)) }
}

/// A run's bar on a terminal, else plain lines.
struct Bar {
    /// Hidden without a terminal, but keeps the time.
    bar: ProgressBar,
    /// Time of the last plain line; `None` with a bar.
    lines: Option<Instant>,
    /// Step and metrics of that line.
    written: Option<(u64, String)>,
    /// Name of the steps.
    unit: &'static str,
    /// First step of the pace: the run's first, or the end of its warm-up.
    start: Arc<AtomicU64>,
    metrics: String,
}

impl Bar {
    fn new(Length { unit, steps, done, quick }: Length) -> Self {
        let template = template(unit, "{pace}");
        let from = Arc::new(AtomicU64::new(done.max(quick)));
        let shown_from = Arc::clone(&from);
        let shown = move |state: &ProgressState, text: &mut dyn std::fmt::Write| {
            text.write_str(&pace(
                state.pos().saturating_sub(shown_from.load(Ordering::Relaxed)),
                steps.saturating_sub(state.pos()),
                state.elapsed(),
            ))
            .ok();
        };
        let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::stderr())
            .with_style(style(&template).with_key("pace", shown));
        bar.set_position(done);
        let lines = bar.is_hidden().then(Instant::now);
        Self { bar, lines, written: None, unit, start: from, metrics: String::new() }
    }
}

impl Progress for Bar {
    fn update(&mut self, step: u64, metrics: &[(&str, f64)]) {
        let metric = |(name, value): &(&str, f64)| format!("{name} {}", HumanFloatCount(*value));
        self.metrics = metrics.iter().map(metric).collect::<Vec<_>>().join("  ");
        let start = self.start.load(Ordering::Relaxed);
        if self.bar.position() < start && start <= step {
            self.bar.reset_elapsed();
            self.start.store(step, Ordering::Relaxed);
        }
        self.bar.set_position(step);
        match self.lines {
            Some(last) if last.elapsed() >= LINE => self.line(),
            Some(_) => {}
            None => self.bar.set_message(self.metrics.clone()),
        }
    }

    /// Writes a plain line, unless there is a bar or nothing has changed.
    fn line(&mut self) {
        if self.lines.is_some() {
            self.lines = Some(Instant::now());
            let shown = Some((self.bar.position(), self.metrics.clone()));
            if self.written != shown {
                tell(&line(&self.bar, self.unit, self.start.load(Ordering::Relaxed), &self.metrics));
                self.written = shown;
            }
        }
    }

    /// Prints a line, above the bar if any.
    fn message(&self, line: &str) {
        match self.lines {
            Some(_) => tell(line),
            None => self.bar.println(line),
        }
    }

    /// Leaves the bar as it is, without the time left.
    fn finish(&self) {
        self.bar.set_style(style(&template(self.unit, "")));
        self.bar.abandon();
    }
}

/// A named bar for `units` equal units of work, hidden without a terminal; with 0, unknown, the bar
/// counts moves.
///
/// Any thread may call `inc` or `set_position`; `finish_and_clear` removes the bar.
pub fn series(name: &str, units: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(units), ProgressDrawTarget::stderr());
    let template = match units {
        0 => "{human_pos} moves in {elapsed}  {prefix}",
        _ => "{bar:30} {percent:>3} %  {eta} left  {prefix}",
    };
    bar.with_style(style(template)).with_prefix(name.to_owned())
}

/// Progress of starts; `units` 0 means without end. Nothing is shown without a terminal.
pub fn starts(name: &str, units: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target((units > 0).then_some(units), ProgressDrawTarget::stderr());
    let template = match units {
        0 => "{human_pos} starts in {elapsed}  {prefix}",
        _ => "{bar:30} {human_pos} of {human_len} starts  {eta} left  {prefix}",
    };
    let bar = bar.with_style(style(template)).with_prefix(name.to_owned());
    bar.enable_steady_tick(Duration::from_secs(1));
    bar
}

fn style(template: &str) -> ProgressStyle {
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    style.progress_chars("━╸ ")
}

fn template(unit: &str, pace: &str) -> String {
    format!("{{bar:30}} {{percent:>3}} %  {{human_pos}} of {{human_len}} {unit}{pace}\n{{msg}}")
}

/// `5,000 of 10,000 steps (50 %), 100/s, 50s left: loss 0.0106`
fn line(bar: &ProgressBar, unit: &str, start: u64, metrics: &str) -> String {
    let (step, steps) = (bar.position(), bar.length().unwrap_or(0));
    let percent = 100 * step / steps.max(1);
    let mut line = format!("{} of {} {unit} ({percent} %)", HumanCount(step), HumanCount(steps));
    line += &pace(step.saturating_sub(start), steps.saturating_sub(step), bar.elapsed());
    if !metrics.is_empty() {
        line += &format!(": {metrics}");
    }
    line
}

/// `, 100/s, 50s left` or `, 2m a step, 2h left`; empty before the first step.
///
/// The pace is the mean of all steps; recent ones alone would make it jump if a step takes minutes.
fn pace(done: u64, left: u64, elapsed: Duration) -> String {
    if done == 0 {
        return String::new();
    }
    let step = elapsed.as_secs_f64() / done as f64;
    let duration = |seconds| HumanDuration(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX));
    let left = duration(step * left as f64);
    match step < 1.0 {
        true => format!(", {:.1}/s, {left:#} left", HumanFloatCount(1.0 / step.max(1e-9))),
        false => format!(", {:#} a step, {left:#} left", duration(step)),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use indicatif::TermLike;

    use super::*;

    /// A terminal that keeps what is written.
    #[derive(Clone, Debug, Default)]
    struct Paper(Arc<Mutex<String>>);

    impl TermLike for Paper {
        fn width(&self) -> u16 {
            100
        }

        fn move_cursor_up(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }

        fn move_cursor_down(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }

        fn move_cursor_right(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }

        fn move_cursor_left(&self, _: usize) -> std::io::Result<()> {
            Ok(())
        }

        fn write_line(&self, text: &str) -> std::io::Result<()> {
            self.write_str(&format!("{text}\n"))
        }

        fn write_str(&self, text: &str) -> std::io::Result<()> {
            self.0.lock().unwrap().push_str(text);
            Ok(())
        }

        fn clear_line(&self) -> std::io::Result<()> {
            Ok(())
        }

        fn flush(&self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn bar(unit: &'static str, steps: u64, done: u64, quick: u64) -> Bar {
        Bar::new(Length { unit, steps, done, quick })
    }

    fn without_lines(unit: &'static str, steps: u64, done: u64, quick: u64) -> Bar {
        Bar { lines: None, ..bar(unit, steps, done, quick) }
    }

    fn on(bar: &ProgressBar) -> Paper {
        let paper = Paper::default();
        bar.set_draw_target(ProgressDrawTarget::term_like(Box::new(paper.clone())));
        paper
    }

    #[test]
    fn a_bar_shows_the_step_and_the_named_numbers_in_less_than_a_hundred_columns() {
        let mut progress = without_lines("steps", 123_000_000, 98_000_000, 0);
        let paper = on(&progress.bar);
        progress.update(98_765_432, &[("epsilon", 0.05), ("loss", 0.010_61), ("evaluation", 1412.34)]);
        progress.finish();
        let text = paper.0.lock().unwrap().clone();
        assert!(text.contains("80 %  98,765,432 of 123,000,000 steps, "), "{text}");
        assert!(text.contains("epsilon 0.05  loss 0.0106  evaluation 1,412.34"), "{text}");
    }

    #[test]
    fn a_series_shows_its_percentage_and_name() {
        let bar = series("greedy", 400);
        let paper = on(&bar);
        bar.inc(100);
        bar.tick();
        let text = paper.0.lock().unwrap().clone();
        assert!(text.contains(" 25 %  ") && text.contains("left  greedy"), "{text}");
    }

    #[test]
    fn a_plain_line_says_the_same_and_makes_up_no_pace() {
        let mut progress = bar("generations", 10_000, 5_000, 0);
        progress.update(5_000, &[]);
        assert_eq!(line(&progress.bar, "generations", 5_000, ""), "5,000 of 10,000 generations (50 %)");
        progress.update(7_500, &[("loss", 0.25), ("best", 1412.25)]);
        let text = line(&progress.bar, "generations", 5_000, &progress.metrics);
        assert!(text.starts_with("7,500 of 10,000 generations (75 %), "), "{text}");
        assert!(text.ends_with(" left: loss 0.25  best 1,412.25"), "{text}");
        assert_eq!(line(&bar("sweeps", 0, 0, 0).bar, "sweeps", 0, ""), "0 of 0 sweeps (0 %)");
    }

    #[test]
    fn a_warm_up_tells_nothing_of_the_pace() {
        let mut progress = without_lines("steps", 10_000, 0, 1_000);
        let paper = on(&progress.bar);
        progress.update(900, &[]);
        progress.bar.tick();
        let during = std::mem::take(&mut *paper.0.lock().unwrap());
        assert!(during.contains("900 of 10,000 steps") && !during.contains("left"), "{during}");
        progress.update(1_024, &[]);
        assert_eq!(progress.start.load(Ordering::Relaxed), 1_024);
        progress.update(1_088, &[]);
        progress.bar.tick();
        let after = paper.0.lock().unwrap().clone();
        assert!(after.contains("1,088 of 10,000 steps, ") && after.contains(" left"), "{after}");
    }

    #[test]
    fn the_pace_is_that_of_all_steps_and_slow_steps_have_their_time() {
        assert_eq!(pace(0, 10, Duration::from_secs(30)), "");
        assert_eq!(pace(200, 100, Duration::from_secs(2)), ", 100/s, 1s left");
        assert_eq!(pace(2, 60, Duration::from_secs(180)), ", 2m a step, 2h left");
        assert!(pace(1, u64::MAX, Duration::from_secs(3)).starts_with(", 3s a step, "));
    }
}

//! How a run is getting on, for people: a bar on a terminal, a plain line now and then elsewhere.

use std::io::Write;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressFinish, ProgressStyle};

use super::pace::Pace;

/// Where a run stands.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Status {
    /// Moves played since the beginning of the run.
    pub step: u64,
    /// Optimizer steps since the beginning of the run.
    pub updates: u64,
    pub epsilon: f64,
    /// None before the first update.
    pub loss: Option<f64>,
    /// Step and mean score of the last evaluation.
    pub evaluation: Option<(u64, f64)>,
    /// The best mean score of all evaluations.
    pub best: Option<f64>,
}

/// Shows on standard error how a run is getting on.
pub struct Progress {
    output: Output,
    began: Instant,
    pace: Pace,
}

enum Output {
    Quiet,
    Bar(ProgressBar),
    Lines(Lines),
}

/// A bar is redrawn at most this often.
const REDRAW: Duration = Duration::from_millis(100);
/// Plain lines are at most this far apart, evaluations aside.
const LINE: Duration = Duration::from_secs(10);

impl Progress {
    /// Begins at a step (0, or where a resumed run stands) of so many. A quiet one shows nothing at all.
    pub fn new(total_steps: u64, start_step: u64, quiet: bool) -> Self {
        let output = if quiet {
            Output::Quiet
        } else {
            let style = ProgressStyle::with_template("{bar:30} {percent:>3} %  {msg}")
                .map(|style| style.progress_chars("█▉▊▋▌▍▎▏ "))
                .unwrap_or_else(|_| ProgressStyle::default_bar());
            let bar = ProgressBar::with_draw_target(Some(total_steps), ProgressDrawTarget::stderr())
                .with_style(style)
                .with_finish(ProgressFinish::Abandon)
                .with_position(start_step);
            // Hidden is what indicatif makes of a standard error that is no terminal.
            if bar.is_hidden() { Output::Lines(Lines::default()) } else { Output::Bar(bar) }
        };
        Self { output, began: Instant::now(), pace: Pace::new(total_steps, start_step) }
    }

    /// Takes note of where the run stands; shows it when it is time to. Cheap enough to be called at every step.
    pub fn update(&mut self, status: &Status) {
        let now = self.began.elapsed();
        match &mut self.output {
            Output::Quiet => {}
            Output::Bar(bar) => {
                if self.pace.observe(now, REDRAW, status) {
                    bar.set_message(self.pace.screen(status));
                    bar.set_position(status.step);
                }
            }
            Output::Lines(lines) => {
                self.pace.observe(now, Duration::from_secs(1), status);
                if lines.due(now, status) {
                    print(&self.pace.line(status));
                }
            }
        }
    }

    /// Prints a line, above the bar where there is one.
    pub fn message(&self, line: &str) {
        match &self.output {
            Output::Quiet => {}
            Output::Bar(bar) => bar.println(line),
            Output::Lines(_) => print(line),
        }
    }

    /// Leaves the bar as it stands and the cursor below it.
    pub fn finish(&self) {
        if let Output::Bar(bar) = &self.output {
            bar.abandon();
        }
    }
}

/// A standard error that is closed is no reason to stop a run.
fn print(line: &str) {
    writeln!(std::io::stderr(), "{line}").ok();
}

/// When plain lines are due.
#[derive(Default)]
struct Lines {
    last: Duration,
    evaluation: Option<(u64, f64)>,
}

impl Lines {
    /// Whether a line is due: some time after the last one, and after every evaluation.
    fn due(&mut self, now: Duration, status: &Status) -> bool {
        let due = now - self.last >= LINE || status.evaluation != self.evaluation;
        if due {
            *self = Self { last: now, evaluation: status.evaluation };
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn lines_come_by_time_and_after_each_evaluation() {
        let mut lines = Lines::default();
        let mut now = Status::default();
        assert!(!lines.due(SECOND * 9, &now));
        assert!(lines.due(SECOND * 10, &now));
        assert!(!lines.due(SECOND * 19, &now));
        now.evaluation = Some((1, 300.0));
        assert!(lines.due(SECOND * 19, &now));
        assert!(!lines.due(SECOND * 28, &now));
        now.evaluation = Some((2, 300.0));
        assert!(lines.due(SECOND * 28, &now));
    }
}

//! Progress of a run, shown by whoever starts it: on a terminal, on a page, or not at all.

/// Length of a run, known when it starts or is resumed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Length {
    /// Name of the steps: `generations`.
    pub unit: &'static str,
    /// Steps of the whole training.
    pub steps: u64,
    /// Steps done before this process.
    pub done: u64,
    /// Number of quick steps at the start of the training, which tell nothing of its pace.
    pub quick: u64,
}

/// A display of the progress of a run, which shows nothing unless told how.
pub trait Progress: Send {
    /// Notes the step and named figures, and shows them if due.
    fn update(&mut self, _step: u64, _figures: &[(&str, f64)]) {}

    /// Shows the last step and figures at once where they are shown from time to time.
    fn line(&mut self) {}

    /// Shows a line of text.
    fn message(&self, _line: &str) {}

    /// Ends the showing; the run has finished or stopped.
    fn finish(&self) {}
}

/// Progress that is not shown.
pub fn silent(_length: Length) -> Box<dyn Progress> {
    struct Silent;

    impl Progress for Silent {}

    Box::new(Silent)
}

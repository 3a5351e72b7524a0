//! The progress bar: on a terminal only, and gone when the work is done.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::pipeline::Step;

/// A bar, or nothing where nobody looks.
pub(super) struct Progress(Option<ProgressBar>);

impl Progress {
    pub(super) fn new(wanted: bool) -> Progress {
        if !wanted || !std::io::stderr().is_terminal() {
            return Progress(None);
        }
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr_with_hz(10));
        let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style.progress_chars("█▌─"));
        Progress(Some(bar))
    }

    pub(super) fn step(&self, step: Step) {
        let Some(bar) = &self.0 else { return };
        match step {
            Step::Station(name) => bar.set_message(name),
            Step::Planned(pages) => bar.set_length(pages as u64),
            Step::Rendered => bar.inc(1),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

//! The progress bar. It is drawn on a terminal only, and removed when the build ends.

use std::io::IsTerminal as _;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use generator::pipeline::Step;
use manifest::LoadStatus;

use super::stderr;

/// Without a bar, the seconds between two lines that say that the build waits for a CMS.
const WAITING_INTERVAL: u64 = 10;

/// The progress of one build: a bar on a terminal, single lines elsewhere, nothing with `--quiet`.
pub(super) struct Progress {
    wanted: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    pub(super) fn new(wanted: bool) -> Progress {
        if !wanted || !std::io::stderr().is_terminal() {
            return Progress { wanted, bar: None };
        }
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr_with_hz(10));
        let style = ProgressStyle::with_template("{msg} {wide_bar} {pos}/{len}")
            .unwrap_or_else(|_| ProgressStyle::default_bar());
        bar.set_style(style.progress_chars("█▌─"));
        Progress {
            wanted,
            bar: Some(bar),
        }
    }

    pub(super) fn step(&self, step: Step) {
        if step == Step::Waiting && self.wanted {
            stderr("another build of this site is running; waiting for it to finish\n");
        }
        if step == Step::CacheLoaded(LoadStatus::Damaged) && self.wanted {
            stderr("the build cache is damaged and is ignored; every page is rebuilt\n");
        }
        if step == Step::CacheLoaded(LoadStatus::OtherVersion) && self.wanted {
            stderr("the build cache is from another version of sitegen; every page is rebuilt\n");
        }
        if let Step::WaitingForCms(host, seconds) = step
            && self.wanted
            && self.bar.is_none()
            && seconds % WAITING_INTERVAL == 0
        {
            stderr(&format!("waiting for {host} ({seconds} s)\n"));
        }
        let Some(bar) = &self.bar else { return };
        match step {
            Step::Waiting | Step::CacheLoaded(_) => {}
            Step::Stage(name) => bar.set_message(name),
            Step::WaitingForCms(host, seconds) => {
                bar.set_message(format!("waiting for {host} ({seconds} s)"));
            }
            Step::Planned(pages) => bar.set_length(pages as u64),
            Step::Rendered => bar.inc(1),
            Step::Photographs(count) => {
                bar.reset();
                bar.set_length(count as u64);
            }
            Step::Encoded(photograph) => {
                bar.set_message(format!("encoding {photograph}"));
                bar.inc(1);
            }
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

//! `sitegen serve`.

use clap::Args;

use diagnostics::problem::{Problems, Summary, human};
use sitegen::config::SnapshotMode;
use sitegen::serve::{self, Event, Settings};

use super::{GlobalOptions, stderr, stdout};

#[derive(Debug, Args)]
pub(super) struct ServeArguments {
    /// The port; 0 takes a free one.
    #[arg(long, default_value_t = 4000)]
    port: u16,
    /// The address to listen on.
    #[arg(long, default_value = serve::DEFAULT_HOST)]
    host: String,
    /// Serve the finished build as it is: no watching, no live reload.
    #[arg(long)]
    no_watch: bool,
}

pub(super) fn serve(shared: &GlobalOptions, own: &ServeArguments) -> u8 {
    let mut options = shared.options();
    if options.snapshot == SnapshotMode::Fallback {
        // Whoever edits saves every few seconds, and the CMS changes less often.
        options.snapshot = SnapshotMode::Recent;
    }
    let settings = Settings { options, host: own.host.clone(), port: own.port, watch: !own.no_watch };
    let quiet = shared.quiet;
    let report = move |event: Event| match event {
        Event::Ready(address) => stdout(&format!("Serving on {address}\n")),
        Event::Built(report) if !quiet => {
            let pages: usize = report.counts.pages.values().sum();
            stderr(&format!("built {pages} pages in {} ms\n", report.time.as_millis()));
        }
        Event::DevCaptcha if !quiet => {
            stderr("captchas are the preview's own, which anybody can solve: CAPTCHA_SECRET is not set\n");
        }
        Event::Built(_) | Event::DevCaptcha => {}
        Event::Problems(problems) => stderr(&human(problems)),
    };
    match serve::run(settings, report) {
        Ok(()) => 0,
        Err(problem) => shared.report(Problems::from(problem), Summary::default()),
    }
}

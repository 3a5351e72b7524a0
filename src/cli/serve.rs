//! `sitegen serve`: the preview server.

use clap::Args;

use config::{self, Editor, SnapshotMode};
use diagnostics::problem::{ProblemSummary, Problems, human};
use preview::{Access, PreviewSettings, ServerEvent};

use super::{GlobalOptions, schema, stderr, stdout};

#[derive(Debug, Args)]
pub(super) struct ServeArguments {
    /// The port; 0 picks a free one.
    #[arg(long, default_value_t = 4000)]
    port: u16,
    /// The host name or IP address to listen on.
    #[arg(long, default_value = preview::DEFAULT_HOST)]
    host: String,
    /// Serve the finished build without watching for changes or reloading the browser.
    #[arg(long)]
    no_watch: bool,
    /// The editor that opens the sources of pages: `vscode`, `cursor`, `vscodium`, `windsurf`, `zed`, `idea`,
    /// `textmate`, a URL such as `my://open?file={path}&line={line}`, or `none` to copy paths
    /// [env: `SITEGEN_EDITOR`] [default: `vscode`].
    #[arg(long, value_name = "NAME")]
    editor: Option<String>,
    /// Also accept requests for this host name, such as `preview.example.com`, or `.example.com` for that name and all its subdomains. Repeatable.
    #[arg(long, value_name = "NAME")]
    allowed_host: Vec<String>,
    /// Accept requests from a proxy if they carry the token from the URL that `serve` prints. By default, the panel and the
    /// editing forms refuse proxied requests.
    #[arg(long)]
    behind_proxy: bool,
    /// Store and deliver leads as configured in environment variables (`LEADS_STORE`, `LEADS_WEBHOOK_URL`, `CAPTCHA_SECRET`
    /// …). By default, they're only stored, in the site's folder.
    #[arg(long)]
    leads_from_environment: bool,
}

pub(super) fn serve(shared: &GlobalOptions, own: &ServeArguments) -> u8 {
    let mut options = shared.options();
    if options.snapshot == SnapshotMode::Fallback {
        // An author saves every few seconds, and the CMS changes less often, so not every build requests its posts.
        options.snapshot = SnapshotMode::Recent;
    }
    if (options.drafts || options.at.is_some()) && options.out.is_none() && !own.no_watch {
        options.out = Some(options.root.join(config::PREVIEW));
    }
    let editor = match Editor::named(own.editor.as_deref()) {
        Ok(editor) => editor,
        Err(problem) => return shared.report(Problems::from(problem), ProblemSummary::default()),
    };
    // Editors know fields that were declared since the schemas were written. A mistake in the settings is reported below.
    if let (Some(config), _) = shared.config()
        && let Err(problem) = schema::refresh(&config)
    {
        stderr(&human(&problem.into()));
    }
    let settings = PreviewSettings {
        options,
        host: own.host.clone(),
        port: own.port,
        watch: !own.no_watch,
        editor,
        access: Access {
            hosts: own.allowed_host.clone(),
            is_behind_proxy: own.behind_proxy,
        },
        uses_lead_settings: own.leads_from_environment,
    };
    let quiet = shared.quiet;
    let served = preview::run(settings, move |event| match event {
        ServerEvent::Ready(address) => stdout(&format!("Serving on {address}\n")),
        ServerEvent::Built(report) if !quiet => {
            let pages: usize = report.counts.pages.values().sum();
            stderr(&format!(
                "built {pages} pages in {} ms\n",
                report.time.as_millis()
            ));
        }
        ServerEvent::Leads { is_off: true, .. } if !quiet => {
            stderr("leads are refused, because `LEADS_STORE` is `off`\n");
        }
        ServerEvent::Leads {
            has_dev_captcha,
            ways,
            ..
        } if !quiet => stderr(&leads(has_dev_captcha, ways.as_deref())),
        ServerEvent::Built(_) | ServerEvent::Leads { .. } => {}
        ServerEvent::Problems(problems) => stderr(&human(problems)),
    });
    match served {
        Ok(()) => 0,
        Err(problem) => shared.report(Problems::from(problem), ProblemSummary::default()),
    }
}

/// A line about what becomes of leads; empty if there is nothing to know.
fn leads(has_dev_captcha: bool, ways: Option<&[String]>) -> String {
    let behind = if has_dev_captcha {
        "; the form uses a development captcha that anyone can solve"
    } else {
        ""
    };
    match ways {
        None if !has_dev_captcha => String::new(),
        None => format!("leads stay on this machine{behind}\n"),
        Some([]) => {
            format!(
                "leads are stored as configured in the environment, but not sent anywhere{behind}\n"
            )
        }
        Some(ways) => format!(
            "leads are sent as configured in the environment, by {}{behind}\n",
            ways.join(", ")
        ),
    }
}

//! `sitegen indexnow`: tells search engines which addresses of the published site have another text than before.

use clap::Args;

use config::{self, Config, IndexNowSettings};
use diagnostics::problem::{Code, Place, Problem, ProblemSummary, Problems};
use diagnostics::yaml::Spanned;
use diff::{OutputFolder, listed_texts};
use generator::indexnow::{AddressChanges, Announced, Texts};

use super::{Format, GlobalOptions, stdout};

#[derive(Debug, Args)]
pub(super) struct IndexNowArguments {
    /// Send every URL. By default, the first run sends none, and later runs send those of changed pages.
    #[arg(long)]
    all: bool,
    /// Print the URLs without sending them.
    #[arg(long)]
    dry_run: bool,
    /// The endpoint to send the URLs to, instead of `indexnow.endpoint` in `content/site.yaml`.
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,
}

pub(super) fn indexnow(shared: &GlobalOptions, own: &IndexNowArguments) -> u8 {
    let (config, problems) = config::load(&shared.options());
    let Some(config) = config else {
        return shared.report(problems, ProblemSummary::default());
    };
    match announce(shared, own, &config) {
        Ok(()) => 0,
        Err(problem) => shared.report_beside(Problems::from(*problem)),
    }
}

fn announce(
    shared: &GlobalOptions,
    own: &IndexNowArguments,
    config: &Config,
) -> Result<(), Box<Problem>> {
    let tell = |text: &str| {
        if !shared.quiet && shared.format != Format::Json {
            stdout(text);
        }
    };
    let mut settings = settings(config)?.clone();
    if let Some(endpoint) = &own.endpoint {
        settings.endpoint = Some(Spanned {
            value: endpoint.clone(),
            ..Spanned::default()
        });
    }
    if !config.site.is_indexed() {
        tell("search engines must not index this site (`indexed: false`), so nothing was sent\n");
        return Ok(());
    }
    let folder = OutputFolder::read(&config.paths.out, &config.paths.root)?;
    let key_file = format!("{}.txt", settings.key.value);
    if !folder.files.contains_key(&key_file) {
        let message = format!(
            "the output `{}` has no file `{key_file}`",
            config.paths.out.display()
        );
        return Err(Box::new(
            Problem::error(Code::DiffInput, message).hint("build and publish the site first"),
        ));
    }
    let hosts = config.site.hosts();
    let now: Texts = listed_texts(&folder, hosts)?
        .into_iter()
        .map(|text| (text.url, text.hash))
        .collect();
    let mut announced = Announced::open(config);
    // A site that moves to another host is another site.
    if let Some(texts) = &mut announced.texts {
        texts.retain(|url, _| hosts.path_in(url).is_some_and(|path| path.starts_with('/')));
    }
    if own.all {
        announced.texts = Some(Texts::new());
    } else if announced.texts.is_none() && !own.dry_run {
        announced.texts = Some(now.clone());
        announced.save()?;
        tell(&format!(
            "first run: recorded the text of {} URLs and sent none; `--all` sends them\n",
            now.len()
        ));
        return Ok(());
    }
    let changes = AddressChanges::between(announced.texts.as_ref().unwrap_or(&now), &now);
    if shared.format == Format::Json {
        let json = serde_json::to_string(&changes).unwrap_or_default();
        stdout(&format!("{json}\n"));
    }
    for (sign, addresses) in [
        ('+', &changes.added),
        ('~', &changes.changed),
        ('-', &changes.removed),
    ] {
        addresses
            .iter()
            .for_each(|address| tell(&format!("{sign} {address}\n")));
    }
    if own.dry_run {
        return Ok(());
    }
    let sent = announced.send(&settings, hosts, &now)?;
    tell(&match sent {
        0 => "no text has changed, so nothing was sent\n".to_owned(),
        1 => "sent 1 URL\n".to_owned(),
        count => format!("sent {count} URLs\n"),
    });
    Ok(())
}

fn settings(config: &Config) -> Result<&IndexNowSettings, Box<Problem>> {
    config.site.indexnow.as_ref().ok_or_else(|| {
        let problem = Problem::error(Code::MissingKey, "the site has no key for IndexNow");
        Box::new(
            problem
                .at(Place::file(config.site.source.path.clone()))
                .hint("write `indexnow: {key: …}` with 32 letters and digits of your choice, and publish the site"),
        )
    })
}

//! `sitegen leads`: looks after what visitors have sent, whether the API runs or not.

mod csv;
mod show;

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Subcommand, ValueEnum};

use api::clock;
use api::leads::{self, Channel, Lead, LeadSettings, Status, Store, StoreSettings};
use diagnostics::problem::{Code, Problem, Problems, Summary};

use super::{GlobalOptions, stderr, stdout};

/// So many leads are read at a time.
const PAGE: u32 = 500;

#[derive(Debug, Args)]
pub(super) struct LeadsArguments {
    /// The file or the table that holds the leads: `leads.sqlite3`, `dynamodb:TABLE` [default: `LEADS_STORE` of the
    /// environment, else `leads.sqlite3` in the site's folder].
    #[arg(long, global = true, value_name = "STORE")]
    store: Option<String>,
    #[command(subcommand)]
    command: LeadsCommand,
}

#[derive(Debug, Subcommand)]
enum LeadsCommand {
    /// List leads, the newest first.
    List {
        /// Only those of one status.
        #[arg(long, value_enum)]
        status: Option<StatusArgument>,
        /// No more than so many.
        #[arg(long, default_value_t = 50)]
        limit: usize,
    },
    /// Show one lead, and what has become of the news of it.
    Show {
        /// Its id, or the beginning of it.
        id: String,
    },
    /// Print all leads, the oldest first.
    Export {
        /// As a table, in which no spreadsheet finds a formula; otherwise one JSON object a line.
        #[arg(long)]
        csv: bool,
    },
    /// Delete every lead of an e-mail address.
    Forget {
        /// The address.
        email: String,
    },
    /// Try deliveries again that were given up, of one lead or of all.
    Retry {
        /// The lead.
        id: Option<String>,
    },
    /// Let a lead go that was held back: it is forwarded like any other.
    Release {
        /// Its id, or the beginning of it.
        id: String,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StatusArgument {
    Verified,
    Unverified,
    Quarantined,
    Spam,
    Released,
}

impl StatusArgument {
    fn status(self) -> Status {
        match self {
            StatusArgument::Verified => Status::Verified,
            StatusArgument::Unverified => Status::Unverified,
            StatusArgument::Quarantined => Status::Quarantined,
            StatusArgument::Spam => Status::Spam,
            StatusArgument::Released => Status::Released,
        }
    }
}

pub(super) fn leads(shared: &GlobalOptions, own: LeadsArguments) -> u8 {
    match run(shared, own) {
        Ok(()) => 0,
        Err(problem) => shared.report(Problems::from(problem), Summary::default()),
    }
}

fn run(shared: &GlobalOptions, own: LeadsArguments) -> Result<(), Problem> {
    let settings = settings(shared, own.store.as_deref())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| unreadable(&error.to_string()))?;
    runtime.block_on(async {
        let store = leads::open(&settings).map_err(|why| unreadable(&why))?;
        let Some(store) = store else {
            return Err(unreadable("`LEADS_STORE` is `off`, so that there are no leads"));
        };
        Command { store, settings, shared }.run(own.command).await
    })
}

struct Command<'a> {
    store: Arc<dyn Store>,
    settings: LeadSettings,
    shared: &'a GlobalOptions,
}

impl Command<'_> {
    async fn run(&self, command: LeadsCommand) -> Result<(), Problem> {
        match command {
            LeadsCommand::List { status, limit } => self.list(status.map(StatusArgument::status), limit).await,
            LeadsCommand::Show { id } => {
                let lead = self.find(&id).await?;
                let deliveries = self.store.deliveries(lead.id.clone()).await.map_err(failed)?;
                self.print(&show::lead(&lead, &deliveries), &show::json(&lead, &deliveries));
                Ok(())
            }
            LeadsCommand::Export { csv } => self.export(csv).await,
            LeadsCommand::Forget { email } => {
                let count = self.store.delete_by_email(email).await.map_err(failed)?;
                self.report(&format!("{count} {} deleted", if count == 1 { "lead" } else { "leads" }));
                Ok(())
            }
            LeadsCommand::Retry { id } => {
                let lead = match id {
                    Some(id) => Some(self.find(&id).await?.id),
                    None => None,
                };
                let count = self.store.retry(lead, clock::now()).await.map_err(failed)?;
                self.report(&format!(
                    "{count} {} tried again",
                    if count == 1 { "delivery is" } else { "deliveries are" }
                ));
                Ok(())
            }
            LeadsCommand::Release { id } => {
                let lead = self.find(&id).await?;
                let channels = self.channels();
                if !self.store.release(lead.id.clone(), channels.clone(), clock::now()).await.map_err(failed)? {
                    let message = format!("the lead {} is not held back: it is {}", lead.id, lead.status.name());
                    return Err(Problem::error(Code::BadSetting, message));
                }
                self.report(&format!("{} is released", lead.id));
                if channels.is_empty() {
                    self.report("it goes nowhere: neither LEADS_WEBHOOK_URL nor LEADS_MAIL_TO is set here");
                }
                Ok(())
            }
        }
    }

    /// Where the API would send it, when it has the same environment.
    fn channels(&self) -> Vec<Channel> {
        let set = [(Channel::Webhook, self.settings.webhook.is_some()), (Channel::Mail, self.settings.mail.is_some())];
        set.into_iter().filter_map(|(channel, is_set)| is_set.then_some(channel)).collect()
    }

    async fn list(&self, status: Option<Status>, limit: usize) -> Result<(), Problem> {
        let mut found: Vec<Lead> = Vec::new();
        let mut before = None;
        while found.len() < limit {
            let page = self.store.leads(before, PAGE).await.map_err(failed)?;
            let Some(last) = page.last() else { break };
            before = Some(last.id.clone());
            found.extend(page.into_iter().filter(|lead| status.is_none_or(|status| lead.status == status)));
        }
        found.truncate(limit);
        let json = found.iter().map(|lead| show::json(lead, &[])).collect::<serde_json::Value>();
        self.print(&show::list(&found), &json);
        Ok(())
    }

    async fn export(&self, as_csv: bool) -> Result<(), Problem> {
        let mut all: Vec<Lead> = Vec::new();
        loop {
            let before = all.last().map(|lead| lead.id.clone());
            let page = self.store.leads(before, PAGE).await.map_err(failed)?;
            if page.is_empty() {
                break;
            }
            all.extend(page);
        }
        all.reverse();
        if as_csv {
            stdout(&csv::table(&all));
        } else {
            all.iter().for_each(|lead| stdout(&format!("{}\n", show::json(lead, &[]))));
        }
        Ok(())
    }

    /// The lead whose id begins so.
    async fn find(&self, id: &str) -> Result<Lead, Problem> {
        let id = id.trim().to_uppercase();
        if let Some(lead) = self.store.lead(id.clone()).await.map_err(failed)? {
            return Ok(lead);
        }
        let mut found: Option<Lead> = None;
        let mut before = None;
        loop {
            let page = self.store.leads(before, PAGE).await.map_err(failed)?;
            let Some(last) = page.last() else { break };
            before = Some(last.id.clone());
            for lead in page.into_iter().filter(|lead| !id.is_empty() && lead.id.starts_with(&id)) {
                if found.is_some() {
                    let message = format!("more than one lead's id begins with `{id}`");
                    return Err(Problem::error(Code::BadSetting, message).hint("write more of it"));
                }
                found = Some(lead);
            }
        }
        found.ok_or_else(|| {
            Problem::error(Code::BadSetting, format!("there is no lead with the id `{id}`"))
                .hint("`sitegen leads list` shows the ids")
        })
    }

    fn print(&self, words: &str, json: &serde_json::Value) {
        if self.shared.format == super::Format::Json { stdout(&format!("{json}\n")) } else { stdout(words) }
    }

    fn report(&self, words: &str) {
        if !self.shared.quiet {
            stderr(&format!("{words}\n"));
        }
    }
}

/// The environment's settings, with the store that was typed; a file is looked for in the site's folder.
fn settings(shared: &GlobalOptions, store: Option<&str>) -> Result<LeadSettings, Problem> {
    let wrong = |why: String| Problem::error(Code::BadSetting, why);
    let mut settings = LeadSettings::from_environment(store).map_err(wrong)?;
    if let Some(StoreSettings::File(path)) = &mut settings.store {
        *path = shared.root.join(&*path);
        if !path.exists() {
            let shown: PathBuf = path.clone();
            return Err(Problem::error(
                Code::SiteMissing,
                format!("there are no leads yet: `{}` is not there", shown.display()),
            )
            .hint("name the store with `--store FILE` or `LEADS_STORE`"));
        }
    }
    Ok(settings)
}

fn unreadable(why: &str) -> Problem {
    Problem::error(Code::LeadsUnavailable, format!("the leads cannot be read: {why}"))
}

#[expect(clippy::needless_pass_by_value, reason = "given to map_err")]
fn failed(error: leads::StoreError) -> Problem {
    Problem::error(Code::LeadsUnavailable, error.to_string())
}

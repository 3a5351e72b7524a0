//! `sitegen leads`: lists, exports, copies, deletes and forwards leads. It opens the store directly, so the API need not run.

mod export;
mod inbox;
mod report;
mod show;

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Subcommand, ValueEnum};

use api::clock;
use api::leads::{
    self, Erase, Erasure, Expired, Expiry, Filter, Forwarding, Lead, LeadSettings, SiteFile,
    Status, Store, StoreSettings, json,
};
use api_types::lead_site;
use diagnostics::problem::{Code, Place, Problem, ProblemSummary, Problems};
use schema::types::Date;

use super::{GlobalOptions, stderr, stdout};

/// Leads per request to the store, to find one by the beginning of its id.
const PAGE: u32 = 5_000;

#[derive(Debug, Args)]
pub(super) struct LeadsArguments {
    /// The file or table of leads: `leads.sqlite3`, `dynamodb:TABLE` [default: the environment variable `LEADS_STORE`,
    /// or `leads.sqlite3` in the site's folder].
    #[arg(long, global = true, value_name = "STORE")]
    store: Option<String>,
    #[command(subcommand)]
    command: LeadsCommand,
}

#[derive(Debug, Subcommand)]
enum LeadsCommand {
    /// List leads, newest first.
    List {
        /// List only leads with this status.
        #[arg(long, value_enum)]
        status: Option<StatusArgument>,
        /// List only answers to this form.
        #[arg(long, value_name = "NAME")]
        form: Option<String>,
        /// List only leads from this person, by email address or phone number, in any format.
        #[arg(long, value_name = "EMAIL_OR_PHONE")]
        person: Option<String>,
        /// List only leads that contain this text, such as somebody's name.
        #[arg(long, value_name = "TEXT")]
        text: Option<String>,
        /// The maximum number of leads.
        #[arg(long, default_value_t = 50)]
        limit: usize,
    },
    /// Show one lead, and the state of its deliveries.
    Show {
        /// The lead's id, or the beginning of it.
        id: String,
    },
    /// Print all leads, oldest first: one JSON object per line, or one array with `--format json`.
    Export {
        /// Print CSV for spreadsheets. Text that a spreadsheet would read as a formula is prefixed with an apostrophe.
        #[arg(long)]
        csv: bool,
        /// Print only answers to this form.
        #[arg(long, value_name = "NAME")]
        form: Option<String>,
        /// Print only what this person sent, for example if they request their data. Takes an email address or a phone number, in any format.
        #[arg(long, value_name = "EMAIL_OR_PHONE")]
        person: Option<String>,
        /// Write visitors' files to this folder, with a subfolder for each lead.
        #[arg(long, value_name = "FOLDER")]
        files: Option<PathBuf>,
    },
    /// Count leads by form, page, language, status or month, or by where the visitors came from.
    Report {
        /// The columns to count leads by, separated by commas.
        #[arg(long, value_enum, value_delimiter = ',', default_value = "form")]
        by: Vec<report::By>,
        /// Count only leads from this day on, such as `2027-01-31`, in UTC.
        #[arg(long, value_name = "DAY")]
        since: Option<String>,
        /// Print CSV for spreadsheets.
        #[arg(long)]
        csv: bool,
    },
    /// Copy the leads to a file, whether or not the API is running.
    Backup {
        /// The file to write.
        file: PathBuf,
        /// Replace the file if it exists.
        #[arg(long)]
        force: bool,
    },
    /// Delete all leads from a person and erase their text from the store's files.
    Forget {
        /// The email address or the phone number, in any format: `ana@münchen.example` also matches
        /// `ANA@xn--mnchen-3ya.example`, and `+34 600 11 22 33` also matches `0034600112233`.
        person: String,
    },
    /// Delete leads by id and erase their text from the store's files.
    Delete {
        /// The leads' ids, or the beginnings of them.
        #[arg(required = true)]
        ids: Vec<String>,
    },
    /// Delete expired leads, including those the API kept because its clock jumped or most leads would have been deleted.
    Expire {
        /// The number of days that leads are kept [default: `leads.keep_days` from the site's last build].
        #[arg(long, value_name = "NUMBER")]
        days: Option<u32>,
        /// Delete the leads; without `--yes`, only count them.
        #[arg(long)]
        yes: bool,
    },
    /// Immediately retry deliveries that were abandoned or are waiting for another attempt, for one lead or all leads. If you
    /// name one lead, any deliveries that were never queued for it are queued, too.
    Retry {
        /// The lead's id, or the beginning of it.
        id: Option<String>,
    },
    /// Release a quarantined lead, so that it's forwarded like any other.
    Release {
        /// The lead's id, or the beginning of it.
        id: String,
    },
    /// Show leads in a browser, for people who don't use a terminal.
    Serve(inbox::InboxArguments),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum StatusArgument {
    Verified,
    Unverified,
    Quarantined,
    Spam,
    Released,
    Unconfirmed,
    Confirmed,
}

impl StatusArgument {
    fn status(self) -> Status {
        match self {
            StatusArgument::Verified => Status::Verified,
            StatusArgument::Unverified => Status::Unverified,
            StatusArgument::Quarantined => Status::Quarantined,
            StatusArgument::Spam => Status::Spam,
            StatusArgument::Released => Status::Released,
            StatusArgument::Unconfirmed => Status::Unconfirmed,
            StatusArgument::Confirmed => Status::Confirmed,
        }
    }
}

pub(super) fn leads(shared: &GlobalOptions, own: LeadsArguments) -> u8 {
    match run(shared, own) {
        Ok(()) => 0,
        Err(problem) => shared.report(Problems::from(problem), ProblemSummary::default()),
    }
}

fn run(shared: &GlobalOptions, own: LeadsArguments) -> Result<(), Problem> {
    with_store(shared, own.store.as_deref(), async |command| {
        command.run(own.command).await
    })
}

/// The days on which leads were received, one for each lead that is no spam.
pub(super) fn days(shared: &GlobalOptions, store: &str) -> Result<Vec<String>, Problem> {
    with_store(shared, Some(store), async |command| {
        let leads = command.all(Filter::default()).await?;
        let wanted = leads.iter().filter(|lead| lead.status != Status::Spam);
        Ok(wanted
            .map(|lead| clock::iso(lead.at)[..10].to_owned())
            .collect())
    })
}

fn with_store<T>(
    shared: &GlobalOptions,
    store: Option<&str>,
    call: impl AsyncFnOnce(LeadsSession<'_>) -> Result<T, Problem>,
) -> Result<T, Problem> {
    let settings = settings(shared, store)?;
    let file = match &settings.store {
        Some(StoreSettings::File(path)) => Some(path.display().to_string()),
        _ => None,
    };
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    let runtime = runtime.map_err(|error| unreadable(&error.to_string()))?;
    let done = runtime.block_on(async {
        let store = leads::open(&settings).map_err(|why| unreadable(&why))?;
        let Some(store) = store else {
            return Err(unreadable("`LEADS_STORE` is `off`, so no leads are stored"));
        };
        call(LeadsSession {
            store,
            settings,
            shared,
        })
        .await
    });
    done.map_err(|problem| match file {
        Some(file) if problem.code == Code::LeadsUnavailable && problem.place.is_none() => {
            problem.at(Place::file(file))
        }
        _ => problem,
    })
}

struct LeadsSession<'a> {
    store: Arc<dyn Store>,
    settings: LeadSettings,
    shared: &'a GlobalOptions,
}

impl LeadsSession<'_> {
    async fn run(&self, command: LeadsCommand) -> Result<(), Problem> {
        match command {
            LeadsCommand::List {
                status,
                form,
                person,
                text,
                limit,
            } => {
                let status = status.map(StatusArgument::status);
                let text = text.unwrap_or_default();
                self.list(
                    Filter {
                        status,
                        form,
                        person: person.map(known).transpose()?,
                        text,
                        ..Filter::default()
                    },
                    limit,
                )
                .await
            }
            LeadsCommand::Show { id } => {
                let lead = self.find(&id).await?;
                let deliveries = self
                    .store
                    .deliveries(lead.id.clone())
                    .await
                    .map_err(failed)?;
                self.print(
                    &show::lead(&lead, &deliveries),
                    &json::lead(&lead, &deliveries),
                );
                Ok(())
            }
            LeadsCommand::Export {
                csv,
                form,
                person,
                files,
            } => {
                let filter = Filter {
                    form,
                    person: person.map(known).transpose()?,
                    ..Filter::default()
                };
                self.export(csv, filter, files.as_deref()).await
            }
            LeadsCommand::Report { by, since, csv } => {
                let mut all = self.all(Filter::default()).await?;
                if let Some(since) = &since {
                    if Date::parse(since).is_none() {
                        let message = format!(
                            "`{since}` is not a date; write the year, month and day, as in `2027-01-31`"
                        );
                        return Err(Problem::error(Code::BadSetting, message));
                    }
                    // Both are written from the year on, so their order is that of their texts.
                    all.retain(|lead| clock::iso(lead.at).as_str() >= since.as_str());
                }
                let counts = report::counts(&all, &by);
                let words = if csv {
                    report::csv(&counts, &by)
                } else {
                    report::text(&counts)
                };
                self.print(&words, &report::json(&counts, &by));
                Ok(())
            }
            LeadsCommand::Backup { file, force } => {
                let Some(store) = &self.settings.store else {
                    return Ok(());
                };
                let copied = leads::backup(&*self.store, store, &file, force).await;
                let copied = copied.map_err(|why| Problem::error(Code::LeadsUnavailable, why))?;
                self.report(&format!(
                    "{} copied to {}",
                    leads_of(copied as usize),
                    file.display()
                ));
                Ok(())
            }
            LeadsCommand::Forget { person } => {
                let erasure = self
                    .store
                    .erase(Erase::Person(known(person)?))
                    .await
                    .map_err(failed)?;
                let is_nobody = erasure.leads == 0 && erasure.remains.is_none();
                self.erased(erasure)?;
                if is_nobody {
                    self.report(
                        "no lead has this email address or phone number; `sitegen leads delete ID` deletes a lead by its id",
                    );
                }
                Ok(())
            }
            LeadsCommand::Delete { ids } => {
                let mut wanted = Vec::new();
                for id in &ids {
                    wanted.push(self.find(id).await?.id);
                }
                self.erased(self.store.erase(Erase::Ids(wanted)).await.map_err(failed)?)
            }
            LeadsCommand::Serve(arguments) => {
                // A store that cannot be read is told at once, and not on each page.
                self.store
                    .listed(Filter::default(), None, 1)
                    .await
                    .map_err(failed)?;
                inbox::serve(arguments, Arc::clone(&self.store), self.site()).await
            }
            LeadsCommand::Expire { days, yes } => self.expire(days, yes).await,
            LeadsCommand::Retry { id } => {
                let lead = match id {
                    Some(id) => Some(self.find(&id).await?.id),
                    None => None,
                };
                let count = self.store.retry(lead, clock::now()).await.map_err(failed)?;
                self.report(&format!(
                    "{count} {} will be retried",
                    if count == 1 { "delivery" } else { "deliveries" }
                ));
                Ok(())
            }
            LeadsCommand::Release { id } => {
                let lead = self.find(&id).await?;
                let Some(forwarding) = self
                    .store
                    .release(lead.id.clone(), clock::now())
                    .await
                    .map_err(failed)?
                else {
                    let message = format!(
                        "the lead {} is not on hold: it is {}",
                        lead.id,
                        lead.status.name()
                    );
                    return Err(Problem::error(Code::BadSetting, message));
                };
                self.report(&format!("{} was released", lead.id));
                match forwarding {
                    Forwarding::Queued(channels) if channels.is_empty() => {
                        self.report("it won't be forwarded: neither `LEADS_WEBHOOK_URL` nor `LEADS_MAIL_TO` is set");
                    }
                    Forwarding::Queued(_) => {}
                    Forwarding::AtStart => {
                        self.report("it will be forwarded the next time the API starts");
                    }
                }
                Ok(())
            }
        }
    }

    /// Reports how many leads were deleted. An error if their text is still there.
    fn erased(&self, erasure: Erasure) -> Result<(), Problem> {
        let deleted = format!("{} deleted", leads_of(erasure.leads as usize));
        let Some(why) = erasure.remains else {
            self.report(&deleted);
            return Ok(());
        };
        let message = format!("{deleted}, but the store's files still contain deleted text: {why}");
        Err(Problem::error(Code::LeadsRemain, message)
            .hint("resolve this, then run the command again"))
    }

    async fn expire(&self, days: Option<u32>, is_confirmed: bool) -> Result<(), Problem> {
        let expiry = match days {
            Some(days) => Expiry::after(days, clock::now()),
            None => self.rules()?,
        };
        let expiry = Expiry {
            is_confirmed,
            ..expiry
        };
        if !is_confirmed {
            let all = self.all(Filter::default()).await?;
            let old = all.iter().filter(|lead| expiry.has_expired(lead)).count();
            let (have, them) = if old == 1 {
                ("has", "it")
            } else {
                ("have", "them")
            };
            let words = format!(
                "{old} of {} {have} expired; `--yes` deletes {them}",
                leads_of(all.len())
            );
            self.report(&words);
            return Ok(());
        }
        match self.store.expire(expiry).await.map_err(failed)? {
            Expired::Deleted(erasure) => self.erased(erasure),
            Expired::Held { why, .. } => Err(Problem::error(Code::LeadsUnavailable, why)),
        }
    }

    /// The description of the site by its last build.
    fn site(&self) -> SiteFile {
        SiteFile::new(self.shared.root.join(&self.settings.site))
    }

    /// The rules of expiry in the settings of the site's last build.
    fn rules(&self) -> Result<Expiry, Problem> {
        let expiry =
            lead_site::read(&self.shared.root.join(&self.settings.site)).and_then(|site| {
                let expiry = Expiry::of(&site, clock::now());
                if expiry.leads.is_none() && expiry.forms.is_empty() {
                    return Err(
                        "leads are kept forever: the site has no `leads.keep_days`".to_owned()
                    );
                }
                Ok(expiry)
            });
        expiry.map_err(|why| Problem::error(Code::BadSetting, why).hint("add `--days NUMBER`"))
    }

    async fn list(&self, filter: Filter, limit: usize) -> Result<(), Problem> {
        let count = u32::try_from(limit).unwrap_or(u32::MAX - 1);
        let found: Vec<Lead> = if count == 0 {
            Vec::new()
        } else {
            let listing = self
                .store
                .listed(filter, None, count)
                .await
                .map_err(failed)?;
            listing
                .leads
                .into_iter()
                .map(|listed| listed.lead)
                .collect()
        };
        let json = found
            .iter()
            .map(|lead| json::lead(lead, &[]))
            .collect::<serde_json::Value>();
        self.print(&show::list(&found), &json);
        Ok(())
    }

    /// The leads of a list, oldest first.
    async fn all(&self, filter: Filter) -> Result<Vec<Lead>, Problem> {
        self.store.all(filter).await.map_err(failed)
    }

    /// Finds the lead whose id begins with `id`, in any case. An error if none or several match.
    async fn find(&self, id: &str) -> Result<Lead, Problem> {
        let id = id.trim().to_uppercase();
        if let Some(lead) = self.store.lead(id.clone()).await.map_err(failed)? {
            return Ok(lead);
        }
        let mut found: Option<Lead> = None;
        let mut before = None;
        loop {
            let page = self
                .store
                .listed(Filter::default(), before, PAGE)
                .await
                .map_err(failed)?;
            let leads: Vec<Lead> = page.leads.into_iter().map(|listed| listed.lead).collect();
            before = leads.last().map(|lead| lead.id.clone());
            for lead in leads
                .into_iter()
                .filter(|lead| !id.is_empty() && lead.id.starts_with(&id))
            {
                if found.is_some() {
                    let message = format!("more than one lead has an id that begins with `{id}`");
                    return Err(
                        Problem::error(Code::BadSetting, message).hint("type more of the id")
                    );
                }
                found = Some(lead);
            }
            if !page.has_more {
                break;
            }
        }
        found.ok_or_else(|| {
            Problem::error(
                Code::BadSetting,
                format!("there is no lead with the id `{id}`"),
            )
            .hint("run `sitegen leads list` to see the ids")
        })
    }

    fn print(&self, words: &str, json: &serde_json::Value) {
        if self.shared.format == super::Format::Json {
            stdout(&format!("{json}\n"));
        } else {
            stdout(words);
        }
    }

    fn report(&self, words: &str) {
        if !self.shared.quiet {
            stderr(&format!("{words}\n"));
        }
    }
}

/// Settings from the environment; `store` overrides `LEADS_STORE`. The path of a file is relative to the site's folder.
fn settings(shared: &GlobalOptions, store: Option<&str>) -> Result<LeadSettings, Problem> {
    let settings = LeadSettings::from_environment(store);
    let mut settings = settings.map_err(|why| Problem::error(Code::BadSetting, why))?;
    if let Some(StoreSettings::File(path)) = &mut settings.store {
        *path = shared.root.join(&*path);
        if !path.exists() {
            let shown: PathBuf = path.clone();
            return Err(Problem::error(
                Code::SiteMissing,
                format!(
                    "there are no leads yet: `{}` does not exist",
                    shown.display()
                ),
            )
            .hint("name the store with `--store FILE` or `LEADS_STORE`"));
        }
    }
    Ok(settings)
}

/// A person who can be found.
fn known(person: String) -> Result<String, Problem> {
    if leads::names_person(&person) {
        return Ok(person);
    }
    let message = format!("`{person}` is neither an email address nor a phone number");
    Err(Problem::error(Code::BadSetting, message).hint(
        "to find a name, or anything else that somebody wrote, run `sitegen leads list --text TEXT`",
    ))
}

fn leads_of(count: usize) -> String {
    format!("{count} {}", if count == 1 { "lead" } else { "leads" })
}

fn unreadable(why: &str) -> Problem {
    Problem::error(
        Code::LeadsUnavailable,
        format!("the leads cannot be read: {why}"),
    )
}

#[expect(clippy::needless_pass_by_value, reason = "given to map_err")]
fn failed(error: leads::StoreError) -> Problem {
    Problem::error(Code::LeadsUnavailable, error.to_string())
}

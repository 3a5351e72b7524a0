//! `sitegen leads export`: prints leads as JSON or CSV, and writes the files that visitors sent.

use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use api::leads::{Filter, Lead, csv, json};
use diagnostics::problem::{Code, Problem};
use workspace::files;

use super::super::{Format, stdout};
use super::{LeadsSession, failed};

/// Creates a folder that only its owner can read.
fn private(folder: &Path) -> std::io::Result<()> {
    std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
}

impl LeadsSession<'_> {
    /// Prints leads, oldest first, and writes the files that visitors sent with them.
    pub(super) async fn export(
        &self,
        as_csv: bool,
        filter: Filter,
        files: Option<&Path>,
    ) -> Result<(), Problem> {
        let is_document = self.shared.format == Format::Json;
        if as_csv && is_document {
            let message = "`--csv` and `--format json` can't be combined";
            return Err(Problem::error(Code::BadSetting, message).hint("leave out one of them"));
        }
        let is_person = filter.person.is_some();
        let all = self.all(filter).await?;
        if is_person && all.is_empty() {
            self.report("no lead has this email address or phone number");
        }
        if as_csv {
            stdout(&csv::table(&all, self.site().get().as_deref()));
        } else if is_document {
            let json = all
                .iter()
                .map(|lead| json::lead(lead, &[]))
                .collect::<serde_json::Value>();
            stdout(&format!("{json}\n"));
        } else {
            all.iter()
                .for_each(|lead| stdout(&format!("{}\n", json::lead(lead, &[]))));
        }
        match files {
            Some(folder) => self.export_files(&all, folder).await,
            None => Ok(()),
        }
    }

    /// Writes the files of leads to a folder that only its owner may read. Their names are no paths; a number before each
    /// keeps apart those of one name.
    async fn export_files(&self, all: &[Lead], folder: &Path) -> Result<(), Problem> {
        let mut count = 0_usize;
        let mut missing = Vec::new();
        for lead in all {
            // A missing file of one lead holds back nothing of the others.
            let stored = match self.store.files(lead.id.clone()).await {
                Ok(stored) => stored,
                Err(why) => {
                    missing.push(why);
                    continue;
                }
            };
            for (place, file) in stored.iter().enumerate() {
                let of_lead = folder.join(&lead.id);
                let path = of_lead.join(format!("{}-{}-{}", file.field, place + 1, file.name));
                let mut options = std::fs::OpenOptions::new();
                let written = private(&of_lead)
                    .and_then(|()| {
                        options
                            .write(true)
                            .create(true)
                            .truncate(true)
                            .mode(0o600)
                            .open(&path)
                    })
                    .and_then(|mut written| written.write_all(&file.bytes));
                written.map_err(|error| {
                    let (path, why) = (path.display(), files::reason(&error));
                    Problem::error(
                        Code::BadSetting,
                        format!("`{path}` could not be written ({why})"),
                    )
                })?;
                count += 1;
            }
        }
        self.report(&format!(
            "{count} {} written to {}",
            if count == 1 { "file" } else { "files" },
            folder.display()
        ));
        missing
            .into_iter()
            .next()
            .map_or(Ok(()), |why| Err(failed(why)))
    }
}

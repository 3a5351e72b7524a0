//! The warnings for an operator when the API starts: where its settings do not fit the site.

use api_types::forms::Form;
use api_types::lead_site::LeadSite;

use super::Leads;
use super::dynamodb::FILES_MAX;
use super::settings::{StoreSettings, environment};

impl Leads {
    /// Why `leads.json` cannot be read, if it is there, and what the site asks for that this API does not have.
    pub fn site_failures(&self) -> Vec<String> {
        let site = self.site();
        let forms: Vec<&Form> = site.iter().flat_map(|site| &site.forms).collect();
        let mut found: Vec<String> = self.site.failure().into_iter().collect();
        if site
            .as_ref()
            .is_some_and(|site| site.rules.captcha.needs_key())
            && self.captcha.is_none()
        {
            found.push(format!(
                "`{}` is not set, so no captcha can be verified",
                environment::CAPTCHA_SECRET
            ));
        }
        let asking = forms
            .iter()
            .filter(|form| form.confirm_days.is_some() && !self.outbox.can_ask());
        found.extend(asking.map(|form| {
            let name = environment::SMTP_URL;
            format!(
                "the form `{}` asks for a confirmation by email, but `{name}` is not set",
                form.name
            )
        }));
        let named = forms
            .iter()
            .filter_map(|form| Some((&form.name, form.webhook.as_ref()?)));
        let unknown = named.filter(|(_, webhook)| !self.settings.webhooks.contains_key(*webhook));
        found.extend(unknown.map(|(form, webhook)| {
            let name = environment::LEADS_WEBHOOKS;
            format!(
                "the form `{form}` is delivered to the webhook `{webhook}`, which is not in `{name}`"
            )
        }));
        found.extend(self.file_failures(site.as_deref(), &forms));
        found
    }

    /// Where files do not fit the store.
    fn file_failures(&self, site: Option<&LeadSite>, forms: &[&Form]) -> Vec<String> {
        if !matches!(self.settings.store, Some(StoreSettings::DynamoDb(_))) {
            return Vec::new();
        }
        let name = environment::LEADS_FILES;
        let with_files = forms.iter().filter(|form| form.takes_files());
        let Some(bucket) = self.store.bucket() else {
            let why = |form: &&Form| {
                format!(
                    "the form `{}` takes files, but `{name}` is not set; answers with files are refused",
                    form.name
                )
            };
            return with_files.map(why).collect();
        };
        let many = with_files.filter(|form| form.files_count() > FILES_MAX);
        let mut found: Vec<String> = many
            .map(|form| {
                format!(
                    "the form `{}` takes more than {FILES_MAX} files, but a lead can't have that many",
                    form.name
                )
            })
            .collect();
        let uploads = site.and_then(|site| site.rules.uploads.as_ref());
        found.extend(uploads.filter(|url| !bucket.is_at(url)).map(|url| {
            format!(
                "`leads.uploads` of the site is {url}, which is not the bucket in `{name}`; files sent there are refused"
            )
        }));
        found
    }
}

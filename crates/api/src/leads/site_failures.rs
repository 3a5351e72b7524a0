//! What an operator hears when the API starts: where its settings do not fit the site.

use api_types::forms::Form;

use super::Leads;
use super::settings::{StoreSettings, environment};

impl Leads {
    /// Why `leads.json` cannot be read, if it is there, and what the site asks for that this API does not have.
    pub fn site_failures(&self) -> Vec<String> {
        let site = self.site();
        let forms: Vec<&Form> = site.iter().flat_map(|site| &site.forms).collect();
        let mut found: Vec<String> = self.site.failure().into_iter().collect();
        if site.as_ref().is_some_and(|site| site.rules.captcha.needs_key()) && self.captcha.is_none() {
            found.push(format!("{} is not set, so no captcha can be verified", environment::CAPTCHA_SECRET));
        }
        let asking = forms.iter().filter(|form| form.confirm_days.is_some() && !self.outbox.can_ask());
        found.extend(asking.map(|form| {
            let name = environment::SMTP_URL;
            format!("the form `{}` asks for a confirmation by mail, and {name} is not set", form.name)
        }));
        let named = forms.iter().filter_map(|form| Some((&form.name, form.webhook.as_ref()?)));
        let unknown = named.filter(|(_, webhook)| !self.settings.webhooks.contains_key(*webhook));
        found.extend(unknown.map(|(form, webhook)| {
            let name = environment::LEADS_WEBHOOKS;
            format!("the form `{form}` is delivered to the webhook `{webhook}`, which is not in {name}")
        }));
        let is_table = matches!(self.settings.store, Some(StoreSettings::DynamoDb(_)));
        let with_files = forms.iter().filter(|form| is_table && form.takes_files());
        found.extend(with_files.map(|form| {
            format!("the form `{}` takes files, which a DynamoDB table does not hold; store leads in a file", form.name)
        }));
        found
    }
}

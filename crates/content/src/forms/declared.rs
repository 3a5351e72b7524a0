//! Reads `form.yaml`: the fields of a form with their types and limits, what must be filled in together, and where answers go.

mod call;
mod choices;
mod conditions;
mod files;
mod keys;
mod looks;
mod steps;

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::IgnoredAny;

use api_types::forms::{AnswerType, FormField, LINES_MAX};
use diagnostics::problem::{Code, Problem, Problems, Source, Span, did_you_mean};
use diagnostics::yaml::{self, Node, Spanned, Value};
use schema::is_name;
use schema::types::Date;

pub use call::Call;

use call::Endpoint;
use choices::Choices;
use keys::{FieldEntry, Summary};

/// The day on which an answer is sent, as a bound.
const TODAY: &str = "today";
/// The most days that answers are kept, a century.
const KEEP_DAYS_MAX: u32 = 36_500;
/// The values of `autocomplete` that browsers fill in for a person.
const AUTOCOMPLETE: &[&str] = &[
    "name",
    "given-name",
    "family-name",
    "honorific-prefix",
    "organization",
    "organization-title",
    "street-address",
    "address-line1",
    "address-line2",
    "address-level1",
    "address-level2",
    "postal-code",
    "country",
    "country-name",
    "bday",
    "language",
    "url",
    "email",
    "tel",
    "off",
];
/// Parts of patterns that not every browser reads as the API does.
const FOREIGN: &[&str] = &[
    "(?i", "(?m", "(?s", "(?x", "(?u", "(?U", "(?P", "(?-", "(?<", "(?=", "(?!", r"\A", r"\z",
    "[[:",
];

/// The declaration of a form.
#[derive(Debug)]
pub struct FormDeclaration {
    /// Its fields, in order.
    pub fields: Vec<DeclaredField>,
    /// The names of the fields of each step; none if the form is on one page.
    pub steps: Vec<Vec<String>>,
    /// Groups of fields, of each of which one must have a value.
    pub require_one_of: Vec<Vec<String>>,
    /// Whether the tab of the visitor keeps what was entered until it is sent.
    pub draft: bool,
    /// The names of the fields whose answers stand above each later step.
    pub summary: Vec<String>,
    /// The call that it makes, if it is not sent to its own address.
    pub call: Option<Call>,
    /// The place of `drawing`, if the form shows that of the site once an answer is stored.
    pub drawing: Option<Span>,
    /// The consents that the visitor must give.
    pub consents: Vec<Consent>,
    /// Whether it is sent with a captcha.
    pub captcha: bool,
    /// Who receives the mail about an answer.
    pub mail: Option<Spanned<MailTarget>>,
    /// The name of the webhook that gets the answers.
    pub webhook: Option<Spanned<String>>,
    /// Whether the visitor gets a mail.
    pub answer: Option<Span>,
    /// The place of `confirm`, if an answer has to be confirmed by mail.
    pub confirm: Option<Span>,
    /// The number of days after which answers are deleted.
    pub keep_days: Option<u32>,
    /// The key of the page that thanks the visitor.
    pub thanks: Option<Spanned<String>>,
}

/// A declared field.
#[derive(Debug)]
pub struct DeclaredField {
    /// The field, without the choices of a reference.
    pub field: FormField,
    /// The collection whose entries a reference names.
    pub to: Option<Spanned<String>>,
    /// How browsers fill it in, such as `name`.
    pub autocomplete: Option<String>,
    /// The height of a text of several lines.
    pub lines: Option<u32>,
    /// How its choices are shown, if not as a menu.
    pub look: Option<Look>,
    /// The choice that is made at first.
    pub default: Option<Spanned<String>>,
    /// The icons of its choices, on cards.
    pub icons: BTreeMap<String, Spanned<String>>,
    /// The parameter of the page's address that fills it in.
    pub from_query: Option<String>,
    /// The field of the entries of a reference that names the entry of another field, if that offers them.
    pub entries_by: Option<Spanned<String>>,
    /// The fragments of the page's address that make a choice, by choice.
    pub anchors: BTreeMap<String, Vec<String>>,
    /// The place of its name.
    pub span: Span,
}

/// How choices are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Look {
    /// Cards that are pressed: the choice leads on.
    Buttons,
    /// Cards with a name, a sentence and an icon.
    Cards,
    /// Radio buttons.
    Radios,
}

impl Look {
    /// Its name in `form.yaml`.
    pub fn name(self) -> &'static str {
        match self {
            Look::Buttons => "buttons",
            Look::Cards => "cards",
            Look::Radios => "radios",
        }
    }
}

/// A consent that the visitor must give.
#[derive(Debug)]
pub struct Consent {
    /// Its name.
    pub name: String,
    /// The place of its name.
    pub span: Span,
}

/// Who receives the mail about an answer.
#[derive(Debug)]
pub enum MailTarget {
    /// An address.
    Address(String),
    /// A field of the entry that a field names: `{clinic.email}`.
    Entry {
        /// The field of the form.
        field: String,
        /// The path of fields in the entry.
        path: String,
    },
}

impl FormDeclaration {
    /// The field with the visitor's address: the first one of that type.
    pub fn email(&self) -> Option<&DeclaredField> {
        self.fields
            .iter()
            .find(|field| field.field.takes == AnswerType::Email)
    }

    /// A field by name.
    pub fn field(&self, name: &str) -> Option<&DeclaredField> {
        self.fields.iter().find(|field| field.field.name == name)
    }
}

/// Where answers go.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(default)]
struct Delivery {
    /// Who receives the email about an answer: an email address, or a field of the entry that a field names, such as
    /// `{clinic.email}`.
    mail: Option<Spanned<String>>,
    /// The name of the webhook that gets answers, as the API knows it by its variable `LEADS_WEBHOOKS`.
    webhook: Option<Spanned<String>>,
    /// Whether the visitor gets an email, with the text `answer` of their language.
    answer: Option<Spanned<bool>>,
}

/// The keys of the file.
#[derive(Deserialize, JsonSchema)]
pub struct FormFile {
    /// Its fields by name.
    // Read in order, one by one.
    #[serde(rename = "fields")]
    #[schemars(with = "BTreeMap<String, FieldEntry>")]
    _fields: IgnoredAny,
    /// The names of its fields in each step: `[[clinic, day], [name, email]]`; without it, the form is on one page.
    #[serde(default)]
    steps: Vec<Vec<Spanned<String>>>,
    /// The tab keeps the input until it is sent, for visitors who reload the page or leave it for another one.
    #[serde(default)]
    draft: bool,
    /// The answers above each later step, with links back to their steps: `true` for all, or the names of fields.
    summary: Option<Spanned<Summary>>,
    /// The call that sends the form, instead of `/api/forms/<name>`: `leads` is `POST /api/leads`.
    endpoint: Option<Spanned<Endpoint>>,
    /// The field for each key of that call: `{name: name, projectType: service}`.
    #[serde(default)]
    call: BTreeMap<String, Spanned<String>>,
    /// Once an answer is stored, the form shows the drawing `content/images/brand/success.svg`.
    drawing: Option<Spanned<bool>>,
    /// Groups of fields: in each group, at least one must have a value: `[[email, phone]]`.
    #[serde(default)]
    require_one_of: Vec<Vec<Spanned<String>>>,
    /// The consents that the visitor must give; their text is in the files of the languages.
    #[serde(default)]
    consent: Vec<Spanned<String>>,
    /// Whether it is sent with a captcha.
    captcha: Option<bool>,
    /// Where answers go.
    #[serde(default)]
    deliver: Delivery,
    /// Number of days after which answers are deleted, instead of the number in `site.yaml`.
    keep_days: Option<Spanned<u32>>,
    /// Whether a visitor has to confirm an answer by email before it is forwarded.
    confirm: Option<Spanned<bool>>,
    /// The key of the page that thanks the visitor; without it, the form itself thanks them.
    thanks: Option<Spanned<String>>,
}

/// Reads a form. `None` if a part of it is wrong, which was reported.
pub(super) fn read(source: &Arc<Source>, problems: &mut Problems) -> Option<FormDeclaration> {
    let node = yaml::parse(source, 0..source.text.len())
        .map_err(|problem| problems.push(problem))
        .ok()?;
    let file: FormFile = yaml::read(source, &node, problems)?;
    let mut reader = Reader {
        source,
        problems,
        is_wrong: false,
        refused: Vec::new(),
    };
    let fields = reader.fields(node.get("fields")?);
    let form = FormDeclaration {
        consents: file
            .consent
            .iter()
            .map(|name| Consent {
                name: name.value.clone(),
                span: name.span,
            })
            .collect(),
        steps: Vec::new(),
        require_one_of: Vec::new(),
        draft: file.draft,
        summary: Vec::new(),
        call: None,
        drawing: file
            .drawing
            .filter(|drawing| drawing.value)
            .map(|drawing| drawing.span),
        captcha: file.captcha.unwrap_or(true),
        mail: file
            .deliver
            .mail
            .as_ref()
            .and_then(|mail| reader.mail(mail)),
        webhook: file.deliver.webhook,
        answer: file
            .deliver
            .answer
            .filter(|answer| answer.value)
            .map(|answer| answer.span),
        confirm: file
            .confirm
            .filter(|confirm| confirm.value)
            .map(|confirm| confirm.span),
        keep_days: file.keep_days.as_ref().map(|days| days.value),
        thanks: file.thanks,
        fields,
    };
    if let Some(days) = file
        .keep_days
        .as_ref()
        .filter(|days| !(1..=KEEP_DAYS_MAX).contains(&days.value))
    {
        reader.report(
            days.span,
            &format!("`{}` is not a valid number of days", days.value),
            "write a number from 1 to 36500",
        );
    }
    if let Some(webhook) = form
        .webhook
        .as_ref()
        .filter(|webhook| !is_name(&webhook.value))
    {
        reader.report(
            webhook.span,
            &format!("`{}` is not a valid name for a webhook", webhook.value),
            NAME_HINT,
        );
    }
    if !form
        .fields
        .iter()
        .any(|field| field.field.takes == AnswerType::Email)
    {
        let message = "an email to the visitor needs a field with `type: email`";
        for span in [form.answer, form.confirm].into_iter().flatten() {
            reader.report(
                span,
                message,
                "add `email: {type: email, required: true}` below `fields:`",
            );
        }
    }
    if let (Some(span), Some(email)) = (form.confirm, form.email())
        && !email.field.required
    {
        reader.report(
            span,
            &format!(
                "an answer without `{}` could never be confirmed",
                email.field.name
            ),
            "add `required: true` to the field",
        );
    }
    for consent in &form.consents {
        if !is_name(&consent.name) {
            reader.report(
                consent.span,
                &format!("`{}` is not a valid name for a consent", consent.name),
                NAME_HINT,
            );
        } else if form.field(&consent.name).is_some() {
            let message = format!("this form also has a field called `{}`", consent.name);
            reader.report(consent.span, &message, "give one of the two another name");
        }
    }
    let names: Vec<&str> = form
        .fields
        .iter()
        .map(|field| field.field.name.as_str())
        .collect();
    for name in file.require_one_of.iter().flatten() {
        reader.known(&names, &name.value, name.span);
    }
    if file.require_one_of.iter().any(Vec::is_empty) {
        let at = node
            .get("require_one_of")
            .map_or(node.span, |node| node.span);
        reader.report(
            at,
            "a group of fields is empty",
            "write names of fields, such as `[[email, phone]]`",
        );
    }
    reader.offers(&form, node.get("fields")?);
    reader.conditions(&form, node.get("fields")?);
    reader.one_field_with_anchors(&form);
    if let Some(node) = node.get("steps") {
        reader.steps(&form, &file.steps, &file.require_one_of, node);
    }
    let call = reader.call(&form, file.endpoint.as_ref(), &file.call, &node);
    reader.buttons(&form, &file.steps);
    let form = FormDeclaration {
        summary: reader.summary(&names, file.summary.as_ref(), node.get("steps").is_some()),
        call,
        steps: without_places(file.steps),
        require_one_of: without_places(file.require_one_of),
        ..form
    };
    (!reader.is_wrong).then(|| form.in_order_of_steps())
}

fn without_places(groups: Vec<Vec<Spanned<String>>>) -> Vec<Vec<String>> {
    groups
        .into_iter()
        .map(|group| group.into_iter().map(|name| name.value).collect())
        .collect()
}

const NAME_HINT: &str = "begin with a letter, and use lowercase letters, digits and `_`";

struct Reader<'a> {
    source: &'a Arc<Source>,
    problems: &'a mut Problems,
    is_wrong: bool,
    /// The names of fields with a mistake that was reported.
    refused: Vec<String>,
}

impl Reader<'_> {
    fn report(&mut self, span: Span, message: &str, hint: impl Into<Option<&'static str>>) {
        let problem = Problem::error(Code::FormDeclaration, message).at(self.source.place(span));
        self.problems
            .push(problem.maybe_hint(hint.into().map(str::to_owned)));
        self.is_wrong = true;
    }

    /// Reports a name that is none of a field.
    fn known(&mut self, names: &[&str], name: &str, span: Span) {
        if !names.contains(&name) && !self.refused.iter().any(|refused| refused == name) {
            let problem = Problem::error(
                Code::FormDeclaration,
                format!("the form has no field `{name}`"),
            );
            let near = did_you_mean(name, names.iter().copied());
            self.problems
                .push(problem.at(self.source.place(span)).maybe_hint(near));
            self.is_wrong = true;
        }
    }

    fn fields(&mut self, node: &Node) -> Vec<DeclaredField> {
        let entries = match &node.value {
            Value::Map(entries) if !entries.is_empty() => entries,
            _ => {
                self.report(
                    node.span,
                    "the form has no fields",
                    "write `email: {type: email, required: true}` below `fields:`",
                );
                return Vec::new();
            }
        };
        let fields = entries.iter().filter_map(|(key, node)| {
            if !is_name(&key.name) {
                self.report(
                    key.span,
                    &format!("`{}` is not a valid name for a field", key.name),
                    NAME_HINT,
                );
                return None;
            }
            let entry: Option<FieldEntry> = yaml::read(self.source, node, self.problems);
            self.is_wrong |= entry.is_none();
            let field = entry.and_then(|entry| self.field(&key.name, key.span, entry, node));
            if field.is_none() {
                self.refused.push(key.name.clone());
            }
            field
        });
        fields.collect()
    }

    fn field(
        &mut self,
        name: &str,
        span: Span,
        entry: FieldEntry,
        node: &Node,
    ) -> Option<DeclaredField> {
        let takes = entry.takes.value;
        let mut is_wrong = !self.has_what_it_needs(name, span, &entry, node);
        let chosen = self.choices(&entry, node);
        is_wrong |= chosen.is_none();
        let Choices {
            values: choices,
            by: choices_by,
            entries_by,
        } = chosen.unwrap_or_default();
        is_wrong |= !self.are_choices(&choices);
        let anchors = self.anchors(&entry, &choices, node);
        is_wrong |= anchors.is_none();
        is_wrong |= [&entry.min, &entry.max]
            .into_iter()
            .flatten()
            .any(|bound| !self.bound(takes, bound));
        if let (Some(min), Some(max)) = (&entry.min, &entry.max)
            && is_reversed(takes, &min.value, &max.value)
        {
            self.report(
                max.span,
                &format!(
                    "`{}` is less than `min`, so no value is accepted",
                    max.value
                ),
                "swap `min` and `max`",
            );
            is_wrong = true;
        }
        is_wrong |= entry
            .pattern
            .as_ref()
            .is_some_and(|pattern| !self.pattern(pattern));
        if let Some(Spanned { value: 0, span }) = &entry.lines {
            self.report(*span, "`lines` must be at least 1", None);
            is_wrong = true;
        }
        let most = entry.most.as_ref().and_then(|most| self.most(takes, most));
        is_wrong |= entry.most.is_some() && most.is_none();
        is_wrong |= takes == AnswerType::File && !self.are_types(name, span, &entry);
        is_wrong |= !self.is_look(&entry, &choices, node);
        if let Some(token) = entry
            .autocomplete
            .as_ref()
            .filter(|token| !AUTOCOMPLETE.contains(&token.value.as_str()))
        {
            let problem = Problem::error(
                Code::FormDeclaration,
                format!("`{}` is not a valid value for `autocomplete`", token.value),
            );
            let near = did_you_mean(&token.value, AUTOCOMPLETE.iter().copied());
            self.problems
                .push(problem.at(self.source.place(token.span)).maybe_hint(near));
            self.is_wrong = true;
            is_wrong = true;
        }
        let autocomplete = entry
            .autocomplete
            .map(|token| token.value)
            .or_else(|| match takes {
                AnswerType::Email => Some("email".to_owned()),
                AnswerType::Phone => Some("tel".to_owned()),
                _ => None,
            });
        let lines = entry.lines.as_ref().map(|lines| lines.value);
        let field = FormField {
            name: name.to_owned(),
            takes,
            required: entry.required,
            list: entry.list,
            lines: lines.is_some(),
            min: entry.min.map(|bound| bound.value),
            max: entry.max.map(|bound| bound.value),
            most: most.unwrap_or(if lines.is_some() {
                LINES_MAX
            } else {
                takes.most()
            }),
            pattern: entry.pattern.map(|pattern| pattern.value),
            accept: entry.accept.into_iter().map(|kind| kind.value).collect(),
            choices: choices.into_iter().map(|choice| choice.value).collect(),
            shown_when: keys::conditions(entry.shown_when),
            choices_by,
        };
        (!is_wrong).then_some(DeclaredField {
            field,
            to: entry.to,
            autocomplete,
            lines,
            look: entry.look.map(|look| look.value),
            default: entry.default,
            icons: entry.icons,
            from_query: entry.from_query.map(|name| name.value),
            entries_by,
            anchors: anchors.unwrap_or_default(),
            span,
        })
    }

    /// Whether a field has the keys of its type, and no others. What is wrong is reported.
    fn has_what_it_needs(
        &mut self,
        name: &str,
        span: Span,
        entry: &FieldEntry,
        node: &Node,
    ) -> bool {
        let takes = entry.takes.value;
        let is_text = takes == AnswerType::Text;
        let is_chosen = matches!(takes, AnswerType::Choice | AnswerType::Reference);
        let is_file = takes == AnswerType::File;
        let has_bounds = matches!(takes, AnswerType::Date | AnswerType::Number);
        let misplaced: [(&str, bool, &str); 14] = [
            (
                "accept",
                is_file,
                "only a field with `type: file` can have `accept`",
            ),
            (
                "choices_by",
                is_chosen,
                "only a choice or a reference can have `choices_by`",
            ),
            (
                "anchors",
                takes == AnswerType::Choice && !entry.list,
                "only a choice that is not a `list` can have `anchors`",
            ),
            (
                "choices",
                takes == AnswerType::Choice,
                "only a field with `type: choice` can have `choices`",
            ),
            (
                "to",
                takes == AnswerType::Reference,
                "only a field with `type: reference` can have `to`",
            ),
            (
                "look",
                is_chosen,
                "only a choice or a reference can have a `look`",
            ),
            (
                "default",
                takes == AnswerType::Choice && !entry.list,
                "only a choice that is not a `list` can have a `default`",
            ),
            (
                "from_query",
                !is_file,
                "a URL cannot fill in a file, so a file field cannot have `from_query`",
            ),
            (
                "list",
                is_chosen || is_file,
                "only a choice, a reference or a file can be a `list`",
            ),
            (
                "lines",
                is_text,
                "only a field with `type: text` can have `lines`",
            ),
            (
                "pattern",
                is_text && entry.lines.is_none(),
                "only a field with `type: text` and without `lines` can have a `pattern`",
            ),
            (
                "most",
                is_text || is_file,
                "only a field with `type: text` or `type: file` can have `most`",
            ),
            ("min", has_bounds, "only dates and numbers can have `min`"),
            (
                "max",
                has_bounds || (is_file && entry.list),
                "only dates, numbers and lists of files can have `max`",
            ),
        ];
        let mut is_wrong = false;
        for (key, is_allowed, message) in misplaced {
            if !is_allowed && node.get(key).is_some() {
                let hint = if key == "max" && is_text {
                    "write `most` for the maximum number of characters"
                } else {
                    "remove the key, or change the field so that the key is allowed"
                };
                self.report(node.get(key).map_or(span, |node| node.span), message, hint);
                is_wrong = true;
            }
        }
        if takes == AnswerType::Choice && entry.choices.is_empty() && entry.choices_by.is_empty() {
            self.report(
                span,
                &format!("`{name}` is a choice without `choices`"),
                "add `choices: [morning, evening]`",
            );
            is_wrong = true;
        }
        if takes == AnswerType::Reference && entry.to.is_none() {
            self.report(
                span,
                &format!("`{name}` is a reference without `to`"),
                "add `to: …` with the name of a collection",
            );
            is_wrong = true;
        }
        !is_wrong
    }

    /// Whether values can be chosen. What is wrong is reported.
    fn are_choices(&mut self, written: &[Spanned<String>]) -> bool {
        let mut is_wrong = false;
        let mut choices: Vec<&str> = Vec::new();
        for choice in written {
            if choice.value.trim().is_empty() || choice.value.chars().count() > 200 {
                self.report(choice.span, "a choice must have 1 to 200 characters", None);
                is_wrong = true;
            } else if choices.contains(&choice.value.as_str()) {
                let message = format!("the choice `{}` is listed twice", choice.value);
                self.report(choice.span, &message, "remove one of the two");
                is_wrong = true;
            }
            choices.push(&choice.value);
        }
        !is_wrong
    }

    /// Whether a bound is a value of the type. A wrong one is reported.
    fn bound(&mut self, takes: AnswerType, bound: &Spanned<String>) -> bool {
        let (is_value, hint) = match takes {
            AnswerType::Number => (bound.value.parse::<i64>().is_ok(), "write a whole number"),
            AnswerType::Date => (
                bound.value == TODAY || Date::parse(&bound.value).is_some(),
                "write a date such as `2027-01-31`, or `today`",
            ),
            // A number of files.
            _ => (true, ""),
        };
        if !is_value {
            self.report(
                bound.span,
                &format!("`{}` is not a valid value for this type", bound.value),
                hint,
            );
        }
        is_value
    }

    /// Whether the API and browsers read a pattern in the same way. Another one is reported.
    fn pattern(&mut self, pattern: &Spanned<String>) -> bool {
        let text = &pattern.value;
        if regex::Regex::new(&format!("^(?:{text})$")).is_err() {
            self.report(
                pattern.span,
                &format!("`{text}` is not a valid regular expression"),
                "correct it, or remove it",
            );
            return false;
        }
        if let Some(part) = FOREIGN.iter().find(|part| text.contains(**part)) {
            self.report(
                pattern.span,
                &format!("browsers do not support `{part}` in a pattern"),
                "write the pattern without that part",
            );
            return false;
        }
        true
    }

    fn mail(&mut self, mail: &Spanned<String>) -> Option<Spanned<MailTarget>> {
        let target = match mail
            .value
            .strip_prefix('{')
            .and_then(|rest| rest.strip_suffix('}'))
        {
            Some(path) => path.split_once('.').map(|(field, path)| MailTarget::Entry {
                field: field.to_owned(),
                path: path.to_owned(),
            }),
            None => api_types::leads::is_plausible_email(&mail.value)
                .then(|| MailTarget::Address(mail.value.clone())),
        };
        if target.is_none() {
            let hint = "write an email address, or a placeholder such as `{clinic.email}` for the `email` of the entry chosen in the form's field `clinic`";
            self.report(
                mail.span,
                &format!("`{}` is not an email address", mail.value),
                hint,
            );
        }
        Some(Spanned {
            value: target?,
            span: mail.span,
        })
    }
}

/// Whether no value is between two bounds.
fn is_reversed(takes: AnswerType, min: &str, max: &str) -> bool {
    match takes {
        AnswerType::Number => min
            .parse::<i64>()
            .ok()
            .zip(max.parse::<i64>().ok())
            .is_some_and(|(min, max)| min > max),
        AnswerType::Date => Date::parse(min)
            .zip(Date::parse(max))
            .is_some_and(|(min, max)| min > max),
        _ => false,
    }
}

#[cfg(test)]
mod calls_tests;
#[cfg(test)]
mod tests;

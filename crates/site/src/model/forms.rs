//! The forms of the site in each language: fields with their words, checked against each other, against collections and
//! against the pages that show them. Makes what the API has to know of each.

mod call;
mod choices;
mod mistakes;
mod steps;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use api_types::captcha::CaptchaProvider;
use api_types::forms::{self as contract, AnswerType, FormLanguage, MailTo};
use config::SiteSettings;
use content::Content;
use content::forms::{DeclaredField, FormDeclaration, FormSources, FormWords, MailTarget};
use content::sections::SectionRole;
use diagnostics::marks::without;
use diagnostics::problem::{Code, Place, Problem, Problems, Source, Span, did_you_mean};
use diagnostics::yaml;
use languages::locale::Locale;
use schema::Takes;
use schema::types::{Absence, FieldType};
use text::rich::Target;

use super::collections::{Collections, plain};
use super::fields::{Field, UsedImage, Walk};
use super::page::{Body, EntryId, Page};

pub use mistakes::mistakes;

/// The number of days that a visitor has to confirm an answer.
const CONFIRM_DAYS: u32 = 7;

/// The forms of a site.
#[derive(Debug, Default)]
pub struct Forms {
    /// Sorted by name.
    pub list: Vec<Form>,
}

/// A form.
#[derive(Debug)]
pub struct Form {
    /// Its declaration.
    pub declaration: Arc<FormDeclaration>,
    /// Its words in each language; `None` where it has none.
    pub texts: Vec<Option<FormText>>,
    /// The first page that shows it in each language: its index in `site.pages`.
    pub pages: Vec<Option<usize>>,
    /// Whether only pages or sections that are not public yet show it: nobody can answer it then.
    pub is_early: bool,
    /// The part that the API needs, without pages.
    pub contract: contract::Form,
    /// Its file, for problems that later stages find.
    pub source: Arc<Source>,
}

/// The words of a form in one language.
#[derive(Debug)]
pub struct FormText {
    /// The words as a map: `title`, `lead`, `fields`, `steps`, `consent`, `submit`, `success`.
    pub words: Field,
    /// The code of their language, which may lend them to another one.
    pub words_in: String,
    /// Their file.
    pub source: Arc<Source>,
}

impl Forms {
    /// A form by name.
    pub fn named(&self, name: &str) -> Option<&Form> {
        self.list.iter().find(|form| form.contract.name == name)
    }

    /// All links in words, with the language and the file of each.
    pub fn links<'a>(&'a self, visit: &mut dyn FnMut(&'a Target, usize, &'a Arc<Source>)) {
        for form in &self.list {
            for (locale, text) in form.texts.iter().enumerate() {
                if let Some(text) = text {
                    text.words
                        .links(&mut |target| visit(target, locale, &text.source));
                }
            }
        }
    }
}

/// The words of a value, with the mark of the preview that tells where they are written; none if there are none.
pub fn words_of(field: &Field) -> Option<String> {
    let plain = plain(field).filter(|text| !text.is_empty())?;
    match field {
        Field::Text(text) => Some(text.clone()),
        _ => Some(plain),
    }
}

impl FormText {
    /// The text at a path of names.
    pub fn text(&self, path: &[&str]) -> Option<String> {
        self.at(path).and_then(words_of)
    }

    /// The words of a step, from 0.
    pub fn step(&self, at: usize) -> Option<&Field> {
        match self.words.get("steps")? {
            Field::List(steps) => steps.get(at),
            _ => None,
        }
    }

    /// The texts by name at a path of names.
    pub fn entries(&self, path: &[&str]) -> BTreeMap<String, String> {
        let Some(Field::Map(entries)) = self.at(path) else {
            return BTreeMap::new();
        };
        entries
            .iter()
            .filter_map(|(name, text)| Some((name.clone(), plain(text)?)))
            .collect()
    }

    /// The words at a path of names.
    pub fn at(&self, path: &[&str]) -> Option<&Field> {
        path.iter()
            .try_fold(&self.words, |field, name| field.get(name))
    }
}

/// The id of a form on a page, and its anchor.
pub fn anchor(name: &str) -> String {
    format!("form-{name}")
}

/// The entries that visitors can choose of a collection in a language, with their names.
pub fn options(
    collections: &Collections,
    to: &str,
    locale: &(usize, &Locale),
) -> Vec<(String, String)> {
    let Some(at) = collections.position(to) else {
        return Vec::new();
    };
    let collection = &collections.list[at];
    collection.order[locale.0]
        .iter()
        .map(|entry| {
            let id = EntryId {
                collection: at,
                entry: *entry,
            };
            (
                collection.entries[*entry].key.clone(),
                collections.name(id, locale),
            )
        })
        .collect()
}

/// Combines the declarations of all forms with their words, and checks the sections that show them.
pub(super) fn resolve(
    settings: &SiteSettings,
    content: &Content,
    collections: &Collections,
    pages: &mut [Page],
    used: &mut BTreeMap<String, UsedImage>,
    problems: &mut Problems,
) -> Forms {
    let shown = shown(content, pages, problems);
    steps::check_pages(content, pages, &shown, problems);
    let mut forms = Forms::default();
    call::check_one(content, problems);
    for sources in &content.forms.list {
        let mut join = Join {
            settings,
            content,
            collections,
            sources,
            problems,
        };
        join.check_references();
        join.check_choices();
        let texts: Vec<Option<FormText>> = content
            .locales
            .iter()
            .map(|locale| join.text(&locale.code, used))
            .collect();
        let pages: Vec<Option<usize>> = (0..content.locales.len())
            .map(|locale| {
                shown
                    .iter()
                    .find(|(name, at, _)| *name == sources.name && *at == locale)
                    .map(|found| found.2)
            })
            .collect();
        join.check_pages(&texts, &pages);
        let contract = join.contract(&texts);
        join.check_size(&contract);
        forms.list.push(Form {
            declaration: Arc::clone(&sources.form),
            texts,
            is_early: pages.iter().all(Option::is_none) && is_early(content, &sources.name),
            pages,
            contract,
            source: Arc::clone(&sources.source),
        });
    }
    forms
}

/// Whether a page or a section that is not public yet shows a form.
fn is_early(content: &Content, form: &str) -> bool {
    let pages = content.withdrawn_pages.iter();
    let mut pages = pages
        .chain(&content.withdrawn_sections)
        .filter(|page| matches!(page.absence, Absence::Scheduled(_)));
    let mut sections = content
        .page_files()
        .flat_map(|page| &page.hidden)
        .filter(|(_, absence)| matches!(absence, Absence::Scheduled(_)));
    pages.any(|page| page.forms.iter().any(|name| name == form))
        || sections.any(|(section, _)| section.form() == Some(form))
}

/// The forms that pages show, with the language and the index of the page. Adds the anchors of forms to their pages.
fn shown(
    content: &Content,
    pages: &mut [Page],
    problems: &mut Problems,
) -> Vec<(String, usize, usize)> {
    let mut shown = Vec::new();
    for (index, page) in pages
        .iter_mut()
        .enumerate()
        .filter(|(_, page)| page.body == Body::Sections || page.shared > 0)
    {
        let mut names: BTreeSet<String> = BTreeSet::new();
        let mut is_partial = false;
        let sections = page
            .sections
            .iter()
            .filter(|section| section.kind.role == SectionRole::Form);
        for (section, name) in
            sections.filter_map(|one| Some((one, one.fields.get("form").and_then(plain)?)))
        {
            let source = section.source.as_ref().unwrap_or(&page.source);
            let place = yaml::place_of_text(source, &["form"], &name);
            let forms = &content.forms;
            if forms.broken.contains(&name) {
                // Nothing is known of the anchors of its choices.
                is_partial = true;
                continue;
            }
            if !forms.list.iter().any(|form| form.name == name) {
                let near = did_you_mean(&name, forms.list.iter().map(|form| form.name.as_str()));
                let near = near
                    .unwrap_or_else(|| format!("declare it in `content/forms/{name}/form.yaml`"));
                let problem = Problem::error(Code::UnknownId, format!("there is no form `{name}`"));
                problems.push(problem.at(place).hint(near));
                continue;
            }
            if names.contains(&name) && section.source.is_some() {
                let message = format!("the page `{}` already shows the form `{name}`", page.key);
                let hint = format!(
                    "write `not_on_pages: [{}]`, or remove the form from that page",
                    page.key
                );
                problems.push(
                    Problem::error(Code::DuplicateId, message)
                        .at(place)
                        .hint(hint),
                );
                continue;
            }
            if !names.insert(name.clone()) {
                let problem = Problem::error(
                    Code::DuplicateId,
                    format!("this page shows the form `{name}` twice"),
                );
                problems.push(problem.at(place).hint("remove one of the two sections"));
                continue;
            }
            let locale = content
                .locales
                .iter()
                .position(|locale| locale.code == page.locale)
                .unwrap_or_default();
            shown.push((name, locale, index));
        }
        page.partial |= is_partial;
        page.anchors.extend(names.iter().map(|name| anchor(name)));
        choices::add_anchors(content, &names, page, problems);
    }
    shown
}

/// The files of one form.
struct Join<'a> {
    settings: &'a SiteSettings,
    content: &'a Content,
    collections: &'a Collections,
    sources: &'a FormSources,
    problems: &'a mut Problems,
}

impl Join<'_> {
    fn report(
        &mut self,
        code: Code,
        place: Place,
        message: String,
        hint: impl Into<Option<String>>,
    ) {
        self.problems.push(
            Problem::error(code, message)
                .at(place)
                .maybe_hint(hint.into()),
        );
    }

    /// Reports collections and fields of entries that do not exist, and pages.
    fn check_references(&mut self) {
        let form = Arc::clone(&self.sources.form);
        let source = Arc::clone(&self.sources.source);
        for to in form.fields.iter().filter_map(|field| field.to.as_ref()) {
            let known = self
                .content
                .collections
                .list
                .iter()
                .map(|collection| collection.schema.name);
            if self.content.collections.broken.contains(&to.value)
                || known.clone().any(|name| name == to.value)
            {
                continue;
            }
            let hint = did_you_mean(&to.value, known)
                .unwrap_or_else(|| format!("create it with `sitegen new collection {}`", to.value));
            self.report(
                Code::UnknownId,
                source.place(to.span),
                format!("there is no collection `{}`", to.value),
                hint,
            );
        }
        if let Some(mail) = &form.mail
            && let MailTarget::Entry { field, path } = &mail.value
        {
            let to = form.field(field).and_then(|field| field.to.as_ref());
            let schema = to.and_then(|to| self.content.collections.named(&to.value));
            let takes = schema
                .and_then(|collection| collection.schema.fields.field(path))
                .map(|field| &field.takes);
            let message = match (to, takes) {
                (None, _) => Some(format!("`{field}` is not a reference field of this form")),
                (Some(to), None) if schema.is_some() => {
                    Some(format!("`{}` has no field `{path}`", to.value))
                }
                (Some(_), None | Some(Takes::Typed(FieldType::Email))) => None,
                (Some(to), Some(_)) => Some(format!(
                    "`{path}` in `{}` is not an `email` field",
                    to.value
                )),
            };
            if let Some(message) = message {
                self.report(
                    Code::UnknownId,
                    source.place(mail.span),
                    message,
                    "name a reference field of this form and an `email` field of its entries, such as `{clinic.email}`"
                        .to_owned(),
                );
            }
        }
        if let Some(thanks) = &form.thanks
            && !self
                .content
                .pages
                .iter()
                .any(|page| page.key == thanks.value)
        {
            let near = did_you_mean(
                &thanks.value,
                self.content.pages.iter().map(|page| page.key.as_str()),
            );
            let message = format!("there is no page with the key `{}`", thanks.value);
            self.report(Code::DeadLink, source.place(thanks.span), message, near);
        }
    }

    /// The words in one language. What is missing or too much is reported.
    fn text(&mut self, locale: &str, used: &mut BTreeMap<String, UsedImage>) -> Option<FormText> {
        let mut known = self.settings.with_fallbacks(locale);
        let (words_in, (words, source)) = known
            .find_map(|code| Some((code.to_owned(), self.sources.words.get(code)?.clone())))?;
        self.check_words(&words, &source);
        let settings = self.settings.in_language(locale);
        let mut walk = Walk::new(settings, &source, &self.content.images, used, self.problems);
        let tree = walk.tree(&*words);
        Some(FormText {
            words: tree,
            words_in,
            source,
        })
    }

    fn check_words(&mut self, words: &FormWords, source: &Arc<Source>) {
        let form = Arc::clone(&self.sources.form);
        let place = |path: &[&str]| yaml::place_of_key(source, path);
        let file = || Place::file(source.path.clone());
        for DeclaredField { field, .. } in &form.fields {
            let name = &field.name;
            let Some(words) = words.fields.get(name) else {
                let hint = format!("add `{name}: {{label: …}}` below `fields:`");
                self.report(
                    Code::MissingKey,
                    file(),
                    format!("the field `{name}` has no label"),
                    hint,
                );
                continue;
            };
            let choices = if field.takes == AnswerType::Choice {
                &field.choices[..]
            } else {
                &[]
            };
            for choice in choices
                .iter()
                .filter(|choice| !words.choices.contains_key(*choice))
            {
                let hint = format!("add `{choice}: …` to its `choices`");
                let message = format!("the choice `{choice}` of `{name}` has no name");
                self.report(Code::MissingKey, place(&["fields", name]), message, hint);
            }
            let named = words
                .choices
                .keys()
                .chain(words.texts.keys())
                .chain(words.previews.keys());
            for choice in named
                .filter(|choice| !choices.contains(choice))
                .collect::<BTreeSet<_>>()
            {
                let near = did_you_mean(choice, choices.iter().map(String::as_str));
                let message = format!("the field `{name}` has no choice `{choice}`");
                let places = ["choices", "texts", "previews"]
                    .map(|key| place(&["fields", name, key, choice]));
                let found = places.iter().find(|place| place.range.is_some()).cloned();
                self.report(Code::UnknownId, found.unwrap_or_else(file), message, near);
            }
        }
        for name in words
            .fields
            .keys()
            .filter(|name| form.field(name).is_none())
        {
            let near = did_you_mean(
                name,
                form.fields.iter().map(|field| field.field.name.as_str()),
            );
            self.report(
                Code::UnknownId,
                place(&["fields", name]),
                format!("the form has no field `{name}`"),
                near,
            );
        }
        for consent in form
            .consents
            .iter()
            .filter(|consent| !words.consent.contains_key(&consent.name))
        {
            let hint = format!("add `{}: …` below `consent:`", consent.name);
            self.report(
                Code::MissingKey,
                file(),
                format!("the consent `{}` has no text", consent.name),
                hint,
            );
        }
        self.check_steps(words, source);
        self.check_mails(words, source);
        self.check_message(words, source);
        self.check_mistakes(words, source);
        for name in words
            .consent
            .keys()
            .filter(|name| form.consents.iter().all(|consent| consent.name != **name))
        {
            let near = did_you_mean(
                name,
                form.consents.iter().map(|consent| consent.name.as_str()),
            );
            self.report(
                Code::UnknownId,
                place(&["consent", name]),
                format!("the form has no consent `{name}`"),
                near,
            );
        }
    }

    /// Reports mails to the visitor that lack words, or name what no mail repeats.
    fn check_mails(&mut self, words: &FormWords, source: &Arc<Source>) {
        let form = Arc::clone(&self.sources.form);
        let answer = words
            .answer
            .as_ref()
            .map(|mail| (&mail.subject, &mail.text));
        let confirm = words
            .confirm
            .as_ref()
            .map(|words| (&words.subject, &words.text));
        for (key, is_sent, mail, setting) in [
            (
                "answer",
                form.answer.is_some(),
                answer,
                "deliver: {answer: true}",
            ),
            ("confirm", form.confirm.is_some(), confirm, "confirm: true"),
        ] {
            match mail {
                None if is_sent => {
                    let hint = format!("add `{key}:` with `subject: …` and `text: …`");
                    let message = format!("the email `{key}` to visitors has no text");
                    self.report(
                        Code::MissingKey,
                        Place::file(source.path.clone()),
                        message,
                        hint,
                    );
                }
                Some(_) if !is_sent => {
                    let place = yaml::place_of_key(source, &[key]);
                    let hint = format!("add `{setting}` to `form.yaml`, or remove `{key}`");
                    self.report(
                        Code::FormDeclaration,
                        place,
                        format!("the form does not send the email `{key}`"),
                        hint,
                    );
                }
                Some((subject, text)) => {
                    let names = [subject.as_str(), text.0.value.as_str()]
                        .map(|text| contract::placeholders(text).map(|(_, name)| name));
                    for name in names.into_iter().flatten().collect::<BTreeSet<_>>() {
                        let place = yaml::place_of_text(source, &[key], &format!("{{{name}}}"));
                        self.check_placeholder(&form, name, place);
                    }
                }
                None => {}
            }
        }
    }

    /// Reports a placeholder of a mail that names no field, or one that a mail to an address that anybody can type must not
    /// repeat.
    fn check_placeholder(&mut self, form: &FormDeclaration, name: &str, place: Place) {
        let Some(DeclaredField { field, .. }) = form.field(name) else {
            let near = did_you_mean(
                name,
                form.fields.iter().map(|field| field.field.name.as_str()),
            );
            return self.report(
                Code::UnknownPlaceholder,
                place,
                format!("the form has no field `{name}`"),
                near,
            );
        };
        let why = match field.takes {
            AnswerType::Text if field.lines => {
                "can have several lines, so emails to visitors must not include it"
            }
            AnswerType::Flag => "is a checkbox, which emails cannot include",
            AnswerType::File => "takes files, which emails cannot include",
            _ => return,
        };
        let hint = format!("remove `{{{name}}}`");
        self.report(
            Code::UnknownPlaceholder,
            place,
            format!("`{name}` {why}"),
            hint,
        );
    }

    /// Reports what pages with the form need: words in their language, and a captcha.
    fn check_pages(&mut self, texts: &[Option<FormText>], pages: &[Option<usize>]) {
        let name = self.sources.name.clone();
        let shown = pages
            .iter()
            .zip(texts)
            .zip(&self.content.locales)
            .filter(|((page, _), _)| page.is_some());
        let missing: Vec<String> = shown
            .filter(|((_, text), _)| text.is_none())
            .map(|(_, locale)| locale.code.clone())
            .collect();
        for code in missing {
            let message = format!(
                "the form `{name}` has no text for the locale `{code}`, but a page in this language shows it"
            );
            let hint = format!("write it in `content/forms/{name}/{code}.yaml`");
            self.report(
                Code::TranslationMissing,
                Place::file(self.sources.source.path.clone()),
                message,
                hint,
            );
        }
        let is_shown = pages.iter().any(Option::is_some);
        if is_shown && self.sources.form.captcha && self.settings.leads.captcha.lacks_key() {
            let message = format!(
                "the form `{name}` has a captcha, but `content/site.yaml` has no key for it"
            );
            let other = if self.sources.form.call.is_some() {
                ""
            } else {
                ", or write `captcha: false` in the form"
            };
            let hint = format!(
                "add `captcha: {{site_key: …}}` or `captcha: {{provider: altcha}}` below `leads:`{other}"
            );
            self.report(
                Code::IncompleteData,
                Place::file(self.sources.source.path.clone()),
                message,
                hint,
            );
        }
    }

    /// Reports a form whose answers may be larger than a request can be.
    fn check_size(&mut self, form: &contract::Form) {
        if form.files_max() > contract::FILES_MAX {
            let field = self
                .sources
                .form
                .fields
                .iter()
                .find(|field| field.field.takes == AnswerType::File);
            let place = self
                .sources
                .source
                .place(field.map_or(Span::default(), |field| field.span));
            let message = format!(
                "an answer can have {} MB of files, but the API accepts {} MB",
                form.files_max() / (1024 * 1024),
                contract::FILES_MAX / (1024 * 1024)
            );
            self.report(
                Code::FormDeclaration,
                place,
                message,
                "lower the `most` or the `max` of the file fields".to_owned(),
            );
        }
        if form.fits() {
            return;
        }
        let texts = form
            .fields
            .iter()
            .filter(|field| field.takes != AnswerType::File);
        let most: u32 = texts.map(|field| field.most).sum();
        let message = format!(
            "an answer can have {most} characters, which in some writing systems is more than the API accepts"
        );
        let texts = form
            .fields
            .iter()
            .filter(|field| field.takes != AnswerType::File);
        let longest = texts
            .max_by_key(|field| field.most)
            .map_or("", |field| &field.name);
        let declared = self
            .sources
            .form
            .field(longest)
            .map_or(Span::default(), |field| field.span);
        let hint = format!("lower the `most` of `{longest}`");
        self.report(
            Code::FormDeclaration,
            self.sources.source.place(declared),
            message,
            hint,
        );
    }

    /// The part of the form that the API needs, without pages.
    fn contract(&self, texts: &[Option<FormText>]) -> contract::Form {
        let declared = &self.sources.form;
        let fields = declared
            .fields
            .iter()
            .map(|declared| self.with_entries(declared));
        let languages = self
            .content
            .locales
            .iter()
            .zip(texts)
            .filter_map(|(locale, text)| {
                let text = text.as_ref()?;
                let title = text
                    .text(&["title"])
                    .unwrap_or_else(|| self.sources.name.clone());
                let errors =
                    declared
                        .fields
                        .iter()
                        .filter_map(|DeclaredField { field, .. }| {
                            Some((
                                field.name.clone(),
                                text.text(&["fields", &field.name, "error"])?,
                            ))
                        });
                let consents = declared.consents.iter().filter_map(|consent| {
                    let words = text.at(&["consent", &consent.name]).and_then(plain)?;
                    let hash = short_hash(&words);
                    Some((consent.name.clone(), contract::Consent { words, hash }))
                });
                let mistakes =
                    declared
                        .fields
                        .iter()
                        .filter_map(|DeclaredField { field, .. }| {
                            let kinds = text.entries(&["fields", &field.name, "mistakes"]);
                            (!kinds.is_empty()).then(|| (field.name.clone(), kinds))
                        });
                let language = FormLanguage {
                    title,
                    errors: errors.collect(),
                    mistakes: mistakes.collect(),
                    consents: consents.collect(),
                    ..FormLanguage::default()
                };
                Some((locale.code.clone(), language))
            });
        let mut form = contract::Form {
            name: self.sources.name.clone(),
            version: String::new(),
            fields: fields.collect(),
            require_one_of: declared.require_one_of.clone(),
            consents: declared
                .consents
                .iter()
                .map(|consent| consent.name.clone())
                .collect(),
            captcha: declared.captcha
                && self.settings.leads.captcha.provider != CaptchaProvider::None,
            mail: declared.mail.as_ref().map(|mail| self.mail(&mail.value)),
            webhook: declared
                .webhook
                .as_ref()
                .map(|webhook| webhook.value.clone()),
            keep_days: declared.keep_days,
            confirm_days: declared.confirm.map(|_| CONFIRM_DAYS),
            person: person(declared),
            languages: languages.collect(),
        };
        // A struct of texts and numbers always serializes.
        form.version = short_hash(
            &serde_json::to_string(&(&form.fields, &form.consents, &form.languages))
                .unwrap_or_default(),
        );
        form
    }

    fn mail(&self, target: &MailTarget) -> MailTo {
        let (field, path) = match target {
            MailTarget::Address(address) => return MailTo::Address(address.clone()),
            MailTarget::Entry { field, path } => (field, path),
        };
        let collection = self
            .sources
            .form
            .field(field)
            .and_then(|field| field.to.as_ref());
        let at = collection.and_then(|to| self.collections.position(&to.value));
        let mut to = BTreeMap::new();
        if let Some(at) = at {
            for (entry, values) in self.collections.list[at].entries.iter().enumerate() {
                let id = EntryId {
                    collection: at,
                    entry,
                };
                let locales = self.content.locales.iter().enumerate();
                let address = locales
                    .map(|locale| self.collections.value(id, &locale, path))
                    .find_map(|value| value);
                to.extend(address.map(|address| (values.key.clone(), address)));
            }
        }
        MailTo::Field {
            name: field.clone(),
            to,
        }
    }
}

/// The fields with the visitor's name: the one that browsers fill in with it, or those with its parts.
fn person(declared: &FormDeclaration) -> Vec<String> {
    let whole = texts_filled_in_with(declared, &["name"]);
    if whole.is_empty() {
        return texts_filled_in_with(declared, &["given-name", "family-name"]);
    }
    whole.into_iter().take(1).collect()
}

/// The fields for texts that browsers fill in with one of these.
fn texts_filled_in_with(declared: &FormDeclaration, tokens: &[&str]) -> Vec<String> {
    let fields = declared.fields.iter().filter(|field| {
        let token = field.autocomplete.as_deref();
        field.field.takes == AnswerType::Text && token.is_some_and(|token| tokens.contains(&token))
    });
    fields.map(|field| field.field.name.clone()).collect()
}

/// The first 16 hexadecimal digits of the hash of a text, without the marks that the preview puts into it. Visitors send the hash of the words that they agree to, so the way it is made
/// must not change.
fn short_hash(text: &str) -> String {
    blake3::hash(without(text).as_bytes()).to_hex()[..16].to_owned()
}

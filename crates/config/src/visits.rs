//! `visits:` in `content/site.yaml`: the service that counts visits. The setting names a preset, a file that holds what the
//! service loads, and gives the values of its fields. It becomes the hosts of the content security policy and the values
//! that `react/visits/visits.ts` is bundled with.

mod filling;
mod preset;
mod values;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use api_types::base_url::parts;
use schemars::JsonSchema;
use serde_json::json;

use crate::theme::Theme;
use diagnostics::problem::{Code, Place, Problem, Problems, Severity, Source, did_you_mean};
use diagnostics::yaml::{self, Node, Spanned, Value};
use workspace::files::FileSet;

use super::SiteSettings;
pub use values::origin_of_host;

use filling::Values;
pub use preset::Preset;
use preset::{Call, Hosts};

/// The folder of presets, in the theme and in a site.
const FOLDER: &str = "templates/visits";
/// How long a choice is kept, in days, unless the site says otherwise: a year, after which visitors are asked again.
const KEEP_DAYS: u32 = 365;
/// The longest that a choice may be kept, in days.
const MOST_DAYS: u32 = 730;
/// The keys that every preset has, beside its fields.
const SHARED: [&str; 4] = ["preset", "privacy", "regions", "keep_days"];
/// The beginning of the interface messages of the banner.
const MESSAGES: &str = "consent_";

/// The keys of the setting that every preset has. Each preset has fields of its own beside them.
#[derive(JsonSchema)]
#[schemars(extend("additionalProperties" = true))]
#[expect(dead_code, reason = "describes what `read` reads")]
#[schemars(rename = "WrittenVisits")]
pub struct Written {
    /// The name of a file in `templates/visits/`: `plausible`, `umami`, `matomo`, `goatcounter`, `google_analytics`,
    /// `tag_manager`, `access_logs`, or a preset of the site.
    preset: String,
    /// The privacy page, which the banner links to: `page:privacy`.
    privacy: Option<String>,
    /// Where visitors are asked for consent, by the time zone of their device: `[Europe, America/Sao_Paulo]`. Default:
    /// everywhere.
    regions: Option<Vec<String>>,
    /// Number of days after which a visitor is asked again. Default: 365.
    keep_days: Option<u32>,
}

/// The service that counts visits, with the values of the site.
#[derive(Debug, Clone)]
pub struct Visits {
    /// The name of its preset: `google_analytics`.
    pub preset: String,
    /// Its name for visitors: `Google Analytics`.
    pub title: String,
    /// Whether a visitor has to agree before anything is loaded.
    pub needs_consent: bool,
    /// Its purposes: `statistics`, `advertising`. The message `consent_purpose_statistics` has the text for visitors.
    pub purposes: Vec<String>,
    /// The page about privacy.
    pub privacy: Option<Spanned<String>>,
    /// Other hosts that pages may load from.
    pub hosts: Hosts,
    /// The values that the script is bundled with.
    pub script: serde_json::Value,
}

impl SiteSettings {
    /// The container of the tag manager whose frame pages have for browsers without script. A visitor without script cannot
    /// be asked, so there is none if the site asks for consent.
    pub fn tag_manager_frame(&self) -> Option<&str> {
        let asks = self
            .visits
            .as_ref()
            .is_some_and(|visits| visits.needs_consent);
        self.tag_manager
            .as_ref()
            .filter(|_| !asks)
            .map(|id| id.value.as_str())
    }

    /// Whether the site shows an interface message of the theme that belongs to the banner.
    pub fn asks_consent(&self, message: &str) -> bool {
        self.visits
            .as_ref()
            .is_some_and(|visits| visits.needs_consent)
            || !message.starts_with(MESSAGES)
    }
}

/// Reads the setting, and the preset that it names.
pub fn read(
    root: &FileSet,
    theme: &Theme,
    settings: &SiteSettings,
    node: Option<&Node>,
    problems: &mut Problems,
) -> Option<Visits> {
    let source = &settings.source;
    let node = node.filter(|node| node.value != Value::Null)?;
    let Value::Map(entries) = &node.value else {
        let message = format!(
            "expected a block with a preset, found {}",
            node.value.kind()
        );
        let problem = node.problem(source, Problem::error(Code::WrongType, message));
        problems.push(
            problem
                .hint("write a block such as `visits: {preset: plausible, domain: example.com}`"),
        );
        return None;
    };
    let Some(name) = node.get("preset") else {
        let problem = node.problem(
            source,
            Problem::error(Code::MissingKey, "the key `preset` is missing"),
        );
        problems.push(problem.maybe_hint(did_you_mean(
            "preset",
            names(root, theme).iter().map(String::as_str),
        )));
        return None;
    };
    let written = name.as_text().unwrap_or_default();
    let preset_source = is_name(written)
        .then(|| find(root, theme, written))
        .flatten();
    let Some(preset_source) = preset_source else {
        let message = format!("there is no preset `{}`", written.escape_debug());
        let known = names(root, theme);
        let hint = did_you_mean(written, known.iter().map(String::as_str));
        problems.push(
            name.problem(source, Problem::error(Code::InvalidValue, message))
                .maybe_hint(hint),
        );
        return None;
    };
    let preset: Preset = yaml::load(&preset_source, problems)?;
    let known: Vec<&str> = SHARED
        .into_iter()
        .chain(preset.fields.keys().map(String::as_str))
        .collect();
    for (key, _) in entries
        .iter()
        .filter(|(key, _)| !known.contains(&key.name.as_str()))
    {
        let hint = did_you_mean(&key.name, known.iter().copied());
        let message = format!(
            "the preset `{written}` has no field `{}`",
            key.name.escape_debug()
        );
        problems.push(
            Problem::error(Code::UnknownKey, message)
                .at(source.place(key.span))
                .maybe_hint(hint),
        );
    }
    let before = problems.count(Severity::Error);
    let values = values::read(&preset, settings, node, problems);
    let regions = values::regions(source, node.get("regions"), problems);
    let keep_days = match node.get("keep_days") {
        None => KEEP_DAYS,
        Some(days) => yaml::read::<u32>(source, days, problems).unwrap_or(KEEP_DAYS),
    };
    if let Some(days) = node
        .get("keep_days")
        .filter(|_| !(1..=MOST_DAYS).contains(&keep_days))
    {
        let message =
            format!("`visits.keep_days` is {keep_days}, but it must be from 1 to {MOST_DAYS}");
        let problem = days.problem(source, Problem::error(Code::InvalidValue, message));
        problems.push(problem.hint("write a number such as `365`"));
    }
    let privacy = node
        .get("privacy")
        .and_then(|link| yaml::read::<Spanned<String>>(source, link, problems));
    if problems.count(Severity::Error) > before {
        return None;
    }
    let filled = Filled {
        name: written,
        node,
        preset_source: &preset_source,
        preset: &preset,
        values: &values,
    };
    filled
        .visits(settings, &regions, keep_days, privacy)
        .map_err(|problem| problems.push(problem))
        .ok()
}

/// A preset with the values of a site.
struct Filled<'a> {
    name: &'a str,
    node: &'a Node,
    preset_source: &'a Arc<Source>,
    preset: &'a Preset,
    values: &'a Values,
}

impl Filled<'_> {
    fn visits(
        &self,
        settings: &SiteSettings,
        regions: &[String],
        keep_days: u32,
        privacy: Option<Spanned<String>>,
    ) -> Result<Visits, Problem> {
        let (preset, values) = (self.preset, self.values);
        let missing = |field: String| self.missing(settings, &field);
        let src = values.fill(&preset.script).map_err(missing)?;
        let mut hosts = preset.hosts.filled(values).map_err(missing)?;
        if let Some(bad) = hosts.all().find(|host| !values::is_host_source(host)) {
            let message = format!("`{}` is not the URL of a host", bad.escape_debug());
            return Err(self
                .in_preset(message)
                .hint("write only the scheme and the host, such as `https://stats.example.com`"));
        }
        if !src.is_empty() {
            let origin = values::origin_of_address(&src).ok_or_else(|| {
                let message = format!("`{}` is not the URL of a script", src.escape_debug());
                self.in_preset(message)
                    .hint("write a URL such as `https://stats.example.com/script.js`")
            })?;
            hosts.script.insert(0, origin);
        }
        hosts.unify();
        let needs_consent = values.holds(&preset.consent);
        let attributes = preset
            .attributes
            .iter()
            .map(|(name, value)| Ok((name.clone(), json!(values.fill(value).map_err(missing)?))));
        let attributes = attributes.collect::<Result<serde_json::Map<_, _>, Problem>>()?;
        let start = preset.start.iter().filter(|call| call.applies(values));
        let start: Vec<_> = start
            .map(|call| self.call(settings, call))
            .collect::<Result<_, _>>()?;
        let lead = preset
            .lead
            .as_ref()
            .map(|call| self.call(settings, call))
            .transpose()?;
        let search = preset
            .search
            .as_ref()
            .map(|call| self.call(settings, call))
            .transpose()?;
        // Visitors are asked again when another service gets their data, or the same one for something else.
        let agreed = serde_json::to_vec(&json!([
            self.name,
            hosts.all().collect::<Vec<_>>(),
            preset.purposes
        ]));
        let version = blake3::hash(&agreed.unwrap_or_default()).to_hex()[..8].to_owned();
        let consent = needs_consent.then(|| {
            json!({
                "version": version,
                "days": keep_days,
                "regions": regions,
                "cookies": preset.cookies,
                "mode": preset.consent_mode,
            })
        });
        let script = json!({
            // A copy of the site on another host counts nothing.
            "origins": settings
                .hosts()
                .base_urls()
                .map(|url| parts(url).0)
                .collect::<Vec<_>>(),
            "src": src,
            "attributes": attributes,
            "start": start,
            "lead": lead,
            "search": search,
            "consent": consent,
        });
        let purposes = preset.purposes.clone();
        Ok(Visits {
            preset: self.name.to_owned(),
            title: preset.title.clone(),
            needs_consent,
            purposes,
            privacy,
            hosts,
            script,
        })
    }

    /// A call with the values of the site.
    fn call(&self, settings: &SiteSettings, call: &Call) -> Result<serde_json::Value, Problem> {
        if call.is_whole() {
            return call
                .filled(self.values)
                .map_err(|field| self.missing(settings, &field));
        }
        let hint = "add the missing key, or remove all but one";
        Err(self
            .in_preset(
                "each call needs exactly one of `call`, `push`, `gtag` and `head`".to_owned(),
            )
            .hint(hint))
    }

    /// The problem of a field that a template of the preset uses, and that has no value.
    fn missing(&self, settings: &SiteSettings, field: &str) -> Problem {
        let Some(rule) = self.preset.fields.get(field) else {
            let message = format!("the preset uses `{{{field}}}`, but has no field with this name");
            return self.in_preset(message);
        };
        // A default may lack a field, too: either of the two is enough.
        let lacks = rule
            .default
            .as_ref()
            .and_then(|default| self.values.fill(default).err());
        if let Some((other, of)) = lacks
            .as_ref()
            .and_then(|other| Some((other, self.preset.fields.get(other)?)))
        {
            let message = format!(
                "the preset `{}` needs the field `{other}` or `{field}`",
                self.name
            );
            let problem = self
                .node
                .problem(&settings.source, Problem::error(Code::MissingKey, message));
            return problem.hint(format!("add `{other}: {}`", of.example));
        }
        let message = format!("the preset `{}` needs the field `{field}`", self.name);
        let problem = self
            .node
            .problem(&settings.source, Problem::error(Code::MissingKey, message));
        problem.hint(format!("add `{field}: {}`", rule.example))
    }

    fn in_preset(&self, message: String) -> Problem {
        Problem::error(Code::InvalidValue, message).at(Place::file(self.preset_source.path.clone()))
    }
}

/// Whether a text can be the name of a preset: it becomes that of a file.
fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-'))
}

fn find(root: &FileSet, theme: &Theme, name: &str) -> Option<Arc<Source>> {
    let path = format!("{FOLDER}/{name}.yaml");
    let file = root.join(&path);
    if root.exists(&file) {
        root.read_text(&file).ok()
    } else {
        theme.source(&path)
    }
}

/// The names of all presets, of the site and of the theme.
fn names(root: &FileSet, theme: &Theme) -> Vec<String> {
    let (files, _) = root.list(&root.join(FOLDER));
    let of_site = files.iter().map(|path| path.to_string_lossy());
    let of_theme = theme
        .files()
        .map(|(path, _)| Cow::from(path))
        .filter(|path| path.starts_with(FOLDER));
    let names = of_site.chain(of_theme).filter_map(|path| {
        let name = path.rsplit('/').next()?;
        name.strip_suffix(".yaml").map(str::to_owned)
    });
    names.collect::<BTreeSet<String>>().into_iter().collect()
}

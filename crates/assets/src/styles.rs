//! Composes the style sheets of each page from the sections and components that it uses.
//!
//! Every page loads two sheets: a shared one (tokens, the site's own styles, the components of the frame), which
//! browsers cache, and one with exactly the styles of the page's sections and components. Between them is the sheet of its
//! language, if the language has one. Cascade layers make the order
//! of the parts irrelevant, so composing is concatenation.
//!
//! An unused token is a warning, not an error: an editor may be about to use it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::sync::Arc;

use crate::output::{Output, short_hash};
use config::Config;
use config::design::COVER_SCHEMES;
use config::look::Look;
use content::{Content, Design, Templates};
use diagnostics::problem::{Code, Problem, Problems, Source, Span, did_you_mean};
use schema::types::Focus;

use super::FOLDER;
use super::breakpoints;
use super::language_styles::LANGUAGES;

/// The name of the site's own sheet among the bundled sheets.
pub(super) const SITE: &str = "styles/site";
/// The property with the number of columns that the lines of a band divide.
const LINES: &str = "--look-grid-lines";
/// How many unused tokens are reported one by one.
const UNUSED_SHOWN: usize = 10;
/// The template whose components every page has.
const FRAME: &str = "layouts/base.html";

/// All bundled sheets by folder (`components/action`), and the shared sheet.
#[derive(Debug)]
pub struct Styles {
    sheets: BTreeMap<String, String>,
    /// The folders whose styles every page has.
    frame: BTreeSet<String>,
    /// Property and value of each token.
    tokens: Vec<(String, String)>,
    /// Name and value of each color that is another one where it is dark.
    dark: Vec<(String, String)>,
    shared: Option<Output>,
    /// The sheets of languages by their codes.
    languages: BTreeMap<String, Output>,
    /// The variants of the theme that the site has chosen.
    look: Look,
}

impl Styles {
    /// `more` are folders that every page needs, although its template does not use them.
    pub(super) fn new(
        design: &Design,
        templates: &Templates,
        sheets: BTreeMap<String, String>,
        more: &[&str],
        languages: BTreeMap<String, Output>,
    ) -> Styles {
        let tokens: Vec<(String, String)> = design
            .tokens
            .iter()
            .map(|token| (token.property(), token.value.clone()))
            .collect();
        let mut frame = templates.folders(FRAME);
        frame.extend(more.iter().map(|folder| (*folder).to_owned()));
        let mut css = sheets.get(SITE).cloned().unwrap_or_default();
        if !tokens.is_empty() {
            let mut declarations: Vec<String> = design
                .tokens
                .iter()
                .map(|token| format!("{}:{}", token.property(), design.look.spaced(token)))
                .collect();
            // A site with styles of its own may have no lines.
            let draws_lines = css.contains(&format!("var({LINES}"));
            declarations.extend(
                design
                    .look
                    .lines
                    .filter(|_| draws_lines)
                    .map(|count| format!("{LINES}:{count}")),
            );
            css.extend([
                "@layer tokens{:root{",
                declarations.join(";").as_str(),
                "}}\n",
            ]);
            if draws_lines && design.look.lines.is_none() {
                css.push_str("@layer tokens{.band::before{display:none}}\n");
            }
        }
        css.push_str(&dark(design));
        for folder in &frame {
            css.push_str(sheets.get(folder).map_or("", String::as_str));
        }
        let shared = (!css.is_empty()).then(|| hashed("site", css));
        let dark = design
            .dark
            .iter()
            .map(|token| (token.name.clone(), token.value.clone()))
            .collect();
        Styles {
            sheets,
            frame,
            tokens,
            dark,
            shared,
            languages,
            look: design.look.clone(),
        }
    }

    /// The sheets of a page, the shared one first, then that of its language. `folders` are those of its sections and
    /// components, `classes` the CSS classes of its pictures: tints, and points that stay in sight.
    pub fn for_page<'c>(
        &self,
        language: &str,
        folders: &BTreeSet<String>,
        classes: impl Iterator<Item = &'c str>,
    ) -> Vec<Output> {
        let mut own: String = folders
            .difference(&self.frame)
            .filter_map(|folder| self.sheets.get(folder))
            .map(String::as_str)
            .collect();
        for class in classes {
            let (property, value) = match Focus::position(class) {
                Some(position) => ("object-position:", position),
                None => (
                    "background-color:#",
                    class.trim_start_matches("tint-").to_owned(),
                ),
            };
            own.extend(["@layer utilities{.", class, "{", property, &value, "}}\n"]);
        }
        let own = (!own.is_empty()).then(|| hashed("page", own));
        self.shared
            .iter()
            .chain(self.languages.get(language))
            .cloned()
            .chain(own)
            .collect()
    }

    /// The minified style sheet of a folder, and whether it is part of the shared sheet.
    pub fn sheet(&self, folder: &str) -> Option<(&str, bool)> {
        self.sheets
            .get(folder)
            .map(|css| (css.as_str(), self.frame.contains(folder)))
    }

    /// The variants of the theme that the site has chosen.
    pub fn look(&self) -> &Look {
        &self.look
    }

    /// The value of a color where it is dark, if it is another one there.
    pub fn dark(&self, color: &str) -> Option<&str> {
        self.dark
            .iter()
            .find(|(name, _)| name == color)
            .map(|(_, value)| value.as_str())
    }

    /// The tokens of a group: name and value, e.g. `ink` and `#0E1412`.
    pub fn tokens<'a>(&'a self, group: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.tokens.iter().filter_map(move |(property, value)| {
            Some((
                property
                    .strip_prefix("--")?
                    .strip_prefix(group)?
                    .strip_prefix('-')?,
                value.as_str(),
            ))
        })
    }

    /// The `@font-face` rules of the site's own sheet, and of those of languages: family, and address of the file.
    pub fn font_faces(&self) -> Vec<(&str, &str)> {
        let of_languages = self
            .sheets
            .iter()
            .filter(|(name, _)| name.starts_with(LANGUAGES))
            .map(|(_, css)| css);
        let sheets = self.sheets.get(SITE).into_iter().chain(of_languages);
        let rules = sheets
            .flat_map(|css| css.split("@font-face{").skip(1))
            .filter_map(|rest| rest.split('}').next());
        rules
            .filter_map(|rule| {
                let (_, family) = str::split_once(rule, "font-family:")?;
                let (_, address) = str::split_once(rule, "url(")?;
                let family = family.split([';', ')']).next()?;
                let (address, _) = address.split_once([';', ')'])?;
                Some((
                    family.trim_matches(['"', '\'']),
                    address.trim_matches(['"', '\'']),
                ))
            })
            .collect()
    }

    /// Warns of unused tokens. A token is used if a style sheet, another token, a drawing, a cover, a declared pair of
    /// colors or a swatch of the style guide refers to it. Breakpoints are compared by value, which the bundled sheets have.
    fn check_use(&self, content: &Content, used: &BTreeSet<&str>, problems: &mut Problems) {
        let design = &content.design;
        let Some(source) = design.source.as_ref().filter(|_| !self.sheets.is_empty()) else {
            return;
        };
        let swatches: BTreeSet<String> =
            content::style_guide::colors(content.page_files()).collect();
        let mut unused = Vec::new();
        for token in &design.tokens {
            let drawn = format!("tokens.{}.{}", token.group, token.name);
            let is_used = used.contains(token.property().as_str())
                || match token.group.as_str() {
                    breakpoints::GROUP => {
                        self.sheets.values().any(|css| css.contains(&token.value))
                    }
                    "color" => {
                        swatches.contains(token.name.as_str())
                            || COVER_SCHEMES.as_flattened().contains(&token.name.as_str())
                            || design
                                .pairs
                                .iter()
                                .any(|pair| pair.text == token.name || pair.ground == token.name)
                    }
                    _ => false,
                }
                || content
                    .templates
                    .drawings
                    .values()
                    .any(|drawing| drawing.text.contains(&drawn));
            if !is_used {
                unused.push(token);
            }
        }
        // A designer's file has hundreds.
        let (shown, more) = unused.split_at(unused.len().min(UNUSED_SHOWN));
        for (at, token) in shown.iter().enumerate() {
            let mut message = format!(
                "nothing uses the token `{}` in the group `{}`",
                token.name, token.group
            );
            if at + 1 == shown.len() && !more.is_empty() {
                // Writing to a string cannot fail.
                let _ = match more.len() {
                    1 => write!(message, "; one more token after it is unused, too"),
                    count => write!(message, "; {count} more tokens after it are unused, too"),
                };
            }
            problems
                .push(Problem::warning(Code::UnusedToken, message).at(source.place(token.span)));
        }
    }

    /// Reports custom properties that no sheet defines, breakpoints that the design lacks, and unused tokens.
    pub(super) fn check(&self, config: &Config, content: &Content, problems: &mut Problems) {
        let mut defined: BTreeSet<&str> = self
            .tokens
            .iter()
            .map(|(property, _)| property.as_str())
            .collect();
        defined.insert(LINES);
        for css in self.sheets.values() {
            defined.extend(css.match_indices("--").filter_map(|(at, _)| {
                let name = property_at(&css[at..]);
                css[at + name.len()..].starts_with(':').then_some(name)
            }));
        }
        let all = self
            .sheets
            .values()
            .chain(self.tokens.iter().map(|(_, value)| value));
        let used: BTreeSet<&str> = all
            .flat_map(|css| {
                css.match_indices("var(--")
                    .map(|(at, _)| property_at(&css[at + 4..]))
            })
            .collect();
        self.check_use(content, &used, problems);
        for property in used.difference(&defined) {
            let problem =
                Problem::error(Code::UnknownToken, format!("nothing defines `{property}`"))
                    .maybe_hint(did_you_mean(property, defined.iter().copied()));
            problems.push(at_use(config, content, "var(", property, problem));
        }
        let names = || self.tokens(breakpoints::GROUP).map(|(name, _)| name);
        for (condition, name) in breakpoints::unknown(&self.sheets) {
            let message =
                format!("nothing defines the breakpoint `{name}`, which `{condition}` needs");
            let problem = Problem::error(Code::UnknownToken, message);
            let problem = match did_you_mean(name, names()) {
                None => problem.hint(format!(
                    "add it to `{}` in `content/design.yaml`: `{name}: 768px`",
                    breakpoints::GROUP
                )),
                known => problem.maybe_hint(known),
            };
            problems.push(at_use(config, content, "", condition, problem));
        }
    }
}

/// The colors for visitors who prefer it dark, and for a page that a switch has made dark: `data-scheme` of `<html>` is
/// `dark` or `light` then. Paper stays light. They are in no layer, so they win over those that are always there.
fn dark(design: &Design) -> String {
    if design.dark.is_empty() {
        return String::new();
    }
    let mut colors = String::new();
    for token in &design.dark {
        colors.extend([";", &token.property(), ":", &token.value]);
    }
    let rules = format!("{{color-scheme:dark{colors}}}");
    // Without script, the switch holds on its page. `:is` forgives what a browser does not know.
    let [light, dark] = ["light", "dark"].map(|scheme| {
        format!(":is([data-scheme={scheme}],:has([name=color-scheme][value={scheme}]:checked))")
    });
    format!(
        "@media screen and (prefers-color-scheme:dark){{:root:not({light}){rules}}}@media screen{{:root{dark}{rules}}}\n"
    )
}

fn hashed(stem: &str, css: String) -> Output {
    let bytes = css.into_bytes();
    Output::bytes(
        format!("{FOLDER}/{stem}-{}.css", short_hash(&bytes)),
        Arc::new(bytes),
    )
}

fn property_at(css: &str) -> &str {
    let end = css
        .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_')))
        .unwrap_or(css.len());
    &css[..end]
}

/// A problem with the place of a text in the source files. Bundled sheets are minified and have no places.
fn at_use(
    config: &Config,
    content: &Content,
    before: &str,
    text: &str,
    problem: Problem,
) -> Problem {
    match find_use(config, content, before, text) {
        Some((source, span)) => problem.at(source.place(span)),
        None => problem,
    }
}

/// Finds a text in the source files that stands behind another one, such as `var(`.
fn find_use(
    config: &Config,
    content: &Content,
    before: &str,
    text: &str,
) -> Option<(Arc<Source>, Span)> {
    let written = format!("{before}{text}");
    let root = config.paths.theme_root();
    let (site, _) = root.list(&root.join("templates/styles"));
    let (mut islands, _) = root.list(&root.join("react/islands"));
    islands.retain(|path| path.extension().is_some_and(|extension| extension == "css"));
    let design = content.design.source.clone().into_iter();
    let sheets = content
        .templates
        .styles
        .values()
        .chain(&site)
        .chain(&islands)
        .filter_map(|path| root.read_text(path).ok());
    design.chain(sheets).find_map(|source| {
        let at = source.text.find(&written)? + before.len();
        Some((Arc::clone(&source), Span::new(at, at + text.len())))
    })
}

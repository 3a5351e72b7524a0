//! New parts of a site's design: a kind of section, a collection, and an island, each as a working example to change.

use config::Config;
use content::collections::is_taken;
use diagnostics::problem::Problem;
use diagnostics::yaml::quoted_text;
use schema::{Scope, type_names};
use workspace::kinds::Kind;

use api_types::islands::Island;

use super::super::theme::embedded;
use super::Created;
use super::content::{NewFiles, refused};

/// The table of the islands that a site adds.
const TABLE: &str = "react/custom-islands.ts";
/// The greatest length of a comment line.
const MAX_WIDTH: usize = 118;

/// The files of a kind of section: its schema, template, styles and examples.
pub(super) fn section(name: &str) -> NewFiles {
    let kind = checked(name, '_')?;
    if embedded()
        .source(&format!("templates/sections/{kind}/{kind}.html"))
        .is_some()
    {
        return Err(
            refused(format!("the theme already has a section kind `{kind}`")).hint(format!(
                "choose another name, or change the theme's section kind: `sitegen theme copy sections/{kind}`"
            )),
        );
    }
    let class = kind.replace('_', "-");
    let types = type_list(Scope::Section);
    let files = [
        ("schema.yaml", include_str!("parts/schema.yaml")),
        (&format!("{kind}.html"), include_str!("parts/section.html")),
        (&format!("{kind}.css"), include_str!("parts/section.css")),
        ("examples.yaml", include_str!("parts/examples.yaml")),
    ];
    let files = files.into_iter().map(|(name, text)| {
        let text = text
            .replace("TYPES", &types)
            .replace("KIND", &kind)
            .replace("CLASS", &class);
        (
            format!("templates/sections/{kind}/{name}"),
            text.into_bytes(),
        )
    });
    let files = files.collect();
    Ok(Created::new(
        files,
        format!("use it on a page: `- kind: {kind}`, with the fields of its schema"),
    ))
}

/// The files of a collection: its schema, the templates of an entry, styles, and a first entry.
pub(super) fn collection(config: &Config, name: &str) -> NewFiles {
    let name = checked(name, '-')?;
    if is_taken(&name) {
        let message = format!("`content/{name}/` already contains something else");
        return Err(refused(message).hint("choose another name, such as `events`"));
    }
    // The theme has some, and files of the site would replace them.
    let schema = Kind::Collection.file(&name, "");
    if !config.paths.root.join(&schema).exists() && embedded().source(&schema).is_some() {
        return Err(
            refused(format!("the theme already has a collection `{name}`")).hint(format!(
                "choose another name, or change the theme's collection: `sitegen theme copy collections/{name}`"
            )),
        );
    }
    let types = type_list(Scope::Collection);
    let folder = Kind::Collection.folder_of(&name, "");
    let first = first_entry(config, &name);
    let mut files = vec![
        (
            format!("{folder}/schema.yaml"),
            include_str!("parts/collection/schema.yaml"),
        ),
        (
            format!("{folder}/{name}.html"),
            include_str!("parts/collection/page.html"),
        ),
        (
            format!("{folder}/card.html"),
            include_str!("parts/collection/card.html"),
        ),
        (
            format!("{folder}/{name}.css"),
            include_str!("parts/collection/styles.css"),
        ),
    ];
    // Entries whose schema was deleted need no example.
    if !config.paths.root.join("content").join(&name).exists() {
        files.push((format!("content/{name}/first.yaml"), &first));
    }
    let files = files.into_iter().map(|(path, text)| {
        (
            path,
            text.replace("TYPES", &types)
                .replace("NAME", &name)
                .replace("CLASS", &name)
                .into_bytes(),
        )
    });
    let files = files.collect();
    let next = format!(
        "list its entries on a page so that readers can find them: `- {{kind: entries, of: {name}, title: …}}`\nadd one: `sitegen new entry {name} \"…\"`"
    );
    Ok(Created::new(files, next))
}

/// All types of fields, for a comment that begins with `# Types: `.
fn type_list(scope: Scope) -> String {
    let mut text = String::new();
    let mut width = "# Types: ".len();
    for name in type_names(scope) {
        if width + name.len() + 2 > MAX_WIDTH {
            text += "\n#";
            width = 1;
        }
        text += if text.is_empty() { "" } else { " " };
        text.push_str(&name);
        text.push(',');
        width += name.len() + 2;
    }
    text.trim_end_matches(',').to_owned() + "."
}

/// The entry that a new collection has. Its words are in the languages for which this program has some; a copied text
/// would be no translation.
fn first_entry(config: &Config, name: &str) -> String {
    let texts = [
        (
            format!("A first entry in {name}"),
            format!("Una primera entrada en {name}"),
        ),
        (
            format!("Say in one sentence what this entry in {name} is about."),
            format!("Di en una frase de qué trata esta entrada en {name}."),
        ),
    ];
    let [title, summary] = texts.map(|(english, spanish)| {
        let mut words: Vec<(&str, &str)> = Vec::new();
        for code in &config.site.locales {
            let text = match code.split('-').next() {
                Some("es") => &spanish,
                Some("en") => &english,
                _ if words.is_empty() => &english,
                _ => continue,
            };
            if words.iter().all(|(_, known)| known != text) {
                words.push((&code.value, text));
            }
        }
        let words = words
            .into_iter()
            .map(|(code, text)| format!("{code}: {}", quoted_text(text)));
        format!("{{{}}}", words.collect::<Vec<_>>().join(", "))
    });
    format!("title: {title}\nsummary: {summary}\ndate: 2040-01-15\n")
}

/// The component of an island and its styles, and the table of islands with a line for it.
pub(super) fn island(config: &Config, name: &str) -> NewFiles {
    let name = checked(name, '-')?;
    if Island::named(&name).is_some() {
        return Err(
            refused(format!("the theme already has an island `{name}`")).hint(format!(
                "choose another name, or change the theme's island: `sitegen theme copy islands/{name}`"
            )),
        );
    }
    let table = match fs_err::read_to_string(config.paths.root.join(TABLE)) {
        Ok(text) => text,
        Err(_) => embedded()
            .source(TABLE)
            .map(|source| source.text.clone())
            .unwrap_or_default(),
    };
    let line = format!("  \"{name}\": () => import(\"./islands/{name}/{name}\"),\n");
    // The table ends with `};`, or with `{};` if it is empty.
    let table = match (table.rfind("{};"), table.rfind("};")) {
        (Some(at), _) => format!("{}{{\n{line}}};{}", &table[..at], &table[at + 3..]),
        (None, Some(at)) => format!("{}{line}{}", &table[..at], &table[at..]),
        (None, None) => {
            return Err(
                refused(format!("`{TABLE}` has no table of islands")).hint(format!(
                    "`sitegen theme copy --force {TABLE}` writes it again"
                )),
            );
        }
    };
    let files = [
        ("tsx", include_str!("parts/island.tsx")),
        ("css", include_str!("parts/island.css")),
    ];
    let files = files.into_iter().map(|(ending, text)| {
        (
            format!("react/islands/{name}/{name}.{ending}"),
            text.replace("NAME", &name).into_bytes(),
        )
    });
    let files = files.collect();
    let next = format!(
        "run `npm install --save-dev typescript@6`, which reads the island's props; then use the island in a template:
  {{{{ island(\"{name}\", {{\"label\": \"Seats\", \"price\": 12, \"currency\": \"$\"}}, \"visible\") }}}}"
    );
    Ok(Created {
        files,
        changed: vec![(TABLE.to_owned(), table.into_bytes())],
        next,
    })
}

/// A name of lowercase letters, digits and `between`.
fn checked(name: &str, between: char) -> Result<String, Problem> {
    let other = if between == '_' { '-' } else { '_' };
    let name = name.replace(other, &between.to_string());
    let has_parts = name
        .chars()
        .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == between);
    if has_parts && name.starts_with(|c: char| c.is_ascii_lowercase()) {
        return Ok(name);
    }
    Err(
        refused(format!("`{name}` can't be used as a name")).hint(format!(
            "begin with a lowercase letter, and use only lowercase letters, digits and `{between}`"
        )),
    )
}

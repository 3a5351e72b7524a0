//! `{product.name}` and its like in content: which names exist, and filling them in.

use crate::config::Config;
use diagnostics::problem::{Code, Place, Problem, Problems, did_you_mean};

/// Tells each placeholder of a text that `site.yaml` does not set. `place` gives the place of what was written.
pub fn check(text: &str, config: &Config, place: &dyn Fn(&str) -> Place, problems: &mut Problems) {
    for (_, name) in placeholders(text).filter(|(_, name)| config.placeholder(name).is_none()) {
        let problem = if Config::PLACEHOLDERS.contains(&name) {
            Problem::error(Code::UnknownPlaceholder, format!("`{name}` is not set in `content/site.yaml`"))
                .hint("set it there, or do without it here")
        } else {
            Problem::error(Code::UnknownPlaceholder, format!("`{{{name}}}` is not a placeholder"))
                .maybe_hint(did_you_mean(name, Config::PLACEHOLDERS.iter().copied()))
        };
        problems.push(problem.at(place(&format!("{{{name}}}"))));
    }
}

/// The text with its placeholders filled in; an unknown one stays as it is (and is a problem already).
pub fn fill(text: &str, config: &Config) -> String {
    if !text.contains('{') {
        return text.to_owned();
    }
    let mut filled = String::with_capacity(text.len());
    let mut from = 0;
    for (at, name) in placeholders(text) {
        if let Some(value) = config.placeholder(name) {
            filled.push_str(&text[from..at]);
            filled.push_str(value);
            from = at + name.len() + 2;
        }
    }
    filled.push_str(&text[from..]);
    filled
}

/// Byte offsets and names of `{product.…}`, `{company.…}` and `{customer_app}`; other braces are not ours.
fn placeholders(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices('{').filter_map(|(at, _)| {
        let (name, _) = text[at + 1..].split_once('}')?;
        let ours = name.starts_with("product.") || name.starts_with("company.") || name == "customer_app";
        (ours && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.'))).then_some((at, name))
    })
}

#[cfg(test)]
mod tests {
    use super::placeholders;

    fn check(text: &str, expect: &[&str]) {
        assert_eq!(placeholders(text).map(|(_, name)| name).collect::<Vec<_>>(), expect);
    }

    #[test]
    fn only_our_names_are_placeholders() {
        check(
            "{year} {product.name} {x.y} {company.colour} {customer_app} {",
            &["product.name", "company.colour", "customer_app"],
        );
    }

    #[test]
    fn a_brace_before_a_placeholder_hides_nothing() {
        check("{ a {product.slug}", &["product.slug"]);
    }
}

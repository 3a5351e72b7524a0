//! Placeholders such as `{product.name}` in content: checks that they exist, and fills them in.

use config::SiteSettings;
use diagnostics::problem::{Code, Place, Problem, Problems, did_you_mean, nearest};

/// The placeholder that is computed, so that it may have no value although its setting has one.
const LEAD_MONTHS: &str = "leads.keep_months";

/// Reports each placeholder of a text that is unknown or not set in `site.yaml`. `place` locates the text of a
/// placeholder.
pub fn check(
    text: &str,
    settings: &SiteSettings,
    place: &dyn Fn(&str) -> Place,
    problems: &mut Problems,
) {
    for (_, name) in placeholders(text).filter(|(_, name)| settings.placeholder(name).is_none()) {
        let problem = if let (LEAD_MONTHS, Some(days)) = (name, settings.leads.keep_days) {
            let message =
                format!("`leads.keep_days` is {days}, which is not a whole number of months");
            Problem::error(Code::UnknownPlaceholder, message)
                .hint("write the time in days instead, such as `{leads.keep_days} days`")
        } else if name.starts_with("leads.") && SiteSettings::PLACEHOLDERS.contains(&name) {
            Problem::error(
                Code::UnknownPlaceholder,
                "`leads.keep_days` is not set in `content/site.yaml`",
            )
            .hint("set it there, or remove the placeholder")
        } else if SiteSettings::PLACEHOLDERS.contains(&name) {
            Problem::error(
                Code::UnknownPlaceholder,
                format!("`{name}` is not set in `content/site.yaml`"),
            )
            .hint("set it there, or remove the placeholder")
        } else {
            Problem::error(
                Code::UnknownPlaceholder,
                format!("`{{{name}}}` is not a placeholder"),
            )
            .maybe_hint(did_you_mean(
                name,
                SiteSettings::PLACEHOLDERS.iter().copied(),
            ))
        };
        problems.push(problem.at(place(&format!("{{{name}}}"))));
    }
}

/// Fills in the placeholders of a text. Unknown ones, which [`check`] reports, are left unchanged.
pub fn fill(text: &str, settings: &SiteSettings) -> String {
    if !text.contains('{') {
        return text.to_owned();
    }
    let mut filled = String::with_capacity(text.len());
    let mut from = 0;
    for (at, name) in placeholders(text) {
        if let Some(value) = settings.placeholder(name) {
            filled.push_str(&text[from..at]);
            filled.push_str(&value);
            from = at + name.len() + 2;
        }
    }
    filled.push_str(&text[from..]);
    filled
}

/// Byte offsets and names of placeholders: those whose block has placeholders (`{product.…}`), and those that are
/// probably misspelled (`{prodcut.name}`). Other braces are text.
fn placeholders(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.match_indices('{').filter_map(|(at, _)| {
        // No further than a name: many braces that are never closed take no quadratic time.
        let rest = &text[at + 1..];
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
        let name = &rest[..rest.find(|c| !is_of_name(c))?];
        let is_name = !name.is_empty() && rest[name.len()..].starts_with('}');
        let known = || SiteSettings::PLACEHOLDERS.iter().copied();
        let is_placeholder = || match name.split_once('.') {
            None => known().any(|known| known == name),
            Some((block, _)) => {
                known().any(|known| {
                    known
                        .split_once('.')
                        .is_some_and(|(known, _)| known == block)
                }) || nearest(name, known()).is_some()
            }
        };
        (is_name && is_placeholder()).then_some((at, name))
    })
}

#[cfg(test)]
mod tests {
    use super::placeholders;

    fn check(text: &str, expect: &[&str]) {
        assert_eq!(
            placeholders(text).map(|(_, name)| name).collect::<Vec<_>>(),
            expect
        );
    }

    #[test]
    fn other_braces_are_text() {
        check(
            "{year} {product.name} {x.y} {company.color} {customer_app} {leads.keep_days} {",
            &[
                "product.name",
                "company.color",
                "customer_app",
                "leads.keep_days",
            ],
        );
    }

    #[test]
    fn a_misspelled_block_is_a_placeholder() {
        check(
            "{prodcut.name} {lead.keep_days} {section.title}",
            &["prodcut.name", "lead.keep_days"],
        );
    }

    #[test]
    fn a_brace_before_a_placeholder_is_text() {
        check("{ a {product.slug}", &["product.slug"]);
    }
}

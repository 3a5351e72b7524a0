//! The template function `island()`, and the filter `mark_current`, which marks links to the current page or its section.
//!
//! The ids of an island begin with its position on the page, not with the page's name, and the current page is marked
//! after prerendering. So the menu has the same props on every page of a language, and Node renders it once.

use std::sync::Arc;

use minijinja::{Environment, Error, State, Value};

use api_types::html::escape;
use assets::islands::{Directive, Prerenderer};
use diagnostics::problem::{Code, Problem, nearest};

use super::template_errors::fault;

/// The number of islands rendered so far on a page, from which the ids of the next one are made.
#[derive(Default)]
struct IslandCount(usize);

/// Adds `island(name, props, directive)` and the filter `mark_current`.
pub(super) fn add(environment: &mut Environment, locale: usize, islands: &Arc<Prerenderer>) {
    let islands = Arc::clone(islands);
    environment.add_function(
        "island",
        move |state: &mut State,
              name: &str,
              props: Value,
              directive: &str|
              -> Result<Value, Error> {
            island(state, name, &props, directive, locale, &islands).map(Value::from_safe_string)
        },
    );
    environment.add_filter(
        "mark_current",
        |html: &str, path: &str, home: Option<&str>, list: Option<&str>| {
            Value::from_safe_string(mark_current(html, path, home, list))
        },
    );
}

fn island(
    state: &mut State,
    name: &str,
    props: &Value,
    directive: &str,
    locale: usize,
    islands: &Prerenderer,
) -> Result<String, Error> {
    let Some(directive) = Directive::parse(directive) else {
        let near = nearest(directive, Directive::WORDS.iter().copied());
        let hint = near.map_or_else(
            || format!("valid values: `{}`", Directive::WORDS.join("`, `")),
            |near| format!("did you mean `{near}`?"),
        );
        let problem = Problem::error(
            Code::TemplateError,
            format!("unknown island directive `{directive}`"),
        );
        return Err(fault(problem.hint(hint)));
    };
    // A part of a post is rendered by itself.
    let part = state.lookup("part").and_then(|part| part.as_usize());
    let IslandCount(count) = state.get_or_insert_extension(IslandCount::default());
    let prefix = part.map_or_else(|| format!("i{count}-"), |part| format!("p{part}i{count}-"));
    *count += 1;
    let json = serde_json::to_string(props).map_err(|error| {
        fault(Problem::error(
            Code::IslandProps,
            format!("the properties of the island `{name}` cannot be written as JSON: {error}"),
        ))
    })?;
    let markup = islands
        .markup(name, &json, &prefix, locale)
        .map_err(|mut problem| {
            if problem.code == Code::IslandFailed
                && let Some(path) = state
                    .lookup("page")
                    .and_then(|page| page.get_attr("path").ok())
            {
                problem.message = format!("{} (on the page `{path}`)", problem.message);
            }
            fault(problem)
        })?;
    Ok(markup.element(name, &prefix, &directive, islands.scripts()))
}

/// Marks links to the current page with `aria-current="page"`, or else those to its section with `aria-current="true"`: the
/// nearest page above it by address, or the page that lists it. Done after prerendering: if the props named the page, Node
/// would have to render the menu for every page. React does not remove attributes that it did not write.
///
/// `{{ island("menu", …) | mark_current(page.path, locale.home, page.list) }}`; without the home page, no section is marked.
fn mark_current(html: &str, path: &str, home: Option<&str>, list: Option<&str>) -> String {
    let above = path
        .match_indices('/')
        .rev()
        .map(|(at, _)| &path[..=at])
        .filter(|above| above.len() < path.len());
    let sections = above
        .chain(list)
        .filter(|section| home.is_some_and(|home| section.len() > home.len()));
    let marks = std::iter::once((path, "page")).chain(sections.map(|section| (section, "true")));
    let mut links = marks.map(|(to, mark)| (format!(" href=\"{}\"", escape(to)), mark));
    match links.find(|(link, _)| html.contains(link)) {
        Some((link, mark)) => html.replace(&link, &format!("{link} aria-current=\"{mark}\"")),
        None => html.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::mark_current;

    #[test]
    fn the_link_to_the_current_page_or_else_to_its_section_is_marked() {
        let menu = r#"<a href="/">h</a><a href="/a/">a</a><a href="/a/b/">b</a>"#;
        for (path, list, marked) in [
            ("/a/", None, Some(("/a/", "page"))),
            ("/a/b/", None, Some(("/a/b/", "page"))),
            ("/a/c/", None, Some(("/a/", "true"))),
            ("/a/b/page/2/", None, Some(("/a/b/", "true"))),
            ("/people/ana/", Some("/a/b/"), Some(("/a/b/", "true"))),
            ("/people/ana/", Some("/"), None),
            ("/ab/", None, None),
            ("/", None, Some(("/", "page"))),
        ] {
            let expect = marked.map_or_else(
                || menu.to_owned(),
                |(to, mark)| {
                    menu.replace(
                        &format!("\"{to}\""),
                        &format!("\"{to}\" aria-current=\"{mark}\""),
                    )
                },
            );
            assert_eq!(mark_current(menu, path, Some("/"), list), expect, "{path}");
        }
        let spanish = r#"<a href="/es/">h</a>"#;
        assert_eq!(mark_current(spanish, "/es/a/", Some("/es/"), None), spanish);
        assert_eq!(mark_current(menu, "/a/c/", None, None), menu);
    }
}

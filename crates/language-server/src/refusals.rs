//! Which names cannot change, and which ones nothing can have: because they are taken, no names, or read by sitegen itself or
//! by a file of the theme.

use config::design::COVER_SCHEMES;
use content::words;
use site::Planned;
use workspace::kinds::Kind;

use super::entry_names;
use super::names::Name;

/// Why a name cannot be renamed; `None` if it can.
#[expect(
    clippy::disallowed_methods,
    reason = "asks the disk itself, not the files of a moment"
)]
pub(super) fn of(planned: &Planned, name: &Name) -> Option<String> {
    let root = &planned.config.paths.root;
    match name {
        Name::Page(key) if !root.join(Kind::Page.folder()).join(key).is_dir() => {
            Some(format!("there is no folder `{key}` in `content/pages/`"))
        }
        Name::Post(key)
            if !planned
                .content
                .blog
                .posts
                .iter()
                .any(|post| post.key == *key) =>
        {
            Some(format!("there is no post `{key}` in `content/blog/`"))
        }
        Name::Entry { collection, key } if !entry_names::exists(planned, collection, key) => {
            Some(format!("`{collection}` has no entry `{key}`"))
        }
        Name::Word(key) if words::is_read_by_program(key) => Some(format!(
            "sitegen reads the message `{key}`, so it cannot be renamed"
        )),
        Name::Word(key) => {
            let reads = |text: &str| {
                words::calls(text).iter().any(|(own, _, begins)| {
                    if *begins {
                        key.starts_with(own)
                    } else {
                        own == key
                    }
                })
            };
            // A computed key, such as `t("takes_" ~ kind)`, cannot be renamed in templates of the site either.
            let computes = |text: &str| {
                words::calls(text)
                    .iter()
                    .any(|(own, _, begins)| *begins && key.starts_with(own))
            };
            let own = planned
                .content
                .templates
                .html
                .values()
                .find(|template| computes(&template.text));
            let own = own.map(|template| {
                format!(
                    "`{}` puts the name of this message together from parts",
                    template.path
                )
            });
            own.or_else(|| {
                theirs(planned, reads)
                    .map(|path| is_of_theme(&path, &format!("reads the message `{key}`")))
            })
        }
        Name::Token { group, name }
            if group == "color" && COVER_SCHEMES.as_flattened().contains(&name.as_str()) =>
        {
            Some(format!(
                "sitegen uses the color `{name}` in post covers, so it cannot be renamed"
            ))
        }
        Name::Token { group, name } => {
            let written = [
                format!("--{group}-{name}"),
                format!("tokens.{group}.{name}"),
            ];
            theirs(planned, |text: &str| {
                written.iter().any(|written| {
                    text.match_indices(written.as_str()).any(|(at, _)| {
                        !text[at + written.len()..].starts_with(|c: char| {
                            c.is_ascii_alphanumeric() || matches!(c, '-' | '_')
                        })
                    })
                })
            })
            .map(|path| is_of_theme(&path, &format!("uses `{}`", written[0])))
        }
        Name::Page(_)
        | Name::Address { .. }
        | Name::Post(_)
        | Name::Entry { .. }
        | Name::Tag(_) => None,
    }
}

/// A file of the theme that is used as it is and that `names` something.
#[expect(
    clippy::disallowed_methods,
    reason = "asks the disk itself, not the files of a moment"
)]
fn theirs(planned: &Planned, names: impl Fn(&str) -> bool) -> Option<String> {
    let root = &planned.config.paths.root;
    planned.config.site.theme.as_ref()?;
    let mut files = planned.config.theme.files();
    let found = files.find(|(path, bytes)| {
        let is_theirs = !path.starts_with("content/") && !root.join(path).is_file();
        is_theirs && std::str::from_utf8(bytes).is_ok_and(&names)
    });
    found.map(|(path, _)| path.to_owned())
}

fn is_of_theme(path: &str, what: &str) -> String {
    format!("the theme's `{path}` {what}; run `sitegen theme copy {path}` first")
}

/// Whether a token of a group can have this name.
pub(super) fn check_token(planned: &Planned, group: &str, new: &str) -> Result<(), String> {
    if new.is_empty()
        || !new
            .bytes()
            .all(|byte| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-'))
    {
        return Err(format!(
            "`{new}` is not a valid token name: use lowercase letters, digits and hyphens"
        ));
    }
    if planned.content.design.value(group, new).is_some() {
        return Err(format!(
            "there is already a token `{new}` in the group `{group}`"
        ));
    }
    let property = format!("--{group}-{new}");
    if let Some(token) = planned
        .content
        .design
        .tokens
        .iter()
        .find(|token| token.property() == property)
    {
        return Err(format!(
            "`{property}` already belongs to the token `{}` in the group `{}`",
            token.name, token.group
        ));
    }
    Ok(())
}

/// Whether a word of the interface can have this name.
pub(super) fn check_word(planned: &Planned, new: &str) -> Result<(), String> {
    if !new.starts_with(|c: char| c.is_ascii_lowercase())
        || !new
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
    {
        return Err(format!(
            "`{new}` is not a valid message name: use lowercase letters, digits and `_`"
        ));
    }
    if planned
        .site
        .locales
        .iter()
        .any(|locale| locale.messages.contains_key(new))
    {
        return Err(format!("there is already a message `{new}`"));
    }
    Ok(())
}

//! Writes text, code and addresses within a line of Markdown, with the signs escaped that Markdown would read.

use std::fmt::Write as _;

/// Code within a line. Its fence is longer than any in the code.
pub fn code_span(code: &str) -> String {
    let code = code.split_whitespace().collect::<Vec<_>>().join(" ");
    if code.is_empty() {
        return String::new();
    }
    let longest = code
        .split(|c| c != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    let pad = if code.starts_with('`') || code.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{fence}{pad}{code}{pad}{fence}")
}

/// The destination and the title of a link or a picture.
pub fn destination(address: Option<&str>, title: Option<&str>) -> String {
    let address = address
        .unwrap_or_default()
        .replace('\n', "")
        .replace('<', "%3C")
        .replace('>', "%3E");
    let is_plain = !address.is_empty()
        && !address.contains(|c: char| {
            c.is_whitespace() || c.is_control() || matches!(c, '(' | ')' | '\\')
        });
    let mut out = if is_plain {
        address
    } else {
        format!("<{}>", address.replace('\\', "\\\\"))
    };
    if let Some(title) = title.filter(|title| !title.is_empty()) {
        let _ = write!(
            out,
            " \"{}\"",
            title
                .replace('\\', "\\\\")
                .replace('"', "\\\"")
                .replace('\n', " ")
        );
    }
    out
}

/// Adds text: blanks as one, signs that Markdown reads escaped.
pub fn push_text(out: &mut String, text: &str) {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, ' ' | '\n' | '\t' | '\r' | '\x0c') {
            if !plain.ends_with(' ')
                && !(plain.is_empty() && (out.is_empty() || out.ends_with([' ', '\n'])))
            {
                plain.push(' ');
            }
        } else {
            plain.push(c);
        }
    }
    out.push_str(&escaped(&plain));
}

/// Escapes the signs that have a meaning within a line. A sign that cannot be one (`2 * 3`, `snake_case`) stays.
pub fn escaped(text: &str) -> String {
    let chars: Vec<char> = text.chars().collect();
    let mut out = String::with_capacity(text.len());
    for (index, c) in chars.iter().copied().enumerate() {
        let [before, after] = [index.wrapping_sub(1), index + 1]
            .map(|index| chars.get(index).copied().unwrap_or(' '));
        let between_blanks =
            before.is_whitespace() && after.is_whitespace() && index > 0 && index + 1 < chars.len();
        let in_word = before.is_alphanumeric() && after.is_alphanumeric();
        let is_special = match c {
            '\\' => after.is_ascii_punctuation() || index + 1 == chars.len(),
            '`' | '[' | ']' => true,
            '*' => !between_blanks,
            '_' => !between_blanks && !in_word,
            '~' => before == '~' || after == '~',
            '<' => after.is_ascii_alphabetic() || matches!(after, '/' | '!' | '?'),
            '&' => after.is_ascii_alphabetic() || after == '#',
            '!' => after == '[' || index + 1 == chars.len(),
            // Markup of other programs: an escaped sign says that it is text.
            // Also attributes at the end of a heading.
            '{' => matches!(after, '{' | '%' | ':' | '#' | '.'),
            ':' => after == ':' || !before.is_alphanumeric() && after.is_ascii_lowercase(),
            '=' => after == '=',
            '^' => after == '[' || before.is_alphanumeric() && after.is_alphanumeric(),
            _ => false,
        };
        if is_special {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// Escapes what would begin a block at the beginning of a line.
pub fn escaped_start(line: &str) -> String {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    if digits > 0
        && digits < 10
        && line[digits..].starts_with(['.', ')'])
        && line[digits + 1..]
            .chars()
            .next()
            .is_none_or(char::is_whitespace)
    {
        return format!("{}\\{}", &line[..digits], &line[digits..]);
    }
    let marks = line.chars().take_while(|c| *c == '#').count();
    let is_heading =
        (1..=6).contains(&marks) && line[marks..].chars().next().is_none_or(char::is_whitespace);
    let is_bullet =
        line.starts_with(['-', '+']) && line[1..].chars().next().is_none_or(char::is_whitespace);
    let is_rule = !line.is_empty()
        && (line.chars().all(|c| matches!(c, '-' | ' '))
            || line.chars().all(|c| matches!(c, '=' | ' ')));
    let is_fence = line.starts_with("~~~");
    if is_heading
        || is_bullet
        || is_rule
        || is_fence
        || line.starts_with('>')
        || line.starts_with('|')
    {
        return format!("\\{line}");
    }
    line.to_owned()
}

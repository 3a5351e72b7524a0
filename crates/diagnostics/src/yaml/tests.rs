//! Typical mistakes of authors, and the messages for them.

use std::sync::Arc;

use serde::Deserialize;

use super::{Spanned, load, read, scalar};
use crate::problem::{Problems, Source, Span};

#[derive(Deserialize, Debug, Default, PartialEq)]
#[serde(default)]
struct Card {
    title: String,
    years: Vec<u32>,
    open: bool,
    link: Option<Spanned<String>>,
}

fn problems(text: &str) -> Vec<String> {
    let source = Arc::new(Source::new("c.yaml".into(), text.into()));
    let mut problems = Problems::new();
    load::<Card>(&source, &mut problems);
    problems
        .iter()
        .map(|problem| {
            let range = problem
                .place
                .as_ref()
                .and_then(|place| place.range)
                .expect("a place");
            let hint = problem
                .hint
                .as_ref()
                .map(|hint| format!(" ({hint})"))
                .unwrap_or_default();
            format!(
                "{}:{} {}: {}{hint}",
                range.start.line,
                range.start.column,
                problem.code.name(),
                problem.message
            )
        })
        .collect()
}

#[test]
fn a_block_of_unknown_keys_is_cut_short() {
    let keys: Vec<String> = (0..20_000).map(|at| format!("k{at}: x\n")).collect();
    let found = problems(&keys.concat());
    assert_eq!(found.len(), 101);
    assert_eq!(
        found[100],
        "101:1 unknown-key: the block has more than 100 unknown keys"
    );
}

#[test]
fn all_unknown_keys_are_reported_at_once() {
    assert_eq!(
        problems("titel: x\nopen: true\nyaers: [1]\n"),
        [
            "1:1 unknown-key: unknown key `titel` (did you mean `title`?)",
            "3:1 unknown-key: unknown key `yaers` (did you mean `years`?)"
        ]
    );
}

#[test]
fn a_wrong_type_names_its_path() {
    assert_eq!(
        problems("years: [2013, x]\n"),
        [
            "1:15 wrong-type: `years[1]`: expected a whole number, found the text `x` (write digits only, such as `3`)"
        ]
    );
}

#[test]
fn yes_is_text_and_the_hint_says_true() {
    assert_eq!(
        problems("open: yes\n"),
        ["1:7 wrong-type: expected true or false, found the text `yes` (write `true`)"]
    );
}

#[test]
fn a_number_is_text_where_text_is_wanted() {
    let source = Arc::new(Source::new(
        "c.yaml".into(),
        "title: 2013.50\nlink: 7\n".into(),
    ));
    let card: Card = load(&source, &mut Problems::new()).expect("a card");
    assert_eq!(
        (
            card.title.as_str(),
            card.link.map(|link| (link.value, link.span))
        ),
        ("2013.50", Some(("7".into(), Span::new(21, 22))))
    );
}

#[test]
fn an_unclosed_quote_is_named_where_it_opens() {
    assert_eq!(
        problems("title: \"never closed\nopen: true\n"),
        [
            "1:8 unclosed-quote: the text that begins with `\"` here is never closed (add `\"` at the end of the text)"
        ]
    );
}

#[test]
fn a_placeholder_without_quotes_is_explained() {
    assert_eq!(
        problems("title: {product.name}\n"),
        [
            "1:8 wrong-type: expected text, found a block of keys (text that begins with `{` needs quotes)"
        ]
    );
}

#[test]
fn a_tab_is_reported() {
    assert_eq!(
        problems("title: x\n\tyears: [1]\n"),
        [
            "2:1 tab-indent: this line is indented with a tab, but YAML allows only spaces (replace each tab with two spaces)"
        ]
    );
}

#[test]
fn a_second_key_names_the_first() {
    assert_eq!(
        problems("title: x\nopen: true\ntitle: y\n"),
        [
            "3:1 duplicate-key: the key `title` appears twice in one block (it is already on line 1; remove one of the two)"
        ]
    );
}

#[track_caller]
fn check(text: &str, expect: &str) {
    assert_eq!(problems(text), [expect], "{text}");
}

#[test]
fn an_alias_of_a_number_has_the_text_of_its_anchor() {
    let source = Arc::new(Source::new(
        "c.yaml".into(),
        "title: &a 2013.50\nlink: *a\n".into(),
    ));
    let card: Card = load(&source, &mut Problems::new()).expect("a card");
    let link = card.link.expect("a link");
    assert_eq!(
        (link.value.as_str(), link.span),
        ("2013.50", Span::new(24, 26))
    );
}

#[test]
fn command_line_values_are_verbatim() {
    let source = Arc::new(Source::new("c.yaml".into(), String::new()));
    for text in [
        "007", "A: B", "#1", "- x", "true", "null", "", " x ", "'", "1.50", "[x", "it's",
    ] {
        let value: Option<String> = read(&source, &scalar(text), &mut Problems::new());
        assert_eq!(value.as_deref(), Some(text));
    }
    assert_eq!(
        read(&source, &scalar("2030"), &mut Problems::new()),
        Some(2030_u32)
    );
    assert_eq!(
        read(&source, &scalar("2.5"), &mut Problems::new()),
        Some(2.5_f64)
    );
    assert_eq!(
        read(&source, &scalar("true"), &mut Problems::new()),
        Some(true)
    );
    assert_eq!(
        read(&source, &scalar("[1, 02]"), &mut Problems::new()),
        Some(vec![1_u32, 2])
    );
    assert_eq!(
        read(&source, &scalar("[1, 02]"), &mut Problems::new()),
        Some(vec!["1".to_owned(), "02".to_owned()])
    );
    assert_eq!(
        read(&source, &scalar("\"A: B\""), &mut Problems::new()),
        Some("A: B".to_owned())
    );
}

#[test]
fn all_wrong_values_are_reported_at_once() {
    assert_eq!(
        problems("years: [1, x, 2, y]\nopen: yes\ntitle: [a]\ntitel: b\n"),
        [
            "4:1 unknown-key: unknown key `titel` (`title` is already set; remove one of the two)",
            "1:12 wrong-type: `years[1]`: expected a whole number, found the text `x` (write digits only, such as `3`)",
            "1:18 wrong-type: `years[3]`: expected a whole number, found the text `y` (write digits only, such as `3`)",
            "2:7 wrong-type: expected true or false, found the text `yes` (write `true`)",
            "3:8 wrong-type: expected text, found a list (write one value: `a`; text that begins with `[` needs quotes)",
        ]
    );
}

#[test]
fn a_missing_key_is_reported_beside_a_wrong_one_and_once() {
    #[derive(Deserialize, Debug)]
    #[expect(dead_code, reason = "only the problems are checked")]
    struct Pair {
        one: String,
        two: bool,
        three: Card,
    }
    let source = Arc::new(Source::new(
        "c.yaml".into(),
        "two: maybe\nthre: {open: 5}\n".into(),
    ));
    let mut problems = Problems::new();
    assert!(load::<Pair>(&source, &mut problems).is_none());
    let reported: Vec<&str> = problems
        .iter()
        .map(|problem| problem.message.as_str())
        .collect();
    assert_eq!(
        reported,
        [
            "unknown key `thre`",
            "expected true or false, found the text `maybe`",
            "the key `one` is missing here"
        ]
    );
}

#[test]
fn a_number_out_of_range_names_the_range() {
    check(
        "years: [70000000000]\n",
        "1:9 invalid-value: `years[0]`: the number `70000000000` is too large (write a whole number from 0 to 4294967295)",
    );
    check(
        "years: [-1]\n",
        "1:9 invalid-value: `years[0]`: the number `-1` is below zero (write a whole number from 0 to 4294967295)",
    );
    check(
        "years: [.nan]\n",
        "1:9 wrong-type: `years[0]`: expected a whole number, found the number `.nan` (write digits only, such as `3`)",
    );
    check(
        "years: [007]\n",
        "1:9 wrong-type: `years[0]`: expected a whole number, found the number `007` (write it without zeros in front: `7`)",
    );
}

#[test]
fn tags_are_rejected() {
    for (text, tag) in [
        ("!wow page", "!wow"),
        ("!!binary aGk=", "!!binary"),
        ("!!str 5", "!!str"),
        ("! page", "!"),
    ] {
        check(
            &format!("title: {text}\n"),
            &format!(
                "1:8 yaml-syntax: a value cannot begin with `!`: `{tag}` is a tag, but tags are not supported (put it in quotes: \"{text}\")"
            ),
        );
    }
}

#[test]
fn an_exclamation_mark_in_a_comment_is_not_a_tag() {
    check(
        "title: # see !x\n  b: c\n",
        "2:3 wrong-type: expected text, found a block of keys",
    );
}

#[test]
fn a_tab_inside_a_block_of_text_is_text() {
    assert_eq!(
        problems("title: |\n    hello\n      \tkey: value\nopen: true\n"),
        [""; 0]
    );
    check(
        "title: |\n    hello\n      \tkey: value\nopen: [\n",
        "4:7 yaml-syntax: the list that begins with `[` here is never closed (add `]` at its end; text that begins with `[` needs quotes)",
    );
}

#[test]
fn a_quote_that_closes_too_early_is_explained() {
    check(
        "title: 'it's'\n",
        "1:12 yaml-syntax: text follows the closing quote (write an apostrophe inside single quotes twice (`'it''s'`), or use double quotes)",
    );
    check(
        "title: \"say \"hi\" now\"\n",
        "1:14 yaml-syntax: text follows the closing quote (write `\\\"` for a quote inside double quotes, or use single quotes: 'say \"hi\" now')",
    );
    check(
        "title: \"ZZ\" page\n",
        "1:13 yaml-syntax: text follows the closing quote (put all of it in one pair of quotes: '\"ZZ\" page')",
    );
}

#[test]
fn an_unclosed_quote_is_named_where_it_opens_across_keys() {
    check(
        "  title: \"x\n    open: \"y\"\n",
        "1:10 unclosed-quote: the text that begins with `\"` here is never closed (add `\"` at the end of the text)",
    );
}

#[test]
fn a_backslash_in_double_quotes_is_named() {
    for (text, escape) in [("C:\\dir", "\\d"), ("C:\\users", "\\u")] {
        check(
            &format!("title: \"{text}\"\n"),
            &format!(
                "1:11 yaml-syntax: `{escape}` is not a valid escape in double quotes (write the backslash twice (`\\\\`), or use single quotes)"
            ),
        );
    }
}

#[test]
fn an_unclosed_bracket_is_named_where_it_opens() {
    check(
        "years: [1,\n  2\nopen: true\n",
        "1:8 yaml-syntax: the list that begins with `[` here is never closed (add `]` at its end; text that begins with `[` needs quotes)",
    );
    check(
        "title: {a: b\nopen: true\n",
        "1:8 yaml-syntax: the block that begins with `{` here is never closed (add `}` at its end; text that begins with `{` needs quotes)",
    );
}

#[test]
fn a_missing_colon_or_space_is_explained() {
    for text in ["title:ZZ page\nopen: true\n", "open: true\ntitle:ZZ page\n"] {
        let line = if text.starts_with("title") { 1 } else { 2 };
        check(
            text,
            &format!(
                "{line}:6 yaml-syntax: a space is missing after the colon (write `title: ZZ page`)"
            ),
        );
    }
    check(
        "title = ZZ\nopen: true\n",
        "1:1 yaml-syntax: a key is followed by a colon, not by `=` (write `title: ZZ`)",
    );
    check(
        "open: true\ntitle\nyears: [1]\n",
        "2:1 yaml-syntax: this line has no colon (write `title: …`, or indent the line to continue the text above)",
    );
}

#[test]
fn a_list_item_indented_one_space_off_is_named() {
    check(
        "years:\n  - kind: hero\n    title: x\n - kind: hero\n    title: y\n",
        "4:2 yaml-syntax: this list item is indented with 1 space, but the ones above are indented with 2 (indent it with 2 spaces)",
    );
    check(
        "years:\n - kind: hero\n    title: x\n    lead: y\n",
        "2:2 yaml-syntax: this list item is indented with 1 space, but its keys are indented with 4 (indent it with 2 spaces)",
    );
}

#[test]
fn special_characters_need_quotes() {
    check(
        "title: %a\n",
        "1:8 yaml-syntax: a value cannot begin with `%` (put it in quotes: \"%a\")",
    );
    check(
        "title: @a\n",
        "1:8 yaml-syntax: a value cannot begin with `@` (put it in quotes: \"@a\")",
    );
    check(
        "title: `a`\n",
        "1:8 yaml-syntax: a value cannot begin with a backtick (put it in quotes: \"`a`\")",
    );
    check(
        "title: **bold** text\n",
        "1:8 yaml-syntax: a value cannot begin with `*` (text that begins with `*` needs quotes: \"**bold** text\")",
    );
    check(
        "title: | text\n",
        "1:8 yaml-syntax: text follows `|` on the same line (begin the text on the next line, or put it in quotes: \"| text\")",
    );
}

#[test]
fn a_control_character_is_named() {
    check(
        "title: a\0b\n",
        "1:9 yaml-syntax: an invisible control character (U+0000) is not allowed (delete it, or retype the line)",
    );
    check(
        "title: \"a\u{7}b\"\n",
        "1:10 yaml-syntax: an invisible control character (U+0007) is not allowed (delete it, or retype the line)",
    );
}

#[test]
fn deep_nesting_is_explained() {
    check(
        &format!("years: {}{}\n", "[".repeat(200), "]".repeat(200)),
        "1:39 yaml-syntax: the brackets and blocks here are nested too deeply (a page needs no more than ten levels; look for brackets that are never closed)",
    );
}

#[test]
fn a_null_key_is_explained() {
    check(
        "~: y\n",
        "1:1 yaml-syntax: a key must be a name, but this one is null (write a name, or put the key in quotes)",
    );
}

#[test]
fn a_number_sign_that_begins_a_comment_is_explained() {
    check(
        "title: #1 page\nopen: true\n",
        "1:6 wrong-type: expected text, found no value (`#` begins a comment; put the text in quotes: \"#1 page\")",
    );
}

#[test]
fn a_second_key_names_the_first_of_its_own_block() {
    check(
        "link: {title: a}\ntitle:\n  open: a\nyears:\n  open: a\n  title: b\n  open: c\n",
        "7:3 duplicate-key: the key `open` appears twice in one block (it is already on line 5; remove one of the two)",
    );
}

#[test]
fn a_section_without_its_dash_is_explained() {
    check(
        "years:\n  - kind: hero\n    title: x\n    kind: prose\n",
        "4:5 duplicate-key: the key `kind` appears twice in one block (it is already on line 2; begin a new section with `- kind:`)",
    );
}

#[test]
fn a_closing_line_of_dashes_is_allowed() {
    assert_eq!(problems("---\ntitle: x\n---\n\n# done\n"), [""; 0]);
    assert_eq!(problems("title: x\n...\n"), [""; 0]);
    check(
        "---\ntitle: x\n---\nopen: true\n",
        "3:1 yaml-syntax: the file contains a second document (remove this line (`---`))",
    );
}

#[test]
fn aliases_in_aliases_do_not_overflow_the_stack() {
    let deep = |inner: &str| format!("{}{inner}{}", "[".repeat(25), "]".repeat(25));
    let mut text = format!("a0: &a0 {}\n", deep("x"));
    for level in 1..60 {
        text.extend([
            format!("a{level}: &a{level} "),
            deep(&format!("*a{}", level - 1)),
            "\n".into(),
        ]);
    }
    assert_eq!(problems(&text).len(), 1);
}

#[test]
fn a_quoted_exclamation_mark_is_not_a_tag() {
    assert_eq!(
        problems("{title: \"Hi !\",years: [1]}"),
        Vec::<String>::new()
    );
    assert_eq!(
        problems("{\"title\":\" !\",\"years\":[1]}"),
        Vec::<String>::new()
    );
}

#[test]
fn a_byte_order_mark_does_not_shift_places() {
    assert_eq!(
        problems("\u{feff}open: *x\n"),
        [
            "1:7 yaml-syntax: `*x` refers to the anchor `&x`, which does not exist (text that begins with `*` needs quotes: \"*x\")"
        ]
    );
}

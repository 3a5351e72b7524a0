//! Saves of small files: what changes in them, what stays, and what is refused.

use serde_json::{Value, json};

use super::{Form, merge, values};

/// The form that one gets for a file.
pub(super) fn form(path: &str, text: &str) -> Form {
    let (values, body) = values(path, text).expect(text);
    Form {
        path: path.to_owned(),
        base: Some(text.to_owned()),
        values,
        body,
        orders: Vec::new(),
    }
}

/// Saves a file after a change in its form, while `disk` is on the disk.
fn save_over(
    path: &str,
    text: &str,
    disk: &str,
    change: impl FnOnce(&mut Form),
) -> Result<String, String> {
    let mut form = form(path, text);
    change(&mut form);
    merge(&form, Some(disk)).map_err(|problem| {
        assert!(
            problem
                .hint
                .is_some_and(|hint| hint.starts_with("nothing was saved: "))
        );
        format!("{}: {}", problem.code.name(), problem.message)
    })
}

/// Sets a value at a JSON pointer; `null` removes it.
fn set(values: &mut Value, pointer: &str, value: Value) {
    let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
    match values.pointer_mut(parent).expect(pointer) {
        Value::Object(entries) if value.is_null() => {
            entries.shift_remove(name);
        }
        Value::Object(entries) => {
            entries.insert(name.to_owned(), value);
        }
        Value::Array(items) if name == "-" => items.push(value),
        parent => parent[name.parse::<usize>().expect("an index")] = value,
    }
}

/// Sets values in the form of a YAML file and compares the whole file.
#[track_caller]
fn check(text: &str, changes: &[(&str, Value)], expect: &str) {
    let saved = save_over("a.yaml", text, text, |form| {
        changes
            .iter()
            .for_each(|(pointer, value)| set(&mut form.values, pointer, value.clone()));
    });
    assert_eq!(saved.as_deref(), Ok(expect), "{text}\n{changes:?}");
}

#[track_caller]
fn check_refused(text: &str, disk: &str, changes: &[(&str, Value)], expect: &str) {
    let saved = save_over("a.yaml", text, disk, |form| {
        changes
            .iter()
            .for_each(|(pointer, value)| set(&mut form.values, pointer, value.clone()));
    });
    assert_eq!(saved, Err(expect.to_owned()), "{text}\n{disk}\n{changes:?}");
}

#[test]
fn only_the_value_that_was_changed_is_written() {
    let text = "# Top\n\ntitle:   \"Old\"   # why\nlist: [ 1,2 ]\n\n# Flat\nhero.title: One\nhero.actions.1.label: 'Go'\n\
                lead: \"A long text that\n  goes on.\"\n";
    check(
        text,
        &[("/title", json!("New"))],
        &text.replace("Old", "New"),
    );
    check(
        text,
        &[("/hero.title", json!("Two"))],
        &text.replace("One", "Two"),
    );
    check(
        text,
        &[("/hero.actions.1.label", json!("It's"))],
        &text.replace("'Go'", "'It''s'"),
    );
    check(
        text,
        &[("/lead", json!("A long text that went on."))],
        &text.replace("goes on", "went on"),
    );
    check(text, &[("/list/1", json!(3))], &text.replace("1,2", "1,3"));
    check(
        text,
        &[("/hero.title", json!(""))],
        &text.replace("hero.title: One\n", ""),
    );
    check(
        text,
        &[("/hero.title", json!(null))],
        &text.replace("hero.title: One\n", ""),
    );
}

#[test]
fn a_text_gets_the_quotes_that_it_needs() {
    let text = "a: x # why\nb: 1\n";
    for (value, written) in [
        ("new: text", "\"new: text\""),
        ("a #b", "\"a #b\""),
        ("a#b", "a#b"),
        ("- a", "\"- a\""),
        ("-", "\"-\""),
        ("@home", "\"@home\""),
        ("%x", "\"%x\""),
        ("{product.name} at home", "\"{product.name} at home\""),
        ("in {product.name}", "in {product.name}"),
        ("[x](page:about)", "\"[x](page:about)\""),
        ("*x*", "\"*x*\""),
        ("&x", "\"&x\""),
        ("!x", "\"!x\""),
        ("> x", "\"> x\""),
        ("| x", "\"| x\""),
        ("`x`", "\"`x`\""),
        ("\"x\"", "\"\\\"x\\\"\""),
        ("x: ", "\"x: \""),
        (" x", "\" x\""),
        ("a\tb", "\"a\\tb\""),
        ("C:\\x", "C:\\x"),
        ("2018", "\"2018\""),
        ("007", "\"007\""),
        ("1e3", "\"1e3\""),
        ("0x1f", "\"0x1f\""),
        ("yes", "\"yes\""),
        ("True", "\"True\""),
        ("null", "\"null\""),
        ("~", "\"~\""),
        ("2026-01-05", "2026-01-05"),
        ("12:30", "12:30"),
        ("😀 yes", "😀 yes"),
        ("¿Qué?", "¿Qué?"),
        ("日本", "日本"),
        ("5\u{a0}%", "\"5\\u00A0%\""),
        ("https://example.com/#a", "https://example.com/#a"),
        ("? x", "\"? x\""),
        ("---", "\"---\""),
    ] {
        check(
            text,
            &[("/a", json!(value))],
            &format!("a: {written} # why\nb: 1\n"),
        );
    }
    let long = "word ".repeat(4000) + "end";
    check(
        text,
        &[("/a", json!(long))],
        &format!("a: {long} # why\nb: 1\n"),
    );
}

#[test]
fn texts_of_several_lines_keep_their_style() {
    let literal = "a: |  # why\n    One\n\n    two\nb: 1\n";
    check(
        literal,
        &[("/a", json!("One\n\nten\n"))],
        &literal.replace("two", "ten"),
    );
    check(
        literal,
        &[("/a", json!("One\n\nten"))],
        &literal.replace("two", "ten"),
    );
    check(
        literal,
        &[("/a", json!("One\r\n\r\ntwo\r\nthree"))],
        &literal.replace("two", "two\n    three"),
    );
    check(literal, &[("/a", json!("One\n \ntwo   \n\n"))], literal);
    check(
        literal,
        &[("/a", json!("One\n\ntwo  \nx"))],
        &literal.replace("two", "two  \n    x"),
    );
    let folded = "a: >-\n  one\n  two\nb: 1\n";
    check(
        folded,
        &[("/a", json!("one ten"))],
        &folded.replace("two", "ten"),
    );
    check(
        "l:\n  - |\n    a\n  - b\n",
        &[("/l/0", json!("a\nc"))],
        "l:\n  - |\n    a\n    c\n  - b\n",
    );
    check(
        "a: x\n",
        &[("/a", json!("one\n\ntwo"))],
        "a: |-\n  one\n\n  two\n",
    );
    check(
        "a: x # why\n",
        &[("/a", json!("one\n\ntwo"))],
        "a: \"one\\n\\ntwo\" # why\n",
    );
    check("a: \"x\\ny\"\n", &[("/a", json!("x\nz"))], "a: \"x\\nz\"\n");
    check(
        "a: {b: x}\n",
        &[("/a/b", json!("x\ny"))],
        "a: {b: \"x\\ny\"}\n",
    );
    check(
        "a: 1\n",
        &[("/b", json!("\tx\n\ty"))],
        "a: 1\nb: \"\\tx\\n\\ty\"\n",
    );
    check(
        "a: 1\n",
        &[("/b", json!("x\n\ty\n"))],
        "a: 1\nb: |-\n  x\n  \ty\n",
    );
}

#[test]
fn habits_of_forms_are_no_changes() {
    let text = "year: 2018\nshare: 0.20\ncode: \"2018\"\nbig: 9007199254740993\ndate: 2026-01-05\nopen: true\nempty: ''\n\
                off: false\nlist: []\nnone:\ntext: |\n  one\n\nsub: {a: 1}\nitems:\n  - {n: 1, t: x}\n  - {n: 2, t: y}\n";
    check(text, &[], text);
    for (pointer, value) in [
        ("/year", json!("2018")),
        ("/year", json!(2018.0)),
        ("/share", json!("0.2")),
        ("/share", json!("0.20")),
        ("/code", json!(2018)),
        ("/new", json!("")),
        ("/new", json!(" ")),
        ("/new", json!([])),
        ("/new", json!({})),
        ("/new", json!({"a": "", "b": [], "c": false})),
        ("/new", json!(false)),
        ("/sub/b", json!(false)),
        ("/sub/b", json!("")),
        ("/open", json!("true")),
        ("/empty", Value::Null),
        ("/off", Value::Null),
        ("/none", json!("")),
        ("/text", json!("one")),
        ("/text", json!("one\r\n")),
        ("/items/0/n", json!("1")),
        ("/items/1/b", json!(false)),
        (
            "/items",
            json!([{"t": "x", "n": "1", "o": null}, {"t": "y", "n": "2", "p": ""}]),
        ),
    ] {
        check(text, &[(pointer, value)], text);
    }
    check(text, &[("/new", json!(null))], text);
    // And these are changes.
    check(
        text,
        &[("/year", json!("2019"))],
        &text.replacen("2018", "2019", 1),
    );
    check(
        text,
        &[("/year", json!("about 2018"))],
        &text.replacen("2018", "about 2018", 1),
    );
    check(
        text,
        &[("/code", json!(2019))],
        &text.replace("\"2018\"", "\"2019\""),
    );
    check(
        text,
        &[("/date", json!("2026-02-05"))],
        &text.replace("2026-01", "2026-02"),
    );
    check(
        text,
        &[("/open", json!(false))],
        &text.replace("open: true", "open: false"),
    );
    check(
        text,
        &[("/off", json!(true))],
        &text.replace("off: false", "off: true"),
    );
    check(
        text,
        &[("/none", json!("x"))],
        &text.replace("none:", "none: x"),
    );
    check(text, &[("/empty", json!("x"))], &text.replace("''", "'x'"));
    check(
        text,
        &[("/big", json!("9007199254740995"))],
        &text.replace("993", "995"),
    );
    check(
        text,
        &[("/list", json!(["a"]))],
        &text.replace("list: []", "list:\n  - a"),
    );
    check(
        text,
        &[("/sub/b", json!({"c": [1, "", {"d": null}]}))],
        &text.replace("a: 1}", "a: 1, b: {c: [1, \"\", {}]}}"),
    );
    check(
        text,
        &[("/items/1/n", json!("3"))],
        &text.replace("n: 2", "n: 3"),
    );
}

#[test]
fn items_move_with_their_comments_and_keep_their_style() {
    let text =
        "l:\n  # one\n  - kind: a\n    t: \"x\"  # x\n\n  # two\n  - kind: b\n    t: y\n# end\n";
    let (one, two) = (
        json!({"kind": "a", "t": "x"}),
        json!({"kind": "b", "t": "y"}),
    );
    let moved =
        "l:\n  # two\n  - kind: b\n    t: y\n\n  # one\n  - kind: a\n    t: \"x\"  # x\n# end\n";
    check(text, &[("/l", json!([two, one]))], moved);
    let edited = json!({"kind": "a", "t": "z"});
    check(
        text,
        &[("/l", json!([two, edited]))],
        &moved.replace("\"x\"", "\"z\""),
    );
    check(
        text,
        &[("/l", json!([two]))],
        "l:\n  # two\n  - kind: b\n    t: y\n# end\n",
    );
    check(
        text,
        &[("/l", json!([one]))],
        "l:\n  # one\n  - kind: a\n    t: \"x\"  # x\n# end\n",
    );
    let third = json!({"kind": "c", "off": false, "t": "", "more": {"x": "- 1"}});
    let added = text.replace("# end", "\n  - kind: c\n    more:\n      x: \"- 1\"\n# end");
    check(text, &[("/l/-", third)], &added);
    check(
        "l: [a, b]\n",
        &[("/l", json!(["b", "a", "c"]))],
        "l: [b, a, c]\n",
    );
    check(
        "l:\n  - [a, b]\n  - - c\n    - d\n",
        &[("/l/1/0", json!("x"))],
        "l:\n  - [a, b]\n  - - x\n    - d\n",
    );
    check(
        "l:\n  - [a, b]\n",
        &[("/l/-", json!(["c"]))],
        "l:\n  - [a, b]\n  - [c]\n",
    );
    check("l:\n  - a\nk: 1\n", &[("/l", json!([]))], "k: 1\n");
    check("l:\n  - a\nk: 1\n", &[("/l/0", json!(""))], "k: 1\n");
    check(
        "l:\n  - a\n  - b\n",
        &[("/l/0", json!(""))],
        "l:\n  - \"\"\n  - b\n",
    );
}

#[test]
fn line_endings_and_marks_of_a_file_stay() {
    check(
        "a: 1\r\nb: x\r\n",
        &[("/b", json!("y\nz"))],
        "a: 1\r\nb: |-\r\n  y\r\n  z\r\n",
    );
    check(
        "\u{feff}b: x\n",
        &[("/b", json!("z")), ("/a", json!("1 x"))],
        "\u{feff}b: z\na: 1 x\n",
    );
    check("\u{feff}a: x\n", &[("/a", json!("x"))], "\u{feff}a: x\n");
    check("a: 1\nb: x", &[("/a", json!(2))], "a: 2\nb: x");
    check("a: 1\nb: x", &[("/b", json!("z"))], "a: 1\nb: z");
    check("a: 1\nb: x", &[("/c", json!("z"))], "a: 1\nb: x\nc: z");
}

#[test]
fn both_sides_are_merged_by_value() {
    let text =
        "a: 1\nb: 2\nl:\n  - {n: 1, t: x}\n  - {n: 2, t: y}\n  - {n: 3, t: z}\ns: {x: 1, y: 2}\n";
    let merged = |disk: &str, changes: &[(&str, Value)], expect: &str| {
        let saved = save_over("a.yaml", text, disk, |form| {
            changes
                .iter()
                .for_each(|(pointer, value)| set(&mut form.values, pointer, value.clone()));
        });
        assert_eq!(saved.as_deref(), Ok(expect), "{disk}\n{changes:?}");
    };
    let disk = text.replace("b: 2", "# new\nb: 3").replace("n: 2", "n: 5");
    merged(&disk, &[("/a", json!(4))], &disk.replace("a: 1", "a: 4"));
    merged(&disk, &[("/b", json!(3))], &disk);
    merged(
        &disk,
        &[("/l/1/t", json!("w"))],
        &disk.replace("t: y", "t: w"),
    );
    merged(
        &disk,
        &[("/s/z", json!(3))],
        &disk.replace("y: 2}", "y: 2, z: 3}"),
    );
    // One side moves items, the other changes them.
    let (one, two, three) = (
        json!({"n": 1, "t": "x"}),
        json!({"n": 2, "t": "y"}),
        json!({"n": 3, "t": "z"}),
    );
    let moved = disk.replace(
        "  - {n: 1, t: x}\n  - {n: 5, t: y}\n",
        "  - {n: 5, t: y}\n  - {n: 1, t: x}\n",
    );
    merged(&disk, &[("/l", json!([two, one, three]))], &moved);
    merged(
        &moved,
        &[("/l/2/t", json!("w"))],
        &moved.replace("t: z", "t: w"),
    );
    merged(
        &disk,
        &[("/l", json!([two, three]))],
        &disk.replace("  - {n: 1, t: x}\n", ""),
    );
    let shorter = text.replace("  - {n: 3, t: z}\n", "");
    merged(
        &shorter,
        &[("/l/0/t", json!("w"))],
        &shorter.replace("t: x", "t: w"),
    );
    // The file has the same change already.
    merged(&shorter, &[("/l", json!([one, two]))], &shorter);
}

#[test]
fn a_value_that_both_sides_changed_is_refused() {
    let text = "a: 1\nhero.title: Old\nl:\n  - {n: 1, t: x}\n  - {n: 2, t: y}\n";
    let refused = |disk: (&str, &str), pointer: &str, value: Value, expect: &str| {
        let message = format!("save-conflict: {expect}");
        check_refused(
            text,
            &text.replace(disk.0, disk.1),
            &[(pointer, value)],
            &message,
        );
    };
    let open = "was changed in the file while the form was open";
    refused(
        ("Old", "Theirs"),
        "/hero.title",
        json!("Mine"),
        &format!("`hero.title` {open}: the value is now `Theirs`"),
    );
    refused(
        ("hero.title: Old\n", ""),
        "/hero.title",
        json!("Mine"),
        &format!("`hero.title` {open}: the file no longer has this value"),
    );
    refused(
        ("Old", "Theirs"),
        "/hero.title",
        json!(""),
        &format!("`hero.title` {open}: the value is now `Theirs`"),
    );
    refused(
        ("t: y", "t: w"),
        "/l/1/t",
        json!("v"),
        &format!("`l.2.t` {open}: the value is now `w`"),
    );
    refused(
        ("  - {n: 2, t: y}\n", ""),
        "/l/1/t",
        json!("v"),
        &format!("`l.2` {open}: the file no longer has this value"),
    );
    refused(
        ("t: y", "t: w"),
        "/l",
        json!([{"n": 1, "t": "x"}]),
        &format!("`l.2` {open}: the value is now a block of values"),
    );
    refused(
        ("  - {n: 2, t: y}\n", "  - {n: 2, t: y}\n  - {n: 3, t: z}\n"),
        "/l/-",
        json!({"n": 4}),
        &format!("`l` {open}: the value is now a list of 3 items"),
    );
    let long = "word ".repeat(30);
    let shown = format!("{}…", ["word"; 12].join(" "));
    refused(
        ("Old", &long),
        "/hero.title",
        json!("x"),
        &format!("`hero.title` {open}: the value is now `{shown}`"),
    );
}

#[test]
fn anchors_are_changed_where_they_are_written_or_not_at_all() {
    check(
        "a: &x one\nb: 1\n",
        &[("/a", json!("two: 2"))],
        "a: &x \"two: 2\"\nb: 1\n",
    );
    check(
        "a: &x one\nb: *x\n",
        &[("/a", json!("two")), ("/b", json!("two"))],
        "a: &x two\nb: *x\n",
    );
    let both = "a: &x\n  t: one\nb: *x\nc: {<<: *x, u: 2}\n";
    check(both, &[("/c/u", json!(3))], &both.replace("u: 2", "u: 3"));
    let one = |text: &str, pointer: &str, expect: &str| {
        let message = format!(
            "save-refused: {expect} cannot be changed on its own: the anchor `&x` contains it, and `*x` repeats it elsewhere"
        );
        check_refused(text, text, &[(pointer, json!("two"))], &message);
    };
    one("a: &x one\nb: *x\n", "/a", "`a`");
    one("a: &x one\nb: *x\n", "/b", "`b`");
    one(both, "/a/t", "`a.t`");
    one(both, "/b/t", "`b`");
    one(both, "/c/t", "`c.t`");
    one("b: &x one\nk.d:\n  - *x\n", "/k.d/0", "`k.d.1`");
    // The value of an anchor cannot be removed while an alias needs it.
    let text = "a: &x one\nb: *x\n";
    let saved = save_over("a.yaml", text, text, |form| {
        set(&mut form.values, "/a", json!(null));
    });
    assert!(saved.is_err_and(|message| message.contains("`a`")));
}

#[test]
fn a_file_that_is_not_there_or_not_readable_is_refused() {
    let message = "save-conflict: the file `a.yaml` was moved or deleted while the form was open";
    let saved = merge(&form("a.yaml", "a: 1\n"), None).map_err(|problem| problem.message);
    assert_eq!(
        saved,
        Err(message.trim_start_matches("save-conflict: ").to_owned())
    );
    let broken = merge(&form("a.yaml", "a: 1\n"), Some("a: [1\n")).expect_err("broken");
    assert_eq!(broken.code.name(), "yaml-syntax");
    let tagged = values("a.yaml", "a: !x 1\n").expect_err("a tag");
    assert_eq!(
        tagged
            .iter()
            .map(|problem| problem.code.name())
            .collect::<Vec<_>>(),
        ["yaml-syntax"]
    );
    let mut new = Form {
        base: None,
        ..form("a.yaml", "a: 1\n")
    };
    let exists = merge(&new, Some("a: 1\n")).expect_err("exists");
    assert_eq!(
        (exists.code.name(), exists.message.as_str()),
        ("save-conflict", "there is already a file `a.yaml`")
    );
    new.values = json!({"a": "x\u{0}"});
    assert_eq!(
        merge(&new, None).map_err(|problem| problem.code.name()),
        Err("save-refused")
    );
    new.values = json!({"a": "", "b": []});
    assert_eq!(
        merge(&new, None).map_err(|problem| problem.code.name()),
        Err("save-refused")
    );
}

#[test]
fn a_new_file_has_the_values_of_the_form_in_its_order() {
    let new = |path: &str, values: Value, body: Option<&str>| {
        let form = Form {
            path: path.into(),
            base: None,
            values,
            body: body.map(str::to_owned),
            orders: Vec::new(),
        };
        merge(&form, None).expect("a file")
    };
    let values = json!({
        "title": "A: b", "date": "2026-01-05", "year": "2018", "count": 3, "draft": false, "open": true, "empty": "",
        "hero.title": "{product.name}", "tags": ["a", "b: c"], "image": {"src": "a.jpg", "alt": null},
        "rows": [["a", ""], ["b"]], "items": [{"t": "x", "more": {"z": 1}}], "none": [], "text": "one\n\ntwo\n",
    });
    let yaml = "title: \"A: b\"\ndate: 2026-01-05\nyear: \"2018\"\ncount: 3\nopen: true\nhero.title: \"{product.name}\"\n\
                tags:\n  - a\n  - \"b: c\"\nimage:\n  src: a.jpg\nrows:\n  - - a\n    - \"\"\n  - - b\n\
                items:\n  - t: x\n    more:\n      z: 1\ntext: |-\n  one\n\n  two\n";
    assert_eq!(new("a.yaml", values.clone(), None), yaml);
    assert_eq!(
        new("a.md", values.clone(), Some("\n# Hi\r\n\r\nText \n")),
        format!("---\n{yaml}---\n\n# Hi\n\nText\n")
    );
    assert_eq!(new("a.md", values, Some("")), format!("---\n{yaml}---\n"));
}

/// Saves a post after a change of its text, while `disk` is its text on the disk.
#[track_caller]
fn check_body(body: &str, disk: &str, new: &str, expect: &str) {
    let post = |body: &str| format!("---\ntitle: A  # why\n---\n{body}");
    let saved = save_over("a.md", &post(body), &post(disk), |form| {
        form.body = Some(new.to_owned());
    });
    assert_eq!(
        saved.as_deref(),
        Ok(post(expect).as_str()),
        "{body}\n=> {new}"
    );
}

#[test]
fn a_text_that_an_editor_wrote_anew_is_the_same() {
    let text = "\n# Head  #\n\nA *b* __c__ with\na line\\\nbreak and 1 * 2, a_b.\n\n\n- one\n- two\n    - deep\n\n\
                1. x\n2. y\n\n> quoted\n> text\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n```rust\nlet a  = 1;\n```\n\n***\n\n\
                [A][ref] <https://a.example/> ![b](c.png \"t\")\n\n[ref]: page:about \"T\"\n\nNote[^1] {product.name}.\n\n\
                - [ ] todo\n- [x] done\n\n<div class=\"x\">\n  raw\n</div>\n\n    indented code\n\n[^1]: Below.\n";
    let anew = "Head\n====\n\nA _b_ **c** with a line  \nbreak and 1 \\* 2, a\\_b.\n\n* one\n\n* two\n\n  * deep\n\n\
                1. x\n1. y\n\n> quoted text\n\n| a   |   b |\n| :-- | --: |\n| 1   |   2 |\n\n~~~rust\nlet a  = 1;\n~~~\n\n---\n\n\
                [A](page:about \"T\") [https://a.example/](https://a.example/) ![b](c.png \"t\")\n\n\
                Note\\[^1] {product.name}.\n\n* \\[ ] todo\n* \\[x] done\n\n<div class=\"x\">\n  raw\n</div>\n\n\
                ```\nindented code\n```\n\n\\[^1]: Below.";
    check_body(text, text, anew, text);
    check_body(text, text, &anew.replace('\n', "\r\n"), text);
    // Only the block that was changed is written as the editor writes it.
    check_body(
        text,
        text,
        &anew.replace("text\n\n|", "words\n\n|"),
        &text.replace("> quoted\n> text", "> quoted words"),
    );
    check_body(
        text,
        text,
        &anew.replace("Note", "A note"),
        &text.replace("Note", "A note"),
    );
    check_body(
        text,
        text,
        &anew.replace("] todo", "] to do"),
        &text.replace("- [ ] todo\n- [x]", "* [ ] to do\n* [x]"),
    );
    check_body(
        text,
        text,
        &anew.replace("Below", "Under"),
        &text.replace("Below", "Under"),
    );
    check_body(
        text,
        text,
        &anew.replace("> quoted text\n\n", ""),
        &text.replace("> quoted\n> text\n\n", ""),
    );
    check_body(
        text,
        text,
        &format!("New.\n\n{anew}\n\nEnd.\n"),
        &format!("\nNew.\n\n{}\n\nEnd.\n", text.trim_matches('\n')),
    );
}

#[test]
fn blocks_of_a_text_are_added_moved_and_removed() {
    let text = "One *1*\ngoes on.\n\n\nTwo.\n\n[a]: /x\n\nThree [t][a].";
    check_body(
        text,
        text,
        "One _1_ goes on.\n\nNew.\n\nTwo.\n\nThree [t](/x).\n",
        &text.replace("\n\n\nTwo.", "\n\nNew.\n\n\nTwo."),
    );
    check_body(
        text,
        text,
        "Two.\n\nOne _1_ goes on.\n\nThree [t](/x).",
        "Two.\n\nOne *1*\ngoes on.\n\n[a]: /x\n\nThree [t][a].",
    );
    check_body(
        text,
        text,
        "One _1_ goes on.\n\nThree [t](/x).",
        "One *1*\ngoes on.\n\n[a]: /x\n\nThree [t][a].",
    );
    check_body(
        text,
        text,
        "One _1_ goes on.\n\nTwo.\n\nThree [u](/x).",
        &text.replace("[t][a]", "[u](/x)"),
    );
    check_body(
        text,
        text,
        "One _1_ goes on.\n\nTwo.\n\nThree [t][a].\n\n[a]: /z\n",
        &text.replace("/x", "/z"),
    );
    check_body(
        text,
        text,
        "One _1_ goes on.\n\nTwo.\n\nThree [t][b].\n\n[b]: /z\n",
        &(text.replace("[t][a]", "[t][b]") + "\n\n[b]: /z\n"),
    );
    check_body("", "", "New.", "\nNew.\n");
    check_body("One.\n", "One.\n", "", "\n");
    check_body(
        "- a\n- b\n\nText.\n",
        "- a\n- b\n\nText.\n",
        "- a\n- b\n\n* c\n\nText.",
        "- a\n- b\n\n* c\n\nText.\n",
    );
    // The list would run into the new one.
    let lists = "* a\n* b\n\n- c\n\nEnd.\n";
    check_body(
        lists,
        lists,
        "- a\n- b\n\n* c\n* d\n\nEnd.",
        "- a\n- b\n\n* c\n* d\n\nEnd.\n",
    );
    let crlf = "One.\r\n\r\nTwo\r\nlines.\r\n";
    let saved = save_over(
        "a.md",
        &format!("---\r\na: 1\r\n---\r\n{crlf}"),
        &format!("---\r\na: 1\r\n---\r\n{crlf}"),
        |form| {
            form.body = Some("One.\n\nNew\ntext.\n\nTwo\nlines.".to_owned());
        },
    );
    let expect = "---\r\na: 1\r\n---\r\nOne.\r\n\r\nNew\r\ntext.\r\n\r\nTwo\r\nlines.\r\n";
    assert_eq!(saved.as_deref(), Ok(expect));
}

#[test]
fn texts_that_both_sides_changed_are_merged_by_block() {
    let text = "One.\n\nTwo.\n\nThree.\n\nFour.\n\nFive.\n";
    let disk = text.replace("One.", "Intro.\n\nOne here.");
    check_body(
        text,
        &disk,
        &text.replace("Three", "3"),
        &disk.replace("Three", "3"),
    );
    check_body(
        text,
        &disk,
        &text.replace("Five.", "Five.\n\nSix."),
        &disk.replace("Five.", "Five.\n\nSix."),
    );
    check_body(
        text,
        &disk,
        &text.replace("One.", "Intro.\n\nOne here."),
        &disk,
    );
    check_body(text, &disk, text, &disk);
    for new in ["One there.", "", "One.\n\nNew."] {
        let post = |body: &str| format!("---\ntitle: A\n---\n{body}");
        let saved = save_over("a.md", &post(text), &post(&disk), |form| {
            form.body = Some(text.replace("One.", new));
        });
        let message =
            "save-conflict: the text was changed in the file while the form was open, at `Intro.`";
        assert_eq!(saved, Err(message.to_owned()), "{new}");
    }
}

#[test]
fn front_matter_and_text_are_saved_together() {
    let text = "---\n# Post\ntitle: Old # why\ndraft: true\ntags: [A, B]\n---\n## One\n\nTwo.\n";
    let saved = save_over("a.md", text, text, |form| {
        assert_eq!(form.body.as_deref(), Some("## One\n\nTwo."));
        form.values = json!({"tags": ["A", "C: d"], "title": "New", "draft": false, "excerpt": ""});
        form.body = Some("## One\n\n2.\n".to_owned());
    });
    let expect =
        "---\n# Post\ntitle: New # why\ndraft: false\ntags: [A, \"C: d\"]\n---\n## One\n\n2.\n";
    assert_eq!(saved.as_deref(), Ok(expect));
    let saved = save_over("a.md", text, text, |form| form.body = None);
    assert_eq!(saved.as_deref(), Ok(text));
}

#[test]
fn many_items_are_changed_moved_and_removed_at_once() {
    let item = |at: usize| {
        format!(
            "  # {at}\n  - kind: k{at}\n    title: \"Title {at}\"\n    text: >-\n      one\n      two {at}\n"
        )
    };
    let text = format!(
        "title: x\nsections:\n{}",
        (0..60).map(item).collect::<String>()
    );
    let saved = save_over("a.yaml", &text, &text, |form| {
        let items = form.values["sections"].as_array_mut().expect("a list");
        for item in items.iter_mut() {
            item["title"] = json!(format!("{} new", item["title"].as_str().expect("a title")));
        }
        items.swap(3, 40);
        items.remove(20);
    });
    let saved = saved.expect("a file");
    assert_eq!(saved.matches(" new\"").count(), 59);
    assert_eq!(saved.matches("  # ").count(), 59);
}

/// The script of the forms for a Git host is tested with the same cases: `tests/editors/merges.test.mjs`.
#[test]
fn values_are_merged_as_in_forms_for_a_git_host() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("../../../../tests/merges.json"))
        .expect("cases with JSON values");
    for case in cases {
        let node = |name: &str| values::from_json(&case[name]);
        match super::merge::merge(&node("base"), &node("form"), &node("file")) {
            Ok(merged) => assert_eq!(values::to_json(&merged), case["merged"], "{case}"),
            Err(conflict) => assert_eq!(conflict.path(), case["conflict"], "{case}"),
        }
    }
}

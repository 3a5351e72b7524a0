//! Edits of small files: what changes, and what stays.

use super::*;

fn node(yaml: &str) -> Node {
    syntax::parse(
        &Source::new("a.yaml".into(), yaml.to_owned()),
        0..yaml.len(),
    )
    .expect(yaml)
}

fn changed(yaml: &str, wanted: &str) -> Result<String, String> {
    let source = Source::new("a.yaml".into(), yaml.to_owned());
    edit(&source, 0..yaml.len(), &node(wanted)).map_err(|stuck| stuck.path)
}

fn check(yaml: &str, wanted: &str, expect: &str) {
    assert_eq!(
        changed(yaml, wanted).as_deref(),
        Ok(expect),
        "{yaml}\n{wanted}"
    );
}

#[test]
fn an_item_of_several_lines_becomes_another_value() {
    check(
        "a:\n  - |\n    one\n    two\nb: 1\n",
        "a: [false]\nb: 1",
        "a:\n  - false\nb: 1\n",
    );
    check("- >-\n  one\n- b\n", "[{c: 1}, b]", "- c: 1\n- b\n");
}

#[test]
fn texts_keep_their_quotes_and_comments() {
    check(
        "# top\na: old  # why\nb: 2\n",
        "a: new\nb: 2",
        "# top\na: new  # why\nb: 2\n",
    );
    check(
        "a: \"5\\u00A0% x\"\n",
        "a: \"5\\u00A0% y\"",
        "a: \"5\\u00A0% y\"\n",
    );
    check("a: 'it''s'\n", "a: \"it's 'x'\"", "a: 'it''s ''x'''\n");
    check(
        "a: \"one\n  two three\"\n",
        "a: one two four",
        "a: \"one\n  two four\"\n",
    );
    check(
        "a: |\n  One\n\n  two\nb: 1\n",
        "a: \"One\\n\\nten\\n\"\nb: 1",
        "a: |\n  One\n\n  ten\nb: 1\n",
    );
    check(
        "a: >-\n  one\n  two\nb: 1\n",
        "a: one ten\nb: 1",
        "a: >-\n  one\n  ten\nb: 1\n",
    );
}

#[test]
fn a_value_gets_the_quotes_that_it_needs() {
    for text in [
        "a: b",
        "a #b",
        "- a",
        "2018",
        "yes",
        "true",
        "{product.name}",
        "*x",
        "&x",
        "@x",
        "",
        " a",
        "é 😀: x",
    ] {
        let wanted = format!("a: {}\nb: 1", emit::double(text));
        let result = changed("a: x\nb: 1\n", &wanted).expect(text);
        assert_eq!(distance(&node(&result), &node(&wanted)), 0, "{result}");
    }
    check("a: x\nb: 1\n", "a: \"2018\"\nb: 1", "a: \"2018\"\nb: 1\n");
    check("a: 5\n", "a: 6", "a: 6\n");
}

#[test]
fn keys_are_inserted_in_order_and_removed() {
    check("a: 1\nc: 3\n", "a: 1\nb: x\nc: 3", "a: 1\nb: x\nc: 3\n");
    check("# top\nb: 1\n", "a: x\nb: 1", "# top\na: x\nb: 1\n");
    check("a: 1\nb:\n  c: 2\nd: 3\n", "a: 1\nd: 3", "a: 1\nd: 3\n");
    check(
        "l:\n  - {a: 1}\n",
        "l:\n- {a: 1, b: 2}",
        "l:\n  - {a: 1, b: 2}\n",
    );
    check("l:\n  - a: 1\n    b: 2\n", "l:\n- b: 2", "l:\n  - b: 2\n");
    check(
        "a: 1\r\nc: 3\r\n",
        "a: 1\nb: x\nc: 3",
        "a: 1\r\nb: x\r\nc: 3\r\n",
    );
}

#[test]
fn items_move_with_their_comments() {
    let list = "l:\n  # one\n  - a: 1\n    t: x\n  # two\n  - a: 2\n    t: y\n";
    check(
        list,
        "l: [{a: 2, t: y}, {a: 1, t: x}]",
        "l:\n  # two\n  - a: 2\n    t: y\n  # one\n  - a: 1\n    t: x\n",
    );
    check(
        "l:\n  - a\n  - b\n",
        "l: [a, b, c]",
        "l:\n  - a\n  - b\n  - c\n",
    );
    check("l: [a, b, c]\n", "l: [c, a]", "l: [c, a]\n");
    check(
        "l:\n- - a\n- &x b\n-\n  # two\n  c\n",
        "l: [b, c, [a]]",
        "l:\n- &x b\n-\n  # two\n  c\n- - a\n",
    );
}

#[test]
fn an_alias_is_changed_at_its_anchor_or_not_at_all() {
    check("a: &x one\nb: *x\n", "a: two\nb: two", "a: &x two\nb: *x\n");
    assert_eq!(
        changed("a: &x one\nb: *x\n", "a: one\nb: two"),
        Err("b".to_owned())
    );
    assert!(changed("a: &x one\nb: *x\n", "a: two\nb: one").is_err());
}

#[test]
fn comments_between_items_are_never_lost() {
    let list = "l:\n  # one\n  - a\n    # below a\n\n  # Part two\n\n  # two\n  - b\n  - c # cc\n# end\nk: 1\n";
    let check = |wanted: &str, expect: &str| check(list, &format!("l: {wanted}\nk: 1"), expect);
    check(
        "[b, a, c]",
        "l:\n  # Part two\n\n  # two\n  - b\n  # one\n  - a\n    # below a\n  - c # cc\n# end\nk: 1\n",
    );
    check(
        "[b, c]",
        "l:\n  # Part two\n\n  # two\n  - b\n  - c # cc\n# end\nk: 1\n",
    );
    check(
        "[a]",
        "l:\n  # one\n  - a\n    # below a\n\n  # Part two\n# end\nk: 1\n",
    );
    check(
        "[a, b, x, c]",
        "l:\n  # one\n  - a\n    # below a\n\n  # Part two\n\n  # two\n  - b\n  - x\n  - c # cc\n# end\nk: 1\n",
    );
    let item = |wanted: &str, expect: &str| {
        super::tests::check(
            "l:\n  - a: 1 # a\n    # about b\n    b: 2\n",
            &format!("l: [{wanted}]"),
            expect,
        );
    };
    item("{b: 2}", "l:\n  - # about b\n    b: 2\n");
}

#[test]
fn a_comment_at_the_top_is_about_the_file() {
    check(
        "# Links\n- a\n# two\n- b\n",
        "[b, a]",
        "# Links\n# two\n- b\n- a\n",
    );
    check("# Links\n- a\n", "[x, a]", "# Links\n- x\n- a\n");
}

#[test]
fn an_empty_line_between_all_items_is_kept() {
    check(
        "l:\n- a\n\n- b\n",
        "l: [a, b, c]",
        "l:\n- a\n\n- b\n\n- c\n",
    );
    check(
        "l:\n- a: 1\n\n- a: 2\nk: x\n",
        "l: [{a: 0}, {a: 1}, {a: 2}]\nk: x",
        "l:\n- a: 0\n\n- a: 1\n\n- a: 2\nk: x\n",
    );
}

#[test]
fn lists_of_lists_are_arranged() {
    let list = "l:\n  - - a\n    - b\n  - [c, d]\n  -\n  - ~\n";
    check(
        list,
        "l: [[b, a], [c, d], null, null]",
        "l:\n  - - b\n    - a\n  - [c, d]\n  -\n  - ~\n",
    );
    check(
        list,
        "l: [[a, b], [d], null, null]",
        "l:\n  - - a\n    - b\n  - [d]\n  -\n  - ~\n",
    );
    check(
        list,
        "l: [[a, b], [c, d], x, z]",
        "l:\n  - - a\n    - b\n  - [c, d]\n  - x\n  - z\n",
    );
    check(
        list,
        "l: [[c, d], [a, b]]",
        "l:\n  - [c, d]\n  - - a\n    - b\n",
    );
}

#[test]
fn texts_in_blocks_keep_their_header_and_indentation() {
    let text = "a: |  # why\n     One\n\n     two\nb: 1\n";
    check(
        text,
        "a: \"One\\n\\ntwo\\nthree\\n\"\nb: 1",
        "a: |  # why\n     One\n\n     two\n     three\nb: 1\n",
    );
    check(
        "l:\n  - |\n    a\n  - >-\n    b\n    c\n",
        "l: [\"x\\ny\\n\", b d]",
        "l:\n  - |\n    x\n    y\n  - >-\n    b\n    d\n",
    );
    check(
        "a: |\n  \"one\"\n",
        "a: \"\\\"two\\\"\\n\"",
        "a: |\n  \"two\"\n",
    );
    check(
        "a: |\n  x y\n\nb: 1\n",
        "a: \"z\\n\"\nb: 1",
        "a: |\n  z\n\nb: 1\n",
    );
    let long = "word ".repeat(40);
    let folded = changed(
        "a: >-\n  one\n  two\n  three\n",
        &format!("a: \"{long}end\""),
    )
    .expect("a change");
    assert!(
        folded.lines().all(|line| line.len() <= 110) && folded.starts_with("a: >-\n  word"),
        "{folded}"
    );
    check(
        "a: one\nb: 1\n",
        "a: \"one\\n\\ntwo\"\nb: 1",
        "a: |-\n  one\n\n  two\nb: 1\n",
    );
    check(
        "a: |\n  x\n",
        "a: \"\\tx\\n y\\tz\\n\"",
        "a: |\n  \tx\n   y\tz\n",
    );
    check(
        "a: &x |\n  x\nb: *x\n",
        "a: \"y\\n\"\nb: \"y\\n\"",
        "a: &x |\n  y\nb: *x\n",
    );
    check(
        "a: |\r\n  x\r\n  z\r\nb: 1\r\n",
        "a: \"x\\ny\\nz\\n\"\nb: 1",
        "a: |\r\n  x\r\n  y\r\n  z\r\nb: 1\r\n",
    );
}

#[test]
fn quotes_in_texts_in_brackets_are_letters() {
    let line = "a: {t: it's 'b, u: [x y\" \"z, [] ], # }\n  v: {}} # why\nb: 1\n";
    check(
        line,
        "a: {t: \"it's 'b\", u: [\"x y\\\" \\\"z\", []]}\nb: 2",
        &line.replace("b: 1", "b: 2"),
    );
    check(
        line,
        "a: {t: \"it's 'b\", u: [\"x y\\\" \\\"z\", []], w: 3}\nb: 1",
        &line.replace("[] ],", "[] ], w: 3,"),
    );
    check(line, "c: 3\nb: 1", "c: 3\nb: 1\n");
}

#[test]
fn many_changes_are_one_step() {
    let lines = |value: usize| {
        (0..300)
            .map(|at| format!("k{at}: {}\n", at * value))
            .collect::<Vec<_>>()
            .concat()
    };
    check(&lines(1), &lines(2), &lines(2));
    check(
        "a: 1\nd: 4\n",
        "a: 2\nb: 2\nc: 3\nd: 5\ne: 6",
        "a: 2\nb: 2\nc: 3\nd: 5\ne: 6\n",
    );
}

#[test]
fn keys_of_merged_blocks_stay_where_they_are() {
    let merged = "b: &b {a: 1, t: 2}\nx:\n  <<: *b\n  c: 2\n";
    let check = |wanted: &str, expect: &str| check(merged, wanted, expect);
    check(
        "b: {a: 1, t: 2}\nx: {a: 1, t: 2, c: 3}",
        &merged.replace("c: 2", "c: 3"),
    );
    check(
        "b: {a: 1, t: 2}\nx: {a: 1, t: 2, c: 2, d: 4}",
        &format!("{merged}  d: 4\n"),
    );
    check(
        "b: {a: 3, t: 2}\nx: {a: 3, t: 2, c: 2}",
        &merged.replace("a: 1", "a: 3"),
    );
    let stuck = |wanted: &str| {
        let source = Source::new("a.yaml".into(), merged.to_owned());
        let stuck = edit(&source, 0..merged.len(), &node(wanted)).expect_err("an alias");
        (stuck.path, stuck.anchor)
    };
    let at = |path: &str| (path.to_owned(), Some("b".to_owned()));
    assert_eq!(stuck("b: {a: 1, t: 2}\nx: {a: 3, t: 2, c: 2}"), at("x.a"));
    assert_eq!(stuck("b: {a: 1, t: 2}\nx: {t: 2, c: 2}"), at("x.a"));
    assert_eq!(stuck("b: {a: 3, t: 2}\nx: {a: 1, t: 2, c: 2}"), at("b.a"));
}

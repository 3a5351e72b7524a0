//! Tests of what a form may declare, and of the messages about what it may not.

use super::*;

/// Reads a form with these lines. The problems are messages with the text that they are about.
pub(super) fn check(text: &str, expect: &[&str]) {
    let source = Arc::new(Source::new(
        "content/forms/a/form.yaml".into(),
        text.to_owned(),
    ));
    let mut problems = Problems::new();
    let form = read(&source, &mut problems);
    let found: Vec<&str> = problems
        .iter()
        .map(|problem| problem.message.as_str())
        .collect();
    assert_eq!(found, expect, "{text}");
    assert_eq!(form.is_some(), expect.is_empty(), "{text}");
}

fn check_field(field: &str, expect: &[&str]) {
    check(
        &format!(
            "fields:\n  a: {field}\n  b: {{type: flag}}\n  c: {{type: choice, choices: [x, y]}}\n"
        ),
        expect,
    );
}

#[test]
fn a_form_of_every_type_is_read() {
    check(
        "fields:
  name: {type: text, required: true, most: 80, autocomplete: name}
  code: {type: text, pattern: \"[A-Z]{2}[0-9]+\"}
  note: {type: text, lines: 4}
  email: {type: email}
  phone: {type: phone, shown_when: {times: [morning, noon]}}
  day: {type: date, min: today, max: 2040-01-31}
  people: {type: number, min: 1, max: 9}
  times: {type: choice, list: true, choices: [morning, noon]}
  insured: {type: flag}
  insurer: {type: text, shown_when: {insured: true}}
  clinic: {type: reference, to: clinics}
require_one_of: [[email, phone]]
consent: [privacy]
captcha: false
deliver: {mail: \"{clinic.email}\"}
thanks: thanks
",
        &[],
    );
}

#[test]
fn what_a_field_cannot_have_is_reported() {
    check("fields: {}\n", &["the form has no fields"]);
    check(
        "fields:\n  A: {type: text}\n",
        &["`A` is not a valid name for a field"],
    );
    check_field("{type: choice}", &["`a` is a choice without `choices`"]);
    check_field(
        "{type: choice, choices: [x, x]}",
        &["the choice `x` is listed twice"],
    );
    check_field("{type: reference}", &["`a` is a reference without `to`"]);
    check_field(
        "{type: text, to: clinics}",
        &["only a field with `type: reference` can have `to`"],
    );
    check_field(
        "{type: text, min: 3}",
        &["only dates and numbers can have `min`"],
    );
    check_field(
        "{type: flag, list: true}",
        &["only a choice, a reference or a file can be a `list`"],
    );
    check_field(
        "{type: date, min: yesterday}",
        &["`yesterday` is not a valid value for this type"],
    );
    check_field(
        "{type: number, min: 5, max: 4}",
        &["`4` is less than `min`, so no value is accepted"],
    );
    check_field(
        "{type: text, most: 0}",
        &["`0` is not a valid number of characters"],
    );
    check_field(
        "{type: text, pattern: \"[\"}",
        &["`[` is not a valid regular expression"],
    );
    check_field(
        "{type: text, pattern: \"(?i)a\"}",
        &["browsers do not support `(?i` in a pattern"],
    );
    check_field(
        "{type: text, autocomplete: nmae}",
        &["`nmae` is not a valid value for `autocomplete`"],
    );
}

#[test]
fn conditions_name_fields_and_values_that_there_are() {
    check_field(
        "{type: text, shown_when: {d: true}}",
        &["the form has no field `d`"],
    );
    check_field(
        "{type: text, shown_when: {a: x}}",
        &["a field cannot depend on itself"],
    );
    check_field(
        "{type: text, shown_when: {b: yes}}",
        &["`b` is never `yes`, so this field is never shown"],
    );
    check_field(
        "{type: text, shown_when: {c: [x, z]}}",
        &["`c` is never `z`"],
    );
    check_field(
        "{type: text, shown_when: {c: [w, z]}}",
        &["`c` is never `w` or `z`, so this field is never shown"],
    );
    check(
        "fields:\n  a: {type: flag, shown_when: {b: true}}\n  b: {type: flag, shown_when: {a: true}}\n",
        &["`a` is shown only after `b`, and vice versa"],
    );
}

#[test]
fn groups_consents_and_addresses_are_checked() {
    let with = |line: &str| format!("fields:\n  a: {{type: email}}\n{line}\n");
    check(
        &with("require_one_of: [[a, b]]"),
        &["the form has no field `b`"],
    );
    check(
        &with("require_one_of: [[]]"),
        &["a group of fields is empty"],
    );
    check(
        &with("consent: [a]"),
        &["this form also has a field called `a`"],
    );
    check(
        &with("deliver: {mail: office}"),
        &["`office` is not an email address"],
    );
    check(&with("deliver: {mail: office@example.com}"), &[]);
}

#[test]
fn every_field_is_in_one_step_and_after_what_it_depends_on() {
    let with = |steps: &str| {
        format!(
            "fields:\n  note: {{type: text}}\n  a: {{type: flag}}\n  b: {{type: text, shown_when: {{a: true}}}}\n  \
             email: {{type: email}}\n  phone: {{type: phone}}\nrequire_one_of: [[email, phone]]\nsteps: {steps}\n"
        )
    };
    check(&with("[[a, b], [email, phone, note]]"), &[]);
    check(&with("[]"), &["a form with steps needs at least two"]);
    check(
        &with("[[a, b, note, email, phone]]"),
        &["a form with steps needs at least two"],
    );
    check(
        &with("[[a, b, note], [], [email, phone]]"),
        &["a step is empty"],
    );
    check(
        &with("[[a, b], [email, phone]]"),
        &["`note` is not in any step, so nobody could fill it in"],
    );
    check(
        &with("[[a, b, note], [email, phone, note]]"),
        &["`note` is in two steps, but a field can be in only one"],
    );
    check(
        &with("[[a, b, note], [email, phone, nte]]"),
        &["the form has no field `nte`"],
    );
    check(
        &with("[[b, note], [a, email, phone]]"),
        &["`b` depends on `a`, which is in a later step"],
    );
    check(
        &with("[[a, b, email], [phone, note]]"),
        &["one of these fields must be filled in, but they are in different steps"],
    );
    check(
        &with("[a, [b, email, phone, note]]"),
        &["`steps[0]`: expected a list, found the text `a`"],
    );
}

#[test]
fn fields_come_in_the_order_of_the_steps() {
    let text =
        "fields: {a: {type: text}, b: {type: text}, c: {type: text}}\nsteps: [[c], [b, a]]\n";
    let source = Arc::new(Source::new(
        "content/forms/a/form.yaml".into(),
        text.to_owned(),
    ));
    let form = read(&source, &mut Problems::new()).expect("a form");
    let names: Vec<&str> = form
        .fields
        .iter()
        .map(|field| field.field.name.as_str())
        .collect();
    assert_eq!(names, ["c", "b", "a"]);
    assert_eq!(
        (form.step_of("c"), form.step_of("a"), form.step_of("d")),
        (Some(0), Some(1), None)
    );
}

#[test]
fn choices_are_shown_in_ways_that_suit_them() {
    check_field(
        "{type: choice, choices: [x, y], look: cards, icons: {x: star}, from_query: x-1}",
        &[],
    );
    check_field(
        "{type: choice, choices: [x, y], list: true, look: cards}",
        &[],
    );
    check_field(
        "{type: text, look: cards}",
        &["only a choice or a reference can have a `look`"],
    );
    check_field(
        "{type: choice, choices: [x, y], look: cards, icons: {z: star}}",
        &["the field has no choice `z`"],
    );
    check_field(
        "{type: choice, choices: [x, y], look: radios, icons: {x: star}}",
        &["only cards show `icons`"],
    );
    check_field(
        "{type: text, from_query: \"a b\"}",
        &["`a b` is not a valid name for a URL parameter"],
    );
    check_field(
        "{type: file, accept: [image/png], from_query: a}",
        &["a URL cannot fill in a file, so a file field cannot have `from_query`"],
    );
    check_field(
        "{type: choice, choices: [x, y], list: true, look: radios}",
        &["only one of several radio buttons can be chosen, but this is a `list`"],
    );
}

#[test]
fn choices_that_another_answer_offers_are_read_in_the_order_of_the_file() {
    let text = "fields:
  place: {type: choice, choices: [roof, wall]}
  damage: {type: choice, choices_by: {place: {wall: [crack, damp], roof: [tiles, damp]}}}
  clinic: {type: reference, to: clinics}
  dentist: {type: reference, to: team, choices_by: {clinic: clinics}}
";
    let source = Arc::new(Source::new(
        "content/forms/a/form.yaml".into(),
        text.to_owned(),
    ));
    let form = read(&source, &mut Problems::new()).expect("a form");
    let damage = &form.field("damage").expect("a field").field;
    assert_eq!(damage.choices, ["crack", "damp", "tiles"]);
    let by = damage.choices_by.as_ref().expect("what offers them");
    assert_eq!(
        by.offered(&["roof".to_owned()]).collect::<Vec<_>>(),
        ["tiles", "damp"]
    );
    assert_eq!(by.offered(&[]).next(), None);
    let path = form
        .field("dentist")
        .and_then(|field| field.entries_by.as_ref())
        .map(|path| path.value.as_str());
    assert_eq!(path, Some("clinics"));
}

#[test]
fn choices_are_offered_by_answers_that_there_are() {
    check_field(
        "{type: choice, choices_by: {c: {x: [p], y: [p, q]}}, look: cards, icons: {q: star}}",
        &[],
    );
    check_field(
        "{type: text, choices_by: {c: {x: [p]}}}",
        &["only a choice or a reference can have `choices_by`"],
    );
    check_field(
        "{type: choice, choices: [p], choices_by: {c: {x: [p]}}}",
        &["this field has both `choices` and `choices_by`"],
    );
    check_field(
        "{type: choice, choices_by: {c: {x: [p]}, b: {true: [p]}}}",
        &["choices can depend on only one other field"],
    );
    check_field(
        "{type: choice, choices_by: {c: {x: []}}}",
        &["`x` has no choices"],
    );
    check_field(
        "{type: choice, choices_by: {c: {x: [p, p]}}}",
        &["the choice `p` is listed twice"],
    );
    check_field(
        "{type: choice, choices_by: {d: {x: [p]}}}",
        &["the form has no field `d`"],
    );
    check_field(
        "{type: choice, choices_by: {a: {p: [p]}}}",
        &["a field cannot depend on itself"],
    );
    check_field(
        "{type: choice, choices_by: {b: {true: [p]}}}",
        &["the choices of `a` cannot depend on `b`"],
    );
    check_field(
        "{type: choice, choices_by: {c: {z: [p]}}}",
        &["`c` is never `z`, so these choices are never offered"],
    );
    check_field(
        "{type: choice, choices_by: {c: clinics}}",
        &["for a choice, `choices_by` needs a list of choices for each value of the other field"],
    );
    check_field(
        "{type: reference, to: team, choices_by: {c: {x: [p]}}}",
        &["for a reference, `choices_by` needs the name of a field of its entries"],
    );
    check(
        "fields:\n  a: {type: choice, choices_by: {b: {x: [y]}}}\n  b: {type: choice, choices_by: {a: {y: [x]}}}\n",
        &["`a` is shown only after `b`, and vice versa"],
    );
    check(
        "fields:\n  a: {type: choice, choices_by: {b: {x: [y]}}}\n  b: {type: choice, choices: [x]}\nsteps: [[a], [b]]\n",
        &["`a` depends on `b`, which is in a later step"],
    );
}

#[test]
fn anchors_make_one_choice_each() {
    check_field(
        "{type: choice, choices: [p, q], anchors: {p: roof, q: [wall, walls]}}",
        &[],
    );
    check_field(
        "{type: choice, choices: [p, q], anchors: {r: roof}}",
        &["the field has no choice `r`"],
    );
    check_field(
        "{type: choice, choices: [p], anchors: {p: \"a b\"}}",
        &["`a b` is not a valid anchor"],
    );
    check_field(
        "{type: choice, choices: [p, q], anchors: {p: roof, q: roof}}",
        &["the anchor `roof` also selects another choice"],
    );
    check_field(
        "{type: choice, list: true, choices: [p], anchors: {p: roof}}",
        &["only a choice that is not a `list` can have `anchors`"],
    );
    check(
        "fields:\n  a: {type: choice, choices: [x], anchors: {x: x}}\n  b: {type: choice, choices: [y], anchors: {y: y}}\n",
        &["two fields have `anchors`, but a URL has only one fragment"],
    );
    check(
        "fields: {a: {type: email}}\nsummary: true\n",
        &["only a form with steps can have a `summary`"],
    );
}

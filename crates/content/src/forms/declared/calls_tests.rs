//! Tests of forms that are sent by `POST /api/leads`, and of buttons, first choices and summaries.

use super::tests::check;

const FIELDS: &str = "fields:
  reason: {type: choice, look: buttons, choices: [help, create], icons: {help: lifebuoy}}
  service: {type: choice, choices: [care, build], default: care}
  name: {type: text}
  email: {type: email}
  position: {type: text, shown_when: {name: \"*\"}}
  kind: {type: choice, choices: [website, app]}
  message: {type: text, lines: 4}
steps: [[reason, service], [name, email, position, kind, message]]
";
const CALL: &str = "{name: name, email: email, position: position, projectType: service, appType: kind, message: message}";

fn call(call: &str, more: &str, expect: &[&str]) {
    check(
        &format!("{FIELDS}endpoint: leads\ncall: {call}\n{more}"),
        expect,
    );
}

#[test]
fn a_form_can_be_sent_by_the_call_of_leads() {
    call(CALL, "summary: [service, name]\n", &[]);
    call(CALL, "summary: true\n", &[]);
}

#[test]
fn what_the_call_does_not_take_is_reported() {
    check(
        &format!("{FIELDS}call: {{name: name}}\n"),
        &["`call` is only for a form with `endpoint: leads`"],
    );
    call(
        &CALL.replace("position: position", "budget: position"),
        "",
        &["`call` cannot have the key `budget`"],
    );
    call(
        &CALL.replace("name: name", "name: nmae"),
        "",
        &["the form has no field `nmae`"],
    );
    call(
        &CALL.replace("projectType: service, ", ""),
        "",
        &["`call` has no field for `projectType`"],
    );
    call(
        &CALL.replace("projectType: service", "projectType: name"),
        "",
        &["`projectType` needs a single-choice field, but `name` is not one"],
    );
    call(
        &CALL.replace("name: name", "name: kind"),
        "",
        &["`name` needs a text field, but `kind` is not one"],
    );
    call(
        &CALL.replace("position: position", "phone: position"),
        "",
        &["`phone` takes up to 50 characters, but `position` can have 200"],
    );
    call(
        &CALL.replace("appType: kind", "appType: reason"),
        "",
        &["`appType` must be one of `website`, `platform`, `app`, `workflow`"],
    );
    for (more, what) in [
        ("consent: [privacy]\n", "`consent`"),
        ("captcha: false\n", "`captcha: false`"),
        ("deliver: {mail: a@b.example}\n", "`deliver`"),
        (
            "keep_days: 3\n",
            "`keep_days`, which is set in `leads` in `site.yaml`",
        ),
        (
            "thanks: thanks\n",
            "`thanks`, which is set in `leads` in `site.yaml`",
        ),
    ] {
        call(
            CALL,
            more,
            &[&format!("a form with `endpoint: leads` cannot have {what}")],
        );
    }
}

#[test]
fn buttons_first_choices_and_summaries_name_what_is_there() {
    let with = |field: &str, steps: &str| {
        format!("fields:\n  a: {field}\n  b: {{type: text}}\nsteps: {steps}\n")
    };
    let button = "{type: choice, look: buttons, choices: [x, y]}";
    check(&with(button, "[[a], [b]]"), &[]);
    let last = "a choice with `look: buttons` goes to the next step, but there is none";
    check(&with(button, "[[b], [a]]"), &[last]);
    check(&format!("fields:\n  a: {button}\n"), &[last]);
    check(
        &with(
            "{type: choice, look: buttons, list: true, choices: [x, y]}",
            "[[a], [b]]",
        ),
        &["a button makes one choice, but this is a `list`"],
    );
    check(
        &with("{type: choice, choices: [x, y], default: z}", "[[a], [b]]"),
        &["the field has no choice `z`"],
    );
    check(
        &with("{type: text, default: z}", "[[a], [b]]"),
        &["only a choice that is not a `list` can have a `default`"],
    );
    check(
        &(with(button, "[[a], [b]]") + "summary: [a, c]\n"),
        &["the form has no field `c`"],
    );
    check(
        "fields:\n  a: {type: text}\nsummary: [a]\n",
        &["only a form with steps can have a `summary`"],
    );
    check(
        &with("{type: flag}", "[[a], [b]]")
            .replace("{type: text}", "{type: text, shown_when: {a: \"*\"}}"),
        &["`a` is never `*`, so this field is never shown"],
    );
}

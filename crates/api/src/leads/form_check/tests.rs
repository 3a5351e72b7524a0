//! Tests of the checks of answers, with a form of every type.

use std::collections::BTreeMap;

use api_types::forms::{Consent, FormLanguage};
use serde_json::json;

use super::*;

const HASH: &str = "0123456789abcdef";

fn form() -> Form {
    let consent = Consent {
        words: "I agree.".into(),
        hash: HASH.into(),
    };
    let language = FormLanguage {
        consents: [("privacy".to_owned(), consent)].into(),
        ..FormLanguage::default()
    };
    let fields = json!([
        {"name": "who", "type": "text", "most": 20, "pattern": "[^0-9]+"},
        {"name": "clinic", "type": "reference", "required": true, "most": 200, "choices": ["berlin", "madrid"]},
        {"name": "day", "type": "date", "most": 10, "min": "today", "max": "2030-12-31"},
        {"name": "people", "type": "number", "most": 20, "min": "1", "max": "4"},
        {"name": "times", "type": "choice", "list": true, "most": 200, "choices": ["morning", "evening"]},
        {"name": "dentist", "type": "reference", "required": true, "most": 200, "choices": ["ana", "jan", "luis"],
         "choices_by": {"field": "clinic", "choices": {"madrid": ["ana", "luis"]}}},
        {"name": "insured", "type": "flag", "most": 5},
        {"name": "insurer", "type": "text", "required": true, "most": 20, "shown_when": [{"field": "insured", "values": ["true"]}]},
        {"name": "email", "type": "email", "most": 254},
        {"name": "phone", "type": "phone", "most": 50},
        {"name": "note", "type": "text", "lines": true, "most": 20},
    ]);
    Form {
        name: "appointment".into(),
        version: "1".into(),
        fields: serde_json::from_value(fields).expect("fields"),
        require_one_of: vec![vec!["email".into(), "phone".into()]],
        consents: vec!["privacy".into()],
        captcha: false,
        webhook: None,
        keep_days: None,
        confirm_days: None,
        mail: Some(MailTo::Field {
            name: "clinic".into(),
            to: BTreeMap::from([("madrid".to_owned(), "madrid@clinic.example".to_owned())]),
        }),
        person: Vec::new(),
        languages: [("en".to_owned(), language)].into(),
    }
}

fn good() -> Value {
    json!({"clinic": "madrid", "dentist": "ana", "email": "ana@example.com", "privacy": HASH})
}

/// Checks the good answer with other values, as a script sends them.
#[track_caller]
fn check_with(changes: &Value, expect: Result<(), &[(&str, LeadErrorCode)]>) -> Option<Contents> {
    check_shown(changes, false, expect)
}

/// Checks the good answer with other values, as they are sent without script.
#[track_caller]
fn check_plain(changes: &Value, expect: Result<(), &[(&str, LeadErrorCode)]>) -> Option<Contents> {
    check_shown(changes, true, expect)
}

#[track_caller]
fn check_shown(
    changes: &Value,
    all_are_shown: bool,
    expect: Result<(), &[(&str, LeadErrorCode)]>,
) -> Option<Contents> {
    let mut answer = good();
    for (name, value) in changes.as_object().expect("an object") {
        answer[name] = value.clone();
    }
    let sent = from_json(answer.as_object().expect("an object").clone()).expect("values");
    let now = "2027-03-10T12:00:00Z"
        .parse::<Timestamp>()
        .expect("a time")
        .as_millisecond();
    let known = Known {
        locale: "en",
        page: "/",
        version: "1",
        now,
        all_are_shown,
    };
    let found = check(&form(), &sent, &[], &known);
    let expect = expect.map_err(|wrong| {
        wrong
            .iter()
            .map(|(name, code)| ((*name).to_owned(), *code))
            .collect()
    });
    assert_eq!(
        found.as_ref().map(|_| ()).map_err(Clone::clone),
        expect,
        "{changes}"
    );
    found.ok().map(|(contents, _)| contents)
}

/// Reading `1.10` makes `1.1` of it, and `1e3` a thousand.
#[test]
fn a_fraction_in_json_is_no_text() {
    for written in [r#"{"who": 1.10}"#, r#"{"who": [34e9]}"#, r#"{"who": 1e3}"#] {
        let sent = from_json(serde_json::from_str(written).expect("an object"));
        let wrong = ("who".to_owned(), LeadErrorCode::InvalidValue);
        assert_eq!(sent, Err(vec![wrong]), "{written}");
    }
    let people = from_json(serde_json::from_str(r#"{"people": 1.5}"#).expect("an object"));
    let wrong = ("people".to_owned(), LeadErrorCode::InvalidValue);
    assert_eq!(people, Err(vec![wrong]));
    let sent = from_json(serde_json::from_str(r#"{"who": 34600000000}"#).expect("an object"));
    assert_eq!(
        sent.expect("a text"),
        [("who".to_owned(), vec!["34600000000".to_owned()])]
    );
}

#[test]
fn each_type_accepts_its_values_and_no_others() {
    use LeadErrorCode as Code;
    check_with(&json!({}), Ok(()));
    for (name, value, code) in [
        ("who", json!("Ana 2"), Code::InvalidValue),
        ("who", json!("x".repeat(21)), Code::TooLong),
        ("clinic", json!(""), Code::Required),
        ("dentist", json!("jan"), Code::InvalidChoice),
        ("dentist", json!("eva"), Code::InvalidChoice),
        ("dentist", json!(""), Code::Required),
        ("day", json!("10.3.2027"), Code::InvalidValue),
        ("day", json!("2027-02-30"), Code::InvalidValue),
        ("day", json!("2027-03-10T10:00"), Code::InvalidValue),
        ("day", json!("2027-03-09"), Code::OutOfRange),
        ("day", json!("2031-01-01"), Code::OutOfRange),
        ("people", json!(0), Code::OutOfRange),
        ("people", json!(5), Code::OutOfRange),
        ("people", json!("1.5"), Code::InvalidValue),
        ("people", json!("three"), Code::InvalidValue),
        ("times", json!(["morning", "night"]), Code::InvalidChoice),
        ("insured", json!("perhaps"), Code::InvalidValue),
        ("email", json!("ana@"), Code::InvalidEmail),
        ("phone", json!("call me"), Code::InvalidValue),
        ("note", json!("x".repeat(21)), Code::TooLong),
        ("privacy", json!(true), Code::Required),
        ("privacy", json!(""), Code::Required),
        ("other", json!("x"), Code::BadRequest),
        ("who", json!(["a", "b"]), Code::BadRequest),
    ] {
        check_with(&json!({ name: value }), Err(&[(name, code)]));
    }
    for (name, value) in [
        ("who", json!("Zoë")),
        ("day", json!("2027-03-10")),
        ("day", json!("2030-12-31")),
        ("people", json!("4")),
        ("people", json!(2)),
        ("times", json!(["morning", "evening"])),
        ("times", json!("evening")),
        ("insured", json!(false)),
        ("phone", json!("٠٣٠ ١٢٣ ٤٥٦")),
        ("note", json!("a\r\nb")),
        ("who", json!(null)),
    ] {
        check_with(&json!({ name: value }), Ok(()));
    }
}

#[test]
fn all_errors_are_found_in_the_order_of_the_form() {
    use LeadErrorCode as Code;
    check_with(
        &json!({"privacy": "", "email": "", "clinic": "", "people": 9}),
        Err(&[
            ("clinic", Code::Required),
            ("people", Code::OutOfRange),
            ("email", Code::OneRequired),
            ("privacy", Code::Required),
        ]),
    );
}

#[test]
fn a_choice_is_taken_only_with_the_answer_that_offers_it() {
    use LeadErrorCode as Code;
    check_with(&json!({"dentist": "luis"}), Ok(()));
    // A clinic that offers nobody asks for nobody.
    check_with(&json!({"clinic": "berlin", "dentist": ""}), Ok(()));
    check_with(
        &json!({"clinic": "berlin"}),
        Err(&[("dentist", Code::InvalidChoice)]),
    );
    check_plain(
        &json!({"clinic": "berlin"}),
        Err(&[("dentist", Code::InvalidChoice)]),
    );
    check_with(
        &json!({"clinic": "paris"}),
        Err(&[("clinic", Code::InvalidChoice)]),
    );
    // Without script both are there. What was chosen without the other is not what is wrong.
    check_plain(&json!({"clinic": ""}), Err(&[("clinic", Code::Required)]));
}

#[test]
fn a_field_is_required_only_while_it_is_shown() {
    check_with(
        &json!({"insured": true}),
        Err(&[("insurer", LeadErrorCode::Required)]),
    );
    check_with(&json!({"insured": true, "insurer": "Zahn AG"}), Ok(()));
    // Without script the field is there all the same, and what was typed is not lost.
    let contents =
        check_plain(&json!({"insured": false, "insurer": "Zahn AG"}), Ok(())).expect("contents");
    assert_eq!(contents.answers["insurer"], "Zahn AG");
}

#[test]
fn an_answer_that_was_not_asked_for_is_refused() {
    use LeadErrorCode as Code;
    for changes in [
        json!({"insured": false, "insurer": "Zahn AG"}),
        json!({"insurer": "Zahn AG"}),
    ] {
        check_with(&changes, Err(&[("insurer", Code::InvalidValue)]));
    }
    let branches = json!({"kind": "school", "pupils": 20, "guests": 90, "meal": true});
    for all_are_shown in [false, true] {
        let branches = |changes: Value| {
            let mut form = form();
            let of_kind = |name: &str, takes: &str, kind: &str| json!({"name": name, "type": takes, "most": 20, "shown_when": [{"field": "kind", "values": [kind]}]});
            let fields = json!([
                {"name": "kind", "type": "choice", "most": 20, "choices": ["school", "group", "alone"]},
                of_kind("pupils", "number", "school"),
                of_kind("guests", "number", "group"),
                of_kind("meal", "flag", "group"),
            ]);
            form.fields = serde_json::from_value(fields).expect("fields");
            (form.require_one_of, form.consents) = (Vec::new(), Vec::new());
            let mut answer = branches.clone();
            for (name, value) in changes.as_object().expect("an object") {
                answer[name] = value.clone();
            }
            let sent = from_json(answer.as_object().expect("an object").clone()).expect("values");
            let checked = check(
                &form,
                &sent,
                &[],
                &Known {
                    all_are_shown,
                    ..Known::default()
                },
            );
            checked.map(|(contents, _)| Value::from(contents.answers))
        };
        let wrong = |names: &[&str]| {
            Err(names
                .iter()
                .map(|name| ((*name).to_owned(), Code::InvalidValue))
                .collect())
        };
        assert_eq!(branches(json!({})), wrong(&["guests", "meal"]));
        assert_eq!(
            branches(json!({"guests": "", "meal": false})),
            Ok(json!({"kind": "school", "pupils": 20}))
        );
        assert_eq!(
            branches(json!({"kind": "alone"})),
            wrong(&["pupils", "guests", "meal"])
        );
        // The consequence of a mistake isn't a second one.
        assert_eq!(
            branches(json!({"kind": "x"})),
            Err(vec![("kind".to_owned(), Code::InvalidChoice)])
        );
        let without_kind = branches(json!({"kind": null}));
        if all_are_shown {
            assert_eq!(
                without_kind,
                Ok(json!({"pupils": 20, "guests": 90, "meal": true}))
            );
        } else {
            assert_eq!(without_kind, wrong(&["pupils", "guests", "meal"]));
        }
    }
}

#[test]
fn an_answer_is_stored_with_whose_it_is_and_who_receives_it() {
    let contents = check_with(
        &json!({"who": "Ana", "phone": "600 123 456", "people": 2}),
        Ok(()),
    )
    .expect("contents");
    assert_eq!(
        (&*contents.name, &*contents.email, &*contents.phone),
        ("Ana", "ana@example.com", "600 123 456")
    );
    let answers = contents;
    assert_eq!(answers.mail_to.as_deref(), Some("madrid@clinic.example"));
    assert_eq!(
        Value::from(answers.answers),
        json!({"who": "Ana", "clinic": "madrid", "people": 2, "dentist": "ana", "insured": false, "email": "ana@example.com", "phone": "600 123 456"})
    );
    let berlin = check_with(&json!({"clinic": "berlin", "dentist": ""}), Ok(())).expect("contents");
    assert_eq!(berlin.mail_to, None);
}

#[test]
fn words_that_have_changed_since_are_not_those_that_were_agreed_to() {
    let words = |hash: &str| {
        let contents = check_with(&json!({ "privacy": hash }), Ok(())).expect("contents");
        contents.consents["privacy"].words.clone()
    };
    assert_eq!(words(HASH).as_deref(), Some("I agree."));
    assert_eq!(words("fedcba9876543210"), None);
}

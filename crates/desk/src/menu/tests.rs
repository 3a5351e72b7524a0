//! Menus that are saved: what moves keeps its lines and its comments, and nothing else changes.

use serde_json::{Value, json};

use super::{Asked, FILE, MENUS, changed, values};

const SETTINGS: &str = "\
# Settings.
base_url: https://site.example/
header:
  # The menu.
  menu:
    # About us comes first.
    - {label: {en: About, es: Nosotros}, to: page:about} # keep
    - label: {en: Services, es: Servicios} # a group
      # Its links.
      children:
        # The list of all.
        - {label: {en: All, es: Todos}, to: page:services}
        - label:
            en: Team
            es: Equipo
          to: page:team # with a photograph
    # The news.
    - label: {en: Blog, es: Blog}
      to: page:blog
      publish_at: 2027-01-15 # from then on

    - entries: treatments # each of them
  # Below the menu.
  call_to_action:
    en: {label: Contact, to: page:contact}
footer:
  tagline: {en: Ours.}
  groups:
    # First column.
    - title: {en: Company}
      links:
        - {label: {en: Privacy}, to: page:privacy} # by law
        - {label: {en: Imprint}, to: page:imprint}
    - title: {en: More}
      links:
        - {label: {en: Press}, to: page:press}
# The end.
";

/// The menus of a text as the form has them.
fn form(text: &str) -> Value {
    let values = values(text).ok().expect("values");
    let mut form = json!({"base": text});
    for menu in &MENUS {
        let entries = menu.entries(&values).iter().enumerate();
        form[menu.name] = entries
            .map(|(at, entry)| menu.shown(entry, &at.to_string(), true))
            .collect();
    }
    form
}

/// The text of the settings after a change of the form.
fn saved(text: &str, change: impl FnOnce(&mut Value)) -> Result<String, String> {
    let mut form = form(text);
    change(&mut form);
    let asked: Asked = serde_json::from_value(form).expect("a form");
    changed(text, &asked).map_err(|refusal| refusal.1)
}

fn take(list: &mut Value, at: usize) -> Value {
    list.as_array_mut().expect("a list").remove(at)
}

fn insert(list: &mut Value, at: usize, entry: Value) {
    list.as_array_mut().expect("a list").insert(at, entry);
}

/// The lines of a text without their indentation, sorted.
fn lines(text: &str) -> Vec<&str> {
    let mut lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty())
        .collect();
    lines.sort_unstable();
    lines
}

#[test]
fn a_form_without_changes_changes_nothing() {
    assert_eq!(saved(SETTINGS, |_| {}).as_deref(), Ok(SETTINGS));
}

#[test]
fn an_entry_moves_with_its_lines_and_comments() {
    let text = saved(SETTINGS, |form| {
        let blog = take(&mut form["header"], 2);
        insert(&mut form["header"], 0, blog);
    });
    let text = text.expect("saved");
    assert_eq!(lines(&text), lines(SETTINGS));
    let order = [
        "# The news.",
        "publish_at: 2027-01-15 # from then on",
        "# About us comes first.",
        "# keep",
        "# a group",
    ];
    let places: Vec<usize> = order
        .iter()
        .map(|part| text.find(part).expect(part))
        .collect();
    assert!(places.is_sorted(), "{text}");
}

#[test]
fn an_entry_enters_a_group_and_leaves_it_with_its_comments() {
    let text = saved(SETTINGS, |form| {
        let about = take(&mut form["header"], 0);
        insert(&mut form["header"][0]["links"], 1, about);
        let team = take(&mut form["header"][0]["links"], 2);
        insert(&mut form["header"], 1, team);
    });
    let text = text.expect("saved");
    assert_eq!(lines(&text), lines(SETTINGS));
    let values = values(&text).ok().expect("values");
    let menu = &values["header"]["menu"];
    assert_eq!(menu[0]["children"][1]["to"], "page:about");
    assert_eq!(menu[1]["label"], json!({"en": "Team", "es": "Equipo"}));
    assert!(
        text.contains("        # About us comes first.\n        - {label: {en: About"),
        "{text}"
    );
    assert!(
        text.contains(
            "    - label:\n        en: Team\n        es: Equipo\n      to: page:team # with"
        ),
        "{text}"
    );
}

#[test]
fn a_new_group_takes_what_is_put_into_it() {
    let text = saved(SETTINGS, |form| {
        let blog = take(&mut form["header"], 2);
        let link = json!({"id": null, "label": {"en": "Events", "es": ""}, "to": " page:events ", "links": null});
        let group = json!({"id": null, "label": {"en": "News", "es": "Noticias"}, "to": null, "links": [blog, link]});
        insert(&mut form["header"], 1, group);
    });
    let text = text.expect("saved");
    let values = values(&text).ok().expect("values");
    let group = &values["header"]["menu"][1];
    assert_eq!(group["label"], json!({"en": "News", "es": "Noticias"}));
    assert_eq!(group["children"][0]["publish_at"], "2027-01-15");
    assert_eq!(
        group["children"][1],
        json!({"label": {"en": "Events"}, "to": "page:events"})
    );
    let kept = [
        "# The news.",
        "publish_at: 2027-01-15 # from then on",
        "# Below the menu.",
        "# with a photograph",
    ];
    assert!(kept.iter().all(|comment| text.contains(comment)), "{text}");
}

#[test]
fn words_and_targets_change_in_their_line() {
    let text = saved(SETTINGS, |form| {
        form["header"][0]["label"]["es"] = json!("Quiénes somos");
        form["footer"][0]["label"]["es"] = json!("Empresa");
        form["footer"][0]["links"][1]["to"] = json!("page:legal");
    });
    let wanted = SETTINGS
        .replace("es: Nosotros", "es: Quiénes somos")
        .replace("{en: Company}", "{en: Company, es: Empresa}")
        .replace("page:imprint", "page:legal");
    assert_eq!(text.as_deref(), Ok(wanted.as_str()));
}

#[test]
fn a_link_moves_to_another_column_and_an_entry_is_removed() {
    let text = saved(SETTINGS, |form| {
        let privacy = take(&mut form["footer"][0]["links"], 0);
        insert(&mut form["footer"][1]["links"], 1, privacy);
        take(&mut form["header"], 3);
    });
    let text = text.expect("saved");
    let values = values(&text).ok().expect("values");
    assert_eq!(
        values["footer"]["groups"][1]["links"][1]["to"],
        "page:privacy"
    );
    assert_eq!(values["header"]["menu"].as_array().map(Vec::len), Some(3));
    assert!(
        text.contains("# by law") && text.contains("# The end.") && !text.contains("treatments"),
        "{text}"
    );
}

#[test]
fn entries_in_brackets_move_too() {
    let text = "header:\n  menu: [{label: {en: A}, to: page:a}, {label: {en: B}, to: page:b}] # two\n  logo: x\n";
    let moved = saved(text, |form| {
        let first = take(&mut form["header"], 0);
        insert(&mut form["header"], 1, first);
    });
    let moved = moved.expect("saved");
    let values = values(&moved).ok().expect("values");
    assert_eq!(values["header"]["menu"][1]["to"], "page:a");
    assert!(moved.contains("# two"), "{moved}");
}

#[test]
fn line_ends_of_the_file_stay() {
    let text = SETTINGS.replace('\n', "\r\n");
    let moved = saved(&text, |form| {
        let blog = take(&mut form["header"], 2);
        insert(&mut form["header"], 0, blog);
    });
    let moved = moved.expect("saved");
    assert_eq!(
        moved.matches('\n').count(),
        moved.matches("\r\n").count(),
        "{moved:?}"
    );
    assert_eq!(lines(&moved), lines(&text));
}

#[test]
fn what_makes_no_menu_is_refused() {
    let empty = saved(SETTINGS, |form| form["header"][1]["links"] = json!([]));
    assert!(
        empty
            .as_ref()
            .is_err_and(|why| why.contains("“Services” has no links")),
        "{empty:?}"
    );
    let nested = saved(SETTINGS, |form| {
        let group = take(&mut form["header"], 1);
        insert(&mut form["footer"][0]["links"], 0, group);
    });
    assert!(nested.is_err(), "{nested:?}");
    let twice = saved(SETTINGS, |form| {
        let first = form["header"][0].clone();
        insert(&mut form["header"], 0, first);
    });
    assert!(
        twice.as_ref().is_err_and(|why| why.contains("sent twice")),
        "{twice:?}"
    );
    let mut form = form(SETTINGS);
    form["base"] = json!(SETTINGS.replace("page:team", "page:people"));
    let asked: Asked = serde_json::from_value(form).expect("a form");
    let late = changed(SETTINGS, &asked).map_err(|refusal| refusal.1);
    assert!(
        late.as_ref()
            .is_err_and(|why| why.starts_with(FILE) && why.contains("was changed in the file")),
        "{late:?}"
    );
}

#[test]
fn other_settings_may_change_meanwhile() {
    let mut form = form(SETTINGS);
    let blog = take(&mut form["header"], 2);
    insert(&mut form["header"], 0, blog);
    let asked: Asked = serde_json::from_value(form).expect("a form");
    let disk = SETTINGS.replace("https://site.example/", "https://other.example/");
    let text = changed(&disk, &asked)
        .map_err(|refusal| refusal.1)
        .expect("saved");
    assert!(text.contains("other.example"), "{text}");
    assert_eq!(lines(&text), lines(&disk));
}

mod any_order {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Moves at random: every comment and every line is still there, and the entries are those of the form.
        #[test]
        fn no_line_is_lost(moves in prop::collection::vec((any::<u8>(), any::<u8>(), any::<u8>()), 1..12)) {
            let mut form = form(SETTINGS);
            for (from, into, at) in moves {
                let top = form["header"].as_array().expect("a list").clone();
                let groups: Vec<usize> = (0..top.len()).filter(|at| top[*at]["links"].is_array()).collect();
                let group = groups[0];
                let below = top[group]["links"].as_array().map_or(0, Vec::len);
                let from = usize::from(from) % (top.len() + below);
                let is_below = from >= top.len();
                // A group keeps a link, and is in no other one.
                if is_below && below < 2 || from == group && into % 2 == 1 {
                    continue;
                }
                let entry = if is_below {
                    take(&mut form["header"][group]["links"], from - top.len())
                } else {
                    take(&mut form["header"], from)
                };
                let group = form["header"].as_array().expect("a list").iter().position(|one| one["links"].is_array());
                let list = match group {
                    Some(group) if into % 2 == 1 => &mut form["header"][group]["links"],
                    _ => &mut form["header"],
                };
                let place = usize::from(at) % (list.as_array().map_or(0, Vec::len) + 1);
                insert(list, place, entry);
            }
            let asked: Asked = serde_json::from_value(form.clone()).expect("a form");
            let text = changed(SETTINGS, &asked).map_err(|refusal| refusal.1).expect("saved");
            prop_assert_eq!(lines(&text), lines(SETTINGS), "{}", text);
            let mut now = super::form(&text);
            let mut wanted = form;
            for tree in [&mut now, &mut wanted] {
                without_ids(&mut tree["header"]);
            }
            prop_assert_eq!(&now["header"], &wanted["header"], "{}", text);
        }
    }

    fn without_ids(list: &mut Value) {
        for entry in list.as_array_mut().into_iter().flatten() {
            entry["id"] = Value::Null;
            without_ids(&mut entry["links"]);
        }
    }
}

//! Texts that another language lends have their language wherever a page shows them: a site whose Arabic lacks words is looked
//! through, text by text.

use std::collections::{BTreeMap, BTreeSet};

use crate::collections::{EVENT_SCHEMA, events};
use crate::horizon_look::clinics;
use crate::new_site::{new_site, small_site};
use crate::site_test::{SiteTest, files_below};

/// Elements without an end.
const VOID: [&str; 14] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track",
    "wbr", "path",
];

/// The texts of the body of a page, each with the language that the elements around it say.
fn texts(html: &str) -> Vec<(String, String)> {
    let (mut found, mut open) = (Vec::new(), Vec::<(String, String)>::new());
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        let text = rest[..at].trim();
        let (name, language) = open.last().cloned().unwrap_or_default();
        if !text.is_empty() && !["script", "style", "title"].contains(&name.as_str()) {
            found.push((text.to_owned(), language.clone()));
        }
        let end = at + rest[at..].find('>').expect("the end of a tag");
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        let name = tag
            .trim_start_matches('/')
            .split([' ', '\n', '/'])
            .next()
            .unwrap_or_default()
            .to_owned();
        if tag.starts_with('/') {
            while open.pop().is_some_and(|(known, _)| known != name) {}
        } else if !tag.starts_with('!') && !tag.ends_with('/') && !VOID.contains(&name.as_str()) {
            let own = tag
                .split(" lang=\"")
                .nth(1)
                .and_then(|rest| rest.split('"').next());
            if own.is_some_and(|own| own != "ar" && own != "fa") && !tag.contains("hreflang") {
                assert!(
                    tag.contains(" dir=\"ltr\""),
                    "a language without its direction: <{tag}>"
                );
            }
            open.push((name, own.map_or(language, str::to_owned)));
        }
    }
    found
}

/// Whether a text is in Latin letters.
fn is_latin(text: &str) -> bool {
    let letters = text.chars().filter(|c| c.is_alphabetic());
    letters.clone().count() > 3
        && letters.filter(char::is_ascii_alphabetic).count() * 2 > text.chars().count()
}

/// The brief's site, whose Arabic lacks labels, words, entries and a form, and in Persian, of which the theme has no word.
fn with_gaps() -> SiteTest {
    let site = clinics();
    let settings = std::fs::read_to_string(site.path("content/site.yaml")).expect("settings");
    let groups = "groups:\n    - title: {en: Contact us}\n      links:\n        - {label: {en: The team}, to: page:team}";
    let settings = settings
        .replace("ar: العلاجات, ", "")
        .replace("ar: أسنان مدى الحياة., ", "")
        .replace("    ar: {label: الوظائف, to: page:careers}\n", "")
        .replace("groups: []", groups)
        .replace(
            "zh-hans]",
            "zh-hans, fa]\nfallback: {ar: en, es: en, de: en, zh-hans: en, fa: en}",
        )
        .replace("company: {", "company: {hours: {en: Monday to Friday}, ");
    let visits = "visits: {preset: google_analytics, measurement_id: G-ABC123}\n";
    site.write("content/site.yaml", format!("{visits}{settings}"));
    let words = std::fs::read_to_string(site.path("content/locales/ar.yaml")).expect("words");
    let own = |line: &&str| {
        !["hours:", "price_from:", "done_by:", "apply_until:"]
            .iter()
            .any(|key| line.trim().starts_with(key))
    };
    site.write(
        "content/locales/ar.yaml",
        words
            .lines()
            .filter(own)
            .fold(String::new(), |text, line| text + line + "\n"),
    );
    site.remove("content/forms/callback/ar.yaml");
    // A link to a page in another language says so.
    for (path, bytes) in files_below(&site.path("templates")) {
        let mut text = String::from_utf8(bytes).expect("UTF-8");
        for name in ["entry", "author", "person", "clinic", "other"] {
            let href = format!("href=\"{{{{ {name}.link.href }}}}\"");
            let hreflang = format!(
                "{{% if {name}.link.hreflang %}} hreflang=\"{{{{ {name}.link.hreflang }}}}\"{{% endif %}}"
            );
            text = text.replace(&href, &format!("{href}{hreflang}"));
        }
        site.write(&format!("templates/{path}"), text);
    }
    for page in ["home", "treatments", "team", "appointment", "clinics"] {
        let text = std::fs::read_to_string(site.path(&format!("content/pages/{page}/ar.yaml")))
            .expect("a page");
        site.write(
            &format!("content/pages/{page}/fa.yaml"),
            text.replace("/ar/", "/fa/"),
        );
    }
    site
}

#[test]
fn every_text_of_another_language_says_so() {
    let site = with_gaps();
    let run = site.run(&["build"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    let mut unsaid: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut said = BTreeSet::new();
    for (path, bytes) in run.files() {
        let Some(page_language) = ["ar", "fa"]
            .into_iter()
            .find(|code| path.starts_with(&format!("{code}/")))
        else {
            continue;
        };
        if !path.ends_with(".html") {
            continue;
        }
        let html = String::from_utf8(bytes).expect("UTF-8");
        assert!(
            !html.contains(|c: char| ('\u{F0000}'..='\u{FFFFF}').contains(&c)),
            "a mark is left in {path}"
        );
        let (_, body) = html.split_once("<body").expect("a body");
        for (text, language) in texts(&format!(
            "<html lang=\"{page_language}\" dir=\"rtl\"><body{body}"
        )) {
            if !is_latin(&text) || language == "es" || language == "de" {
                continue;
            }
            if language == "en" {
                said.insert(text);
            } else {
                unsaid.entry(text).or_default().insert(path.clone());
            }
        }
    }
    // Names of people and of the company have no language, and neither have addresses.
    let names = [
        "Horizon Dental",
        "Marta P.",
        "Anke Schulz",
        "Irene Soler",
        "Noor Saleh",
    ];
    unsaid.retain(|text, _| {
        !names.contains(&text.as_str())
            && !text.starts_with("Dr. ")
            && !text.starts_with("https://")
    });
    assert!(unsaid.is_empty(), "{unsaid:#?}");
    for text in [
        "Teeth for life.",
        "Treatments",
        "Careers",
        "Contact us",
        "The team",
        "Skip to content",
        "Your number",
        "Done by",
        "Horizon Madrid",
        "May we count your visit?",
        "A sixth clinic, in Dubai",
    ] {
        assert!(said.contains(text), "{text} is in no page: {said:#?}");
    }
}

#[test]
fn a_field_of_another_language_says_so() {
    let site = events();
    site.edit(
        "content/site.yaml",
        "locales:",
        "fallback: {es: en}\nlocales:",
    );
    let fields = "  level: {type: choice, choices: {first: {en: Easy}}, default: first, meaning: For whom.}\n  \
        go: {type: action, words: true, meaning: Where to go.}\n  lead: {type: text, words: true, meaning: A sentence.}\n  notes: {type: text, words: true, list: true, meaning: More.}\n  closes:";
    site.edit(EVENT_SCHEMA, "  closes:", fields);
    site.edit(
        "content/events/one.yaml",
        "date:",
        "go: {en: {label: Come, to: page:about}}\nlead: {en: A day for all.}\nnotes: {en: [Bring a coat., Come early.]}\ndate:",
    );
    let shown = "<b>{{ entry.lead }}</b>{{ entry.notes | join(\" · \") }}</p><i>{{ entry.level }}</i>{% if entry.go %}\
        <a href=\"{{ entry.go.to.href }}\">{{ entry.go.label }}</a><q>{{ entry.lead[:6] }}</q>{% endif %}";
    site.edit("templates/collections/events/events.html", "</p>", shown);
    let run = site.build();
    run.page("/es/events/one/")
        .contains("<h1>Uno</h1>")
        .contains("<b><span lang=\"en\" dir=\"ltr\">A day for all.</span></b>")
        .contains("<span lang=\"en\" dir=\"ltr\">Bring a coat.</span> · <span")
        .contains("<i><span lang=\"en\" dir=\"ltr\">Easy</span></i>")
        .contains("<span lang=\"en\" dir=\"ltr\">Come</span></a>")
        // The mark of its end is cut off.
        .contains("<q><span lang=\"en\" dir=\"ltr\">A day</span></q>");
    run.page("/events/one/").lacks("<span");
    // A file of the language has the word.
    site.write("content/events/one/es.yaml", "lead: Un día para todos.\n");
    site.write(
        "content/events/one/entry.yaml",
        std::fs::read(site.path("content/events/one.yaml")).expect("an entry"),
    );
    site.remove("content/events/one.yaml");
    site.run(&["build"])
        .page("/es/events/one/")
        .contains("<b>Un día para todos.</b>");
}

#[test]
fn the_name_of_a_value_of_another_language_says_so_in_a_filter() {
    let site = events();
    site.edit(
        "content/site.yaml",
        "locales:",
        "fallback: {es: en}\nlocales:",
    );
    site.edit(
        EVENT_SCHEMA,
        "fields:\n",
        "filters: {level: \"/level/{slug}/\", tone: \"/tone/{slug}/\"}\nfields:\n  \
         level: {type: choice, choices: {first: {en: Easy}, second: {en: Hard, es: Difícil}}, default: first, meaning: For whom.}\n  \
         tone: {type: text, words: true, meaning: How it sounds.}\n",
    );
    site.edit(
        "content/events/one.yaml",
        "date:",
        "tone: {en: Calm}\ndate:",
    );
    site.edit(
        "content/events/two.yaml",
        "date:",
        "tone: {en: Loud, es: Alto}\nlevel: second\ndate:",
    );
    site.write(
        "templates/collections/events/events.html",
        "{% extends \"layouts/base.html\" %}{% block main %}<h1>{{ entry.title }}</h1>{% set by = filters(\"events\") %}\
         {% for value in by.level + by.tone %}<a href=\"{{ value.link.href }}\">{{ value.name }}</a>{% endfor %}{% endblock %}",
    );
    site.write(
        "templates/collections/events/filter.html",
        "{% extends \"layouts/base.html\" %}{% block main %}<h1>{{ filter.name }}</h1>{% endblock %}",
    );
    let run = site.build();
    run.page("/es/events/one/")
        .contains("/es/level/first/\"><span lang=\"en\" dir=\"ltr\">Easy</span></a>")
        .contains("/es/level/second/\">Difícil</a>")
        .contains("/es/tone/calm/\"><span lang=\"en\" dir=\"ltr\">Calm</span></a>")
        .contains("/es/tone/alto/\">Alto</a>");
    run.page("/es/level/first/")
        .contains("<h1><span lang=\"en\" dir=\"ltr\">Easy</span></h1>");
    run.page("/events/one/")
        .contains("/level/first/\">Easy</a>")
        .lacks("<span");
}

#[test]
fn a_form_of_another_language_on_its_own_page_says_so() {
    let site = new_site(&["--languages", "en,nl"]);
    site.write(
        "content/pages/lead-form/nl.yaml",
        "path: /nl/offerte/\ntitle: Vraag een offerte aan voor uw website of portaal\ndescription: Vertel ons in een paar stappen wat u \
         nodig heeft, en een mens antwoordt met een eerste idee.\nsections:\n  - kind: form_page\n    form: lead\n    band: paper\n    \
         title: Offerte\n    lead: Een paar vragen.\n    links: []\n",
    );
    let run = site.run(&["build"]);
    assert_eq!(run.status, 0, "{}", run.stderr);
    run.page("/nl/offerte/")
        .contains("<div class=\"form-page__form\" lang=\"en\" dir=\"ltr\">");
    run.page("/get-a-quote/")
        .contains("<div class=\"form-page__form\">");
}

#[test]
fn a_site_that_lacks_nothing_has_the_same_pages_with_a_fallback() {
    let site = SiteTest::small();
    let before = site.run(&["build"]).files();
    site.edit(
        "content/site.yaml",
        "locales:",
        "fallback: {es: en}\nlocales:",
    );
    let after = site.run(&["build"]).files();
    let differ: Vec<&String> = before
        .keys()
        .filter(|path| path.ends_with(".html") && before[*path] != after[*path])
        .collect();
    assert!(differ.is_empty(), "{differ:?}");
}

/// What isn't said in each language is the same in all of them, and a name of a choice comes from the language that lends the rest.
#[test]
fn templates_compare_the_facts_of_a_borrowed_entry_in_every_language() {
    let site = small_site(&["--languages", "en,de,ar"])
        .file(
            "templates/collections/rooms/schema.yaml",
            "meaning: Rooms.\nfields:\n  title: {type: text, words: true, required: true, meaning: T}\n  \
             city: {type: text, meaning: C}\n  tags: {type: text, list: true, meaning: G}\n  \
             kind: {type: choice, choices: {x: {de: Zimmer, en: Room}}, meaning: K}\n",
        )
        .file(
            "templates/collections/rooms/card.html",
            "<b>{{ entry.title }} {{ 'Y' if entry.city == 'Bonn' else 'N' }} {{ 'Y' if 'a' in entry.tags else 'N' }} \
             {{ entry.city | length }} {{ entry.kind }}</b>",
        )
        .file(
            "content/rooms/one.yaml",
            "title: {en: One}\ncity: Bonn\ntags: [a, b]\nkind: x\n",
        );
    site.edit(
        "content/site.yaml",
        "locales: [en, de, ar]",
        "fallback: {ar: en, de: en}\nlocales: [en, de, ar]",
    );
    let home = "content/pages/home/page.yaml";
    let sections = std::fs::read_to_string(site.path(home)).expect("the page");
    site.write(
        home,
        format!("{sections}  rooms: {{kind: entries, of: rooms}}\n"),
    );
    let run = site.built();
    run.page("/").contains("<b>One Y Y 4 Room</b>");
    run.page("/de/").contains("<b>One Y Y 4 Zimmer</b>");
    run.page("/ar/").contains("<b>One Y Y 4 Room</b>");
    // A notice for a page whose text is borrowed.
    site.write(
        "content/notices/closed.yaml",
        "text: {en: Closed today.}\npages: [contact]\n",
    );
    let run = site.built();
    run.page("/ar/contact/").contains("Closed today.");
    run.page("/ar/").lacks("Closed today.");
    site.edit("content/notices/closed.yaml", "contact", "contct");
    let run = site.build();
    let problem = "unknown-id content/notices/closed.yaml:2:9".to_owned();
    assert!(run.problems().contains(&problem), "{}", run.stderr);
}

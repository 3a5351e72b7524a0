//! Random edits of collections: facts, words, references, schemas, templates, settings, dates that pass. After each build
//! the output has the bytes of a clean build, and an edited entry renders no page that cannot show it.

use std::cell::Cell;
use std::fs;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestRunner;

use crate::site_test::{SiteTest, different, files_below};

const PEOPLE: &str = "templates/collections/people/schema.yaml";
const BASE: &str = "{% extends \"layouts/base.html\" %}{% block main %}";
/// The last day of January 2030 to which time passes.
const LAST_DAY: u32 = 28;

/// People of clinics of cities. Each page shows other entries in its own way: by references, by what is computed from them,
/// in lists, as what is related, in structured data, in its title.
fn site() -> SiteTest {
    let mut site = SiteTest::small()
        .file(
            PEOPLE,
            "meaning: Someone who works in a clinic.
address: /people/{slug}/
title: \"{name} of {clinic.name}\"
description: \"{name}, {role}\"
sort: [-joined, name]
publish: {until: left}
filters: {clinic: \"/people/clinic/{slug}/\"}
structured_data: {\"@type\": Person, name: \"{name}\", worksFor: {\"@type\": Organization, name: \"{clinic.city.name}\"}}
fields:
  name: {type: text, required: true, meaning: The name.}
  role: {type: text, words: true, required: true, meaning: The profession.}
  clinic: {type: reference, to: clinics, required: true, meaning: Where the person works.}
  joined: {type: date, required: true, meaning: The first day.}
  left: {type: date, meaning: The last day.}
  body: {type: markdown, words: true, meaning: About the person.}
",
        )
        .file(
            "templates/collections/people/people.html",
            format!("{BASE}<pre>{{{{ page | pprint }}}} {{{{ head | pprint }}}} {{{{ languages | pprint }}}} {{{{ list | pprint }}}}</pre><h1>{{{{ entry.name }}}}</h1>{{{{ entry.role }}}} {{{{ entry.clinic.name }}}} {{{{ entry.joined }}}} {{{{ entry.body }}}}{{% endblock %}}"),
        )
        // A style sheet that only these pages load.
        .file(
            "templates/collections/people/people.css",
            ".people {\n  display: block;\n}\n",
        )
        .file(
            "templates/collections/people/filter.html",
            format!("{BASE}<h1>{{{{ filter.name }}}} {{{{ filter.count }}}}</h1>{{% for person in filter.entries %}}<a href=\"{{{{ person.link.href }}}}\">{{{{ person.name }}}}</a>{{% endfor %}}{{% endblock %}}"),
        )
        .file(
            "templates/collections/clinics/schema.yaml",
            "meaning: A clinic.
address: /clinics/{slug}/
title: \"{name}, {city.name}\"
description: \"{name} in {city.name}\"
sort: [name]
fields:
  name: {type: text, required: true, meaning: The name.}
  city: {type: reference, to: cities, required: true, meaning: Where it is.}
  team: {type: reverse, of: people.clinic, meaning: Who works here.}
",
        )
        .file(
            "templates/collections/clinics/clinics.html",
            format!("{BASE}<h1>{{{{ entry.name }}}}</h1>{{% for person in entry.team %}}<a href=\"{{{{ person.link.href }}}}\">{{{{ person.name }}}} {{{{ person.role }}}}</a>{{% endfor %}}{{% for other in related(entry, by=\"city\") %}}{{{{ other.name }}}}{{% endfor %}}{{% endblock %}}"),
        )
        .file(
            "templates/collections/cities/schema.yaml",
            "meaning: A city.
address: /cities/{slug}/
title: \"{name}\"
description: \"The city {name}\"
fields:
  name: {type: text, required: true, meaning: The name.}
  clinics: {type: reverse, of: clinics.city, meaning: What is there.}
",
        )
        .file(
            "templates/collections/cities/cities.html",
            format!("{BASE}<h1>{{{{ entry.name }}}}</h1>{{% for person in entries(\"people\", sort=\"-joined\", limit=3) %}}{{{{ person.name }}}} {{% endfor %}}{{% for value in filters(\"people\").clinic %}}{{{{ value.name }}}} {{{{ value.count }}}} {{% endfor %}}{{% for person in entries(\"people\", upcoming=\"joined\") %}}{{{{ person.key }}}} {{% endfor %}}{{% endblock %}}"),
        )
        .file(
            "templates/sections/entries/entries.html",
            "{% for group in section.groups %}{% for entry in group.entries %}<a href=\"{{ entry.link.href }}\">{{ entry }}</a>{% endfor %}{% endfor %}",
        );
    for (locale, path) in [("en", "/"), ("es", "/es/")] {
        let lists: String = ["people", "clinics", "cities"]
            .map(|of| format!("  - {{kind: entries, of: {of}}}\n"))
            .concat();
        site = site.file(
            &format!("content/pages/home/{locale}.yaml"),
            format!("path: {path}\ntitle: Home {locale}\ndescription: The home in {locale}.\nsections:\n  - {{kind: hero, title: Hello}}\n{lists}"),
        );
    }
    for number in 0..3 {
        site = site.file(
            &format!("content/cities/city-{number}.yaml"),
            format!("name: City {number}\n"),
        );
        let clinic = format!("name: Clinic {number}\ncity: city-{}\n", number % 2);
        site = site.file(&format!("content/clinics/clinic-{number}.yaml"), clinic);
    }
    for number in 0..8 {
        for (file, text) in person(number, number % 3, "first", "") {
            site = site.file(&file, text);
        }
    }
    site.edit(
        "content/site.yaml",
        "locales: [en, es]",
        "locales: [en, es]\nassets: {keep_days: 0}",
    );
    let about = "      to: page:about\n";
    site.edit(
        "content/site.yaml",
        about,
        &format!("{about}    - {{entries: clinics}}\n"),
    );
    site
}

/// The files of a person.
fn person(number: usize, clinic: usize, words: &str, more: &str) -> Vec<(String, String)> {
    let folder = format!("content/people/person-{number}");
    let facts = format!(
        "name: Person {number} {words}\nclinic: clinic-{clinic}\njoined: 20{:02}-03-04\n{more}",
        10 + number * 3
    );
    let text = |locale: &str| {
        format!("role: Role {words} {locale}\nbody: Words **{words}** of {number}.\n")
    };
    let files = [("entry", facts), ("en", text("en")), ("es", text("es"))];
    files
        .map(|(name, text)| (format!("{folder}/{name}.yaml"), text))
        .into()
}

/// A line of a file and its replacement, in which `{step}` is a number.
type Line = (&'static str, &'static str, &'static str);

const LINES: &[Line] = &[
    ("content/cities/city-0.yaml", "name:", "name: City {step}"),
    ("content/cities/city-1.yaml", "name:", "name: City {step}"),
    (
        "content/clinics/clinic-0.yaml",
        "name:",
        "name: Clinic {step}",
    ),
    (
        "content/clinics/clinic-1.yaml",
        "name:",
        "name: \"Clinic {step}\" # with a comment",
    ),
    (
        "content/clinics/clinic-2.yaml",
        "city:",
        "city: city-{third}",
    ),
    (
        PEOPLE,
        "title:",
        "title: \"{name} at {clinic.name} {step}\"",
    ),
    (
        PEOPLE,
        "structured_data:",
        "structured_data: {\"@type\": Person, name: \"{name}\", description: \"Step {step}\"}",
    ),
    (PEOPLE, "sort:", "sort: [name, -joined] # {step}"),
    (PEOPLE, "sort:", "sort: [-joined, name]"),
    (PEOPLE, "address:", "address: /people/{slug}/"),
    (PEOPLE, "address:", "address: /staff/{slug}/"),
    (
        "content/site.yaml",
        "  tagline:",
        "  tagline: {en: Tag {step}, es: Lema {step}}",
    ),
    (
        "content/pages/about/en.yaml",
        "title:",
        "title: About {step}",
    ),
    (
        "content/pages/home/es.yaml",
        "title:",
        "title: Inicio {step}",
    ),
];

#[derive(Debug, Clone)]
enum Edit {
    /// The words of a person in a language.
    Words(usize, &'static str),
    /// The facts and the words of a person, and the clinic.
    Person(usize, usize),
    /// A fact that changes nothing but the file.
    Comment(usize),
    /// The last day of a person: past, to come, or none.
    Left(usize, Option<i64>),
    SetLine(Line),
    Template(&'static str, bool),
    Remove(usize),
    Rename(usize, usize),
    /// The time at which later builds run.
    Pass(u32),
    /// An output file is edited by hand.
    Damage(usize),
}

fn edit() -> impl Strategy<Value = Edit> {
    let person = || 0..8_usize;
    let templates = vec![
        "collections/people/people.html",
        "collections/clinics/clinics.html",
        "collections/cities/cities.html",
        "sections/entries/entries.html",
    ];
    prop_oneof![
        5 => (person(), select(vec!["en", "es"])).prop_map(|(number, locale)| Edit::Words(number, locale)),
        4 => (person(), 0..3_usize).prop_map(|(number, clinic)| Edit::Person(number, clinic)),
        2 => person().prop_map(Edit::Comment),
        2 => (person(), select(vec![None, Some(-5), Some(3), Some(40)])).prop_map(|(number, days)| Edit::Left(number, days)),
        7 => select(LINES).prop_map(Edit::SetLine),
        1 => (select(templates), any::<bool>()).prop_map(|(template, says_more)| Edit::Template(template, says_more)),
        1 => person().prop_map(Edit::Remove),
        1 => (person(), 8..11_usize).prop_map(|(number, to)| Edit::Rename(number, to)),
        1 => (1..9_u32).prop_map(Edit::Pass),
        1 => person().prop_map(Edit::Damage),
    ]
}

/// Replaces the lines of a file that begin with a text.
fn set_line(site: &SiteTest, file: &str, start: &str, line: &str) {
    let text = fs::read_to_string(site.path(file)).expect("a file");
    let lines = text
        .lines()
        .map(|own| if own.starts_with(start) { line } else { own });
    site.write(
        file,
        lines.flat_map(|line| [line, "\n"]).collect::<String>(),
    );
}

impl Edit {
    fn make(&self, site: &SiteTest, today: &mut u32, step: usize) {
        let facts = |number: usize| format!("content/people/person-{number}/entry.yaml");
        match self {
            Edit::Words(number, locale) => {
                let file = format!("content/people/person-{number}/{locale}.yaml");
                if site.path(&file).exists() {
                    set_line(
                        site,
                        &file,
                        "body:",
                        &format!("body: Words of step {step}, see [a city](page:cities/city-0)."),
                    );
                }
            }
            Edit::Person(number, clinic) => {
                for (file, text) in person(*number, *clinic, &format!("step-{step}"), "") {
                    site.write(&file, text);
                }
            }
            Edit::Comment(number) => {
                if let Ok(text) = fs::read_to_string(site.path(&facts(*number))) {
                    site.write(&facts(*number), format!("# step {step}\n{text}"));
                }
            }
            Edit::Left(number, days) => {
                let Ok(text) = fs::read_to_string(site.path(&facts(*number))) else {
                    return;
                };
                let kept: String = text
                    .lines()
                    .filter(|line| !line.starts_with("left:"))
                    .flat_map(|line| [line, "\n"])
                    .collect();
                let day = days.map(|days| {
                    if days < 0 {
                        "left: 2029-12-27\n".to_owned()
                    } else {
                        format!("left: 2030-01-{:02}\n", 1 + days.min(27))
                    }
                });
                site.write(&facts(*number), kept + &day.unwrap_or_default());
            }
            Edit::SetLine((file, start, line)) => {
                let line = line
                    .replace("{step}", &step.to_string())
                    .replace("{third}", &(step % 3).to_string());
                set_line(site, file, start, &line);
            }
            Edit::Template(template, says_more) => {
                let file = format!("templates/{template}");
                let text = fs::read_to_string(site.path(&file)).expect("a template");
                let text = text
                    .split("{# ")
                    .next()
                    .unwrap_or_default()
                    .replace("<!-- x -->", "");
                let said = if *says_more { "<!-- x -->" } else { "" };
                let text = text.replace("{% block main %}", &format!("{{% block main %}}{said}"));
                site.write(&file, format!("{text}{{# step {step} #}}"));
            }
            Edit::Remove(number) => drop(fs::remove_dir_all(
                site.path(&format!("content/people/person-{number}")),
            )),
            Edit::Rename(number, to) => {
                let path = |number: usize| site.path(&format!("content/people/person-{number}"));
                if path(*number).exists() && !path(*to).exists() {
                    fs::rename(path(*number), path(*to)).expect("renamed");
                }
            }
            Edit::Pass(days) => *today = (*today + days).min(LAST_DAY),
            Edit::Damage(number) => {
                let file = site.path(&format!("dist/people/person-{number}/index.html"));
                if file.exists() {
                    fs::write(file, "somebody was here").expect("written");
                }
            }
        }
    }
}

/// Applies the edits, and builds after those with a flag. Returns how many builds were compared with a clean one.
fn compared(edits: &[(Edit, bool)]) -> Result<usize, TestCaseError> {
    let site = site();
    let mut today = 1;
    let first = site.run(&["build", "--at", "2030-01-01"]);
    prop_assert_eq!(first.status, 0, "{}", first.stderr);
    let mut compared = 0;
    for (step, (edit, builds)) in edits.iter().enumerate() {
        edit.make(&site, &mut today, step);
        if !builds {
            continue;
        }
        let at = format!("2030-01-{today:02}");
        let run = site.run(&["build", "--at", &at]);
        // The clean build uses another folder and another cache.
        fs::remove_dir_all(site.path("clean")).ok();
        let known = (site.path(".sitegen"), site.path("aside"));
        fs::rename(&known.0, &known.1).expect("moved");
        let clean = site.run(&[
            "build",
            "--at",
            &at,
            "--out",
            &site.path("clean").to_string_lossy(),
        ]);
        fs::remove_dir_all(&known.0).ok();
        fs::rename(&known.1, &known.0).expect("moved back");
        prop_assert_eq!(
            run.status,
            clean.status,
            "step {}: {}\n{}",
            step,
            run.stderr,
            clean.stderr
        );
        if run.status != 0 {
            continue;
        }
        let (own, fresh) = (run.files(), files_below(&site.path("clean")));
        let different = different(&own, &fresh);
        compared += 1;
        prop_assert!(different.is_empty(), "step {}: {:?}", step, different);
    }
    Ok(compared)
}

#[test]
fn after_any_edits_of_entries_the_bytes_are_those_of_a_clean_build() {
    const STEPS: usize = 60;
    let config = ProptestConfig::default();
    // PROPTEST_CASES=1200 makes more than a thousand edits.
    let config = ProptestConfig {
        cases: config.cases.div_ceil(128),
        max_shrink_time: 120_000,
        ..config
    };
    let total = Cell::new(0);
    let edits = vec((edit(), proptest::bool::weighted(0.7)), STEPS..=STEPS * 2);
    let cases = config.cases as usize;
    let mut runner = TestRunner::new(config);
    for _ in 0..cases {
        let case = edits
            .new_tree(&mut runner)
            .unwrap_or_else(|failure| panic!("{failure}"));
        let run = runner.run_one(case, |edits| {
            total.set(total.get() + compared(&edits)?);
            Ok(())
        });
        run.unwrap_or_else(|failure| panic!("{failure}"));
    }
    assert!(
        total.get() > cases * STEPS / 4,
        "only {} of the builds succeeded",
        total.get()
    );
}

/// The addresses of the pages that the last build rendered.
fn rendered(site: &SiteTest) -> Vec<String> {
    site.run(&["why"])
        .stdout
        .lines()
        .filter(|line| line.starts_with('/'))
        .map(str::to_owned)
        .collect()
}

#[test]
fn an_edited_entry_renders_its_pages_and_those_that_show_it() {
    let site = site();
    site.built();
    let of_clinic = [
        "/clinics/clinic-0/",
        "/clinics/clinic-1/",
        "/clinics/clinic-2/",
        "/people/person-2/",
        "/people/person-5/",
    ];
    let in_spanish = of_clinic.map(|page| format!("/es{page}"));
    let mut of_clinic: Vec<&str> = of_clinic
        .into_iter()
        .chain(in_spanish.iter().map(String::as_str))
        .collect();
    of_clinic.sort_unstable();
    for (file, start, line, pages) in [
        (
            "content/people/person-4/es.yaml",
            "body:",
            "body: Otras palabras.",
            vec!["/es/people/person-4/"],
        ),
        (
            "content/people/person-4/entry.yaml",
            "name:",
            "# nothing else\nname: Person 4 first",
            vec![],
        ),
        (
            "content/clinics/clinic-2.yaml",
            "city:",
            "city: city-1",
            of_clinic,
        ),
    ] {
        set_line(&site, file, start, line);
        site.built();
        let mut rendered = rendered(&site);
        rendered.sort();
        assert_eq!(rendered, pages, "{file}");
    }
    let checked = site.run(&["build", "--verify-cache"]);
    assert_eq!(checked.status, 0, "{}{}", checked.stdout, checked.stderr);
}

#[test]
fn an_entry_that_goes_back_is_rendered_again_after_a_build_of_everything() {
    let site = site();
    site.built();
    let file = "content/people/person-1/en.yaml";
    site.edit(file, "Words **first**", "Words **second**");
    set_line(
        &site,
        "content/pages/about/en.yaml",
        "title:",
        "title: Other",
    );
    site.built();
    site.edit(file, "Words **second**", "Words **first**");
    site.built()
        .page("/people/person-1/")
        .contains("<strong>first</strong>");
}

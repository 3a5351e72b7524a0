//! No cost of a build grows with the square of an input: eight times the input takes about eight times as long.
//!
//! The CPU time of the program is compared, the shorter of two runs, with a bound between eight and sixty-four: other programs
//! on the machine change neither much.

use std::process::Command;
use std::time::Duration;

use crate::site_test::SiteTest;

/// How many times larger the second input is.
const FACTOR: usize = 8;
/// How many times as long it may take. A square would take [`FACTOR`] times [`FACTOR`].
const LIMIT: u32 = 28;

/// Measures `sitegen check`. The shell prints the CPU time of its children, user and system, in the second line of `times`.
fn cpu_time(site: &SiteTest) -> Duration {
    let check = site.command(&["check"]);
    let mut shell = Command::new("bash");
    shell
        .args(["-c", "\"$@\"; status=$?; times; exit $status", "bash"])
        .arg(check.get_program());
    shell.args(check.get_args());
    for (name, value) in check.get_envs() {
        match value {
            Some(value) => shell.env(name, value),
            None => shell.env_remove(name),
        };
    }
    let run = shell.output().expect("bash starts");
    let stderr = String::from_utf8_lossy(&run.stderr);
    assert!(
        run.status.code().is_some_and(|code| code <= 1) && !stderr.contains("panicked"),
        "{stderr}"
    );
    let stdout = String::from_utf8_lossy(&run.stdout);
    let children = stdout.lines().last().unwrap_or_default();
    children.split_whitespace().map(minutes_and_seconds).sum()
}

fn shorter_of_two(site: &SiteTest) -> Duration {
    cpu_time(site).min(cpu_time(site))
}

/// Reads `0m1.234s`.
fn minutes_and_seconds(text: &str) -> Duration {
    let (minutes, seconds) = text.trim_end_matches('s').split_once('m').expect("minutes");
    let minutes: u64 = minutes.parse().expect("a number of minutes");
    Duration::from_secs(60 * minutes)
        + Duration::from_secs_f64(seconds.parse().expect("a number of seconds"))
}

#[track_caller]
fn check(name: &str, small: usize, site: impl Fn(usize) -> SiteTest) {
    // The program starts in a few milliseconds, which count for both.
    let (short, long) = (
        shorter_of_two(&site(small)),
        shorter_of_two(&site(FACTOR * small)),
    );
    assert!(
        long < short * LIMIT,
        "{name}: {short:?}, and {long:?} for {FACTOR} times as much"
    );
}

fn post(front: &str, body: &str) -> SiteTest {
    let text = format!("---\ntitle: A plan\ndate: 2025-03-14\nauthor: ana\n{front}---\n{body}\n");
    let author = "name: Ana Ruiz\ndescription: {en: Writes., es: Escribe.}\n";
    SiteTest::blog()
        .file("content/authors/ana.yaml", author)
        .file("content/blog/en/a-plan.md", text)
}

#[test]
fn texts_of_posts() {
    let texts: [(&str, &str, usize); 15] = [
        ("elements in each other", "<div>", 6_000),
        ("elements on lines", "<div>\n\n", 2_500),
        ("brackets of footnotes", "[^", 5_000),
        ("references without footnotes", "a[^b] ", 1_500),
        ("braces", "{{ ", 30_000),
        ("brackets behind an address", "))))", 5_000),
        ("addresses", "https://a.example/x ", 1_000),
        ("signs of mail", "a@", 5_000),
        ("amounts", "$5 $a ", 5_000),
        ("emphasis beside Chinese", "**（重）**后", 2_000),
        ("sections without an end", "\n:::abc", 5_000),
        ("ids of headings", "{#a_", 5_000),
        ("headings", "## a\n\n", 10_000),
        ("links that lead nowhere", "[a](x)\n\n", 2_500),
        ("removed attributes", "<a name=\"x\">b</a> ", 1_500),
    ];
    for (name, text, count) in texts {
        check(name, count, |count| {
            post("", &format!("https://a.example/{}", text.repeat(count)))
        });
    }
}

#[test]
fn straight_quotes_in_a_line() {
    let quotes = "typography: {quotes: [\"“\", \"”\", \"‘\", \"’\"], literals: [a literal]}\n";
    for text in ["\"a\" ", "'a ", "it's "] {
        check(text, 2_000, |count| {
            let site = post("", &text.repeat(count));
            let locale =
                std::fs::read_to_string(site.path("content/locales/en.yaml")).expect("a locale");
            site.write("content/locales/en.yaml", format!("{quotes}{locale}"));
            site
        });
    }
}

#[test]
fn tags_of_a_post() {
    check("tags", 4_000, |count| {
        let tags: Vec<String> = (0..count).map(|tag| format!("tag-{tag}")).collect();
        post(&format!("tags: [{}]\n", tags.join(", ")), "Text.")
    });
}

#[test]
fn sections_of_a_page() {
    check("sections", 500, |count| {
        let sections: Vec<String> = (0..count)
            .map(|at| format!("  - {{kind: prose, body: Text {at}}}\n"))
            .collect();
        let sections = sections.concat();
        let page = "path: /about/\ntitle: About\ndescription: About us.\nsections:\n  - {kind: hero, title: About}\n";
        SiteTest::small().file("content/pages/about/en.yaml", format!("{page}{sections}"))
    });
}

#[test]
fn formulas_and_tables_of_posts() {
    for (name, text, count) in [("formulas", "$x_1^{2}$ ", 800), ("tables", "|a|b|\n", 800)] {
        check(name, count, |count| {
            post("", &format!("|a|b|\n|-|-|\n{}", text.repeat(count)))
        });
    }
}

#[test]
fn problems_of_one_file() {
    check("links to pages that are missing", 1_500, |count| {
        post("", &"[a](page:nowhere) ".repeat(count))
    });
    check("URLs that are gone", 4_000, |count| {
        let urls = (0..count).map(|at| format!("/a{at}/\n"));
        SiteTest::small().file("content/urls.lock", urls.collect::<String>())
    });
    check("lines that end a document", 20_000, |count| {
        let text = format!("path: /\n{}", "---\n".repeat(count));
        SiteTest::small().file("content/pages/about/en.yaml", text)
    });
}

#[test]
fn redirects_in_a_chain() {
    check("redirects", 600, |count| {
        let redirects = (0..count)
            .map(|at| format!("- {{from: /a{at}, to: /a{}}}\n", at + 1))
            .collect::<Vec<_>>()
            .concat();
        SiteTest::small().file("content/redirects/chain.yaml", redirects)
    });
    check("rules of redirects", 300, |count| {
        let redirects = (0..count)
            .map(|at| format!("- {{from: \"/a{at}/*\", to: /about/}}\n"))
            .collect::<Vec<_>>()
            .concat();
        SiteTest::small().file("content/redirects/rules.yaml", redirects)
    });
}

#[test]
fn rows_and_columns_of_a_table() {
    let schema = |file: &str| {
        format!(
            "meaning: Prices.\nsource: {{file: {file}}}\nfields:\n  name: {{type: text, required: true, meaning: A name.}}\n"
        )
    };
    let site = |file: &str, rows: String| {
        SiteTest::small()
            .file("templates/collections/prices/schema.yaml", schema(file))
            .file(&format!("content/prices/{file}"), rows)
    };
    check("rows", 1_000, |count| {
        let rows = (0..count).map(|at| format!("key-{at},Name {at}\n"));
        site(
            "prices.csv",
            rows.fold("key,name\n".to_owned(), |all, row| all + &row),
        )
    });
    check("rows with one key", 1_000, |count| {
        site("prices.csv", format!("key,name\n{}", "a,b\n".repeat(count)))
    });
    check("rows of JSON in one line", 1_000, |count| {
        let rows: Vec<String> = (0..count)
            .map(|at| format!("{{\"key\":\"key-{at}\",\"name\":\"Name {at}\"}}"))
            .collect();
        site("prices.json", format!("[{}]", rows.join(",")))
    });
}

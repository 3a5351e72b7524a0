//! Files for translators that nobody has touched, or whose names, languages and encodings a tool has changed.

use crate::exchange::{MEMORY, accepted, content, export, horizon, import, read};

/// A site that lacks texts of a language, of which the memory has some: whatever is missing, a file that nobody has touched is
/// no mistake, and changes only what the memory has.
#[test]
fn an_export_that_nobody_has_touched_is_imported_whatever_is_missing() {
    let memory = |texts: &[(&str, &str)], to: &str| {
        let units = texts.iter().map(|(from, text)| {
            format!(
                "<tu><tuv xml:lang=\"en\"><seg>{from}</seg></tuv><tuv xml:lang=\"{to}\"><seg>{text}</seg></tuv></tu>\n"
            )
        });
        format!(
            "<tmx version=\"1.4\"><header srclang=\"en\"/><body>\n{}</body></tmx>",
            units.collect::<String>()
        )
    };
    let original = horizon();
    let table = export(&original, &["de", "--format", "csv"]);
    let mut reader =
        csv::ReaderBuilder::new().from_reader(table.trim_start_matches('\u{feff}').as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.expect("a row")).collect();
    let simple = |text: &str| {
        !text.is_empty() && !text.starts_with('\'') && !text.contains(['&', '<', '\n'])
    };
    let known: Vec<(&str, &str)> = rows
        .iter()
        .map(|row| (&row[1], &row[2]))
        .filter(|(from, to)| simple(from) && simple(to))
        .collect();
    assert!(known.len() > 50, "{}", known.len());
    let files: Vec<String> = content(&original)
        .into_keys()
        .filter(|path| {
            path.ends_with("/de.yaml") && path.starts_with("pages/") || path.contains("/de/")
        })
        .collect();
    assert!(files.len() > 4, "{files:?}");
    for seed in 0..6 {
        let site = horizon();
        for path in files.iter().skip(seed % 3).step_by(2 + seed % 2) {
            std::fs::remove_file(site.path("content").join(path)).expect("a file");
        }
        let some: Vec<(&str, &str)> = known.iter().copied().skip(seed).step_by(1 + seed).collect();
        site.write(MEMORY, memory(&some, "de"));
        for (format, name) in [("xliff", "a.xlf"), ("po", "a.po"), ("csv", "a.csv")] {
            for more in [&[][..], &["--missing"]] {
                let text = export(&site, &[&["de", "--format", format], more].concat());
                let run = import(&site, name, text);
                assert_eq!(
                    (run.status, run.stderr.as_str()),
                    (0, ""),
                    "{seed} {format} {more:?}\n{}",
                    run.stdout
                );
            }
        }
    }
}

#[test]
fn texts_without_names_are_those_that_no_other_entry_names() {
    let site = accepted();
    let po = export(&site, &["es", "--format", "po"]);
    let before = content(&site);
    let without = |at: usize| {
        let mut number = 0;
        let lines = po.lines().filter(|line| {
            let is_name = line.starts_with("msgctxt");
            number += usize::from(is_name);
            !is_name || number % 2 != at
        });
        lines.flat_map(|line| [line, "\n"]).collect::<String>()
    };
    let none: String = po
        .lines()
        .filter(|line| !line.starts_with("msgctxt"))
        .flat_map(|line| [line, "\n"])
        .collect();
    let no_comments: String = none
        .lines()
        .filter(|line| !line.starts_with("#."))
        .flat_map(|line| [line, "\n"])
        .collect();
    for text in [without(0), without(1), none, no_comments] {
        let run = import(&site, "a.po", &text);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{text}");
        assert!(content(&site) == before, "{text}");
    }
    let run = import(
        &site,
        "a.po",
        without(1).replace("Quién hace las cosas pequeñas.", "Quién hace todo."),
    );
    assert_eq!((run.status, run.stderr.as_str()), (0, ""));
    assert!(read(&site, "content/pages/about/es.yaml").contains("description: Quién hace todo.\n"));
}

#[test]
fn tables_in_utf_16_and_other_names_of_a_language_are_read() {
    let site = accepted();
    let csv = export(&site, &["es", "--format", "csv"]);
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .from_reader(csv.trim_start_matches('\u{feff}').as_bytes());
    let mut writer = csv::WriterBuilder::new()
        .delimiter(b'\t')
        .terminator(csv::Terminator::CRLF)
        .from_writer(Vec::new());
    reader
        .records()
        .for_each(|row| writer.write_record(&row.expect("a row")).expect("a row"));
    let table = String::from_utf8(writer.into_inner().expect("a table"))
        .expect("UTF-8")
        .replace("(es)", "(es_MX.UTF-8)");
    for (mark, bytes) in [
        ([0xff, 0xfe], u16::to_le_bytes as fn(u16) -> [u8; 2]),
        ([0xfe, 0xff], u16::to_be_bytes),
    ] {
        let text: Vec<u8> = mark
            .into_iter()
            .chain(table.encode_utf16().flat_map(bytes))
            .collect();
        let run = import(&site, "a.txt", text);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""));
        assert!(
            run.stdout.starts_with("wrote 0 translations;")
                && !run.stdout.contains("; 0 unchanged"),
            "{}",
            run.stdout
        );
    }
    let horizon = horizon();
    for (code, name) in [
        ("zh-hans", "zh_CN"),
        ("zh-hans", "zh-Hans-CN"),
        ("ar", "ar_EG"),
    ] {
        let po = export(&horizon, &[code, "--format", "po"]).replace(
            &format!("Language: {code}\\n"),
            &format!("Language: {name}\\n"),
        );
        let run = import(&horizon, "a.po", po);
        assert_eq!((run.status, run.stderr.as_str()), (0, ""), "{name}");
    }
}

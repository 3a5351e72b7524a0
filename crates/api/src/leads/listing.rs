//! Lists of leads, newest first: what they are filtered by, and which words are searched in them. `sitegen leads` and the
//! inbox list leads with it, from each store.

use unicode_normalization::UnicodeNormalization as _;

use crate::clock::Millis;

use super::contents::Contents;
use super::erase;
use super::lead::{Lead, Status};

/// Which leads are listed. The default lists all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Answers to the form of this name; an empty name is that of the lead form.
    pub form: Option<String>,
    /// Leads of this status.
    pub status: Option<Status>,
    /// Leads from pages in this language.
    pub locale: Option<String>,
    /// Leads received at this time or later.
    pub from: Option<Millis>,
    /// Leads received before this time.
    pub until: Option<Millis>,
    /// Only leads that nobody has marked as read.
    pub is_unread: bool,
    /// Leads of this person: an email address or a phone number, in any spelling.
    pub person: Option<String>,
    /// Words that the text of the lead contains, each of them, in any case.
    pub text: String,
}

/// A lead in a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// The lead.
    pub lead: Lead,
    /// Whether somebody has marked it as read.
    pub is_read: bool,
}

/// A part of a list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// The leads, newest first.
    pub leads: Vec<Listed>,
    /// Whether older leads follow.
    pub has_more: bool,
    /// The number of leads in the whole list, if it is known without reading them.
    pub total: Option<u32>,
}

/// By which values leads can be filtered.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Facets {
    /// The names of forms, sorted; an empty name is that of the lead form.
    pub forms: Vec<String>,
    /// The languages, sorted.
    pub locales: Vec<String>,
}

impl Filter {
    /// Whether a lead is in the list.
    pub fn matches(&self, lead: &Lead, is_read: bool) -> bool {
        self.form
            .as_ref()
            .is_none_or(|wanted| *wanted == lead.contents.form)
            && self.status.is_none_or(|wanted| wanted == lead.status)
            && self
                .locale
                .as_ref()
                .is_none_or(|wanted| *wanted == lead.locale)
            && self.from.is_none_or(|from| lead.at >= from)
            && self.until.is_none_or(|until| lead.at < until)
            && !(self.is_unread && is_read)
            && self.matches_text(&self.words(), &lead.id, &lead.contents)
    }

    /// Whether the text of each lead has to be read.
    pub fn reads_text(&self) -> bool {
        self.person.is_some() || !self.words().is_empty()
    }

    /// Whether the text of a lead is in the list. `words` are those of this filter.
    pub fn matches_text(&self, words: &Words, id: &str, contents: &Contents) -> bool {
        self.person
            .as_ref()
            .is_none_or(|person| erase::is_of(contents, person))
            && words.matches(id, contents)
    }

    /// The words that are searched.
    pub fn words(&self) -> Words {
        let folded = folded(&self.text);
        Words(folded.split_whitespace().map(str::to_owned).collect())
    }
}

/// A text without differences of case, also those of languages with rules of their own: `İ`, `I`, `ı` and `i` are one letter,
/// and so are both forms of `σ`.
fn folded(text: &str) -> String {
    let lower = text.nfc().collect::<String>().to_lowercase();
    lower
        .replace("i\u{307}", "i")
        .replace('ı', "i")
        .replace('ς', "σ")
}

/// Words in lower case, each of which a lead has to contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Words(Vec<String>);

impl Words {
    /// Whether there is nothing to search.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The longest run of ASCII letters and digits of each word that has one. The JSON of the contents has it as it was typed,
    /// apart from its case (`i` and `k` have other forms that are not ASCII), so a database can leave out most leads without
    /// reading their text.
    pub fn runs(&self) -> impl Iterator<Item = &str> {
        let run = |word: &'_ String| -> Option<(usize, usize)> {
            let is_plain = |c: char| c.is_ascii_alphanumeric() && !matches!(c, 'i' | 'k');
            let runs = word.split(|c| !is_plain(c)).filter(|run| !run.is_empty());
            let longest = runs.max_by_key(|run| run.len())?;
            let at = word.find(longest)?;
            Some((at, at + longest.len()))
        };
        self.0
            .iter()
            .filter_map(move |word| run(word).map(|(from, to)| &word[from..to]))
    }

    /// Whether the texts of a lead contain every word. Names of fields are no text of a lead.
    pub fn matches(&self, id: &str, contents: &Contents) -> bool {
        if self.is_empty() {
            return true;
        }
        let mut text = folded(id);
        for part in contents.texts() {
            text.push('\n');
            text.push_str(&folded(&part));
        }
        self.0.iter().all(|word| text.contains(word.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lead() -> Lead {
        let answers = serde_json::json!({
            "name": "Ana Núñez", "email": "ana@example.com", "message": "A \"quoted\" word\nand 牙医, Ali VELİ, IŞIK, isik, ΣΟΦΟΣ",
        });
        let contents = Contents::of_call(serde_json::from_value(answers).expect("an object"));
        Lead {
            id: "01M80B".into(),
            at: 1_000,
            locale: "es".into(),
            status: Status::Spam,
            reason: None,
            contents,
        }
    }

    fn search(text: &str) -> Filter {
        Filter {
            text: text.into(),
            ..Filter::default()
        }
    }

    #[test]
    fn a_person_is_found_by_their_address_in_any_spelling() {
        let of = |person: &str| {
            Filter {
                person: Some(person.into()),
                ..Filter::default()
            }
            .matches(&lead(), false)
        };
        assert!(
            of("ANA@Example.com")
                && !of("bob@example.com")
                && !of("+34 600 11 22 33")
                && !of("Ana")
        );
    }

    #[test]
    fn words_are_found_in_any_case_and_order_and_not_in_names_of_fields() {
        for text in [
            "",
            "ana",
            "NÚÑEZ ana",
            "\"QUOTED\"",
            "牙医",
            "01m80b",
            "example.com word",
            "nu\u{301}n\u{303}ez",
            "VELİ ALİ",
            "veli ali isik",
            "ışık",
            "σοφοσ",
        ] {
            assert!(search(text).matches(&lead(), false), "{text}");
        }
        for text in ["phone", "projectType", "ana bob", "null"] {
            assert!(!search(text).matches(&lead(), false), "{text}");
        }
    }

    #[test]
    fn each_run_is_in_the_json_of_a_lead_that_matches() {
        let json = serde_json::to_string(&lead().contents)
            .expect("JSON")
            .to_lowercase();
        let words = search("NÚÑEZ \"quoted\" 牙医 example.com").words();
        let runs: Vec<&str> = words.runs().collect();
        assert_eq!(runs, ["ez", "quoted", "example"]);
        assert!(runs.iter().all(|run| json.contains(run)), "{json}");
    }

    #[test]
    fn every_filter_leaves_out_what_it_names() {
        let filters = |form: &str, status, locale: &str, from, until| Filter {
            form: Some(form.into()),
            status: Some(status),
            locale: Some(locale.into()),
            from: Some(from),
            until: Some(until),
            ..Filter::default()
        };
        assert!(filters("", Status::Spam, "es", 1_000, 1_001).matches(&lead(), true));
        for (filter, why) in [
            (filters("visit", Status::Spam, "es", 1_000, 1_001), "form"),
            (filters("", Status::Verified, "es", 1_000, 1_001), "status"),
            (filters("", Status::Spam, "en", 1_000, 1_001), "language"),
            (filters("", Status::Spam, "es", 1_001, 1_002), "from"),
            (filters("", Status::Spam, "es", 1_000, 1_000), "until"),
            (
                Filter {
                    is_unread: true,
                    ..Filter::default()
                },
                "read",
            ),
        ] {
            assert!(!filter.matches(&lead(), true), "{why}");
        }
    }
}

//! Recognizes a text that is in another language than its file says: by its script, and if that is the same, by how often
//! groups of letters occur (`whatlang`).
//!
//! Words of a foreign name or a quotation prove nothing. So only a run of words in another script counts, and only a text of
//! some sentences in another language, and only if it is not more like its own one.

use std::sync::LazyLock;

use foldhash::HashMap;
use whatlang::{Detector, Lang, Script, detect_script};

use super::prose::{Glyph, paragraphs};
use crate::locale::Locale;
use schema::types::Tag;

/// Texts of fewer bytes are not parsed.
pub(super) const JUDGED: usize = RUN * 2;
/// Texts of fewer words are not judged by their language.
const WORDS: usize = 25;
/// Runs of fewer words in another script are names and terms.
const RUN: usize = 8;

/// The language and the script of a locale.
struct Own {
    /// `None` for a language that is not recognized.
    lang: Option<Lang>,
    script: Option<LetterClass>,
}

/// A script; those of Chinese and Japanese are one, because their texts mix them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum LetterClass {
    Han,
    Other(Script),
}

fn class(text: &str) -> Option<LetterClass> {
    detect_script(text).map(|script| match script {
        Script::Mandarin | Script::Hiragana | Script::Katakana => LetterClass::Han,
        other => LetterClass::Other(other),
    })
}

/// The code of a language in the form that sites use: `de`, not `deu`.
fn code(lang: Lang) -> String {
    let long = lang.code();
    Tag::parse(long).map_or_else(
        |bad| {
            bad.hint
                .trim_matches(|c| c != '`')
                .trim_matches('`')
                .to_owned()
        },
        |tag| tag.as_str().to_owned(),
    )
}

/// The languages that are recognized, by the codes that sites use.
static RECOGNIZED: LazyLock<HashMap<String, Lang>> = LazyLock::new(|| {
    Lang::all()
        .iter()
        .map(|lang| (code(*lang), *lang))
        .collect()
});

impl Own {
    fn of(locale: &Locale) -> Own {
        // Names of days are words in its script; those of months are numbers in Chinese.
        let script = class(&locale.weekdays.concat());
        Own {
            lang: RECOGNIZED.get(locale.primary()).copied(),
            script,
        }
    }
}

/// The name of the language, or of the script, that a Markdown text is in, if that is not the language of the locale. `None`
/// also if the text is too short to tell.
pub(super) fn other_language(text: &str, locale: &Locale) -> Option<String> {
    // Most texts are short, and are not parsed.
    if text.len() < JUDGED {
        return None;
    }
    let own = Own::of(locale);
    let paragraphs = paragraphs(text);
    if let Some(run) = paragraphs
        .iter()
        .find_map(|glyphs| run_in_other_script(&plain(glyphs), own.script?))
    {
        let found = Detector::new()
            .detect(&run)
            .filter(whatlang::Info::is_reliable);
        let name = found.and_then(|info| Tag::parse(&code(info.lang())).ok()?.english());
        return Some(name.map_or_else(|| "another script".to_owned(), str::to_owned));
    }
    let whole = paragraphs
        .iter()
        .map(|glyphs| plain(glyphs))
        .collect::<Vec<_>>()
        .join("\n");
    whole.split_whitespace().nth(WORDS)?;
    let lang = own.lang?;
    let found = Detector::new()
        .detect(&whole)
        .filter(whatlang::Info::is_reliable)?
        .lang();
    // Norwegian is written in two ways, of which one is recognized.
    if found == lang || code(found) == "nb" && matches!(locale.primary(), "no" | "nn") {
        return None;
    }
    let pair = Detector::with_allowlist(vec![lang, found]).detect(&whole)?;
    let is_other = pair.lang() == found && pair.is_reliable();
    is_other.then(|| Tag::parse(&code(found)).ok()?.english().map(str::to_owned))?
}

fn plain(glyphs: &[Glyph]) -> String {
    glyphs.iter().map(|glyph| glyph.c).collect()
}

/// The first run of words in another script than the language's; `None` for runs that are short.
fn run_in_other_script(text: &str, own: LetterClass) -> Option<String> {
    let (mut run, mut length) = (Vec::new(), 0);
    for word in text.split_whitespace() {
        let Some(script) = class(word) else { continue };
        if script == own {
            if length >= RUN {
                break;
            }
            (run, length) = (Vec::new(), 0);
            continue;
        }
        run.push(word);
        // Chinese and Japanese have no spaces between words, which have two letters on average.
        length += if script == LetterClass::Han {
            word.chars()
                .filter(|c| c.is_alphabetic())
                .count()
                .div_ceil(2)
        } else {
            1
        };
    }
    (length >= RUN).then(|| run.join(" "))
}

#[cfg(test)]
mod tests {
    use crate::locale::Locale;

    fn other_language(text: &str, language: &str) -> Option<String> {
        super::other_language(text, &Locale::new(language, String::new()))
    }

    const ENGLISH: &str = "The goal was a seat that is confirmed within two seconds on that morning, too. More servers \
        alone would not get us there, because what counts is how seldom a visit to the application has to wait for \
        the database that is behind it, and for all the others who are in the queue.";
    const SPANISH: &str = "Los lectores llegan todos a la vez y de todas partes, así que rehicimos la caché y el flujo \
        editorial para que cada uno reciba su página sin esperar. Una hora tranquila cuesta menos que una hora pico, y \
        eso se nota en la factura del mes, que ahora es más corta y más fácil de leer.";
    const PORTUGUESE: &str = "Os leitores chegam todos de uma vez e de todas as partes, por isso refizemos o cache e o \
        fluxo editorial para que cada um receba a sua página sem esperar. Uma hora tranquila não custa mais do que uma \
        hora de pico, e isso aparece na fatura do mês, que agora é mais curta e muito mais fácil de ler.";
    const GERMAN: &str = "Die Leserinnen und Leser kommen alle zur gleichen Zeit und von überall her, deshalb haben wir \
        den Zwischenspeicher und den Ablauf der Redaktion neu gebaut, damit jede ihre Seite sofort bekommt. Eine ruhige \
        Stunde kostet jetzt weniger als eine volle, und das sieht man auf der Rechnung.";
    const ARABIC: &str = "يصل القراء جميعا في الوقت نفسه ومن كل مكان، لذلك أعدنا بناء الذاكرة المؤقتة وسير عمل التحرير حتى \
        يحصل كل واحد على صفحته دون انتظار.";
    const CHINESE: &str =
        "读者从各地同时到来，因此我们重建了缓存和编辑流程，让每个人都能立即看到页面。";

    #[test]
    fn each_language_is_recognized() {
        let texts = [
            ("en", "English", ENGLISH),
            ("es", "Spanish", SPANISH),
            ("pt", "Portuguese", PORTUGUESE),
            ("de", "German", GERMAN),
            ("ar", "Arabic", ARABIC),
            ("zh", "Chinese", CHINESE),
        ];
        for (tag, name, text) in texts {
            for (own, language) in [
                ("en", "en-US"),
                ("es", "es"),
                ("pt", "pt-BR"),
                ("de", "de"),
                ("ar", "ar"),
                ("zh", "zh-Hans"),
            ] {
                let expect = (own != tag).then_some(name);
                assert_eq!(
                    other_language(text, language).as_deref(),
                    expect,
                    "{name} in {language}"
                );
            }
        }
    }

    #[test]
    fn a_sentence_in_another_script_is_found_in_a_text() {
        let sentence = "This sentence was forgotten when the page was translated last week.";
        assert_eq!(
            other_language(&format!("{ARABIC} {sentence} {ARABIC}"), "ar").as_deref(),
            Some("English")
        );
        assert_eq!(
            other_language(&format!("{CHINESE}{sentence}"), "zh-Hans").as_deref(),
            Some("English")
        );
        // Names and terms are no sentence.
        assert_eq!(
            other_language(
                &format!("{ARABIC} React Native وGoogle Cloud Platform {ARABIC}"),
                "ar"
            ),
            None
        );
        assert_eq!(
            other_language(
                "使用 React 和 PostgreSQL 15 构建的平台，并部署在 Google Cloud 上。",
                "zh-Hans"
            ),
            None
        );
    }

    #[test]
    fn languages_that_are_not_recognized_are_not_judged() {
        assert_eq!(other_language(ENGLISH, "qug"), None);
    }

    #[test]
    fn short_texts_and_code_are_not_judged() {
        assert_eq!(
            other_language(
                "Los lectores llegan todos a la vez y de todas partes.",
                "en"
            ),
            None
        );
        assert_eq!(
            other_language(&format!("Run this:\n\n```text\n{SPANISH}\n```\n"), "en"),
            None
        );
    }

    #[test]
    fn a_quotation_is_not_the_language_of_a_text() {
        assert_eq!(
            other_language(&format!("{ENGLISH} {ENGLISH}\n\n> {SPANISH}\n"), "en"),
            None
        );
    }
}

//! Recognizes a text that is in another language than its file says, by the short words that every sentence needs.
//!
//! Words of a foreign name or a quotation prove nothing, so only long texts count, and only if the other language
//! explains clearly more of their words.

use super::prose::{Glyph, paragraphs};

/// Texts of fewer words are not judged.
const WORDS: usize = 40;

/// The most frequent words of a language. Words that languages share are in both lists.
struct StopWords {
    /// Its BCP 47 tag without script and region.
    tag: &'static str,
    name: &'static str,
    words: &'static [&'static str],
}

#[rustfmt::skip]
const LANGUAGES: &[StopWords] = &[
    StopWords {
        tag: "en",
        name: "English",
        words: &[
            "a", "about", "after", "all", "an", "and", "are", "as", "at", "be", "because", "but", "by", "can", "for",
            "from", "has", "have", "how", "if", "in", "into", "is", "it", "its", "more", "not", "of", "on", "one",
            "or", "our", "so", "than", "that", "the", "their", "them", "then", "there", "they", "this", "to", "us",
            "was", "we", "were", "what", "when", "which", "who", "will", "with", "without", "you", "your",
        ],
    },
    StopWords {
        tag: "es",
        name: "Spanish",
        words: &[
            "a", "al", "como", "con", "cuando", "de", "del", "desde", "donde", "e", "el", "ella", "en", "entre", "es",
            "esta", "este", "esto", "está", "fue", "ha", "hasta", "hay", "la", "las", "le", "lo", "los", "más", "muy",
            "no", "nos", "o", "para", "pero", "por", "porque", "que", "qué", "se", "si", "sin", "sobre", "son", "su",
            "sus", "te", "tu", "un", "una", "uno", "y", "ya",
        ],
    },
    StopWords {
        tag: "pt",
        name: "Portuguese",
        words: &[
            "a", "ao", "aos", "as", "até", "com", "como", "da", "das", "de", "do", "dos", "e", "ela", "ele", "em",
            "entre", "essa", "esse", "esta", "este", "está", "foi", "há", "isso", "já", "mais", "mas", "muito", "na",
            "nas", "no", "nos", "não", "nós", "o", "os", "ou", "para", "pela", "pelo", "por", "porque", "quando",
            "que", "se", "sem", "ser", "seu", "sua", "são", "também", "um", "uma", "você",
        ],
    },
];

/// The name of the language that a Markdown text is in, if that is not `language`, a BCP 47 tag. `None` also if the
/// text is short, or if there is no list of words for `language`.
pub(super) fn other_language(text: &str, language: &str) -> Option<&'static str> {
    let tag = language.split('-').next().unwrap_or(language);
    let own = LANGUAGES.iter().find(|known| known.tag.eq_ignore_ascii_case(tag))?;
    // Most texts are short, and are not parsed.
    text.split_whitespace().nth(WORDS)?;
    let words: Vec<String> = paragraphs(text).iter().flat_map(|glyphs| words(glyphs)).collect();
    if words.len() <= WORDS {
        return None;
    }
    let count = |language: &StopWords| words.iter().filter(|word| language.words.contains(&word.as_str())).count();
    let (other, found) = LANGUAGES
        .iter()
        .filter(|other| other.tag != own.tag)
        .map(|other| (other, count(other)))
        .max_by_key(|(_, count)| *count)?;
    // Every fifth word at least; about half of all words of a text are in the list of its language.
    let is_other = found * 5 >= words.len() && found * 2 > count(own) * 3;
    is_other.then_some(other.name)
}

fn words(glyphs: &[Glyph]) -> Vec<String> {
    let text: String = glyphs.iter().map(|glyph| glyph.c).collect();
    text.split(|c: char| !c.is_alphabetic() && c != '’' && c != '\'')
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::other_language;

    const ENGLISH: &str = "The goal was a seat that is confirmed within two seconds on that morning, too. More servers \
        alone would not get us there, because what counts is how seldom a visit to the application has to wait for \
        the database that is behind it, and for all the others who are in the queue.";
    const SPANISH: &str = "Los lectores llegan todos a la vez y de todas partes, así que rehicimos la caché y el flujo \
        editorial para que cada uno reciba su página sin esperar. Una hora tranquila cuesta menos que una hora pico, y \
        eso se nota en la factura del mes, que ahora es más corta y más fácil de leer.";
    const PORTUGUESE: &str = "Os leitores chegam todos de uma vez e de todas as partes, por isso refizemos o cache e o \
        fluxo editorial para que cada um receba a sua página sem esperar. Uma hora tranquila não custa mais do que uma \
        hora de pico, e isso aparece na fatura do mês, que agora é mais curta e muito mais fácil de ler.";

    #[test]
    fn each_language_is_recognized() {
        for (tag, text) in [("en", ENGLISH), ("es", SPANISH), ("pt", PORTUGUESE)] {
            let found = ["en-US", "es", "pt-BR"].map(|language| other_language(text, language));
            let name = super::LANGUAGES.iter().find(|known| known.tag == tag).map(|known| known.name);
            let expect = ["en", "es", "pt"].map(|own| name.filter(|_| own != tag));
            assert_eq!(found, expect, "{tag}");
        }
    }

    #[test]
    fn other_languages_are_not_judged() {
        assert_eq!(other_language(ENGLISH, "de"), None);
    }

    #[test]
    fn short_texts_and_code_are_not_judged() {
        assert_eq!(other_language("Los lectores llegan todos a la vez y de todas partes.", "en"), None);
        assert_eq!(other_language(&format!("Run this:\n\n```text\n{SPANISH}\n```\n"), "en"), None);
    }

    #[test]
    fn a_quotation_is_not_the_language_of_a_text() {
        assert_eq!(other_language(&format!("{ENGLISH} {ENGLISH}\n\n> {SPANISH}\n"), "en"), None);
    }
}

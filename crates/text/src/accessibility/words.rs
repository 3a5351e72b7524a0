//! Link texts that say nothing by themselves, by language.

/// Language, texts that ask for a click, and texts that only announce more.
type Words = (
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
);

/// In lower case, without signs at the ends.
#[rustfmt::skip]
const WORDS: &[Words] = &[
    ("ar", &["اضغط هنا", "انقر هنا", "إضغط هنا", "هنا"], &["المزيد", "للمزيد", "اقرأ المزيد", "إقرأ المزيد", "لمعرفة المزيد", "هذا الرابط"]),
    ("bg", &["кликнете тук", "натиснете тук", "тук"], &["повече", "прочетете повече", "научете повече"]),
    ("ca", &["feu clic aquí", "fes clic aquí", "clica aquí", "aquí"], &["més", "llegir més", "més informació", "aquest enllaç"]),
    ("cs", &["klikněte zde", "klikněte sem", "zde", "sem"], &["více", "číst více", "číst dál", "tento odkaz"]),
    ("da", &["klik her", "her"], &["mere", "læs mere", "dette link"]),
    ("de", &["hier klicken", "klicken sie hier", "klick hier", "klicke hier", "klicken sie bitte hier", "bitte hier klicken", "hier"], &["mehr", "mehr lesen", "mehr erfahren", "weiterlesen", "weitere informationen", "dieser link"]),
    ("el", &["κάντε κλικ εδώ", "πατήστε εδώ", "εδώ"], &["περισσότερα", "διαβάστε περισσότερα"]),
    ("en", &["click here", "please click here", "click", "click this link", "here", "tap here", "press here"], &["more", "read more", "learn more", "see more", "more info", "more information", "find out more", "this link", "this page"]),
    ("es", &["haz clic aquí", "haga clic aquí", "haz click aquí", "haga click aquí", "clic aquí", "click aquí", "pulsa aquí", "pulse aquí", "pincha aquí", "haz clic aqui", "aquí", "aqui", "acá"], &["más", "leer más", "ver más", "saber más", "lee más", "más información", "este enlace", "esta página"]),
    ("et", &["klõpsa siin", "vajuta siia", "siin", "siia"], &["rohkem", "loe rohkem", "loe edasi"]),
    ("fa", &["اینجا کلیک کنید", "اینجا را کلیک کنید", "اینجا"], &["بیشتر", "بیشتر بخوانید", "ادامه مطلب"]),
    ("fi", &["klikkaa tästä", "klikkaa tähän", "tästä", "täältä", "tässä"], &["lisää", "lue lisää", "tämä linkki"]),
    ("fr", &["cliquez ici", "veuillez cliquer ici", "cliquer ici", "clique ici", "ici"], &["plus", "lire plus", "lire la suite", "voir plus", "en savoir plus", "plus d'informations", "plus d’informations", "ce lien", "cette page"]),
    ("he", &["לחצו כאן", "לחץ כאן", "לחצי כאן", "כאן"], &["עוד", "קרא עוד", "קראו עוד", "למידע נוסף"]),
    ("hi", &["यहाँ क्लिक करें", "यहां क्लिक करें", "यहाँ", "यहां"], &["और पढ़ें", "अधिक पढ़ें", "अधिक जानें"]),
    ("hr", &["kliknite ovdje", "klikni ovdje", "ovdje"], &["više", "pročitaj više", "saznaj više"]),
    ("hu", &["kattintson ide", "kattints ide", "ide kattintva", "itt", "ide"], &["több", "tovább", "bővebben", "olvass tovább"]),
    ("id", &["klik di sini", "klik disini", "di sini", "disini"], &["selengkapnya", "baca selengkapnya", "lebih lanjut"]),
    ("it", &["clicca qui", "cliccare qui", "fai clic qui", "qui", "qua"], &["altro", "leggi di più", "leggi tutto", "scopri di più", "maggiori informazioni", "questo link"]),
    ("ja", &["ここをクリック", "こちらをクリック", "クリック", "ここ", "こちら"], &["続きを読む", "もっと見る", "もっと読む", "詳細", "詳しくはこちら", "詳細はこちら"]),
    ("ko", &["여기를 클릭하세요", "여기를 클릭", "여기 클릭", "여기", "클릭"], &["더 보기", "더보기", "자세히 보기", "자세히"]),
    ("nb", &["klikk her", "trykk her", "her"], &["mer", "les mer", "denne lenken"]),
    ("nl", &["klik hier", "hier"], &["meer", "lees meer", "lees verder", "meer lezen", "verder lezen", "meer informatie", "deze link"]),
    ("no", &["klikk her", "trykk her", "her"], &["mer", "les mer", "denne lenken"]),
    ("pl", &["kliknij tutaj", "kliknij tu", "tutaj", "tu"], &["więcej", "czytaj więcej", "zobacz więcej", "dowiedz się więcej", "ten link"]),
    ("pt", &["clique aqui", "clica aqui", "clicar aqui", "aqui"], &["mais", "leia mais", "ler mais", "saiba mais", "ver mais", "mais informações", "este link"]),
    ("ro", &["click aici", "clic aici", "apasă aici", "aici"], &["mai mult", "mai multe", "citește mai mult", "citește mai departe"]),
    ("ru", &["нажмите здесь", "кликните здесь", "нажмите сюда", "жмите сюда", "здесь", "тут", "сюда"], &["подробнее", "читать далее", "далее", "ещё", "еще", "узнать больше", "по ссылке"]),
    ("sk", &["kliknite sem", "kliknite tu", "tu", "sem"], &["viac", "čítať viac", "zistiť viac"]),
    ("sl", &["kliknite tukaj", "klikni tukaj", "tukaj"], &["več", "preberi več", "preberite več"]),
    ("sv", &["klicka här", "tryck här", "här"], &["mer", "läs mer", "denna länk", "den här länken"]),
    ("th", &["คลิกที่นี่", "คลิก", "ที่นี่"], &["อ่านเพิ่มเติม", "เพิ่มเติม"]),
    ("tr", &["buraya tıklayın", "buraya tıkla", "tıklayın", "buraya", "burada", "buradan"], &["devamı", "devamını oku", "daha fazla", "daha fazla bilgi"]),
    ("uk", &["натисніть тут", "натисніть сюди", "клацніть тут", "тут", "сюди"], &["докладніше", "детальніше", "читати далі", "ще"]),
    ("vi", &["nhấn vào đây", "bấm vào đây", "nhấp vào đây", "tại đây", "ở đây"], &["xem thêm", "đọc thêm"]),
    ("zh", &["点击这里", "请点击这里", "点击此处", "请点击此处", "点这里", "点此", "这里", "此处", "點擊這裡", "點擊此處", "點這裡", "按此", "這裡", "此處"], &["更多", "阅读更多", "了解更多", "查看更多", "閱讀更多", "了解更多資訊", "詳情", "详情"]),
];

/// Words that claim more than a check can prove, in the languages of [`WORDS`] and others: they are whole words.
const CLAIMS: &[&str] = &[
    "compliant",
    "conformant",
    "conforme",
    "conformes",
    "konform",
    "barrierefreiheitskonform",
    "متوافق تماما",
    "完全符合",
    "準拠",
];

/// Tells whether a word stands alone.
fn is_whole(text: &str, word: &str, at: usize) -> bool {
    // Chinese, Japanese and Korean have no blanks between words.
    let has_blanks = word
        .chars()
        .next()
        .is_some_and(|c| !('\u{2e80}'..='\u{d7ff}').contains(&c));
    let around = [
        text[..at].chars().next_back(),
        text[at + word.len()..].chars().next(),
    ];
    !has_blanks || !around.into_iter().flatten().any(char::is_alphanumeric)
}

/// The first word of a text that claims more than a check can prove.
pub(super) fn claim(text: &str) -> Option<&'static str> {
    let text = text.to_lowercase();
    CLAIMS.iter().copied().find(|word| {
        text.match_indices(word)
            .any(|(at, _)| is_whole(&text, word, at))
    })
}

fn of_language(language: &str) -> Option<&'static Words> {
    let primary = language
        .split(['-', '_'])
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    WORDS.iter().find(|(code, ..)| *code == primary)
}

/// Whether a text only asks for a click. `text` is in lower case, without signs at its ends.
pub(super) fn is_click(text: &str, language: &str) -> bool {
    of_language(language).is_some_and(|(_, clicks, _)| clicks.contains(&text))
}

/// Whether a text asks for a click or only announces more.
pub(super) fn is_vague(text: &str, language: &str) -> bool {
    is_click(text, language) || of_language(language).is_some_and(|(.., more)| more.contains(&text))
}

#[cfg(test)]
mod tests {
    use super::super::plain;
    use super::{WORDS, claim};

    #[test]
    fn claims_are_whole_words() {
        assert_eq!(claim("The site is fully Compliant."), Some("compliant"));
        assert_eq!(claim("本网站完全符合标准"), Some("完全符合"));
        assert_eq!(claim("Noncompliantly yours"), None);
    }

    #[test]
    fn the_table_has_texts_as_they_are_compared() {
        assert!(WORDS.is_sorted_by_key(|(language, ..)| *language));
        for text in WORDS
            .iter()
            .flat_map(|(_, clicks, more)| clicks.iter().chain(*more))
        {
            assert_eq!(plain(text), *text);
        }
    }
}

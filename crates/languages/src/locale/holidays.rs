//! The name of public holidays in opening hours, which CLDR does not have.

/// The name beside days of the week, by language.
const WORDS: &[(&str, &str)] = &[
    ("ar", "العطل الرسمية"),
    ("bg", "празнични дни"),
    ("ca", "festius"),
    ("cs", "svátky"),
    ("da", "helligdage"),
    ("de", "Feiertage"),
    ("el", "αργίες"),
    ("en", "public holidays"),
    ("es", "festivos"),
    ("eu", "jaiegunak"),
    ("fa", "تعطیلات رسمی"),
    ("fi", "pyhäpäivät"),
    ("fr", "jours fériés"),
    ("gl", "festivos"),
    ("he", "חגים"),
    ("hr", "blagdani"),
    ("hu", "ünnepnapok"),
    ("it", "festivi"),
    ("ja", "祝日"),
    ("ko", "공휴일"),
    ("nb", "helligdager"),
    ("nl", "feestdagen"),
    ("pl", "święta"),
    ("pt", "feriados"),
    ("ro", "sărbători legale"),
    ("ru", "праздничные дни"),
    ("sk", "sviatky"),
    ("sl", "prazniki"),
    ("sv", "helgdagar"),
    ("tr", "resmî tatiller"),
    ("uk", "святкові дні"),
    ("zh-Hans", "法定节假日"),
    ("zh-Hant", "國定假日"),
];

/// The name in a language, or in the nearest one (`pt` for `pt-BR`), with a capital letter if the days of the week have one. `PH`
/// if none is known: a file in `content/locales/` can have it.
pub(super) fn public_holidays(language: &str, weekdays: &[String]) -> String {
    let mut nearest = std::iter::successors(Some(language), |tag| {
        tag.rsplit_once('-').map(|(rest, _)| rest)
    });
    let known = nearest.find_map(|tag| WORDS.iter().find(|(known, _)| *known == tag));
    let word = match (known, language.split('-').next()) {
        (Some((_, word)), _) => *word,
        // Without a script, Chinese is written in the simplified one.
        (None, Some("zh")) => "法定节假日",
        (None, _) => return "PH".to_owned(),
    };
    let is_capital = weekdays
        .first()
        .is_some_and(|day| day.starts_with(char::is_uppercase));
    let mut letters = word.chars();
    match letters.next().filter(|_| is_capital) {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => word.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_holidays_are_written_as_the_days_are() {
        let word = |language: &str, day: &str| public_holidays(language, &[day.to_owned()]);
        assert_eq!(word("en", "Mon"), "Public holidays");
        assert_eq!(word("es-MX", "lun"), "festivos");
        assert_eq!(word("es", "Lun"), "Festivos");
        assert_eq!(word("de", "Mo"), "Feiertage");
        assert_eq!(word("zh-Hant-TW", "週一"), "國定假日");
        assert_eq!(word("zh", "周一"), "法定节假日");
        assert_eq!(word("xx", "a"), "PH");
    }
}

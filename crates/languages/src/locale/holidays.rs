//! The text of opening hours that CLDR does not have: public holidays, and closed.

/// The name beside days of the week, and the text in place of times, by language.
const WORDS: &[(&str, &str, &str)] = &[
    ("ar", "العطل الرسمية", "مغلق"),
    ("bg", "празнични дни", "затворено"),
    ("ca", "festius", "tancat"),
    ("cs", "svátky", "zavřeno"),
    ("da", "helligdage", "lukket"),
    ("de", "Feiertage", "geschlossen"),
    ("el", "αργίες", "κλειστά"),
    ("en", "public holidays", "closed"),
    ("es", "festivos", "cerrado"),
    ("eu", "jaiegunak", "itxita"),
    ("fa", "تعطیلات رسمی", "تعطیل"),
    ("fi", "pyhäpäivät", "suljettu"),
    ("fr", "jours fériés", "fermé"),
    ("gl", "festivos", "pechado"),
    ("he", "חגים", "סגור"),
    ("hr", "blagdani", "zatvoreno"),
    ("hu", "ünnepnapok", "zárva"),
    ("it", "festivi", "chiuso"),
    ("ja", "祝日", "休業"),
    ("ko", "공휴일", "휴무"),
    ("nb", "helligdager", "stengt"),
    ("nl", "feestdagen", "gesloten"),
    ("pl", "święta", "nieczynne"),
    ("pt", "feriados", "fechado"),
    ("ro", "sărbători legale", "închis"),
    ("ru", "праздничные дни", "закрыто"),
    ("sk", "sviatky", "zatvorené"),
    ("sl", "prazniki", "zaprto"),
    ("sv", "helgdagar", "stängt"),
    ("tr", "resmî tatiller", "kapalı"),
    ("uk", "святкові дні", "зачинено"),
    ("zh-Hans", "法定节假日", "休息"),
    ("zh-Hant", "國定假日", "休息"),
];

/// The name in a language, or in the nearest one (`pt` for `pt-BR`), with a capital letter if the days of the week have one. `PH`
/// if none is known: a file in `content/locales/` can have it.
pub(super) fn public_holidays(language: &str, weekdays: &[String]) -> String {
    let Some((_, word, _)) = words_of(language) else {
        return "PH".to_owned();
    };
    let is_capital = weekdays
        .first()
        .is_some_and(|day| day.starts_with(char::is_uppercase));
    let mut letters = word.chars();
    match letters.next().filter(|_| is_capital) {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => (*word).to_owned(),
    }
}

/// The text in place of times; a dash in a language without one.
pub(super) fn closed(language: &str) -> &'static str {
    words_of(language).map_or("–", |(.., word)| word)
}

fn words_of(language: &str) -> Option<&'static (&'static str, &'static str, &'static str)> {
    let nearest = std::iter::successors(Some(language), |tag| {
        tag.rsplit_once('-').map(|(rest, _)| rest)
    });
    // Without a script, Chinese is written in the simplified one.
    let simplified = (language.split('-').next() == Some("zh")).then_some("zh-Hans");
    nearest
        .chain(simplified)
        .find_map(|tag| WORDS.iter().find(|(known, ..)| *known == tag))
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

//! The order of words in a language, from CLDR: `ñ` after `n` in Spanish, `ä` after `z` in Swedish, Chinese by Pinyin.

use std::sync::Arc;

use icu_collator::options::CollatorOptions;
use icu_collator::{Collator, CollatorBorrowed};
use icu_locale_core::Locale as Tag;

/// Compares texts of a language.
#[derive(Clone, Default)]
pub(super) struct Order(Option<Arc<CollatorBorrowed<'static>>>);

impl Order {
    /// That of the language with this code.
    pub(super) fn of(tag: &str) -> Order {
        let tag = Tag::try_from_str(tag).ok();
        let collator =
            tag.and_then(|tag| Collator::try_new(tag.into(), CollatorOptions::default()).ok());
        Order(collator.map(Arc::new))
    }

    /// Bytes whose order is that of the texts.
    pub(super) fn key(&self, text: &str) -> Vec<u8> {
        let mut key = Vec::with_capacity(text.len() * 2);
        match &self.0 {
            Some(collator) => {
                let Ok(()) = collator.write_sort_key_to(text, &mut key);
            }
            None => key.extend_from_slice(text.as_bytes()),
        }
        key
    }
}

impl std::fmt::Debug for Order {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str("Order")
    }
}

#[cfg(test)]
mod tests {
    use super::Order;

    #[test]
    fn words_are_sorted_as_in_the_dictionaries_of_their_language() {
        let sorted = |tag: &str, words: &[&str]| {
            let order = Order::of(tag);
            let mut words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
            words.sort_by_cached_key(|word| order.key(word));
            words.join(" ")
        };
        assert_eq!(
            sorted("es", &["ola", "ñandú", "nube", "nata"]),
            "nata nube ñandú ola"
        );
        assert_eq!(sorted("sv", &["ö", "z", "ä", "a"]), "a z ä ö");
        assert_eq!(sorted("de", &["z", "Ä", "b", "a"]), "a Ä b z");
        assert_eq!(
            sorted("zh-Hans", &["上海", "北京", "广州"]),
            "北京 广州 上海"
        );
        assert_eq!(sorted("en", &["b", "B", "a", "A"]), "a A b B");
    }
}

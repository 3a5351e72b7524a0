//! Checks the frames of pages and entries: each other site is in `embeds` of `site.yaml`, which the content security policy
//! is made of.

use std::collections::BTreeSet;
use std::sync::Arc;

use config::SiteSettings;
use diagnostics::problem::{Code, Problem, Problems, Source};
use schema::types::Embed;

use super::{Body, Collections, Page};

/// Reports frames of sites that the settings do not name.
pub(super) fn check(
    settings: &SiteSettings,
    pages: &[&[Page]],
    collections: &Collections,
    problems: &mut Problems,
) {
    let known = settings.embed_origins();
    let mut reported: BTreeSet<(String, u32)> = BTreeSet::new();
    let mut check = |embed: &Embed, source: &Arc<Source>| {
        // Words that are missing in a language are those of another one, at the same place.
        if known.contains(&embed.origin)
            || !reported.insert((source.path.clone(), embed.span.start))
        {
            return;
        }
        let message = format!("pages from `{}` are not allowed in frames", embed.origin);
        let problem = Problem::error(Code::UnknownId, message).at(source.place(embed.span));
        let hint = format!(
            "add `embeds: [{{name: map, frame: {}}}]` to `content/site.yaml`",
            embed.origin
        );
        problems.push(problem.hint(hint));
    };
    for page in pages
        .iter()
        .copied()
        .flatten()
        .filter(|page| page.body == Body::Sections)
    {
        for section in page.own_sections() {
            section
                .fields
                .embeds(&mut |embed| check(embed, &page.source));
        }
    }
    for (fields, source) in collections.texts() {
        fields.embeds(&mut |embed| check(embed, source));
    }
}

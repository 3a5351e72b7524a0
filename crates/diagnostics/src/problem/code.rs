//! The closed list of problem codes, each with the text that `sitegen explain CODE` prints.

macro_rules! codes {
    ($($variant:ident $name:literal $explanation:literal)*) => {
        /// What is wrong, as a stable name that scripts and searches can rely on.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        pub enum Code {
            $(#[doc = $explanation] $variant,)*
        }

        impl Code {
            /// Every code, in the order of `sitegen explain`.
            pub const ALL: &[Code] = &[$(Code::$variant,)*];

            /// The stable name, e.g. `unknown-key`.
            pub fn name(self) -> &'static str {
                match self { $(Code::$variant => $name,)* }
            }

            /// What the code means and how to mend it, a paragraph for an editor.
            pub fn explanation(self) -> &'static str {
                match self { $(Code::$variant => $explanation,)* }
            }
        }
    };
}

codes! {
    YamlSyntax "yaml-syntax"
        "The file is not valid YAML at this place, so nothing in it could be read. Most often a value needs quotes (it holds `: `, ` #` or begins with `{`, `[`, `*`, `&`, `@` or `%`), or a line is not indented like its neighbours."
    TabIndent "tab-indent"
        "YAML is indented with spaces only; a tab at the beginning of a line is refused by every YAML parser. Replace it with two spaces for each level."
    UnclosedQuote "unclosed-quote"
        "A text begins with a quote that is never closed, so the rest of the file was taken for text. Close it, or write an apostrophe inside a single-quoted text twice ('it''s')."
    DuplicateKey "duplicate-key"
        "The same key stands twice in one block, and only one of the two values could count. Remove one."
    UnknownKey "unknown-key"
        "This key has no meaning here. It is refused rather than ignored, because an ignored key is usually a misspelt one."
    MissingKey "missing-key"
        "A key that this block needs is not there."
    WrongType "wrong-type"
        "The value is of another kind than the key takes: text instead of a number, a list instead of one value, and so on."
    InvalidValue "invalid-value"
        "The value has the right kind but is not one that this key accepts, such as a date that does not exist or a path without a leading slash."
    UnknownSection "unknown-section"
        "A page is a list of sections, and each section's `kind` names a folder below `templates/sections/`. This kind does not exist."
    UnknownId "unknown-id"
        "A case study names a service, a technology or a sector that `content/case-studies.yaml` does not list. Correct the id, or add an entry with that id there."
    DuplicateId "duplicate-id"
        "Two case studies have one slug, or two entries of the catalogue one id, so that one of the two could never be reached. Give one of them another name."
    NotUtf8 "not-utf8"
        "The file holds bytes that are not UTF-8. Save it as UTF-8; most editors call this the encoding."
    ControlCharacter "control-character"
        "The text holds a character that is no letter, no sign and no line break, such as NUL: browsers and XML refuse it, and nobody can see it. Delete it; most editors can show invisible characters."
    DirectionOverride "direction-override"
        "The title holds a character that turns the direction of the text around, so that it reads differently from how it is written. Delete it, unless the title really mixes two scripts."
    ChangedWhileBuilding "changed-while-building"
        "The file was saved while a build was reading it, so some pages would have shown its old text and others its new one. Nothing was published. Build again; `sitegen serve` does so by itself."
    EmptyFile "empty-file"
        "The file has no content. Write the page, or delete the file."
    TooLarge "too-large"
        "The file is larger than any sensible content file. It was not read, to keep memory for the others."
    AliasBomb "alias-bomb"
        "The file uses YAML anchors and aliases that expand to more than the limit. Write the values out."
    Unreadable "unreadable"
        "The file or folder could not be read. Look at its permissions and at links that lead to nothing or in a circle."
    UnknownPlaceholder "unknown-placeholder"
        "Content may write placeholders such as `{product.name}`. The name after `product.` or `company.` is not one that `content/site.yaml` sets."
    UnexpectedFile "unexpected-file"
        "A file below `content/` that no rule reads: its name or its place is wrong, so that its text would silently be missing from the site."
    LocaleMissing "locale-missing"
        "`content/site.yaml` lists a locale whose messages file `content/locales/<locale>.yaml` is not there."
    MessageMissing "message-missing"
        "An interface word exists in the default locale but not in this one. Every locale needs every word."
    MessageExtra "message-extra"
        "An interface word exists in this locale but not in the default one, so nothing uses it. Remove it, or correct its name."
    MessagePlaceholder "message-placeholder"
        "The placeholders in this message differ from those of the default locale, so a value would be lost or printed raw."
    TranslationMissing "translation-missing"
        "A text that is written once per locale has no value for this locale."
    PathTaken "path-taken"
        "Two sources claim one address. Each address belongs to one page, copy, redirect or static file."
    BadPath "bad-path"
        "An address is written with a leading and a closing slash, in lower case, without spaces, query or fragment, and begins with its locale's prefix (`/es/…`)."
    DeadLink "dead-link"
        "A link leads to an address that this site does not have. Use `page:<key>` to link to a page by its key; it follows the page when its address changes."
    DeadAnchor "dead-anchor"
        "The page exists, but nothing on it has this anchor. Anchors are the `id` of a section, headings in Markdown, and the page's own `anchors` list."
    BadLink "bad-link"
        "The target of a link could not be understood, or uses a scheme that is not allowed (`javascript:`, `data:`)."
    MissingImage "missing-image"
        "The image is not below `content/images/`. Names are case-sensitive."
    MissingAlt "missing-alt"
        "Every image says what it shows in `alt`, in the page's language, or says `decorative: true` when it adds nothing to the text."
    BadImage "bad-image"
        "The image file could not be used: it is damaged, of an unknown type, or an SVG that holds a script, an event handler, an id or an outside reference."
    HeadingCount "heading-count"
        "Each page has exactly one main heading, which its `hero` section gives."
    Duplicate "duplicate-metadata"
        "Two pages of one language share a title or a description, so that search engines and readers cannot tell them apart."
    TemplateSyntax "template-syntax"
        "The template is not valid: a block is not closed, or an expression cannot be read."
    TemplateError "template-error"
        "The template failed while a page was rendered. A name that is undefined is an error here, so that a typing mistake never becomes an empty space."
    TemplateMissing "template-missing"
        "A section kind needs `templates/sections/<kind>/<kind>.html`; the site needs `templates/layouts/` and `templates/pages/page.html`."
    ExamplesMissing "examples-missing"
        "The style guide shows every section kind and every component that has a template, from the `examples.yaml` beside it. This one has none."
    UnknownMessage "unknown-message"
        "A template asks for an interface word that the locale file does not have."
    UnknownIcon "unknown-icon"
        "The icon is not part of the icon set (`@phosphor-icons/core`)."
    UnknownToken "unknown-token"
        "A style sheet uses a custom property that neither `content/design.yaml` nor any style sheet defines."
    UnusedToken "unused-token"
        "`content/design.yaml` defines a token that no style sheet, no drawing, no pair of colours and no swatch of the style guide uses. Remove it, or use it."
    TokenDrift "token-drift"
        "The style guide writes a value that is not its token's, so that readers would copy what the site does not use."
    LowContrast "low-contrast"
        "A declared pair of text and background colours is below the 4.5:1 that WCAG 2 asks for body text."
    Bundle "bundle"
        "esbuild could not bundle a style sheet or script. The message is its own."
    BundlerMissing "bundler-missing"
        "esbuild or the icon set is not installed, or does not run. Run `npm ci` in the site's folder."
    NodeMissing "node-missing"
        "Islands are prerendered by React, which needs Node.js 20 or newer. It is not installed, too old, or does not run. `SITEGEN_NODE` may name its executable."
    UnknownIsland "unknown-island"
        "A template asks for an island that does not exist. An island is a line in `crates/api-types/src/islands.rs`, a line in `react/islands.ts` and a component `react/islands/<name>/<name>.tsx`."
    IslandProps "island-props"
        "A template gives an island something that its struct in `crates/api-types/src/islands/props.rs` does not take: an unknown name, a missing one, or a value of another type."
    IslandFailed "island-failed"
        "An island could not be prerendered: its component threw, or Node.js ended. The page, the template's line and the component's place are named."
    Budget "over-budget"
        "The page is heavier than the `budgets` of `content/site.yaml` allow: HTML as it is, style sheets and scripts as a host sends them (brotli)."
    OutInside "out-inside-sources"
        "`--out` may not be the site's own folder, nor lie inside its sources, nor contain them: publishing replaces the whole folder."
    OutFailed "out-failed"
        "The output folder could not be written. The previous output is left as it was."
    ForeignFile "foreign-file"
        "The output folder holds a file that sitegen did not write. It is kept, and named here, so that nothing of yours is lost and nothing unexpected is published."
    SiteMissing "site-missing"
        "The folder has no `content/site.yaml`, so it is not a site. Name the site's folder with `--root`."
    BadSetting "bad-setting"
        "`--set KEY=VALUE` names a setting of `content/site.yaml` by its path, with dots between the levels."
    LeadsUnavailable "leads-unavailable"
        "The place where leads are kept could not be read or written: the disk is full, the file is damaged or may not be written, another program keeps it locked, or the table does not answer."
    ListenFailed "listen-failed"
        "The address could not be listened on: it is not one of this machine's, or needs more rights (ports below 1024)."
    Internal "internal"
        "A mistake of sitegen itself, not of the site. Please report it with the text that the terminal shows."
    StdoutFailed "stdout-failed"
        "The result could not be written to standard output."
    PortBusy "port-busy"
        "Another program listens on the port. Choose a free one with `--port`."
    BlogUnreachable "blog-unreachable"
        "The CMS that the posts come from could not be asked, or its answer was not whole, and there is no snapshot of it that could stand in. Nothing is published: half a list would unpublish posts."
    BlogSnapshot "blog-snapshot"
        "The CMS did not answer, and the posts are those of the snapshot that the last good build kept; or there is no snapshot that could be used. `blog.max_age` in `content/site.yaml` says how old it may be."
    BlogShrunk "blog-shrunk"
        "The CMS answered far fewer posts than before. That is more often a broken answer than a wish, so nothing is published. If the posts were really removed, build once with `--refresh`."
    BlogChanged "blog-changed"
        "With `--frozen` the CMS must say exactly what the snapshot says, and it does not."
    BlogPost "blog-post"
        "A post or a picture of the CMS has a fault. It is shown with a fallback, or left out, and all others are published. Mend it in the CMS."
    HostLimit "host-limit"
        "A host reads only so many rules, or only such short ones, and would pass over the rest. Name the `host` in `content/site.yaml` if the site is published on another one."
    BadDrawing "bad-drawing"
        "A template below `templates/drawings/` did not give an SVG that can be drawn, or the `icon` of `content/site.yaml` is not one."
    IncompleteData "incomplete-data"
        "A page says by its `schema` what it is about, and search engines then ask for facts that `content/site.yaml` does not give, such as the company's legal name or logo."
    BrokenOutput "broken-output"
        "A finished page names an address that the build does not make. Links in content are checked where they are written, so this one is usually written by a template."
    OrphanPage "orphan-page"
        "No way of links leads from a home page to this page, so that visitors and search engines do not find it. Link to it, or write `unlinked: true` in the page when that is meant."
    UrlGone "url-gone"
        "`content/urls.lock` lists every public address. One of them answers nothing any more, so that bookmarks and search results lead to the error page. Redirect it, or accept the loss with `sitegen check --accept-urls`."
    UrlNew "url-new"
        "The site has public addresses that `content/urls.lock` does not list. `sitegen check --accept-urls` adds them; from then on they are kept."
    ExternalLink "external-link"
        "A link out of the site did not answer when `sitegen check --external` asked. It may be gone, or the other site may be down for a moment."
    CacheDiffers "cache-differs"
        "`build --verify-cache` found a file that a build without caches writes differently. Something in `.sitegen/` or in the output folder is not what sitegen put there: delete both and build again. If it comes back, please report it."
    RedirectConflict "redirect-conflict"
        "A redirect leads away from a page that exists, to nothing, in a circle, or to another redirect."
}

#[cfg(test)]
mod tests {
    use super::Code;

    #[test]
    fn names_are_unique_and_kebab_case() {
        let mut names: Vec<_> = Code::ALL.iter().map(|code| code.name()).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(
            names.iter().all(|name| name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-'))
        );
    }
}

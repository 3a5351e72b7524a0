//! The closed list of problem codes, each with the explanation that `sitegen explain CODE` prints.

macro_rules! codes {
    ($($variant:ident $name:literal $explanation:literal)*) => {
        /// The kind of a problem. Its name is stable, so that scripts can rely on it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        pub enum Code {
            $(#[doc = $explanation] $variant,)*
        }

        impl Code {
            /// All codes, in the order of `sitegen explain`.
            pub const ALL: &[Code] = &[$(Code::$variant,)*];

            /// The stable name: `unknown-key`.
            pub fn name(self) -> &'static str {
                match self { $(Code::$variant => $name,)* }
            }

            /// What the code means and how to fix it: one paragraph.
            pub fn explanation(self) -> &'static str {
                match self { $(Code::$variant => $explanation,)* }
            }
        }
    };
}

codes! {
    YamlSyntax "yaml-syntax"
        "The file is not valid YAML at this place, so the file could not be parsed. Most often a value needs quotes (it contains `: ` or ` #`, or begins with `{`, `[`, `*`, `&`, `@` or `%`), or a line is not indented like its neighbors."
    TabIndent "tab-indent"
        "YAML is indented with spaces only; a tab at the beginning of a line is an error in every YAML parser. Replace it with two spaces for each level."
    UnclosedQuote "unclosed-quote"
        "A text begins with a quote that is never closed, so the rest of the file was parsed as text. Close it, or write an apostrophe inside a single-quoted text twice ('it''s')."
    DuplicateKey "duplicate-key"
        "The same key appears twice in one block, and only one of the two values could be used. Remove one."
    UnknownKey "unknown-key"
        "This key is not supported here. It is an error rather than ignored, because unknown keys are usually misspelled."
    MissingKey "missing-key"
        "A required key is missing from this block."
    WrongType "wrong-type"
        "The value has another type than the key requires: text instead of a number, a list instead of one value, and so on."
    InvalidValue "invalid-value"
        "The value has the right type but is not one that this key accepts, such as a date that does not exist or a path without a leading slash."
    UnknownSection "unknown-section"
        "A page is a list of sections, and each section's `kind` names a folder below `templates/sections/`. This kind does not exist."
    SectionSchema "section-schema"
        "A site adds a kind of section with a folder of `templates/sections/` whose `schema.yaml` declares its fields. The file is missing, declares something that is not possible, or the folder has the name of a kind of the theme. `sitegen new section NAME` writes an example."
    WordsMismatch "words-mismatch"
        "The words of a language do not fit the structure in `page.yaml`: they name a section or an item that it does not have, another number of items, or a section that `sections` leaves out. Correct the name, or change `page.yaml`."
    UnknownId "unknown-id"
        "A case study names a service, a technology or a sector that `content/case-studies.yaml` does not list, a client that is not in `content/clients.yaml`, or a page is `like` one that does not exist. Correct the id, or add an entry with that id there."
    DuplicateId "duplicate-id"
        "Two case studies have one slug, or two entries of the catalog one id, so that one of the two could never be reached. Give one of them another name."
    NotUtf8 "not-utf8"
        "The file contains bytes that are not UTF-8. Save it as UTF-8; most editors call this the encoding."
    ControlCharacter "control-character"
        "The text contains a control character, such as NUL. It is invisible, and browsers and XML parsers reject it. Delete it; most editors can show invisible characters."
    DirectionOverride "direction-override"
        "The title contains a character that overrides the direction of the text, so that it is displayed in another order than it is written. Delete it, unless the title really mixes two scripts."
    ChangedWhileBuilding "changed-while-building"
        "The file was saved while a build was reading it, so pages could have shown both its old and its new text. Nothing was published. Build again; `sitegen serve` does so automatically."
    EmptyFile "empty-file"
        "The file has no content. Write the page, or delete the file."
    TooLarge "too-large"
        "The file is larger than the limit for content files. It was not read, to save memory."
    AliasBomb "alias-bomb"
        "The file uses YAML anchors and aliases that expand to more than the limit. Write the values out."
    Unreadable "unreadable"
        "The file or folder could not be read. Check its permissions, and look for broken or circular symbolic links."
    UnknownPlaceholder "unknown-placeholder"
        "Content may use placeholders such as `{product.name}`. The name after `product.` or `company.` is not one that `content/site.yaml` sets."
    UnexpectedFile "unexpected-file"
        "A file below `content/` is not used: its name or its folder is wrong, so its text would silently be missing from the site."
    LocaleMissing "locale-missing"
        "`content/site.yaml` lists a locale whose messages file `content/locales/<locale>.yaml` does not exist."
    MessageMissing "message-missing"
        "An interface message exists in the default locale but not in this one. Every locale needs every message."
    MessageExtra "message-extra"
        "An interface message exists in this locale but not in the default one, so nothing uses it. Remove it, or correct its name."
    MessagePlaceholder "message-placeholder"
        "The placeholders in this message differ from those of the default locale, so a value would be missing, or a placeholder would be shown."
    TranslationMissing "translation-missing"
        "A text that is written once per locale has no value for this locale."
    PathTaken "path-taken"
        "Two sources claim one address. Each address belongs to one page, copy, redirect or static file."
    BadPath "bad-path"
        "An address must begin and end with a slash, be in lower case, have no spaces, query or fragment, and begin with its locale's prefix (`/es/…`)."
    DeadLink "dead-link"
        "A link leads to an address that this site does not have. Use `page:<key>` to link to a page by its key; it follows the page when its address changes."
    DeadAnchor "dead-anchor"
        "The page exists, but nothing on it has this anchor. Anchors are the `id` of a section, headings in Markdown, and the page's own `anchors` list."
    BadLink "bad-link"
        "The target of a link is invalid, or uses a scheme that is not allowed (`javascript:`, `data:`)."
    MissingImage "missing-image"
        "The image is not below `content/images/`. Names are case-sensitive."
    MissingAlt "missing-alt"
        "Every image needs an `alt` text in the page's language, or `decorative: true` if it adds nothing to the text."
    BadImage "bad-image"
        "The image file could not be used: it is damaged, has an unknown type, or is an SVG with a script, an event handler, an id or an external reference."
    HeadingCount "heading-count"
        "Each page must have exactly one main heading, which its `hero` section provides."
    Duplicate "duplicate-metadata"
        "Two pages of one language share a title or a description, so that search engines and readers cannot tell them apart."
    TemplateSyntax "template-syntax"
        "The template is invalid: a block is not closed, or an expression cannot be parsed."
    TemplateError "template-error"
        "The template failed while a page was rendered. An undefined name is an error, so that a typo does not silently render as nothing."
    TemplateMissing "template-missing"
        "A section kind needs `templates/sections/<kind>/<kind>.html`; the site needs `templates/layouts/` and `templates/pages/page.html`."
    ExamplesMissing "examples-missing"
        "The style guide shows every section kind and every component that has a template, from the `examples.yaml` beside it. This one has none."
    UnknownMessage "unknown-message"
        "A template uses an interface message that the locale file does not have."
    UnusedMessage "unused-message"
        "A locale file has an interface word that no template, no island and no part of sitegen reads. Delete it from every locale, or use it."
    Typography "typography"
        "A text breaks the rules that `typography` sets in the file of its locale, in `content/locales/`: a straight quote, a hyphen in place of a dash, a number and its unit that a line break may separate. `sitegen fmt` corrects all of content."
    StaleTranslation "stale-translation"
        "The counterpart of a page, post or word file in another language has changed since both were last said to agree, so this one may be out of date. `sitegen translations` shows what has changed. Update the text, and run `sitegen translations --accept KEY`. `translations: {stale: ignore}` in `content/site.yaml` turns the warning off."
    TranslationsLock "translations-lock"
        "`content/translations.lock` has an entry that cannot be read, such as one that a merge left behind. Remove it, compare the two files, and run `sitegen translations --accept KEY`."
    WrongLanguage "wrong-language"
        "A text of more than forty words is probably in another language than that of its file, folder or key: an English text in `es.yaml`. Recognized are English, Spanish and Portuguese, by their most frequent words."
    UnknownIcon "unknown-icon"
        "The icon is not part of the icon set (`@phosphor-icons/core`)."
    UnknownToken "unknown-token"
        "A style sheet uses a custom property that neither `content/design.yaml` nor any style sheet defines."
    UnusedToken "unused-token"
        "`content/design.yaml` defines a token that no style sheet, drawing, color pair or swatch of the style guide uses. Remove it, or use it."
    LowContrast "low-contrast"
        "The contrast of a declared pair of text and background colors is below 4.5:1, which WCAG 2 requires for body text."
    Bundle "bundle"
        "esbuild could not bundle a style sheet or script. The message is esbuild's."
    BundlerMissing "bundler-missing"
        "esbuild or the icon set is not installed, or does not run. Run `npm install` in the site's folder."
    NodeMissing "node-missing"
        "Islands are prerendered by React, which needs Node.js 20 or newer. It is not installed, too old, or does not run. `SITEGEN_NODE` may name its executable."
    ImportFailed "import-failed"
        "An export file or a WordPress could not be read, or something of it could not be taken over. A file that is damaged, and a server that answers with errors, import nothing."
    ImportConflict "import-conflict"
        "An import has a newer version of a file that somebody has edited since, or of a file that was there before. The file stays as it is; the new version lies in `.sitegen/import/`. Compare the two, take over what you want, and run the import again."
    ImportDiffers "import-differs"
        "After an import, the site was built from its own files and from WordPress, and a post differs in a way for which the import gives no reason. The report shows both versions. Correct the file, or report a mistake of the import."
    NewRefused "new-refused"
        "`sitegen new` creates files and never replaces one. The folder is not empty, a file of that name exists, or a name or language cannot be used."
    DiffInput "diff-input"
        "`sitegen diff` compares two outputs. What was named is no folder that `sitegen build` wrote, only half of one, or no commit of the repository."
    ThemeFile "theme-file"
        "`sitegen theme` copies and compares files of the theme, and this is not one of them, or copying it would replace a file of the site. `sitegen theme list` lists all."
    ThemeVersion "theme-version"
        "`theme` in `content/site.yaml` is the version of the program's theme that the site was made for. A program with an older theme may lack templates or fields that the site uses, so it refuses to build it. Update sitegen."
    ThemeChanged "theme-changed"
        "The site has its own copy of this file of the theme, and the theme has changed the file since. The copy still wins, so the site lacks the change. `sitegen theme diff` shows how the two differ. After taking over what you want, `sitegen theme copy --keep` notes that the copy is up to date."
    UnknownIsland "unknown-island"
        "A template uses an island that does not exist. An island is a line in `crates/api-types/src/islands.rs`, a line in `react/islands.ts` and a component `react/islands/<name>/<name>.tsx`."
    IslandProps "island-props"
        "A template passes props that do not match the island's struct in `crates/api-types/src/islands/props.rs`: an unknown name, a missing one, or a value of another type."
    IslandFailed "island-failed"
        "An island could not be prerendered: its component threw, or Node.js ended. The page, the template's line and the component's place are named."
    Budget "over-budget"
        "The page is larger than the `budgets` in `content/site.yaml` allow. HTML is measured uncompressed, style sheets and scripts with brotli."
    OutInside "out-inside-sources"
        "`--out` must not be the site's folder, be inside its sources, or contain them: publishing replaces the whole folder."
    OutFailed "out-failed"
        "The output folder could not be written. The previous output is unchanged."
    ForeignFile "foreign-file"
        "The output folder contains a file that sitegen did not create. sitegen never deletes such files; it lists them, so that nothing is published by accident."
    SiteMissing "site-missing"
        "The folder has no `content/site.yaml`, so it is not a site. Set the site's folder with `--root`."
    BadSetting "bad-setting"
        "The key of `--set KEY=VALUE` must be the path of a setting in `content/site.yaml`, with dots between the levels."
    LeadsUnavailable "leads-unavailable"
        "The lead store could not be read or written: the disk is full, the file is damaged, read-only or locked by another program, or the table is unreachable."
    ListenFailed "listen-failed"
        "The server could not listen on the address: it does not belong to this machine, or the port needs more privileges (below 1024)."
    Internal "internal"
        "A bug in sitegen, not a mistake in the site. Please report it with the output in the terminal."
    StdoutFailed "stdout-failed"
        "The result could not be written to standard output."
    PortBusy "port-busy"
        "Another program is listening on the port. Choose a free port with `--port`."
    BlogUnreachable "blog-unreachable"
        "The CMS could not be reached, or its response was incomplete, and there is no usable snapshot. Nothing is published, because an incomplete list would remove posts."
    BlogSnapshot "blog-snapshot"
        "The CMS could not be reached, so the posts come from the snapshot of the last successful build, or no usable snapshot exists. `blog.max_age` in `content/site.yaml` limits its age."
    BlogShrunk "blog-shrunk"
        "The CMS returned far fewer posts than before. This is usually a faulty response, so nothing is published. If the posts were really removed, build once with `--refresh`."
    BlogChanged "blog-changed"
        "With `--frozen`, the content of the CMS must equal the snapshot, and it does not."
    BlogPost "blog-post"
        "A post or a picture of the CMS is invalid. It is published with a fallback, or skipped; all others are published. Fix it in the CMS."
    HostLimit "host-limit"
        "The rules exceed a host's limit on their number or length, so the host would ignore the rest. Set `host` in `content/site.yaml` if the site is published on another host."
    BadDrawing "bad-drawing"
        "A template below `templates/drawings/` did not produce a valid SVG, or the `icon` in `content/site.yaml` is not a valid SVG."
    IncompleteData "incomplete-data"
        "Search engines require data for the page's `schema` that `content/site.yaml` does not provide, such as the company's legal name or logo."
    BrokenOutput "broken-output"
        "A rendered page references an address that the build does not produce. Links in content are checked separately, so this one usually comes from a template."
    OrphanPage "orphan-page"
        "The page cannot be reached by links from a home page, so visitors and search engines do not find it. Link to it, or write `unlinked: true` in the page if this is intended."
    UrlGone "url-gone"
        "`content/urls.lock` lists every public address. One of them no longer exists, so bookmarks and search results lead to the error page. Redirect it, or accept the loss with `sitegen check --accept-urls`."
    UrlNew "url-new"
        "The site has public addresses that `content/urls.lock` does not list. `sitegen check --accept-urls` adds them; from then on, removing them is an error."
    ExternalLink "external-link"
        "`sitegen check --external` could not reach the target of an external link. The page may be gone, or the other site may be temporarily down."
    CacheDiffers "cache-differs"
        "`build --verify-cache` found a file that a build without caches writes differently. A file in `.sitegen/` or in the output folder was probably modified: delete both folders and build again. If the problem persists, please report it."
    CacheUnavailable "cache-unavailable"
        "The cache folder could not be written, or the shared cache of `--cache` failed three times in a row. The build went on without it: the result is the same and took longer. `--strict` does not turn this warning into an error."
    RedirectConflict "redirect-conflict"
        "A redirect has the address of an existing page, a target that does not exist, or a target that is another redirect."
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

//! The closed list of problem codes. `docs/problem-codes.md` has the paragraph that `sitegen explain CODE` prints for each.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The explanations, by the names of codes.
static EXPLANATIONS: LazyLock<BTreeMap<&str, String>> = LazyLock::new(|| {
    let page = include_str!("../../../../docs/problem-codes.md");
    let sections = page.split("\n## ").skip(1);
    sections
        .filter_map(|section| section.split_once('\n'))
        .map(|(name, text)| (name, text.trim().replace('\n', " ")))
        .collect()
});

macro_rules! codes {
    ($($variant:ident $name:literal)*) => {
        /// The kind of a problem. Its name is stable, so that scripts can rely on it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize)]
        #[expect(missing_docs, reason = "each is explained in `docs/problem-codes.md`")]
        pub enum Code {
            $($variant,)*
        }

        impl Code {
            /// All codes, in the order of `sitegen explain`.
            pub const ALL: &[Code] = &[$(Code::$variant,)*];

            /// The stable name: `unknown-key`.
            pub fn name(self) -> &'static str {
                match self { $(Code::$variant => $name,)* }
            }

            /// Whether the code is advice about words that an author chose: nothing is broken.
            pub fn is_about_words(self) -> bool {
                use Code::{LinkWithoutText, SameLinkText, SkippedHeading, TableWithoutHeaders, VagueLink};
                matches!(self, LinkWithoutText | SameLinkText | SkippedHeading | TableWithoutHeaders | VagueLink)
            }

            /// The meaning of the code and how to fix it: one paragraph.
            pub fn explanation(self) -> &'static str {
                EXPLANATIONS.get(self.name()).map_or("", String::as_str)
            }
        }
    };
}

codes! {
    YamlSyntax "yaml-syntax"
    TabIndent "tab-indent"
    UnclosedQuote "unclosed-quote"
    DuplicateKey "duplicate-key"
    UnknownKey "unknown-key"
    MissingKey "missing-key"
    WrongType "wrong-type"
    InvalidValue "invalid-value"
    UnknownSection "unknown-section"
    SectionSchema "section-schema"
    CollectionSchema "collection-schema"
    FormDeclaration "form-declaration"
    WordsMismatch "words-mismatch"
    UnknownId "unknown-id"
    DuplicateId "duplicate-id"
    NotUtf8 "not-utf8"
    ControlCharacter "control-character"
    DirectionOverride "direction-override"
    ChangedWhileBuilding "changed-while-building"
    EmptyFile "empty-file"
    TooLarge "too-large"
    AliasBomb "alias-bomb"
    Unreadable "unreadable"
    LinkOutside "link-outside"
    UnknownPlaceholder "unknown-placeholder"
    UnexpectedFile "unexpected-file"
    LocaleMissing "locale-missing"
    MessageMissing "message-missing"
    MessageExtra "message-extra"
    MessagePlaceholder "message-placeholder"
    TranslationMissing "translation-missing"
    PathTaken "path-taken"
    BadPath "bad-path"
    DeadLink "dead-link"
    DeadAnchor "dead-anchor"
    BadLink "bad-link"
    RemovedHtml "removed-html"
    ForeignMarkup "foreign-markup"
    UnpairedMarkup "unpaired-markup"
    MissingImage "missing-image"
    MissingAlt "missing-alt"
    BadImage "bad-image"
    HeadingCount "heading-count"
    Duplicate "duplicate-metadata"
    TemplateSyntax "template-syntax"
    TemplateError "template-error"
    TemplateMissing "template-missing"
    BlockedByPolicy "blocked-by-policy"
    UnclosedTag "unclosed-tag"
    ExamplesMissing "examples-missing"
    UnknownMessage "unknown-message"
    UnusedMessage "unused-message"
    Typography "typography"
    StaleTranslation "stale-translation"
    TranslationsLock "translations-lock"
    WrongLanguage "wrong-language"
    SampleText "sample-text"
    Untranslated "untranslated"
    MachineDraft "machine-draft"
    ExchangeFile "exchange-file"
    TranslationMemory "translation-memory"
    TermMissing "term-missing"
    TermForbidden "term-forbidden"
    UnknownIcon "unknown-icon"
    UnknownToken "unknown-token"
    UnusedToken "unused-token"
    LowContrast "low-contrast"
    Bundle "bundle"
    BundlerMissing "bundler-missing"
    FormsMissing "forms-missing"
    NodeMissing "node-missing"
    ImportFailed "import-failed"
    ImportConflict "import-conflict"
    ImportDiffers "import-differs"
    NewRefused "new-refused"
    DiffInput "diff-input"
    ThemeFile "theme-file"
    ThemeVersion "theme-version"
    ThemeChanged "theme-changed"
    ConflictMarker "conflict-marker"
    UnknownIsland "unknown-island"
    IslandProps "island-props"
    IslandFailed "island-failed"
    Budget "over-budget"
    SaveConflict "save-conflict"
    SaveRefused "save-refused"
    OutInside "out-inside-sources"
    OutFailed "out-failed"
    ForeignFile "foreign-file"
    SiteMissing "site-missing"
    BadSetting "bad-setting"
    LeadsUnavailable "leads-unavailable"
    LeadsRemain "leads-remain"
    ListenFailed "listen-failed"
    Internal "internal"
    StdoutFailed "stdout-failed"
    PortBusy "port-busy"
    BlogUnreachable "blog-unreachable"
    BlogSnapshot "blog-snapshot"
    BlogShrunk "blog-shrunk"
    BlogChanged "blog-changed"
    BlogPost "blog-post"
    EntriesSource "entries-source"
    HostLimit "host-limit"
    CardLetters "card-letters"
    FontLetters "font-letters"
    BadDrawing "bad-drawing"
    IncompleteData "incomplete-data"
    GeneratedReplaced "generated-replaced"
    BrokenOutput "broken-output"
    UnlistedPosts "unlisted-posts"
    OrphanPage "orphan-page"
    UrlGone "url-gone"
    UrlNew "url-new"
    ChangedLock "changed-lock"
    ExternalLink "external-link"
    VisitsLog "visits-log"
    IndexNow "indexnow"
    VagueLink "vague-link"
    SameLinkText "same-link-text"
    LinkWithoutText "link-without-text"
    SkippedHeading "skipped-heading"
    TableWithoutHeaders "table-without-headers"
    AccessibilityClaim "accessibility-claim"
    CacheDiffers "cache-differs"
    CacheUnavailable "cache-unavailable"
    RedirectConflict "redirect-conflict"
}

#[cfg(test)]
mod tests {
    use super::{Code, EXPLANATIONS};

    #[test]
    fn each_code_is_explained_and_no_other() {
        assert!(Code::ALL.iter().all(|code| code.explanation().len() > 40));
        assert_eq!(EXPLANATIONS.len(), Code::ALL.len());
    }

    #[test]
    fn names_are_unique_and_kebab_case() {
        let mut names: Vec<_> = Code::ALL.iter().map(|code| code.name()).collect();
        names.sort_unstable();
        let count = names.len();
        names.dedup();
        assert_eq!(names.len(), count);
        assert!(names.iter().all(|name| {
            name.chars()
                .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
        }));
    }
}

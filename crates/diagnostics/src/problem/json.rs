//! Formats problems as one JSON object, for editors and scripts.
//!
//! ```json
//! {"version":1,"diagnostics":[{"code":"unknown-key","severity":"error","message":"…","path":"content/site.yaml",
//! "range":{"start":{"line":2,"column":1},"end":{"line":2,"column":6}},"hint":"…"}],"summary":{"errors":1,"warnings":0}}
//! ```
//! `path`, `range` and `hint` may be null. Lines and columns start at 1, columns count characters, and the end is
//! exclusive. Within a version, fields may be added but not renamed or removed.

use serde::Serialize;

use super::{Problems, Range, Severity};

/// The `summary` of the object. A build adds its figures.
#[derive(Debug, Clone, Default, Serialize)]
pub struct ProblemSummary {
    /// Number of errors.
    pub errors: usize,
    /// Number of warnings.
    pub warnings: usize,
    /// Number of pages by locale code (only after a successful build).
    #[serde(skip_serializing_if = "std::collections::BTreeMap::is_empty")]
    pub pages: std::collections::BTreeMap<String, usize>,
    /// Number of files in `dist/` that are not pages (only after a successful build).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assets: Option<usize>,
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    diagnostics: Vec<Diagnostic<'a>>,
    summary: ProblemSummary,
}

#[derive(Serialize)]
struct Diagnostic<'a> {
    code: &'a str,
    severity: &'a str,
    message: &'a str,
    path: Option<&'a str>,
    range: Option<Range>,
    hint: Option<&'a str>,
}

/// Returns the document as one line with a line break.
pub fn json(problems: &Problems, summary: ProblemSummary) -> String {
    let diagnostics = problems
        .iter()
        .map(|problem| Diagnostic {
            code: problem.code.name(),
            severity: match problem.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            message: &problem.message,
            path: problem.place.as_ref().map(|place| place.path.as_str()),
            range: problem.place.as_ref().and_then(|place| place.range),
            hint: problem.hint.as_deref(),
        })
        .collect();
    let summary = ProblemSummary {
        errors: problems.count(Severity::Error),
        warnings: problems.count(Severity::Warning),
        ..summary
    };
    let document = Document {
        version: 1,
        diagnostics,
        summary,
    };
    // Strings and numbers always serialize.
    serde_json::to_string(&document).unwrap_or_default() + "\n"
}

//! Highlights code in posts at build time: classes on tokens, no inline styles, no script.
//!
//! A scanner, not a parser: it recognizes keywords, strings, comments and numbers. Code in an unknown language is not
//! highlighted. Grammar files of editors would take a hundred times as long and add megabytes.

use api_types::html::escape;

/// The lexical rules of a language.
struct Language {
    names: &'static [&'static str],
    /// Prefixes of line comments.
    line_comments: &'static [&'static str],
    block_comment: Option<(&'static str, &'static str)>,
    /// Delimiters of strings; a backslash escapes the next character.
    quotes: &'static [&'static str],
    keywords: &'static str,
    /// Keywords are case-insensitive.
    any_case: bool,
    /// A word before this character is a key.
    keys_before: Option<char>,
}

const C_LIKE: Language = Language {
    names: &[],
    line_comments: &["//"],
    block_comment: Some(("/*", "*/")),
    quotes: &["\""],
    keywords: "",
    any_case: false,
    keys_before: None,
};

const LANGUAGES: &[Language] = &[
    Language {
        names: &["rust", "rs"],
        keywords: "as async await break const continue crate dyn else enum extern false fn for if impl in let loop match mod \
                   move mut pub ref return self Self static struct super trait true type unsafe use where while",
        ..C_LIKE
    },
    Language {
        names: &["javascript", "js", "jsx", "typescript", "ts", "tsx"],
        quotes: &["\"", "'", "`"],
        keywords: "as async await break case catch class const continue default delete do else enum export extends false \
                   finally for from function if implements import in instanceof interface let new null of private public \
                   readonly return static super switch this throw true try type typeof undefined var void while yield",
        ..C_LIKE
    },
    Language {
        names: &["cpp", "c++", "c", "h", "hpp"],
        quotes: &["\"", "'"],
        keywords: "auto bool break case catch char class const constexpr continue default delete do double else enum \
                   explicit false float for friend if inline int long namespace new noexcept nullptr operator override \
                   private protected public return short signed sizeof static struct switch template this throw true try \
                   typedef typename union unsigned using virtual void volatile while #include #define #if #endif #pragma",
        ..C_LIKE
    },
    Language {
        names: &["php"],
        line_comments: &["//", "#"],
        quotes: &["\"", "'"],
        keywords: "abstract and array as break case catch class const continue declare default do echo else elseif enum \
                   extends false final finally fn for foreach function global if implements instanceof interface match \
                   namespace new null or print private protected public readonly require require_once return static \
                   switch throw trait true try use var while yield",
        ..C_LIKE
    },
    Language {
        names: &["go", "golang"],
        quotes: &["\"", "'", "`"],
        keywords: "break case chan const continue default defer else fallthrough false for func go goto if import interface \
                   map nil package range return select struct switch true type var",
        ..C_LIKE
    },
    Language {
        names: &["css", "scss"],
        line_comments: &[],
        quotes: &["\"", "'"],
        keywords: "@media @import @layer @supports @font-face @keyframes @container !important",
        keys_before: Some(':'),
        ..C_LIKE
    },
    Language {
        names: &["python", "py"],
        line_comments: &["#"],
        block_comment: None,
        quotes: &["\"\"\"", "'''", "\"", "'"],
        keywords: "and as assert async await break class continue def del elif else except False finally for from global if \
                   import in is lambda match case None nonlocal not or pass raise return True try while with yield",
        ..C_LIKE
    },
    Language {
        names: &["bash", "sh", "shell", "zsh", "console"],
        line_comments: &["#"],
        block_comment: None,
        quotes: &["\"", "'"],
        keywords: "case do done elif else esac exit export fi for function if in local return set shift sudo then trap until \
                   while",
        ..C_LIKE
    },
    Language {
        names: &["dockerfile", "docker"],
        line_comments: &["#"],
        block_comment: None,
        quotes: &["\"", "'"],
        keywords: "ADD ARG AS CMD COPY ENTRYPOINT ENV EXPOSE FROM HEALTHCHECK LABEL RUN SHELL STOPSIGNAL USER VOLUME WORKDIR",
        ..C_LIKE
    },
    Language {
        names: &["sql", "postgresql", "postgres", "pgsql", "mysql"],
        line_comments: &["--"],
        quotes: &["'"],
        keywords: "add all alter analyze and any as asc begin between by case cast check coalesce column commit concurrently \
                   constraint create cross default delete desc distinct drop else end exists explain false filter foreign \
                   from full group having if in index inner insert into is join key lateral left like limit not null on or \
                   order outer over partition primary references returning right rollback select set table then true union \
                   unique update using vacuum values view when where window with",
        any_case: true,
        ..C_LIKE
    },
    Language {
        names: &["yaml", "yml", "toml", "ini"],
        line_comments: &["#"],
        block_comment: None,
        quotes: &["\"", "'"],
        keywords: "true false null",
        any_case: false,
        keys_before: Some(':'),
    },
    Language {
        names: &["json", "jsonc"],
        keywords: "true false null",
        keys_before: Some(':'),
        ..C_LIKE
    },
    Language {
        names: &["html", "xml", "svg", "vue"],
        line_comments: &[],
        block_comment: Some(("<!--", "-->")),
        quotes: &["\"", "'"],
        keys_before: Some('='),
        ..C_LIKE
    },
];

/// Prefixes of string literals.
const PREFIXES: &[&str] = &["r", "b", "f", "u", "rb", "br", "fr", "rf", "L", "u8", "R"];

/// Renders a code block; `language` is the info string of the fence.
pub fn highlight(language: &str, code: &str) -> String {
    let name = language.to_lowercase();
    let mut html = String::with_capacity(code.len() * 2 + 64);
    // Wide blocks scroll, so they must be focusable with the keyboard.
    html.push_str(if code.trim().contains('\n') {
        "<pre tabindex=\"0\"><code"
    } else {
        "<pre class=\"code-line\" tabindex=\"0\"><code"
    });
    if !name.is_empty() {
        html.push_str(" class=\"language-");
        html.push_str(&escape(&name));
        html.push('"');
    }
    html.push('>');
    if matches!(name.as_str(), "diff" | "patch") {
        diff(code, &mut html);
    } else if let Some(language) = LANGUAGES
        .iter()
        .find(|language| language.names.contains(&name.as_str()))
    {
        Scanner {
            language,
            rest: code,
            html: &mut html,
            unclosed: Vec::new(),
        }
        .run();
    } else {
        html.push_str(&escape(code));
    }
    html.push_str("</code></pre>\n");
    html
}

fn diff(code: &str, html: &mut String) {
    for line in code.split_inclusive('\n') {
        let class = match line.as_bytes().first() {
            Some(b'+') => "code-inserted",
            Some(b'-') => "code-deleted",
            Some(b'@') => "code-comment",
            _ => "",
        };
        token(html, class, line);
    }
}

fn token(html: &mut String, class: &str, text: &str) {
    if class.is_empty() {
        html.push_str(&escape(text));
        return;
    }
    html.push_str("<span class=\"");
    html.push_str(class);
    html.push_str("\">");
    html.push_str(&escape(text));
    html.push_str("</span>");
}

struct Scanner<'a> {
    language: &'a Language,
    rest: &'a str,
    html: &'a mut String,
    /// Quotes without a closing quote. Searching again from each of them would take quadratic time.
    unclosed: Vec<Unclosed>,
}

struct Unclosed {
    quote: &'static str,
    /// Number of bytes after the position up to which the search found no closing quote.
    left: usize,
}

impl Scanner<'_> {
    fn run(&mut self) {
        let mut before = "";
        while let Some(first) = self.rest.chars().next() {
            let (class, length) = self.next(first, before);
            let (text, rest) = self.rest.split_at(length);
            before = text;
            self.rest = rest;
            token(self.html, class, text);
        }
    }

    /// The class and the length in bytes of the next token.
    fn next(&mut self, first: char, before: &str) -> (&'static str, usize) {
        let language = self.language;
        let last = before.chars().next_back().unwrap_or(' ');
        if let Some((_, end)) = language
            .block_comment
            .filter(|(start, _)| self.rest.starts_with(start))
        {
            let end = self.rest[2..]
                .find(end)
                .map_or(self.rest.len(), |at| at + 2 + end.len());
            return ("code-comment", end);
        }
        // The `#` in `a#b` and the `//` in `https://` do not begin a comment.
        let at_start = last.is_whitespace() || matches!(last, ';' | '{' | '}' | '(' | ')' | ',');
        if at_start
            && language
                .line_comments
                .iter()
                .any(|start| self.rest.starts_with(start))
        {
            return (
                "code-comment",
                self.rest.find('\n').unwrap_or(self.rest.len()),
            );
        }
        if let Some(length) = self.quoted(before) {
            let class = if self.is_key(length) {
                "code-key"
            } else {
                "code-string"
            };
            return (class, length);
        }
        if first.is_ascii_digit() && !is_word(last) {
            let length = self
                .rest
                .find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_')))
                .unwrap_or(self.rest.len());
            return ("code-number", length);
        }
        if is_word(first) || matches!(first, '#' | '@' | '!') {
            let after = first.len_utf8();
            let length = self.rest[after..]
                .find(|c: char| !(is_word(c) || c == '-' && language.keys_before.is_some()))
                .map_or(self.rest.len(), |at| at + after);
            return (self.word_class(length), length);
        }
        ("", first.len_utf8())
    }

    fn word_class(&self, length: usize) -> &'static str {
        let word = &self.rest[..length];
        if self
            .language
            .keywords
            .split_ascii_whitespace()
            .any(|keyword| {
                keyword == word || self.language.any_case && keyword.eq_ignore_ascii_case(word)
            })
        {
            "code-keyword"
        } else if self.is_key(length) {
            "code-key"
        } else if self.rest[length..].starts_with('(') {
            "code-function"
        } else {
            ""
        }
    }

    fn is_key(&self, length: usize) -> bool {
        self.language.keys_before.is_some_and(|sign| {
            self.rest[length..]
                .trim_start_matches(' ')
                .starts_with(sign)
        })
    }

    /// The length in bytes of a character literal such as `'a'`, in languages where an apostrophe may also begin a
    /// lifetime.
    fn character(&self) -> Option<usize> {
        let inner = self.rest.strip_prefix('\'')?;
        let escape = usize::from(inner.starts_with('\\'));
        let letter = inner[escape..].chars().next()?.len_utf8();
        inner
            .get(escape + letter..)?
            .starts_with('\'')
            .then_some(escape + letter + 2)
    }

    /// The length in bytes of a string literal; `None` if the quote is not closed or is inside a word.
    fn quoted(&mut self, before: &str) -> Option<usize> {
        let Some(quote) = self
            .language
            .quotes
            .iter()
            .find(|quote| self.rest.starts_with(**quote))
        else {
            return self.character();
        };
        // `don't` contains no string, but `r'don'` does.
        if *quote == "'" && before.ends_with(char::is_alphanumeric) && !PREFIXES.contains(&before) {
            return None;
        }
        if self
            .unclosed
            .iter()
            .any(|known| known.quote == *quote && self.rest.len() > known.left)
        {
            return None;
        }
        let is_long = quote.len() > 1 || *quote == "`";
        let mut left = 0;
        let mut is_escaped = false;
        for (at, c) in self.rest.char_indices().skip(quote.len()) {
            match c {
                _ if is_escaped => is_escaped = false,
                '\\' => is_escaped = true,
                '\n' if !is_long => {
                    left = self.rest.len() - at;
                    break;
                }
                _ if self.rest[at..].starts_with(quote) => return Some(at + quote.len()),
                _ => {}
            }
        }
        self.unclosed.retain(|known| known.quote != *quote);
        self.unclosed.push(Unclosed { quote, left });
        None
    }
}

/// Tells whether a letter can be part of a word.
fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::highlight;

    fn check(language: &str, code: &str, expect: &str) {
        let html = highlight(language, code);
        let inner = html
            .split_once("<code")
            .and_then(|(_, rest)| rest.split_once('>'))
            .map(|(_, rest)| rest);
        let inner = inner
            .and_then(|rest| rest.strip_suffix("</code></pre>\n"))
            .expect("a code block");
        let short = inner
            .replace("<span class=\"code-", "[")
            .replace("\">", " ")
            .replace("</span>", "]");
        assert_eq!(short, expect);
    }

    #[test]
    fn keywords_strings_comments_and_numbers_are_highlighted() {
        check(
            "rust",
            "let n = \"a // b\"; // 12",
            "[keyword let] n = [string &quot;a // b&quot;]; [comment // 12]",
        );
        check(
            "python",
            "if x_1 == 0x1F: # why",
            "[keyword if] x_1 == [number 0x1F]: [comment # why]",
        );
        check(
            "sql",
            "SELECT count(*) -- all",
            "[keyword SELECT] [function count](*) [comment -- all]",
        );
    }

    #[test]
    fn keys_and_values_differ() {
        check(
            "json",
            "{\"a\": \"b\"}",
            "{[key &quot;a&quot;]: [string &quot;b&quot;]}",
        );
        check("yaml", "max-age: true", "[key max-age]: [keyword true]");
    }

    #[test]
    fn a_url_is_not_a_comment_and_an_apostrophe_not_a_string() {
        check(
            "js",
            "fetch(u) // `x",
            "[function fetch](u) [comment // `x]",
        );
        check("bash", "curl https://a.b/#c", "curl https://a.b/#c");
        check("js", "don't", "don&#39;t");
        check(
            "python",
            "re(r'[\"]') + b'\"'",
            "[function re](r[string &#39;[&quot;]&#39;]) + b[string &#39;&quot;&#39;]",
        );
        check(
            "rust",
            "&'a str '\"' '\\n'",
            "&amp;&#39;a str [string &#39;&quot;&#39;] [string &#39;\\n&#39;]",
        );
    }

    #[test]
    fn lines_of_a_diff_are_highlighted_as_a_whole() {
        check("diff", "-a\n+b\n c", "[deleted -a\n][inserted +b\n] c");
    }

    #[test]
    fn an_unknown_language_is_only_escaped() {
        check("brainf", "<+>", "&lt;+&gt;");
        check("", "é\\", "é\\");
        check("html", "<!-- é", "[comment &lt;!-- é]");
    }
}

//! The mails of forms to visitors as `leads.json` has them: plain text and HTML from the Markdown of a language, with the whole
//! addresses of links. The API fills in what the visitor has entered.

use std::collections::BTreeMap;

use api_types::forms::{AnswerType, ConfirmWords, MailWords, placeholders};
use api_types::html::{escape, unescape};
use content::forms::DeclaredField;
use languages::locale::{Direction, FLAG_WORDS, Locale};
use site::model::forms::{Form, FormText, options};
use site::model::{Field, Site};
use site::routes::Routes;
use text::rich::{Piece, Rich};

/// The mails of a form in one language.
pub(super) struct FormMails<'a> {
    pub site: &'a Site,
    pub routes: &'a Routes,
    pub form: &'a Form,
    pub locale: (usize, &'a Locale),
}

impl FormMails<'_> {
    /// The mail that answers the visitor.
    pub fn answer(&self) -> Option<MailWords> {
        self.form.declaration.answer?;
        self.mail("answer")
    }

    /// The request to the visitor to confirm an answer.
    pub fn confirm(&self) -> Option<ConfirmWords> {
        self.form.declaration.confirm?;
        let text = self.form.texts[self.locale.0].as_ref()?;
        Some(ConfirmWords {
            mail: self.mail("confirm")?,
            button: text.text(&["confirm", "button"])?,
            done: self.html(text.at(&["confirm", "done"])?),
            expired: self.html(text.at(&["confirm", "expired"])?),
            dir: if self.locale.1.direction == Direction::Rtl {
                "rtl"
            } else {
                "ltr"
            }
            .to_owned(),
        })
    }

    fn mail(&self, key: &str) -> Option<MailWords> {
        let text = self.form.texts[self.locale.0].as_ref()?;
        let subject = text.text(&[key, "subject"])?;
        let html = self.html(text.at(&[key, "text"])?);
        let Locale { date, months, .. } = self.locale.1;
        let has_date = placeholders(&subject)
            .chain(placeholders(&html))
            .any(|(_, name)| {
                self.form
                    .declaration
                    .field(name)
                    .is_some_and(|declared| declared.field.takes == AnswerType::Date)
            });
        let dates = months
            .iter()
            .map(|month| date.replace("{month}", month))
            .filter(|_| has_date)
            .collect();
        Some(MailWords {
            subject,
            text: plain_text(&html),
            html,
            dates,
            is_rtl: self.locale.1.direction == Direction::Rtl,
        })
    }

    /// The names of choices and of entries, by field.
    pub fn names(&self) -> BTreeMap<String, BTreeMap<String, String>> {
        let Some(text) = self.form.texts[self.locale.0].as_ref() else {
            return BTreeMap::new();
        };
        let names = self
            .form
            .declaration
            .fields
            .iter()
            .map(|field| (field.field.name.clone(), self.names_of(text, field)));
        names.filter(|(_, names)| !names.is_empty()).collect()
    }

    /// The names of the choices of a field, of the entries that it offers, or of the two values of a flag.
    fn names_of(&self, text: &FormText, declared: &DeclaredField) -> BTreeMap<String, String> {
        if let Some(to) = &declared.to {
            return options(&self.site.collections, &to.value, &self.locale)
                .into_iter()
                .collect();
        }
        let DeclaredField { field, .. } = declared;
        if field.takes == AnswerType::Flag {
            let default = &self.site.locales[0];
            let named =
                FLAG_WORDS.map(|(value, word)| Some((value, self.locale.1.word(word, default)?)));
            let named = named.into_iter().flatten();
            return named
                .map(|(value, name)| (value.to_owned(), name.to_owned()))
                .collect();
        }
        let choices = field.choices.iter();
        let named = choices.filter_map(|value| {
            let name = text.text(&["fields", &field.name, "choices", value])?;
            Some((value.clone(), name))
        });
        named.collect()
    }

    /// The HTML of a text, with the whole addresses of its links.
    fn html(&self, field: &Field) -> String {
        match field {
            Field::Rich(rich) => self.rich(rich),
            Field::Text(text) => format!("<p>{}</p>", escape(text)),
            _ => String::new(),
        }
    }

    fn rich(&self, rich: &Rich) -> String {
        rich.pieces
            .iter()
            .map(|piece| match piece {
                Piece::Html(html) => html.clone(),
                Piece::Link(target) => {
                    // A link that leads nowhere was reported.
                    let href = self
                        .routes
                        .resolve(self.site, &target.to, self.locale.0, None)
                        .map(|link| link.href);
                    format!(
                        " href=\"{}\"",
                        escape(
                            &self
                                .routes
                                .absolute_href(&href.unwrap_or_else(|_| target.to.clone()))
                        )
                    )
                }
                // Programs that show mails load no pictures.
                Piece::Picture(_) | Piece::Word(_) | Piece::Media(..) | Piece::Part(..) => {
                    String::new()
                }
            })
            .collect()
    }
}

/// HTML as plain text: paragraphs with empty lines between them, items of lists with a dash, links with their address.
fn plain_text(html: &str) -> String {
    let mut text = String::new();
    let (mut rest, mut link) = (html, None);
    while let Some(at) = rest.find('<') {
        push_words(&mut text, &unescape(&rest[..at]));
        let Some(end) = rest[at..].find('>') else {
            break;
        };
        let tag = &rest[at + 1..at + end];
        let name = tag
            .split(|c: char| c.is_whitespace())
            .next()
            .unwrap_or_default();
        match name {
            "a" => {
                let href = tag
                    .split_once(" href=\"")
                    .and_then(|(_, href)| href.split('"').next());
                link = href.map(|href| (text.len(), unescape(href)));
            }
            "/a" => {
                if let Some((_, href)) = link
                    .take()
                    .filter(|(from, href)| text[*from..].trim() != href)
                {
                    text.extend([" (", href.as_str(), ")"]);
                }
            }
            "br" | "br/" => text.push('\n'),
            "li" => {
                end_line(&mut text, 1);
                text.push_str("- ");
            }
            "/p" | "/ul" | "/ol" | "/blockquote" | "/h2" | "/h3" | "/h4" | "hr" => {
                end_line(&mut text, 2);
            }
            _ => {}
        }
        rest = &rest[at + end + 1..];
    }
    push_words(&mut text, &unescape(rest));
    format!("{}\n", text.trim())
}

/// Ends a line, so that this many line breaks are there.
fn end_line(text: &mut String, breaks: usize) {
    let length = text.trim_end_matches([' ', '\n']).len();
    let known = text[length..].matches('\n').count();
    text.truncate(length);
    if length > 0 {
        text.push_str(&"\n".repeat(breaks.max(known)));
    }
}

/// Appends words; white space of HTML is one blank.
fn push_words(text: &mut String, words: &str) {
    for (at, word) in words.split(char::is_whitespace).enumerate() {
        if at > 0 && !text.is_empty() && !text.ends_with([' ', '\n']) {
            text.push(' ');
        }
        text.push_str(word);
    }
}

#[cfg(test)]
mod tests {
    use super::plain_text;

    #[test]
    fn html_becomes_the_text_that_a_person_would_write() {
        let html = "<p>Dear {name},</p>\n<p>we have <strong>your</strong> request &amp; more.\n<a href=\"https://a.example/x\">Here</a>.</p>\n\
                    <ul>\n<li>one</li>\n<li>two</li>\n</ul>\n<p><a href=\"https://b.example\">https://b.example</a><br>Bye</p>";
        let expect = "Dear {name},\n\nwe have your request & more. Here (https://a.example/x).\n\n- one\n- two\n\n\
                      https://b.example\nBye\n";
        assert_eq!(plain_text(html), expect);
    }
}

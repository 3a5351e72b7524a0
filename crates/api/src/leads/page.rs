//! The form page as a response, for visitors without JavaScript whose lead was rejected.
//!
//! The build stores a copy of the published page in `leads.json`. In the form with the attribute `data-lead-form`,
//! controls are matched by `name`, as in a browser, and filled with the submitted values. The element with
//! `data-error="email"` shows an error in that field. The one with `data-error=""` lists all of them, with links to their
//! fields, and the page's title begins with the first: a screen reader says it when the page is loaded. Scripts are
//! removed: hydrating a component would discard the submitted values.
//!
//! A form of the site has `data-form="NAME"`, and may share its page with others. Once its answer is stored, what has
//! `data-fields` is hidden, and what has `data-done` is shown. What has `data-steps` or `data-waits` loses it: no script
//! guides visitors through the steps of this page or shows a field that waits for another, so all of them are shown. What
//! has `data-needs-script`, such as the room of a captcha, is hidden.

use std::collections::HashMap;

use html5gum::Span;
use html5gum::emitters::callback::CallbackEvent;

use api_types::html::{each_event, escape};

/// Names and values of a submitted form.
pub(super) type Fields = Vec<(String, String)>;

/// The error to show on the page.
#[derive(Debug, Clone, Copy)]
pub(super) struct FormError<'a> {
    /// The field's name; empty if the error does not concern a field.
    pub field: &'a str,
    /// The message in the visitor's language.
    pub message: &'a str,
}

/// Returns the page with the submitted values and the errors filled in. `form` is the name of a form of the site. Without
/// errors, the form says that its answer is stored.
pub(super) fn fill(
    page: &str,
    form: Option<&str>,
    typed: &Fields,
    errors: &[FormError<'_>],
) -> String {
    let out = String::with_capacity(page.len() + 1024);
    let mut places = FormPlaces::default();
    each_event(page.as_bytes(), &mut |event, _| places.note(event, form));
    let mut errors = errors.to_vec();
    errors.sort_by_cached_key(|error| places.order_of(error.field));
    let mut walk = Walk {
        page,
        form,
        typed,
        errors: &errors,
        places,
        out,
        ..Walk::default()
    };
    each_event(page.as_bytes(), &mut |event, span| walk.handle(event, span));
    walk.copy_to(page.len());
    walk.out
}

/// Whether a `form` is the one that was sent.
fn is_sent(tag: &Tag, form: Option<&str>) -> bool {
    match form {
        Some(name) => tag.get("data-form") == Some(name),
        None => tag.get("data-lead-form").is_some(),
    }
}

/// Where the fields of the form are, for links to them. The list of errors is above the fields, so this is read first.
#[derive(Default)]
struct FormPlaces {
    tag: Tag,
    in_form: bool,
    form_id: String,
    /// The URL of this response if the page has a `<base>`, which is that of other links.
    own_url: String,
    has_base: bool,
    /// In the order of the page.
    ids: Vec<String>,
    /// The id of the first control with a name.
    controls: HashMap<String, String>,
    /// The texts of labels by the id of their control, and the id whose label is being read.
    labels: HashMap<String, String>,
    label: Option<String>,
}

impl FormPlaces {
    fn note(&mut self, event: &CallbackEvent<'_>, form: Option<&str>) {
        self.tag.note(event);
        match event {
            CallbackEvent::CloseStartTag { .. } => self.start_tag(form),
            CallbackEvent::String { value } => {
                if let Some(id) = &self.label {
                    let text = self.labels.entry(id.clone()).or_default();
                    text.push_str(&String::from_utf8_lossy(value));
                }
            }
            CallbackEvent::EndTag { name } => match *name {
                b"form" => self.in_form = false,
                b"label" => self.label = None,
                _ => {}
            },
            _ => {}
        }
    }

    fn start_tag(&mut self, form: Option<&str>) {
        let id = self.tag.get("id").unwrap_or_default();
        self.has_base |= self.tag.name == "base";
        if self.tag.name == "form" && is_sent(&self.tag, form) {
            self.in_form = true;
            id.clone_into(&mut self.form_id);
            if self.has_base {
                let action = self.tag.get("action").unwrap_or_default();
                action.clone_into(&mut self.own_url);
            }
        }
        if !self.in_form {
            return;
        }
        if self.tag.name == "label" {
            self.label = self.tag.get("for").map(str::to_owned);
        }
        if id.is_empty() {
            return;
        }
        if let Some(name) = self.tag.get("name") {
            let control = self.controls.entry(name.to_owned());
            control.or_insert_with(|| id.to_owned());
        }
        self.ids.push(id.to_owned());
    }

    /// The id of a field: of its control, or of the group that it is in.
    fn id_of(&self, field: &str) -> Option<String> {
        let own = format!("{}-{field}", self.form_id);
        if self.ids.contains(&own) {
            return Some(own);
        }
        self.controls.get(field).cloned()
    }

    /// Where a field is in the page; errors that concern no field come first.
    fn order_of(&self, field: &str) -> usize {
        if field.is_empty() {
            return 0;
        }
        let id = self.id_of(field);
        let place = id.and_then(|id| self.ids.iter().position(|other| *other == id));
        place.map_or(usize::MAX, |place| place + 1)
    }

    /// Errors as links to their fields: a list if the element can have one. Fields that have the same message are named by their
    /// labels.
    fn list(&self, errors: &[FormError<'_>], element: &str) -> String {
        let mut links = Vec::new();
        for FormError { field, message } in errors {
            let is_shared = errors
                .iter()
                .any(|other| other.message == *message && other.field != *field);
            let id = self.id_of(field);
            let label = id.as_ref().and_then(|id| self.labels.get(id));
            // The mark of required fields is not part of their name.
            let label = label.map(|label| label.trim().trim_end_matches([' ', '*']));
            let text = escape(label.filter(|_| is_shared).unwrap_or(message));
            let link = match id {
                Some(id) => {
                    let url = escape(&self.own_url);
                    format!("<a href=\"{url}#{}\">{text}</a>", escape(&id))
                }
                None => text,
            };
            links.push(link);
        }
        match element {
            "div" | "section" | "aside" => format!("<ul><li>{}</li></ul>", links.join("</li><li>")),
            _ => links.join("<br>"),
        }
    }
}

#[derive(Default)]
struct Tag {
    name: String,
    start: usize,
    attributes: Vec<(String, Option<String>)>,
}

struct Walk<'a> {
    page: &'a str,
    form: Option<&'a str>,
    typed: &'a Fields,
    errors: &'a [FormError<'a>],
    places: FormPlaces,
    out: String,
    /// Everything before this offset in `page` has been written to `out`.
    copied: usize,
    tag: Tag,
    in_form: bool,
    /// Whether the title of the page was read: drawings have titles, too.
    has_title: bool,
    /// The name of the enclosing `select`.
    select: Option<String>,
    /// Content is dropped until the end tag of this name.
    skip: Option<String>,
}

impl Default for Walk<'_> {
    fn default() -> Self {
        Walk {
            page: "",
            form: None,
            typed: const { &Vec::new() },
            errors: &[],
            places: FormPlaces::default(),
            out: String::new(),
            copied: 0,
            tag: Tag::default(),
            in_form: false,
            has_title: false,
            select: None,
            skip: None,
        }
    }
}

impl Tag {
    /// Reads the parts of a start tag as they come, but not where it begins.
    fn note(&mut self, event: &CallbackEvent<'_>) {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match event {
            CallbackEvent::OpenStartTag { name } => {
                *self = Tag {
                    name: text(name),
                    ..Tag::default()
                };
            }
            CallbackEvent::AttributeName { name } => self.attributes.push((text(name), None)),
            CallbackEvent::AttributeValue { value } => {
                if let Some((_, last)) = self.attributes.last_mut() {
                    *last = Some(text(value));
                }
            }
            _ => {}
        }
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.attributes
            .iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.as_deref().unwrap_or_default())
    }

    fn set(&mut self, name: &str, value: Option<&str>) {
        self.remove(name);
        self.attributes
            .push((name.to_owned(), value.map(str::to_owned)));
    }

    fn remove(&mut self, name: &str) {
        self.attributes.retain(|(key, _)| key != name);
    }

    fn write(&self, to: &mut String) {
        to.push('<');
        to.push_str(&self.name);
        for (name, value) in &self.attributes {
            to.push(' ');
            to.push_str(name);
            if let Some(value) = value {
                to.push_str("=\"");
                to.push_str(&escape(value));
                to.push('"');
            }
        }
        to.push('>');
    }
}

impl Walk<'_> {
    fn handle(&mut self, event: &CallbackEvent<'_>, span: Span<usize>) {
        self.tag.note(event);
        match event {
            CallbackEvent::OpenStartTag { .. } => {
                // The span may begin at the name or at the `<` before it.
                self.tag.start = self.page[..(span.start + 1).min(self.page.len())]
                    .rfind('<')
                    .unwrap_or(span.start);
            }
            CallbackEvent::CloseStartTag { .. } if self.skip.is_none() => {
                let end = self.end_of_tag(span);
                self.start_tag(end);
            }
            CallbackEvent::EndTag { name } => self.end_tag(&String::from_utf8_lossy(name), span),
            _ => {}
        }
    }

    /// The offset after the `>` of the tag.
    fn end_of_tag(&self, span: Span<usize>) -> usize {
        let from = span.end.saturating_sub(1).max(self.tag.start);
        self.page[from..]
            .find('>')
            .map_or(self.page.len(), |at| from + at + 1)
    }

    fn copy_to(&mut self, end: usize) {
        if end > self.copied {
            self.out.push_str(&self.page[self.copied..end]);
            self.copied = end;
        }
    }

    /// Writes the modified tag instead of the original.
    fn replace(&mut self, end: usize) {
        self.copy_to(self.tag.start);
        self.tag.write(&mut self.out);
        self.copied = end;
    }

    fn start_tag(&mut self, end: usize) {
        match self.tag.name.as_str() {
            "script" => {
                self.copy_to(self.tag.start);
                self.skip = Some("script".into());
                return;
            }
            // The policy of the page is that of its own host, and this response has a policy in its header.
            "meta" if self.tag.get("http-equiv").is_some() => {
                self.copy_to(self.tag.start);
                self.copied = end;
                return;
            }
            "link"
                if self.tag.get("rel") == Some("modulepreload")
                    || self.tag.get("as") == Some("script") =>
            {
                self.copy_to(self.tag.start);
                self.copied = end;
                return;
            }
            "title" if !self.in_form && !self.has_title => {
                self.has_title = true;
                if let Some(FormError { message, .. }) = self.errors.first() {
                    self.copy_to(end);
                    self.out.extend([escape(message).as_str(), " – "]);
                }
            }
            "a" if !self.places.own_url.is_empty() => {
                let place = self.tag.get("href").filter(|href| href.starts_with('#'));
                if let Some(place) = place {
                    let url = format!("{}{place}", self.places.own_url);
                    self.tag.set("href", Some(&url));
                    self.replace(end);
                }
            }
            "form" => self.in_form = is_sent(&self.tag, self.form),
            _ => {}
        }
        if !self.in_form {
            return;
        }
        let is_done = self.errors.is_empty();
        if is_done && (self.tag.get("data-done").is_some() || self.tag.get("data-fields").is_some())
        {
            self.mark("hidden", self.tag.get("data-fields").is_some());
            self.replace(end);
            return;
        }
        for needs_script in ["data-steps", "data-waits"] {
            if self.tag.get(needs_script).is_some() {
                self.tag.remove(needs_script);
                self.replace(end);
                return;
            }
        }
        if self.tag.get("data-needs-script").is_some() {
            self.mark("hidden", true);
            self.replace(end);
            return;
        }
        if let Some(field) = self.tag.get("data-error") {
            let of_field = self
                .errors
                .iter()
                .find(|error| field.is_empty() || field == error.field);
            if let Some(FormError { message, field: of }) = of_field {
                let shown = if field.is_empty() && !of.is_empty() {
                    self.places.list(self.errors, &self.tag.name)
                } else {
                    escape(message)
                };
                self.tag.remove("hidden");
                self.replace(end);
                self.out.push_str(&shown);
                self.skip = Some(self.tag.name.clone());
            }
            return;
        }
        let name = self.tag.get("name").unwrap_or_default().to_owned();
        match self.tag.name.as_str() {
            "input" | "textarea" | "select" => self.field(&name, end),
            "option" => {
                let value = self.tag.get("value").map(str::to_owned);
                if let Some(typed) = self.select.clone().and_then(|name| self.typed(&name)) {
                    let chosen = value.as_deref() == Some(typed.as_str());
                    self.mark("selected", chosen);
                    self.replace(end);
                }
            }
            _ => {}
        }
    }

    fn field(&mut self, name: &str, end: usize) {
        let typed = self.typed(name);
        if !name.is_empty() && self.errors.iter().any(|error| name == error.field) {
            self.tag.set("aria-invalid", Some("true"));
        }
        let kind = self.tag.get("type").unwrap_or("text").to_lowercase();
        match (self.tag.name.as_str(), kind.as_str()) {
            ("textarea", _) => {
                self.replace(end);
                if let Some(typed) = typed {
                    // The parser drops one line break after the tag.
                    self.out.push('\n');
                    self.out.push_str(&escape(&typed));
                    self.skip = Some("textarea".into());
                }
                return;
            }
            ("select", _) => self.select = Some(name.to_owned()),
            (_, "checkbox" | "radio") => {
                let value = self.tag.get("value").unwrap_or("on").to_owned();
                let chosen = self
                    .typed
                    .iter()
                    .any(|(key, typed)| key == name && *typed == value);
                self.mark("checked", chosen);
            }
            (_, "hidden" | "submit" | "button" | "image" | "reset" | "password" | "file") => {}
            _ => {
                if let Some(typed) = typed {
                    self.tag.set("value", Some(&typed));
                }
            }
        }
        self.replace(end);
    }

    fn mark(&mut self, attribute: &str, on: bool) {
        self.tag.remove(attribute);
        if on {
            self.tag.set(attribute, None);
        }
    }

    fn typed(&self, name: &str) -> Option<String> {
        self.typed
            .iter()
            .find(|(key, _)| key == name && !name.is_empty())
            .map(|(_, value)| value.clone())
    }

    fn end_tag(&mut self, name: &str, span: Span<usize>) {
        let start = self.page[..(span.start + 2).min(self.page.len())]
            .rfind("</")
            .unwrap_or(span.start);
        if self.skip.as_deref() == Some(name) {
            self.skip = None;
            self.copied = if name == "script" {
                self.page[start..]
                    .find('>')
                    .map_or(self.page.len(), |at| start + at + 1)
            } else {
                start
            };
        }
        match name {
            "form" => self.in_form = false,
            "select" => self.select = None,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(page: &str, typed: &[(&str, &str)], expect: &str) {
        let typed = typed
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let error = FormError {
            field: "email",
            message: "Look <here>",
        };
        let form = |inside: &str| format!("<form data-lead-form>{inside}</form>");
        assert_eq!(fill(&form(page), None, &typed, &[error]), form(expect));
    }

    /// The fields of a form as a browser would submit them, and the number of start tags in the page.
    fn read(page: &str) -> (Vec<(String, String)>, usize) {
        let (mut fields, mut tags, mut area): (Vec<(String, String)>, _, _) = (Vec::new(), 0, None);
        let mut emitter = html5gum::DefaultEmitter::default();
        emitter.naively_switch_states(true);
        for Ok(token) in html5gum::Tokenizer::new_with_emitter(page, emitter) {
            match token {
                html5gum::Token::StartTag(tag) => {
                    tags += 1;
                    let get = |name: &[u8]| {
                        let value = tag
                            .attributes
                            .iter()
                            .find(|(own, _)| own.as_slice() == name)?
                            .1;
                        Some(String::from_utf8_lossy(value).into_owned())
                    };
                    let name = get(b"name").unwrap_or_default();
                    match (&*tag.name.0, get(b"type").as_deref()) {
                        (b"textarea", _) => area = Some(name),
                        (b"input", Some("radio")) if get(b"checked").is_none() => {}
                        (b"input", Some("radio") | None) => {
                            fields.push((name, get(b"value").unwrap_or_default()));
                        }
                        _ => {}
                    }
                }
                html5gum::Token::String(text) => {
                    if let Some(name) = area.take() {
                        let text = String::from_utf8_lossy(&text).into_owned();
                        fields.push((name, text.strip_prefix('\n').unwrap_or(&text).to_owned()));
                    }
                }
                _ => {}
            }
        }
        (fields, tags)
    }

    proptest::proptest! {
        #[test]
        fn only_the_submitted_values_are_filled_in(
            name in "(\\PC|[<>&\"'=/ ]|<b>|</form>|-->){0,20}",
            message in "(\\PC|[<>&\"'=/ \n]|</textarea>|<script>|<!--){1,20}",
            choice in "[abc]",
            wrong in "(\\PC|[<>&\"'])*",
        ) {
            let page = "<p>a</p><form data-lead-form><input name=name><p data-error=name hidden></p><textarea name=message></textarea>\
                <input type=radio name=choice value=a checked><input type=radio name=choice value=b></form><p>z</p>";
            let typed: Fields = [("name", &name), ("message", &message), ("choice", &choice), ("other", &wrong)]
                .map(|(key, value)| (key.to_owned(), value.clone())).into();
            let filled = fill(page, None, &typed, &[FormError { field: "name", message: &wrong }]);
            let (fields, tags) = read(&filled);
            let mut expected = typed[..2].to_vec();
            expected.extend((choice != "c").then(|| typed[2].clone()));
            assert_eq!(fields, expected, "{filled}");
            assert_eq!(tags, 8, "{filled}");
            assert!(filled.ends_with("</form><p>z</p>"));
        }
    }

    #[test]
    fn only_the_form_that_was_sent_is_filled_in_with_all_of_its_errors() {
        let form = |name: &str, inside: &str| format!("<form data-form={name}>{inside}</form>");
        let fields = "<p data-error hidden></p><input name=a><p data-error=a hidden></p><input name=b><p data-error=b hidden></p>";
        let page = form("one", fields) + &form("two", fields);
        let errors = [
            FormError {
                field: "a",
                message: "A!",
            },
            FormError {
                field: "b",
                message: "B!",
            },
        ];
        let filled = fill(&page, Some("two"), &vec![("a".into(), "x".into())], &errors);
        let expect = "<p data-error>A!<br>B!</p>\
                      <input name=\"a\" aria-invalid=\"true\" value=\"x\"><p data-error=\"a\">A!</p>\
                      <input name=\"b\" aria-invalid=\"true\"><p data-error=\"b\">B!</p>";
        assert_eq!(filled, form("one", fields) + &form("two", expect));
        let steps = |attribute: &str| {
            form(
                "two",
                &format!("<div class=\"steps\"{attribute}><input name=\"b\"></div>"),
            )
        };
        for needs_script in [" data-steps", " data-waits=\"\""] {
            assert_eq!(
                fill(&steps(needs_script), Some("two"), &Vec::new(), &[errors[0]]),
                steps(""),
                "all at once"
            );
        }
        assert_eq!(
            fill(
                &steps(" data-needs-script"),
                Some("two"),
                &Vec::new(),
                &[errors[0]]
            ),
            steps(" data-needs-script hidden")
        );
        let done = "<div data-done hidden>Thanks</div><div data-fields><input name=a></div>";
        let expect = "<div data-done>Thanks</div><div data-fields hidden><input name=\"a\"></div>";
        assert_eq!(
            fill(&form("two", done), Some("two"), &Vec::new(), &[]),
            form("two", expect)
        );
    }

    #[test]
    fn texts_are_filled_in_and_escaped() {
        check(
            r#"<p>é<input name="name"/>"#,
            &[("name", "\"><b>")],
            r#"<p>é<input name="name" value="&quot;&gt;&lt;b&gt;">"#,
        );
        check(
            r#"<input type=tel value="0" name=phone>"#,
            &[("phone", "12")],
            r#"<input type="tel" name="phone" value="12">"#,
        );
        check(
            "<textarea name=message>old</textarea>x",
            &[("message", "a\n</b>")],
            "<textarea name=\"message\">\na\n&lt;/b&gt;</textarea>x",
        );
        check(
            "<textarea name=message></textarea>x",
            &[("message", "a")],
            "<textarea name=\"message\">\na</textarea>x",
        );
    }

    #[test]
    fn submitted_choices_are_selected() {
        check(
            "<select name=s><option value=a selected>A</option><option value=b>B</option></select>",
            &[("s", "b")],
            "<select name=\"s\"><option value=\"a\">A</option><option value=\"b\" selected>B</option></select>",
        );
        check(
            "<input type=radio name=r value=1 checked><input type=radio name=r value=2>",
            &[("r", "2")],
            "<input type=\"radio\" name=\"r\" value=\"1\"><input type=\"radio\" name=\"r\" value=\"2\" checked>",
        );
    }

    #[test]
    fn an_error_is_shown_at_its_field() {
        check(
            "<p data-error=name hidden></p><p data-error=email hidden></p><input name=email><b data-error>x</b>",
            &[],
            "<p data-error=name hidden></p><p data-error=\"email\">Look &lt;here&gt;</p>\
             <input name=\"email\" aria-invalid=\"true\"><b data-error>Look &lt;here&gt;</b>",
        );
    }

    #[test]
    fn errors_are_listed_with_links_to_their_fields_and_begin_the_title() {
        let page = |title: &str, list: &str| {
            format!(
                "<title>{title}Ask</title><svg><title>A fox</title></svg><form id=f data-form=ask action=/ask><div data-error{list}</div>\
                 <label for=f-a>Name <b>*</b></label><input id=f-a name=a><label for=f-b>Your <i>&amp;</i> town</label>\
                 <input id=f-b name=b><fieldset id=f-c><input type=radio name=c></fieldset><input id=x name=d></form>"
            )
        };
        let error = |field, message| FormError { field, message };
        let errors = [
            error("b", "Missing."),
            error("e", "Unknown."),
            error("d", "Too long."),
            error("c", "Choose <one>."),
            error("a", "Missing."),
        ];
        let filled = fill(&page("", " hidden>"), Some("ask"), &Vec::new(), &errors);
        let list = "><ul><li><a href=\"#f-a\">Name</a></li><li><a href=\"#f-b\">Your &amp; town</a></li>\
            <li><a href=\"#f-c\">Choose &lt;one&gt;.</a></li><li><a href=\"#x\">Too long.</a></li><li>Unknown.</li></ul>";
        let start = page("Missing. – ", list);
        let (start, _) = start.split_once("<label").expect("a label");
        assert!(filled.starts_with(start), "{filled}");
        let elsewhere = format!(
            "<base href=//b/><a href=#main>Skip</a>{}",
            page("", " hidden>")
        );
        let filled = fill(&elsewhere, Some("ask"), &Vec::new(), &errors);
        for link in [
            "<a href=\"/ask#main\">",
            "<a href=\"/ask#f-a\">",
            "<a href=\"/ask#x\">",
        ] {
            assert!(filled.contains(link), "{link} in {filled}");
        }
    }

    #[test]
    fn scripts_and_the_policy_are_removed_and_other_forms_are_unchanged() {
        let page = "<meta http-equiv=Content-Security-Policy content=\"style-src 'self'\"><link rel=modulepreload href=/a.js><script>if (1 < 2) '<input name=a>'</script><form><input name=a></form>";
        let error = FormError {
            field: "",
            message: "x",
        };
        assert_eq!(
            fill(page, None, &vec![("a".into(), "b".into())], &[error]),
            "<form><input name=a></form>"
        );
    }
}

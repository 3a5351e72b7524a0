//! The content of a place in a file: the one description of fields that YAML declares and of structs that read files. Forms,
//! editors and translators ask it, and `json.rs` writes it as JSON Schema.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use schema::types::FieldType;
use serde_json::{Number, Value as Json};

use super::json::read_type;

/// How many types and alternatives are followed, one behind the other.
const MAX_FOLLOWED: usize = 8;

/// The content of a place in a file.
#[derive(Clone, Default)]
pub struct Expected {
    /// The purpose of the value, in a sentence.
    pub meaning: Option<String>,
    /// The value if none is written.
    pub default: Option<Json>,
    /// Whether the key can be without a value.
    pub or_null: bool,
    /// The collection whose entries it names.
    pub entries_of: Option<&'static str>,
    /// The form of the value.
    pub form: ValueForm,
}

/// The form of a value.
#[derive(Clone, Default)]
pub enum ValueForm {
    /// Anything.
    #[default]
    Any,
    /// A value without parts.
    Plain(Scalar),
    /// One of these.
    Choice(Vec<AllowedValue>),
    /// A list, of a fixed number of items if there is one.
    List(Box<Expected>, Option<u64>),
    /// A block of keys.
    Block(KeyBlock),
    /// A value of this type.
    Type(&'static NamedType),
    /// One of several forms.
    Either(Vec<Expected>),
}

/// A value without parts.
#[derive(Clone, Default)]
pub struct Scalar {
    /// The kinds that it can be.
    pub kinds: Vec<ScalarKind>,
    /// The type of a text, such as `markdown` or `link`.
    pub format: Option<String>,
    /// The type of a value that is written as text.
    pub typed: Option<FieldType>,
    /// The regular expression of a text.
    pub pattern: Option<String>,
    /// The least number, or the least number of characters.
    pub min: Option<Number>,
    /// The greatest number, or the greatest number of characters.
    pub max: Option<Number>,
}

/// A kind of value without parts.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ScalarKind {
    /// `true` or `false`.
    Flag,
    /// A whole number.
    Whole,
    /// A number.
    Number,
    /// A text.
    Text,
}

/// A value out of a few.
#[derive(Clone)]
pub struct AllowedValue {
    /// The value as it is written.
    pub value: Json,
    /// The name that pages show.
    pub title: Option<String>,
    /// Its meaning, in a sentence.
    pub meaning: Option<String>,
}

/// A block of keys.
#[derive(Clone, Default)]
pub struct KeyBlock {
    /// The keys that it knows, in order.
    pub keys: Vec<Property>,
    /// The values of all other keys; without them, another key is a mistake.
    pub others: Option<Box<Expected>>,
    /// The values of keys that are the path of a text, such as `hero.title`.
    pub paths: Option<Box<Expected>>,
    /// Keys that are not enough: there must be another one.
    pub not_enough: Option<Vec<String>>,
    /// The type of the block, such as `picture`.
    pub format: Option<String>,
    /// Blocks that it can be, by the value of its key `kind`.
    pub kinds: Sections,
}

/// The kinds of sections by name, each with its keys.
pub type Sections = Arc<BTreeMap<&'static str, Expected>>;

/// A key of a block.
#[derive(Clone)]
pub struct Property {
    /// The key.
    pub name: String,
    /// The description of its value.
    pub value: Expected,
    /// Whether the block must have it.
    pub required: bool,
}

/// A type with a name, which may contain itself.
pub struct NamedType {
    /// The name, such as `MenuEntry`.
    pub name: String,
    pub(super) document: &'static Json,
    pub(super) expected: OnceLock<Expected>,
}

/// A value in its simplest form.
#[derive(Clone, Copy)]
pub struct Simplest<'a> {
    /// The purpose of the value, in a sentence.
    pub meaning: Option<&'a str>,
    /// The name of its type, if it has one.
    pub type_name: Option<&'a str>,
    /// Its form: no type and no alternatives.
    pub form: &'a ValueForm,
}

/// The content of a file.
#[derive(Clone, Default)]
pub struct FileContents {
    /// The content; of a page, that of one file for all of it.
    pub whole: Expected,
    /// The texts of a page in a language, beside its `page.yaml`.
    pub words: Option<Expected>,
    /// The kinds of its sections.
    pub sections: Sections,
    /// Other files can have the required keys of its sections.
    pub is_part: bool,
}

impl NamedType {
    /// The description of a value of the type.
    pub fn expected(&self) -> &Expected {
        self.expected.get_or_init(|| read_type(self))
    }
}

impl From<Expected> for FileContents {
    fn from(whole: Expected) -> FileContents {
        FileContents {
            whole: whole.unnamed(),
            ..FileContents::default()
        }
    }
}

impl FileContents {
    /// The description of a page that is one file, or of its texts in a language beside `page.yaml`. Other files have
    /// one form.
    pub fn of_page(&self, is_whole: bool) -> &Expected {
        let words = self.words.as_ref().filter(|_| !is_whole);
        words.unwrap_or(&self.whole)
    }

    /// The description of a kind of section.
    pub fn section(&self, kind: &str) -> Option<&Expected> {
        self.sections.get(kind)
    }
}

impl From<ValueForm> for Expected {
    fn from(form: ValueForm) -> Expected {
        Expected {
            form,
            ..Expected::default()
        }
    }
}

impl From<Scalar> for Expected {
    fn from(scalar: Scalar) -> Expected {
        ValueForm::Plain(scalar).into()
    }
}

impl From<KeyBlock> for Expected {
    fn from(block: KeyBlock) -> Expected {
        ValueForm::Block(block).into()
    }
}

impl Property {
    /// A key that the block can do without.
    pub fn new(name: &str, value: Expected) -> Property {
        Property {
            name: name.to_owned(),
            value,
            required: false,
        }
    }
}

impl AllowedValue {
    /// A value, and its meaning.
    pub fn new(value: impl Into<Json>, meaning: Option<String>) -> AllowedValue {
        AllowedValue {
            value: value.into(),
            title: None,
            meaning,
        }
    }

    /// The value as a file has it.
    pub fn written(&self) -> String {
        let text = self.value.as_str().map(str::to_owned);
        text.unwrap_or_else(|| self.value.to_string())
    }
}

impl Scalar {
    /// A value of one of these kinds.
    pub fn of(kinds: &[ScalarKind]) -> Scalar {
        Scalar {
            kinds: kinds.to_vec(),
            ..Scalar::default()
        }
    }

    /// Whether it can be of a kind.
    pub fn can_be(&self, kind: ScalarKind) -> bool {
        self.kinds.contains(&kind)
    }
}

impl KeyBlock {
    /// A block of these keys.
    pub fn of(keys: Vec<Property>) -> KeyBlock {
        KeyBlock {
            keys,
            ..KeyBlock::default()
        }
    }

    /// A block of free keys with such values.
    pub fn map_of(values: Expected) -> KeyBlock {
        KeyBlock {
            others: Some(Box::new(values)),
            ..KeyBlock::default()
        }
    }

    /// Whether it is a section, whose kind decides its keys.
    pub fn is_section(&self) -> bool {
        !self.kinds.is_empty()
    }
}

impl Expected {
    /// A text.
    pub fn text() -> Expected {
        Scalar::of(&[ScalarKind::Text]).into()
    }

    /// A list of such values.
    #[must_use]
    pub fn listed(self) -> Expected {
        ValueForm::List(Box::new(self), None).into()
    }

    /// The same value with another purpose.
    #[must_use]
    pub fn meaning(self, meaning: &str) -> Expected {
        Expected {
            meaning: sentence(meaning),
            ..self
        }
    }

    /// A value of a type, without the name of the type.
    #[must_use]
    pub fn unnamed(self) -> Expected {
        match self.form {
            ValueForm::Type(named) => named.expected().clone(),
            _ => self,
        }
    }

    /// The keys of a block, to change them; none of another value.
    pub fn keys_mut(&mut self) -> &mut [Property] {
        match &mut self.form {
            ValueForm::Block(block) => &mut block.keys,
            _ => &mut [],
        }
    }

    /// The value in its simplest form: as one text where it can be written as one.
    pub fn simplest(&self) -> Simplest<'_> {
        let mut simplest = Simplest {
            meaning: None,
            type_name: None,
            form: &self.form,
        };
        let mut next = self;
        for _ in 0..MAX_FOLLOWED {
            simplest.meaning = simplest.meaning.or(next.meaning.as_deref());
            simplest.form = &next.form;
            next = match simplest.form {
                ValueForm::Type(named) => {
                    simplest.type_name = Some(&named.name);
                    named.expected()
                }
                ValueForm::Either(forms) => {
                    let text = forms.iter().find(|one| {
                        matches!(&one.form, ValueForm::Plain(scalar) if scalar.can_be(ScalarKind::Text))
                    });
                    match text.or(forms.first()) {
                        Some(form) => form,
                        None => break,
                    }
                }
                _ => break,
            };
        }
        simplest
    }

    /// The forms in which the value can be written.
    pub fn forms(&self) -> Vec<&ValueForm> {
        match &self.form {
            ValueForm::Type(named) => named.expected().forms(),
            ValueForm::Either(forms) => forms.iter().flat_map(Expected::forms).collect(),
            form => vec![form],
        }
    }

    fn blocks(&self) -> impl Iterator<Item = &KeyBlock> {
        self.forms().into_iter().filter_map(|form| match form {
            ValueForm::Block(block) => Some(block),
            _ => None,
        })
    }

    /// Whether it can be a block.
    pub fn can_be_block(&self) -> bool {
        self.blocks().next().is_some()
    }

    /// The keys of a block.
    pub fn properties(&self) -> &[Property] {
        self.blocks()
            .map(|block| block.keys.as_slice())
            .find(|keys| !keys.is_empty())
            .unwrap_or_default()
    }

    /// The value of a key that the block knows.
    pub fn property(&self, name: &str) -> Option<&Expected> {
        let known = self.properties().iter().find(|known| known.name == name);
        known.map(|property| &property.value)
    }

    /// The values of keys that a block does not know, if something is known of them.
    pub fn other_values(&self) -> Option<&Expected> {
        self.blocks().find_map(|block| {
            let others = block.others.as_deref()?;
            let is_known = !matches!(others.form, ValueForm::Any) || others.meaning.is_some();
            is_known.then_some(others)
        })
    }

    /// The items of a list.
    pub fn items(&self) -> Option<&Expected> {
        self.forms().into_iter().find_map(|form| match form {
            ValueForm::List(items, _) => Some(&**items),
            _ => None,
        })
    }

    /// The value at a key of a block, or the item at a number. Texts of a page have the names of its sections as keys.
    pub fn below<'a>(
        &'a self,
        key: &str,
        section: impl Fn(&str) -> Option<&'a Expected>,
    ) -> Option<&'a Expected> {
        let is_number = key.bytes().all(|byte| byte.is_ascii_digit());
        let item = self.items().filter(|_| is_number);
        item.or_else(|| self.property(key))
            .or_else(|| section(key))
            .or_else(|| self.other_values())
    }

    /// The description of a section of a kind; what is no section stays.
    pub fn of_kind(&self, kind: Option<&str>) -> &Expected {
        let own = kind.and_then(|kind| self.blocks().find_map(|block| block.kinds.get(kind)));
        own.unwrap_or(self)
    }

    /// The greatest number of characters of a text.
    pub fn max_length(&self) -> Option<usize> {
        self.forms().into_iter().find_map(|form| match form {
            ValueForm::Plain(scalar) if scalar.can_be(ScalarKind::Text) => {
                usize::try_from(scalar.max.as_ref()?.as_u64()?).ok()
            }
            _ => None,
        })
    }

    /// The collection whose entries the value or its items name.
    pub fn names_entries_of(&self) -> Option<&'static str> {
        self.entries_of.or_else(|| self.items()?.entries_of)
    }

    /// The values that are allowed, each with its meaning; empty if they cannot be listed.
    pub fn values(&self) -> Vec<(String, String)> {
        let mut values = Vec::new();
        for form in self.forms() {
            match form {
                ValueForm::Choice(allowed) => values.extend(
                    allowed
                        .iter()
                        .map(|one| (one.written(), one.meaning.clone().unwrap_or_default())),
                ),
                ValueForm::Plain(scalar) if scalar.can_be(ScalarKind::Flag) => {
                    values.extend(["true", "false"].map(|value| (value.to_owned(), String::new())));
                }
                _ => {}
            }
        }
        values
    }
}

/// A text as a sentence of one line, without the marks of links in comments; `None` if it is empty.
pub(super) fn sentence(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let sentence = words.join(" ").replace("[`", "`").replace("`]", "`");
    (!sentence.is_empty()).then_some(sentence)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::read;
    use serde_json::json;

    #[test]
    fn what_stands_beside_a_reference_goes_before_what_it_refers_to() {
        let schema = read(json!({
            "properties": {"icon": {"description": "Here.", "anyOf": [{"type": "null"}, {"$ref": "#/$defs/Icon"}]}},
            "required": ["icon"],
            "$defs": {"Icon": {"type": "string", "description": "Anywhere.", "maxLength": 9}},
        }));
        let [icon] = schema.properties() else {
            panic!("a key")
        };
        assert!(icon.required && icon.name == "icon" && icon.value.or_null);
        let simplest = icon.value.simplest();
        assert_eq!(
            (simplest.meaning, simplest.type_name),
            (Some("Here."), Some("Icon"))
        );
        let is_text = |form: &ValueForm| matches!(form, ValueForm::Plain(scalar) if scalar.can_be(ScalarKind::Text));
        assert!(is_text(simplest.form) && !is_text(&icon.value.form));
        assert_eq!(icon.value.max_length(), Some(9));
    }

    #[test]
    fn a_schema_that_refers_to_itself_ends() {
        let schema =
            read(json!({"$ref": "#/$defs/Loop", "$defs": {"Loop": {"$ref": "#/$defs/Loop"}}}));
        assert_eq!(schema.simplest().meaning, None);
    }

    #[test]
    fn values_are_those_of_all_alternatives() {
        let schema = read(
            json!({"anyOf": [{"oneOf": [{"const": "a", "description": "A."}]}, {"type": ["boolean", "null"]}]}),
        );
        let expect = [("a", "A."), ("true", ""), ("false", "")]
            .map(|(value, meaning)| (value.to_owned(), meaning.to_owned()));
        assert_eq!(schema.values(), expect);
    }
}

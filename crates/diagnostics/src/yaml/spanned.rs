//! A value with its span in the file, so that later stages can report problems at its place.
//!
//! Only this module's deserializer supports it; it recognizes the type by name.

use std::borrow::Cow;
use std::cell::Cell;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

use crate::problem::Span;

/// A value with its span in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Its span in the file.
    pub span: Span,
}

impl<T> std::ops::Deref for Spanned<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

thread_local! {
    /// Whether spans serialize as null. serde has no other way to tell a value how it is serialized.
    static ARE_HIDDEN: Cell<bool> = const { Cell::new(false) };
}

/// Calls a function that serializes values without their spans: each is null.
pub fn without_spans<T>(call: impl FnOnce() -> T) -> T {
    /// Also ends it after a panic, which the preview survives.
    struct Hidden(bool);
    impl Drop for Hidden {
        fn drop(&mut self) {
            ARE_HIDDEN.set(self.0);
        }
    }
    let _hidden = Hidden(ARE_HIDDEN.replace(true));
    call()
}

impl Serialize for Span {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if ARE_HIDDEN.get() {
            serializer.serialize_unit()
        } else {
            (self.start, self.end).serialize(serializer)
        }
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Span, D::Error> {
        let (start, end) = <(u32, u32)>::deserialize(deserializer)?;
        Ok(Span { start, end })
    }
}

pub(super) const SPANNED: &str = "$sitegen::Spanned";
pub(super) const SPANNED_FIELDS: &[&str; 2] = &["$span", "$value"];

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Spanned<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SpannedVisitor<T>(std::marker::PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for SpannedVisitor<T> {
            type Value = Spanned<T>;
            fn expecting(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
                f.write_str("a value with its place")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Spanned<T>, A::Error> {
                access.next_key::<IgnoredAny>()?;
                let (start, end) = access.next_value()?;
                access.next_key::<IgnoredAny>()?;
                Ok(Spanned {
                    value: access.next_value()?,
                    span: Span { start, end },
                })
            }
        }
        deserializer.deserialize_struct(
            SPANNED,
            SPANNED_FIELDS,
            SpannedVisitor(std::marker::PhantomData),
        )
    }
}

/// The schema is that of the value.
impl<T: JsonSchema> JsonSchema for Spanned<T> {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        T::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        generator.subschema_for::<T>()
    }
}

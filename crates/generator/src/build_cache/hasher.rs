//! Hashes serialized values for fingerprints: everything that serde serializes of a value, and nothing else.
//!
//! Spans are left out, so that a comment or a blank line in a file changes no fingerprint. Each value is preceded by a tag, each text by its length, and lists and maps end with a mark:
//! two different values never give the same input of the hash.

use std::fmt::{self, Display};
use std::io::{BufWriter, Write as _};

use diagnostics::problem::Span;
use serde::ser::{self, Serialize, Serializer};

use super::{Hash, short};

/// The hash of a value. A value that does not serialize (a map whose serializer fails) has the hash of the error.
pub fn hash_value(value: &(impl Serialize + ?Sized)) -> Hash {
    let mut hasher = HashSerializer(BufWriter::with_capacity(BUFFER, blake3::Hasher::new()));
    if let Err(error) = value.serialize(&mut hasher) {
        hasher.text(Tag::Error, error.to_string().as_bytes());
    }
    // Writing to a hasher cannot fail.
    hasher.0.into_inner().map(|hasher| short(&hasher.finalize())).unwrap_or_default()
}

/// The size of the buffer before the hasher, in bytes.
const BUFFER: usize = 4096;

#[derive(Clone, Copy)]
enum Tag {
    Null,
    Bool,
    Integer,
    Float,
    Text,
    Bytes,
    List,
    Map,
    Variant,
    End,
    Error,
}

/// The hasher is slow for many small pieces.
struct HashSerializer(BufWriter<blake3::Hasher>);

impl HashSerializer {
    fn put(&mut self, bytes: &[u8]) {
        // Writing to a hasher cannot fail.
        let _ = self.0.write_all(bytes);
    }

    fn tag(&mut self, tag: Tag) {
        self.put(&[tag as u8]);
    }

    fn text(&mut self, tag: Tag, bytes: &[u8]) {
        self.tag(tag);
        self.put(&(bytes.len() as u64).to_le_bytes());
        self.put(bytes);
    }

    fn integer(&mut self, value: i128) {
        self.tag(Tag::Integer);
        self.put(&value.to_le_bytes());
    }
}

/// A list, map, struct or variant that is being hashed.
struct Compound<'a> {
    hasher: &'a mut HashSerializer,
}

impl HashSerializer {
    fn compound(&mut self, tag: Tag) -> Compound<'_> {
        self.tag(tag);
        Compound { hasher: self }
    }

    fn variant(&mut self, name: &str, tag: Tag) -> Compound<'_> {
        self.text(Tag::Variant, name.as_bytes());
        self.compound(tag)
    }
}

type Hashed = Result<(), Error>;

/// The methods for integers, which all have the same hash for the same number.
macro_rules! integers {
    ($($method:ident $type:ty)*) => {
        $(fn $method(self, value: $type) -> Hashed {
            self.serialize_i128(value.into())
        })*
    };
}

impl<'a> Serializer for &'a mut HashSerializer {
    type Ok = ();
    type Error = Error;
    type SerializeSeq = Compound<'a>;
    type SerializeTuple = Compound<'a>;
    type SerializeTupleStruct = Compound<'a>;
    type SerializeTupleVariant = Compound<'a>;
    type SerializeMap = Compound<'a>;
    type SerializeStruct = Compound<'a>;
    type SerializeStructVariant = Compound<'a>;

    fn serialize_bool(self, value: bool) -> Hashed {
        self.tag(Tag::Bool);
        self.put(&[u8::from(value)]);
        Ok(())
    }

    integers! {
        serialize_i8 i8
        serialize_i16 i16
        serialize_i32 i32
        serialize_i64 i64
        serialize_u8 u8
        serialize_u16 u16
        serialize_u32 u32
        serialize_u64 u64
    }

    fn serialize_i128(self, value: i128) -> Hashed {
        self.integer(value);
        Ok(())
    }

    fn serialize_f32(self, value: f32) -> Hashed {
        self.serialize_f64(value.into())
    }

    fn serialize_f64(self, value: f64) -> Hashed {
        self.tag(Tag::Float);
        self.put(&value.to_bits().to_le_bytes());
        Ok(())
    }

    fn serialize_char(self, value: char) -> Hashed {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Hashed {
        self.text(Tag::Text, value.as_bytes());
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Hashed {
        self.text(Tag::Bytes, value);
        Ok(())
    }

    fn serialize_none(self) -> Hashed {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Hashed {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Hashed {
        self.tag(Tag::Null);
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Hashed {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Hashed {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, name: &'static str, value: &T) -> Hashed {
        if name == Span::SERIALIZED_NAME { self.serialize_unit() } else { value.serialize(self) }
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Hashed {
        self.text(Tag::Variant, variant.as_bytes());
        value.serialize(self)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<Compound<'a>, Error> {
        Ok(self.compound(Tag::List))
    }

    fn serialize_tuple(self, _: usize) -> Result<Compound<'a>, Error> {
        Ok(self.compound(Tag::List))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Result<Compound<'a>, Error> {
        Ok(self.compound(Tag::List))
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Compound<'a>, Error> {
        Ok(self.variant(variant, Tag::List))
    }

    fn serialize_map(self, _: Option<usize>) -> Result<Compound<'a>, Error> {
        Ok(self.compound(Tag::Map))
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Result<Compound<'a>, Error> {
        Ok(self.compound(Tag::Map))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Compound<'a>, Error> {
        Ok(self.variant(variant, Tag::Map))
    }

    fn collect_str<T: Display + ?Sized>(self, value: &T) -> Hashed {
        self.serialize_str(&value.to_string())
    }
}

impl Compound<'_> {
    fn value<T: Serialize + ?Sized>(&mut self, value: &T) -> Hashed {
        value.serialize(&mut *self.hasher)
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Hashed {
        self.hasher.text(Tag::Text, name.as_bytes());
        self.value(value)
    }
}

/// Implements the traits of compound values, which differ in the names of their methods, and in whether a value has a
/// name.
macro_rules! compounds {
    ($($trait:ident { $(fn $method:ident($($name:ident: $type:ty)?) => $to:ident;)* })*) => {
        $(impl ser::$trait for Compound<'_> {
            type Ok = ();
            type Error = Error;

            $(fn $method<T: Serialize + ?Sized>(&mut self, $($name: $type,)? value: &T) -> Hashed {
                self.$to($($name,)? value)
            })*

            fn end(self) -> Hashed {
                self.hasher.tag(Tag::End);
                Ok(())
            }
        })*
    };
}

compounds! {
    SerializeSeq { fn serialize_element() => value; }
    SerializeTuple { fn serialize_element() => value; }
    SerializeTupleStruct { fn serialize_field() => value; }
    SerializeTupleVariant { fn serialize_field() => value; }
    SerializeMap { fn serialize_key() => value; fn serialize_value() => value; }
    SerializeStruct { fn serialize_field(name: &'static str) => field; }
    SerializeStructVariant { fn serialize_field(name: &'static str) => field; }
}

/// The message of a value that could not be serialized.
#[derive(Debug)]
struct Error(String);

impl Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Error {}

impl ser::Error for Error {
    fn custom<T: Display>(message: T) -> Error {
        Error(message.to_string())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use diagnostics::yaml::Spanned;
    use serde_json::json;

    use super::*;

    #[test]
    fn a_position_in_a_file_is_not_hashed() {
        let at = |start| Spanned { value: "a", span: Span::new(start, start + 1) };
        assert_eq!(hash_value(&at(1)), hash_value(&at(40)));
        assert_ne!(hash_value(&at(1)), hash_value(&Spanned { value: "b", ..at(1) }));
    }

    #[test]
    fn different_values_have_different_hashes() {
        let values = [
            json!(null),
            json!(false),
            json!(0),
            json!(0.0),
            json!(""),
            json!("0"),
            json!([]),
            json!([[]]),
            json!([[], []]),
            json!(["a", "b"]),
            json!(["ab"]),
            json!(["a", ["b"]]),
            json!({}),
            json!({"a": "b"}),
            json!({"a": {"b": null}}),
            json!([null]),
        ];
        for (at, value) in values.iter().enumerate() {
            for (other, another) in values.iter().enumerate() {
                assert_eq!(hash_value(value) == hash_value(another), at == other, "{value} {another}");
            }
        }
    }

    #[test]
    fn a_value_that_cannot_be_serialized_has_the_hash_of_its_error() {
        struct Broken(&'static str);
        impl Serialize for Broken {
            fn serialize<S: Serializer>(&self, _: S) -> Result<S::Ok, S::Error> {
                Err(ser::Error::custom(self.0))
            }
        }
        let of = |why| hash_value(&BTreeMap::from([("a", Broken(why))]));
        assert_eq!(of("x"), of("x"));
        assert_ne!(of("x"), of("y"));
    }
}

//! A place on the map.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Decimal;

/// Latitude and longitude in degrees (WGS 84), with the digits that were written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coordinates {
    /// From -90 to 90.
    pub latitude: Decimal,
    /// From -180 to 180.
    pub longitude: Decimal,
}

impl Coordinates {
    /// Reads `40.4168, -3.7038`. The error is a message that ends with what to write.
    pub fn parse(text: &str) -> Result<Coordinates, String> {
        let wrong = |why: &str| {
            format!("`{text}` {why}; write the latitude and longitude: `40.4168, -3.7038`")
        };
        let (latitude, longitude) = text
            .split_once(',')
            .ok_or_else(|| wrong("is not a pair of coordinates"))?;
        let within = |text: &str, limit: &str| {
            let number = Decimal::parse(text.trim()).ok()?;
            let (most, least) = (
                Decimal::parse(limit).ok()?,
                Decimal::parse(&format!("-{limit}")).ok()?,
            );
            Some((number >= least && number <= most, number))
        };
        match (within(latitude, "90"), within(longitude, "180")) {
            (Some((true, latitude)), Some((true, longitude))) => Ok(Coordinates {
                latitude,
                longitude,
            }),
            (Some(_), Some(_)) => Err(wrong("is out of range")),
            _ => Err(wrong("is not a pair of coordinates")),
        }
    }
}

impl fmt::Display for Coordinates {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}, {}", self.latitude, self.longitude)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_on_the_map() {
        let read = |text: &str| Coordinates::parse(text).map(|place| place.to_string());
        assert_eq!(read("40.4168,-3.7038").as_deref(), Ok("40.4168, -3.7038"));
        assert!(
            read("91, 0")
                .expect_err("too far north")
                .contains("is out of range")
        );
        for text in ["40.4168", "40,4168, -3,7038", "40°25′N 3°42′W", "a, b"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}

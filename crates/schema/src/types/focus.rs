//! The point of a picture that stays in sight when a layout crops it.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// Prefix of the CSS class of a point.
const CLASS: &str = "focus-";
/// A whole side of a picture. Points are kept in thousandths, so that they can be compared and hashed.
const SIDE: f64 = 1000.0;

/// A point of a picture, written `[0.3, 0.6]`: the shares of its width from the left and of its height from the top.
///
/// ```
/// use schema::types::Focus;
/// let focus = Focus::try_from([0.305, 1.0]).expect("a point of the picture");
/// assert_eq!(focus.class(), "focus-305-1000");
/// assert_eq!(Focus::position("focus-305-1000").as_deref(), Some("30.5% 100%"));
/// assert!(Focus::try_from([0.5, 1.2]).is_err());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "[f64; 2]", into = "[f64; 2]")]
pub struct Focus {
    /// Thousandths of the width.
    x: u16,
    /// Thousandths of the height.
    y: u16,
}

impl Focus {
    /// The CSS class that moves a crop to the point.
    pub fn class(self) -> String {
        format!("{CLASS}{}-{}", self.x, self.y)
    }

    /// The value of `object-position` of such a class; `None` for another class.
    pub fn position(class: &str) -> Option<String> {
        let (x, y) = class.strip_prefix(CLASS)?.split_once('-')?;
        let percent =
            |thousandths: &str| Some(format!("{}%", thousandths.parse::<f64>().ok()? / 10.0));
        Some(format!("{} {}", percent(x)?, percent(y)?))
    }
}

impl TryFrom<[f64; 2]> for Focus {
    type Error = String;

    fn try_from(point: [f64; 2]) -> Result<Focus, String> {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and 1000"
        )]
        let [Some(x), Some(y)] = point.map(|share| {
            (0.0..=1.0)
                .contains(&share)
                .then(|| (share * SIDE).round() as u16)
        }) else {
            let [x, y] = point;
            let hint = "write two numbers from 0 to 1, measured from the left and the top, such as `[0.3, 0.6]`";
            return Err(format!("`[{x}, {y}]` is not a point in the image: {hint}"));
        };
        Ok(Focus { x, y })
    }
}

impl From<Focus> for [f64; 2] {
    fn from(Focus { x, y }: Focus) -> [f64; 2] {
        [x, y].map(|thousandths| f64::from(thousandths) / SIDE)
    }
}

impl JsonSchema for Focus {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Focus".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": "array",
            "items": { "type": "number", "minimum": 0, "maximum": 1 },
            "minItems": 2,
            "maxItems": 2,
        })
    }
}

//! The position of a line among all lines of a device: by its stream, never by a clock.

use super::Relayed;
use crate::exchange::Incarnation;
use serde::Deserialize;
use serde::de::IgnoredAny;
use std::fmt;

/// The field of a stored line that holds its position. The receiver adds it; no sender writes it.
const FIELD: &str = "at";
/// Lines stored before lives existed come before all others.
const BEFORE: Incarnation = Incarnation { count: 0, random: 0 };

/// The position that a line claims.
#[derive(Deserialize)]
struct Claims {
    #[serde(default)]
    at: Option<IgnoredAny>,
}

/// The life of a stream and a number in it. A restored device starts another life, so that its new
/// items never replace the earlier ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Order {
    /// The life.
    pub life: Incarnation,
    /// The number of the item in that life.
    pub number: u64,
}

impl Order {
    /// The position after every other.
    pub const LAST: Self =
        Self { life: Incarnation { count: u32::MAX, random: u64::MAX }, number: u64::MAX };

    /// The position of a line whose life is unknown: by the number its device gave it.
    #[must_use]
    pub const fn unknown(number: u64) -> Self {
        Self { life: BEFORE, number }
    }

    /// Parses the written form, `3-00ff00ff00ff00ff/12`, or a number alone.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text.split_once('/') {
            Some((life, number)) => {
                Some(Self { life: Incarnation::parse(life)?, number: number.parse().ok()? })
            }
            None => Some(Self::unknown(text.parse().ok()?)),
        }
    }

    /// The position of a stored line; `None` for a torn line.
    #[must_use]
    pub fn of(line: &[u8]) -> Option<Self> {
        let said = Relayed::read(line)?;
        match added(line) {
            Some(text) => Self::parse(text),
            None => Some(Self::unknown(said.number)),
        }
    }

    /// The same for a line that is known to be whole: most say their position at their start.
    #[must_use]
    pub fn of_whole(line: &[u8]) -> Option<Self> {
        match added(line) {
            Some(text) => Self::parse(text),
            None => Self::of(line),
        }
    }

    /// The line in its stored form; `None` for a line that claims a position itself.
    #[must_use]
    pub fn kept(self, line: &str) -> Option<String> {
        let claims: Claims = serde_json::from_str(line).ok()?;
        let rest = line.strip_prefix('{').filter(|_| claims.at.is_none())?;
        Some(format!("{{\"{FIELD}\":\"{self}\",{rest}"))
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.life, self.number)
    }
}

/// The position at the start of a stored line.
fn added(line: &[u8]) -> Option<&str> {
    let rest = line.strip_prefix(b"{\"")?.strip_prefix(FIELD.as_bytes())?.strip_prefix(b"\":\"")?;
    let end = rest.iter().position(|byte| *byte == b'"')?;
    std::str::from_utf8(rest.get(..end)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replication::Says;

    #[test]
    fn a_line_is_kept_where_it_stands() {
        let line = Relayed { number: 7, says: Says::Gone }.write();
        assert_eq!(Order::of(line.as_bytes()), Some(Order::unknown(7)));
        let order = Order { life: Incarnation { count: 3, random: 255 }, number: 12 };
        assert_eq!(order.to_string(), "3-00000000000000ff/12");
        assert_eq!(Order::parse(&order.to_string()), Some(order));
        let kept = order.kept(&line).unwrap();
        assert_eq!(Order::of(kept.as_bytes()), Some(order));
        assert_eq!(Relayed::read(kept.as_bytes()), Relayed::read(line.as_bytes()));
        assert_eq!(Order::of(&kept.as_bytes()[..kept.len() - 1]), None, "torn");
        assert_eq!(Order::of_whole(kept.as_bytes()), Some(order));
        assert_eq!(Order::of_whole(line.as_bytes()), Some(Order::unknown(7)));
        assert_eq!(Order::of_whole(b"{\"at\":\"x\""), None);
        assert_eq!(order.kept(&kept), None, "a device cannot choose where its line stands");
        assert!(Order::unknown(u64::MAX) < order && order < Order::LAST);
    }
}

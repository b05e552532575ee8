//! The orders of the list of sessions, and the place of a session in one of them.

use std::cmp::Ordering;
use taffrail_context::Error;
use taffrail_model::SessionId;
use taffrail_store::SlimRow;

/// What a list is sorted by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SortKey {
    /// The latest event.
    Last,
    /// Tokens read and written.
    Tokens,
    /// The session's own cost.
    Cost,
    /// From the first to the last event.
    Duration,
    /// Errors, and calls that failed.
    Failures,
}

/// Which end comes first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// The most, or the latest.
    Descending,
    /// The least, or the earliest.
    Ascending,
}

/// An order of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SortOrder {
    key: SortKey,
    direction: Direction,
}

/// The place of a session in an order. Sessions with equal keys are in the order of their ids, so
/// that a place is the same whatever else the list holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SortPlace {
    /// `None`: not known.
    pub key: Option<i64>,
    /// The session.
    pub id: SessionId,
}

impl SortKey {
    const ALL: [Self; 5] = [Self::Last, Self::Tokens, Self::Cost, Self::Duration, Self::Failures];

    fn as_str(self) -> &'static str {
        match self {
            Self::Last => "last",
            Self::Tokens => "tokens",
            Self::Cost => "cost",
            Self::Duration => "duration",
            Self::Failures => "failures",
        }
    }

    fn of(self, row: &SlimRow<'_>) -> Option<i64> {
        match self {
            Self::Last => Some(row.last),
            Self::Tokens => Some(row.tokens),
            Self::Cost => row.cost_microdollars,
            Self::Duration => row.duration,
            Self::Failures => Some(row.failures),
        }
    }
}

impl SortOrder {
    /// Reads the words of a request.
    ///
    /// # Errors
    /// When a word is not known.
    pub fn parse(sort: Option<&str>, order: Option<&str>) -> Result<Self, Error> {
        let unknown = |word: &str| Error::UnknownOrder(word.to_owned());
        let key = sort.map_or(Ok(SortKey::Last), |word| {
            SortKey::ALL.into_iter().find(|it| it.as_str() == word).ok_or_else(|| unknown(word))
        })?;
        let direction = match order {
            None | Some("desc") => Direction::Descending,
            Some("asc") => Direction::Ascending,
            Some(other) => return Err(unknown(other)),
        };
        Ok(Self { key, direction })
    }

    pub(super) fn place(self, row: &SlimRow<'_>) -> SortPlace {
        SortPlace { key: self.key.of(row), id: row.id }
    }

    pub(super) fn compare(self, one: &SortPlace, other: &SortPlace) -> Ordering {
        let keys = match (one.key, other.key) {
            (Some(one), Some(other)) if self.direction == Direction::Descending => other.cmp(&one),
            (Some(one), Some(other)) => one.cmp(&other),
            (one, other) => one.is_none().cmp(&other.is_none()),
        };
        keys.then(one.id.cmp(&other.id))
    }

    /// The place as text that an address holds unchanged.
    pub(super) fn cursor(self, place: &SortPlace) -> String {
        let key = place.key.map_or("none".to_owned(), |it| it.to_string());
        format!("{}~{key}~{}", self.name(), place.id)
    }

    /// The place in such a text.
    pub(super) fn place_of(self, cursor: &str) -> Result<SortPlace, Error> {
        let parsed = || {
            let (name, rest) = cursor.split_once('~')?;
            let (key, id) = rest.split_once('~').filter(|_| name == self.name())?;
            let key = if key == "none" { None } else { Some(key.parse().ok()?) };
            Some(SortPlace { key, id: SessionId::parse(&id.replace('-', ""))? })
        };
        parsed().ok_or(Error::ForeignCursor)
    }

    fn name(self) -> String {
        let direction = match self.direction {
            Direction::Descending => "desc",
            Direction::Ascending => "asc",
        };
        format!("{}.{direction}", self.key.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(key: Option<i64>, id: u8) -> SortPlace {
        SortPlace { key, id: SessionId::from_bytes([id; 16]) }
    }

    #[test]
    fn equal_keys_go_by_id_and_unknown_keys_come_last() {
        let all = [
            place(None, 1),
            place(Some(2), 4),
            place(Some(9), 2),
            place(Some(2), 3),
            place(None, 0),
        ];
        let check = |order: &str, expected: [u8; 5]| {
            let order = SortOrder::parse(Some("cost"), Some(order)).unwrap();
            let mut sorted = all;
            sorted.sort_by(|one, other| order.compare(one, other));
            assert_eq!(sorted.map(|it| it.id.as_bytes()[0]), expected);
        };
        check("desc", [2, 3, 4, 0, 1]);
        check("asc", [3, 4, 2, 0, 1]);
    }

    #[test]
    fn a_cursor_counts_only_in_its_own_order() {
        let check = |sort: Option<&str>, order: Option<&str>, cursor: &str, is_known: bool| {
            let got = SortOrder::parse(sort, order).unwrap().place_of(cursor);
            assert_eq!(got.is_ok(), is_known, "{cursor}");
        };
        for place in [place(Some(-7), 3), place(None, 200)] {
            let order = SortOrder::parse(Some("tokens"), None).unwrap();
            let cursor = order.cursor(&place);
            assert!(cursor.bytes().all(|it| it.is_ascii_alphanumeric() || b"-.~".contains(&it)));
            assert_eq!(order.place_of(&cursor).unwrap(), place);
            check(Some("tokens"), Some("desc"), &cursor, true);
            check(Some("tokens"), Some("asc"), &cursor, false);
            check(None, None, &cursor, false);
        }
        for bad in ["", "tokens.desc", "tokens.desc~x~y", "tokens.desc~1~"] {
            check(Some("tokens"), None, bad, false);
        }
        assert!(SortOrder::parse(Some("nonsense"), None).is_err());
        assert!(SortOrder::parse(None, Some("up")).is_err());
    }
}

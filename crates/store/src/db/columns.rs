//! Reads the columns of a row by their names.

use super::codec::from_micros;
use rusqlite::Row;
use rusqlite::types::FromSql;
use std::cell::Cell;
use taffrail_model::cost::Cost;
use taffrail_model::{Timestamp, Tokens};

/// The sums of the five columns of tokens, under their own names.
pub(crate) const TOKEN_SUMS: &str = "coalesce(sum(input_tokens), 0) AS input_tokens, \
  coalesce(sum(output_tokens), 0) AS output_tokens, \
  coalesce(sum(cache_read_tokens), 0) AS cache_read_tokens, \
  coalesce(sum(cache_write_tokens), 0) AS cache_write_tokens, \
  coalesce(sum(reasoning_tokens), 0) AS reasoning_tokens";

/// A row whose columns are read by name.
///
/// SQLite finds a name by comparing it with every column. Reading columns in the order of their
/// `SELECT` takes one comparison each, which keeps rows of thirty columns fast.
#[derive(Debug)]
pub(crate) struct Columns<'r, 's> {
    row: &'r Row<'s>,
    /// The column after the one that was read last.
    next: Cell<usize>,
}

impl<'r, 's> Columns<'r, 's> {
    /// The columns of a row.
    pub(crate) fn of(row: &'r Row<'s>) -> Self {
        Self { row, next: Cell::new(0) }
    }

    /// A column by its name.
    pub(crate) fn get<T: FromSql>(&self, name: &str) -> rusqlite::Result<T> {
        self.row.get(self.position(name)?)
    }

    /// A count that is never negative.
    pub(crate) fn count(&self, name: &str) -> rusqlite::Result<u64> {
        let position = self.position(name)?;
        let number: i64 = self.row.get(position)?;
        let negative = |_| rusqlite::Error::IntegralValueOutOfRange(position, number);
        u64::try_from(number).map_err(negative)
    }

    /// A time.
    pub(crate) fn time(&self, name: &str) -> rusqlite::Result<Timestamp> {
        self.get(name).map(from_micros)
    }

    /// A time that may be unknown.
    pub(crate) fn maybe_time(&self, name: &str) -> rusqlite::Result<Option<Timestamp>> {
        Ok(self.get::<Option<i64>>(name)?.map(from_micros))
    }

    /// The five columns of tokens.
    pub(crate) fn tokens(&self) -> rusqlite::Result<Tokens> {
        Ok(Tokens {
            input: self.count("input_tokens")?,
            output: self.count("output_tokens")?,
            cache_read: self.count("cache_read_tokens")?,
            cache_write: self.count("cache_write_tokens")?,
            reasoning: self.count("reasoning_tokens")?,
        })
    }

    /// The three columns of costs by source.
    pub(crate) fn cost(&self) -> rusqlite::Result<Cost> {
        Ok(Cost {
            reported_microdollars: self.get("reported_microdollars")?,
            estimated_microdollars: self.get("estimated_microdollars")?,
            unknown_answers: self.count("unknown_answers")?,
        })
    }

    fn position(&self, name: &str) -> rusqlite::Result<usize> {
        let statement = self.row.as_ref();
        let next = self.next.get();
        let is_next = statement.column_name(next).is_ok_and(|it| it == name);
        let position = if is_next { next } else { statement.column_index(name)? };
        self.next.set(position + 1);
        Ok(position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rusqlite::Connection;

    #[test]
    fn columns_are_found_in_any_order() {
        let connection = Connection::open_in_memory().unwrap();
        let query = "SELECT 1 AS a, -2 AS b, 3 AS c";
        let read = |row: &Row<'_>| {
            let columns = Columns::of(row);
            let all = ["a", "b", "c", "a", "c"].map(|name| columns.get::<i64>(name).unwrap());
            assert!(columns.count("b").is_err() && columns.get::<i64>("d").is_err());
            Ok(all)
        };
        assert_eq!(connection.query_row(query, [], read).unwrap(), [1, -2, 3, 1, 3]);
    }
}

//! Blocks of five hours, as the limits of some providers count.

use std::collections::{BTreeMap, BTreeSet};
use taffrail_api::UsageBlock;
use taffrail_model::Timestamp;
use taffrail_store::SpentRow;

/// An hour, a quarter of it, and a block, in seconds.
const HOUR: i64 = 3_600;
const QUARTER: i64 = 900;
const BLOCK: i64 = 5 * HOUR;

/// Sums of blocks from rows by quarter and session. A block begins at the full hour of the first
/// answer that no earlier block holds. What has no time is in no block.
pub(crate) fn by_block(rows: Vec<SpentRow>, now: Timestamp) -> Vec<(Option<UsageBlock>, SpentRow)> {
    let mut quarters: BTreeMap<i64, Vec<(String, SpentRow)>> = BTreeMap::new();
    let mut out = Vec::new();
    for row in rows {
        match row.key.as_deref().and_then(quarter_of) {
            Some((quarter, session)) => quarters.entry(quarter).or_default().push((session, row)),
            None => out.push((None, row)),
        }
    }
    let mut blocks: BTreeMap<i64, (BTreeSet<String>, SpentRow)> = BTreeMap::new();
    for (quarter, rows) in quarters {
        let second = quarter.saturating_mul(QUARTER);
        let open = blocks.last_key_value().map(|(start, _)| *start);
        let open = open.filter(|start| second < start.saturating_add(BLOCK));
        let start = open.unwrap_or_else(|| second - second.rem_euclid(HOUR));
        let (sessions, sum) = blocks.entry(start).or_default();
        for (session, row) in rows {
            *sum = sum.plus(&row);
            sessions.insert(session);
        }
    }
    out.extend(blocks.into_iter().filter_map(|(start, it)| block(start, it, now)));
    out
}

fn quarter_of(key: &str) -> Option<(i64, String)> {
    let (quarter, session) = key.split_once(':')?;
    Some((quarter.parse().ok()?, session.to_owned()))
}

fn block(
    start: i64,
    (sessions, sum): (BTreeSet<String>, SpentRow),
    now: Timestamp,
) -> Option<(Option<UsageBlock>, SpentRow)> {
    let began = Timestamp::from_second(start).ok()?;
    let ends_at = Timestamp::from_second(start.saturating_add(BLOCK)).ok()?;
    let block = UsageBlock { ends_at, is_running: began <= now && now < ends_at };
    let row = SpentRow { key: Some(began.to_string()), sessions: sessions.len() as u64, ..sum };
    Some((Some(block), row))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The start of each block, its sessions, its answers, and whether it is running.
    fn blocks(rows: &[(&str, u64)], now: &str) -> Vec<(Option<String>, u64, u64, bool)> {
        let row = |(key, answers): &(&str, u64)| {
            let key = key.split_once(' ').map(|(at, session)| {
                let second = at.parse::<Timestamp>().unwrap().as_second();
                format!("{}:{session}", second / QUARTER)
            });
            SpentRow { key, sessions: 1, answers: *answers, ..SpentRow::default() }
        };
        let found = by_block(rows.iter().map(row).collect(), now.parse().unwrap());
        let is_running = |it: Option<UsageBlock>| it.is_some_and(|it| it.is_running);
        found
            .into_iter()
            .map(|(it, row)| (row.key, row.sessions, row.answers, is_running(it)))
            .collect()
    }

    #[test]
    fn a_block_begins_at_the_hour_of_its_first_answer() {
        let start = |it: &str| Some(it.to_owned());
        let rows = [
            ("unknown", 7),
            ("2026-11-17T08:45:00Z 1", 1),
            ("2026-11-17T12:45:00Z 1", 2),
            // The fifth hour is over at 13:00.
            ("2026-11-17T13:00:00Z 2", 4),
            ("2026-11-18T09:15:00Z 1", 8),
            ("2026-11-18T09:15:00Z 2", 16),
        ];
        assert_eq!(
            blocks(&rows, "2026-11-18T13:59:59Z"),
            [
                (None, 1, 7, false),
                (start("2026-11-17T08:00:00Z"), 1, 3, false),
                (start("2026-11-17T13:00:00Z"), 1, 4, false),
                (start("2026-11-18T09:00:00Z"), 2, 24, true),
            ]
        );
        let over = blocks(&rows, "2026-11-18T14:00:00Z");
        assert_eq!(over.iter().filter(|it| it.3).count(), 0);
    }
}

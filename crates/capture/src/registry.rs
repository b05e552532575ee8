//! Agents' own lists of live sessions.

use crate::{Home, open_below};
use std::io::Read;
use taffrail_adapters::LiveEntry;

/// The largest entry that is read.
const ENTRY_LIMIT: u64 = 64 * 1024;
/// The most entries of one list that are read.
const ENTRIES: usize = 4096;

/// The sessions that an agent lists as live in a home, by the name of the entry. Only entries are
/// opened; an entry that cannot be read now is read when it changes.
#[must_use]
pub fn live_entries(home: &Home) -> Vec<(String, LiveEntry)> {
    let Some(plan) = home.adapter.descriptor().live.as_ref().filter(|_| !home.journal) else {
        return Vec::new();
    };
    let entries = std::fs::read_dir(home.root.join(plan.folder)).into_iter().flatten().flatten();
    let names = entries.filter_map(|it| it.file_name().into_string().ok());
    let read = |name: String| {
        let file = open_below(&home.root, &format!("{}/{name}", plan.folder)).ok()?;
        let mut bytes = Vec::new();
        file.take(ENTRY_LIMIT).read_to_end(&mut bytes).ok()?;
        Some((name, (plan.read)(&bytes)?))
    };
    names.filter(|name| (plan.is_entry)(name)).take(ENTRIES).filter_map(read).collect()
}

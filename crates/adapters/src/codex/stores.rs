//! Where rollouts are: `rollout-<time>-<thread>[_<rollout>].jsonl[.zst]`, below `sessions` by date, or
//! below `archived_sessions`. A thread that was reverted continues in a rollout with an id of its own.

use super::rollout;
use taffrail_kit::{Encoding, Ids, Reads, Shape, Store};

/// The rollouts of Codex, and of agents that write the same files.
pub(crate) const STORES: &[Store] = &[
    rollouts(
        "sessions/{year:4}/{month:2}/{day:2}/rollout-{time:19}-{session:36}.jsonl",
        "{year}/{month}/{day}/rollout-{time}-{session}.jsonl",
        Encoding::Plain,
    ),
    rollouts(
        "sessions/{year:4}/{month:2}/{day:2}/rollout-{time:19}-{session:36}.jsonl.zst",
        "{year}/{month}/{day}/rollout-{time}-{session}.jsonl.zst",
        Encoding::Zstd,
    ),
    reverted(
        "sessions/{year:4}/{month:2}/{day:2}/rollout-{time:19}-{session:36}_{rollout:36}.jsonl",
        "{year}/{month}/{day}/rollout-{time}-{session}_{rollout}.jsonl",
        Encoding::Plain,
    ),
    reverted(
        "sessions/{year:4}/{month:2}/{day:2}/rollout-{time:19}-{session:36}_{rollout:36}.jsonl.zst",
        "{year}/{month}/{day}/rollout-{time}-{session}_{rollout}.jsonl.zst",
        Encoding::Zstd,
    ),
    rollouts(
        "archived_sessions/rollout-{time:19}-{session:36}.jsonl",
        "archived/rollout-{time}-{session}.jsonl",
        Encoding::Plain,
    ),
    rollouts(
        "archived_sessions/rollout-{time:19}-{session:36}.jsonl.zst",
        "archived/rollout-{time}-{session}.jsonl.zst",
        Encoding::Zstd,
    ),
    reverted(
        "archived_sessions/rollout-{time:19}-{session:36}_{rollout:36}.jsonl",
        "archived/rollout-{time}-{session}_{rollout}.jsonl",
        Encoding::Plain,
    ),
    reverted(
        "archived_sessions/rollout-{time:19}-{session:36}_{rollout:36}.jsonl.zst",
        "archived/rollout-{time}-{session}_{rollout}.jsonl.zst",
        Encoding::Zstd,
    ),
];

const fn rollouts(path: &'static str, locator: &'static str, encoding: Encoding) -> Store {
    let store = Store::of(path, Shape::Lines(encoding), Reads::Stateful(rollout::dialect));
    Store { locator, ids: Ids::Guessed, ..store }
}

/// Where both have an event, the rollout after the cut is right.
const fn reverted(path: &'static str, locator: &'static str, encoding: Encoding) -> Store {
    Store { rank: 1, ..rollouts(path, locator, encoding) }
}

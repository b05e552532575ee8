//! The names of rollout files: `rollout-<time>-<thread>[_<rollout>].jsonl[.zst]`.

use taffrail_kit::Encoding;
use taffrail_kit::transfer::is_uuid;

/// The length of `2026-11-14T23-00-38`.
const TIME_LENGTH: usize = 19;

/// The parts of a rollout file's name.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct RolloutName<'a> {
    /// The thread, which is the session.
    pub(super) thread: &'a str,
    /// The rollout, if the thread was reverted and continues in this file.
    pub(super) rollout: Option<&'a str>,
    /// How the bytes are stored.
    pub(super) encoding: Encoding,
}

impl<'a> RolloutName<'a> {
    /// Reads a file's name.
    pub(super) fn parse(file: &'a str) -> Option<Self> {
        let (name, encoding) = match file.strip_suffix(".zst") {
            Some(name) => (name, Encoding::Zstd),
            None => (file, Encoding::Plain),
        };
        let name = name.strip_prefix("rollout-")?.strip_suffix(".jsonl")?;
        let ids = name.get(TIME_LENGTH..)?.strip_prefix('-')?;
        let (thread, rollout) = match ids.split_once('_') {
            Some((thread, rollout)) => (thread, Some(rollout)),
            None => (ids, None),
        };
        let whole = is_uuid(thread) && rollout.is_none_or(is_uuid);
        whole.then_some(Self { thread, rollout, encoding })
    }
}

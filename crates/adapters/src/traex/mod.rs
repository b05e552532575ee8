//! TRAE CLI 2.0, also called TraeX: the rollouts of Codex below `~/.trae/cli`.

use crate::codex;
use taffrail_kit::{Agent, Descriptor, Encoding, Evidence, HomeRule, Reads, Shape, Store};

/// The adapter for TRAE CLI.
pub static ADAPTER: Agent = Agent {
    known: codex::KNOWN_FIELDS,
    ..Agent::new(
        &DESCRIPTOR,
        &[
            rollouts("sessions/*/*/*/rollout-*.jsonl", Encoding::Plain),
            rollouts("sessions/*/*/*/rollout-*.jsonl.zst", Encoding::Zstd),
            rollouts("archived_sessions/rollout-*.jsonl", Encoding::Plain),
            rollouts("archived_sessions/rollout-*.jsonl.zst", Encoding::Zstd),
        ],
    )
};

const fn rollouts(path: &'static str, encoding: Encoding) -> Store {
    Store::of(path, Shape::Lines(encoding), Reads::Foreign(codex::twin))
}

static DESCRIPTOR: Descriptor = Descriptor {
    id: "traex",
    label: "TRAE CLI",
    short: "traex",
    scheme: "traex-rollout",
    homes: &[&[HomeRule::user(".trae/cli")]],
    roots: &["sessions", "archived_sessions"],
    processes: &["traex"],
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

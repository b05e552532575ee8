//! TRAE CLI 2.0, also called TraeX: the rollouts of Codex below `~/.trae/cli`.

use crate::codex;
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule};

/// The adapter for TRAE CLI.
pub static ADAPTER: Agent =
    Agent { known: codex::KNOWN_FIELDS, ..Agent::new(&DESCRIPTOR, codex::STORES) };

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

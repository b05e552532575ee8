//! Roo Code: tasks in the storage of an editor.

use crate::dialects::{cline_task, editor_homes};
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, Os};

/// The adapter for Roo Code.
pub static ADAPTER: Agent = Agent::new(&DESCRIPTOR, cline_task::ROO);

static DESCRIPTOR: Descriptor = Descriptor {
    id: "roo-code",
    label: "Roo Code",
    short: "roo",
    scheme: "roo-task",
    homes: editor_homes!(
        "rooveterinaryinc.roo-cline";
        "Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"
    ),
    roots: &["tasks"],
    rewrites_records: true,
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

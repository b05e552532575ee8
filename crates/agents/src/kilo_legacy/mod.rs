//! The old Kilo Code extension: tasks in the storage of an editor.

use crate::dialects::{cline_task, editor_homes};
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, Os};

/// The adapter for Kilo Code (old extension).
pub static ADAPTER: Agent = Agent::new(&DESCRIPTOR, cline_task::ROO);

static DESCRIPTOR: Descriptor = Descriptor {
    id: "kilo-legacy",
    label: "Kilo Code (old extension)",
    short: "kilo-old",
    scheme: "kilo-task",
    homes: editor_homes!(
        "kilocode.kilo-code";
        "Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"
    ),
    roots: &["tasks"],
    rewrites_records: true,
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

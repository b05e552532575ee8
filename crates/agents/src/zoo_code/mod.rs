//! Zoo Code, the successor of Roo Code: tasks in the storage of an editor.

use crate::dialects::{cline_task, editor_homes};
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, Os};

/// The adapter for Zoo Code.
pub static ADAPTER: Agent = Agent::new(&DESCRIPTOR, cline_task::ROO);

static DESCRIPTOR: Descriptor = Descriptor {
    id: "zoo-code",
    label: "Zoo Code",
    short: "zoo",
    scheme: "zoo-task",
    homes: editor_homes!(
        "zoocodeorganization.zoo-code";
        "Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"
    ),
    roots: &["tasks"],
    rewrites_records: true,
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

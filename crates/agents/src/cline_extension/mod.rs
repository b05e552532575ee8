//! The Cline extension: tasks in the storage of an editor, or in Cline's own folder.

use crate::dialects::{cline_task, editor_homes};
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, Os};

/// The adapter for Cline (editor extension).
pub static ADAPTER: Agent = Agent::new(&DESCRIPTOR, cline_task::CLINE);

static DESCRIPTOR: Descriptor = Descriptor {
    id: "cline-extension",
    label: "Cline (editor extension)",
    short: "cline-x",
    scheme: "cline-task",
    homes: editor_homes!(
        "saoudrizwan.claude-dev";
        "Code", "Code - Insiders", "VSCodium", "Cursor", "Windsurf"; HomeRule::user(".cline/data")
    ),
    roots: &["tasks"],
    rewrites_records: true,
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

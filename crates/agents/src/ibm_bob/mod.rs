//! IBM Bob: tasks in the storage of its editor.

use crate::dialects::{cline_task, editor_homes};
use taffrail_kit::{Agent, Descriptor, Evidence, HomeRule, Os};

/// The adapter for IBM Bob.
pub static ADAPTER: Agent = Agent::new(&DESCRIPTOR, cline_task::ROO);

static DESCRIPTOR: Descriptor = Descriptor {
    id: "ibm-bob",
    label: "IBM Bob",
    short: "bob",
    scheme: "bob-task",
    homes: editor_homes!(
        "ibm.bob-code";
        "IBM Bob", "Bob-IDE", "Code"
    ),
    roots: &["tasks"],
    rewrites_records: true,
    evidence: Evidence::Source,
    ..Descriptor::NOTHING
};

//! Converts a session of the index to the form of the API.

use crate::imported::{imported_reading, imported_status};
use crate::status::apply_status;
use taffrail_api::{Session, SessionCost};
use taffrail_context::Devices;
use taffrail_model::status::{Group, Status};
use taffrail_model::{Confidence, Lifecycle, replication};
use taffrail_store::SessionRow;

/// How certain it is that a session is over that had no activity for a day, as the rules of its
/// status say.
fn confidence(row: &SessionRow) -> Confidence {
    match (row.ended_at, row.process) {
        (Some(_), _) => Confidence::High,
        (None, Some(_)) => Confidence::Medium,
        (None, None) => Confidence::Low,
    }
}

/// Converts a session to the form of the API.
pub fn session(devices: &Devices, row: SessionRow) -> Session {
    let imported = imported_reading(&row).map(imported_status);
    let mut session = converted(devices, row);
    if let Some(status) = imported {
        // The group of an imported session does not depend on the time.
        apply_status(&mut session, &status, status.reading.since);
    }
    session
}

fn converted(devices: &Devices, row: SessionRow) -> Session {
    // A session that is not captured, or that runs elsewhere, cannot be known here to be over.
    let is_here = row.captured && !replication::is_locator(&row.source_uri);
    // Prompts say nothing about how a session ended.
    let ours = is_here && row.lifecycle != Lifecycle::PromptsOnly;
    let confidence = if ours { confidence(&row) } else { Confidence::Low };
    Session {
        device: devices.name_at(&row.source_uri),
        id: row.id,
        agent: row.agent,
        runtime_session_id: row.runtime_id,
        title: row.title,
        title_derived: row.title_derived,
        project_path: row.project_path,
        git_branch: row.git_branch,
        model: row.model,
        lifecycle: row.lifecycle,
        started_at: row.started_at,
        last_event_at: row.last_event_at,
        turns: row.turns,
        prompts: row.prompts,
        tool_calls: row.tool_calls,
        failures: row.failures,
        usage: row.tokens.into(),
        cost_microdollars: row.cost_microdollars,
        cost: SessionCost::new(row.cost, row.cost_microdollars, row.workers_microdollars),
        parent_id: row.parent,
        lineage: row.lineage,
        source_uri: row.source_uri,
        captured: row.captured,
        // Nothing more is known of an uncaptured session.
        group: match row.failure {
            Some(_) if ours => Group::Failed,
            _ if row.captured => Group::Done,
            _ => Group::Idle,
        },
        failed: ours && row.failure.is_some(),
        status: if ours { Status::Exited } else { Status::Unknown },
        status_since: row.ended_at.or(row.last_event_at).or(row.started_at),
        waiting_for: None,
        confidence,
        pid: None,
        executor: None,
        auto_title: None,
        last_user_prompt_at: None,
        last_assistant_output_at: None,
        active_turn_id: None,
        pending_approval_id: None,
        findings: Vec::new(),
        tags: Vec::new(),
        starred: false,
        imported: row.imported,
    }
}

//! Requests that only a screen shows. They are listed and never stored: no hook waits for an
//! answer, and neither a rule nor a person can decide them here.

use taffrail_api::ApprovalRow;
use taffrail_context::Error;
use taffrail_context::LiveStatus;
use taffrail_context::LiveStatuses;
use taffrail_model::approval::{ApprovalId, State};
use taffrail_model::rules::{Request, risk};
use taffrail_model::status::Status;
use taffrail_model::{AgentId, Confidence, Origin};
use taffrail_store::{IndexReader, SessionRow};

/// Requests that only a screen shows, oldest first.
pub(crate) fn seen(index: &IndexReader, cards: &LiveStatuses) -> Result<Vec<ApprovalRow>, Error> {
    let mut out = Vec::new();
    for (id, card) in cards.iter().filter(|(_, card)| is_seen(card)) {
        out.extend(index.session_by_id(*id)?.map(|row| request(&row, card)));
    }
    out.sort_by_key(|it| (it.asked_at, it.session_id));
    Ok(out)
}

fn is_seen(card: &LiveStatus) -> bool {
    let reading = &card.reading;
    let mut rests_on = reading.rests_on.iter().filter_map(|it| card.evidence.get(*it));
    reading.status == Status::WaitingApproval && rests_on.any(|it| it.source == Origin::Pty)
}

fn request(row: &SessionRow, card: &LiveStatus) -> ApprovalRow {
    let reading = &card.reading;
    let text = reading.waiting_for.as_ref().map(|it| it.text.clone()).unwrap_or_default();
    let project = row.project_path.as_deref().map(std::path::Path::new);
    let asks = Request {
        tool: "",
        command: Some(&text),
        agent: Some(&row.agent),
        project,
        files: &[],
        beside: &[],
    };
    ApprovalRow {
        id: ApprovalId::of(&format!("{} {}", row.id, reading.since)),
        session_id: row.id,
        project_path: row.project_path.clone(),
        agent: AgentId::new(row.agent.clone()),
        tool: String::new(),
        risk: risk(&asks).level.as_str().to_owned(),
        command: text,
        truncated: false,
        redacted: false,
        input_hash: String::new(),
        state: State::DialogOnly,
        outcome: None,
        asked_at: reading.since,
        expires_at: reading.since,
        sources: vec![Origin::Pty.as_str().to_owned()],
        confidence: Confidence::Low,
        device: None,
        input: None,
        provenance: None,
    }
}

//! Sessions whose source is on disk and not indexed: reads their paths and first lines.

use std::collections::HashSet;
use std::time::{Duration, Instant};
use taffrail_api::{ListRequest, Session, SessionCost};
use taffrail_capture::{Job, Plan, SourceFile, peek};
use taffrail_context::Settings;
use taffrail_model::status::{Group, Status};
use taffrail_model::{
    Confidence, Facts, Lifecycle, Lineage, LineageKind, RuntimeIdentity, SessionId, Timestamp,
    TitleRank, Tokens, prompt_history,
};

/// How long reading the first lines of files that are not indexed yet may take.
const PEEKING: Duration = Duration::from_millis(200);
/// The most sessions whose first lines are read before they are indexed.
const PEEKS: usize = 60;

/// Adds sessions whose source exists and was never read, from their paths and first lines.
pub(crate) fn add_unread(
    settings: &Settings,
    (sessions, plan): (&mut Vec<Session>, &Plan),
    request: &ListRequest,
) {
    let known: HashSet<SessionId> = sessions.iter().map(|it| it.id).collect();
    let began = Instant::now();
    let unread = plan.jobs.iter().filter(|job| job.known.is_none() && is_asked_for(job, request));
    for (number, job) in unread.enumerate() {
        let look =
            (number < PEEKS && began.elapsed() < PEEKING).then(|| peek(&job.found)).flatten();
        let seen = match (look, &job.found.place.session) {
            (Some(look), _) => Some((look.who, look.facts, look.last_at)),
            (None, Some(who)) => Some((who.clone(), Facts::default(), None)),
            (None, None) => None,
        };
        if let Some((who, facts, last_at)) = seen
            && !known.contains(&who.session())
            && (request.all || facts.parent.is_none())
        {
            let mut session = unread_session(&job.found, &who, facts, last_at);
            session.device = settings.devices.name_at(&session.source_uri);
            sessions.push(session);
        }
    }
    sessions.sort_by_key(|it| std::cmp::Reverse(it.last_event_at));
    sessions.truncate(request.limit.unwrap_or(usize::MAX));
}

fn is_asked_for(job: &Job, request: &ListRequest) -> bool {
    let agent = job.found.adapter.descriptor();
    request.agent.as_deref().is_none_or(|wanted| wanted == agent.id || wanted == agent.short)
        && !prompt_history::is_shared(&job.found.place.locator)
        && (request.all || !job.found.place.is_worker)
        && request.project.is_none()
        && request.device.is_none()
        && request.tag.is_none()
        && !request.starred
        && request.until.is_none()
        && request.model.is_none()
        && request.branch.is_none()
        && request.since.is_none_or(|since| changed(&job.found) >= Some(since))
}

fn changed(found: &SourceFile) -> Option<Timestamp> {
    Timestamp::from_nanosecond(i128::from(found.fingerprint.modified_ns)).ok()
}

fn unread_session(
    found: &SourceFile,
    who: &RuntimeIdentity,
    facts: Facts,
    last_at: Option<Timestamp>,
) -> Session {
    let resumes = found.adapter.resumes_by_id() && facts.parent.is_none();
    let fork = facts.forked_from.as_ref();
    let lineage = fork.map(|it| Lineage { kind: LineageKind::Fork, session_id: it.session() });
    Session {
        device: None,
        id: who.session(),
        agent: who.agent.to_string(),
        runtime_session_id: who.id.clone(),
        title_derived: facts.title.as_ref().is_some_and(|it| it.rank <= TitleRank::FirstPrompt),
        title: facts.title.map(|it| it.text),
        project_path: facts.project_path,
        git_branch: facts.git_branch,
        model: facts.model,
        lifecycle: if resumes { Lifecycle::Resumable } else { Lifecycle::Detached },
        started_at: facts.started_at,
        last_event_at: last_at.or_else(|| changed(found)),
        turns: 0,
        prompts: 0,
        tool_calls: 0,
        failures: 0,
        usage: Tokens::default().into(),
        cost_microdollars: facts.cost_microdollars,
        cost: SessionCost {
            reported_microdollars: facts.cost_microdollars,
            with_workers_microdollars: facts.cost_microdollars,
            ..SessionCost::default()
        },
        parent_id: facts.parent.map(|it| it.session()),
        lineage,
        source_uri: found.place.locator.clone(),
        captured: true,
        group: Group::Done,
        failed: false,
        status: Status::Unknown,
        status_since: None,
        waiting_for: None,
        confidence: Confidence::Low,
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
        imported: facts.imported,
    }
}

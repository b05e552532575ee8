//! Lists of sessions, also before everything is indexed.

use crate::choosing::{asks_what_about, chosen, is_narrowed};
use crate::indexing::{Budget, Progress, Scope, bring_up, planned};
use crate::live::glance;
use crate::relay::{Device, Devices};
use crate::searching::Bring;
use crate::standing::stand;
use crate::summary::bring_up as bring_finals_up;
use crate::{DaemonError, Settings};
use std::collections::HashSet;
use std::time::{Duration, Instant};
use taffrail_adapters::{Adapter, owners};
use taffrail_api::{ListRequest, Session};
use taffrail_capture::{Found, Job, Plan, discover, peek};
use taffrail_model::status::{Group, Status};
use taffrail_model::summary::Category;
use taffrail_model::{
    Confidence, Facts, Lifecycle, Lineage, LineageKind, RuntimeIdentity, SessionId, Timestamp,
    TitleRank, Tokens, journal, relay,
};
use taffrail_store::{Filter, IndexReader, SessionRow, SourceAt};

/// How long a first look at what is not indexed yet may take.
const PEEKING: Duration = Duration::from_millis(200);
/// The most sessions looked at before they are indexed.
const PEEKS: usize = 60;

/// What a list shows, and what it could not show yet.
#[derive(Debug)]
pub struct Listing {
    /// The sessions, the latest first.
    pub sessions: Vec<Session>,
    /// What waits to be read.
    pub waiting: Waiting,
    /// Sources that could not be read.
    pub problems: Vec<String>,
    /// What some sessions that are over were about is not known yet.
    pub unfinished: bool,
}

/// What is on disk and not in the index.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Waiting {
    /// Sources with something new.
    pub sources: usize,
    /// Its bytes.
    pub bytes: u64,
    /// Another program is writing.
    pub writer_elsewhere: bool,
}

/// Lists sessions after catching up within a budget.
///
/// # Errors
/// When our own files cannot be read.
pub fn list(
    settings: &Settings,
    request: &ListRequest,
    budget: Budget,
    progress: &mut dyn FnMut(Progress),
) -> Result<Listing, DaemonError> {
    let caught_up = caught_up(settings, budget, progress)?;
    let unfinished = asks_what_about(request) && !bring_finals_up(settings, budget)?;
    if let Some(reader) = caught_up.reader.as_ref().filter(|_| is_narrowed(request)) {
        let sessions = chosen(settings, &glance(settings, reader)?, request)?;
        return Ok(Listing {
            sessions,
            waiting: caught_up.waiting(),
            problems: caught_up.problems,
            unfinished,
        });
    }
    let mut sessions = match &caught_up.reader {
        Some(reader) => {
            let rows = reader.sessions(&filter(settings, request)?)?.into_iter();
            rows.map(|it| session(&settings.devices, it)).collect()
        }
        None => Vec::new(),
    };
    if !asks_what_about(request) {
        add_unread(settings, (&mut sessions, &caught_up.left), request);
    }
    if let Some(reader) = caught_up.reader.as_ref().filter(|_| !settings.kept_up) {
        // A daemon knows how they stand; without one they are looked at now.
        let (cards, now) = (glance(settings, reader)?, (settings.now)());
        for session in &mut sessions {
            if let Some(card) = cards.get(&session.id) {
                stand(session, card, now);
            }
        }
    }
    let (waiting, problems) = (caught_up.waiting(), caught_up.problems);
    Ok(Listing { sessions, waiting, problems, unfinished })
}

/// The index after catching up, and what is still missing from it.
pub(crate) struct CaughtUp {
    pub(crate) reader: Option<IndexReader>,
    pub(crate) problems: Vec<String>,
    left: Plan,
    writer_elsewhere: bool,
}

impl CaughtUp {
    /// What waits to be read.
    pub(crate) fn waiting(&self) -> Waiting {
        let (sources, bytes) = (self.left.jobs.len(), self.left.bytes());
        Waiting { sources, bytes, writer_elsewhere: self.writer_elsewhere }
    }
}

/// Catches up within a budget; while another program writes, what is indexed must do.
pub(crate) fn caught_up(
    settings: &Settings,
    budget: Budget,
    progress: &mut dyn FnMut(Progress),
) -> Result<CaughtUp, DaemonError> {
    let indexed = match bring_up(settings, (&Scope::All, budget), Bring::Never, progress) {
        Ok(indexed) => Some(indexed),
        Err(error) if error.is_busy() => None,
        Err(error) => return Err(error),
    };
    let reader = IndexReader::open(&settings.data)?;
    let left = match &indexed {
        Some(indexed) if indexed.complete => Plan::default(),
        _ => still_unread(settings, reader.as_ref())?,
    };
    let writer_elsewhere = indexed.is_none();
    let problems = indexed.map(|indexed| indexed.problems).unwrap_or_default();
    Ok(CaughtUp { reader, problems, left, writer_elsewhere })
}

fn still_unread(settings: &Settings, reader: Option<&IndexReader>) -> Result<Plan, DaemonError> {
    let known = match reader {
        Some(reader) => reader.sources()?,
        None => Vec::new(),
    };
    Ok(planned(discover(&settings.eyes()), known, &Scope::All))
}

/// The same question to the index.
pub(crate) fn filter(settings: &Settings, request: &ListRequest) -> Result<Filter, DaemonError> {
    Ok(Filter {
        workers: request.all,
        limit: request.limit,
        agent: request.agent.as_deref().map(agent_id).transpose()?,
        since: request.since,
        project: request.project.clone(),
        topic: request.topic.clone(),
        category: request.category.as_deref().map(category).transpose()?,
        source: request.device.as_deref().map(|it| device(settings, it)).transpose()?,
        ..Filter::default()
    })
}

/// An agent by its id or its short name.
pub(crate) fn agent_id(word: &str) -> Result<String, DaemonError> {
    let mut agents = owners().map(Adapter::descriptor);
    let found = agents.find(|it| it.id == word || it.short == word);
    found.map(|it| it.id.to_owned()).ok_or_else(|| DaemonError::UnknownAgent(word.to_owned()))
}

/// Where the history of a device's sessions is.
pub(crate) fn device(settings: &Settings, word: &str) -> Result<SourceAt, DaemonError> {
    Ok(match settings.devices.meant(&settings.data, word)? {
        Device::Here => SourceAt::NotBelow(format!("{}:", relay::SCHEME)),
        Device::Other(id) => SourceAt::Below(relay::locator(id.as_str(), "")),
    })
}

/// A category by its name.
pub(crate) fn category(word: &str) -> Result<Category, DaemonError> {
    Category::meant(word).ok_or_else(|| DaemonError::UnknownCategory(word.to_owned()))
}

/// A session as the contract writes it.
pub(crate) fn session(devices: &Devices, row: SessionRow) -> Session {
    // Of what is not captured, or runs elsewhere, nobody here can say that it is over.
    let ours = row.captured && !relay::is_locator(&row.source_uri);
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
        usage: row.tokens.into(),
        cost_microdollars: row.cost_microdollars,
        parent_id: row.parent,
        lineage: row.lineage,
        source_uri: row.source_uri,
        captured: row.captured,
        // Of what is not captured nobody can say more.
        group: if row.captured { Group::Done } else { Group::Idle },
        status: if ours { Status::Exited } else { Status::Unknown },
        status_since: row.last_event_at.or(row.started_at),
        waiting_for: None,
        // Nothing moved for a day and no process is known: that it is over is only likely.
        confidence: Confidence::Low,
        pid: None,
        executor: None,
    }
}

/// Adds sessions whose source is there and was never read: what their path and a first look tell.
fn add_unread(
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
        && !journal::is_locator(&job.found.place.locator)
        && (request.all || !job.found.place.is_worker)
        && request.project.is_none()
        && request.device.is_none()
        && request.since.is_none_or(|since| changed(&job.found) >= Some(since))
}

fn changed(found: &Found) -> Option<Timestamp> {
    Timestamp::from_nanosecond(i128::from(found.fingerprint.modified_ns)).ok()
}

fn unread_session(
    found: &Found,
    who: &RuntimeIdentity,
    facts: Facts,
    last_at: Option<Timestamp>,
) -> Session {
    let resumes = found.adapter.descriptor().capabilities.resume_by_id && facts.parent.is_none();
    let fork = facts.forked_from.as_ref();
    let lineage = fork.map(|it| Lineage { kind: LineageKind::Fork, session_id: it.session() });
    Session {
        device: None,
        id: who.session(),
        agent: who.agent.to_string(),
        runtime_session_id: who.id.clone(),
        title_derived: facts.title.as_ref().is_some_and(|it| it.rank == TitleRank::FirstPrompt),
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
        usage: Tokens::default().into(),
        cost_microdollars: facts.cost_microdollars,
        parent_id: facts.parent.map(|it| it.session()),
        lineage,
        source_uri: found.place.locator.clone(),
        captured: true,
        group: Group::Done,
        status: Status::Unknown,
        status_since: None,
        waiting_for: None,
        confidence: Confidence::Low,
        pid: None,
        executor: None,
    }
}

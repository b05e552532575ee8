//! What sessions did in a span of time: counts by project, what waits, what broke down, and what is
//! finished.

use crate::board::recent_statuses;
use crate::catch_up::{Waiting, caught_up};
use crate::filter::filter;
use crate::page::{PageRequest, SortOrder, page};
use std::cmp::Reverse;
use taffrail_api::{
    Digest, DigestProject, DigestSession, DigestSums, ListRequest, SCHEMA_VERSION, Session,
};
use taffrail_context::{Error, Settings};
use taffrail_ingest::{Budget, Progress};
use taffrail_model::Timestamp;
use taffrail_model::cost::plus;
use taffrail_model::status::Group;
use taffrail_store::{Filter, IndexReader, ProjectSums};

/// How many finished sessions are named.
const FINISHED: usize = 20;
/// How many sessions are named elsewhere.
const NAMED: usize = 20;

/// A digest, and the data it does not include yet.
#[derive(Debug)]
pub struct Digested {
    /// The digest.
    pub digest: Digest,
    /// The data that is not indexed yet.
    pub waiting: Waiting,
    /// Sources that could not be read.
    pub problems: Vec<String>,
}

/// What the sessions of a request did since its instant, after catching up within a budget.
///
/// # Errors
/// When the request has no beginning, or our own files cannot be read.
pub fn digest(
    settings: &Settings,
    request: &ListRequest,
    budget: Budget<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Digested, Error> {
    let since = request.since.ok_or(Error::NoPeriod)?;
    let caught_up = caught_up(settings, budget, progress)?;
    let digest = match &caught_up.reader {
        Some(reader) => digested(settings, reader, (request, since))?,
        None => nothing(settings, (request, since)),
    };
    Ok(Digested { digest, waiting: caught_up.waiting(), problems: caught_up.problems })
}

fn nothing(settings: &Settings, (request, since): (&ListRequest, Timestamp)) -> Digest {
    Digest {
        schema_version: SCHEMA_VERSION,
        since,
        until: request.until.unwrap_or_else(|| (settings.now)()),
        totals: DigestSums::default(),
        commits: 0,
        projects: Vec::new(),
        waiting: Vec::new(),
        failed: Vec::new(),
        finished: Vec::new(),
        more_finished: 0,
    }
}

fn digested(
    settings: &Settings,
    reader: &IndexReader,
    (request, since): (&ListRequest, Timestamp),
) -> Result<Digest, Error> {
    let request = ListRequest { with_transcript: true, limit: None, ..request.clone() };
    let all = Filter { workers: true, ..filter(settings, &request)? };
    let mut projects: Vec<_> = reader.projects(&all)?.into_iter().map(project).collect();
    projects.sort_by_key(|it| (Reverse(it.sums.sessions), it.path.clone()));
    let totals = projects.iter().fold(DigestSums::default(), |sum, it| add(&sum, &it.sums));
    let sessions = sessions(settings, reader, &request)?;
    let in_group = |groups: &[Group]| -> Vec<&Session> {
        sessions.iter().filter(|it| groups.contains(&it.group)).collect()
    };
    let mut waiting = in_group(&[Group::NeedsYou, Group::YourTurn]);
    waiting.sort_by_key(|it| (it.group != Group::NeedsYou, it.status_since));
    let (failed, finished) = (in_group(&[Group::Failed]), in_group(&[Group::Done]));
    let named = |all: &[&Session], most: usize| {
        all.iter().take(most).map(|it| named(reader, it)).collect::<Result<Vec<_>, Error>>()
    };
    Ok(Digest {
        totals,
        commits: commits(reader, &sessions)?,
        projects,
        waiting: named(&waiting, NAMED)?,
        failed: named(&failed, NAMED)?,
        finished: named(&finished, FINISHED)?,
        more_finished: finished.len().saturating_sub(FINISHED) as u64,
        ..nothing(settings, (&request, since))
    })
}

fn project(sums: ProjectSums) -> DigestProject {
    DigestProject {
        path: sums.path,
        sums: DigestSums {
            sessions: sums.sessions,
            prompts: sums.prompts,
            tokens: sums.tokens,
            cost_microdollars: sums.cost_microdollars,
            failures: sums.failures,
        },
    }
}

fn add(one: &DigestSums, other: &DigestSums) -> DigestSums {
    DigestSums {
        sessions: one.sessions + other.sessions,
        prompts: one.prompts + other.prompts,
        tokens: one.tokens.saturating_add(other.tokens),
        cost_microdollars: plus(one.cost_microdollars, other.cost_microdollars),
        failures: one.failures + other.failures,
    }
}

/// The sessions of a request with their status, the latest first.
fn sessions(
    settings: &Settings,
    reader: &IndexReader,
    list: &ListRequest,
) -> Result<Vec<Session>, Error> {
    let cards = recent_statuses(settings, reader)?;
    let order = SortOrder::parse(None, None)?;
    let (list, words) = (list.clone(), Vec::new());
    let request = PageRequest { list, words, order, after: None, facets: false };
    Ok(page(settings, &cards, &request)?.sessions)
}

fn named(reader: &IndexReader, session: &Session) -> Result<DigestSession, Error> {
    let waits = session.waiting_for.as_ref().map(|it| it.text.clone());
    let told = match (&waits, reader.session_by_id(session.id)?) {
        (None, Some(row)) => reader.final_of(&row)?.map(|it| it.summary.recent),
        _ => None,
    };
    Ok(DigestSession {
        id: session.id,
        agent: session.agent.clone(),
        title: session.title.clone(),
        project_path: session.project_path.clone(),
        at: session.status_since.filter(|_| waits.is_some()).or(session.last_event_at),
        text: waits.or(told).filter(|it| !it.is_empty()),
    })
}

fn commits(reader: &IndexReader, sessions: &[Session]) -> Result<u64, Error> {
    let mut commits = 0;
    for session in sessions {
        if let Some(row) = reader.row_of(session.id)? {
            commits += reader.quality(row)?.outcome.commits;
        }
    }
    Ok(commits)
}

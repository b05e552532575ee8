//! Answering a question as it was typed.

use crate::bodies::{reference, sources};
use crate::indexing::{Budget, Progress, Scope, bring_up};
use crate::listing::{agent_id, category, device};
use crate::relay::Devices;
use crate::searching::Bring;
use crate::summary::bring_up as bring_finals_up;
use crate::{DaemonError, Settings, Target, resolve};
use std::collections::HashSet;
use std::path::Path;
use std::time::{Duration, Instant};
use taffrail_api::{SCHEMA_VERSION, SearchHit, SearchReply, SearchRequest};
use taffrail_capture::Sources;
use taffrail_model::when;
use taffrail_store::search::{
    Hit, Hits, Query, SearchReader, SearchWriter, Want, kinds_meant, snippet,
};
use taffrail_store::{EventRow, Filter, IndexReader, SessionRow, StoreError, Writer};

/// A history that was searched before is caught up with for at most this long.
const CATCH_UP: Duration = Duration::from_secs(2);

/// Finds what was asked for, after catching up.
///
/// # Errors
/// When a filter is not understood or our own files cannot be read.
pub fn search(
    settings: &Settings,
    request: &SearchRequest,
    progress: &mut dyn FnMut(Progress),
) -> Result<SearchReply, DaemonError> {
    match answer(settings, request, progress) {
        // What is damaged is made again, once.
        Err(DaemonError::Store(StoreError::Search(_))) => {
            let writer = Writer::open(&settings.data, settings.boot())?;
            SearchWriter::throw_away(&settings.data)?;
            drop(writer);
            answer(settings, request, progress)
        }
        answered => answered,
    }
}

fn answer(
    settings: &Settings,
    request: &SearchRequest,
    progress: &mut dyn FnMut(Progress),
) -> Result<SearchReply, DaemonError> {
    let query = Query::parse(&request.query);
    let partial = !caught_up(settings, &query, progress)?;
    let (Some(index), Some(found)) =
        (IndexReader::open(&settings.data)?, SearchReader::open(&settings.data))
    else {
        return Ok(reply(&Hits::default(), Vec::new(), partial));
    };
    let want = want(settings, request, &query, &index)?;
    let found = found.find(&want, request.limit, (settings.now)())?;
    let devices = &settings.devices;
    let mut teller = Teller { index: &index, query: &query, devices, sources: sources(settings) };
    let mut hits = Vec::with_capacity(found.hits.len());
    for hit in &found.hits {
        hits.extend(teller.hit(hit)?);
    }
    Ok(reply(&found, hits, partial))
}

fn reply(found: &Hits, hits: Vec<SearchHit>, partial: bool) -> SearchReply {
    let total = found.total as u64;
    let total_is_at_least = found.total_is_at_least;
    SearchReply { schema_version: SCHEMA_VERSION, total, total_is_at_least, partial, hits }
}

/// Brings index and search up; `false` when not everything was read.
fn caught_up(
    settings: &Settings,
    query: &Query,
    progress: &mut dyn FnMut(Progress),
) -> Result<bool, DaemonError> {
    let budget = match SearchReader::open(&settings.data) {
        Some(_) => Budget::Until(Instant::now() + CATCH_UP),
        None => Budget::Whole,
    };
    let complete = match bring_up(settings, (&Scope::All, budget), Bring::Now, progress) {
        Ok(indexed) => indexed.complete,
        Err(error) if error.is_busy() => false,
        Err(error) => return Err(error),
    };
    Ok(complete && (!query.asks_what_about() || bring_finals_up(settings, budget)?))
}

/// The filters as they are meant.
fn want<'a>(
    settings: &Settings,
    request: &SearchRequest,
    query: &'a Query,
    index: &IndexReader,
) -> Result<Want<'a>, DaemonError> {
    if let Some(kind) = query.kind.as_deref().filter(|it| kinds_meant(it) == 0) {
        return Err(DaemonError::UnknownKind(kind.to_owned()));
    }
    let since = match query.since.as_deref() {
        None => None,
        Some(typed) => {
            let at = when::since(typed, (settings.now)());
            Some(at.ok_or_else(|| DaemonError::NoTime(typed.to_owned()))?)
        }
    };
    Ok(Want { query, sessions: sessions(settings, request, query, index)?, since })
}

fn sessions(
    settings: &Settings,
    request: &SearchRequest,
    query: &Query,
    index: &IndexReader,
) -> Result<Option<HashSet<i64>>, DaemonError> {
    let mut filter = Filter { workers: true, ..Filter::default() };
    filter.agent = query.agent.as_deref().map(agent_id).transpose()?;
    if let Some(typed) = query.project.as_deref() {
        let at_home = typed.strip_prefix("~/").map(|below| settings.user_home.join(below));
        match (at_home, typed.contains('/') || typed == ".") {
            (Some(path), _) => filter.project = Some(path.to_string_lossy().into_owned()),
            (None, true) => filter.project = Some(absolute(&request.here, typed)),
            (None, false) => filter.project_name = Some(typed.to_owned()),
        }
    }
    filter.topic.clone_from(&query.topic);
    filter.category = query.category.as_deref().map(category).transpose()?;
    filter.source = query.device.as_deref().map(|it| device(settings, it)).transpose()?;
    let any = filter.agent.is_some()
        || filter.source.is_some()
        || query.project.is_some()
        || query.asks_what_about();
    let mut rows = any.then(|| index.rows_of(&filter)).transpose()?;
    if let Some(typed) = query.session.as_deref() {
        let one = resolve(settings, &Target::parse(typed, Path::new(&request.here))?)?.row;
        let stays = rows.is_none_or(|rows| rows.contains(&one));
        rows = Some(stays.then_some(one).into_iter().collect());
    }
    Ok(rows)
}

fn absolute(here: &str, typed: &str) -> String {
    let joined = if typed == "." { here.into() } else { Path::new(here).join(typed) };
    joined.to_string_lossy().into_owned()
}

/// Tells what was found, with the text that was asked for.
struct Teller<'a> {
    index: &'a IndexReader,
    query: &'a Query,
    devices: &'a Devices,
    sources: Sources<'a>,
}

impl Teller<'_> {
    /// One hit; none where the index no longer has the event.
    fn hit(&mut self, hit: &Hit) -> Result<Option<SearchHit>, DaemonError> {
        let event = self.index.event_by_key(hit.session, hit.key)?;
        let session = self.index.session(hit.session)?;
        Ok(session.zip(event).map(|(session, event)| self.told(session, event, hit.score)))
    }

    fn told(&mut self, session: SessionRow, event: EventRow, score: f32) -> SearchHit {
        let body = self.sources.body(&reference(&session.agent, &event));
        let stale = body.is_err();
        let text = body.map_or_else(|_| event.excerpt.clone(), |body| body.searched);
        let shown = snippet(&text, self.query);
        SearchHit {
            session_id: session.id,
            event_id: event.id,
            turn_id: event.turn,
            kind: event.kind,
            created_at: event.at,
            snippet: shown.text,
            matches: shown.matches.into_iter().map(|(start, end)| [start, end]).collect(),
            stale,
            agent: session.agent,
            device: self.devices.name_at(&session.source_uri),
            title: session.title,
            project_path: session.project_path,
            source_uri: event.locator,
            source_cursor: event.cursor,
            score,
        }
    }
}

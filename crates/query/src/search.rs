//! Answers a search query as typed.

use crate::filter::{category, device, project, tagged};
use crate::resolve::resolve;
use crate::summary::bring_up as bring_finals_up;
use std::collections::HashSet;
use std::panic::resume_unwind;
use std::path::Path;
use std::time::{Duration, Instant};
use taffrail_api::{SCHEMA_VERSION, SearchHit, SearchReply, SearchRequest};
use taffrail_capture::Sources;
use taffrail_context::Devices;
use taffrail_context::agent_id;
use taffrail_context::{Error, Settings, Target};
use taffrail_ingest::Bring;
use taffrail_ingest::{Budget, LastLook, Progress, Scope, bring_up, current};
use taffrail_ingest::{reference, sources};
use taffrail_model::when;
use taffrail_store::search::{
    Fit, Hit, Hits, Query, SearchReader, SearchWriter, Want, kinds_meant, snippet,
};
use taffrail_store::{EventRow, Filter, IndexReader, SessionRow, StoreError, Writer};

/// The longest time to catch up before a search, once history was indexed.
const CATCH_UP: Duration = Duration::from_secs(2);
/// The most hits that are worth reading before it is known whether they are all.
const SHORT: usize = 100;

/// The devices whose sessions are listed here without their texts.
///
/// # Errors
/// When the index cannot be read.
pub fn without_texts(settings: &Settings) -> Result<Vec<String>, Error> {
    let Some(index) = IndexReader::open(&settings.data)? else { return Ok(Vec::new()) };
    let devices = index.devices_without_texts()?;
    Ok(devices.iter().map(|it| settings.devices.name_of(it)).collect())
}

/// Searches, after catching up.
///
/// # Errors
/// When a filter is invalid or our own files cannot be read.
pub fn search(
    settings: &Settings,
    request: &SearchRequest,
    progress: &mut dyn FnMut(Progress),
) -> Result<SearchReply, Error> {
    match answer(settings, request, progress) {
        // A damaged search index is rebuilt, once.
        Err(Error::Store(StoreError::Search(_))) => {
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
) -> Result<SearchReply, Error> {
    let query = Query::parse(&request.query);
    asked(&query)?;
    if let Some(reply) = at_once(settings, request, &query)? {
        return Ok(reply);
    }
    let partial = !caught_up(settings, &query, progress)?;
    Ok(match Opened::open(settings)? {
        Some(opened) => opened.reply(settings, request, (&query, partial))?,
        None => reply(&Hits::default(), Vec::new(), partial),
    })
}

/// Answers from the index as it is while another thread looks at every file; `None` if one has changed, so that
/// the answer may lack something.
fn at_once(
    settings: &Settings,
    request: &SearchRequest,
    query: &Query,
) -> Result<Option<SearchReply>, Error> {
    if settings.kept_up || query.asks_what_about() || request.limit > SHORT {
        return Ok(None);
    }
    let Some(opened) = Opened::open(settings)? else { return Ok(None) };
    let last = LastLook::read(settings, &opened.index)?;
    let (reply, current) = std::thread::scope(|threads| {
        let current = threads.spawn(|| match last.and_then(|it| it.still(settings)) {
            Some(current) => Ok(Some(current)),
            None => current(settings),
        });
        let reply = opened.reply(settings, request, (query, false));
        (reply, current.join().unwrap_or_else(|panic| resume_unwind(panic)))
    });
    let is_whole = current?.is_some_and(|it| it.is_searched(opened.search.stand()));
    match is_whole && opened.search.meaning() == settings.meaning {
        true => reply.map(Some),
        false => Ok(None),
    }
}

/// The index and search, open for reading.
struct Opened {
    index: IndexReader,
    search: SearchReader,
}

impl Opened {
    fn open(settings: &Settings) -> Result<Option<Self>, Error> {
        let Some(index) = IndexReader::open(&settings.data)? else { return Ok(None) };
        Ok(SearchReader::open(&settings.data).map(|search| Self { index, search }))
    }

    fn reply(
        &self,
        settings: &Settings,
        request: &SearchRequest,
        (query, partial): (&Query, bool),
    ) -> Result<SearchReply, Error> {
        let want = want(settings, request, query, &self.index)?;
        let found = self.search.find(&want, request.limit, (settings.now)())?;
        let devices = &settings.devices;
        let mut builder =
            HitBuilder { index: &self.index, query, devices, sources: sources(settings) };
        let mut hits = Vec::with_capacity(found.hits.len());
        for hit in &found.hits {
            hits.extend(builder.hit(hit)?);
        }
        Ok(reply(&found, hits, partial))
    }
}

/// Checks that the query is not empty and has no unknown filter.
fn asked(query: &Query) -> Result<(), Error> {
    match &query.unknown {
        Some(name) => Err(Error::UnknownFilter(name.clone())),
        None if query.has_no_words() && !query.has_filters() => Err(Error::NoQuestion),
        None => Ok(()),
    }
}

fn reply(found: &Hits, hits: Vec<SearchHit>, partial: bool) -> SearchReply {
    let total = found.total as u64;
    let total_is_at_least = found.total_is_at_least;
    let weaker = found.weaker as u64;
    SearchReply { schema_version: SCHEMA_VERSION, total, total_is_at_least, partial, weaker, hits }
}

/// Brings the index and search up to date; `false` when not everything was read.
fn caught_up(
    settings: &Settings,
    query: &Query,
    progress: &mut dyn FnMut(Progress),
) -> Result<bool, Error> {
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

/// Resolves the filters.
fn want<'a>(
    settings: &Settings,
    request: &SearchRequest,
    query: &'a Query,
    index: &IndexReader,
) -> Result<Want<'a>, Error> {
    if let Some(kind) = query.kind.as_deref().filter(|it| kinds_meant(it) == 0) {
        return Err(Error::UnknownKind(kind.to_owned()));
    }
    let since = match query.since.as_deref() {
        None => None,
        Some(typed) => {
            let at = when::since(typed, (settings.now)());
            Some(at.ok_or_else(|| Error::NoTime(typed.to_owned()))?)
        }
    };
    Ok(Want { query, sessions: sessions(settings, request, query, index)?, since })
}

fn sessions(
    settings: &Settings,
    request: &SearchRequest,
    query: &Query,
    index: &IndexReader,
) -> Result<Option<HashSet<i64>>, Error> {
    let mut filter = Filter { workers: true, ..Filter::default() };
    filter.agent = query.agent.as_deref().map(agent_id).transpose()?;
    if let Some(typed) = query.project.as_deref() {
        let at_home = typed.strip_prefix("~/").map(|below| settings.user_home.join(below));
        let path = at_home.map(|it| it.to_string_lossy().into_owned());
        (filter.project, filter.project_name) = match project(typed) {
            (None, name) => (None, name),
            (Some(typed), _) => (path.or_else(|| Some(absolute(&request.here, &typed))), None),
        };
    }
    filter.branch.clone_from(&query.branch);
    filter.among = query.tag.as_deref().map(|it| tagged(settings, it)).transpose()?;
    filter.topic.clone_from(&query.topic);
    filter.summary.clone_from(&query.summary);
    filter.category = query.category.as_deref().map(category).transpose()?;
    filter.source = query.device.as_deref().map(|it| device(settings, it)).transpose()?;
    let any = filter != Filter { workers: true, ..Filter::default() };
    let mut rows = any.then(|| index.rows_of(&filter)).transpose()?;
    if let Some(typed) = query.session.as_deref() {
        let one = resolve(settings, &Target::parse(typed, Path::new(&request.here)))?.row;
        let stays = rows.is_none_or(|rows| rows.contains(&one));
        rows = Some(stays.then_some(one).into_iter().collect());
    }
    Ok(rows)
}

fn absolute(here: &str, typed: &str) -> String {
    let joined = if typed == "." { here.into() } else { Path::new(here).join(typed) };
    joined.to_string_lossy().into_owned()
}

/// Builds hits with a snippet of the matching text.
struct HitBuilder<'a> {
    index: &'a IndexReader,
    query: &'a Query,
    devices: &'a Devices,
    sources: Sources<'a>,
}

impl HitBuilder<'_> {
    /// One hit; `None` if the index no longer has the event.
    fn hit(&mut self, hit: &Hit) -> Result<Option<SearchHit>, Error> {
        let event = self.index.event_by_key(hit.session, hit.key)?;
        let session = self.index.session(hit.session)?;
        Ok(session.zip(event).map(|(session, event)| self.search_hit(session, event, hit)))
    }

    fn search_hit(&mut self, session: SessionRow, event: EventRow, hit: &Hit) -> SearchHit {
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
            score: hit.score,
            weak: hit.fit == Fit::Weak,
            by_meaning: hit.by_meaning,
        }
    }
}

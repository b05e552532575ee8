//! Routes about everything at once: the daemon, the agents, counts and search.

use super::api_error::ApiError;
use super::app::App;
use super::extract::Query;
use super::sessions::request;
use axum::Json;
use axum::extract::State;
use std::collections::BTreeSet;
use std::sync::PoisonError;
use taffrail_api::{
    AdapterHealth, AgentList, ArchiveQuery, ArchiveReport, BudgetList, Doctor, Health, ListQuery,
    PlaceHealth, QuotaList, SCHEMA_VERSION, SearchQuery, SearchReply, SearchRequest, Stats,
    StatsQuery, UsageQuery, UsageReport,
};
use taffrail_context::WatcherHealth;
use taffrail_daemon::live::Handle;
use taffrail_daemon::{DaemonError, doctor};
use taffrail_ingest::{Budget, archive};
use taffrail_model::{Ahead, Timestamp};
use taffrail_query::budgets::budgets;
use taffrail_query::search::search;
use taffrail_query::usage::{UsageBy, usage};
use taffrail_query::{agents, period_before, quota_list, stats};
use taffrail_store::IndexReader;

/// The default number of hits.
const HITS: usize = 20;
/// The most hits.
const MOST_HITS: usize = 10_000;

/// How the daemon is.
#[utoipa::path(get, path = "/api/health", tag = "about",
    responses((status = 200, body = Health)))]
pub(super) async fn get_health(State(app): State<App>) -> Result<Json<Health>, ApiError> {
    let streams = app.streams();
    let told = app.ask(move |handle| {
        let reader = IndexReader::open(&handle.settings().data)?;
        let (mut sources, mut sessions, mut generation) = (0, 0, String::new());
        let mut adapters = Vec::new();
        if let Some(reader) = reader {
            sources = reader.sources()?.len() as u64;
            sessions = reader.count_sessions()?.0;
            reader.generation().clone_into(&mut generation);
            adapters = adapters_of(&reader)?;
        }
        let looks = handle.live().watchers();
        Ok(Health {
            schema_version: SCHEMA_VERSION,
            ok: true,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            pid: std::process::id(),
            started_at: handle.live().started_at(),
            generation,
            sources,
            sessions,
            live_sessions: handle.live().statuses().len() as u64,
            streams,
            reading: handle.live().progress(),
            adapters,
            problems: problems(handle, &looks),
            places: looks.into_iter().map(place_of).collect(),
        })
    });
    Ok(Json(told.await?))
}

fn problems(handle: &Handle, looks: &[WatcherHealth]) -> Vec<String> {
    let looks = looks.iter().flat_map(|it| it.problems.clone());
    let notices = handle.notices().trouble();
    let hub = handle.exchange().state().trouble(handle.settings());
    let parts = handle.live().problems();
    looks.chain(parts).chain(handle.summaries().trouble()).chain(notices).chain(hub).collect()
}

fn place_of(look: WatcherHealth) -> PlaceHealth {
    let counted = look.counts();
    PlaceHealth {
        root: look.root.to_string_lossy().into_owned(),
        agents: look.agents,
        sources: look.sources as u64,
        lag_ms: counted.lag_ms,
        read_at: counted.read_at.and_then(|ms| Timestamp::from_millisecond(ms).ok()),
        told: counted.told,
        coalesced: counted.coalesced,
        dropped: counted.dropped,
        problems: look.problems,
    }
}

fn adapters_of(reader: &IndexReader) -> Result<Vec<AdapterHealth>, DaemonError> {
    let unknown = reader.unknown_records()?;
    let agents = reader.agents_in_use()?.into_iter();
    Ok(agents
        .map(|it| {
            let of_it: Vec<_> = unknown.iter().filter(|row| row.agent == it.agent).collect();
            let types: BTreeSet<_> = of_it.iter().map(|row| row.raw_type.clone()).collect();
            AdapterHealth {
                unknown_types: types.into_iter().collect(),
                unknown_records: of_it.iter().map(|row| row.count).sum(),
                agent: it.agent,
                sessions: it.sessions,
                last_event_at: it.last_event_at,
            }
        })
        .collect())
}

/// Finds what was said.
#[utoipa::path(get, path = "/api/search", tag = "about", params(SearchQuery),
    responses((status = 200, body = SearchReply)))]
pub(super) async fn search_history(
    State(app): State<App>,
    Query(query): Query<SearchQuery>,
) -> Result<Json<SearchReply>, ApiError> {
    let request = SearchRequest {
        query: query.q,
        limit: query.limit.unwrap_or(HITS).min(MOST_HITS),
        here: query.here.unwrap_or_default(),
    };
    let whole = app.handle().live().searchable().await;
    let asked = request.clone();
    let found = tokio::task::spawn_blocking({
        let handle = app.handle().clone();
        move || search(handle.settings(), &asked, &mut |_| {})
    });
    let mut reply = match found.await.map_err(|_| ApiError::broken())? {
        // A damaged search index is rebuilt, which needs the writer.
        Err(error) if error.is_busy() => {
            app.alone(move |settings| Ok(search(settings, &request, &mut |_| {})?)).await?
        }
        found => found?,
    };
    reply.partial |= !whole;
    Ok(Json(reply))
}

/// What sessions come to.
#[utoipa::path(get, path = "/api/stats", tag = "about", params(StatsQuery),
    responses((status = 200, body = Stats)))]
pub(super) async fn get_stats(
    State(app): State<App>,
    Query(query): Query<StatsQuery>,
) -> Result<Json<Stats>, ApiError> {
    let told = app.ask(move |handle| {
        let (settings, compare) = (handle.settings(), query.compare);
        let request = request(handle, counted_by(query))?;
        let counted = stats(settings, &request, &Ahead::default(), Budget::Whole, &mut |_| {})?;
        let previous = compare.then(|| period_before(settings, &request)).transpose()?;
        Ok(Stats { previous, ..counted.stats })
    });
    Ok(Json(told.await?))
}

/// The same filters of a list.
fn counted_by(query: StatsQuery) -> ListQuery {
    let StatsQuery { agent, since, until, project, tag, .. } = query;
    let StatsQuery { model, branch, topic, category, device, .. } = query;
    let list = ListQuery { agent, since, until, project, tag, ..ListQuery::default() };
    ListQuery { model, branch, topic, category, device, ..list }
}

/// What sessions spent, by a common key. Days are in UTC.
#[utoipa::path(get, path = "/api/usage", tag = "about", params(UsageQuery),
    responses((status = 200, body = UsageReport)))]
pub(super) async fn get_usage(
    State(app): State<App>,
    Query(query): Query<UsageQuery>,
) -> Result<Json<UsageReport>, ApiError> {
    let UsageQuery { by, agent, since, project, device } = query;
    let by = by.as_deref().unwrap_or("day");
    let by = UsageBy::parse(by).ok_or_else(|| unknown_key(by))?;
    let query = ListQuery { agent, since, project, device, ..ListQuery::default() };
    let told = app.ask(move |handle| {
        let request = request(handle, query)?;
        let by = (by, &Ahead::default());
        Ok(usage(handle.settings(), &request, by, Budget::Whole, &mut |_| {})?.report)
    });
    Ok(Json(told.await?))
}

fn unknown_key(word: &str) -> ApiError {
    let known = UsageBy::ALL.map(UsageBy::as_str).join(", ");
    ApiError::usage(format!("`{word}` is not a key; use one of {known}"))
}

/// How much of each budget is spent.
#[utoipa::path(get, path = "/api/budgets", tag = "about",
    responses((status = 200, body = BudgetList)))]
pub(super) async fn get_budgets(State(app): State<App>) -> Result<Json<BudgetList>, ApiError> {
    Ok(Json(app.ask(|handle| Ok(budgets(handle.settings())?)).await?))
}

/// How much of each agent's limits is used.
#[utoipa::path(get, path = "/api/quota", tag = "about",
    responses((status = 200, body = QuotaList)))]
pub(super) async fn get_quota(State(app): State<App>) -> Result<Json<QuotaList>, ApiError> {
    let limits = app.limits();
    let list = app.ask(move |handle| {
        let (now, mut limits) =
            ((handle.settings().now)(), limits.lock().unwrap_or_else(PoisonError::into_inner));
        limits.read(handle.settings())?;
        Ok(quota_list(limits.until(now), now))
    });
    Ok(Json(list.await?))
}

/// The agents this program knows.
#[utoipa::path(get, path = "/api/agents", tag = "about",
    responses((status = 200, body = AgentList)))]
pub(super) async fn list_agents(State(app): State<App>) -> Result<Json<AgentList>, ApiError> {
    Ok(Json(app.ask(|handle| Ok(agents(handle.settings())?)).await?))
}

/// What the archive holds.
#[utoipa::path(get, path = "/api/archive", tag = "about", params(ArchiveQuery),
    responses((status = 200, body = ArchiveReport)))]
pub(super) async fn get_archive(
    State(app): State<App>,
    Query(query): Query<ArchiveQuery>,
) -> Result<Json<ArchiveReport>, ApiError> {
    Ok(Json(app.ask(move |handle| Ok(archive(handle.settings(), query.entries)?)).await?))
}

/// What is wrong, with the evidence and the fix.
#[utoipa::path(get, path = "/api/doctor", tag = "about",
    responses((status = 200, body = Doctor)))]
pub(super) async fn run_doctor(State(app): State<App>) -> Result<Json<Doctor>, ApiError> {
    Ok(Json(app.ask(|handle| doctor(handle.settings())).await?))
}

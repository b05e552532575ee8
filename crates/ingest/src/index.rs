//! Brings the index up to date with the files on disk.

use crate::agent_retention::deleted_within_week;
use crate::archive::keep_within_cap;
use crate::copier::CapturePolicy;
use crate::crash_repair::mend;
use crate::freshness::current;
use crate::ingest_pass::{Round, Run, Totals};
use crate::planned::planned;
use crate::remote_drop::drop_gone;
use crate::retention::{expire, leave_out_old};
use crate::scope::{BroughtUp, Budget, Indexed, Listener, Progress, Scope};
use crate::search_sync::{Bring, SearchSync, stand_of};
use crate::tombstones::finish_forgetting;
use crate::uncaptured::leave_out_uncaptured;
use std::time::Instant;
use taffrail_api::{IndexReport, SCHEMA_VERSION};
use taffrail_capture::{Job, LeftOut, Plan, discover, gather_journal, keep_journal};
use taffrail_context::{Error, Settings};
use taffrail_model::RuntimeIdentity;
use taffrail_model::prompt_history::settled;
use taffrail_store::archive::Archive;
use taffrail_store::{IndexReader, StoreError, Writer};

/// How many times sources that may hold lost events are read again at once.
const ROUNDS: usize = 3;

/// Brings the index up to date with the files on disk.
///
/// # Errors
/// When another program writes, or our own files fail. A source that fails does not stop the
/// others.
pub fn index(
    settings: &Settings,
    scope: &Scope,
    budget: Budget<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Indexed, Error> {
    let indexed = write(settings, (scope, budget, Bring::WhenDue), progress)?;
    Ok(Indexed { report: count_lost(settings, indexed.report)?, ..indexed })
}

/// Brings the index up to date, with or without search; writes nothing if nothing is new.
///
/// # Errors
/// As `index`.
pub fn bring_up(
    settings: &Settings,
    what: (&Scope, Budget<'_>),
    bring: Bring,
    progress: &mut dyn FnMut(Progress),
) -> Result<BroughtUp, Error> {
    let asks_only = bring != Bring::WhenDue;
    if asks_only && (settings.kept_up || is_up(settings, what.0, bring)?) {
        return Ok(BroughtUp { problems: Vec::new(), complete: true });
    }
    let Indexed { problems, complete, .. } = write(settings, (what.0, what.1, bring), progress)?;
    Ok(BroughtUp { problems, complete })
}

fn write(
    settings: &Settings,
    what: (&Scope, Budget<'_>, Bring),
    progress: &mut dyn FnMut(Progress),
) -> Result<Indexed, Error> {
    let mut writer = Writer::open(&settings.data, settings.boot())?;
    let listener = &mut Listener { progress, written: &mut |_| Ok(()), moves_hooks: &mut |_| {} };
    run(settings, &mut writer, what, listener)
}

/// Whether nothing on disk is new and search is complete: then nothing is written and no lock is
/// needed.
fn is_up(settings: &Settings, scope: &Scope, bring: Bring) -> Result<bool, Error> {
    if *scope != Scope::All {
        return Ok(false);
    }
    let Some(current) = current(settings)? else { return Ok(false) };
    let is_searched = || stand_of(settings).is_some_and(|stand| current.is_searched(&stand));
    Ok(bring != Bring::Now || is_searched())
}

/// Removes the index and rebuilds it from the sources.
///
/// # Errors
/// As `index`.
pub fn rebuild(settings: &Settings, progress: &mut dyn FnMut(Progress)) -> Result<Indexed, Error> {
    let mut writer = Writer::open(&settings.data, settings.boot())?;
    writer.reset()?;
    tracing::info!("the index is rebuilt");
    let listener = &mut Listener { progress, written: &mut |_| Ok(()), moves_hooks: &mut |_| {} };
    let rebuilt =
        run(settings, &mut writer, (&Scope::All, Budget::Whole, Bring::WhenDue), listener)?;
    rebuilt.log("the rebuild ended");
    Ok(Indexed { report: count_lost(settings, rebuilt.report)?, ..rebuilt })
}

pub fn run(
    settings: &Settings,
    writer: &mut Writer,
    (scope, budget, bring): (&Scope, Budget<'_>, Bring),
    listener: &mut Listener<'_>,
) -> Result<Indexed, Error> {
    let began = Instant::now();
    let uncaptured = writer.uncaptured()?;
    let is_left_out = |who: &RuntimeIdentity| uncaptured.has(who);
    let is_left_out: LeftOut<'_> = if uncaptured.is_empty() { None } else { Some(&is_left_out) };
    let device = writer.device()?;
    (listener.moves_hooks)(true);
    let gathered = gather_journal(&settings.data, device.as_str(), is_left_out);
    if gathered.map_err(StoreError::from)?.is_empty() {
        (listener.moves_hooks)(false);
    }
    let (limits, now) = (settings.retention.journal, (settings.now)());
    keep_journal(&settings.data, limits, now).map_err(StoreError::from)?;
    writer.leave_out(settings.left_out());
    finish_forgetting(settings, writer)?;
    drop_gone(settings, writer)?;
    mend(settings, writer)?;
    let mut total = Totals::default();
    let look = |writer: &Writer| -> Result<Plan, Error> {
        let mut plan = planned(discover(&settings.watched_homes()), writer.sources()?, scope);
        leave_out_old(settings, &mut plan);
        leave_out_uncaptured(&mut plan, &uncaptured, || writer.uncaptured_files())?;
        Ok(plan)
    };
    let mut plan = look(writer)?;
    let search = SearchSync::begin(settings, writer, bring, plan.bytes())?;
    let rules = &CapturePolicy::of(settings, writer)?;
    if *scope == Scope::All
        && (Run { settings, writer, search: &search, rules, total: &mut total }).recall_prompts()?
    {
        plan = look(writer)?;
    }
    for _ in 0..ROUNDS {
        let mut run = Run { settings, writer, search: &search, rules, total: &mut total };
        if run.round(plan, budget, listener)? == Round::Done {
            break;
        }
        plan = look(writer)?;
    }
    // Sessions name projects, and projects may hold the history of further agents.
    let in_projects = look(writer)?;
    if total.complete && in_projects.jobs.iter().any(is_in_project) {
        let mut run = Run { settings, writer, search: &search, rules, total: &mut total };
        run.round(in_projects, budget, listener)?;
    }
    if total.complete && *scope == Scope::All {
        Run { settings, writer, search: &search, rules, total: &mut total }.revive(budget)?;
    }
    if *scope == Scope::All {
        expire(settings, writer)?;
    }
    keep_within_cap(settings, writer, total.outcome.bytes_read)?;
    if search.wants_texts() {
        // Unsynced copies are checked after the next boot.
        if let Err(error) = Archive::new(&settings.data).sync() {
            tracing::warn!(%error, "cannot sync the archive");
        }
    }
    if !uncaptured.is_empty() {
        writer.mark_uncaptured((settings.now)())?;
    }
    writer.finish((settings.now)())?;
    (listener.moves_hooks)(false);
    search.finish(settings, writer, total.outcome.bytes_read)?;
    let mut report = report(settings, &total)?;
    report.elapsed_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(Indexed { report, problems: total.problems, complete: total.complete })
}

fn report(settings: &Settings, total: &Totals) -> Result<IndexReport, Error> {
    let (sessions, sub_agents) = match IndexReader::open(&settings.data)? {
        Some(reader) => reader.count_sessions()?,
        None => (0, 0),
    };
    Ok(IndexReport {
        schema_version: SCHEMA_VERSION,
        sources: total.sources,
        bytes_read: total.outcome.bytes_read,
        records: total.outcome.records,
        unknown_records: total.outcome.unknown_records,
        events: total.changes,
        sessions,
        sub_agents,
        prompts_only_sessions: 0,
        prompts_only_prompts: 0,
        deleted_within_week: 0,
        elapsed_ms: 0,
    })
}

/// Counts the sessions that agents deleted before and of which prompts are left, and those that
/// they will delete within a week.
///
/// # Errors
/// When the index cannot be read.
#[expect(clippy::needless_pass_by_value, reason = "the report with these counts replaces it")]
pub fn count_lost(settings: &Settings, report: IndexReport) -> Result<IndexReport, Error> {
    let now = (settings.now)();
    let counted = match IndexReader::open(&settings.data)? {
        Some(reader) => reader.count_prompts_only(settled(now))?,
        None => (0, 0),
    };
    let homes = settings.homes();
    Ok(IndexReport {
        prompts_only_sessions: counted.0,
        prompts_only_prompts: counted.1,
        deleted_within_week: deleted_within_week(&homes, &discover(&homes), now),
        ..report
    })
}

fn is_in_project(job: &Job) -> bool {
    job.found.adapter.descriptor().in_projects
}

//! Reports what is wrong or worth knowing. Changes nothing.

mod agents;

use crate::DaemonError;
use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use taffrail_adapters::{AdvisedSetting, HttpAddress, Transport};
use taffrail_api::{Check, CheckStatus, Doctor};
use taffrail_capture::{Confined, Home, Refused, discover, server_addresses, try_confinement};
use taffrail_context::Settings;
use taffrail_ingest::{KeptFor, agent_settings, archive, deleted_within_week, retention_of};
use taffrail_model::prompt_history::settled;
use taffrail_store::search::SearchReader;
use taffrail_store::{Filter, IndexReader, UnknownRow};

/// A retention below this many days is worth a warning.
const SHORT_RETENTION_DAYS: u64 = 365;

/// Runs all checks.
///
/// # Errors
/// When the index cannot be read at all.
pub fn doctor(settings: &Settings) -> Result<Doctor, DaemonError> {
    let homes = settings.homes();
    let discovery = discover(&homes);
    let mut checks = vec![agents::found(&homes), data_folder(settings)];
    checks.extend(agents::faulty_files(&settings.config));
    let reader = IndexReader::open(&settings.data)?;
    checks.push(index_check(reader.as_ref(), discovery.found.len())?);
    checks.push(search_check(settings, reader.as_ref())?);
    checks.push(archive_check(settings)?);
    checks.push(confinement(&try_confinement()));
    if let Some(reader) = &reader {
        checks.extend(unknown_records(&reader.unknown_records()?));
        checks.extend(skipped(reader.skipped_records()?));
        checks.extend(lost(reader)?);
        checks.extend(prompts_only(settings, reader)?);
    }
    checks
        .extend(deleted_soon(settings, deleted_within_week(&homes, &discovery, (settings.now)())));
    checks.extend(prices(settings));
    checks.extend(taffrail_approvals::rules::doctor_checks(settings));
    checks.extend(taffrail_devices::hubs::doctor_check(settings)?);
    checks.extend(taffrail_team::doctor_checks(settings)?);
    checks.extend(refused(&discovery.refused));
    checks.extend(unseen(&discovery.unseen));
    for home in &homes {
        checks.extend(agents::wanted_fixture(home.adapter.descriptor()));
        checks.extend(retention(home));
        checks.extend(advice(home));
        checks.extend(server(settings, home));
    }
    Ok(Doctor::new(checks))
}

fn check(id: impl Into<String>, status: CheckStatus, evidence: String, fix: Option<&str>) -> Check {
    Check { id: id.into(), status, evidence, fix: fix.map(str::to_owned) }
}

/// Checks the imported table of prices, if there is one.
fn prices(settings: &Settings) -> Option<Check> {
    let table = settings.prices.imported()?;
    let fix = Some("run `taffrail prices import FILE` again");
    Some(match table.is_whole() {
        true => {
            let evidence = counted(table.prices().len() as u64, "imported price");
            check("prices", CheckStatus::Ok, evidence, None)
        }
        false => {
            let evidence = "the imported table cannot be read and does not count".to_owned();
            check("prices", CheckStatus::Failed, evidence, fix)
        }
    })
}

fn search_check(settings: &Settings, reader: Option<&IndexReader>) -> Result<Check, DaemonError> {
    let search = SearchReader::open(&settings.data);
    let Some((search, reader)) = search.zip(reader) else {
        let evidence = "will be built on first search".to_owned();
        return Ok(check("search", CheckStatus::Ok, evidence, None));
    };
    let behind = reader.last_batch()? - search.stand().change;
    let state = match (search.stand().born == reader.born()?, behind) {
        (true, 0) => "up to date".to_owned(),
        (true, 1..) => "catches up with the next search".to_owned(),
        _ => "will be rebuilt with the next search".to_owned(),
    };
    let events = counted(search.documents(), "event");
    let commits = counted(search.stand().commits, "commit");
    let evidence = format!("{events}, {commits}, {state}");
    Ok(check("search", CheckStatus::Ok, evidence, None))
}

fn archive_check(settings: &Settings) -> Result<Check, DaemonError> {
    let report = archive(settings, false)?;
    let megabytes = report.disk_bytes / 1_000_000;
    let sources = counted(report.sources, "source");
    let evidence = format!("{sources} in {megabytes} MB, {} of them gone", report.gone);
    let full = report.disk_bytes.saturating_mul(10) > report.cap_bytes.saturating_mul(9);
    Ok(match (report.enabled, report.skipped, full) {
        (_, 1.., _) => {
            let evidence = format!("{evidence}; {} files cannot be read", report.skipped);
            check("archive", CheckStatus::Warning, evidence, Some("taffrail archive verify"))
        }
        (true, 0, true) => {
            let fix = "taffrail config set archive.cap_mb N";
            let cap = report.cap_bytes / 1_000_000;
            let evidence = format!("{evidence}; at {cap} MB the oldest go");
            check("archive", CheckStatus::Warning, evidence, Some(fix))
        }
        (true, 0, false) => check("archive", CheckStatus::Ok, evidence, None),
        (false, 0, _) => check("archive", CheckStatus::Ok, evidence + "; switched off", None),
    })
}

/// Reports whether the threads that read agents' files are confined.
fn confinement(confined: &Confined) -> Check {
    let (status, fix) = match confined {
        Confined::Wholly => (CheckStatus::Ok, None),
        Confined::Partly => (CheckStatus::Ok, Some("Linux 6.10 or later confines them fully")),
        Confined::No(_) if !cfg!(target_os = "linux") => (CheckStatus::Ok, None),
        Confined::No(_) => {
            (CheckStatus::Warning, Some("boot Linux 5.13 or later with Landlock enabled"))
        }
    };
    check("confinement", status, format!("threads that read agents' files: {confined}"), fix)
}

fn data_folder(settings: &Settings) -> Check {
    let shown = settings.data.display();
    match std::fs::metadata(&settings.data) {
        // A folder that cannot be inspected fails where it is opened.
        Err(_) => check("data", CheckStatus::Ok, format!("{shown} is not made yet"), None),
        Ok(metadata) if metadata.permissions().mode() & 0o077 == 0 => {
            check("data", CheckStatus::Ok, format!("{shown} is yours alone"), None)
        }
        Ok(_) => {
            let fix = format!("chmod 700 {shown}");
            check("data", CheckStatus::Failed, format!("{shown} is open to others"), Some(&fix))
        }
    }
}

fn index_check(reader: Option<&IndexReader>, sources: usize) -> Result<Check, DaemonError> {
    let Some(reader) = reader else {
        let evidence = format!("no index yet, {} on disk", counted(sources, "source"));
        return Ok(check("index", CheckStatus::Warning, evidence, Some("taffrail index")));
    };
    let (sessions, workers) = reader.count_sessions()?;
    let main = sessions - workers;
    let (main, workers) = (counted(main, "session"), counted(workers, "sub-agent"));
    let evidence = format!("{main} and {workers} from {}", counted(sources, "source"));
    Ok(check("index", CheckStatus::Ok, evidence, None))
}

/// An agent's own server that runs: whether it can be joined, and how.
fn server(settings: &Settings, home: &Home) -> Option<Check> {
    let descriptor = home.adapter.descriptor();
    let id = format!("server-{}", descriptor.id);
    let is_joined = settings.servers.iter().any(|it| it == descriptor.id);
    let plan = home.adapter.server_plan()?;
    // A file with a token is opened only for a server that the user named.
    if !is_joined && has_token(&plan.transport) {
        return None;
    }
    match server_addresses(home) {
        Err(error) => {
            let evidence = format!("{} cannot be joined: {error}", descriptor.label);
            Some(check(id, CheckStatus::Warning, evidence, None))
        }
        Ok(found) if !found.is_empty() && !is_joined => {
            let evidence = format!("{} runs a server that could answer", descriptor.label);
            let fix = format!("taffrail config set agents.{}.server true", descriptor.id);
            Some(check(id, CheckStatus::Ok, evidence, Some(&fix)))
        }
        Ok(_) => None,
    }
}

/// Whether the file that names a server has a token, too.
fn has_token(transport: &Transport) -> bool {
    match transport {
        Transport::WebSocket { .. }
        | Transport::Http { address: HttpAddress::Files { .. }, .. } => true,
        Transport::Socket { .. } | Transport::Http { address: HttpAddress::Process, .. } => false,
    }
}

/// A number with its noun, in the singular or plural.
fn counted(number: impl TryInto<u64>, word: &str) -> String {
    match number.try_into().unwrap_or_default() {
        1 => format!("1 {word}"),
        many => format!("{many} {word}s"),
    }
}

fn unknown_records(rows: &[UnknownRow]) -> Vec<Check> {
    if rows.is_empty() {
        let evidence = "every record was understood".to_owned();
        return vec![check("unknown-records", CheckStatus::Ok, evidence, None)];
    }
    let told = rows.iter().map(|row| {
        let version = if row.version.is_empty() { "unknown version" } else { &row.version };
        let evidence = format!(
            "{} {version}: {} of type `{}`",
            row.agent,
            counted(row.count, "record"),
            row.raw_type
        );
        check(
            format!("unknown-records-{}", row.agent),
            CheckStatus::Warning,
            evidence,
            Some("nothing is lost; a later version of Taffrail may understand them"),
        )
    });
    told.collect()
}

fn skipped(count: u64) -> Option<Check> {
    let evidence = format!("{count} records were too long or torn and were skipped");
    (count > 0).then(|| check("skipped-records", CheckStatus::Warning, evidence, None))
}

fn lost(reader: &IndexReader) -> Result<Option<Check>, DaemonError> {
    let all = reader.sessions(&Filter { workers: true, ..Filter::default() })?;
    let lost = all.iter().filter(|it| it.lifecycle.as_str() == "lost").count();
    let evidence = format!("{lost} sessions' history is no longer on disk");
    Ok((lost > 0).then(|| check("lost-sessions", CheckStatus::Warning, evidence, None)))
}

fn prompts_only(settings: &Settings, reader: &IndexReader) -> Result<Option<Check>, DaemonError> {
    let (sessions, prompts) = reader.count_prompts_only(settled((settings.now)()))?;
    let (prompts, of) = (counted(prompts, "prompt"), counted(sessions, "deleted session"));
    let evidence = format!("{prompts} of {of}: nothing else is left of them");
    let fix = Some("list them with `taffrail ls --all`");
    Ok((sessions > 0).then(|| check("prompts-only", CheckStatus::Ok, evidence, fix)))
}

fn deleted_soon(settings: &Settings, sessions: u64) -> Option<Check> {
    let evidence = format!("agents will delete {} this week", counted(sessions, "session"));
    let (status, fix) = match settings.archive.enabled {
        true => (CheckStatus::Ok, "nothing to do: the archive keeps them"),
        false => (CheckStatus::Warning, "`taffrail config set archive.enabled true` keeps copies"),
    };
    (sessions > 0).then(|| check("deleted-this-week", status, evidence, Some(fix)))
}

fn refused(refused: &[Refused]) -> Vec<Check> {
    let told = refused.iter().take(20).map(|it| {
        let evidence = format!("{} {}", it.path, it.why.as_str());
        check(
            "refused-file",
            CheckStatus::Warning,
            evidence,
            Some("put the file itself there, or name its folder as a home in the configuration"),
        )
    });
    told.collect()
}

fn unseen(unseen: &[String]) -> Vec<Check> {
    let told = unseen.iter().take(20).map(|path| {
        check(
            "unreadable",
            CheckStatus::Failed,
            format!("{path} cannot be looked into"),
            Some("give yourself the right to read it"),
        )
    });
    told.collect()
}

fn advice(home: &Home) -> Vec<Check> {
    let all = home.adapter.descriptor().advice.iter();
    let told = all.filter(|it| it.setting.as_ref().is_none_or(|it| speaks_of(home, it)));
    told.map(|it| check(it.id, CheckStatus::Warning, it.text.to_owned(), Some(it.fix))).collect()
}

/// True unless the agent's settings say otherwise.
fn speaks_of(home: &Home, setting: &AdvisedSetting) -> bool {
    let settings = agent_settings(home, setting.file);
    let word = settings.pointer(setting.pointer).and_then(Value::as_str);
    word.is_none_or(|it| it == setting.word)
}

fn retention(home: &Home) -> Option<Check> {
    let descriptor = home.adapter.descriptor();
    let rule = descriptor.retention.as_ref()?;
    let kept = retention_of(home)?;
    let evidence = match kept {
        KeptFor::SetDays(days) => format!("is set to delete history older than {days} days"),
        KeptFor::DefaultDays(days) => format!("deletes history older than {days} days by default"),
        KeptFor::Forever => "keeps its history".to_owned(),
    };
    let short = matches!(kept, KeptFor::SetDays(days) | KeptFor::DefaultDays(days)
        if days < SHORT_RETENTION_DAYS);
    let status = if short { CheckStatus::Warning } else { CheckStatus::Ok };
    let (id, label) = (format!("retention-{}", descriptor.id), descriptor.label);
    Some(check(id, status, format!("{label} {evidence}"), short.then_some(rule.fix)))
}

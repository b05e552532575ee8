//! Validates files or directories against the contract, without changing them.

use crate::error::{WorkError, disk};
use crate::folder::Folder;
use crate::place::{Place, both};
use crate::yaml;
use serde_json::Value;
use std::path::Path;
use taffrail_contracts::ai_session::{
    ACKNOWLEDGMENT, ACTIVE_FEATURES, FOLDER, HISTORY, Kind, PLAN, STATE, acknowledgments,
    is_feature_id, validate, validate_any,
};
use taffrail_contracts::{Fault, Report, Strictness};

/// Validates a file, a feature's folder, an `.ai-session` directory, or a project with one.
///
/// # Errors
/// The path does not exist, or an I/O error.
pub fn validate_path(path: &Path, strictness: Strictness) -> Result<Report, WorkError> {
    if !path.is_dir() {
        let bytes = std::fs::read(path).map_err(disk(path))?;
        let name = path.file_name().and_then(|it| it.to_str()).unwrap_or_default();
        return Ok(validate_text(name, &String::from_utf8_lossy(&bytes), strictness));
    }
    let inner = path.join(FOLDER);
    let path = if inner.is_dir() { &inner } else { path };
    let folder = Folder::open(path)?;
    if folder.has(STATE) || folder.has(PLAN) {
        return feature(&folder, "", strictness);
    }
    whole(&folder, strictness)
}

/// Validates a text; its kind follows from the file name, or else from its content.
#[must_use]
pub fn validate_text(name: &str, text: &str, strictness: Strictness) -> Report {
    match name {
        HISTORY => lines(text, strictness),
        ACKNOWLEDGMENT => sections(text, strictness),
        STATE => document(text, Some(Kind::State), strictness),
        PLAN => document(text, Some(Kind::Plan), strictness),
        ACTIVE_FEATURES => document(text, Some(Kind::ActiveFeatures), strictness),
        _ if is_lines(text) => lines(text, strictness),
        _ => document(text, None, strictness),
    }
}

/// Whether the text is several objects, one on each line.
fn is_lines(text: &str) -> bool {
    let mut lines = text.lines().filter(|line| !line.trim().is_empty());
    let is_object = |line: &str| serde_json::from_str::<Value>(line).is_ok_and(|it| it.is_object());
    lines.clone().count() > 1 && lines.next().is_some_and(is_object)
}

fn document(text: &str, kind: Option<Kind>, strictness: Strictness) -> Report {
    match yaml::read(text) {
        Ok(value) => kind.map_or_else(
            || validate_any(&value, strictness),
            |kind| validate(kind, &value, strictness),
        ),
        Err(why) => broken("", "document.yaml", why),
    }
}

fn lines(text: &str, strictness: Strictness) -> Report {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.fold(Report::default(), |all, (index, line)| {
        let report = match serde_json::from_str(line) {
            Ok(value) => validate(Kind::HistoryLine, &value, strictness),
            Err(error) => broken("", "line.json", error.to_string()),
        };
        all.joined(below(report, &index.to_string()))
    })
}

fn sections(text: &str, strictness: Strictness) -> Report {
    let all = acknowledgments(text).into_iter().enumerate();
    all.fold(Report::default(), |all, (index, section)| {
        let report = validate(Kind::Acknowledgment, &section.document(), strictness);
        all.joined(below(report, &index.to_string()))
    })
}

fn whole(folder: &Folder, strictness: Strictness) -> Result<Report, WorkError> {
    let mut report = Report::default();
    for (name, _) in folder.names()?.iter().filter(|(name, _)| is_feature_id(name)) {
        let Some(sub) = folder.sub(name)? else { continue };
        report = report.joined(below(feature(&sub, name, strictness)?, name));
    }
    let list = file(folder, (ACTIVE_FEATURES, Some("layout.active-features")), strictness)?;
    let read = file(folder, (ACKNOWLEDGMENT, None), strictness)?;
    Ok(report.joined(list).joined(read))
}

fn feature(folder: &Folder, id: &str, strictness: Strictness) -> Result<Report, WorkError> {
    let state = folder.read(STATE)?;
    let text = String::from_utf8_lossy(state.as_deref().unwrap_or_default()).into_owned();
    let document = yaml::read(&text).unwrap_or(Value::Null);
    let mut report = checked((STATE, Kind::State), state, (id, strictness));
    let own = document.get("feature_id").and_then(Value::as_str).unwrap_or(id);
    let own = if id.is_empty() { own } else { id };
    let above = folder.path().parent().unwrap_or(folder.path());
    let kinds = [Kind::Plan, Kind::HistoryLine];
    for (parts, kind) in both(&document, own, above).into_iter().zip(kinds) {
        report = report.joined(match parts {
            Ok(parts) => {
                let place = Place::located((folder, own), || Folder::open(above), parts)?;
                let name = place.path.strip_prefix(&format!("{own}/")).unwrap_or(&place.path);
                checked((name, kind), place.read()?, (id, strictness))
            }
            Err(why) => below(broken("", "layout.path", format!("{why}.")), STATE),
        });
    }
    Ok(report)
}

/// Checks the content of a file of a feature; a missing file breaks the layout.
fn checked(
    (name, kind): (&str, Kind),
    bytes: Option<Vec<u8>>,
    (id, strictness): (&str, Strictness),
) -> Report {
    let Some(bytes) = bytes else {
        return below(broken("", "layout.file", format!("{name} is missing.")), name);
    };
    let text = String::from_utf8_lossy(&bytes);
    let report = match kind {
        Kind::HistoryLine => lines(&text, strictness),
        other => document(&text, Some(other), strictness),
    };
    below(report.joined(of_feature(kind, &text, id)), name)
}

/// A document of a feature must name that feature.
fn of_feature(kind: Kind, text: &str, id: &str) -> Report {
    let own = match kind {
        Kind::State => "/feature_id",
        Kind::Plan => "/feature/id",
        Kind::ActiveFeatures | Kind::ErrorContext | Kind::Acknowledgment | Kind::HistoryLine => {
            return Report::default();
        }
    };
    let value = yaml::read(text).unwrap_or(Value::Null);
    match value.pointer(own).and_then(Value::as_str) {
        Some(other) if !id.is_empty() && other != id => {
            broken(own, "feature_id.folder", format!("{other:?} is in the folder of {id}."))
        }
        _ => Report::default(),
    }
}

/// Reads a file of a folder; a missing required file breaks the layout.
fn file(
    folder: &Folder,
    (name, needed): (&str, Option<&str>),
    strictness: Strictness,
) -> Result<Report, WorkError> {
    let report = match (folder.read(name)?, needed) {
        (Some(bytes), _) => validate_text(name, &String::from_utf8_lossy(&bytes), strictness),
        (None, Some(rule)) => broken("", rule, format!("{name} is missing.")),
        (None, None) => Report::default(),
    };
    Ok(below(report, name))
}

fn broken(pointer: &str, rule: &str, message: String) -> Report {
    let hint = "`taffrail work contract` prints what is asked for.".to_owned();
    let fault = Fault { pointer: pointer.to_owned(), rule: rule.to_owned(), message, hint };
    Report { faults: vec![fault], warnings: Vec::new() }
}

/// The same report with longer pointers.
fn below(mut report: Report, name: &str) -> Report {
    for fault in report.faults.iter_mut().chain(&mut report.warnings) {
        fault.pointer = format!("/{name}{}", fault.pointer);
    }
    report
}

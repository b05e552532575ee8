//! Makes a fixture from the user's own history, with nothing in it that a person or a model wrote.

use serde_json::{Map, Value};
use std::io;
use std::path::{Path, PathBuf};
use taffrail_adapters::by_id;
use taffrail_api::{AgentRecorded, SCHEMA_VERSION};
use taffrail_capture::{Flow, Reading, SourceFile, Taker, discover, plan, read};
use taffrail_context::{Error, Settings};
use taffrail_model::observed::Observed;
use taffrail_model::redact;

/// The most sources that a fixture has, the latest ones.
const SOURCES: usize = 3;
/// The most records of a source.
const RECORDS: usize = 200;
/// The longest text that may be a word of the agent and not of a person.
const WORD: usize = 40;

/// Writes a scrubbed fixture of an agent's history below a folder that must not exist yet.
///
/// # Errors
/// When no agent has this id, or the folder exists or cannot be written.
pub fn record_agent(settings: &Settings, id: &str, out: &Path) -> Result<AgentRecorded, Error> {
    let adapter = by_id(id).ok_or_else(|| Error::UnknownAgent(id.to_owned()))?;
    let homes = settings.homes().into_iter();
    let homes: Vec<_> =
        homes.filter(|it| it.adapter.descriptor().id == adapter.descriptor().id).collect();
    let mut jobs = plan(discover(&homes), &[]).jobs;
    jobs.sort_by_key(|job| std::cmp::Reverse(job.found.fingerprint.modified_ns));
    std::fs::create_dir(out).map_err(write_error)?;
    let mut files = Vec::new();
    for job in jobs.iter().take(SOURCES) {
        let mut taken = Records::default();
        // A source that cannot be read gives as much as it gave.
        read(job, Reading::default(), &mut taken).ok();
        files.extend(write(out, &job.found, &taken).map_err(write_error)?);
    }
    Ok(AgentRecorded { schema_version: SCHEMA_VERSION, agent: id.to_owned(), files })
}

fn write_error(error: io::Error) -> Error {
    Error::Store(error.into())
}

/// The bytes of a source as they are read.
#[derive(Default)]
struct Records {
    lines: Vec<u8>,
    document: Vec<u8>,
    rows: Vec<Value>,
}

impl Taker for Records {
    fn piece(&mut self, _: Observed) -> Flow {
        let lines = self.lines.iter().filter(|it| **it == b'\n').count();
        if lines >= RECORDS { Flow::Stop } else { Flow::Continue }
    }

    fn lines(&mut self, _: u64, bytes: &[u8]) {
        self.lines.extend_from_slice(bytes);
    }

    fn document(&mut self, bytes: &[u8]) {
        self.document = bytes.to_vec();
    }

    fn row(&mut self, table: &str, number: i64, bytes: &[u8]) {
        if self.rows.len() < RECORDS
            && let Ok(row) = serde_json::from_slice::<Value>(bytes)
        {
            let row = scrubbed(row);
            self.rows.push(serde_json::json!({ "table": table, "rowid": number, "row": row }));
        }
    }
}

fn write(out: &Path, found: &SourceFile, taken: &Records) -> io::Result<Vec<String>> {
    let mut written = Vec::new();
    let mut put = |below: String, text: String| -> io::Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        let path: PathBuf = out.join("home").join(&below);
        path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
        std::fs::write(path, text)?;
        written.push(below);
        Ok(())
    };
    let path = scrubbed_path(&found.path);
    put(path.clone(), lines(&taken.lines))?;
    let document = serde_json::from_slice(&taken.document).ok().map(scrubbed);
    put(path.clone(), document.map(|it| format!("{it:#}\n")).unwrap_or_default())?;
    let rows: String = taken.rows.iter().map(|it| format!("{it}\n")).collect();
    put(format!("{path}.rows/session.jsonl"), rows)?;
    Ok(written)
}

fn lines(bytes: &[u8]) -> String {
    let lines = bytes.split(|it| *it == b'\n').filter(|it| !it.is_empty()).take(RECORDS);
    let values = lines.filter_map(|it| serde_json::from_slice(it).ok());
    values.map(|it| format!("{}\n", scrubbed(it))).collect()
}

/// A path whose folders name no project: those that look like a path themselves are replaced.
fn scrubbed_path(path: &str) -> String {
    let parts =
        path.split('/').map(|it| if is_word(it) { it.to_owned() } else { "-w-app".to_owned() });
    let name = path.rsplit('/').next().unwrap_or_default().to_owned();
    let mut parts: Vec<_> = parts.collect();
    if let Some(last) = parts.last_mut() {
        *last = name;
    }
    parts.join("/")
}

/// A value with the same shape, in which only words of the agent, ids, numbers and times are left.
fn scrubbed(value: Value) -> Value {
    match value {
        Value::String(text) => Value::String(scrubbed_text(&text)),
        Value::Array(all) => all.into_iter().map(scrubbed).collect(),
        Value::Object(all) => {
            let all = all.into_iter().map(|(name, it)| (scrubbed_name(name), scrubbed(it)));
            Value::Object(all.collect::<Map<_, _>>())
        }
        other => other,
    }
}

/// A member whose name is a path or a sentence is data, too.
fn scrubbed_name(name: String) -> String {
    if is_word(&name) { name } else { scrubbed_text(&name) }
}

fn scrubbed_text(text: &str) -> String {
    // JSON inside a text keeps its shape.
    if text.starts_with(['{', '['])
        && let Ok(inner) = serde_json::from_str::<Value>(text)
    {
        return scrubbed(inner).to_string();
    }
    if is_word(text) {
        return text.to_owned();
    }
    match text.starts_with('/') || text.get(1..3) == Some(":\\") {
        true => "/w/app".to_owned(),
        false => format!("text of {} characters", text.chars().count()),
    }
}

/// Whether a text is a word of the agent, an id or a time: short, of letters that words consist of, and no secret.
fn is_word(text: &str) -> bool {
    let is_letter = |it: char| it.is_ascii_alphanumeric() || "_-.:+$".contains(it);
    text.len() <= WORD && text.chars().all(is_letter) && redact::find(text).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_a_person_or_a_model_wrote_is_replaced_and_the_shape_stays() {
        let value = json!({
            "type": "tool_call", "id": "call_1", "n": 7, "at": "2026-11-10T10:00:00.000Z",
            "text": "paint the pier", "cwd": "/home/me/pier", "args": "{\"command\":\"ls -l\"}",
            "files": {"/home/me/a.txt": true},
            "key": format!("sk-ant-api03-{}", "q7".repeat(40)),
        });
        let expected = json!({
            "type": "tool_call", "id": "call_1", "n": 7, "at": "2026-11-10T10:00:00.000Z",
            "text": "text of 14 characters", "cwd": "/w/app",
            "args": "{\"command\":\"text of 5 characters\"}",
            "files": {"/w/app": true},
            "key": "text of 93 characters",
        });
        assert_eq!(scrubbed(value), expected);
    }

    #[test]
    fn a_path_names_no_project() {
        assert_eq!(scrubbed_path("chats/buoy.jsonl"), "chats/buoy.jsonl");
        assert_eq!(scrubbed_path("p/%2Fhome%2Fme%2Fpier/s.jsonl"), "p/-w-app/s.jsonl");
    }
}

//! A device: a home, an index, and the items it publishes and receives.

use crate::listing::sessions;
use serde_json::json;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use taffrail_api::{EventLine, EventsRequest, ListRequest, Session};
use taffrail_context::{Devices, SyncSettings};
use taffrail_context::{Settings, Target};
use taffrail_devices::replication::{Applied, Item, apply, apply_from, note_published, outgoing};
use taffrail_ingest::{Budget, Mode, Scope, Which, index, rebuild};
use taffrail_model::exchange::{Incarnation, StreamOrigin};
use taffrail_model::redact::redact;
use taffrail_model::{DeviceId, Event, StreamName, Timestamp};
use taffrail_query::events::events;
use taffrail_query::resolve::forget;
use taffrail_store::Ledger;
use tempfile::TempDir;

/// A recorded home.
pub(crate) struct Recording(PathBuf);

impl std::fmt::Debug for Recording {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0.file_name().unwrap().to_string_lossy())
    }
}

/// Every recorded home.
pub(crate) fn recordings() -> Vec<Recording> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    let mut all: Vec<_> = fs::read_dir(root).unwrap().map(|it| it.unwrap().path()).collect();
    all.sort();
    assert!(all.len() >= 8, "{all:?}");
    all.into_iter().map(Recording).collect()
}

fn files_below(folder: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { files_below(&path, out) } else { out.push(path) }
    }
    out.sort();
}

/// A device.
pub(crate) struct Machine {
    name: String,
    home: TempDir,
    data: TempDir,
}

impl Machine {
    /// Creates a device; the others know it by its name.
    pub(crate) fn new(name: &str) -> Self {
        Self { name: name.to_owned(), home: TempDir::new().unwrap(), data: TempDir::new().unwrap() }
    }

    /// Writes a recorded home.
    pub(crate) fn lay(&self, recording: &Recording) {
        let from = recording.0.join("home");
        let mut files = Vec::new();
        files_below(&from, &mut files);
        for file in files {
            let to = self.home.path().join(file.strip_prefix(&from).unwrap());
            fs::create_dir_all(to.parent().unwrap()).unwrap();
            if file.extension().is_some_and(|it| it == "sql") {
                let database = rusqlite::Connection::open(to.with_extension("")).unwrap();
                database.execute_batch(&fs::read_to_string(&file).unwrap()).unwrap();
            } else {
                fs::copy(&file, to).unwrap();
            }
        }
    }

    /// Adds prompts to a session.
    pub(crate) fn say(&self, session: &str, prompts: &[&str]) {
        let path = self.home.path().join(format!(".claude/projects/-w-{session}/{session}.jsonl"));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let lines = fs::read_to_string(&path).unwrap_or_default().lines().count();
        let mut file = OpenOptions::new().create(true).append(true).open(&path).unwrap();
        for (number, prompt) in prompts.iter().enumerate() {
            let number = u32::try_from(lines + number).unwrap();
            writeln!(file, "{}", prompt_line(session, number, prompt)).unwrap();
        }
    }

    pub(crate) fn path(&self, below: &str) -> PathBuf {
        self.data.path().join(below)
    }

    pub(crate) fn settings(&self) -> Settings {
        let others = ["laptop", "tower"].into_iter().filter(|it| *it != self.name);
        let others = others.map(|it| (DeviceId::new(it), it.to_owned())).collect();
        Settings {
            data: self.data.path().to_owned(),
            user_home: self.home.path().to_owned(),
            devices: Devices { here: Some(self.name.clone()), others },
            new_device: DeviceId::new(format!("{}-id", self.name)),
            ..Settings::in_folder(self.data.path(), || {
                "2026-11-15T12:00:00Z".parse().unwrap_or(Timestamp::UNIX_EPOCH)
            })
        }
    }

    pub(crate) fn index(&self) {
        let done = index(&self.settings(), &Scope::All, Budget::Whole, &mut |_| {}).unwrap();
        assert!(done.complete && done.problems.is_empty(), "{:?}", done.problems);
        assert_eq!(done.report.unknown_records, 0);
    }

    pub(crate) fn rebuild(&self) {
        assert!(rebuild(&self.settings(), &mut |_| {}).unwrap().complete);
    }

    /// Publishes what is new, and records that.
    pub(crate) fn tell_all(&self, sync: &SyncSettings) -> Vec<Item> {
        self.outgoing(sync, usize::MAX)
    }

    /// The same in pieces of this many lines.
    pub(crate) fn outgoing(&self, sync: &SyncSettings, most: usize) -> Vec<Item> {
        let settings = Settings { sync: sync.clone(), ..self.settings() };
        let mut items = Vec::new();
        loop {
            let told = outgoing(&settings, most).unwrap();
            note_published(&settings, &told).unwrap();
            let more = told.more;
            items.extend(told.items);
            if !more {
                return items;
            }
        }
    }

    pub(crate) fn apply(&self, device: &str, items: &[Item]) -> Applied {
        let heard = apply(&self.settings(), &DeviceId::new(device), items).unwrap();
        assert_eq!(heard.refused, 0);
        heard
    }

    /// Applies items from one life of a device's stream, starting at this number.
    pub(crate) fn apply_from(
        &self,
        (device, life, first): (&str, u32, u64),
        items: &[Item],
    ) -> Applied {
        let incarnation = Incarnation { count: life, random: u64::from(life) };
        let stream = StreamName::new("own");
        let origin = StreamOrigin { device: DeviceId::new(device), stream, incarnation };
        let heard = apply_from(&self.settings(), (&origin, first), items).unwrap();
        assert_eq!(heard.refused, 0);
        heard
    }

    /// Copies everything the device knows.
    pub(crate) fn backup(&self) -> TempDir {
        let copy = TempDir::new().unwrap();
        copy_below(self.data.path(), copy.path());
        copy
    }

    /// Restores everything the device knows, but not its agents' own files.
    pub(crate) fn restore(&self, copy: &TempDir) {
        for entry in fs::read_dir(self.data.path()).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) }.unwrap();
        }
        copy_below(copy.path(), self.data.path());
    }

    /// Marks everything to be published again, as in a new life of its stream.
    pub(crate) fn tell_anew(&self) {
        let mut ledger = Ledger::open(self.data.path(), &self.settings().new_device).unwrap();
        ledger.tell_anew().unwrap();
    }

    pub(crate) fn sessions(&self) -> Vec<Session> {
        let request = ListRequest { all: true, ..ListRequest::default() };
        let mut sessions = sessions(&self.settings(), &request).unwrap();
        sessions.sort_by_key(|it| it.id);
        sessions
    }

    pub(crate) fn events(&self, session: &Session) -> Vec<Event> {
        let mut out = Vec::new();
        let target = Target::Id(session.id.to_string());
        events(&self.settings(), &target, &EventsRequest::default(), &mut |line| {
            if let EventLine::Event(event) = line {
                out.push(*event);
            }
            true
        })
        .unwrap();
        out
    }

    /// Forgets a session.
    pub(crate) fn forget(&self, session: &Session) {
        let which = Which::Sessions(vec![Target::Id(session.id.to_string())]);
        forget(&self.settings(), &which, Mode::Do, &mut |_| {}).unwrap();
    }

    /// What must be equal on every device: sessions, and their events in order.
    pub(crate) fn view(&self, bodies: bool) -> Vec<String> {
        let mut out = Vec::new();
        for session in self.sessions() {
            let shown = |text: &Option<String>| text.clone().filter(|_| bodies);
            out.push(
                json!([
                    session.id,
                    session.agent,
                    session.runtime_session_id,
                    session.parent_id,
                    session.lineage,
                    session.usage,
                    session.cost_microdollars,
                    session.turns,
                    session.prompts,
                    session.tool_calls,
                    session.git_branch,
                    session.model,
                    session.started_at,
                    session.last_event_at,
                    shown(&session.title),
                    shown(&session.project_path),
                ])
                .to_string(),
            );
            out.extend(self.events(&session).iter().map(|it| event(it, bodies)));
        }
        out
    }
}

fn copy_below(from: &Path, to: &Path) {
    let mut files = Vec::new();
    files_below(from, &mut files);
    for file in files {
        let to = to.join(file.strip_prefix(from).unwrap());
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(&file, to).unwrap();
    }
}

fn event(it: &Event, bodies: bool) -> String {
    let text = it.text.as_deref().map(redact).filter(|_| bodies);
    let inherited = it.data.get("inherited_from");
    let (id, source) = (&it.id, &it.provenance.source_event_id);
    json!([
        id,
        it.session_id,
        it.kind,
        it.created_at,
        it.turn_id,
        it.parent_id,
        it.source,
        it.confidence,
        source,
        inherited,
        text
    ])
    .to_string()
}

fn prompt_line(session: &str, number: u32, prompt: &str) -> String {
    let id = format!("{session}-{number}");
    json!({
        "type": "user", "uuid": id, "sessionId": session, "cwd": format!("/w/{session}"),
        "version": "2.1.0", "gitBranch": "main",
        "timestamp": format!("2026-11-15T10:{:02}:{:02}.000Z", number / 60, number % 60),
        "message": {"role": "user", "content": prompt},
    })
    .to_string()
}

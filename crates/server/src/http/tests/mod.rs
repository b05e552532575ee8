//! The API as clients see it: a home with a session, its index, and a server.
//!
//! A thread stands in for the loop and answers its messages; the tests publish what the loop would.

mod approvals;
mod auth;
mod bindings;
mod controls;
mod faces;
mod fan;
mod finals;
mod golden;
mod hostile;
mod lists;
mod mcp;
mod notices;
mod openapi;
mod phone;
mod push;
mod queue;
mod raw;
mod reading;
mod rights;
mod rows;
mod sockets;
mod streams;
mod subscribe;
mod summaries;
mod telemetry;
mod transcripts;
mod waits;
mod web;
mod websockets;
mod writes;

use super::{Listening, Server, serve};
use serde_json::Value;
use std::fs::OpenOptions;
use std::io::Write;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use taffrail_api::{Client, EventLine, EventsRequest, SearchRequest};
use taffrail_context::{LiveStatus, LoopRequest, Update, UpdateKind};
use taffrail_context::{Settings, Target};
use taffrail_daemon::live::{Handle, LoopMessage};
use taffrail_ingest::{Budget, Scope, index};
use taffrail_model::evidence::{Evidence, Life};
use taffrail_model::status::{Reading, Status, WaitingFor, WaitingKind};
use taffrail_model::{
    AgentId, Confidence, Event, Kind, Origin, Process, ResumeCursor, RuntimeIdentity, SessionId,
    Signal, Timestamp,
};
use taffrail_query::events::events;
use taffrail_query::search::search;
use taffrail_store::IndexReader;
use taffrail_testkit::claude;
use tempfile::TempDir;

const CHANCE: [u8; 32] = [0xab; 32];
/// The session every machine begins with, and another.
pub(super) const FIRST: &str = "11111111-1111-4111-8111-111111111111";
pub(super) const SECOND: &str = "22222222-2222-4222-8222-222222222222";

/// How long a test waits for something that ought to happen at once.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

/// A machine with two sessions, and a server over them.
pub(super) struct Machine {
    folder: TempDir,
    pub(super) handle: Handle,
    server: Option<Server>,
    answering: Option<JoinHandle<()>>,
    woken: Arc<Mutex<Vec<&'static str>>>,
}

impl Machine {
    pub(super) fn new() -> Self {
        Self::with(|_| {})
    }

    /// The same with other settings.
    pub(super) fn with(change: impl FnOnce(&mut Settings)) -> Self {
        let folder = TempDir::new().unwrap();
        let mut settings = settings_in(&folder);
        change(&mut settings);
        let (wakes, woken_by) = mpsc::channel();
        let kept_up = Settings { kept_up: true, ..settings };
        let handle = Handle::new(kept_up.clone(), &wakes);
        let woken = Arc::new(Mutex::new(Vec::new()));
        let answering = Some(std::thread::spawn({
            let woken = woken.clone();
            move || answer(&kept_up, &woken_by, &woken)
        }));
        let mut machine = Self { folder, handle, server: None, answering, woken };
        machine.write(FIRST, 0, 6);
        machine.write(SECOND, 0, 2);
        machine.read_all();
        let http = Some("127.0.0.1:0".parse().unwrap());
        let listening = machine.listening(http);
        machine.server = Some(serve(machine.handle.clone(), &listening).unwrap());
        machine
    }

    pub(super) fn listening(&self, http: Option<std::net::SocketAddr>) -> Listening {
        let (socket, token) = (self.path("run/daemon.sock"), self.path("token"));
        let otel = Some(super::Receiving {
            address: "127.0.0.1:0".parse().unwrap(),
            token: self.path("otel-token"),
            chance: [0xcd; 32],
        });
        Listening {
            socket,
            http,
            otel,
            token,
            chance: CHANCE,
            opened: Arc::new(|_| {}),
            state: self.path("state"),
            program: "/usr/bin/taffrail".into(),
        }
    }

    pub(super) fn path(&self, below: &str) -> PathBuf {
        self.folder.path().join(below)
    }

    pub(super) fn server(&self) -> &Server {
        self.server.as_ref().unwrap()
    }

    pub(super) fn stop_server(&mut self) {
        self.server.take().unwrap().stop();
    }

    pub(super) fn client(&self) -> Client {
        Client::connect(self.server().socket()).unwrap()
    }

    pub(super) fn token(&self) -> String {
        std::fs::read_to_string(self.path("token")).unwrap()
    }

    /// The messages that woke the loop.
    pub(super) fn woken(&self) -> Vec<&'static str> {
        self.woken.lock().unwrap().clone()
    }

    /// Adds prompts and answers to a session's transcript.
    pub(super) fn write(&self, session: &str, first: u32, end: u32) {
        let path = self.path("home").join(claude::path(session));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
        file.write_all(claude::talk(session, first, end).as_bytes()).unwrap();
    }

    /// Adds one prompt to a session's transcript.
    pub(super) fn write_line(&self, session: &str, second: u32, text: &str) {
        let uuid = format!("00000000-0000-4000-8000-{second:012}");
        let line = claude::Line { session, uuid: &uuid, parent: None, second };
        self.append(session, &line.prompt(text));
    }

    /// Adds one call of a tool to a session's transcript.
    pub(super) fn write_call(&self, session: &str, (call, tool): (&str, &str), input: &Value) {
        let uuid = "00000000-0000-4000-8000-00000000ca11";
        let line = claude::Line { session, uuid, parent: None, second: 500 };
        self.append(session, &line.call(call, tool, input));
    }

    pub(super) fn append(&self, session: &str, line: &str) {
        let path = self.path("home").join(claude::path(session));
        let mut file = OpenOptions::new().append(true).open(path).unwrap();
        file.write_all(line.as_bytes()).unwrap();
    }

    /// Writes a session that works in this folder.
    pub(super) fn write_at(&self, folder: &str, session: &str) {
        let path = self.path("home").join(claude::path(session));
        let talk = claude::talk(session, 0, 2).replace("/w/app", folder);
        std::fs::write(path, talk).unwrap();
    }

    /// Indexes everything, including search.
    pub(super) fn read_all(&self) {
        let settings = Settings { kept_up: false, ..self.handle.settings().clone() };
        let done = index(&settings, &Scope::All, Budget::Whole, &mut |_| {}).unwrap();
        assert!(done.complete, "{:?}", done.problems);
        let request = SearchRequest { query: "x".to_owned(), limit: 1, here: String::new() };
        search(&settings, &request, &mut |_| {}).unwrap();
    }

    /// Continues the session: indexes it and publishes what is new, as the loop does.
    pub(super) fn goes_on(&self, session: &str, first: u32, end: u32) {
        let before = self.cursor(session);
        self.write(session, first, end);
        self.read_all();
        self.tell_after(session, &before);
    }

    pub(super) fn tell_after(&self, session: &str, before: &ResumeCursor) {
        for line in self.changes(session, Some(before.clone())) {
            let (sequence, generation) = match &line {
                EventLine::Event(event) => (event.sequence, event.generation.clone()),
                EventLine::Removed(removed) => (removed.sequence, removed.generation.clone()),
            };
            let cursor = ResumeCursor { generation, sequence }.to_string();
            self.handle.live().publish(Update {
                session: id(session),
                is_remote: false,
                what: UpdateKind::Event { line, cursor },
            });
        }
    }

    pub(super) fn changes(&self, session: &str, after: Option<ResumeCursor>) -> Vec<EventLine> {
        let mut out = Vec::new();
        let request = EventsRequest { after, ..EventsRequest::default() };
        let target = Target::Id(id(session).to_string());
        events(self.handle.settings(), &target, &request, &mut |line| {
            out.push(line);
            true
        })
        .unwrap();
        out
    }

    /// An event of the first session, with another kind and text.
    pub(super) fn made_up(&self, kind: Kind, text: &str) -> EventLine {
        let first = self.changes(FIRST, None).into_iter().next().unwrap();
        let EventLine::Event(event) = first else { panic!("{first:?}") };
        EventLine::Event(Box::new(Event { kind, text: Some(text.to_owned()), ..*event }))
    }

    /// The cursor of the last change of a session.
    pub(super) fn cursor(&self, session: &str) -> ResumeCursor {
        let reader = IndexReader::open(&self.handle.settings().data).unwrap().unwrap();
        let sequence = reader.session_by_id(id(session)).unwrap().unwrap().sequence;
        ResumeCursor { generation: reader.generation().to_owned(), sequence }
    }

    /// Marks a session as run by this executor.
    pub(super) fn runs_at(&self, session: &str, status: Status, executor: &str) {
        let executor = Some(executor.to_owned());
        self.handle
            .live()
            .put_status(id(session), Some(Arc::new(LiveStatus { executor, ..card(status) })));
    }

    /// Sets and publishes the status of a session.
    pub(super) fn stands(&self, session: &str, status: Status) {
        self.handle.live().put_status(id(session), Some(Arc::new(card(status))));
        let row = self.client().get(&format!("/api/sessions/{}", id(session))).unwrap();
        self.handle.live().publish(Update {
            session: id(session),
            is_remote: false,
            what: UpdateKind::Status { row: Box::new(row) },
        });
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        if let Some(server) = self.server.take() {
            server.stop();
        }
        // Once for a client that stopped it, and once for the thread itself.
        self.handle.live().stop();
        self.handle.live().stop();
        self.answering.take().unwrap().join().unwrap();
    }
}

/// Stands in for the loop.
fn answer(
    settings: &Settings,
    wakes: &mpsc::Receiver<LoopMessage>,
    woken: &Mutex<Vec<&'static str>>,
) {
    for wake in wakes {
        let name = match &wake {
            LoopMessage::Request(LoopRequest::Settle(_)) => "settle",
            LoopMessage::Request(LoopRequest::Search(_)) => "search",
            LoopMessage::Request(LoopRequest::Exclusive(_)) => "alone",
            LoopMessage::Request(LoopRequest::Stop) => "stop",
            // No server sends these.
            _ => "other",
        };
        woken.lock().unwrap().push(name);
        match wake {
            LoopMessage::Request(LoopRequest::Settle(done)) => done.send(()).unwrap_or_default(),
            LoopMessage::Request(LoopRequest::Search(done)) => drop(done.send(true)),
            LoopMessage::Request(LoopRequest::Exclusive(what)) => what(settings),
            // The machine ends the daemon: the last stop ends the thread.
            _ => {}
        }
        if name == "stop" && woken.lock().unwrap().iter().filter(|it| **it == "stop").count() > 1 {
            return;
        }
    }
}

/// Settings of a machine whose user lets scripts decide, because a test has no terminal.
pub(crate) fn settings_in(folder: &TempDir) -> Settings {
    let config = folder.path().join("config");
    std::fs::create_dir_all(&config).unwrap();
    std::fs::write(config.join("config.toml"), "[control]\nscripts = true\n").unwrap();
    Settings::in_folder(folder.path(), || "2026-10-01T10:30:00Z".parse().unwrap())
}

/// The id of a session by its agent's own id.
pub(super) fn id(session: &str) -> SessionId {
    RuntimeIdentity::new(AgentId::new("claude-code"), "", session).session()
}

/// A live status.
pub(super) fn card(status: Status) -> LiveStatus {
    let at: Timestamp = "2026-10-01T10:20:00Z".parse().unwrap();
    let evidence = Evidence {
        source: Origin::Hook,
        kind: "PermissionRequest".to_owned(),
        at,
        confidence: Confidence::High,
        says: Signal::AskedApproval { input: String::new() },
        detail: "npm test".to_owned(),
    };
    let waiting_for = match status {
        Status::WaitingApproval => {
            Some(WaitingFor::new(WaitingKind::Approval, "npm test".to_owned()))
        }
        _ => None,
    };
    let reading = Reading {
        status,
        since: at,
        confidence: Confidence::High,
        waiting_for,
        rule: taffrail_model::status::StatusRule::Other("it was said"),
        rests_on: vec![0],
        until: None,
        failure: None,
    };
    let process = Some(Process { pid: 417, start: 1 });
    let executor = Some("tmux:%3".to_owned());
    LiveStatus { reading, evidence: vec![evidence], process, life: Life::Alive, executor }
}

/// Polls until there is a result.
pub(super) fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(Instant::now() < end, "waited in vain for {what}");
        std::thread::park_timeout(Duration::from_millis(2));
    }
}

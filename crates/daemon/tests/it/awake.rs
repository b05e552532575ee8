//! Counts what wakes a daemon: how often its watchers are notified, and how often they read a
//! source.
#![expect(clippy::panic, clippy::unwrap_used, reason = "a test that cannot go on must stop")]

use crate::listing::sessions;
use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::thread::JoinHandle;
use taffrail_api::ListRequest;
use taffrail_context::{Settings, Target};
use taffrail_daemon::DaemonError;
use taffrail_daemon::live::{Handle, live};
use taffrail_ingest::Held;
use taffrail_model::Timestamp;
use taffrail_query::resolve::{capture_off, capture_on};
use taffrail_testkit::claude;
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

pub(crate) const SESSION: &str = "11111111-1111-4111-8111-111111111111";

/// Days after the session: its lines are history.
const LATER: fn() -> Timestamp = || Timestamp::from_second(1_791_000_000).unwrap();
/// While the session moves.
pub(crate) const MEANWHILE: fn() -> Timestamp = || "2026-10-01T10:05:00Z".parse().unwrap();

/// A home, and a daemon over it.
pub(crate) struct Machine {
    home: TempDir,
    runtime: Runtime,
    pub(crate) handle: Handle,
    daemon: Option<JoinHandle<Result<(), DaemonError>>>,
}

impl Machine {
    /// Uses these folders below the home; `begin` fills it.
    fn start(data: &str, state: &str, begin: impl FnOnce(&Path)) -> Self {
        Self::start_at(LATER, (data, state), begin)
    }

    /// The same, at a moment.
    pub(crate) fn start_at(
        now: fn() -> Timestamp,
        (data, state): (&str, &str),
        begin: impl FnOnce(&Path),
    ) -> Self {
        let home = TempDir::new().unwrap();
        begin(home.path());
        let settings = settings(home.path(), data, now);
        let state = home.path().join(state);
        fs::create_dir_all(&state).unwrap();
        let (give, given) = channel();
        let daemon = std::thread::spawn(move || {
            live(&settings, Some(&state), |handle| {
                give.send(handle.clone()).unwrap();
                Ok(())
            })
        });
        let Ok(handle) = given.recv() else {
            panic!("the daemon did not start: {:?}", daemon.join());
        };
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let it = Self { home, runtime, handle, daemon: Some(daemon) };
        it.settle();
        it
    }

    /// Waits until everything on disk is indexed: every watcher scans everything.
    pub(crate) fn settle(&self) {
        assert!(self.runtime.block_on(self.handle.live().settle()));
    }

    fn alone<T: Send + 'static>(&self, what: impl FnOnce(&Settings) -> T + Send + 'static) -> T {
        self.runtime.block_on(self.handle.live().alone(what)).unwrap()
    }

    fn reads(&self) -> u64 {
        self.handle.live().watchers().iter().map(|it| it.counts().reads).sum()
    }

    /// How often each watcher was notified, by the place it watches.
    fn told(&self) -> HashMap<PathBuf, u64> {
        self.handle.live().watchers().iter().map(|it| (it.root.clone(), it.counts().told)).collect()
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.handle.live().stop();
        let ended = self.daemon.take().map(|it| it.join().unwrap());
        assert!(matches!(ended, Some(Ok(()))), "{ended:?}");
    }
}

fn settings(home: &Path, data: &str, now: fn() -> Timestamp) -> Settings {
    Settings {
        data: home.join(data),
        runtime: home.join(data).join("run"),
        user_home: home.to_owned(),
        ..Settings::in_folder(home, now)
    }
}

/// Creates a database of another program from its SQL statements.
fn lay_database(home: &Path) {
    let below = ".local/share/goose/sessions/sessions.db";
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/recordings");
    let recorded = recorded.join("goose_five_sessions/home").join(format!("{below}.sql"));
    let path = home.join(below);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let database = rusqlite::Connection::open(path).unwrap();
    database.execute_batch(&fs::read_to_string(recorded).unwrap()).unwrap();
}

fn append(home: &Path, first: u32, end: u32) {
    let path = home.join(claude::path(SESSION));
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    file.write_all(claude::talk(SESSION, first, end).as_bytes()).unwrap();
}

#[test]
fn a_database_beside_a_session_captured_again_is_not_read_over_and_over() {
    let machine = Machine::start("data", "state", |home| {
        lay_database(home);
        append(home, 0, 4);
    });
    let all = |settings: &Settings| {
        let request = ListRequest { all: true, ..ListRequest::default() };
        sessions(settings, &request).unwrap()
    };
    let sessions = machine.alone(all);
    let of_database = sessions.iter().find(|it| it.agent == "goose").unwrap().id;
    let of_lines = sessions.iter().find(|it| it.agent != "goose").unwrap().id;
    for session in [of_database, of_lines] {
        let target = move || Target::Id(session.to_string());
        machine.alone(move |it| capture_off(it, &target(), Held::Stays)).unwrap();
        machine.alone(move |it| capture_on(it, &target())).unwrap();
    }
    // Writes something, so that the loop checks for remaining work.
    append(machine.home.path(), 4, 6);
    machine.settle();
    machine.settle();
    let before = machine.reads();
    for _ in 0..5 {
        machine.settle();
    }
    assert_eq!(machine.reads(), before, "nothing has changed since");
}

/// How many times 20 lots of lines notify the daemon of its own files, besides the agent's.
fn own_notifications(data: &str, state: &str, now: fn() -> Timestamp) -> u64 {
    const LOTS: u32 = 20;
    let machine = Machine::start_at(now, (data, state), |home| append(home, 0, 2));
    let real = |below: &str| machine.home.path().join(below).canonicalize().unwrap();
    let before = machine.told();
    for lot in 1..=LOTS {
        append(machine.home.path(), lot * 10, lot * 10 + 10);
        machine.settle();
    }
    let now = machine.told();
    let told = |root: &Path| now.get(root).unwrap() - before.get(root).unwrap_or(&0);
    // Each lot is one write to one file.
    let (agent, own) = (told(&real(".claude")), told(&real(data)));
    assert!(agent <= u64::from(LOTS), "told {agent} times of {LOTS} writes, with data in {data}");
    own
}

#[test]
fn a_daemon_is_not_woken_by_its_own_files() {
    assert_eq!(own_notifications("data", "state", LATER), 0);
}

/// It writes what it concludes about a session that moves: a turn that began and ended, a status.
#[test]
fn a_lot_of_lines_wakes_a_daemon_three_times_at_most_for_its_conclusions() {
    let own = own_notifications("data", "state", MEANWHILE);
    assert!((1..=60).contains(&own), "{own} notifications of our own files after 20 lots");
}

#[test]
fn a_daemon_is_not_woken_by_its_own_files_inside_an_agents_home() {
    let (data, state) = (".claude/projects/own/data", ".claude/projects/own/state");
    assert_eq!(own_notifications(data, state, LATER), 0);
}

//! The API inside this process, for commands without a running daemon: the same routes over socket
//! pairs, so that every client gets the same answer.

use super::app::App;
use super::web_codes::Codes;
use super::web_enter::Web;
use super::{READERS, WORKERS, pairs};
use std::io;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use taffrail_api::client::Client;
use taffrail_context::{LoopRequest, Settings};
use taffrail_daemon::live::{Handle, LoopMessage};
use taffrail_daemon::{DaemonError, ServeError};
use taffrail_ingest::{Budget, Scope, bring_search_up, index};
use taffrail_query::board::Board;
use taffrail_query::findings::{Monitor, Whose};
use taffrail_store::IndexReader;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::watch;

/// The longest time to read new data before an answer.
const CATCH_UP: Duration = Duration::from_secs(20);

/// Creates a client of the daemon, or without one of the API in this process after reading what is
/// new. `ours` are our state folder and our program.
///
/// # Errors
/// When the index cannot be read or written, or no thread can be started.
pub fn up_to_date(settings: &Settings, ours: (PathBuf, PathBuf)) -> Result<Client, DaemonError> {
    if let Ok(client) = Client::connect(&ours.0) {
        return Ok(client);
    }
    let settings = Settings { kept_up: false, ..settings.clone() };
    let budget = Budget::Until(Instant::now() + CATCH_UP);
    match index(&settings, &Scope::All, budget, &mut |_| {}) {
        // While another program writes, the current index must do.
        Err(error) if !error.is_busy() => Err(error.into()),
        _ => local(&settings, ours),
    }
}

/// Creates a client of the API in this process. Answers come from the index as it is; the caller
/// updates it first. `ours` are our state folder and our program.
///
/// # Errors
/// When the index cannot be read or no thread can be started.
pub fn local(settings: &Settings, ours: (PathBuf, PathBuf)) -> Result<Client, DaemonError> {
    let (to_loop, requests) = channel();
    let kept_up = Settings { kept_up: true, ..settings.clone() };
    let handle = Handle::new(kept_up, &to_loop);
    load(&handle)?;
    let settings = settings.clone();
    let thread = std::thread::Builder::new().name("local".to_owned());
    thread.spawn(move || play_loop(&settings, &requests)).map_err(failed)?;
    let runtime = runtime().map_err(failed)?;
    let (running, stops) = watch::channel(false);
    let (app, pump) = App::new(handle, web(ours, stops.clone()), stops);
    runtime.spawn(pump);
    let entered = runtime.enter();
    let connections = pairs::serve(&app);
    drop(entered);
    Ok(Client::local(move || {
        // The threads live as long as the client.
        let _alive = (&runtime, &running);
        pairs::connect(&connections)
    }))
}

fn failed(error: io::Error) -> ServeError {
    ServeError::Io("threads".to_owned(), error)
}

fn runtime() -> io::Result<Runtime> {
    let mut builder = Builder::new_multi_thread();
    builder.worker_threads(WORKERS).max_blocking_threads(READERS);
    builder.thread_name("taffrail-local").enable_io().enable_time().build()
}

/// Loads the status and the findings of every recent session, which a daemon keeps current.
fn load(handle: &Handle) -> Result<(), DaemonError> {
    let live = handle.live();
    if let Some(index) = IndexReader::open(&live.settings().data)? {
        Board::load(live.clone(), Box::new(|_| false), &index)?;
        let mut monitor = Monitor::default();
        monitor.load(live.settings(), &index, &live.statuses())?;
        live.replace_findings(monitor.all(Whose::All));
    }
    live.set_complete(true);
    Ok(())
}

/// Answers requests to the daemon's loop.
fn play_loop(settings: &Settings, requests: &Receiver<LoopMessage>) {
    for message in requests {
        match message {
            // The client may have gone away.
            LoopMessage::Request(LoopRequest::Settle(done)) => done.send(()).unwrap_or_default(),
            LoopMessage::Request(LoopRequest::Search(done)) => {
                done.send(bring_search_up(settings).is_ok()).ok();
            }
            LoopMessage::Request(LoopRequest::Exclusive(work)) => work(settings),
            // Nothing here stops a daemon, and no device sends anything.
            _ => {}
        }
    }
}

fn web((state, program): (PathBuf, PathBuf), stops: watch::Receiver<bool>) -> Web {
    Web {
        token: state.join("token"),
        chance: [0; 32],
        at: Mutex::default(),
        codes: Codes::default(),
        acting: Mutex::default(),
        opened: Arc::new(|_| {}),
        ours: (state, program),
        stops,
    }
}

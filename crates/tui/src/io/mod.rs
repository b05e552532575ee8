//! The threads around the board: one reads keys, one follows the daemon, a few send it requests.

pub(crate) mod background;
pub(crate) mod canvas;

use crate::state::message::{Answer, Ask, Folder, Message, News};
use crate::state::new::Go;
use crate::state::search;
use crossterm::event::{self, Event as Input, KeyEventKind};
use serde::de::DeserializeOwned;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;
use taffrail_api::client::{Update, escaped, path};
use taffrail_api::{
    AgentList, AnswerBody, Approvals, Client, ClientError, DecisionBody, Done, EventLine,
    FeedReply, FindingList, HookList, NotifyBody, ResumeBody, ResumeReply, SearchReply,
    SessionList, StatusList, StreamReply,
};
use taffrail_model::SessionId;

/// Threads that send requests.
const ASKERS: usize = 4;
/// How long a key may wait while another program has the terminal.
const LOOK: Duration = Duration::from_millis(250);
/// The pause before the daemon is looked for again.
const AGAIN: Duration = Duration::from_millis(500);
/// How many search hits and feed events are requested.
const HITS: &str = "60";
const FEED: &str = "300";
/// How many events around a search hit are requested.
const AROUND: usize = 40;

/// Whether keys go to us, or to a program that has the terminal.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gate {
    away: Arc<AtomicBool>,
    asleep: Arc<AtomicBool>,
}

impl Gate {
    /// Leaves the keys to another program; returns when this process no longer reads them.
    pub(crate) fn leave(&self) {
        self.away.store(true, Ordering::SeqCst);
        while !self.asleep.load(Ordering::SeqCst) {
            thread::park_timeout(Duration::from_millis(5));
        }
    }

    /// Reads keys again.
    pub(crate) fn come_back(&self) {
        self.away.store(false, Ordering::SeqCst);
    }
}

/// The question sent to the terminal before keys are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TerminalQuery {
    None,
    Keyboard,
    /// Also the keyboard.
    Background,
}

/// Reads the terminal's answer and then keys, until the channel closes.
pub(crate) fn keys(to: SyncSender<Message>, gate: Gate, query: TerminalQuery) {
    thread::spawn(move || {
        if query != TerminalQuery::None {
            let is_over = || gate.away.load(Ordering::SeqCst);
            background::listen(|it| to.send(it).is_ok(), is_over);
        }
        loop {
            let away = gate.away.load(Ordering::SeqCst);
            gate.asleep.store(away, Ordering::SeqCst);
            if away {
                thread::park_timeout(Duration::from_millis(20));
                continue;
            }
            // If the terminal is gone, a signal ends us, too.
            let message = match event::poll(LOOK) {
                Ok(true) => event::read().ok().and_then(message),
                Ok(false) => continue,
                Err(_) => Some(Message::End),
            };
            if message.is_some_and(|it| to.send(it).is_err()) {
                return;
            }
        }
    });
}

fn message(input: Input) -> Option<Message> {
    match input {
        Input::Key(key) if key.kind != KeyEventKind::Release => Some(Message::Key(key)),
        Input::Mouse(mouse) => Some(Message::Mouse(mouse)),
        Input::Paste(text) => Some(Message::Paste(text)),
        Input::Resize(..) => Some(Message::Resize),
        Input::Key(_) | Input::FocusGained | Input::FocusLost => None,
    }
}

/// Ends the board when the system requests it.
pub(crate) fn signals(to: SyncSender<Message>) -> std::io::Result<()> {
    let mut signals = Signals::new([SIGTERM, SIGHUP, SIGINT])?;
    thread::spawn(move || {
        for _ in signals.forever() {
            if to.send(Message::End).is_err() {
                return;
            }
        }
    });
    Ok(())
}

/// Follows the daemon; reconnects when it is gone. The daemon of this machine is found by our state folder; a client of
/// another host connects again by itself.
pub(crate) fn news(mut client: Client, state: Option<PathBuf>, to: SyncSender<Message>) {
    thread::spawn(move || {
        loop {
            let why = match follow(&client, &to) {
                Ok(Ended::NobodyListens) => return,
                Ok(Ended::BrokenOff) if state.is_none() => "the connection ended".to_owned(),
                Ok(Ended::BrokenOff) => "the daemon has ended".to_owned(),
                Err(ClientError::Unreachable(why)) if state.is_none() => why.to_string(),
                Err(error) => error.to_string(),
            };
            if to.send(Message::News(News::Lost(why))).is_err() {
                return;
            }
            thread::sleep(AGAIN);
            if let Some(Ok(found)) = state.as_deref().map(Client::connect) {
                client = found;
            }
        }
    });
}

/// Why following ended.
enum Ended {
    NobodyListens,
    BrokenOff,
}

fn follow(client: &Client, to: &SyncSender<Message>) -> Result<Ended, ClientError> {
    for told in client.follow("/api/stream")? {
        if let Some(news) = read(&told?)
            && to.send(Message::News(news)).is_err()
        {
            return Ok(Ended::NobodyListens);
        }
    }
    Ok(Ended::BrokenOff)
}

/// Parses a message of the stream; `None` for an unknown one.
fn read(told: &Update) -> Option<News> {
    fn of<T: DeserializeOwned>(told: &Update) -> Option<T> {
        serde_json::from_str(&told.data).ok()
    }
    match told.name.as_str() {
        "snapshot" => of::<StatusList>(told).map(|it| News::All(it.sessions, it.reading)),
        "reading" => of(told).map(News::Reading),
        "status" => of(told).map(News::Status),
        "approval" => Some(News::Approval),
        "finding" => Some(News::Finding),
        "" => match of(told)? {
            EventLine::Event(event) => Some(News::Event(event)),
            EventLine::Removed(_) => None,
        },
        _ => None,
    }
}

/// Sends the board's requests, several at a time.
pub(crate) fn askers(
    (client, own): (&Client, &Path),
    from: Receiver<Ask>,
    to: &SyncSender<Message>,
) {
    let from = Arc::new(Mutex::new(from));
    for _ in 0..ASKERS {
        let (client, from, to) = (client.clone(), Arc::clone(&from), to.clone());
        let own = own.to_owned();
        thread::spawn(move || {
            loop {
                let next = from.lock().unwrap_or_else(PoisonError::into_inner).recv();
                let Ok(ask) = next else { return };
                let answer = answer((&client, &own), &ask)
                    .unwrap_or_else(|error| Answer::Failed { asked: ask, why: error.to_string() });
                if to.send(Message::Answer(answer)).is_err() {
                    return;
                }
            }
        });
    }
}

/// What one of our own commands prints to stdout and stderr; otherwise its error message.
fn own_command(own: &Path, words: &[String]) -> Result<(String, String), Box<dyn Error>> {
    let ended = Command::new(own).args(words).stdin(Stdio::null()).output()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    match ended.status.success() {
        true => Ok((text(&ended.stdout), text(&ended.stderr))),
        false => {
            let said = text(&ended.stderr).replace("\nhint: ", "; ");
            Err(said.trim_start_matches("taffrail: ").trim().into())
        }
    }
}

/// The commands that start an agent; or how to get to it, once it is started.
fn new(own: &Path, words: &[String], go: Go) -> Result<Vec<String>, Box<dyn Error>> {
    let mut all = words.to_vec();
    if go == Go::Show {
        all.insert(1, "--dry-run".to_owned());
    }
    let (commands, said) = own_command(own, &all)?;
    let text = if go == Go::Show { commands } else { said };
    Ok(text.lines().map(str::to_owned).collect())
}

fn answer((client, own): (&Client, &Path), ask: &Ask) -> Result<Answer, Box<dyn Error>> {
    let of = |id: &SessionId, what: &str| format!("/api/sessions/{id}/{what}");
    Ok(match ask {
        Ask::Sessions => Answer::Sessions(client.get::<SessionList>("/api/sessions")?.sessions),
        Ask::Session(id) => Answer::Session(client.get(&format!("/api/sessions/{id}"))?),
        Ask::Recent => {
            let asked = path("/api/sessions", &[("since", "15m"), ("all", "true")]);
            Answer::Recent(client.get::<SessionList>(&asked)?.sessions)
        }
        Ask::Approvals => Answer::Approvals(client.get::<Approvals>("/api/approvals")?.approvals),
        Ask::Decide { id, decision, reason } => {
            let by = Some("board".to_owned());
            let body =
                DecisionBody { decision: *decision, reason: reason.clone(), by, blind: false };
            let row = client.post(&format!("/api/approvals/{}", escaped(id.as_str())), &body)?;
            Answer::Decided { decision: *decision, row: Box::new(row) }
        }
        Ask::Summary(id) => Answer::Summary(*id, client.get(&of(id, "summary"))?),
        Ask::Explain(id) => Answer::Explain(*id, client.get(&of(id, "explain"))?),
        Ask::Events { id, limit } => {
            let asked = path(&of(id, "stream"), &[("limit", &limit.to_string())]);
            let lines = client.get::<StreamReply>(&asked)?.events;
            Answer::Events { id: *id, limit: *limit, lines }
        }
        Ask::Search { query } => {
            let asked = path("/api/search", &[("q", &search::query(query)), ("limit", HITS)]);
            let reply = client.get::<SearchReply>(&asked)?;
            Answer::Search { query: query.clone(), reply }
        }
        Ask::Around { id, event } => {
            let asked = [("event", event.to_string()), ("limit", AROUND.to_string())];
            let asked = asked.each_ref().map(|(name, it)| (*name, it.as_str()));
            let window = client.get(&path(&of(id, "window"), &asked))?;
            Answer::Around { id: *id, event: *event, window }
        }
        Ask::Findings => Answer::Findings(client.get::<FindingList>("/api/findings")?.findings),
        Ask::Health => Answer::Health(client.get("/api/health")?),
        Ask::Activity(span) => {
            let asked = path("/api/activity", &[("since", &format!("{span}m"))]);
            Answer::Activity { span: *span, activity: client.get(&asked)? }
        }
        Ask::Resume(id) => resume(client, *id)?,
        Ask::Machine => Answer::Machine {
            agents: client.get::<AgentList>("/api/agents")?.agents,
            hooks: client.get::<HookList>("/api/hooks")?.agents,
        },
        Ask::Handoff(id) => {
            let words = ["handoff".to_owned(), id.to_string()];
            Answer::Handoff { id: *id, text: own_command(own, &words)?.0 }
        }
        Ask::New { words, go } => {
            Answer::New { words: words.clone(), go: *go, said: new(own, words, *go)? }
        }
        Ask::Send { id, text } => {
            let from_peer_id = Some("board".to_owned());
            let body = NotifyBody { text: text.clone(), from_peer_id, ..NotifyBody::default() };
            Answer::Receipt { id: *id, receipt: client.post(&of(id, "controls/notify"), &body)? }
        }
        Ask::Choose { id, option, text } => {
            let body = AnswerBody { option: *option, text: text.clone() };
            client.post::<Done>(&of(id, "controls/answer"), &body)?;
            Answer::Pressed(ask.clone())
        }
        Ask::Interrupt(id) => {
            client.post::<Done>(&of(id, "controls/interrupt"), &())?;
            Answer::Pressed(ask.clone())
        }
        Ask::Receipt { id, name } => {
            let receipt = client.get(&format!("/api/receipts/{}", escaped(name)))?;
            Answer::Receipt { id: *id, receipt }
        }
        Ask::Today => Answer::Today(client.get(&path("/api/stats", &[("since", "24h")]))?),
        Ask::Quota => Answer::Quota(client.get("/api/quota")?),
        Ask::Feed => {
            let asked = path("/api/feed", &[("limit", FEED)]);
            Answer::Feed(client.get::<FeedReply>(&asked)?.events)
        }
    })
}

/// How the agent is started again, and whether its folder is there.
fn resume(client: &Client, id: SessionId) -> Result<Answer, Box<dyn Error>> {
    let asked = format!("/api/sessions/{id}/controls/resume");
    let plan: ResumeReply = client.post(&asked, &ResumeBody { dry_run: true })?;
    let is_there = plan.cwd.as_deref().is_some_and(|it| Path::new(it).is_dir());
    let folder = if is_there { Folder::There } else { Folder::Gone };
    Ok(Answer::Resume { id, plan: Box::new(plan), folder })
}

/// Sends requests to the threads that query the daemon.
pub(crate) fn send(to: &Sender<Ask>, asks: Vec<Ask>) {
    for ask in asks {
        // Without these threads the board is about to end.
        to.send(ask).ok();
    }
}

//! Summaries by the user's own command: when it runs, its input, and how long its output is valid.
//!
//! Each run has its own thread, a few at a time; only callers that want to wait do.

use super::{Outlook, outlook};
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::DirBuilder;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use taffrail_context::user_program::{self, CommandError, UserProgram};
use taffrail_context::{Live, SummarySettings};
use taffrail_context::{Settings, Target};
use taffrail_model::status::{Status, WaitingFor};
use taffrail_model::summary::{Sight, Since, Summary, is_answer, may_run, prompt_for, replaced};
use taffrail_model::{SessionId, Timestamp, TurnId};
use tokio::sync::oneshot;

/// The maximum number of concurrent runs.
const RUNS: usize = 4;
/// How long a session counts as watched after a request or activity.
const SEEN_SECONDS: i64 = 600;
/// The most sessions that are remembered.
const SESSIONS: usize = 1_000;
/// How long shutdown waits for runs that are being ended.
const ENDING: Duration = Duration::from_secs(2);

/// Why a summary is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wish {
    /// A user asked for it.
    Asked,
    /// A turn ended.
    TurnEnded,
}

/// The command's summaries, and the runs in progress.
#[derive(Clone)]
pub struct CommandSummaries(Arc<Shared>);

struct Shared {
    settings: SummarySettings,
    /// The working folder of the command: sessions started there belong to it.
    folder: PathBuf,
    state: Mutex<State>,
    ended: Condvar,
    runs: AtomicU64,
    failures: AtomicU64,
    ending: AtomicBool,
}

#[derive(Default)]
struct State {
    sessions: HashMap<SessionId, SessionRuns>,
    running: usize,
    /// Why the latest run failed.
    trouble: Option<String>,
}

/// The state of one session.
#[derive(Default)]
struct SessionRuns {
    asked: Option<Timestamp>,
    ran: Option<Timestamp>,
    /// The callers that wait for the run in progress.
    under_way: Option<Vec<oneshot::Sender<()>>>,
    answer: Option<Answer>,
}

/// The output of the command.
#[derive(Debug, Clone)]
struct Answer {
    moment: Moment,
    /// The summary that was its input.
    of: Summary,
    answer: String,
}

/// The output stays valid while this does not change.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Moment {
    status: Status,
    waiting_for: Option<WaitingFor>,
    turn: Option<TurnId>,
}

impl Moment {
    fn of(outlook: &Outlook) -> Self {
        let reading = &outlook.card.reading;
        let (status, waiting_for) = (reading.status, reading.waiting_for.clone());
        Self { status, waiting_for, turn: outlook.turns.last().map(|it| it.id) }
    }
}

/// The result of a run.
enum Outcome {
    /// The known summary suffices, or the session is the command's own.
    Needless,
    Answer(Answer),
    Failed(String),
}

impl CommandSummaries {
    /// An empty state.
    pub fn new(settings: &Settings) -> Self {
        Self(Arc::new(Shared {
            settings: settings.summary.clone(),
            folder: settings.data.join("summary"),
            state: Mutex::default(),
            ended: Condvar::new(),
            runs: AtomicU64::new(0),
            failures: AtomicU64::new(0),
            ending: AtomicBool::new(false),
        }))
    }

    /// Runs the command for a session if one is configured, it is due, and a user may be watching.
    /// The receiver resolves when a run for the wish is over.
    pub fn wish(&self, live: &Live, id: SessionId, wish: Wish) -> Option<oneshot::Receiver<()>> {
        if self.0.settings.command.is_empty() || self.0.ending.load(Ordering::Relaxed) {
            return None;
        }
        let now = (live.settings().now)();
        let mut state = self.state();
        let busy = state.running >= RUNS;
        let known = remembered(&mut state.sessions, id, now)?;
        if wish == Wish::Asked {
            known.asked = Some(now);
        }
        let (done, told) = oneshot::channel();
        if let Some(waiting) = &mut known.under_way {
            waiting.push(done);
            return Some(told);
        }
        let run = (known.ran, since(known, live, id, wish));
        if busy || !may_run(run, now, sight(known, live, id, now)) {
            return None;
        }
        let before = known.ran.replace(now);
        known.under_way = Some(vec![done]);
        state.running += 1;
        drop(state);
        self.begin(live.clone(), id, before);
        Some(told)
    }

    fn begin(&self, live: Live, id: SessionId, before: Option<Timestamp>) {
        let it = self.clone();
        let thread = std::thread::Builder::new().name("summary".to_owned());
        let spawned = thread.spawn(move || {
            let outcome = it.attempt(&live, id);
            it.settle(id, before, outcome);
        });
        if let Err(error) = spawned {
            self.settle(id, before, Outcome::Failed(error.to_string()));
        }
    }

    fn attempt(&self, live: &Live, id: SessionId) -> Outcome {
        let settings = live.settings();
        let target = Target::Id(id.to_string());
        let outlook = match outlook(settings, &target, &|id| live.status(id)) {
            Ok(outlook) => outlook.with_findings(live.findings_of(id)),
            Err(error) => return Outcome::Failed(error.to_string()),
        };
        let (of, moment) = (outlook.summary(), Moment::of(&outlook));
        if self.is_own(&outlook) || self.says_already(id, &moment, &of) {
            return Outcome::Needless;
        }
        let latest = outlook.subject().latest();
        let Some(prompt) = prompt_for(latest, &of, &(self.0.settings.draw)()) else {
            return Outcome::Failed("nothing was drawn to mark the session off".to_owned());
        };
        self.0.runs.fetch_add(1, Ordering::Relaxed);
        match self.run(&prompt) {
            Ok(answer) if is_answer(&answer) => Outcome::Answer(Answer { moment, of, answer }),
            Ok(_) => Outcome::Failed("it said neither `Current:` nor `Recent:`".to_owned()),
            Err(error) => Outcome::Failed(error.to_string()),
        }
    }

    fn run(&self, input: &str) -> Result<String, CommandError> {
        let Shared { folder, settings, .. } = &*self.0;
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let SummarySettings { command, limit, .. } = settings;
        let errand = UserProgram { command, folder, input, limit: *limit };
        user_program::run(errand, &|| self.0.ending.load(Ordering::Relaxed))
    }

    /// If the command is itself an agent, it has sessions too; summarizing those would never end.
    fn is_own(&self, outlook: &Outlook) -> bool {
        let Some(project) = outlook.row.project_path.as_deref().map(Path::new) else {
            return false;
        };
        let real = self.0.folder.canonicalize();
        project.starts_with(&self.0.folder) || real.is_ok_and(|it| project.starts_with(it))
    }

    fn says_already(&self, id: SessionId, moment: &Moment, of: &Summary) -> bool {
        let state = self.state();
        let answer = state.sessions.get(&id).and_then(|it| it.answer.as_ref());
        answer.is_some_and(|it| it.moment == *moment && it.of == *of)
    }

    fn settle(&self, id: SessionId, before: Option<Timestamp>, outcome: Outcome) {
        let mut state = self.state();
        state.running = state.running.saturating_sub(1);
        let waiting = state.sessions.get_mut(&id).and_then(|it| it.under_way.take());
        match outcome {
            Outcome::Needless => {
                if let Some(known) = state.sessions.get_mut(&id) {
                    known.ran = before;
                }
            }
            Outcome::Answer(answer) => {
                state.trouble = None;
                if let Some(known) = state.sessions.get_mut(&id) {
                    known.answer = Some(answer);
                }
            }
            Outcome::Failed(why) => {
                self.0.failures.fetch_add(1, Ordering::Relaxed);
                tracing::warn!(session = %id, why, "the command for summaries failed");
                state.trouble = Some(why);
            }
        }
        drop(state);
        // The caller may have gone away.
        waiting.into_iter().flatten().for_each(|it| it.send(()).unwrap_or_default());
        self.0.ended.notify_all();
    }

    /// The summary by the command, while it is still valid.
    pub fn words(&self, outlook: &Outlook, summary: &Summary) -> Option<Summary> {
        let state = self.state();
        let answer = state.sessions.get(&outlook.row.id)?.answer.as_ref()?;
        let holds = answer.moment == Moment::of(outlook);
        holds.then(|| replaced(summary, &answer.answer))
    }

    /// The number of runs, and of runs without output.
    pub fn counts(&self) -> (u64, u64) {
        (self.0.runs.load(Ordering::Relaxed), self.0.failures.load(Ordering::Relaxed))
    }

    /// Why the latest run failed.
    pub fn trouble(&self) -> Option<String> {
        self.state().trouble.as_ref().map(|it| format!("summary.command: {it}"))
    }

    /// Ends all runs, and allows no more.
    pub fn stop(&self) {
        self.0.ending.store(true, Ordering::Relaxed);
        let state = self.state();
        // A run that has not ended by then ends with the process.
        drop(self.0.ended.wait_timeout_while(state, ENDING, |it| it.running > 0));
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The state of a session. If there are too many, drops those that no user watches; `None` if all
/// are watched.
fn remembered(
    sessions: &mut HashMap<SessionId, SessionRuns>,
    id: SessionId,
    now: Timestamp,
) -> Option<&mut SessionRuns> {
    if sessions.len() >= SESSIONS && !sessions.contains_key(&id) {
        let late = |at: Option<Timestamp>| at.is_some_and(|it| is_late(it, now));
        sessions.retain(|_, it| it.under_way.is_some() || late(it.asked) || late(it.ran));
    }
    let full = sessions.len() >= SESSIONS;
    match sessions.entry(id) {
        Entry::Occupied(known) => Some(known.into_mut()),
        Entry::Vacant(free) => (!full).then(|| free.insert(SessionRuns::default())),
    }
}

/// Whether the turn of the session ended after the last run.
fn since(known: &SessionRuns, live: &Live, id: SessionId, wish: Wish) -> Since {
    let ended = live.status(id).map(|it| it.reading.since);
    let is_later = ended.is_some_and(|ended| known.ran.is_some_and(|ran| ended > ran));
    match wish == Wish::TurnEnded && is_later {
        true => Since::TurnEnded,
        false => Since::Nothing,
    }
}

/// Whether a user asked for the session recently, or it was active recently.
fn sight(known: &SessionRuns, live: &Live, id: SessionId, now: Timestamp) -> Sight {
    let moved = || live.status(id).and_then(|it| it.evidence.last().map(|it| it.at));
    let seen = known.asked.is_some_and(|it| is_late(it, now));
    match seen || moved().is_some_and(|it| is_late(it, now)) {
        true => Sight::Visible,
        false => Sight::Hidden,
    }
}

fn is_late(at: Timestamp, now: Timestamp) -> bool {
    now.as_second() - at.as_second() <= SEEN_SECONDS
}

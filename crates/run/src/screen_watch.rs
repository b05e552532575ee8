//! Journals the state of a terminal's screen when it changes.

use crate::command::Run;
use crate::session_match::{Claim, Claims, own};
use serde_json::value::to_raw_value;
use std::io;
use std::time::{Duration, Instant};
use taffrail_adapters::{Adapter, Screen, ScreenState};
use taffrail_capture::{ProgramStatus, RunName, View, spool, start_of};
use taffrail_context::Settings;
use taffrail_context::write_gone;
use taffrail_model::journal::{Entry, Glimpse, Gone, Loss, Shows};
use taffrail_model::{AgentId, Origin, Process, RuntimeIdentity};

/// How long the agent may take to name its session.
const CLAIMING: Duration = Duration::from_secs(5);
/// The shortest interval between look-ups of the session.
const BETWEEN: Duration = Duration::from_millis(500);
/// The shortest interval between entries that only repeat what the screen shows. It is shorter than
/// the silence after which an open turn is in doubt.
const HEARTBEAT: Duration = Duration::from_secs(20);
/// The longest command that is recorded, in characters.
const COMMAND: usize = 4096;

/// Journals the screen of one agent's terminal.
pub(crate) struct Watch<'a> {
    settings: &'a Settings,
    adapter: &'static dyn Adapter,
    folder: String,
    nonce: fn() -> String,
    child: Process,
    began: Instant,
    claims: Claims,
    claimed: Option<Claim>,
    looked: Option<Instant>,
    name: RunName,
    own: RuntimeIdentity,
    /// An entry was written for the session under our own name.
    is_placed: bool,
    said: Option<(RuntimeIdentity, ScreenView)>,
    /// The time of the last entry.
    said_at: Option<Instant>,
}

/// The screen state, as journaled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ScreenView {
    shows: Shows,
    command: Option<String>,
}

impl<'a> Watch<'a> {
    /// `None` for a project that the user excluded: nothing is journaled.
    pub(crate) fn new(
        settings: &'a Settings,
        run: &Run<'_>,
        adapter: &'static dyn Adapter,
        child: u32,
    ) -> Option<Self> {
        let folder = run.here.to_string_lossy().into_owned();
        if settings.left_out().holds(&folder) {
            return None;
        }
        let child = Process { pid: child, start: start_of(child)? };
        let name = RunName::new(&(run.nonce)());
        Some(Self {
            settings,
            adapter,
            folder,
            nonce: run.nonce,
            child,
            began: Instant::now(),
            claims: Claims::new(settings, adapter, (settings.now)()),
            claimed: None,
            looked: None,
            own: own(adapter, &name),
            name,
            is_placed: false,
            said: None,
            said_at: None,
        })
    }

    /// The name of this run.
    pub(crate) fn run_name(&self) -> RunName {
        self.name.clone()
    }

    /// The agent.
    pub(crate) fn agent(&self) -> AgentId {
        AgentId::new(self.adapter.descriptor().id)
    }

    /// The agent's own session, once it is known.
    pub(crate) fn session(&self) -> Option<&RuntimeIdentity> {
        self.claimed.as_ref().map(|(who, _)| who)
    }

    /// Whether the agent's own program reads the input.
    pub(crate) fn is_agents(&self, foreground: Option<u32>) -> bool {
        let names = self.adapter.descriptor().processes;
        let claimed = self.claimed.as_ref().map(|(_, it)| it.pid);
        foreground.is_some_and(|it| Some(it) == claimed || taffrail_capture::runs(it, names))
    }

    /// Classifies the screen.
    pub(crate) fn read(&self, view: &View) -> ScreenState {
        let rows = view.rows();
        let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
        self.adapter.read_screen(&Screen { rows: &rows, cursor: view.cursor() })
    }

    /// When to look again although nothing happens.
    pub(crate) fn due(&self) -> Option<Instant> {
        let is_young = self.said.is_none() && self.claimed.is_none();
        is_young.then(|| self.looked.map_or(self.began, |it| it + BETWEEN))
    }

    /// Journals the state if it is new, and output that continues as a heartbeat. If the write fails
    /// the entry is lost, and the status rests on other evidence.
    pub(crate) fn look(&mut self, seen: ScreenView) {
        let now = Instant::now();
        self.claim(now);
        let who = match &self.claimed {
            Some((who, _)) => who.clone(),
            None if now.duration_since(self.began) >= CLAIMING => self.own.clone(),
            None => return,
        };
        let new = (who, seen);
        let repeats = self.said.as_ref() == Some(&new);
        let silence = self.said_at.map(|it| now.duration_since(it));
        if repeats && !is_heartbeat(&new.1.shows, silence) {
            return;
        }
        if let Err(error) = self.leave_own(&new.0).and_then(|()| self.write(&new, repeats)) {
            tracing::warn!(%error, "cannot note what a screen shows");
        }
        (self.said, self.said_at) = (Some(new), Some(now));
    }

    /// Skips a check while input is hidden.
    pub(crate) fn rest(&mut self, now: Instant) {
        self.looked = Some(now);
    }

    /// Records the end of the program.
    pub(crate) fn end(&self) {
        let ran = |process: Process| process == self.child;
        let of_own = self.is_placed.then(|| self.own.clone()).filter(|_| self.claimed.is_none());
        let claimed = self.claimed.iter().filter(|(_, it)| ran(*it)).map(|(who, _)| who.clone());
        for who in claimed.chain(of_own) {
            if let Err(error) = self.gone(&who, Loss::Died) {
                tracing::warn!(%error, "cannot note the end of a program");
            }
        }
    }

    fn claim(&mut self, now: Instant) {
        if self.looked.is_some_and(|it| now.duration_since(it) < BETWEEN) {
            return;
        }
        self.looked = Some(now);
        let at = (self.settings.now)();
        let found = self.claims.look(&self.settings.data, self.child.pid, at);
        self.claimed = found.or(self.claimed.take());
    }

    /// Leaves the session of our own naming once the real one is known.
    fn leave_own(&mut self, to: &RuntimeIdentity) -> io::Result<()> {
        if *to == self.own {
            self.is_placed = true;
            return Ok(());
        }
        match std::mem::take(&mut self.is_placed) {
            true => self.gone(&self.own, Loss::Left),
            false => Ok(()),
        }
    }

    fn gone(&self, who: &RuntimeIdentity, gone: Loss) -> io::Result<()> {
        let (session, scope) = (who.id.as_str().to_owned(), who.scope.clone());
        let gone = Gone { gone, session, scope, process: self.child };
        write_gone(self.settings, self.adapter.descriptor().id, &gone)
    }

    fn write(&self, (who, seen): &(RuntimeIdentity, ScreenView), repeats: bool) -> io::Result<()> {
        let claimed = self.claimed.as_ref().map(|(_, process)| *process);
        let glimpse = Glimpse {
            session: who.id.as_str().to_owned(),
            scope: who.scope.clone(),
            process: claimed.unwrap_or(self.child),
            folder: (*who == self.own).then(|| self.folder.clone()),
            shows: seen.shows.clone(),
            command: seen.command.clone(),
            repeats,
        };
        let payload = to_raw_value(&glimpse)?;
        let entry = Entry {
            at: (self.settings.now)(),
            nonce: (self.nonce)(),
            agent: AgentId::new(self.adapter.descriptor().id),
            via: Origin::Pty,
            ancestors: Vec::new(),
            store: None,
            shortened: false,
            payload: &payload,
        };
        spool(&self.settings.data, &entry)
    }
}

/// Whether output that changes nothing on the screen is recorded: as activity, at most once in an
/// interval. At an open dialog or an empty prompt, output is not activity of the agent.
fn is_heartbeat(shows: &Shows, silence: Option<Duration>) -> bool {
    let is_due = silence.is_none_or(|it| it >= HEARTBEAT);
    match shows {
        Shows::Working | Shows::Unclear => is_due,
        Shows::Ready | Shows::Approval | Shows::Question | Shows::Unknown(_) => false,
    }
}

impl ScreenView {
    /// A dialog on the screen counts first, then the status that the program reports, then the
    /// rest.
    pub(crate) fn of(shown: &ScreenState, told: Option<&ProgramStatus>) -> Self {
        let (shows, command) = match (shown, told) {
            (ScreenState::Asking { command: Some(command) }, _) => (Shows::Approval, Some(command)),
            (_, Some(ProgramStatus::Permission)) => (Shows::Approval, None),
            (ScreenState::Asking { command: None }, _) | (_, Some(ProgramStatus::Question)) => {
                (Shows::Question, None)
            }
            (_, Some(ProgramStatus::Working)) => (Shows::Working, None),
            (_, Some(ProgramStatus::Idle)) => (Shows::Ready, None),
            (ScreenState::Working, _) => (Shows::Working, None),
            (ScreenState::Ready { .. }, _) => (Shows::Ready, None),
            (ScreenState::Unknown, _) => (Shows::Unclear, None),
        };
        let command = command.map(|it| it.chars().take(COMMAND).collect());
        Self { shows, command }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn output_is_a_heartbeat_at_most_every_twenty_seconds() {
        let check = |shows: Shows, seconds: u64, expected: bool| {
            let silence = Some(Duration::from_secs(seconds));
            assert_eq!(is_heartbeat(&shows, silence), expected, "{shows:?} {seconds}");
        };
        check(Shows::Working, 0, false);
        check(Shows::Working, 19, false);
        check(Shows::Working, 20, true);
        check(Shows::Unclear, 600, true);
        check(Shows::Ready, 600, false);
        check(Shows::Approval, 600, false);
        check(Shows::Question, 600, false);
    }

    #[test]
    fn a_dialog_counts_before_what_a_program_says_of_itself() {
        let check = |shown: ScreenState,
                     told: Option<ProgramStatus>,
                     shows: Shows,
                     command: Option<&str>| {
            let command = command.map(str::to_owned);
            let seen = ScreenView::of(&shown, told.as_ref());
            assert_eq!(seen, ScreenView { shows, command }, "{shown:?} {told:?}");
        };
        let asks = || ScreenState::Asking { command: Some("ls".to_owned()) };
        let ready = || ScreenState::Ready { empty: true };
        check(asks(), None, Shows::Approval, Some("ls"));
        check(asks(), Some(ProgramStatus::Permission), Shows::Approval, Some("ls"));
        check(asks(), Some(ProgramStatus::Idle), Shows::Approval, Some("ls"));
        check(
            ScreenState::Asking { command: None },
            Some(ProgramStatus::Idle),
            Shows::Question,
            None,
        );
        check(ScreenState::Unknown, Some(ProgramStatus::Permission), Shows::Approval, None);
        check(ScreenState::Unknown, Some(ProgramStatus::Question), Shows::Question, None);
        check(ready(), Some(ProgramStatus::Working), Shows::Working, None);
        check(ScreenState::Working, Some(ProgramStatus::Idle), Shows::Ready, None);
        check(
            ScreenState::Working,
            Some(ProgramStatus::Unknown("error".into())),
            Shows::Working,
            None,
        );
        check(ScreenState::Working, None, Shows::Working, None);
        check(ready(), None, Shows::Ready, None);
        check(ScreenState::Unknown, None, Shows::Unclear, None);
    }
}

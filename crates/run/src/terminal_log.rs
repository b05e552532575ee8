//! Keeps the latest output of our terminal, and what runs on it, until the agent exits normally.

use crate::command::Run;
use crate::screen_watch::Watch;
use std::io;
use std::time::Instant;
use taffrail_capture::{
    Ended, Recorder, RunName, RunRecord, Size, View, kept_runs, prune_runs, remove_runs, start_of,
};
use taffrail_context::Settings;
use taffrail_model::{Process, RuntimeIdentity, Timestamp};

/// The exit code of a program that Ctrl-C ended.
const INTERRUPTED: i32 = 130;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The user ended the agent, or the agent ended itself: nothing is kept.
    Normal,
    /// Something else ended the agent: the output is kept.
    Cut,
}

impl Exit {
    /// `was_told` if the run forwarded a signal that ends programs, or its terminal is gone.
    pub(crate) fn of(ended: Ended, was_told: bool) -> Self {
        match ended {
            Ended::With(0 | INTERRUPTED) if !was_told => Self::Normal,
            Ended::With(_) | Ended::By(_) | Ended::Not | Ended::Stopped => Self::Cut,
        }
    }
}

/// The files of this run. If one cannot be written, the run keeps nothing more.
#[derive(Debug)]
pub(crate) struct TerminalLog<'a> {
    settings: &'a Settings,
    keeps: fn(&Settings, &RuntimeIdentity) -> bool,
    name: RunName,
    record: RunRecord,
    recorder: Option<Recorder>,
    began: Instant,
}

impl<'a> TerminalLog<'a> {
    /// `None` if the folder cannot be written: the agent runs without.
    pub(crate) fn new(
        settings: &'a Settings,
        run: &Run<'_>,
        watch: &Watch<'_>,
        size: Size,
    ) -> Option<Self> {
        let (name, started_at) = (watch.run_name(), (settings.now)());
        let record = RunRecord {
            agent: watch.agent(),
            session: None,
            scope: String::new(),
            process: Process { pid: run.pid, start: start_of(run.pid)? },
            folder: run.here.to_string_lossy().into_owned(),
            command: words(run),
            started_at,
        };
        let made = prune(settings).and_then(|()| record.create(&settings.data, &name));
        if let Err(error) = made {
            tracing::warn!(%error, "cannot keep what runs on a terminal");
            return None;
        }
        let limit = settings.run.scrollback;
        let is_kept = limit > 0 && settings.keeps_copies_of(&record.folder);
        let folder = name.folder(&settings.data);
        let recorder = is_kept.then(|| Recorder::new(folder, limit, (size, started_at)));
        let began = Instant::now();
        Some(Self { settings, keeps: run.keeps, name, record, recorder, began })
    }

    /// Takes output that the screen shows.
    pub(crate) fn take(&mut self, bytes: &[u8], view: &View) {
        self.record(view, |it, now| it.take(bytes, now));
    }

    /// Leaves out output while a hidden line is typed.
    pub(crate) fn hide(&mut self, view: &View) {
        self.record(view, Recorder::hide);
    }

    pub(crate) fn resize(&mut self, size: Size, view: &View) {
        self.record(view, |it, now| it.resize(size, now));
    }

    pub(crate) fn flush(&mut self, view: &View) {
        self.record(view, Recorder::flush);
    }

    fn record(
        &mut self,
        view: &View,
        what: impl FnOnce(&mut Recorder, (std::time::Duration, &View)) -> io::Result<()>,
    ) {
        let Some(recorder) = &mut self.recorder else { return };
        if let Err(error) = what(recorder, (self.began.elapsed(), view)) {
            // Somebody who forgets a session removes its run.
            if error.kind() != io::ErrorKind::NotFound {
                tracing::warn!(%error, "cannot keep the output of a terminal");
            }
            self.recorder = None;
        }
    }

    /// Records which session runs here. Of a session that is not captured, nothing is kept.
    pub(crate) fn belongs_to(&mut self, who: &RuntimeIdentity) {
        let is_known = self.record.session.as_deref() == Some(who.id.as_str());
        if is_known && self.record.scope == who.scope {
            return;
        }
        self.record.session = Some(who.id.as_str().to_owned());
        self.record.scope.clone_from(&who.scope);
        let noted = match (self.keeps)(self.settings, who) {
            true => self.record.replace(&self.settings.data, &self.name),
            false => self.remove(),
        };
        if let Err(error) = noted {
            tracing::warn!(%error, "cannot note which session runs on a terminal");
            self.recorder = None;
        }
    }

    /// Ends the run. A normal exit also removes what earlier runs of the session left.
    pub(crate) fn end(mut self, exit: Exit, view: &View) {
        self.flush(view);
        let removed = match exit {
            Exit::Cut => Ok(()),
            Exit::Normal => self.remove().and_then(|()| self.remove_earlier()),
        };
        if let Err(error) = removed {
            tracing::warn!(%error, "cannot remove the output of a terminal");
        }
    }

    fn remove(&mut self) -> io::Result<()> {
        self.recorder = None;
        remove_runs(&self.settings.data, &|who| who.id.as_str() == self.name.as_str())
    }

    fn remove_earlier(&self) -> io::Result<()> {
        let sessions: Vec<_> = self.record.sessions(&self.name).map(|it| it.session()).collect();
        let runs = kept_runs(&self.settings.data)?.into_iter();
        let earlier = runs.filter(|it| !it.is_running() && sessions.iter().any(|id| it.ran(*id)));
        earlier.into_iter().try_for_each(|it| it.remove())
    }
}

/// The command line; empty if it is not text.
fn words(run: &Run<'_>) -> Vec<String> {
    let words = run.words.iter().map(|it| it.to_str().map(str::to_owned));
    words.collect::<Option<_>>().unwrap_or_default()
}

/// Removes runs that are too old, as reports of hooks are, and the oldest beyond the total.
fn prune(settings: &Settings) -> io::Result<()> {
    let days = i64::from(settings.retention.journal.days);
    let second = (settings.now)().as_second().saturating_sub(days.saturating_mul(86_400));
    prune_runs(&settings.data, settings.run.total, Timestamp::from_second(second).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_exit_of_the_agents_own_clears_its_output() {
        let check = |ended: Ended, was_told: bool, expected: Exit| {
            assert_eq!(Exit::of(ended, was_told), expected, "{ended:?} {was_told}");
        };
        check(Ended::With(0), false, Exit::Normal);
        check(Ended::With(130), false, Exit::Normal);
        check(Ended::With(1), false, Exit::Cut);
        check(Ended::By(9), false, Exit::Cut);
        // The terminal was closed, and the agent ended in an orderly way.
        check(Ended::With(0), true, Exit::Cut);
    }
}

//! Locates processes apart from the loop, because tmux may take a while to answer.
//!
//! A busy tmux answers late, and a process may be looked up before its pane is known. Such a
//! process is looked up again, with growing pauses and a limit.

use super::loop_message::LoopMessage;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};
use taffrail_context::Settings;
use taffrail_run::{Located, locate};

/// How many times a process is looked up while a tmux server does not answer in time.
const DOUBTFUL_ASKS: u32 = 8;
/// How many times a process is looked up when every server answered and none has it in a pane.
const BARE_ASKS: u32 = 3;
/// The pause after the first lookup; it doubles after each further one.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
/// The first and the longest timeout for tmux. It doubles with each lookup.
const FIRST_WAIT: Duration = Duration::from_millis(500);
const LONGEST_WAIT: Duration = Duration::from_secs(4);

/// Starts the thread. Without it no executor is known, and nothing else is lost.
pub(super) fn begin(settings: Arc<Settings>, wakes: Sender<LoopMessage>) -> Sender<u32> {
    let (ask, questions) = channel();
    let thread = std::thread::Builder::new().name("executors".to_owned());
    let tell = move |pid, found| {
        // The loop ends before this thread.
        wakes.send(LoopMessage::Executor(pid, found)).ok();
    };
    let look = move |pids: &[u32], within| locate(&settings, pids, within);
    let work = move || Locating { look, tell, open: BTreeMap::new() }.work(&questions);
    if let Err(error) = thread.spawn(work) {
        tracing::warn!(%error, "cannot start the thread that locates processes");
    }
    ask
}

/// The pause before a process is looked up again after this many lookups; `None` when that is
/// enough.
fn pause_after(asks: u32, found: &Located) -> Option<Duration> {
    let most = match (found.is_bare(), found.is_doubtful) {
        (_, true) => DOUBTFUL_ASKS,
        (true, false) => BARE_ASKS,
        (false, false) => 1,
    };
    (asks < most).then(|| FIRST_PAUSE.saturating_mul(1 << asks.saturating_sub(1)))
}

fn wait_for(asks: u32) -> Duration {
    FIRST_WAIT.saturating_mul(1 << asks.min(8)).min(LONGEST_WAIT)
}

/// Processes to look up, each with its number of lookups and when it is due.
struct Locating<Look, Tell> {
    look: Look,
    tell: Tell,
    open: BTreeMap<u32, (u32, Instant)>,
}

impl<Look, Tell> Locating<Look, Tell>
where
    Look: Fn(&[u32], Duration) -> std::collections::HashMap<u32, Located>,
    Tell: Fn(u32, Located),
{
    fn work(mut self, questions: &Receiver<u32>) {
        loop {
            match self.next(questions) {
                Ok(pid) => self.add(std::iter::once(pid).chain(questions.try_iter())),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.ask(Instant::now());
        }
    }

    fn next(&self, questions: &Receiver<u32>) -> Result<u32, RecvTimeoutError> {
        match self.open.values().map(|(_, due)| *due).min() {
            Some(due) => questions.recv_timeout(due.saturating_duration_since(Instant::now())),
            // Nothing is due until a request arrives.
            None => questions.recv().map_err(|_| RecvTimeoutError::Disconnected),
        }
    }

    fn add(&mut self, pids: impl Iterator<Item = u32>) {
        for pid in pids {
            self.open.entry(pid).or_insert_with(|| (0, Instant::now()));
        }
    }

    fn ask(&mut self, now: Instant) {
        let is_due = |_: &u32, (_, due): &mut (u32, Instant)| *due <= now;
        let due: BTreeMap<u32, (u32, Instant)> = self.open.extract_if(.., is_due).collect();
        let Some(most) = due.values().map(|(asks, _)| *asks).max() else { return };
        let pids: Vec<u32> = due.keys().copied().collect();
        for (pid, found) in (self.look)(&pids, wait_for(most)) {
            let asks = due.get(&pid).map_or(1, |(asks, _)| asks + 1);
            if let Some(pause) = pause_after(asks, &found) {
                self.open.insert(pid, (asks, Instant::now() + pause));
            }
            (self.tell)(pid, found);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;

    fn at(executor: &str, is_doubtful: bool) -> Located {
        Located { executor: Some(executor.to_owned()), is_doubtful }
    }

    /// Runs until nothing is due; returns the reported locations and the pauses.
    fn asked(answer: impl Fn(u32) -> Located) -> (Vec<Located>, Vec<u64>) {
        let (told, count) = (RefCell::new(Vec::new()), RefCell::new(0));
        let look = |pids: &[u32], _| {
            *count.borrow_mut() += 1;
            pids.iter().map(|pid| (*pid, answer(*count.borrow()))).collect()
        };
        let tell = |_, found| told.borrow_mut().push(found);
        let mut it = Locating { look, tell, open: BTreeMap::new() };
        it.add([7, 7].into_iter());
        let mut pauses = Vec::new();
        while let Some((_, due)) = it.open.get(&7).copied() {
            pauses.push(due.saturating_duration_since(Instant::now()).as_secs_f64().round());
            it.ask(due);
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "small numbers"
        )]
        let pauses = pauses.into_iter().map(|it| it as u64).collect();
        (told.into_inner(), pauses)
    }

    #[test]
    fn a_late_answer_is_asked_for_again_and_does_not_stick() {
        let late = |asks: u32| match asks {
            1 | 2 => at("process:7", true),
            _ => at("tmux:%3", false),
        };
        let (told, pauses) = asked(late);
        let all = [at("process:7", true), at("process:7", true), at("tmux:%3", false)];
        assert_eq!((told.as_slice(), pauses.as_slice()), (all.as_slice(), [0, 1, 2].as_slice()));
    }

    #[test]
    fn what_stays_unknown_is_not_asked_about_for_ever() {
        let (told, pauses) = asked(|_| at("process:7", true));
        assert_eq!((told.len(), pauses), (8, vec![0, 1, 2, 4, 8, 16, 32, 64]));
        let (told, pauses) = asked(|_| at("process:7", false));
        assert_eq!((told.len(), pauses), (3, vec![0, 1, 2]));
        assert_eq!(asked(|_| at("tmux:%3", false)).1, [0]);
        assert_eq!(asked(|_| Located { executor: None, is_doubtful: false }).1, [0]);
    }

    #[test]
    fn a_slow_server_is_given_more_time() {
        let waits: Vec<_> = (0..5).map(|it| wait_for(it).as_millis()).collect();
        assert_eq!(waits, [500, 1000, 2000, 4000, 4000]);
    }
}

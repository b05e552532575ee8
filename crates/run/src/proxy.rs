//! Forwards bytes between the user's terminal and the program's, and watches the screen.

use crate::paste::{Pasted, PendingPaste, PromptState, Step, shown};
use crate::screen_watch::{ScreenView, Watch};
use crate::terminal_log::{Exit, TerminalLog};
use crate::waker::{ProxyEvent, ProxyEvents};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Signal, getpid, kill_process};
use std::io;
use std::os::fd::AsFd;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};
use taffrail_adapters::ScreenState;
use taffrail_capture::{Ended, Flowed, Pty, Size, Terminal, View, Wanted};

/// The number of bytes forwarded at once.
const PIECE: usize = 16 * 1024;
/// User input is not read while this many bytes wait for the program.
const WAITING: usize = 64 * 1024;
/// The delay between a change of the screen and its check; also the shortest interval between
/// checks.
const SETTLING: Duration = Duration::from_millis(100);
/// The interval of checks during a paste.
const LOOK: Duration = Duration::from_millis(20);
/// The interval of checks whether hidden input is over.
const HIDDEN: Duration = Duration::from_millis(500);
/// How long to wait for output after the program's end.
const LAST_WORDS: Duration = Duration::from_millis(50);
/// How long a program may take to end after a signal.
const ENDING: Duration = Duration::from_secs(5);

/// Forwards bytes.
pub(crate) struct Proxy<'a> {
    pty: Pty,
    terminal: Terminal,
    view: View,
    watch: Option<Watch<'a>>,
    log: Option<TerminalLog<'a>>,
    heard: ProxyEvents,
    /// Input that waits for the program.
    typed: Vec<u8>,
    has_input: bool,
    has_output: bool,
    pasting: Option<PendingPaste>,
    /// The time of the program's last output.
    written: Option<Instant>,
    look_at: Option<Instant>,
    give_up_at: Option<(Instant, i32)>,
}

impl<'a> Proxy<'a> {
    pub(crate) fn new(
        pty: Pty,
        (terminal, view): (Terminal, View),
        (watch, log): (Option<Watch<'a>>, Option<TerminalLog<'a>>),
        heard: ProxyEvents,
    ) -> Self {
        Self {
            pty,
            terminal,
            view,
            watch,
            log,
            heard,
            typed: Vec::new(),
            has_input: true,
            has_output: true,
            pasting: None,
            written: None,
            look_at: None,
            give_up_at: None,
        }
    }

    /// Forwards until the program has ended; returns its exit code.
    pub(crate) fn carry(mut self) -> io::Result<u8> {
        let ended = loop {
            if let Some(ended) = self.turn()? {
                break ended;
            }
        };
        self.last_words()?;
        if let Some(watch) = &self.watch {
            watch.end();
        }
        if let Some(log) = self.log.take() {
            log.end(Exit::of(ended, self.give_up_at.is_some()), &self.view);
        }
        let (code, is_whole) = match ended {
            Ended::With(code) => (code, true),
            Ended::By(signal) => (128 + signal, false),
            Ended::Not | Ended::Stopped => (1, false),
        };
        if !is_whole {
            print(&self.view.leavings())?;
        }
        Ok(u8::try_from(code).unwrap_or(1))
    }

    fn turn(&mut self) -> io::Result<Option<Ended>> {
        let stdin = io::stdin();
        // During a paste, user input waits.
        let takes = self.has_input && self.pasting.is_none() && self.typed.len() < WAITING;
        let wanted = Wanted {
            output: self.has_output,
            room: !self.typed.is_empty(),
            typed: takes.then(|| stdin.as_fd()),
            bell: self.heard.as_fd(),
        };
        let ready = self.pty.wait(wanted, self.patience())?;
        if ready.output {
            self.output()?;
        }
        if ready.typed {
            self.input()?;
        }
        if ready.room {
            self.flush()?;
        }
        let ended = if ready.bell { self.hear()? } else { None };
        self.look();
        Ok(ended.or_else(|| self.given_up()))
    }

    fn patience(&self) -> Option<Duration> {
        let claims = self.watch.as_ref().and_then(Watch::due);
        let pasting = self.pasting.as_ref().map(|_| Instant::now() + LOOK);
        let given_up = self.give_up_at.map(|(at, _)| at);
        let next = [claims, pasting, given_up, self.look_at].into_iter().flatten().min()?;
        Some(next.saturating_duration_since(Instant::now()))
    }

    fn output(&mut self) -> io::Result<()> {
        let mut piece = [0; PIECE];
        match self.pty.read(&mut piece)? {
            Flowed::Bytes(count) => {
                let bytes = piece.get(..count).unwrap_or_default();
                print(bytes)?;
                let answer = self.view.take(bytes);
                self.typed.extend(answer);
                if let Some(log) = &mut self.log {
                    match self.pty.hides() {
                        true => log.hide(&self.view),
                        false => log.take(bytes, &self.view),
                    }
                }
                self.written = Some(Instant::now());
                self.look_at.get_or_insert_with(|| Instant::now() + SETTLING);
            }
            Flowed::Later => {}
            Flowed::Over => self.has_output = false,
        }
        Ok(())
    }

    fn input(&mut self) -> io::Result<()> {
        let mut piece = [0; PIECE];
        match rustix::io::read(io::stdin(), &mut piece) {
            Ok(0) | Err(Errno::IO) => {
                // The user's terminal is gone, so the program's is closed too.
                self.has_input = false;
                self.told(Signal::HUP.as_raw());
            }
            Ok(count) => {
                self.typed.extend_from_slice(piece.get(..count).unwrap_or_default());
                self.flush()?;
            }
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        match self.pty.write(&self.typed)? {
            Flowed::Bytes(count) => drop(self.typed.drain(..count)),
            Flowed::Later => {}
            Flowed::Over => self.typed.clear(),
        }
        Ok(())
    }

    fn hear(&mut self) -> io::Result<Option<Ended>> {
        for it in self.heard.all()? {
            match it {
                ProxyEvent::Resized => self.resize()?,
                ProxyEvent::Signal(number) => self.told(number),
                ProxyEvent::Paste(text, reply) => self.paste(text, reply),
                ProxyEvent::Child => match self.pty.ended()? {
                    Ended::Not => {}
                    Ended::Stopped => self.stop()?,
                    over => return Ok(Some(over)),
                },
            }
        }
        Ok(None)
    }

    fn resize(&mut self) -> io::Result<()> {
        let size = Size::of(io::stdin());
        self.view.resize(size);
        if let Some(log) = &mut self.log {
            log.resize(size, &self.view);
        }
        self.pty.resize(size)
    }

    /// Forwards a signal to the program; TERM and HUP end the run after a timeout.
    fn told(&mut self, number: i32) {
        self.pty.signal(number);
        if [Signal::TERM.as_raw(), Signal::HUP.as_raw()].contains(&number) {
            self.give_up_at.get_or_insert((Instant::now() + ENDING, number));
        }
    }

    fn given_up(&self) -> Option<Ended> {
        let (at, number) = self.give_up_at?;
        (Instant::now() >= at).then_some(Ended::By(number))
    }

    /// The program was stopped: stop this process too, so that the shell gets the terminal back,
    /// until both are continued.
    fn stop(&mut self) -> io::Result<()> {
        self.terminal.give_back()?;
        kill_process(getpid(), Signal::STOP)?;
        self.terminal.make_raw()?;
        self.resize()?;
        self.pty.go_on();
        Ok(())
    }

    fn standing(&self) -> PromptState {
        let watch = self.watch.as_ref().filter(|_| !self.pty.hides());
        PromptState {
            hides: self.pty.hides(),
            is_agents: watch.is_some_and(|it| it.is_agents(self.pty.foreground())),
            takes_pasted: self.view.takes_pasted(),
            shown: watch
                .map_or(ScreenState::Unknown, |it| shown(it.read(&self.view), self.view.status())),
            written: self.written,
        }
    }

    fn paste(&mut self, text: String, reply: Sender<Pasted>) {
        match self.pasting.is_some() || !self.typed.is_empty() {
            // The client may be gone.
            true => drop(reply.send(Pasted::Refused("it is being typed to".to_owned()))),
            false => self.pasting = Some(PendingPaste::asked(text, reply, Instant::now())),
        }
    }

    /// Checks the screen once it has settled. Does not look while input is hidden.
    fn look(&mut self) {
        let now = Instant::now();
        self.look_for_paste(now);
        let due = self.watch.as_ref().and_then(Watch::due);
        let next = [self.look_at, due].into_iter().flatten().min();
        if next.is_none_or(|at| now < at) {
            return;
        }
        self.look_at = None;
        if let Some(log) = &mut self.log {
            log.flush(&self.view);
        }
        let Some(watch) = &mut self.watch else { return };
        if self.pty.hides() {
            watch.rest(now);
            self.look_at = Some(now + HIDDEN);
            return;
        }
        let shown = watch.read(&self.view);
        watch.look(ScreenView::of(&shown, self.view.status()));
        if let (Some(log), Some(who)) = (&mut self.log, watch.session()) {
            log.belongs_to(who);
        }
    }

    fn look_for_paste(&mut self, now: Instant) {
        let Some(mut pasting) = self.pasting.take() else { return };
        match pasting.look(&self.standing(), now) {
            Step::Wait => self.pasting = Some(pasting),
            Step::Type(bytes) => {
                self.typed.extend(bytes);
                self.pasting = Some(pasting);
            }
            Step::Done => {}
        }
    }

    fn last_words(&mut self) -> io::Result<()> {
        while self.has_output {
            let waker = self.heard.as_fd();
            let wanted = Wanted { output: true, room: false, typed: None, bell: waker };
            let ready = self.pty.wait(wanted, Some(LAST_WORDS))?;
            match (ready.output, ready.bell) {
                (true, _) => self.output()?,
                // It is too late for other events.
                (false, true) => drop(self.heard.all()?),
                (false, false) => break,
            }
        }
        Ok(())
    }
}

/// Writes all bytes to the user's terminal.
fn print(mut bytes: &[u8]) -> io::Result<()> {
    let stdout = io::stdout();
    while !bytes.is_empty() {
        match rustix::io::write(&stdout, bytes) {
            Ok(count) => bytes = bytes.get(count..).unwrap_or_default(),
            Err(Errno::INTR) => {}
            // An earlier program may have left the terminal non-blocking.
            Err(Errno::AGAIN) => {
                poll(&mut [PollFd::new(&stdout, PollFlags::OUT)], None)?;
            }
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

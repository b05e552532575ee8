//! An agent behind a pipe: two threads copy, and this one waits for the agent's end.

use super::copy::{Direction, copy};
use super::fact::{Fact, SettledBy};
use super::relay::Relay;
use rustix::process::{Pid, Signal, kill_process};
use std::ffi::OsString;
use std::io::{self, PipeReader, PipeWriter, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use taffrail_capture::{start_of, with_users_mask};
use taffrail_model::Process;
use taffrail_model::approval::Decision;

/// How long an agent's last output may pause after its end, while another process still has it open.
const LAST_OUTPUT: Duration = Duration::from_secs(2);

/// An agent that runs behind a pipe.
#[derive(Debug)]
pub struct Piped {
    child: Child,
    process: Option<Process>,
    shared: Arc<Shared>,
    output_ended: Receiver<()>,
}

/// Answers requests of the agent behind a pipe.
#[derive(Debug, Clone)]
pub struct Answers {
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    relay: Mutex<Relay>,
    facts: SyncSender<Fact>,
    /// How many facts were lost because nobody took them in time.
    lost: AtomicU64,
    /// How often output was passed to the editor.
    passed: AtomicU64,
    agent_bell: PipeWriter,
    editor_bell: PipeWriter,
}

/// Starts an agent and copies between it and our own standard input and output. `facts` gets what the
/// messages say; it is bounded, and a fact that finds it full is lost.
///
/// # Errors
/// When the agent cannot be started.
pub fn start(words: &[OsString], facts: SyncSender<Fact>) -> io::Result<Piped> {
    let (program, rest) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(program);
    command.args(rest).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = with_users_mask(|| command.spawn())?;
    let (agent_rings, agent_bell) = io::pipe()?;
    let (editor_rings, editor_bell) = io::pipe()?;
    let shared = Arc::new(Shared {
        relay: Mutex::default(),
        facts,
        lost: AtomicU64::new(0),
        passed: AtomicU64::new(0),
        agent_bell,
        editor_bell,
    });
    let (ends, output_ended) = channel();
    copy_to_agent(&mut child, agent_rings, shared.clone())?;
    copy_to_editor(&mut child, editor_rings, (shared.clone(), ends))?;
    let pid = child.id();
    let process = start_of(pid).map(|start| Process { pid, start });
    Ok(Piped { child, process, shared, output_ended })
}

fn copy_to_agent(
    child: &mut Child,
    rings: PipeReader,
    shared: Arc<Shared>,
) -> io::Result<JoinHandle<()>> {
    let target = child.stdin.take().ok_or(io::ErrorKind::BrokenPipe)?;
    thread::Builder::new().name("to-agent".to_owned()).spawn(move || {
        if let Err(error) = copy((&io::stdin(), &target), rings, &mut ToAgent(shared.clone())) {
            tracing::debug!(%error, "the agent's input is closed");
        }
        drop(target);
        shared.close();
        // An editor that still writes to an agent that does not read must not wait.
        io::copy(&mut io::stdin(), &mut io::sink()).ok();
    })
}

fn copy_to_editor(
    child: &mut Child,
    rings: PipeReader,
    (shared, ends): (Arc<Shared>, std::sync::mpsc::Sender<()>),
) -> io::Result<JoinHandle<()>> {
    let source = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
    thread::Builder::new().name("to-editor".to_owned()).spawn(move || {
        // An editor that is gone closes the agent's output, as it would without us.
        if let Err(error) = copy((&source, &io::stdout()), rings, &mut ToEditor(shared)) {
            tracing::debug!(%error, "the editor's output is closed");
        }
        drop(source);
        // The main thread may have stopped waiting.
        ends.send(()).ok();
    })
}

impl Piped {
    /// The agent's pid.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The agent's process; `None` if it is gone already.
    #[must_use]
    pub fn process(&self) -> Option<Process> {
        self.process
    }

    /// Answers requests of this agent.
    #[must_use]
    pub fn answers(&self) -> Answers {
        Answers { shared: self.shared.clone() }
    }

    /// Waits until the agent ended and its output is passed on; returns its exit code, as a shell
    /// gives it.
    ///
    /// # Errors
    /// When the system call fails.
    pub fn wait(mut self) -> io::Result<u8> {
        let status = self.child.wait()?;
        self.pass_last_output();
        Ok(code_of(status))
    }

    /// An agent's child may keep its output open for ever, so only a pause is waited for. While the
    /// editor does not read, there is none.
    fn pass_last_output(&self) {
        let count = || self.shared.passed.load(Ordering::Acquire);
        let mut known = count();
        while let Err(RecvTimeoutError::Timeout) = self.output_ended.recv_timeout(LAST_OUTPUT) {
            let now = count();
            // An odd count is a piece that is being written.
            if now == known && now % 2 == 0 {
                break;
            }
            known = now;
        }
    }
}

fn code_of(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|it| 128 + it));
    code.and_then(|it| u8::try_from(it).ok()).unwrap_or(1)
}

/// Sends a signal that was meant for the agent.
pub fn pass_signal(agent: u32, number: i32) {
    let pid = i32::try_from(agent).ok().and_then(Pid::from_raw);
    let signal = Signal::from_named_raw(number);
    if let (Some(pid), Some(signal)) = (pid, signal) {
        // The agent may have ended; then the signal has no receiver.
        kill_process(pid, signal).ok();
    }
}

impl Answers {
    /// Answers a request, if nobody did and the editor does not right now.
    pub fn answer(&self, key: u64, decision: Decision) {
        self.shared.relay().answer(key, decision);
        Shared::ring(&self.shared.agent_bell);
    }

    /// Whether nobody answered a request so far.
    #[must_use]
    pub fn is_open(&self, key: u64) -> bool {
        self.shared.relay().is_open(key)
    }

    /// How many facts were lost because nobody took them in time.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.shared.lost.load(Ordering::Relaxed)
    }
}

impl Shared {
    /// The state; it is never locked while bytes are read or written.
    fn relay(&self) -> MutexGuard<'_, Relay> {
        self.relay.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn give(&self, facts: Vec<Fact>) {
        for fact in facts {
            if self.facts.try_send(fact).is_err() {
                self.lost.fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    /// Nothing reaches the agent any more.
    fn close(&self) {
        let facts = self.relay().close();
        self.give(facts);
    }

    /// Wakes a thread that copies; one that has ended needs no waking.
    fn ring(bell: &PipeWriter) {
        (&*bell).write_all(b"!").ok();
    }
}

struct ToAgent(Arc<Shared>);

impl Direction for ToAgent {
    fn pass(&mut self, bytes: Vec<u8>) -> Vec<u8> {
        let (out, facts) = self.0.relay().editor_wrote(&bytes);
        self.0.give(facts);
        out
    }

    fn due(&mut self) -> Vec<u8> {
        let (out, facts) = self.0.relay().for_agent();
        let is_ours = |it: &Fact| matches!(it, Fact::Settled { by: SettledBy::Taffrail, .. });
        if facts.iter().any(is_ours) {
            Shared::ring(&self.0.editor_bell);
        }
        self.0.give(facts);
        out
    }

    fn rest(&mut self) -> Vec<u8> {
        self.0.relay().editor_ended()
    }
}

struct ToEditor(Arc<Shared>);

impl Direction for ToEditor {
    fn pass(&mut self, bytes: Vec<u8>) -> Vec<u8> {
        self.0.passed.fetch_add(1, Ordering::AcqRel);
        let facts = self.0.relay().agent_wrote(&bytes);
        self.0.give(facts);
        bytes
    }

    fn due(&mut self) -> Vec<u8> {
        let count = self.0.passed.load(Ordering::Acquire);
        // The piece before this call is written.
        self.0.passed.fetch_add(count % 2, Ordering::AcqRel);
        self.0.relay().for_editor()
    }

    fn rest(&mut self) -> Vec<u8> {
        Vec::new()
    }
}

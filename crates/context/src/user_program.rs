//! Runs a program of the user: writes its input, reads its output, limits its time, and ends its
//! whole process group.

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

/// The most output, in bytes.
const ANSWER_BYTES: usize = 64 * 1024;
/// The interval at which the time limit and the daemon's shutdown are checked.
const LOOK: Duration = Duration::from_millis(20);

/// A program of the user, and its input.
#[derive(Debug, Clone, Copy)]
pub struct UserProgram<'a> {
    /// The program and its arguments.
    pub command: &'a [String],
    /// Its working folder.
    pub folder: &'a Path,
    /// Its standard input.
    pub input: &'a str,
    /// Its time limit.
    pub limit: Duration,
}

/// Why there is no output.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// The program cannot be started.
    #[error("it cannot be run: {0}")]
    Start(#[from] std::io::Error),
    /// The program failed.
    #[error("it ended with {0}")]
    Failed(std::process::ExitStatus),
    /// The program exceeded its time limit.
    #[error("it took longer than {} s", .0.as_secs_f32())]
    TooLong(Duration),
    /// The program printed too much.
    #[error("it said more than {ANSWER_BYTES} bytes")]
    TooMuch,
    /// The daemon is ending.
    #[error("the daemon is ending")]
    Ending,
}

/// Runs the program to its end and returns its output. Ends everything in its process group, too.
pub fn run(
    program_call: UserProgram<'_>,
    ending: &dyn Fn() -> bool,
) -> Result<String, CommandError> {
    let Some((program, words)) = program_call.command.split_first() else {
        return Err(CommandError::Start(ErrorKind::NotFound.into()));
    };
    let mut command = Command::new(program);
    command.args(words).current_dir(program_call.folder).process_group(0);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn()?;
    let said = talk(&mut child, program_call, ending);
    // The child is not reaped yet, so its pid cannot have been reused.
    kill_process_group(Pid::from_child(&child), Signal::KILL).ok();
    let status = child.wait()?;
    let said = said?;
    match status.success() {
        true => Ok(String::from_utf8_lossy(&said).into_owned()),
        false => Err(CommandError::Failed(status)),
    }
}

/// Writes input and reads output until the program has ended.
fn talk(
    child: &mut Child,
    program_call: UserProgram<'_>,
    ending: &dyn Fn() -> bool,
) -> Result<Vec<u8>, CommandError> {
    let end = Instant::now() + program_call.limit;
    let (mut input, mut output) = (child.stdin.take(), child.stdout.take());
    let mut pipes = Pipes { left: program_call.input.as_bytes(), said: Vec::new() };
    if let (Some(input), Some(output)) = (&input, &output) {
        never_wait(input)?;
        never_wait(output)?;
    }
    loop {
        if ending() {
            return Err(CommandError::Ending);
        }
        if Instant::now() >= end {
            return Err(CommandError::TooLong(program_call.limit));
        }
        wait_for(input.as_ref(), output.as_ref())?;
        // Output from before the exit is in the pipe by then.
        let ended = has_ended(child)?;
        pipes.feed(&mut input);
        pipes.listen(&mut output)?;
        if ended {
            return Ok(pipes.said);
        }
    }
}

fn never_wait(pipe: &impl AsFd) -> std::io::Result<()> {
    Ok(fcntl_setfl(pipe, fcntl_getfl(pipe)? | OFlags::NONBLOCK)?)
}

/// Waits until the program reads or writes, for a moment at most.
fn wait_for(input: Option<&ChildStdin>, output: Option<&ChildStdout>) -> std::io::Result<()> {
    let mut pipes: Vec<PollFd<'_>> = Vec::new();
    pipes.extend(input.map(|it| PollFd::new(it, PollFlags::OUT)));
    pipes.extend(output.map(|it| PollFd::new(it, PollFlags::IN)));
    let limit = Timespec { tv_sec: 0, tv_nsec: i64::from(LOOK.subsec_nanos()) };
    match poll(&mut pipes, Some(&limit)) {
        Err(error) if error != rustix::io::Errno::INTR => Err(error.into()),
        _ => Ok(()),
    }
}

/// Whether the program has ended; does not reap it.
fn has_ended(child: &Child) -> std::io::Result<bool> {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    Ok(waitid(WaitId::Pid(Pid::from_child(child)), look)?.is_some())
}

/// The input and the output.
struct Pipes<'a> {
    left: &'a [u8],
    said: Vec<u8>,
}

impl Pipes<'_> {
    /// Writes as much input as the program accepts; a program need not read its input.
    fn feed(&mut self, input: &mut Option<ChildStdin>) {
        let Some(pipe) = input else { return };
        let done = match pipe.write(self.left) {
            Ok(count) => {
                self.left = self.left.get(count..).unwrap_or_default();
                self.left.is_empty()
            }
            Err(error) => !may_go_on(&error),
        };
        if done {
            *input = None;
        }
    }

    /// Reads the output, up to the limit.
    fn listen(&mut self, output: &mut Option<ChildStdout>) -> Result<(), CommandError> {
        let mut piece = [0; 8 * 1024];
        while let Some(pipe) = output {
            match pipe.read(&mut piece) {
                Ok(0) => *output = None,
                Ok(count) => self.said.extend(piece.get(..count).unwrap_or_default()),
                Err(error) if may_go_on(&error) => return Ok(()),
                // A broken pipe ends the output; the exit code shows the failure.
                Err(_) => *output = None,
            }
            if self.said.len() > ANSWER_BYTES {
                return Err(CommandError::TooMuch);
            }
        }
        Ok(())
    }
}

fn may_go_on(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(20);

    fn script(text: &str, limit: Duration) -> Result<String, CommandError> {
        let command = ["sh", "-c", text].map(str::to_owned);
        let input = "x".repeat(9_000) + "\nlast line\n";
        let folder = tempfile::tempdir().unwrap();
        let program_call =
            UserProgram { command: &command, folder: folder.path(), input: &input, limit };
        run(program_call, &|| false)
    }

    #[test]
    fn what_it_says_is_its_answer_and_a_failure_is_none() {
        let check = |text: &str, expected: Result<&str, &str>| {
            let got = script(text, LONG).map_err(|it| it.to_string());
            let got = got.as_deref().map_err(String::as_str);
            assert_eq!(got, expected, "{text}");
        };
        check("tail -n 1", Ok("last line\n"));
        check("wc -c | tr -d ' '", Ok("9011\n"));
        check("echo 'Current: it does not read'", Ok("Current: it does not read\n"));
        check("exec <&-; echo closed", Ok("closed\n"));
        check("exec >&-; cat > /dev/null", Ok(""));
        check("echo half; exit 3", Err("it ended with exit status: 3"));
        check("yes | head -c 70000", Err("it said more than 65536 bytes"));
        check("yes", Err("it said more than 65536 bytes"));
        check("echo to nobody >&2", Ok(""));
    }

    #[test]
    fn a_program_that_is_not_there_cannot_be_run() {
        let check = |command: &[String]| {
            let program_call =
                UserProgram { command, folder: Path::new("/"), input: "", limit: LONG };
            assert!(matches!(run(program_call, &|| false), Err(CommandError::Start(_))));
        };
        check(&["/nowhere/at/all".to_owned()]);
        check(&[]);
    }

    #[test]
    fn one_that_takes_too_long_is_ended_with_all_it_began() {
        let began = Instant::now();
        let folder = tempfile::tempdir().unwrap();
        let pids = folder.path().join("pids");
        let text = format!("sleep 300 & echo $$ $! > {}; wait", pids.display());
        let limit = Duration::from_millis(700);
        let late = script(&text, limit);
        assert!(matches!(late, Err(CommandError::TooLong(it)) if it == limit), "{late:?}");
        assert!(began.elapsed() < Duration::from_secs(10));
        let pids = std::fs::read_to_string(pids).unwrap();
        for pid in pids.split_whitespace() {
            check_gone(pid);
        }
    }

    #[test]
    fn what_it_leaves_behind_is_ended_and_not_waited_for() {
        let began = Instant::now();
        let said = script("sleep 300 & echo $!", LONG).unwrap();
        assert!(began.elapsed() < Duration::from_secs(10));
        check_gone(said.trim());
    }

    #[test]
    fn a_daemon_that_ends_waits_for_nothing() {
        let command = ["sleep", "300"].map(str::to_owned);
        let program_call =
            UserProgram { command: &command, folder: Path::new("/"), input: "", limit: LONG };
        assert!(matches!(run(program_call, &|| true), Err(CommandError::Ending)));
    }

    /// The process is gone, or dead and not reaped by its new parent.
    fn check_gone(pid: &str) {
        let end = Instant::now() + Duration::from_secs(10);
        loop {
            let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            if stat.is_empty() || stat.contains(") Z ") {
                return;
            }
            assert!(Instant::now() < end, "{pid} lives: {stat}");
            std::thread::park_timeout(Duration::from_millis(5));
        }
    }
}

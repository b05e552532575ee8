//! Runs a program on one of our pseudo-terminals.

use super::master::open_master;
use super::terminal::{Size, Terminal};
use crate::with_users_mask;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::io::{Errno, ioctl_fionbio};
use rustix::process::{
    Pid, Signal, WaitOptions, ioctl_tiocsctty, kill_process, kill_process_group, setsid, waitpid,
};
use rustix::pty::{grantpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcgetpgrp, tcsetattr, tcsetwinsize};
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A program that runs on one of our pseudo-terminals.
#[derive(Debug)]
pub struct Pty {
    line: OwnedFd,
    child: Pid,
}

/// The state of the program, as `waitpid` reports it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It is running.
    Not,
    /// It is stopped and can continue.
    Stopped,
    /// It exited with this code.
    With(i32),
    /// This signal ended it.
    By(i32),
}

/// What to wait for.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// Output of the program.
    pub output: bool,
    /// Room for input.
    pub room: bool,
    /// The file descriptor of the user's input.
    pub typed: Option<BorrowedFd<'a>>,
    /// A file descriptor that wakes the wait.
    pub bell: BorrowedFd<'a>,
}

/// What is ready.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is one of the things waited for")]
pub struct Ready {
    /// The program printed, or is gone.
    pub output: bool,
    /// There is room for input.
    pub room: bool,
    /// The user typed something.
    pub typed: bool,
    /// The wake descriptor is readable.
    pub bell: bool,
}

/// The result of a read or a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flowed {
    /// The number of bytes.
    Bytes(usize),
    /// It would block.
    Later,
    /// The line is closed.
    Over,
}

impl Pty {
    /// Starts a command on a terminal of this size, with the settings of the user's terminal. The command must
    /// begin with a program that calls `take_terminal`.
    ///
    /// # Errors
    /// When the system cannot open a terminal or start the command.
    pub fn start(mut command: Command, like: &Terminal, size: Size) -> io::Result<Self> {
        let line = open_master()?;
        grantpt(&line)?;
        unlockpt(&line)?;
        let name = ptsname(&line, Vec::new())?;
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let end = open(&*name, flags, Mode::empty())?;
        tcsetattr(&end, OptionalActions::Now, like.found())?;
        tcsetwinsize(&line, size.winsize())?;
        ioctl_fionbio(&line, true)?;
        command.stdin(Stdio::from(end.try_clone()?));
        command.stdout(Stdio::from(end.try_clone()?)).stderr(Stdio::from(end));
        let child = with_users_mask(|| command.spawn())?.id().cast_signed();
        let child = Pid::from_raw(child).ok_or(io::ErrorKind::Other)?;
        Ok(Self { line, child })
    }

    /// The pid of the program.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.as_raw_nonzero().get().cast_unsigned()
    }

    /// Waits until something is ready, at most this long.
    ///
    /// # Errors
    /// When the system call fails.
    pub fn wait(&self, wanted: Wanted<'_>, most: Option<Duration>) -> io::Result<Ready> {
        let mut flags = PollFlags::empty();
        flags.set(PollFlags::IN, wanted.output);
        flags.set(PollFlags::OUT, wanted.room);
        let mut all = vec![PollFd::new(&wanted.bell, PollFlags::IN)];
        if !flags.is_empty() {
            all.push(PollFd::new(&self.line, flags));
        }
        let line = usize::from(!flags.is_empty());
        let typed = wanted.typed;
        all.extend(typed.as_ref().map(|it| PollFd::new(it, PollFlags::IN)));
        let most = most.and_then(|it| Timespec::try_from(it).ok());
        match poll(&mut all, most.as_ref()) {
            Ok(_) => {}
            Err(Errno::INTR) => return Ok(Ready::default()),
            Err(error) => return Err(error.into()),
        }
        let got = |at: usize| all.get(at).map_or(PollFlags::empty(), PollFd::revents);
        let on_line = if line == 1 { got(1) } else { PollFlags::empty() };
        let gone = PollFlags::HUP | PollFlags::ERR;
        Ok(Ready {
            output: wanted.output && on_line.intersects(PollFlags::IN | gone),
            room: wanted.room && on_line.intersects(PollFlags::OUT | gone),
            typed: typed.is_some() && got(line + 1).intersects(PollFlags::IN | gone),
            bell: !got(0).is_empty(),
        })
    }

    /// Reads the program's output.
    ///
    /// # Errors
    /// When the line is broken.
    pub fn read(&self, into: &mut [u8]) -> io::Result<Flowed> {
        flowed(rustix::io::read(&self.line, into))
    }

    /// Writes input, as far as there is room.
    ///
    /// # Errors
    /// When the line is broken.
    pub fn write(&self, bytes: &[u8]) -> io::Result<Flowed> {
        flowed(rustix::io::write(&self.line, bytes))
    }

    /// Sets the size of the terminal; the system notifies the program.
    ///
    /// # Errors
    /// When the line is broken.
    pub fn resize(&self, size: Size) -> io::Result<()> {
        Ok(tcsetwinsize(&self.line, size.winsize())?)
    }

    /// Whether the terminal reads a line without echo, as for a password. Full-screen programs also turn the
    /// echo off, but read keys one by one.
    ///
    /// If the terminal does not answer, the input counts as hidden.
    #[must_use]
    pub fn hides(&self) -> bool {
        tcgetattr(&self.line).map_or(true, |it| {
            let modes = it.local_modes;
            modes.contains(LocalModes::ICANON) && !modes.contains(LocalModes::ECHO)
        })
    }

    /// The foreground process group.
    #[must_use]
    pub fn foreground(&self) -> Option<u32> {
        Some(tcgetpgrp(&self.line).ok()?.as_raw_nonzero().get().cast_unsigned())
    }

    /// The state of the program.
    ///
    /// # Errors
    /// When it is not our child any more.
    pub fn ended(&self) -> io::Result<Ended> {
        let how = waitpid(Some(self.child), WaitOptions::NOHANG | WaitOptions::UNTRACED)?;
        let Some((_, how)) = how else { return Ok(Ended::Not) };
        Ok(match (how.exit_status(), how.terminating_signal()) {
            (Some(code), _) => Ended::With(code),
            (None, Some(signal)) => Ended::By(signal),
            (None, None) if how.stopped() => Ended::Stopped,
            (None, None) => Ended::Not,
        })
    }

    /// Sends a signal to the program. A program that is gone is ignored.
    pub fn signal(&self, number: i32) {
        if let Some(signal) = Signal::from_named_raw(number) {
            kill_process(self.child, signal).ok();
        }
    }

    /// Continues a stopped program.
    pub fn go_on(&self) {
        kill_process_group(self.child, Signal::CONT).ok();
    }
}

impl AsFd for Pty {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.line.as_fd()
    }
}

fn flowed(came: rustix::io::Result<usize>) -> io::Result<Flowed> {
    match came {
        Ok(0) | Err(Errno::IO) => Ok(Flowed::Over),
        Ok(count) => Ok(Flowed::Bytes(count)),
        Err(Errno::AGAIN | Errno::INTR) => Ok(Flowed::Later),
        Err(error) => Err(error.into()),
    }
}

/// Makes the terminal on standard input the controlling terminal of a new session and replaces this process by
/// the program; returns only an error.
#[must_use]
pub fn take_terminal(program: &OsString, arguments: &[OsString]) -> io::Error {
    let taken = setsid().and_then(|_| ioctl_tiocsctty(io::stdin()));
    match taken {
        Ok(()) => Command::new(program).args(arguments).exec(),
        Err(error) => error.into(),
    }
}

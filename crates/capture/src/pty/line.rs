//! The line to a program on a terminal of ours.

use super::terminal::{Size, Terminal};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::io::{Errno, ioctl_fionbio};
use rustix::process::{
    Pid, Signal, WaitOptions, ioctl_tiocsctty, kill_process, kill_process_group, setsid, waitpid,
};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcgetpgrp, tcsetattr, tcsetwinsize};
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

/// A program that runs on a terminal of ours.
#[derive(Debug)]
pub struct Pty {
    line: OwnedFd,
    child: Pid,
}

/// How the program stands, as the system tells its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// It goes on.
    Not,
    /// It was stopped, and can go on.
    Stopped,
    /// It is over, with this exit code.
    With(i32),
    /// It is over by this signal.
    By(i32),
}

/// What is waited for, beside what the program prints.
#[derive(Debug, Clone, Copy)]
pub struct Wanted<'a> {
    /// The program's own words.
    pub output: bool,
    /// Room for what is typed.
    pub room: bool,
    /// What a person types.
    pub typed: Option<BorrowedFd<'a>>,
    /// Somebody else who has something to say.
    pub bell: BorrowedFd<'a>,
}

/// What there is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is one of the things waited for")]
pub struct Ready {
    /// The program printed, or went away.
    pub output: bool,
    /// There is room for what is typed.
    pub room: bool,
    /// Something was typed.
    pub typed: bool,
    /// Somebody rang.
    pub bell: bool,
}

/// What came of reading or writing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flowed {
    /// So many bytes.
    Bytes(usize),
    /// Nothing now.
    Later,
    /// Nothing ever again.
    Over,
}

impl Pty {
    /// Starts a command on a terminal of this size, set as the person's own is. The command must
    /// begin with a program that calls `take_terminal`.
    ///
    /// # Errors
    /// When the system has no terminal for us or the command cannot be started.
    pub fn start(mut command: Command, like: &Terminal, size: Size) -> io::Result<Self> {
        let line = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
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
        let child = command.spawn()?.id().cast_signed();
        let child = Pid::from_raw(child).ok_or(io::ErrorKind::Other)?;
        Ok(Self { line, child })
    }

    /// The number of the program's process.
    #[must_use]
    pub fn pid(&self) -> u32 {
        self.child.as_raw_nonzero().get().cast_unsigned()
    }

    /// Waits until there is something to do, or so long.
    ///
    /// # Errors
    /// When the system cannot wait.
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

    /// Reads what the program printed.
    ///
    /// # Errors
    /// When the line is broken.
    pub fn read(&self, into: &mut [u8]) -> io::Result<Flowed> {
        flowed(rustix::io::read(&self.line, into))
    }

    /// Writes what is typed, as far as there is room.
    ///
    /// # Errors
    /// When the line is broken.
    pub fn write(&self, bytes: &[u8]) -> io::Result<Flowed> {
        flowed(rustix::io::write(&self.line, bytes))
    }

    /// The terminal has another size; the system tells the program.
    ///
    /// # Errors
    /// When the line is broken.
    pub fn resize(&self, size: Size) -> io::Result<()> {
        Ok(tcsetwinsize(&self.line, size.winsize())?)
    }

    /// A line is typed and not shown: a password. Programs that fill the screen turn the echo off,
    /// too, but take keys one by one.
    ///
    /// Where the terminal does not say, it is taken to hide.
    #[must_use]
    pub fn hides(&self) -> bool {
        tcgetattr(&self.line).map_or(true, |it| {
            let modes = it.local_modes;
            modes.contains(LocalModes::ICANON) && !modes.contains(LocalModes::ECHO)
        })
    }

    /// The group of processes that is typed to.
    #[must_use]
    pub fn foreground(&self) -> Option<u32> {
        Some(tcgetpgrp(&self.line).ok()?.as_raw_nonzero().get().cast_unsigned())
    }

    /// How the program stands.
    ///
    /// # Errors
    /// When it is no child of ours any more.
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

    /// Passes a signal on to the program; none that is gone.
    pub fn signal(&self, number: i32) {
        if let Some(signal) = Signal::from_named_raw(number) {
            kill_process(self.child, signal).ok();
        }
    }

    /// Lets the program go on after it was stopped.
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

/// Takes the terminal on standard input as the one of a session of its own, and becomes the
/// program; it only comes back with a reason why not.
#[must_use]
pub fn take_terminal(program: &OsString, arguments: &[OsString]) -> io::Error {
    let taken = setsid().and_then(|_| ioctl_tiocsctty(io::stdin()));
    match taken {
        Ok(()) => Command::new(program).args(arguments).exec(),
        Err(error) => error.into(),
    }
}

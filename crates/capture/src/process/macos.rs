//! The process table of macOS: the kernel describes this user's processes, and `ps` the others.
//!
//! A start time is in seconds since 1970, as the kernel and `ps` both give it.

use super::listing::{Row, row, written};
use super::tmux::answer;
use super::{COMMAND_LIMIT, ENVIRONMENT_LIMIT, FILE_LIMIT, Stat, Terminal};
use rustix::process::getsid;
use std::collections::HashMap;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use sysinfo::{Pid, ProcessRefreshKind, ProcessStatus, ProcessesToUpdate, System, UpdateKind};

/// How long `ps` and `lsof` may take.
const DEADLINE: Duration = Duration::from_secs(2);
/// The columns that `listing::row` reads. The name comes last because only it can contain a space.
const COLUMNS: &str = "ppid=,pgid=,tpgid=,stat=,tty=,lstart=,ucomm=";

/// The process with this pid.
pub(super) fn stat(pid: u32) -> Option<Stat> {
    let leader = leader(pid)?;
    own_stat(pid, leader).or_else(|| {
        let Row { parent, is_over, start, name, .. } = listed(pid)?;
        Some(Stat { name, is_over, parent, leader, start })
    })
}

/// A process of this user. The kernel does not describe others, and then its start is 0.
fn own_stat(pid: u32, leader: u32) -> Option<Stat> {
    let table = table_of(pid, ProcessRefreshKind::nothing())?;
    let it = table.process(Pid::from_u32(pid)).filter(|it| it.start_time() != 0)?;
    Some(Stat {
        name: it.name().to_string_lossy().into_owned(),
        is_over: matches!(it.status(), ProcessStatus::Zombie | ProcessStatus::Dead),
        parent: it.parent().map_or(0, Pid::as_u32),
        leader,
        start: it.start_time(),
    })
}

fn leader(pid: u32) -> Option<u32> {
    let pid = rustix::process::Pid::from_raw(i32::try_from(pid).ok()?)?;
    u32::try_from(getsid(Some(pid)).ok()?.as_raw_pid()).ok()
}

/// The terminal of a process; `None` if no process has this pid.
pub(super) fn terminal(pid: u32) -> Option<Terminal> {
    listed(pid).map(|it| it.terminal)
}

/// The arguments that a process was started with, as far as they can be read.
pub(super) fn command_line(pid: u32) -> Vec<String> {
    let table = table_of(pid, ProcessRefreshKind::nothing().with_cmd(UpdateKind::Always));
    let process = table.as_ref().and_then(|it| it.process(Pid::from_u32(pid)));
    let words = process.map(sysinfo::Process::cmd).unwrap_or_default();
    let mut left = COMMAND_LIMIT;
    let fits = |word: &String| {
        let fits = word.len() < left;
        left = left.saturating_sub(word.len() + 1);
        fits
    };
    words.iter().map(|it| it.to_string_lossy().into_owned()).take_while(fits).collect()
}

/// The variables of a process, each ended by a zero byte; `None` for a process of another user. The
/// kernel hides those of Apple's own programs.
pub(super) fn environment(pid: u32) -> Option<Vec<u8>> {
    let table = table_of(pid, ProcessRefreshKind::nothing().with_environ(UpdateKind::Always))?;
    let limit = usize::try_from(ENVIRONMENT_LIMIT).unwrap_or(usize::MAX);
    let mut all = Vec::new();
    for variable in table.process(Pid::from_u32(pid))?.environ() {
        all.extend_from_slice(variable.as_encoded_bytes());
        all.push(0);
    }
    all.truncate(limit);
    Some(all)
}

/// The file that a process runs.
pub(super) fn executable(pid: u32) -> Option<PathBuf> {
    let table = table_of(pid, ProcessRefreshKind::nothing().with_exe(UpdateKind::Always))?;
    table.process(Pid::from_u32(pid))?.exe().map(std::path::Path::to_owned)
}

/// Who started whom.
pub(super) struct Children {
    below: HashMap<u32, Vec<u32>>,
}

impl Children {
    /// Reads the whole table, because the kernel keeps no list for each process.
    pub(super) fn read() -> Self {
        let table = table(ProcessesToUpdate::All, ProcessRefreshKind::nothing());
        let mut below: HashMap<u32, Vec<u32>> = HashMap::new();
        for (pid, it) in table.iter().flat_map(System::processes) {
            if let Some(parent) = it.parent() {
                below.entry(parent.as_u32()).or_default().push(pid.as_u32());
            }
        }
        below.values_mut().for_each(|it| it.sort_unstable());
        Self { below }
    }

    /// The processes that a process started.
    pub(super) fn of(&self, pid: u32) -> Vec<u32> {
        self.below.get(&pid).cloned().unwrap_or_default()
    }
}

/// The files that a process has open for writing.
pub(super) fn written_by(pid: u32) -> Vec<PathBuf> {
    let said = said("/usr/sbin/lsof", &["-n", "-P", "-w", "-p", &pid.to_string(), "-F", "an"]);
    written(&said.unwrap_or_default(), FILE_LIMIT)
}

fn listed(pid: u32) -> Option<Row> {
    row(&said("/bin/ps", &["-ww", "-o", COLUMNS, "-p", &pid.to_string()])?)
}

/// The output of a program of the system, in English and with times in UTC.
fn said(program: &str, words: &[&str]) -> Option<String> {
    let mut command = Command::new(program);
    command.args(words).env("LC_ALL", "C").env("TZ", "UTC");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    let output = answer(command.spawn().ok()?, Instant::now() + DEADLINE)?;
    Some(String::from_utf8_lossy(&output).into_owned())
}

fn table_of(pid: u32, kind: ProcessRefreshKind) -> Option<System> {
    table(ProcessesToUpdate::Some(&[Pid::from_u32(pid)]), kind)
}

fn table(which: ProcessesToUpdate<'_>, kind: ProcessRefreshKind) -> Option<System> {
    let mut table = System::new().ok()?;
    table.refresh_processes_specifics(which, true, kind);
    Some(table)
}

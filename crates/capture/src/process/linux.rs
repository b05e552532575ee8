//! The process table of Linux: `/proc`.

use super::{COMMAND_LIMIT, ENVIRONMENT_LIMIT, FILE_LIMIT, Stat, Terminal};
use std::fs::{self, File};
use std::io::Read;
use std::path::PathBuf;

/// The process with this pid, zombies included.
pub(super) fn stat(pid: u32) -> Option<Stat> {
    let it = line(pid)?;
    let is_over = matches!(it.state, 'Z' | 'X');
    Some(Stat { name: it.name, is_over, parent: it.parent, leader: it.leader, start: it.start })
}

/// The terminal of a process; `None` if no process has this pid.
pub(super) fn terminal(pid: u32) -> Option<Terminal> {
    let it = line(pid)?;
    Some(Terminal { path: tty_name(it.tty), is_in_front: it.group == it.front })
}

/// The arguments that a process was started with, as far as they can be read.
pub(super) fn command_line(pid: u32) -> Vec<String> {
    let mut line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
    line.truncate(COMMAND_LIMIT);
    let line = String::from_utf8_lossy(&line);
    line.split('\0').filter(|it| !it.is_empty()).map(str::to_owned).collect()
}

/// The variables of a process, each ended by a zero byte; `None` for a process of another user.
pub(super) fn environment(pid: u32) -> Option<Vec<u8>> {
    let mut all = Vec::new();
    let file = File::open(format!("/proc/{pid}/environ")).ok()?;
    file.take(ENVIRONMENT_LIMIT).read_to_end(&mut all).ok()?;
    Some(all)
}

/// The file that a process runs.
pub(super) fn executable(pid: u32) -> Option<PathBuf> {
    fs::read_link(format!("/proc/{pid}/exe")).ok()
}

/// Who started whom.
pub(super) struct Children;

impl Children {
    /// The kernel keeps a list for each process, so nothing is read beforehand.
    pub(super) fn read() -> Self {
        Self
    }

    /// The processes that a process started.
    #[expect(clippy::unused_self, reason = "other systems read the whole table first")]
    pub(super) fn of(&self, pid: u32) -> Vec<u32> {
        let tasks = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        let lists = tasks.filter_map(|it| fs::read_to_string(it.path().join("children")).ok());
        let lists: Vec<_> = lists.collect();
        let words = lists.iter().flat_map(|it| it.split_ascii_whitespace());
        words.filter_map(|it| it.parse::<u32>().ok()).collect()
    }
}

/// The files that a process has open for writing.
pub(super) fn written_by(pid: u32) -> Vec<PathBuf> {
    let open = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
    let written =
        open.take(FILE_LIMIT).filter(|it| is_written(pid, &it.file_name().to_string_lossy()));
    written.filter_map(|it| fs::read_link(it.path()).ok()).filter(|it| it.is_absolute()).collect()
}

/// The last two bits of a file's flags, written in octal, are the access mode; 0 is read-only.
fn is_written(pid: u32, number: &str) -> bool {
    let about = fs::read_to_string(format!("/proc/{pid}/fdinfo/{number}")).unwrap_or_default();
    let flags = about.lines().find_map(|it| it.strip_prefix("flags:")).unwrap_or_default();
    u32::from_str_radix(flags.trim(), 8).is_ok_and(|it| it & 3 != 0)
}

/// A line of `/proc/<pid>/stat`.
struct Line {
    name: String,
    state: char,
    parent: u32,
    /// Its process group, and the foreground group of its terminal.
    group: i32,
    front: i32,
    /// The leader of its session.
    leader: u32,
    tty: u32,
    start: u64,
}

fn line(pid: u32) -> Option<Line> {
    parse(&String::from_utf8_lossy(&fs::read(format!("/proc/{pid}/stat")).ok()?))
}

fn parse(line: &str) -> Option<Line> {
    // The name is in parentheses and may contain any character; after the last `)` come plain fields.
    let (before, after) = line.rsplit_once(')')?;
    let (_, name) = before.split_once('(')?;
    let field: Vec<&str> = after.split_ascii_whitespace().collect();
    Some(Line {
        name: name.to_owned(),
        state: field.first()?.chars().next()?,
        parent: field.get(1)?.parse().ok()?,
        group: field.get(2)?.parse().ok()?,
        front: field.get(5)?.parse().ok()?,
        leader: field.get(3)?.parse().ok()?,
        tty: field.get(4)?.parse::<i32>().ok()?.cast_unsigned(),
        start: field.get(19)?.parse().ok()?,
    })
}

/// The path of a terminal device, from its device number.
fn tty_name(device: u32) -> Option<String> {
    let (major, minor) = ((device >> 8) & 0xfff, (device & 0xff) | ((device >> 12) & 0xf_ff00));
    match major {
        4 if minor < 64 => Some(format!("/dev/tty{minor}")),
        4 => Some(format!("/dev/ttyS{}", minor - 64)),
        136..=143 => Some(format!("/dev/pts/{}", minor + (major - 136) * 256)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_the_table_is_read_whatever_the_name() {
        let check = |name: &str| {
            let rest = "S 7 1 1 34816 1 0 0 0 0 0 0 0 0 0 20 0 1 0 4711 0";
            let it = parse(&format!("9 ({name}) {rest}")).unwrap();
            let got = (it.name.as_str(), it.state, it.parent, it.tty, it.start);
            assert_eq!(got, (name, 'S', 7, 34816, 4711));
        };
        check("sh");
        check("a b");
        check(") S 1 (");
        check("");
        assert!(parse("").is_none());
        assert!(parse("9 (sh) S 7").is_none());
    }

    #[test]
    fn terminals_have_names() {
        let check = |device: u32, expected: Option<&str>| {
            assert_eq!(tty_name(device).as_deref(), expected, "{device}");
        };
        check(0, None);
        check((4 << 8) | 1, Some("/dev/tty1"));
        check((4 << 8) | 64, Some("/dev/ttyS0"));
        check((136 << 8) | 3, Some("/dev/pts/3"));
        check((136 << 8) | 0x2c | (1 << 20), Some("/dev/pts/300"));
        check((137 << 8) | 2, Some("/dev/pts/258"));
    }
}

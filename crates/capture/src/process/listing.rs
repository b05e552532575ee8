//! What `ps` and `lsof` print on macOS, as text: pure, so that every system can test it.

use super::Terminal;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use std::path::PathBuf;

/// The words of a start time: `Tue Nov 17 18:51:12 2026`.
const TIME_WORDS: usize = 5;

/// A process that `ps` lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Row {
    pub(super) parent: u32,
    pub(super) is_over: bool,
    pub(super) terminal: Terminal,
    /// Seconds since 1970.
    pub(super) start: u64,
    pub(super) name: String,
}

/// Reads the line of one process: parent, group, foreground group, state, terminal, start time, name.
pub(super) fn row(text: &str) -> Option<Row> {
    let mut words = text.lines().next()?.split_ascii_whitespace();
    let parent = words.next()?.parse().ok()?;
    let (group, front): (i32, i32) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
    let is_over = words.next()?.starts_with('Z');
    let path = tty_path(words.next()?);
    let time: Vec<&str> = words.by_ref().take(TIME_WORDS).collect();
    let start = seconds(&time.join(" "))?;
    let is_in_front = path.is_some() && group == front;
    let name = words.collect::<Vec<_>>().join(" ");
    Some(Row { parent, is_over, terminal: Terminal { path, is_in_front }, start, name })
}

/// `ps` writes a terminal without its folder, and question marks for none.
fn tty_path(word: &str) -> Option<String> {
    word.starts_with("tty").then(|| format!("/dev/{word}"))
}

fn seconds(time: &str) -> Option<u64> {
    let time = DateTime::strptime("%a %b %d %H:%M:%S %Y", time).ok()?;
    u64::try_from(time.to_zoned(TimeZone::UTC).ok()?.timestamp().as_second()).ok()
}

/// The absolute paths that `lsof -F an` lists as open for writing. Each file is some lines, the first of
/// which begins with `f`; a line's first letter names its field.
pub(super) fn written(text: &str, limit: usize) -> Vec<PathBuf> {
    let (mut files, mut is_written) = (Vec::new(), false);
    for line in text.lines() {
        match line.split_at_checked(1) {
            Some(("f", _)) => is_written = false,
            Some(("a", mode)) => is_written = matches!(mode, "w" | "u"),
            Some(("n", path)) if is_written && path.starts_with('/') => files.push(path.into()),
            Some(_) | None => {}
        }
    }
    files.truncate(limit);
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_ps_is_read_or_not_believed() {
        let on = |path: Option<&str>, is_in_front| Terminal {
            path: path.map(str::to_owned),
            is_in_front,
        };
        let check = |line: &str, expected: Option<(u32, bool, Terminal, u64, &str)>| {
            let expected = expected.map(|(parent, is_over, terminal, start, name)| Row {
                parent,
                is_over,
                terminal,
                start,
                name: name.to_owned(),
            });
            assert_eq!(row(line), expected, "{line}");
        };
        let time = "Tue Nov 17 18:51:12 2026";
        let start = 1_794_941_472;
        check(
            &format!("  501  9712  9712 S+   ttys003  {time}     node\n"),
            Some((501, false, on(Some("/dev/ttys003"), true), start, "node")),
        );
        check(
            &format!("501 9712 9800 Ss ttys003 {time} Google Chrome He"),
            Some((501, false, on(Some("/dev/ttys003"), false), start, "Google Chrome He")),
        );
        check(
            "    0     1     0 Ss   ??       Sun Nov  1 00:00:00 2026     launchd",
            Some((0, false, on(None, false), 1_793_491_200, "launchd")),
        );
        check(&format!("1 5 5 Z ?? {time} (x)"), Some((1, true, on(None, false), start, "(x)")));
        check(&format!("1 5 5 S ?? {time}"), Some((1, false, on(None, false), start, "")));
        check("1 5 5 S ?? yesterday at six o clock x", None);
        check("1 5 5 S", None);
        check("ps: process id too large", None);
        check("", None);
    }

    #[test]
    fn a_list_of_open_files_names_those_that_are_written() {
        let check = |text: &str, expected: &[&str]| {
            let expected: Vec<PathBuf> = expected.iter().map(PathBuf::from).collect();
            assert_eq!(written(text, 2), expected, "{text}");
        };
        check("p7\nfcwd\na \nn/home\nf3\nar\nn/read\nf4\naw\nn/written\n", &["/written"]);
        check("p7\nf4\nau\nn/both\nf5\nn/unsaid\n", &["/both"]);
        check("p7\nf4\naw\nn->0xfa11\nf5\naw\nnlocalhost:80\n", &[]);
        check("p7\nf1\naw\nn/a\nf2\naw\nn/b c\nf3\naw\nn/d\n", &["/a", "/b c"]);
        check("é\n", &[]);
        check("", &[]);
    }
}

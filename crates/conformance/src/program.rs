//! The command that a person names: split into words like a shell does, and run without one.

use crate::error::KitError;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The pause between two looks at a process.
const PAUSE: Duration = Duration::from_millis(2);

/// A command with places to fill in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program(Vec<String>);

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ended {
    /// With an exit code.
    Code(i32),
    /// By a signal.
    Killed,
    /// It was stopped at the time limit.
    TimedOut,
}

impl Program {
    /// The program of a command line.
    ///
    /// # Errors
    /// A quote is not closed, or the line is empty.
    pub fn parse(line: &str) -> Result<Self, KitError> {
        let wrong = |fault| KitError::Command { fault, example: "'your-program {}'" };
        let words = shlex::split(line).ok_or_else(|| wrong("has a quote that is not closed"))?;
        if words.is_empty() { Err(wrong("is empty")) } else { Ok(Self(words)) }
    }

    /// Whether a word has this place.
    pub(crate) fn has(&self, place: &str) -> bool {
        self.0.iter().any(|it| it.contains(place))
    }

    /// Runs it with its places filled in, and stops it at the time limit.
    pub(crate) fn run(
        &self,
        fill: &[(&str, &str)],
        folder: &Path,
        limit: Duration,
    ) -> Result<Ended, KitError> {
        let words: Vec<_> = self.0.iter().map(|it| filled(it, fill)).collect();
        let Some((program, rest)) = words.split_first() else { return Ok(Ended::Killed) };
        let mut command = Command::new(program);
        command.args(rest).current_dir(folder);
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let failed = |error| KitError::Start { program: program.clone(), error };
        waited(command.spawn().map_err(failed)?, limit).map_err(failed)
    }
}

fn waited(mut child: Child, limit: Duration) -> std::io::Result<Ended> {
    let end = Instant::now() + limit;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status.code().map_or(Ended::Killed, Ended::Code));
        }
        if Instant::now() >= end {
            child.kill()?;
            child.wait()?;
            return Ok(Ended::TimedOut);
        }
        std::thread::sleep(PAUSE);
    }
}

/// Fills places in; what is filled in is not filled again.
fn filled(word: &str, fill: &[(&str, &str)]) -> String {
    let (mut out, mut rest) = (String::new(), word);
    while let Some((at, (place, value))) = next(rest, fill) {
        out.push_str(rest.get(..at).unwrap_or_default());
        out.push_str(value);
        rest = rest.get(at + place.len()..).unwrap_or_default();
    }
    out + rest
}

fn next<'f>(text: &str, fill: &'f [(&'f str, &'f str)]) -> Option<(usize, (&'f str, &'f str))> {
    let found = fill.iter().filter_map(|it| Some((text.find(it.0)?, *it)));
    found.min_by_key(|(at, _)| *at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_split_like_a_shell_does() {
        let check = |line: &str, expected: Option<&[&str]>| {
            let expected = expected.map(|it| it.iter().map(|it| (*it).to_owned()).collect());
            assert_eq!(Program::parse(line).ok().map(|it| it.0), expected, "{line}");
        };
        check("", None);
        check("  a  b\tc ", Some(&["a", "b", "c"]));
        check(r#"sh -c 'a "$1" | b' _ {}"#, Some(&["sh", "-c", r#"a "$1" | b"#, "_", "{}"]));
        check(r#"a "b \" c"d '' e\ f"#, Some(&["a", "b \" cd", "", "e f"]));
        check("a 'b", None);
        check("a \"b", None);
        check("a \\", None);
    }

    #[test]
    fn what_is_filled_in_is_not_filled_again() {
        let fill = [("{}", "/t/{contract}.json"), ("{contract}", "state")];
        assert_eq!(filled("--in={}:{contract}", &fill), "--in=/t/{contract}.json:state");
        assert_eq!(filled("plain", &fill), "plain");
    }

    #[test]
    fn a_command_that_never_ends_is_stopped() {
        let run = |line: &str, limit| {
            Program::parse(line).unwrap().run(&[], Path::new("/"), Duration::from_millis(limit))
        };
        assert_eq!(run("sleep 600", 1).unwrap(), Ended::TimedOut);
        assert_eq!(run("sh -c 'exit 7'", 60_000).unwrap(), Ended::Code(7));
        assert_eq!(run("sh -c 'kill -9 $$'", 60_000).unwrap(), Ended::Killed);
        assert!(run("no-such-program-at-all", 1).is_err());
    }
}

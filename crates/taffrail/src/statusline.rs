//! `taffrail statusline AGENT`: the agent draws its output, several times a second.
//!
//! It runs before everything else, opens no database and always exits with 0: another exit code
//! would blank the line. The agent's data on stdin is recorded, and passed to the user's own
//! command.

use crate::cli::one_line;
use crate::hook::held;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Read, Write};
use std::process::{Command, ExitCode, Stdio};
use taffrail_approvals::{Said, take_down_line};
use taffrail_env as env;

/// The most bytes of a payload held in memory.
const HELD: u64 = 1024 * 1024;
/// The most bytes of the user's own line that are printed.
const THEIRS: u64 = 64 * 1024;
/// The separator after the user's line, which also resets its colours.
const BETWEEN: &str = "\u{1b}[0m · ";

/// Runs the status line if we were called as one. A call for help does not come from an agent.
pub(crate) fn answer(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    if arguments.nth(1)? != "statusline" {
        return None;
    }
    let words: Vec<OsString> = arguments.collect();
    if words.iter().any(|it| it == "--help" || it == "-h") {
        return None;
    }
    let is_json = |it: &OsString| it == "--json";
    let (json, words): (Vec<_>, Vec<_>) = words.into_iter().partition(is_json);
    let (agent, then) = asked(&words)?;
    let payload = heard().unwrap_or_default();
    // Best effort: if recording fails, the line is drawn all the same.
    record(agent, &payload).ok();
    let theirs = then.and_then(|command| chained(command, &payload).ok()).unwrap_or_default();
    let state = env::state_folder();
    let ours = one_line(state.as_deref(), agent);
    let line = joined(&theirs, &ours);
    let text = if json.is_empty() { line } else { document(&line) };
    // Printing fails only if the reader is gone.
    io::stdout().lock().write_all(text.as_bytes()).ok();
    Some(ExitCode::SUCCESS)
}

/// The line as a JSON document.
fn document(line: &str) -> String {
    format!("{}\n", serde_json::json!({"schema_version": 1, "line": line.trim_end()}))
}

/// The agent, and the user's own command; `None` if the command line parser should report an error.
fn asked(words: &[OsString]) -> Option<(&str, Option<&str>)> {
    let words: Option<Vec<&str>> = words.iter().map(|it| it.to_str()).collect();
    match words?.as_slice() {
        [agent] => Some((agent, None)),
        [agent, "--then", command] | ["--then", command, agent] => Some((agent, Some(command))),
        _ => None,
    }
}

fn heard() -> io::Result<Vec<u8>> {
    let stdin = io::stdin().lock();
    if stdin.is_terminal() { Ok(Vec::new()) } else { held(stdin, HELD) }
}

fn record(agent: &str, payload: &[u8]) -> io::Result<()> {
    let folders = env::data_folder().zip(env::state_folder());
    let Some((data, state)) = folders else { return Ok(()) };
    let (at, nonce, pid) = (env::now(), env::nonce(), std::process::id());
    let (user_home, variable) = (None, env::variable);
    let said = Said { agent, payload, at, nonce, pid, user_home, variable };
    take_down_line(&data, &state, said)
}

/// The output of the user's own command.
fn chained(command: &str, payload: &[u8]) -> io::Result<String> {
    let mut child = Command::new("sh")
        .args(["-c", command])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // A command that does not read its input does not need it.
        stdin.write_all(payload).ok();
    }
    let mut out = Vec::new();
    if let Some(stdout) = child.stdout.take() {
        stdout.take(THEIRS).read_to_end(&mut out)?;
    }
    child.wait()?;
    Ok(String::from_utf8_lossy(&out).trim_end().to_owned())
}

/// The user's line, and ours after it.
fn joined(theirs: &str, ours: &str) -> String {
    if theirs.is_empty() { format!("{ours}\n") } else { format!("{theirs}{BETWEEN}{ours}\n") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_status_line_is_answered() {
        let check = |words: &[&str], expected: Option<(&str, Option<&str>)>| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            assert_eq!(asked(&words), expected, "{words:?}");
        };
        check(&["codex"], Some(("codex", None)));
        check(&["codex", "--then", "date"], Some(("codex", Some("date"))));
        check(&["--then", "date", "codex"], Some(("codex", Some("date"))));
        check(&[], None);
        check(&["codex", "--then"], None);
        check(&["codex", "more"], None);
        for words in [&["taffrail"][..], &["taffrail", "ls"], &["taffrail", "statusline", "-h"]] {
            assert!(answer(words.iter().map(OsString::from)).is_none(), "{words:?}");
        }
    }

    #[test]
    fn a_document_holds_the_line() {
        assert_eq!(document("●1\n"), "{\"line\":\"●1\",\"schema_version\":1}\n");
    }

    #[test]
    fn ours_follows_theirs() {
        assert_eq!(joined("", "●1"), "●1\n");
        assert_eq!(joined("\u{1b}[32mmain", "●1"), "\u{1b}[32mmain\u{1b}[0m · ●1\n");
    }

    #[test]
    fn the_users_command_hears_what_the_agent_says() {
        let check = |command: &str, expected: &str| {
            assert_eq!(chained(command, b"{\"a\":1}").unwrap(), expected, "{command}");
        };
        check("cat", "{\"a\":1}");
        check("echo one; echo two", "one\ntwo");
        check("true", "");
        check("echo partly; exit 3", "partly");
        check("no-such-program-anywhere", "");
    }
}

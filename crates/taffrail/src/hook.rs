//! `taffrail hook AGENT`: the agent waits for it, so it runs before everything else.
//!
//! It always exits with 0, because another exit code could stop the agent. It prints only the
//! answer to a request that was decided, and recalled text if the user turned that on, because any
//! output could become part of the conversation.

use crate::recall::recalled;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Read, Write};
use std::process::ExitCode;
use taffrail_approvals::{Question, Said, ask_desk, deny_call, is_anothers, take_down};
use taffrail_env as env;
use taffrail_hooks::{FROM_PLUGIN, is_in_settings};

/// The most bytes of a payload held in memory; the rest is read and dropped.
const HELD: u64 = 64 * 1024 * 1024;

/// Runs the hook if we were called as one. A call for help does not come from an agent.
pub(crate) fn answer(mut arguments: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    if arguments.nth(1)? != "hook" {
        return None;
    }
    let agent = arguments.next().unwrap_or_default();
    if agent == "--help" || agent == "-h" {
        return None;
    }
    // A failing hook must not be noticed: its report is lost, and the status falls back to what the
    // agent writes itself.
    let caller = Caller::of(arguments.next());
    agent.to_str().and_then(|agent| record(agent, caller).ok());
    Some(ExitCode::SUCCESS)
}

/// Where the agent has our call from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Caller {
    /// Its settings.
    Settings,
    /// A plugin of ours.
    Plugin,
}

impl Caller {
    fn of(word: Option<OsString>) -> Self {
        if word.is_some_and(|it| it == FROM_PLUGIN) { Self::Plugin } else { Self::Settings }
    }

    /// True if the agent's settings make the same call, which then counts.
    fn is_second(self, agent: &str) -> bool {
        let home = env::user_home();
        self == Self::Plugin && home.is_some_and(|it| is_in_settings(agent, &it, env::variable))
    }
}

fn record(agent: &str, caller: Caller) -> io::Result<()> {
    let stdin = io::stdin().lock();
    if stdin.is_terminal() {
        return Ok(());
    }
    let payload = held(stdin, HELD)?;
    if is_anothers(agent, &payload) || caller.is_second(agent) {
        return Ok(());
    }
    let (at, nonce, pid) = (env::now(), env::nonce(), std::process::id());
    let user_home = env::user_home();
    if let Some(data) = env::data_folder() {
        let (nonce, user_home, variable) = (nonce.clone(), user_home.as_deref(), env::variable);
        take_down(&data, Said { agent, payload: &payload, at, nonce, pid, user_home, variable })?;
    }
    let places = env::config_folder().zip(user_home);
    let denied = places.and_then(|(config, home)| deny_call((&config, &home), agent, &payload));
    if let Some(denied) = denied {
        return io::stdout().lock().write_all(denied.as_bytes());
    }
    let Some(state) = env::state_folder() else { return Ok(()) };
    if let Some(text) = recalled(agent, &payload) {
        return io::stdout().lock().write_all(text.as_bytes());
    }
    let question = Question { agent, payload: &payload, at, nonce: &nonce, pid };
    match ask_desk(&state, &question, env::variable) {
        Some(answer) => io::stdout().lock().write_all(answer.as_bytes()),
        None => Ok(()),
    }
}

/// The first bytes of a stream, which is read to its end so that its writer never fails.
pub(crate) fn held(mut stream: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    (&mut stream).take(most).read_to_end(&mut out)?;
    io::copy(&mut stream, &mut io::sink())?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_read_to_its_end_and_its_beginning_kept() {
        let check = |stream: &[u8], most: u64, expected: &[u8]| {
            let mut rest = stream;
            assert_eq!(held(&mut rest, most).unwrap(), expected);
            assert_eq!(rest, b"");
        };
        check(b"abc", 3, b"abc");
        check(b"abcdef", 3, b"abc");
        check(b"", 3, b"");
    }

    #[test]
    fn only_a_hook_is_answered() {
        let answered = |words: &[&str]| answer(words.iter().map(OsString::from)).is_some();
        for words in [&[][..], &["taffrail"], &["taffrail", "ls"], &["taffrail", "hook", "--help"]]
        {
            assert!(!answered(words), "{words:?}");
        }
    }
}

//! Whether the user trusts our calls, according to the agent's own notes.

use crate::call::Call;
use crate::toml::Toml;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::fs;
use std::path::Path;
use taffrail_adapters::HookTrust;

/// The key of a hash in the agent's notes.
const NOTED: &str = "trusted_hash";
/// The default timeout in seconds.
const SECONDS: u64 = 600;

/// Whether the agent's notes mark each of our calls as trusted, exactly as it is. Unreadable notes
/// mark none.
pub(crate) fn is_trusted(trust: &HookTrust, home: &Path, calls: &[(String, Call)]) -> bool {
    let Ok(text) = fs::read_to_string(home.join(trust.file)) else { return false };
    let Ok(notes) = Toml::parse(&text) else { return false };
    let trusted = notes.texts(trust.notes, NOTED);
    let is_noted = |(event, call): &(String, Call)| {
        let seconds = call.timeout.unwrap_or(SECONDS);
        let identity = (trust.identity)(event, &call.command(), seconds);
        let digest = Sha256::digest(identity);
        let hex = digest.iter().fold(String::new(), |mut out, byte| {
            // Writing to a string cannot fail.
            write!(out, "{byte:02x}").ok();
            out
        });
        let hash = format!("sha256:{hex}");
        trusted.iter().any(|it| *it == hash)
    };
    !calls.is_empty() && calls.iter().all(is_noted)
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_adapters::{HookCall, by_id};

    fn call(seconds: u64) -> (String, Call) {
        let (program, agent) = ("/usr/bin/taffrail".to_owned(), "codex".to_owned());
        let form = HookCall::ShellLine;
        ("Stop".to_owned(), Call { program, agent, form, timeout: Some(seconds) })
    }

    /// The note for the call with two seconds, as the agent computes it from the normal form.
    const NOTE: &str = "sha256:39bf694469ee009f901b3d6f78fb4ff3e5973fb8926a718a797d7d100c55c779";

    #[test]
    fn hooks_that_were_trusted_are_trusted_until_they_change() {
        let trust = by_id("codex").unwrap().hook_plan().unwrap().trust.unwrap();
        let check = |notes: &str, calls: &[(String, Call)], expected: bool| {
            let home = tempfile::tempdir().unwrap();
            fs::write(home.path().join("config.toml"), notes).unwrap();
            assert_eq!(is_trusted(trust, home.path(), calls), expected, "{notes}");
        };
        let noted =
            format!("[hooks.state.\"/h/hooks.json:stop:0:0\"]\ntrusted_hash = \"{NOTE}\"\n");
        check(&noted, &[call(2)], true);
        check(&noted, &[call(3)], false);
        check(&noted, &[call(2), call(3)], false);
        check(&noted, &[], false);
        check(&format!("{noted}enabled = false\n"), &[call(2)], false);
        check(&format!("{noted}enabled = true\n"), &[call(2)], true);
        check("", &[call(2)], false);
        check("[[", &[call(2)], false);
        let home = tempfile::tempdir().unwrap();
        assert!(!is_trusted(trust, home.path(), &[call(2)]), "no notes at all");
    }
}

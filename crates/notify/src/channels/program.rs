//! Runs programs that receive notifications: found in the user's path, bounded, and ended with
//! their process group.

use super::document::json;
use super::{Message, SendError, Sending};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use taffrail_context::Settings;
use taffrail_context::user_program::{CommandError, UserProgram, run};

/// Notifies a program of the user: the message is JSON on its standard input.
pub(super) fn tell(
    words: &[String],
    message: &Message,
    sending: &Sending<'_>,
) -> Result<String, SendError> {
    let input = json(message) + "\n";
    fed(words, &input, sending).map(|_| "it ended well".to_owned())
}

/// The message as lines for a person to read.
pub(super) fn shown(words: &[String], message: &Message) -> Vec<String> {
    vec![format!("run {words:?}"), format!("with {}", json(message))]
}

/// Runs a program and returns its output.
pub(super) fn fed(
    words: &[String],
    input: &str,
    sending: &Sending<'_>,
) -> Result<String, SendError> {
    let settings = sending.settings;
    let limit = settings.notices.limit;
    let errand = UserProgram { command: words, folder: &settings.user_home, input, limit };
    let name = words.first().cloned().unwrap_or_default();
    run(errand, sending.ending).map_err(|it: CommandError| SendError::Program(name, it))
}

/// A program in the user's path.
pub(super) fn found(settings: &Settings, name: &'static str) -> Result<String, SendError> {
    let path = settings.variables.get("PATH").map(String::as_str).unwrap_or_default();
    let folders = path.split(':').filter(|it| it.starts_with('/'));
    let mut all = folders.map(|it| PathBuf::from(it).join(name));
    let is_program = |it: &PathBuf| {
        let known = std::fs::metadata(it).ok();
        known.is_some_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
    };
    let found = all.find(is_program).ok_or(SendError::NotThere(name))?;
    Ok(found.to_string_lossy().into_owned())
}

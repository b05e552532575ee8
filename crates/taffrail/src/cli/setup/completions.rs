//! The setup step that makes a shell complete our commands, and its undo.
//!
//! If a shell loads completions from a folder by itself, our file goes there; otherwise one line
//! goes at the end of its startup file. A note records the change, so that the undo restores the
//! exact bytes.

use super::super::completions::script;
use super::file_change::{self, Note};
use super::{Context, Ended, Walk};
use crate::env::Env;
use crate::error::CliError;
use std::path::{Path, PathBuf};
use taffrail_tui::terminal::line;

/// The first line of a file that is ours.
const MARK: &str = "# Written by `taffrail setup`";

/// A shell we know where to put completions for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shell {
    Bash,
    Fish,
    Zsh,
}

impl Shell {
    /// The one a person uses, by the variable that names it.
    fn of(variable: &str) -> Option<Self> {
        match variable.rsplit('/').next()? {
            "bash" => Some(Self::Bash),
            "fish" => Some(Self::Fish),
            "zsh" => Some(Self::Zsh),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Fish => "fish",
            Self::Zsh => "zsh",
        }
    }

    /// The file completions go to.
    fn file(self, env: &Env) -> PathBuf {
        match self {
            Self::Bash => env.data_home().join("bash-completion/completions/taffrail"),
            Self::Fish => env.config_home().join("fish/completions/taffrail.fish"),
            Self::Zsh => self.own_file(env),
        }
    }

    /// The file it reads when it starts, where a person may have asked for completions before.
    fn own_file(self, env: &Env) -> PathBuf {
        match self {
            Self::Bash => env.user_home.join(".bashrc"),
            Self::Fish => env.config_home().join("fish/config.fish"),
            Self::Zsh => {
                env.named("ZDOTDIR").unwrap_or_else(|| env.user_home.clone()).join(".zshrc")
            }
        }
    }

    /// What is put in.
    fn added(self) -> Result<String, CliError> {
        Ok(match self {
            Self::Bash | Self::Fish => format!("{MARK}\n{}\n", script(self.name())?.trim()),
            Self::Zsh => format!(
                "command -v taffrail >/dev/null && source <(taffrail completions zsh) {MARK}\n"
            ),
        })
    }
}

pub(super) fn step(context: &Context, walk: Walk) -> Result<Ended, CliError> {
    let env = &context.env;
    let variable = env.variables.get("SHELL").map(String::as_str).unwrap_or_default();
    let Some(shell) = Shell::of(variable) else {
        let named =
            if variable.is_empty() { "SHELL is not set".to_owned() } else { line(variable) };
        walk.tell(&format!("  for bash, fish and zsh only ({named})"))?;
        walk.tell("    `taffrail completions --help` shows what other shells need")?;
        return Ok(Ended::Left);
    };
    match planned(shell, env) {
        Ok(Planned::Already(path)) => {
            walk.tell(&format!(
                "  {}: already done ({})",
                shell.name(),
                line(&path.to_string_lossy())
            ))?;
            Ok(Ended::Already)
        }
        Ok(Planned::Change(change)) => carried_out(shell, &change, context, walk),
        Err(error) => walk.trouble(&format!("{}: ", shell.name()), &error),
    }
}

/// What is to be done for a shell.
enum Planned {
    Already(PathBuf),
    Change(Change),
}

/// A file that would change.
struct Change {
    path: PathBuf,
    before: Option<String>,
    after: String,
    note: Note,
}

fn planned(shell: Shell, env: &Env) -> Result<Planned, CliError> {
    let own = shell.own_file(env);
    let asks = format!("taffrail completions {}", shell.name());
    if file_change::read(&own)?.is_some_and(|text| text.contains(&asks)) {
        return Ok(Planned::Already(own));
    }
    let (path, added) = (shell.file(env), shell.added()?);
    let before = file_change::read(&path)?;
    if before.as_ref() == Some(&added) {
        return Ok(Planned::Already(path));
    }
    let after = match (shell, &before) {
        (Shell::Bash | Shell::Fish, Some(text)) if !text.starts_with(MARK) => {
            return Err(foreign(&path));
        }
        (Shell::Bash | Shell::Fish, _) => added,
        (Shell::Zsh, text) => appended(text.as_deref().unwrap_or_default(), &added),
    };
    let kept = before.as_deref().filter(|_| shell == Shell::Zsh).unwrap_or_default();
    let put_in = after.strip_prefix(kept).unwrap_or(&after).to_owned();
    let note = Note::new(&path, put_in, before.is_none());
    Ok(Planned::Change(Change { path, before, after, note }))
}

/// A text with a line at its end.
fn appended(text: &str, added: &str) -> String {
    let between = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{between}{added}")
}

fn foreign(path: &Path) -> CliError {
    CliError::refused(
        format!("{} was not written by taffrail", path.display()),
        "move it away and run `taffrail setup` again",
    )
}

fn carried_out(
    shell: Shell,
    change: &Change,
    context: &Context,
    walk: Walk,
) -> Result<Ended, CliError> {
    walk.tell(&format!("  {}: {}", shell.name(), line(&change.path.to_string_lossy())))?;
    walk.show(&change.path, change.before.as_deref(), Some(&change.after))?;
    if !walk.agree("Write this?")? {
        return Ok(Ended::Left);
    }
    let written = change
        .note
        .keep(&file_change::folder(&context.env), &format!("completions-{}", shell.name()));
    let written = written.and_then(|()| file_change::replace(&change.path, &change.after));
    if let Err(error) = written {
        return walk.trouble(&format!("{}: ", shell.name()), &error);
    }
    walk.tell("  written; shells that start from now on complete `taffrail`")?;
    Ok(Ended::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_is_known_by_its_program() {
        let check = |variable: &str, expected: Option<Shell>| {
            assert_eq!(Shell::of(variable), expected, "{variable}");
        };
        check("/bin/bash", Some(Shell::Bash));
        check("/opt/homebrew/bin/fish", Some(Shell::Fish));
        check("zsh", Some(Shell::Zsh));
        check("/bin/sh", None);
        check("", None);
    }

    #[test]
    fn a_line_begins_on_a_line_of_its_own() {
        let check = |text: &str, expected: &str| assert_eq!(appended(text, "x\n"), expected);
        check("", "x\n");
        check("a\n", "a\nx\n");
        check("a", "a\nx\n");
    }
}

//! A shell's completions: where they belong, and what is put there.
//!
//! If a shell loads completions from a folder by itself, our file goes there; otherwise one line
//! goes at the end of its startup file.

use crate::error::SetupError;
use crate::note::{self, Note};
use std::path::{Path, PathBuf};

/// Where a user's programs keep their files.
#[derive(Debug, Clone)]
pub struct Homes {
    /// The user's home.
    pub user: PathBuf,
    /// Configuration.
    pub config: PathBuf,
    /// Data.
    pub data: PathBuf,
    /// Where zsh reads its files, if that is not the home.
    pub zsh: Option<PathBuf>,
}

/// The first line of a file that is ours.
const MARK: &str = "# Written by `taffrail setup`";

/// A shell we know where to put completions for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shell {
    /// GNU Bash.
    Bash,
    /// fish.
    Fish,
    /// Z shell.
    Zsh,
}

impl Shell {
    /// The one a person uses, by the variable that names it.
    #[must_use]
    pub fn of(variable: &str) -> Option<Self> {
        match variable.rsplit('/').next()? {
            "bash" => Some(Self::Bash),
            "fish" => Some(Self::Fish),
            "zsh" => Some(Self::Zsh),
            _ => None,
        }
    }

    /// The name of its program.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Fish => "fish",
            Self::Zsh => "zsh",
        }
    }

    /// The file completions go to.
    fn file(self, homes: &Homes) -> PathBuf {
        match self {
            Self::Bash => homes.data.join("bash-completion/completions/taffrail"),
            Self::Fish => homes.config.join("fish/completions/taffrail.fish"),
            Self::Zsh => self.own_file(homes),
        }
    }

    /// The file it reads when it starts, where a person may have asked for completions before.
    fn own_file(self, homes: &Homes) -> PathBuf {
        match self {
            Self::Bash => homes.user.join(".bashrc"),
            Self::Fish => homes.config.join("fish/config.fish"),
            Self::Zsh => homes.zsh.as_ref().unwrap_or(&homes.user).join(".zshrc"),
        }
    }

    /// What is put in.
    fn added(self, script: &str) -> String {
        match self {
            Self::Bash | Self::Fish => format!("{MARK}\n{}\n", script.trim()),
            Self::Zsh => format!(
                "command -v taffrail >/dev/null && source <(taffrail completions zsh) {MARK}\n"
            ),
        }
    }
}

/// What is to be done for a shell.
#[derive(Debug)]
pub enum Planned {
    /// Nothing: this file has them.
    Already(PathBuf),
    /// A file would change.
    Change(Change),
}

/// A file that would change.
#[derive(Debug)]
pub struct Change {
    /// The file.
    pub path: PathBuf,
    /// What it says; `None` if it is not there.
    pub before: Option<String>,
    /// What it would say.
    pub after: String,
    note: Note,
}

/// Plans the completions of a shell; `script` is what it loads.
///
/// # Errors
/// A file is a link, cannot be read, or is somebody else's.
pub fn plan(shell: Shell, script: &str, homes: &Homes) -> Result<Planned, SetupError> {
    let own = shell.own_file(homes);
    let asks = format!("taffrail completions {}", shell.name());
    if note::read(&own)?.is_some_and(|text| text.contains(&asks)) {
        return Ok(Planned::Already(own));
    }
    let (path, added) = (shell.file(homes), shell.added(script));
    let before = note::read(&path)?;
    if before.as_ref() == Some(&added) {
        return Ok(Planned::Already(path));
    }
    let after = match (shell, &before) {
        (Shell::Bash | Shell::Fish, Some(text)) if !text.starts_with(MARK) => {
            return Err(SetupError::Foreign(path));
        }
        (Shell::Bash | Shell::Fish, _) => added,
        (Shell::Zsh, text) => appended(text.as_deref().unwrap_or_default(), &added),
    };
    let kept = before.as_deref().filter(|_| shell == Shell::Zsh).unwrap_or_default();
    let put_in = after.strip_prefix(kept).unwrap_or(&after).to_owned();
    let note = Note::new(&path, put_in, before.is_none());
    Ok(Planned::Change(Change { path, before, after, note }))
}

impl Change {
    /// Writes the file, and a note of it below `notes`.
    ///
    /// # Errors
    /// One of the two cannot be written.
    pub fn write(&self, shell: Shell, notes: &Path) -> Result<(), SetupError> {
        self.note.keep(notes, &format!("completions-{}", shell.name()))?;
        note::replace(&self.path, &self.after)
    }
}

/// A text with a line at its end.
fn appended(text: &str, added: &str) -> String {
    let between = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{between}{added}")
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

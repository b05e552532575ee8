//! Folders and variables, for callers with and without an [`Env`](crate::Env).

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::PathBuf;

/// The name of our folder in each place.
pub(crate) const OURS: &str = "taffrail";
/// The variable for the data folder, and its default below the home.
pub(crate) const DATA: (&str, &str) = ("XDG_DATA_HOME", ".local/share");
/// The same for the state folder.
pub(crate) const STATE: (&str, &str) = ("XDG_STATE_HOME", ".local/state");

/// Our data folder, for callers without an `Env`; `None` if no variable determines it.
#[must_use]
pub fn data_folder() -> Option<PathBuf> {
    own_folder(DATA)
}

/// Our state folder, as above.
#[must_use]
pub fn state_folder() -> Option<PathBuf> {
    own_folder(STATE)
}

/// Our configuration folder, as above.
#[must_use]
pub fn config_folder() -> Option<PathBuf> {
    own_folder(("XDG_CONFIG_HOME", ".config"))
}

/// The user's home, as above.
#[must_use]
pub fn user_home() -> Option<PathBuf> {
    home(&variables())
}

/// A variable, for callers without an `Env`.
#[must_use]
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}

fn own_folder((variable, below): (&str, &str)) -> Option<PathBuf> {
    let variables = variables();
    let set = named(&variables, variable);
    Some(set.or_else(|| Some(home(&variables)?.join(below)))?.join(OURS))
}

pub(crate) fn variables() -> HashMap<String, String> {
    let text = |(name, value): (OsString, OsString)| {
        Some((name.into_string().ok()?, value.into_string().ok()?))
    };
    std::env::vars_os().filter_map(text).collect()
}

/// A folder that a variable names by an absolute path.
pub(crate) fn named(variables: &HashMap<String, String>, variable: &str) -> Option<PathBuf> {
    variables.get(variable).map(PathBuf::from).filter(|path| path.is_absolute())
}

pub(crate) fn home(variables: &HashMap<String, String>) -> Option<PathBuf> {
    named(variables, "HOME")
}

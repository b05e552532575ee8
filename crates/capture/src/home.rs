//! Where each agent keeps its history on this machine.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use taffrail_adapters::{Adapter, HomeRule, Os};

/// The system we run on.
const OS: Os = if cfg!(target_os = "macos") {
    Os::MacOs
} else if cfg!(windows) {
    Os::Windows
} else {
    Os::Linux
};

/// An agent's home that exists.
#[derive(Clone)]
pub struct Home {
    /// The agent.
    pub adapter: &'static dyn Adapter,
    /// The real path, with links resolved.
    pub root: PathBuf,
    /// It is Taffrail's journal of the agent, not the agent's history.
    pub journal: bool,
}

impl std::fmt::Debug for Home {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Home({}, {})", self.adapter.descriptor().id, self.root.display())
    }
}

/// The homes of one agent: each by the first of its rules that applies, then those that the user added.
///
/// Homes that do not exist are left out, and two names of one folder count once.
#[must_use]
pub fn homes(
    adapter: &'static dyn Adapter,
    user_home: &Path,
    variables: &HashMap<String, String>,
    added: &[PathBuf],
) -> Vec<Home> {
    let own = adapter.descriptor().homes.iter();
    let own = own.filter_map(|rules| folder_by(rules, user_home, variables));
    let mut out: Vec<Home> = Vec::new();
    for path in own.chain(added.iter().cloned()) {
        // An agent that was never started has no home, and its absence costs one call.
        if path.symlink_metadata().is_ok()
            && let Ok(root) = path.canonicalize()
            && root.is_dir()
            && out.iter().all(|home| home.root != root)
        {
            out.push(Home { adapter, root, journal: false });
        }
    }
    out
}

/// Where an agent's home is or would be, by the first rule that applies.
#[must_use]
pub fn usual_home(
    adapter: &'static dyn Adapter,
    user_home: &Path,
    variables: &HashMap<String, String>,
) -> Option<PathBuf> {
    let mut homes = adapter.descriptor().homes.iter();
    homes.find_map(|rules| folder_by(rules, user_home, variables))
}

/// The folder that the first of these rules gives.
#[must_use]
pub fn folder_by(
    rules: &[HomeRule],
    user_home: &Path,
    variables: &HashMap<String, String>,
) -> Option<PathBuf> {
    rules.iter().find_map(|rule| applied(rule, user_home, variables))
}

/// Where an agent's home is or would be, by the environment of the agent.
#[must_use]
pub fn home_of(
    adapter: &'static dyn Adapter,
    user_home: &Path,
    variable: fn(&str) -> Option<String>,
) -> Option<PathBuf> {
    let mut rules = adapter.descriptor().homes.iter().copied().flatten();
    rules.find_map(|rule| placed(rule, user_home, variable))
}

/// The real path of the file within which an agent's session ids are unique, by the environment of
/// the agent; `None` if its ids are unique everywhere, or if the file does not exist.
#[must_use]
pub fn store_of(
    adapter: &'static dyn Adapter,
    user_home: &Path,
    variable: fn(&str) -> Option<String>,
) -> Option<String> {
    let store = adapter.store()?;
    let home = home_of(adapter, user_home, variable)?;
    let home = home.canonicalize().ok().filter(|it| it.join(store).is_file())?;
    Some(format!("{}/{store}", home.to_string_lossy()))
}

fn applied(
    rule: &HomeRule,
    user_home: &Path,
    variables: &HashMap<String, String>,
) -> Option<PathBuf> {
    placed(rule, user_home, |name| variables.get(name).cloned())
}

fn placed(
    rule: &HomeRule,
    user_home: &Path,
    variable: impl Fn(&str) -> Option<String>,
) -> Option<PathBuf> {
    if !matches!(rule.os, Os::Any) && rule.os != OS {
        return None;
    }
    let base = match rule.variable {
        None => user_home.to_owned(),
        Some(name) => variable(name).filter(|value| !value.is_empty()).map(PathBuf::from)?,
    };
    Some(if rule.below.is_empty() { base } else { base.join(rule.below) })
}

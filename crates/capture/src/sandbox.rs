//! Confines threads that read untrusted files: they write only to Taffrail's folders, start no program and
//! reach no network, as far as the kernel supports it.

use std::fmt;
use std::path::Path;

/// How much of the confinement the kernel enforces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Confined {
    /// All of it, for this thread and the threads it starts.
    Wholly,
    /// Part of it.
    Partly,
    /// Nothing, and why.
    No(String),
}

impl fmt::Display for Confined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Wholly => f.write_str("confined"),
            Self::Partly => f.write_str("partly confined"),
            Self::No(why) => write!(f, "not confined: {why}"),
        }
    }
}

/// Confines this thread permanently. It may still write to these folders and to temporary ones.
#[must_use]
pub fn confine(own: &[&Path]) -> Confined {
    system::confine(own)
}

/// Tests how far `confine` works here, on a thread that ends at once.
#[must_use]
pub fn try_confinement() -> Confined {
    let tried = std::thread::Builder::new().spawn(|| confine(&[]));
    match tried.map(std::thread::JoinHandle::join) {
        Ok(Ok(confined)) => confined,
        Ok(Err(_)) => Confined::No("the thread that tries it panicked".to_owned()),
        Err(error) => Confined::No(format!("no thread can be started: {error}")),
    }
}

#[cfg(target_os = "linux")]
mod system {
    use super::Confined;
    use landlock::{
        ABI, Access, AccessFs, AccessNet, BitFlags, Ruleset, RulesetAttr, RulesetCreatedAttr,
        RulesetError, RulesetStatus, path_beneath_rules,
    };
    use std::path::{Path, PathBuf};

    /// The Landlock version we use; an older kernel enforces less.
    const KNOWN: ABI = ABI::V5;

    pub(super) fn confine(own: &[&Path]) -> Confined {
        match restricted(own) {
            Ok(RulesetStatus::FullyEnforced) => Confined::Wholly,
            Ok(RulesetStatus::PartiallyEnforced) => Confined::Partly,
            Ok(RulesetStatus::NotEnforced) => {
                Confined::No("the kernel has no Landlock, or it is turned off".to_owned())
            }
            Err(error) => Confined::No(error.to_string()),
        }
    }

    fn restricted(own: &[&Path]) -> Result<RulesetStatus, RulesetError> {
        let writes: BitFlags<AccessFs> = AccessFs::from_write(KNOWN);
        // SQLite writes temporary files there when it runs out of memory.
        let passing = [std::env::temp_dir(), PathBuf::from("/var/tmp")];
        let folders = own.iter().copied().chain(passing.iter().map(PathBuf::as_path));
        let ruleset = Ruleset::default()
            .handle_access(writes | AccessFs::Execute)?
            .handle_access(AccessNet::from_all(KNOWN))?
            .create()?
            .add_rules(path_beneath_rules(folders, writes))?;
        Ok(ruleset.restrict_self()?.ruleset)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use super::Confined;
    use std::path::Path;

    pub(super) fn confine(_: &[&Path]) -> Confined {
        Confined::No("this system has no Landlock".to_owned())
    }
}

//! Agents that the user described in files of their own.

use std::path::{Path, PathBuf};
use taffrail_adapters::Adapter;
use taffrail_adapters::{Agent, own_agent};

/// The folder of these files, below the configuration.
const FOLDER: &str = "agents";
/// The most files that are read, and the largest.
const MOST_FILES: usize = 64;
const LARGEST: u64 = 64 * 1024;

/// Reads every file, in the order of their names: the agents, and what is wrong with the others.
#[must_use]
pub fn own_agents(config: &Path) -> (Vec<&'static Agent>, Vec<String>) {
    let (mut agents, mut faults): (Vec<&'static Agent>, _) = (Vec::new(), Vec::new());
    for path in files(&config.join(FOLDER)) {
        let mut fault = |text: String| faults.push(format!("{}: {text}", path.display()));
        match read(&path).and_then(|text| own_agent(&text)) {
            Ok(agent) if agents.iter().any(|it| it.descriptor.id == agent.descriptor.id) => {
                fault(format!("id `{}` is that of another file", agent.descriptor.id));
            }
            Ok(agent) => agents.push(agent),
            Err(all) => all.into_iter().for_each(fault),
        }
    }
    (agents, faults)
}

/// Makes the user's agents known to the whole program; what is wrong with one is logged.
pub fn add_own_agents(config: &Path) {
    let (agents, faults) = own_agents(config);
    for fault in faults {
        tracing::warn!(fault, "an agent is left out");
    }
    taffrail_adapters::add_own(agents.into_iter().map(|it| it as &'static dyn Adapter).collect());
}

fn files(folder: &Path) -> Vec<PathBuf> {
    // Most users describe no agent.
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|it| it.path());
    let mut files: Vec<_> =
        entries.filter(|it| it.extension().is_some_and(|it| it == "toml")).collect();
    files.sort();
    files.truncate(MOST_FILES);
    files
}

fn read(path: &Path) -> Result<String, Vec<String>> {
    let fault = |error: std::io::Error| vec![error.to_string()];
    let size = std::fs::metadata(path).map_err(fault)?.len();
    if size > LARGEST {
        return Err(vec![format!("{size} bytes are more than the {LARGEST} allowed")]);
    }
    std::fs::read_to_string(path).map_err(fault)
}

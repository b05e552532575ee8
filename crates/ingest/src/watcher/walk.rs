//! A walk over everything, on its own thread: changes it finds are handled like notifications.
//!
//! With many files a walk takes a while. Meanwhile the watcher continues with its notifications;
//! afterwards it reads only what differs from the known sources at that time.

use super::file_stat::modified_ns;
use crate::planned::known_of;
use crate::retention::leave_out_old;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use taffrail_capture::{Discovery, Home, KnownSource, Plan, discover, plan, spool_folder};
use taffrail_context::{Error, Settings};
use taffrail_store::IndexReader;

/// Folders without changes for this long are not watched.
const WATCHED_FOR: Duration = Duration::from_secs(14 * 86_400);

/// The result of a walk.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Walked {
    /// Folders to be watched.
    pub(super) folders: HashSet<PathBuf>,
    /// Paths that differ from the known state.
    pub(super) changed: Vec<PathBuf>,
    /// The number of sources.
    pub(super) sources: usize,
    /// How long it took.
    pub(super) cost: Duration,
    /// Why it failed.
    pub(super) problem: Option<String>,
}

/// Walks over everything.
pub(super) fn walk(settings: &Settings, homes: &[Home]) -> Walked {
    let began = Instant::now();
    let walked = look(settings, homes);
    let walked = walked
        .unwrap_or_else(|error| Walked { problem: Some(error.to_string()), ..Walked::default() });
    Walked { cost: began.elapsed(), ..walked }
}

fn look(settings: &Settings, homes: &[Home]) -> Result<Walked, Error> {
    let discovery = discover(homes);
    let folders = folders_of(settings, homes, &discovery);
    let index = IndexReader::open(&settings.data)?;
    let known = index.map_or(Ok(Vec::new()), |index| known_in(&index, homes))?;
    let mut plan = plan(discovery, &known);
    leave_out_old(settings, &mut plan);
    let changed = changed(&plan, &known);
    Ok(Walked { folders, changed, sources: plan.sources, ..Walked::default() })
}

/// The known sources in these homes.
pub(super) fn known_in(index: &IndexReader, homes: &[Home]) -> Result<Vec<KnownSource>, Error> {
    let roots: HashSet<_> = homes.iter().map(|it| it.root.to_string_lossy()).collect();
    let mut out = Vec::new();
    for root in roots {
        out.extend(index.sources_in(&root)?.into_iter().map(known_of));
    }
    Ok(out)
}

/// The paths that differ: sources to read, and the old paths of known sources that vanished, came
/// back or moved.
fn changed(plan: &Plan, known: &[KnownSource]) -> Vec<PathBuf> {
    let moved = plan.jobs.iter().filter_map(|it| it.moved);
    let placed: HashSet<i64> =
        moved.chain(plan.vanished.iter().copied()).chain(plan.returned.iter().copied()).collect();
    let known = known.iter().filter(|it| placed.contains(&it.id)).map(|it| &it.state);
    let known = known.map(|it| Path::new(&it.home).join(&it.path));
    let found = plan.jobs.iter().map(|it| Path::new(&it.found.home).join(&it.found.path));
    let all: HashSet<_> = found.chain(known).collect();
    all.into_iter().collect()
}

/// Folders of recently changed sources with their ancestors, roots, registries.
pub(super) fn folders_of(
    settings: &Settings,
    homes: &[Home],
    discovery: &Discovery,
) -> HashSet<PathBuf> {
    let now = (settings.now)().as_nanosecond();
    let old = now - i128::try_from(WATCHED_FOR.as_nanos()).unwrap_or(i128::MAX);
    let mut folders = HashSet::new();
    for home in homes {
        folders.insert(home.root.clone());
        folders.extend(registry_of(home).filter(|it| it.is_dir()));
        if home.journal {
            folders.insert(spool_folder(&settings.data));
        } else {
            let roots = home.adapter.descriptor().roots.iter();
            folders.extend(roots.map(|root| home.root.join(root)).filter(|it| it.is_dir()));
        }
    }
    let recent = discovery.found.iter();
    for found in recent.filter(|it| i128::from(it.fingerprint.modified_ns) >= old) {
        let home = Path::new(&found.home);
        let above = Path::new(&found.path).ancestors().skip(1);
        folders.extend(above.map(|below| home.join(below)));
    }
    let young = discovery.folders.iter().filter(|it| modified_ns(it) >= old);
    folders.extend(young.cloned());
    folders
}

/// The folders of a home in which sources come and go.
pub(super) fn source_folders(settings: &Settings, home: &Home) -> Vec<PathBuf> {
    if home.journal {
        return vec![spool_folder(&settings.data)];
    }
    let roots = home.adapter.descriptor().roots.iter().map(|root| home.root.join(root));
    roots.chain(registry_of(home)).collect()
}

/// The folder of an agent's registry.
pub(super) fn registry_of(home: &Home) -> Option<PathBuf> {
    let plan = home.adapter.descriptor().live.as_ref().filter(|_| !home.journal)?;
    Some(home.root.join(plan.folder))
}

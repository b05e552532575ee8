//! The runs on disk: listed, read, removed.

use super::replay::{Replay, replay};
use super::{BEFORE, FOLDER, LATEST, RECORD, RunName, RunRecord};
use crate::process::lives;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use taffrail_model::{RuntimeIdentity, SessionId, Timestamp};

/// The prefix of a folder that is being removed.
const REMOVED: &str = ".removed-";

/// A run whose record is on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptRun {
    /// Its name.
    pub name: RunName,
    /// Its record.
    pub record: RunRecord,
    folder: PathBuf,
}

/// The runs, the latest first. A folder without a readable record is left out.
///
/// # Errors
/// When the folder cannot be read.
pub fn kept_runs(data: &Path) -> io::Result<Vec<KeptRun>> {
    let mut out: Vec<_> = names(data)?.into_iter().filter_map(|it| kept_run(data, it)).collect();
    out.sort_by_key(|it| std::cmp::Reverse(it.record.started_at));
    Ok(out)
}

fn kept_run(data: &Path, name: RunName) -> Option<KeptRun> {
    let folder = name.folder(data);
    let record = serde_json::from_slice(&fs::read(folder.join(RECORD)).ok()?).ok()?;
    Some(KeptRun { name, record, folder })
}

fn names(data: &Path) -> io::Result<Vec<RunName>> {
    Ok(entries(data)?.iter().filter_map(|it| RunName::parse(it)).collect())
}

fn entries(data: &Path) -> io::Result<Vec<String>> {
    match fs::read_dir(data.join(FOLDER)) {
        Ok(entries) => {
            Ok(entries.filter_map(|it| it.ok()?.file_name().into_string().ok()).collect())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

impl KeptRun {
    /// Whether it ran this session.
    #[must_use]
    pub fn ran(&self, session: SessionId) -> bool {
        self.record.sessions(&self.name).any(|it| it.session() == session)
    }

    /// Whether it is running.
    #[must_use]
    pub fn is_running(&self) -> bool {
        lives(self.record.process)
    }

    /// The size of its output on disk.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        output_bytes(&self.folder)
    }

    /// Its output, shown again.
    #[must_use]
    pub fn replay(&self) -> Replay {
        // A run that ends meanwhile has no output; a torn end is skipped.
        let read = |name| fs::read(self.folder.join(name)).ok();
        let parts = [BEFORE, LATEST].into_iter().filter_map(read);
        let parts: Vec<_> = parts.map(|it| String::from_utf8_lossy(&it).into_owned()).collect();
        replay(&parts)
    }

    /// Removes it. If it runs, it records nothing more.
    ///
    /// # Errors
    /// When the folder cannot be removed.
    pub fn remove(&self) -> io::Result<()> {
        remove(&self.folder)
    }
}

/// Removes every run of sessions that `is_meant` selects.
///
/// # Errors
/// When a folder cannot be read or removed.
pub fn remove_runs(data: &Path, is_meant: &dyn Fn(&RuntimeIdentity) -> bool) -> io::Result<()> {
    let runs = kept_runs(data)?.into_iter();
    let meant = runs.filter(|it| it.record.sessions(&it.name).any(|who| is_meant(&who)));
    meant.into_iter().try_for_each(|it| it.remove())
}

/// Removes runs that ended and printed nothing since an instant, and the oldest ones beyond the
/// total number of bytes.
///
/// # Errors
/// When a folder cannot be read or removed.
pub fn prune_runs(data: &Path, total: u64, before: Option<Timestamp>) -> io::Result<()> {
    finish_removals(data)?;
    let mut ended = Vec::new();
    let mut sum: u64 = 0;
    for name in names(data)? {
        let folder = name.folder(data);
        sum = sum.saturating_add(output_bytes(&folder));
        if !kept_run(data, name).is_some_and(|it| it.is_running()) {
            ended.push((changed(&folder), folder));
        }
    }
    ended.sort();
    let begins = before.map(|it| SystemTime::UNIX_EPOCH + seconds(it));
    for (changed, folder) in ended {
        let is_old = begins.is_some_and(|it| changed < it);
        if is_old || sum > total {
            sum = sum.saturating_sub(output_bytes(&folder));
            remove(&folder)?;
        }
    }
    Ok(())
}

/// Removes what an interrupted removal left.
fn finish_removals(data: &Path) -> io::Result<()> {
    let left = entries(data)?.into_iter().filter(|it| it.starts_with(REMOVED));
    left.into_iter().try_for_each(|it| fs::remove_dir_all(data.join(FOLDER).join(it)))
}

fn seconds(it: Timestamp) -> Duration {
    Duration::from_secs(u64::try_from(it.as_second()).unwrap_or_default())
}

/// The last change of a run's files.
fn changed(folder: &Path) -> SystemTime {
    let time = |name: &str| fs::metadata(folder.join(name)).ok()?.modified().ok();
    [LATEST, RECORD].into_iter().filter_map(time).max().unwrap_or(SystemTime::UNIX_EPOCH)
}

fn output_bytes(folder: &Path) -> u64 {
    let size = |name: &str| fs::metadata(folder.join(name)).map_or(0, |it| it.len());
    size(LATEST).saturating_add(size(BEFORE))
}

/// Removes the folder of a run under another name, because a recorder may create files in it.
fn remove(folder: &Path) -> io::Result<()> {
    let (Some(above), Some(name)) = (folder.parent(), folder.file_name()) else { return Ok(()) };
    let aside = above.join(format!("{REMOVED}{}", name.to_string_lossy()));
    match fs::rename(folder, &aside) {
        Ok(()) => fs::remove_dir_all(aside),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_model::{AgentId, Process};

    fn record(second: i64, session: Option<&str>, process: Process) -> RunRecord {
        RunRecord {
            agent: AgentId::new("parrot"),
            session: session.map(str::to_owned),
            scope: String::new(),
            process,
            folder: "/p".to_owned(),
            command: vec!["parrot".to_owned()],
            started_at: Timestamp::from_second(second).unwrap(),
        }
    }

    /// Runs of these names, each with an output of 100 bytes that is a second younger.
    fn data(names: &[&str], process: Process) -> tempfile::TempDir {
        let data = tempfile::tempdir().unwrap();
        for (name, second) in names.iter().zip(1_000..) {
            let name = RunName::new(name);
            record(second, Some(name.as_str()), process).create(data.path(), &name).unwrap();
            let file = name.folder(data.path()).join(LATEST);
            fs::write(&file, [b'x'; 100]).unwrap();
            for file in [file, name.folder(data.path()).join(RECORD)] {
                let at = SystemTime::UNIX_EPOCH + Duration::from_secs(second.unsigned_abs());
                fs::File::open(file).unwrap().set_modified(at).unwrap();
            }
        }
        data
    }

    fn left(data: &Path) -> Vec<String> {
        let runs = kept_runs(data).unwrap().into_iter();
        runs.map(|it| it.name.as_str().to_owned()).collect()
    }

    const ENDED: Process = Process { pid: 1, start: u64::MAX };

    #[test]
    fn the_oldest_runs_go_first() {
        let check = |total: u64, before: Option<i64>, expected: &[&str]| {
            let data = data(&["a", "b", "c"], ENDED);
            let before = before.map(|it| Timestamp::from_second(it).unwrap());
            prune_runs(data.path(), total, before).unwrap();
            assert_eq!(left(data.path()), expected, "{total} {before:?}");
        };
        check(300, None, &["run-c", "run-b", "run-a"]);
        check(299, None, &["run-c", "run-b"]);
        check(0, None, &[]);
        check(300, Some(1_002), &["run-c"]);
        let data = data(&["a"], ENDED);
        fs::create_dir(data.path().join(FOLDER).join(".removed-run-b")).unwrap();
        prune_runs(data.path(), 300, None).unwrap();
        assert_eq!(entries(data.path()).unwrap(), ["run-a"]);
    }

    #[test]
    fn a_run_that_lives_is_not_pruned() {
        let pid = std::process::id();
        let start = crate::process::start_of(pid).unwrap();
        let data = data(&["a"], Process { pid, start });
        prune_runs(data.path(), 0, None).unwrap();
        assert_eq!(left(data.path()), ["run-a"]);
    }

    #[test]
    fn the_runs_of_a_session_are_removed_with_it() {
        let data = data(&["a", "b"], ENDED);
        remove_runs(data.path(), &|who| who.id.as_str() == "run-a").unwrap();
        assert_eq!(left(data.path()), ["run-b"]);
        let names = fs::read_dir(data.path().join(FOLDER)).unwrap();
        assert_eq!(names.count(), 1, "something is left of the other");
        assert_eq!(left(&data.path().join("nowhere")), Vec::<String>::new());
    }
}

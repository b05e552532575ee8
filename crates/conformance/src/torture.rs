//! Two writers that change one `.ai-session` directory at once, and a reader beside them.

use crate::error::KitError;
use crate::kit;
use crate::program::{Ended, Program};
use crate::watch::Watch;
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use taffrail_contracts::Strictness;
use taffrail_workspace::validate_path;

/// The directory of the kit in which the writers write, and its feature.
const DIRECTORY: &str = "ai-session/good/directory";
const FEATURE: &str = "ai-orchestrator-2025-01-09";

/// The two writers.
#[derive(Debug, Clone, Copy)]
pub struct Writers<'w> {
    /// The command of each.
    pub programs: [&'w Program; 2],
    /// The entries of each.
    pub rounds: usize,
    /// How long one command may take.
    pub limit: Duration,
}

/// What came of both writers.
#[derive(Debug, Default, Serialize)]
pub struct Outcome {
    /// Commands that ran.
    pub run: usize,
    /// Commands that ended with 0.
    pub succeeded: usize,
    /// Readings of the directory meanwhile.
    pub readings: usize,
    /// Entries whose command succeeded, and that the history does not have.
    pub lost: Vec<String>,
    /// Entries that the history has more than once.
    pub doubled: Vec<String>,
    /// What a reader met that must never be there.
    pub faults: Vec<String>,
}

impl Outcome {
    /// Nothing was lost, doubled, torn or rewritten.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.lost.is_empty() && self.doubled.is_empty() && self.faults.is_empty()
    }
}

/// Lets both write. `progress` gets the lines that are there and all of them, after each reading.
///
/// # Errors
/// A command cannot be started, or the directory cannot be made.
pub fn torture(
    writers: &Writers<'_>,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Outcome, KitError> {
    if !writers.programs.iter().all(|it| it.has("{entry}")) {
        let (fault, example) = ("has no {entry}", "'your-tool log {entry}'");
        return Err(KitError::Command { fault, example });
    }
    let folder = kit::temporary()?;
    let project = made(folder.path())?;
    let directory = project.join(".ai-session");
    let mut watch = Watch::new(&directory, FEATURE).map_err(KitError::at(&directory))?;
    let succeeded = written(writers, &project, &mut watch, progress)?;
    watch.look();
    Ok(judged(watch, &succeeded, &directory, 2 * writers.rounds))
}

/// A project with the directory of the kit.
fn made(folder: &Path) -> Result<PathBuf, KitError> {
    kit::write(&folder.join("kit"))?;
    let project = folder.join("project");
    let directory = project.join(".ai-session");
    std::fs::create_dir(&project).map_err(KitError::at(&project))?;
    std::fs::rename(folder.join("kit").join(DIRECTORY), &directory)
        .map_err(KitError::at(&directory))?;
    project.canonicalize().map_err(KitError::at(&project))
}

/// Runs both writers, reads meanwhile, and returns the entries whose command succeeded.
fn written(
    writers: &Writers<'_>,
    project: &Path,
    watch: &mut Watch,
    progress: &mut dyn FnMut(usize, usize),
) -> Result<Vec<String>, KitError> {
    let stop = AtomicBool::new(false);
    let [one, other] = std::thread::scope(|scope| {
        let [first, second] = writers.programs;
        let one = scope.spawn(|| write(first, (project, "1"), writers, &stop));
        let other = scope.spawn(|| write(second, (project, "2"), writers, &stop));
        while !(one.is_finished() && other.is_finished()) {
            watch.look();
            progress(watch.added(), 2 * writers.rounds);
        }
        [one, other].map(|it| it.join().unwrap_or(Err(KitError::Thread)))
    });
    Ok(one?.into_iter().chain(other?).collect())
}

/// Writes every entry of one writer; returns those whose command succeeded.
fn write(
    program: &Program,
    (project, writer): (&Path, &str),
    writers: &Writers<'_>,
    stop: &AtomicBool,
) -> Result<Vec<String>, KitError> {
    let mut succeeded = Vec::new();
    let folder = project.to_string_lossy();
    for round in 0..writers.rounds {
        if stop.load(Ordering::SeqCst) {
            break;
        }
        let entry = format!("entry-{writer}-{round:06}");
        let fill = [("{}", folder.as_ref()), ("{entry}", entry.as_str()), ("{writer}", writer)];
        let ended = program.run(&fill, project, writers.limit);
        if ended.inspect_err(|_| stop.store(true, Ordering::SeqCst))? == Ended::Code(0) {
            succeeded.push(entry);
        }
    }
    Ok(succeeded)
}

fn judged(watch: Watch, succeeded: &[String], directory: &Path, run: usize) -> Outcome {
    let mut outcome = Outcome { run, succeeded: succeeded.len(), ..Outcome::default() };
    for entry in succeeded {
        match watch.count(entry) {
            0 => outcome.lost.push(entry.clone()),
            1 => {}
            _ => outcome.doubled.push(entry.clone()),
        }
    }
    (outcome.readings, outcome.faults) = (watch.readings, watch.faults);
    outcome.faults.extend(faults_at_the_end(directory));
    if succeeded.is_empty() {
        outcome.faults.push("no command succeeded, so nothing was tested".to_owned());
    }
    outcome
}

fn faults_at_the_end(directory: &Path) -> Vec<String> {
    match validate_path(directory, Strictness::Lenient) {
        Ok(report) => {
            let faults = report.faults.into_iter();
            faults.map(|it| format!("{}: {}", it.pointer, it.message)).collect()
        }
        Err(error) => vec![error.to_string()],
    }
}

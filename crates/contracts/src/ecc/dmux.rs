//! The `dmux-tmux` adapter of the snapshot contract: a session of worktrees orchestrated in tmux,
//! with a folder for each worker. The caller provides files and panes; this module parses them.

use super::health::{DEGRADED, HEALTHY, STALE, UNKNOWN};
use super::{Intent, Outputs, Runtime, Session, Snapshot, SourceTarget, Worker};
use crate::derived::is_nothing;
use serde_json::{Map, Value};
use taffrail_model::Timestamp;

/// The adapter's id.
pub const ADAPTER: &str = "dmux-tmux";
/// The folder of a project's sessions, unless its plan names another.
pub const FOLDER: &str = ".orchestration";
/// The folders in which the session of a name is looked for.
const FOLDERS: [&str; 2] = [".claude/orchestration", FOLDER];
/// A running worker whose status file is older is stale, in seconds.
const STALE_AFTER: i64 = 5 * 60;
/// The files of a worker: status, task and handoff.
pub const FILES: [&str; 3] = ["status.md", "task.md", "handoff.md"];
/// The format for `tmux list-panes -s -F`.
pub const PANE_FORMAT: &str = "#{pane_id}\t#{pane_title}\t#{pane_current_command}\t\
                               #{pane_current_path}\t#{pane_active}\t#{pane_dead}\t#{pane_pid}";

/// A pane of tmux.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pane {
    /// Its id.
    pub id: String,
    /// Its title: the worker's name.
    pub title: String,
    /// The running command.
    pub command: String,
    /// The working folder of that command.
    pub path: String,
    /// Whether it is the active pane of its window.
    pub is_active: bool,
    /// Whether its command has ended.
    pub is_dead: bool,
    /// The process tmux started in it.
    pub pid: Option<u32>,
}

/// The location of a session, and its plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The session's name, as tmux knows it.
    pub session: String,
    /// The name as it is written in folders, which tmux may have, too.
    pub slug: String,
    /// The root of its repository, where it is known.
    pub repo_root: Option<String>,
    /// The folder with its workers' folders.
    pub folder: String,
    /// The target that was requested.
    pub target: SourceTarget,
    /// The planned workers: name, task, paths.
    pub planned: Vec<(String, String, Vec<String>)>,
}

/// The files of one worker, as far as they exist.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WorkerFiles {
    /// The name of its folder.
    pub name: String,
    /// The folder.
    pub folder: String,
    /// `status.md`.
    pub status: Option<String>,
    /// `task.md`.
    pub task: Option<String>,
    /// `handoff.md`.
    pub handoff: Option<String>,
}

/// The places where the workers of the tmux session with this name may be, below one of these
/// repositories, the most likely first.
#[must_use]
pub fn by_name(name: &str, roots: &[String]) -> Vec<Place> {
    let slug = slug(name).unwrap_or_else(|| name.to_owned());
    let mut out = Vec::new();
    for root in roots {
        for (folder, session) in FOLDERS.iter().flat_map(|it| [(it, name), (it, &slug)]) {
            out.push(Place {
                session: name.to_owned(),
                slug: slug.clone(),
                repo_root: Some(root.clone()),
                folder: format!("{}/{folder}/{session}", root.trim_end_matches('/')),
                target: target("session", name),
                planned: Vec::new(),
            });
        }
    }
    out
}

/// A session that only tmux knows.
#[must_use]
pub fn nowhere(name: &str) -> Place {
    let (session, folder) = (name.to_owned(), String::new());
    let slug = slug(name).unwrap_or_else(|| name.to_owned());
    let (target, planned) = (target("session", name), Vec::new());
    Place { session, slug, repo_root: None, folder, target, planned }
}

/// The place of a plan.
///
/// # Errors
/// Returns the reason if the document is not a plan.
pub fn by_plan(path: &str, plan: &Value, here: &str) -> Result<Place, String> {
    let fields = plan.as_object().ok_or("A plan is a JSON object.")?;
    let text = |name: &str| match fields.get(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.trim()).filter(|text| !text.is_empty())),
        Some(_) => Err(format!("`{name}` of a plan is a string.")),
    };
    let repo_root = joined(here, text("repoRoot")?.unwrap_or("."));
    let session = text("sessionName")?.map_or_else(|| base_of(&repo_root), str::to_owned);
    let slug = slug(&session).unwrap_or_else(|| "session".to_owned());
    let root = text("coordinationRoot")?.map(|it| joined(here, it));
    let root = root.unwrap_or_else(|| format!("{}/{FOLDER}", repo_root.trim_end_matches('/')));
    let (folder, repo_root) = (format!("{root}/{slug}"), Some(repo_root));
    let (target, planned) = (target("plan", path), planned(plan));
    Ok(Place { session, slug, repo_root, folder, target, planned })
}

fn planned(plan: &Value) -> Vec<(String, String, Vec<String>)> {
    let strings = |value: Option<&Value>| -> Vec<String> {
        let all = value.and_then(Value::as_array).into_iter().flatten();
        all.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let shared = strings(plan.get("seedPaths"));
    let workers = plan.get("workers").and_then(Value::as_array).into_iter().flatten();
    let workers = workers.zip(1..).map(|(worker, number)| {
        let text = |name: &str| worker.get(name).and_then(Value::as_str).unwrap_or_default();
        let name = slug(text("name")).unwrap_or_else(|| format!("worker-{number}"));
        let mut paths = shared.clone();
        for path in strings(worker.get("seedPaths")) {
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        (name, text("task").trim().to_owned(), paths)
    });
    workers.collect()
}

/// Parses tmux's output in [`PANE_FORMAT`].
#[must_use]
pub fn panes(answer: &str) -> Vec<Pane> {
    let pane = |line: &str| {
        let mut parts = line.split('\t').map(str::to_owned);
        let mut next = || parts.next();
        Some(Pane {
            id: next()?,
            title: next()?,
            command: next()?,
            path: next()?,
            is_active: next()? == "1",
            is_dead: next()? == "1",
            pid: next()?.trim().parse().ok(),
        })
    };
    answer.lines().filter_map(pane).collect()
}

/// A snapshot of the session, from its workers' files and its panes.
#[must_use]
pub fn snapshot(
    place: &Place,
    workers: &[WorkerFiles],
    panes: &[Pane],
    now: Timestamp,
) -> Snapshot {
    let mut workers: Vec<&WorkerFiles> = workers.iter().collect();
    workers.sort_by(|one, other| one.name.cmp(&other.name));
    let documents = workers.iter().map(|files| worker(place, files, panes, now));
    let documents: Vec<Worker> = documents.collect();
    let session = Session {
        id: place.session.clone(),
        kind: "orchestrated".to_owned(),
        state: session_state(&documents, panes).to_owned(),
        repo_root: Some(place.repo_root.clone()),
        source_target: place.target.clone(),
        rest: Map::new(),
    };
    Snapshot::new(ADAPTER, session, documents)
}

fn session_state(workers: &[Worker], panes: &[Pane]) -> &'static str {
    let among = |worker: &Worker, states: &[&str]| states.contains(&worker.state.as_str());
    let failed = |worker: &Worker| among(worker, &["failed", "error"]);
    let done = |worker: &Worker| among(worker, &["completed", "succeeded", "success", "done"]);
    if panes.iter().any(|pane| !pane.is_dead) {
        "active"
    } else if workers.is_empty() {
        "missing"
    } else if workers.iter().any(failed) {
        "failed"
    } else if workers.iter().all(done) {
        "completed"
    } else {
        "idle"
    }
}

fn worker(place: &Place, files: &WorkerFiles, panes: &[Pane], now: Timestamp) -> Worker {
    let status = files.status.as_deref().unwrap_or_default();
    let worktree = listed(status, "worktree");
    let state = listed(status, "state");
    let titled = panes.iter().find(|pane| pane.title == files.name);
    let there = |pane: &&Pane| worktree.as_deref().is_some_and(|it| it == pane.path);
    let pane = titled.or_else(|| panes.iter().find(there));
    Worker {
        id: files.name.clone(),
        label: files.name.clone(),
        state: state.clone().unwrap_or_else(|| "unknown".to_owned()),
        health: Some(health(status, state.as_deref(), pane, now).to_owned()),
        branch: Some(listed(status, "branch")),
        worktree: Some(worktree),
        runtime: runtime(pane, state.as_deref()),
        intent: intent(place, files),
        outputs: outputs(files.handoff.as_deref().unwrap_or_default()),
        artifacts: artifacts(&files.folder),
        rest: Map::new(),
    }
}

/// The health of a worker: that of a running one depends on its pane and on the age of its status.
fn health(status: &str, state: Option<&str>, pane: Option<&Pane>, now: Timestamp) -> &'static str {
    let updated = listed(status, "updated").and_then(|it| it.parse::<Timestamp>().ok());
    let age = updated.map(|it| now.as_second() - it.as_second());
    match state {
        Some("failed" | "error") => DEGRADED,
        Some("completed" | "succeeded" | "success" | "done") => HEALTHY,
        Some("running" | "active") if pane.is_some_and(|it| it.is_dead) => DEGRADED,
        Some("running" | "active") if age.is_none_or(|it| it > STALE_AFTER) => STALE,
        Some("running" | "active") => HEALTHY,
        Some(_) | None => UNKNOWN,
    }
}

fn runtime(pane: Option<&Pane>, state: Option<&str>) -> Runtime {
    let began = state.is_some_and(|it| it != "not started");
    let command = pane.map(|it| it.command.clone()).filter(|it| !it.is_empty());
    Runtime {
        kind: "tmux-pane".to_owned(),
        command: Some(command),
        pid: Some(pane.and_then(|it| it.pid).map(Into::into)),
        active: pane.is_some_and(|it| it.is_active),
        // A worker that started and has no pane is over.
        dead: pane.map_or(began, |it| it.is_dead),
        rest: Map::new(),
    }
}

fn intent(place: &Place, files: &WorkerFiles) -> Intent {
    let task = files.task.as_deref().unwrap_or_default();
    let planned = place.planned.iter().find(|(name, _, _)| *name == files.name);
    let objective = section(task, &["Objective"]);
    let seeds = bullets(&section(task, &["Seeded Local Overlays"]));
    match planned {
        Some((_, task, paths)) if files.task.is_none() => {
            Intent { objective: task.clone(), seed_paths: paths.clone(), rest: Map::new() }
        }
        Some(_) | None => Intent { objective, seed_paths: seeds, rest: Map::new() },
    }
}

fn outputs(handoff: &str) -> Outputs {
    let validation = ["Validation", "Tests / Verification", "Tests", "Verification"];
    let risks = ["Remaining Risks", "Follow-ups", "Follow Ups"];
    Outputs {
        summary: points(&section(handoff, &["Summary"])),
        validation: points(&section(handoff, &validation)),
        remaining_risks: points(&section(handoff, &risks)),
        rest: Map::new(),
    }
}

fn artifacts(folder: &str) -> Map<String, Value> {
    let [status, task, handoff] = FILES.map(|file| Value::from(format!("{folder}/{file}")));
    let all = [("statusFile", status), ("taskFile", task), ("handoffFile", handoff)];
    all.into_iter().map(|(name, path)| (name.to_owned(), path)).collect()
}

/// The value of a line such as ``- Branch: `main` ``.
fn listed(text: &str, name: &str) -> Option<String> {
    let value = |line: &str| {
        let (key, value) = line.trim().strip_prefix("- ")?.split_once(':')?;
        key.trim().eq_ignore_ascii_case(name).then(|| plain(value))
    };
    text.lines().filter_map(value).rfind(|value| !value.is_empty())
}

/// The text below the first of these headings that has any.
fn section(text: &str, headings: &[&str]) -> String {
    let found = headings.iter().map(|heading| below(text, heading));
    found.into_iter().find(|text| !text.is_empty()).unwrap_or_default()
}

fn below(text: &str, heading: &str) -> String {
    let is_heading = |line: &str| {
        line.starts_with("## ")
            || (line.len() > 4 && line.starts_with("**") && line.ends_with("**"))
    };
    let ours = [format!("## {heading}"), format!("**{heading}**")];
    let after = text.lines().map(str::trim).skip_while(|line| !ours.iter().any(|it| it == line));
    let lines: Vec<_> = after.skip(1).take_while(|line| !is_heading(line)).collect();
    lines.join("\n").trim().to_owned()
}

/// The items of a list, without the placeholder of the template.
fn points(text: &str) -> Vec<String> {
    bullets(text).into_iter().filter(|it| !is_nothing(it)).collect()
}

fn bullets(text: &str) -> Vec<String> {
    text.lines().filter_map(|line| line.trim().strip_prefix("- ")).map(plain).collect()
}

fn plain(text: &str) -> String {
    let text = text.trim();
    let inner = text.strip_prefix('`').and_then(|it| it.strip_suffix('`'));
    inner.unwrap_or(text).to_owned()
}

fn target(kind: &str, value: &str) -> SourceTarget {
    SourceTarget { kind: kind.to_owned(), value: value.to_owned(), rest: Map::new() }
}

/// Lower-case letters and digits, joined by dashes.
fn slug(text: &str) -> Option<String> {
    let parts = text.split(|it: char| !it.is_ascii_alphanumeric()).filter(|it| !it.is_empty());
    let out = parts.collect::<Vec<_>>().join("-").to_ascii_lowercase();
    Some(out).filter(|it| !it.is_empty())
}

fn base_of(path: &str) -> String {
    let base = path.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    slug(base).unwrap_or_else(|| "session".to_owned())
}

fn joined(here: &str, path: &str) -> String {
    match path {
        "." => here.to_owned(),
        path if path.starts_with('/') => path.to_owned(),
        path => format!("{}/{}", here.trim_end_matches('/'), path.trim_start_matches("./")),
    }
}

//! The `claude-history` adapter of the snapshot contract: session files in Markdown, one for each
//! day or short id. The caller provides the files; this module parses them.

use super::health::HEALTHY;
use super::{Intent, Outputs, Runtime, Session, Snapshot, SourceTarget, Worker};
use serde_json::{Map, Value, json};

/// The adapter's id.
pub const ADAPTER: &str = "claude-history";
/// The folders of session files, below the home, the current one first.
pub const FOLDERS: [&str; 2] = [".claude/session-data", ".claude/sessions"];
/// The file of aliases, below the home.
pub const ALIASES: &str = ".claude/session-aliases.json";
const SUFFIX: &str = "-session.tmp";
const RECORDED: &str = "recorded";

/// The requested session file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The latest.
    Latest,
    /// By a prefix of its short id, or by its file name.
    Id(String),
    /// By an alias.
    Alias(String),
    /// By its path.
    File(String),
}

/// Parses a target; `None` if it is for another adapter.
#[must_use]
pub fn target(text: &str) -> Option<Target> {
    if let Some(alias) = text.strip_prefix("claude-alias:") {
        return Some(Target::Alias(alias.to_owned()));
    }
    if let Some(path) = text.strip_prefix("session-file:") {
        return Some(Target::File(path.to_owned()));
    }
    let id = text.strip_prefix("claude-history:").or_else(|| text.strip_prefix("claude:"));
    match id {
        Some("latest") => Some(Target::Latest),
        Some(id) => Some(Target::Id(id.to_owned())),
        None => text.ends_with(SUFFIX).then(|| Target::File(text.to_owned())),
    }
}

impl Target {
    /// The target as a snapshot names it; a file by its resolved path.
    #[must_use]
    pub fn told(&self, path: &str) -> SourceTarget {
        let (kind, value) = match self {
            Self::Latest => ("claude-history", "latest"),
            Self::Id(id) => ("claude-history", id.as_str()),
            Self::Alias(alias) => ("claude-alias", alias.as_str()),
            Self::File(_) => ("session-file", path),
        };
        SourceTarget { kind: kind.to_owned(), value: value.to_owned(), rest: Map::new() }
    }
}

/// The path of an alias.
#[must_use]
pub fn aliased<'v>(aliases: &'v Value, name: &str) -> Option<&'v str> {
    let alias = aliases.get("aliases")?.get(name)?;
    alias.get("sessionPath").and_then(Value::as_str).or_else(|| alias.as_str())
}

/// The date and the short id in the name of a session file; `None` for other files.
#[must_use]
pub fn named(file: &str) -> Option<(&str, Option<&str>)> {
    let stem = file.strip_suffix(SUFFIX)?;
    let date = stem.get(..10)?;
    let is_date = format!("{date}T00:00:00Z").parse::<taffrail_model::Timestamp>().is_ok();
    let rest = stem.get(10..).filter(|_| is_date)?;
    if rest.is_empty() {
        return Some((date, None));
    }
    let id = rest.strip_prefix('-')?;
    let plain = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-');
    let good = !id.is_empty() && !id.starts_with('-') && id.chars().all(plain);
    good.then_some((date, Some(id)))
}

/// Whether an id means this file.
#[must_use]
pub fn is_meant(file: &str, id: &str) -> bool {
    let Some((_, short)) = named(file) else { return false };
    let by_name = file == id || file.strip_suffix(".tmp") == Some(id);
    let by_date = short.is_none() && file.strip_suffix(SUFFIX) == Some(id);
    by_name || by_date || short.is_some_and(|short| !id.is_empty() && short.starts_with(id))
}

/// A snapshot of a session file.
#[must_use]
pub fn snapshot(path: &str, text: &str, target: SourceTarget) -> Snapshot {
    let file = path.rsplit('/').next().unwrap_or(path);
    let short = named(file).and_then(|(_, short)| short);
    let id = short.unwrap_or_else(|| file.strip_suffix(".tmp").unwrap_or(file)).to_owned();
    let worktree = marked(text, "Worktree");
    let worker = worker(path, &id, text, worktree.clone());
    let session = Session {
        id,
        kind: "history".to_owned(),
        state: RECORDED.to_owned(),
        repo_root: Some(worktree),
        source_target: target,
        rest: Map::new(),
    };
    Snapshot::new(ADAPTER, session, vec![worker])
}

fn worker(path: &str, id: &str, text: &str, worktree: Option<String>) -> Worker {
    let title = text.lines().find_map(|line| line.strip_prefix("# ")).map(str::trim);
    let title = title.filter(|it| !it.is_empty());
    let context = context(text);
    let doing = boxes(&section(text, "In Progress"), "- [ ]");
    let objective = doing.into_iter().next().or_else(|| title.map(str::to_owned));
    let notes = Some(section(text, "Notes for Next Session")).filter(|it| !it.is_empty());
    let seeds = context.as_deref().unwrap_or_default().lines().map(str::trim);
    let seed_paths = seeds.filter(|it| !it.is_empty()).map(str::to_owned).collect();
    let artifacts = json!({ "sessionFile": path, "context": context });
    Worker {
        id: id.to_owned(),
        label: title.unwrap_or(id).to_owned(),
        state: RECORDED.to_owned(),
        health: Some(HEALTHY.to_owned()),
        branch: Some(marked(text, "Branch")),
        worktree: Some(worktree),
        runtime: Runtime {
            kind: "claude-session".to_owned(),
            command: Some(Some("claude".to_owned())),
            pid: Some(None),
            active: false,
            dead: true,
            rest: Map::new(),
        },
        intent: Intent { objective: objective.unwrap_or_default(), seed_paths, rest: Map::new() },
        outputs: Outputs {
            summary: boxes(&section(text, "Completed"), "- [x]"),
            validation: Vec::new(),
            remaining_risks: notes.into_iter().collect(),
            rest: Map::new(),
        },
        artifacts: artifacts.as_object().cloned().unwrap_or_default(),
        rest: Map::new(),
    }
}

/// The value of a line such as `**Branch:** main`.
fn marked(text: &str, name: &str) -> Option<String> {
    let mark = format!("**{name}:**");
    let value = text.lines().find_map(|line| line.split_once(mark.as_str())).map(|it| it.1.trim());
    value.filter(|it| !it.is_empty()).map(str::to_owned)
}

/// The lines below a heading, up to the next heading or an empty line.
fn section(text: &str, heading: &str) -> String {
    let heading = format!("### {heading}");
    let after = text.lines().skip_while(|line| line.trim_end() != heading).skip(1);
    let lines = after.skip_while(|line| line.trim().is_empty());
    let lines = lines.take_while(|line| !line.starts_with('#') && !line.trim().is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

/// The text between fences below `### Context to Load`.
fn context(text: &str) -> Option<String> {
    let after = text.lines().skip_while(|line| line.trim_end() != "### Context to Load").skip(1);
    let own = after.take_while(|line| !line.starts_with('#'));
    let fenced = own.skip_while(|line| !line.trim_start().starts_with("```")).skip(1);
    let lines: Vec<_> = fenced.take_while(|line| !line.trim_start().starts_with("```")).collect();
    let context = lines.join("\n").trim().to_owned();
    Some(context).filter(|it| !it.is_empty())
}

fn boxes(text: &str, mark: &str) -> Vec<String> {
    let items = text.lines().filter_map(|line| line.trim().strip_prefix(mark));
    items.map(|it| it.trim().to_owned()).filter(|it| !it.is_empty()).collect()
}

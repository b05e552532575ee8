//! One folder that is a plugin for several agents: hooks, our MCP server and skills, so that the
//! agents' settings stay untouched.

use crate::call::{Ours, quoted};
use crate::plan::{named, program, wanted};
use crate::text::calls;
use crate::{HookSettings, HooksError};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use taffrail_adapters::{Adapter, HookBase, HookCall, HookPlan, HookPlugin, agents, by_id};
use taffrail_capture::home_of;

/// The word behind a hook's agent that says: a plugin calls.
pub const FROM_PLUGIN: &str = "plugin";

/// What the folder is, for people.
const README: &str = include_str!("../plugin/README.md");
/// The skills, by name.
const SKILLS: [(&str, &str); 4] = [
    ("hand-this-over", include_str!("../plugin/skills/hand-this-over.md")),
    ("have-we-solved-this-before", include_str!("../plugin/skills/have-we-solved-this-before.md")),
    ("standup", include_str!("../plugin/skills/standup.md")),
    ("what-is-running", include_str!("../plugin/skills/what-is-running.md")),
];

/// A plugin folder that was written.
#[derive(Debug)]
pub struct Plugin {
    /// Its files.
    pub files: Vec<PathBuf>,
    /// How to install it, one line for each agent.
    pub advice: Vec<String>,
}

/// Writes the plugin folder of all agents that have plugins, or of one, into an empty folder.
///
/// # Errors
/// When the agent has no plugins, or the folder is not empty or cannot be written.
pub fn write_plugin(
    given: &HookSettings<'_>,
    folder: &Path,
    agent: Option<&str>,
) -> Result<Plugin, HooksError> {
    let parts = chosen(agent)?;
    let program = program(given.program, HookCall::ShellLine)?;
    let files = plugin_files(&parts, program);
    let files: Vec<_> = files.into_iter().map(|(below, it)| (folder.join(below), it)).collect();
    write(folder, &files)?;
    let place = quoted(&folder.to_string_lossy());
    let advice = parts.iter().map(|it| {
        format!(
            "{}: {}",
            it.adapter.descriptor().label,
            it.plugin.advice.replace("{folder}", &place)
        )
    });
    Ok(Plugin {
        advice: advice.collect(),
        files: files.into_iter().map(|(path, _)| path).collect(),
    })
}

/// True if an agent's own settings call our hook, so that the plugin leaves the call to them.
/// Otherwise each request would be asked twice.
#[must_use]
pub fn is_in_settings(agent: &str, user_home: &Path, variable: fn(&str) -> Option<String>) -> bool {
    let Some(adapter) = by_id(agent) else { return false };
    let plan = adapter.hook_plan().filter(|it| matches!(it.base, HookBase::AgentHome));
    let Some((plan, home)) = plan.zip(home_of(adapter, user_home, variable)) else {
        return false;
    };
    let ours = Ours { agent: adapter.descriptor().id, program: "", before: None };
    plan.files.iter().any(|file| {
        // A file that is not there or does not parse calls nobody.
        let text = fs::read_to_string(home.join(file.path)).unwrap_or_default();
        calls(&text, file.syntax, ours).is_ok_and(|it| !it.is_empty())
    })
}

/// One agent's part of the folder.
struct Part {
    adapter: &'static dyn Adapter,
    plan: &'static HookPlan,
    plugin: &'static HookPlugin,
}

impl Part {
    fn of(adapter: &'static dyn Adapter) -> Option<Self> {
        let plan = adapter.hook_plan()?;
        Some(Self { adapter, plan, plugin: plan.plugin? })
    }
}

fn chosen(agent: Option<&str>) -> Result<Vec<Part>, HooksError> {
    let Some(id) = agent else { return Ok(agents().filter_map(Part::of).collect()) };
    let adapter = named(id)?;
    let part = Part::of(adapter).ok_or(HooksError::NoHooks(adapter.descriptor().label))?;
    Ok(vec![part])
}

/// The files of the folder, by path; agents share those that are equal.
fn plugin_files(parts: &[Part], program: &str) -> BTreeMap<String, String> {
    let mut out = BTreeMap::from([("README.md".to_owned(), README.to_owned())]);
    for part in parts {
        let files = part.plugin.files.iter();
        out.extend(files.map(|(path, text)| ((*path).to_owned(), filled(text, program))));
        out.insert(part.plugin.hooks.to_owned(), hooks_of(part, program));
        let skills = SKILLS.iter();
        out.extend(skills.map(|(name, text)| {
            (format!("{}/{name}/SKILL.md", part.plugin.skills), (*text).to_owned())
        }));
    }
    out
}

/// A text with our version and our program as JSON writes it.
fn filled(text: &str, program: &str) -> String {
    let text_of_json = Value::from(program).to_string();
    let inside = text_of_json.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    text.replace("{version}", env!("CARGO_PKG_VERSION"))
        .replace("{program}", inside.unwrap_or(program))
}

/// The file of an agent's hooks: the calls that its settings would have, marked as the plugin's.
fn hooks_of(part: &Part, program: &str) -> String {
    let calls = wanted(part.plan, part.adapter.descriptor().id, program).into_iter();
    let events: Map<String, Value> = calls
        .map(|(event, call)| {
            let mut it = Map::from_iter([("type".to_owned(), json!("command"))]);
            match call.form {
                HookCall::Arguments => {
                    it.insert("command".to_owned(), json!(call.command()));
                    let [word, agent] = call.arguments();
                    it.insert("args".to_owned(), json!([word, agent, FROM_PLUGIN]));
                }
                HookCall::ShellLine => {
                    let line = format!("{} {FROM_PLUGIN}", call.command());
                    it.insert("command".to_owned(), json!(line));
                }
            }
            it.extend(call.timeout.map(|limit| ("timeout".to_owned(), json!(limit))));
            (event.to_owned(), json!([{ "hooks": [it] }]))
        })
        .collect();
    format!("{:#}\n", json!({ "hooks": events }))
}

fn write(folder: &Path, files: &[(PathBuf, String)]) -> Result<(), HooksError> {
    if fs::read_dir(folder).is_ok_and(|mut list| list.next().is_some()) {
        return Err(HooksError::NotEmpty(folder.to_owned()));
    }
    for (path, text) in files {
        let above = path.parent().unwrap_or(folder);
        let written = fs::create_dir_all(above).and_then(|()| fs::write(path, text));
        written.map_err(|error| HooksError::io(path, error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;

//! Plans the registration of our MCP server in the agents' settings.

use crate::entry::{entry, installed, stripped, wanted};
use crate::entry_name::NAME;
use crate::note::{self, Note};
use crate::plan::{homes, named};
use crate::{HookChange, HookSettings, HookWish, HooksError, Made, files};
use serde_json::Value;
use std::path::PathBuf;
use taffrail_adapters::{Adapter, HookBase, McpPlan, agents};
use taffrail_capture::folder_by;

/// The changes that register our MCP server with agents, or take it out again; none if nothing is
/// to be done. `carry_out` applies them, with the same settings.
///
/// # Errors
/// When the agent is unknown, is not installed or has no known list of servers, or a file must not
/// be changed. Nothing is written.
pub fn plan_servers(
    given: &HookSettings<'_>,
    wish: HookWish,
    agent: Option<&str>,
) -> Result<Vec<HookChange>, HooksError> {
    let mut out = Vec::new();
    for (adapter, plan) in wanted_agents(given, agent)? {
        for base in bases(given, adapter, plan) {
            let sheet = Sheet::read(given, (adapter, plan), base)?;
            out.extend(match wish {
                HookWish::Install => sheet.install(given)?,
                HookWish::Uninstall => sheet.uninstall()?,
            });
        }
    }
    Ok(out)
}

type Planned = (&'static dyn Adapter, &'static McpPlan);

fn wanted_agents(
    given: &HookSettings<'_>,
    agent: Option<&str>,
) -> Result<Vec<Planned>, HooksError> {
    let Some(id) = agent else {
        return Ok(agents().filter_map(|it| Some((it, it.mcp_plan()?))).collect());
    };
    let adapter = named(id)?;
    let label = adapter.descriptor().label;
    let plan = adapter.mcp_plan().ok_or(HooksError::NoServers(label))?;
    if bases(given, adapter, plan).is_empty() {
        return Err(HooksError::NoHome(label));
    }
    Ok(vec![(adapter, plan)])
}

/// The folders of an agent's lists of servers.
fn bases(given: &HookSettings<'_>, adapter: &dyn Adapter, plan: &McpPlan) -> Vec<PathBuf> {
    let homes = homes(given, adapter);
    match plan.base {
        HookBase::AgentHome => homes,
        HookBase::Folder(rules) => {
            let settings = given.settings;
            let base = folder_by(rules, &settings.user_home, &settings.variables);
            let base = base.and_then(|it| it.canonicalize().ok());
            // One folder serves all homes. An agent that has neither a home nor settings is not here; one that was
            // never started may have settings.
            let has_settings = |base: &PathBuf| plan.files.iter().any(|it| base.join(it).is_file());
            base.into_iter().filter(|it| !homes.is_empty() || has_settings(it)).collect()
        }
    }
}

/// A file that lists servers, and what we know of it.
struct Sheet {
    adapter: &'static dyn Adapter,
    plan: &'static McpPlan,
    base: PathBuf,
    below: &'static str,
    path: PathBuf,
    text: Option<String>,
    entry: Option<Value>,
    note: Option<Note>,
}

impl Sheet {
    fn read(
        given: &HookSettings<'_>,
        (adapter, plan): Planned,
        base: PathBuf,
    ) -> Result<Self, HooksError> {
        let is_there = |it: &&&str| base.join(it).symlink_metadata().is_ok();
        let below = plan.files.iter().find(is_there).or(plan.files.first()).copied();
        let below = below.unwrap_or_default();
        let path = base.join(below);
        let text = files::read(&base, below)?.map(|(text, _)| text);
        let entry = entry(text.as_deref().unwrap_or_default(), plan)
            .map_err(|error| HooksError::refused(&path, &error))?;
        let note = note::read(given.state, &path);
        Ok(Self { adapter, plan, base, below, path, text, entry, note })
    }

    /// An entry of our name that starts something else stays untouched.
    fn is_ours(&self) -> bool {
        let Some(entry) = &self.entry else { return false };
        let text = entry.to_string();
        text.contains("\"mcp\"") && text.contains(NAME)
    }

    fn install(self, given: &HookSettings<'_>) -> Result<Option<HookChange>, HooksError> {
        let program = given.program.to_str().filter(|it| !it.contains(char::is_control));
        let program = program.ok_or_else(|| HooksError::Program(given.program.to_owned()))?;
        let refused = |error: &crate::Unfit| HooksError::refused(&self.path, error);
        let wanted = wanted(self.plan, program).map_err(|error| refused(&error))?;
        if self.entry.as_ref() == Some(&wanted) {
            return Ok(None);
        }
        if self.entry.is_some() && !self.is_ours() {
            let why = format!("has another server called `{NAME}`");
            return Err(HooksError::refused(&self.path, &why));
        }
        let base = self.without_ours()?;
        let text = base.as_deref().unwrap_or_default();
        let (after, pieces, made) =
            installed(text, self.plan, &wanted).map_err(|error| refused(&error))?;
        let known = self.note.as_ref().map_or(0, |it| it.made.folders);
        let folders = files::missing_folders(&self.base, self.below).max(known);
        let made = Made { file: base.is_none(), folders, ..made };
        let note = Note::new(&self.path, program, (text, &after), (pieces, made));
        Ok(Some(self.change(Some(after), Some(note))))
    }

    fn uninstall(self) -> Result<Option<HookChange>, HooksError> {
        if !self.is_ours() {
            return Ok(None);
        }
        let after = self.without_ours()?;
        Ok(Some(self.change(after, None)))
    }

    /// The file without our entry: the original if nobody changed it since.
    fn without_ours(&self) -> Result<Option<String>, HooksError> {
        let Some(text) = self.text.as_deref().filter(|_| self.entry.is_some()) else {
            return Ok(self.text.clone());
        };
        let made = self.note.as_ref().map(|it| &it.made);
        let after = match self.note.as_ref().and_then(|it| it.undone(text)) {
            Some(text) => text,
            None => stripped(text, self.plan, made)
                .map_err(|error| HooksError::refused(&self.path, &error))?,
        };
        let is_ours_alone = after.trim().is_empty() && made.is_some_and(|made| made.file);
        Ok((!is_ours_alone).then_some(after))
    }

    fn change(self, after: Option<String>, note: Option<Note>) -> HookChange {
        let it = self.adapter.descriptor();
        HookChange {
            agent: it.id,
            label: it.label,
            path: self.path,
            before: self.text,
            after,
            advice: Vec::new(),
            base: self.base,
            below: self.below,
            folders: self.note.as_ref().map_or(0, |it| it.made.folders),
            note,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::carry_out;
    use std::fs;
    use std::path::Path;
    use taffrail_context::Settings;
    use taffrail_model::Timestamp;

    /// Carries a wish out for one agent, and gives the number of files that changed.
    fn done(home: &Path, wish: HookWish, agent: &str) -> usize {
        let ours = Settings::in_folder(&home.join("ours"), || Timestamp::UNIX_EPOCH);
        let settings = Settings { user_home: home.to_owned(), ..ours };
        let (state, program) = (home.join("state"), Path::new("/opt/a b/taffrail"));
        let given =
            HookSettings { settings: &settings, state: &state, program, system: Path::new("/x") };
        let changes = plan_servers(&given, wish, Some(agent)).unwrap();
        changes.iter().for_each(|it| carry_out(&given, it).unwrap());
        changes.len()
    }

    #[test]
    fn uninstalling_restores_the_file_of_every_agent_to_the_byte() {
        let check = |agent: &str, folders: &[&str], file: &str, before: Option<&str>| {
            let home = tempfile::tempdir().unwrap();
            let home = home.path().canonicalize().unwrap();
            folders.iter().for_each(|it| fs::create_dir_all(home.join(it)).unwrap());
            let file = home.join(file);
            let read = || fs::read_to_string(&file).ok();
            before.into_iter().for_each(|it| fs::write(&file, it).unwrap());
            assert_eq!(done(&home, HookWish::Install, agent), 1, "{agent}");
            assert!(read().unwrap().contains("/opt/a b/taffrail"), "{agent}");
            assert_eq!(done(&home, HookWish::Install, agent), 0, "{agent}");
            assert_eq!(done(&home, HookWish::Uninstall, agent), 1, "{agent}");
            assert_eq!(read().as_deref(), before, "{agent}");
        };
        check(
            "gemini-cli",
            &[".gemini"],
            ".gemini/settings.json",
            Some("{\n // mine\n \"a\":  1 }"),
        );
        check("claude-code", &[".claude/projects"], ".claude.json", Some("{\"n\": 1}"));
        check("codex", &[".codex"], ".codex/config.toml", Some("model = 'x' # mine\r\n"));
        check("qwen-code", &[".qwen"], ".qwen/settings.json", None);
        check("copilot-cli", &[".copilot"], ".copilot/mcp-config.json", None);
        let opencode = [".local/share/opencode", ".config/opencode"];
        check("opencode", &opencode, ".config/opencode/opencode.jsonc", Some("{ /* c */ }"));
        let goose = [".local/share/goose/sessions", ".config/goose"];
        check("goose", &goose, ".config/goose/config.yaml", Some("extensions:\n  dev:\n    a: 1"));
    }

    #[test]
    fn an_agent_with_settings_that_was_never_started_was_not_here() {
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        fs::create_dir_all(home.join(".config/opencode")).unwrap();
        fs::write(home.join(".config/opencode/opencode.json"), "{}").unwrap();
        assert_eq!(done(&home, HookWish::Install, "opencode"), 1);
        let ours = Settings::in_folder(&home.join("ours"), || Timestamp::UNIX_EPOCH);
        let settings = Settings { user_home: home.clone(), ..ours };
        let (state, program, system) = (&home.join("state"), Path::new("/p"), Path::new("/x"));
        let given = HookSettings { settings: &settings, state, program, system };
        // Its folder is the home itself, which says nothing.
        let absent = plan_servers(&given, HookWish::Install, Some("claude-code"));
        assert!(matches!(absent, Err(HooksError::NoHome(_))));
    }

    #[test]
    fn another_server_of_our_name_stays() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join(".gemini");
        fs::create_dir(&folder).unwrap();
        let text = r#"{"mcpServers": {"taffrail": {"command": "other"}}}"#;
        fs::write(folder.join("settings.json"), text).unwrap();
        assert_eq!(done(home.path(), HookWish::Uninstall, "gemini-cli"), 0);
        assert_eq!(fs::read_to_string(folder.join("settings.json")).unwrap(), text);
    }
}

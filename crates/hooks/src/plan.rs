//! Plans the changes to settings files, and applies them.

use crate::call::{Call, Ours, is_writable};
use crate::note::{self, Note};
use crate::text::{calls, holds_hooks, installed, is_complete, stripped};
use crate::trust::is_trusted;
use crate::{HookChange, HookSettings, HookWish, HooksError, Made, ban, files};
use std::path::{Path, PathBuf};
use taffrail_adapters::{Adapter, HookBase, HookCall, HookFile, HookPlan, agents, by_id};
use taffrail_capture::folder_by;
use taffrail_context::Error;
use taffrail_context::agent_id;

/// The changes that fulfil a wish; none if it is already fulfilled.
///
/// # Errors
/// When the agent is unknown or not installed, or a file must not be changed. Nothing is written.
pub fn plan_hooks(
    given: &HookSettings<'_>,
    wish: HookWish,
    agent: Option<&str>,
) -> Result<Vec<HookChange>, HooksError> {
    let mut out = Vec::new();
    for adapter in wanted_agents(given, agent)? {
        let Some(plan) = adapter.hook_plan() else { continue };
        for (_, base) in places(given, adapter, plan) {
            let desk = Desk { given, adapter, plan, base };
            out.extend(match wish {
                HookWish::Install => desk.install()?,
                HookWish::Uninstall => desk.take_out_of(desk.sheets()?)?,
            });
        }
    }
    Ok(out)
}

/// Applies a change, after a backup of the file.
///
/// # Errors
/// When the file changed since, or cannot be written.
pub fn carry_out(given: &HookSettings<'_>, change: &HookChange) -> Result<(), HooksError> {
    let (before, after) = (change.before.as_deref(), change.after.as_deref());
    if let Some(text) = before {
        note::copy(given, (change.agent, &change.path), text)?;
    }
    let write = || {
        files::write(&change.base, change.below, before, after)?;
        // Folders that we created for the file go with it.
        if after.is_none() {
            files::remove_folders(&change.path, change.folders);
        }
        Ok(())
    };
    let keep = |note: Option<&Note>| note::keep(given.state, &change.path, note);
    match &change.note {
        // A note that lists too much is harmless: undoing looks for each piece first.
        Some(note) => keep(Some(note)).and_then(|()| write())?,
        None => write().and_then(|()| keep(None))?,
    }
    Ok(())
}

fn wanted_agents(
    given: &HookSettings<'_>,
    agent: Option<&str>,
) -> Result<Vec<&'static dyn Adapter>, HooksError> {
    let Some(id) = agent else { return Ok(agents().collect()) };
    let adapter = named(id)?;
    let label = adapter.descriptor().label;
    if adapter.hook_plan().is_none() {
        return Err(HooksError::NoHooks(label));
    }
    if homes(given, adapter).is_empty() {
        return Err(HooksError::NoHome(label));
    }
    Ok(vec![adapter])
}

/// Resolves an agent by name.
pub(crate) fn named(word: &str) -> Result<&'static dyn Adapter, HooksError> {
    by_id(&agent_id(word)?).ok_or_else(|| Error::UnknownAgent(word.to_owned()).into())
}

/// The existing homes of an agent.
pub(crate) fn homes(given: &HookSettings<'_>, adapter: &dyn Adapter) -> Vec<PathBuf> {
    let id = adapter.descriptor().id;
    let homes = given.settings.homes().into_iter();
    homes.filter(|it| it.adapter.descriptor().id == id).map(|it| it.root).collect()
}

/// Each home of an agent with the folder of its hooks. If one folder serves all homes, only the
/// first is listed.
pub(crate) fn places(
    given: &HookSettings<'_>,
    adapter: &dyn Adapter,
    plan: &HookPlan,
) -> Vec<(PathBuf, PathBuf)> {
    let homes = homes(given, adapter).into_iter();
    match plan.base {
        HookBase::AgentHome => homes.map(|home| (home.clone(), home)).collect(),
        HookBase::Folder(rules) => {
            let settings = given.settings;
            let base = folder_by(rules, &settings.user_home, &settings.variables);
            homes.zip(base.and_then(|it| it.canonicalize().ok())).collect()
        }
    }
}

/// The calls of a plan.
pub(crate) fn wanted(plan: &HookPlan, agent: &str, program: &str) -> Vec<(&'static str, Call)> {
    let call = |seconds: u32| Call {
        program: program.to_owned(),
        agent: agent.to_owned(),
        form: plan.call,
        timeout: Some(plan.unit.count(seconds)),
    };
    plan.events.iter().map(|event| (event.name, call(event.seconds))).collect()
}

/// Our own path as text that is valid in settings.
pub(crate) fn program(path: &Path, form: HookCall) -> Result<&str, HooksError> {
    let text = path.to_str().filter(|it| is_writable(it, form));
    text.ok_or_else(|| HooksError::Program(path.to_owned()))
}

/// The files of one agent below one folder.
pub(crate) struct Desk<'a> {
    pub(crate) given: &'a HookSettings<'a>,
    pub(crate) adapter: &'static dyn Adapter,
    pub(crate) plan: &'static HookPlan,
    pub(crate) base: PathBuf,
}

/// A settings file, and what we know of it.
pub(crate) struct Sheet {
    pub(crate) file: &'static HookFile,
    pub(crate) path: PathBuf,
    pub(crate) text: Option<String>,
    pub(crate) calls: Vec<(String, Call)>,
    note: Option<Note>,
}

/// Selects the file for our calls: the one that has them, else one with hooks, else the first.
fn place(sheets: &[Sheet]) -> usize {
    let holds = |it: &Sheet| {
        let text = it.text.as_deref().unwrap_or_default();
        holds_hooks(text, it.file.syntax).unwrap_or_default()
    };
    let ours = sheets.iter().position(|it| !it.calls.is_empty());
    ours.or_else(|| sheets.iter().position(holds)).unwrap_or(0)
}

impl Desk<'_> {
    fn agent(&self) -> &'static str {
        self.adapter.descriptor().id
    }

    /// Reads one file.
    fn sheet(&self, file: &'static HookFile) -> Result<Sheet, HooksError> {
        let path = self.base.join(file.path);
        let text = files::read(&self.base, file.path)?.map(|(text, _)| text);
        let note = note::read(self.given.state, &path);
        let found =
            calls(text.as_deref().unwrap_or_default(), file.syntax, self.ours(note.as_ref())?);
        let calls = found.map_err(|error| HooksError::refused(&path, &error))?;
        Ok(Sheet { file, path, text, calls, note })
    }

    fn ours<'b>(&'b self, note: Option<&'b Note>) -> Result<Ours<'b>, HooksError> {
        let program = program(self.given.program, self.plan.call)?;
        let before = note.map(|it| it.program.as_str());
        Ok(Ours { agent: self.agent(), program, before })
    }

    fn sheets(&self) -> Result<Vec<Sheet>, HooksError> {
        self.plan.files.iter().map(|file| self.sheet(file)).collect()
    }

    /// The file that our calls are in or would go into.
    pub(crate) fn chosen(&self) -> Result<Option<Sheet>, HooksError> {
        let sheets = self.sheets()?;
        let at = place(&sheets);
        Ok(sheets.into_iter().nth(at))
    }

    /// Puts our calls into one file, and removes them from all others.
    fn install(&self) -> Result<Vec<HookChange>, HooksError> {
        let mut sheets = self.sheets()?;
        let at = place(&sheets);
        if at >= sheets.len() {
            return Ok(Vec::new());
        }
        let sheet = sheets.remove(at);
        let mut out: Vec<_> = self.put_into(sheet)?.into_iter().collect();
        out.extend(self.take_out_of(sheets)?);
        Ok(out)
    }

    fn put_into(&self, sheet: Sheet) -> Result<Option<HookChange>, HooksError> {
        let ours = self.ours(sheet.note.as_ref())?;
        let wanted = wanted(self.plan, self.agent(), ours.program);
        if is_complete(&sheet.calls, &wanted) {
            return Ok(None);
        }
        let base = self.without_ours(&sheet)?;
        let text = base.as_deref().unwrap_or_default();
        let (after, pieces, made) = installed(text, sheet.file.syntax, &wanted, ours)
            .map_err(|error| HooksError::refused(&sheet.path, &error))?;
        let known = sheet.note.as_ref().map_or(0, |it| it.made.folders);
        let folders = files::missing_folders(&self.base, sheet.file.path).max(known);
        let made = Made { file: base.is_none(), folders, ..made };
        let note = Note::new(&sheet.path, ours.program, (text, &after), (pieces, made));
        Ok(Some(self.change(sheet, Some(after), Some(note))))
    }

    fn take_out_of(&self, sheets: Vec<Sheet>) -> Result<Vec<HookChange>, HooksError> {
        let mut out = Vec::new();
        for sheet in sheets.into_iter().filter(|it| !it.calls.is_empty()) {
            let after = self.without_ours(&sheet)?;
            out.push(self.change(sheet, after, None));
        }
        Ok(out)
    }

    /// The file without our calls: the original if nobody changed it since, else the current text
    /// without them.
    fn without_ours(&self, sheet: &Sheet) -> Result<Option<String>, HooksError> {
        let Some(text) = sheet.text.as_deref().filter(|_| !sheet.calls.is_empty()) else {
            return Ok(sheet.text.clone());
        };
        let made = sheet.note.as_ref().map(|it| &it.made);
        let ours = self.ours(sheet.note.as_ref())?;
        let as_it_was = sheet.note.as_ref().and_then(|it| it.undone(text));
        let after = match as_it_was {
            Some(text) => text,
            None => stripped(text, sheet.file.syntax, ours, made)
                .map_err(|error| HooksError::refused(&sheet.path, &error))?,
        };
        let is_ours_alone = after.trim().is_empty() && made.is_some_and(|made| made.file);
        Ok((!is_ours_alone).then_some(after))
    }

    fn change(&self, sheet: Sheet, after: Option<String>, note: Option<Note>) -> HookChange {
        let it = self.adapter.descriptor();
        // The agent does not trust a changed file yet.
        let advice = if note.is_some() { self.advice(&[]) } else { Vec::new() };
        HookChange {
            agent: it.id,
            label: it.label,
            path: sheet.path,
            before: sheet.text,
            after,
            advice,
            base: self.base.clone(),
            below: sheet.file.path,
            folders: sheet.note.as_ref().map_or(0, |it| it.made.folders),
            note,
        }
    }

    /// What keeps hooks from running, or must be done before they run.
    pub(crate) fn advice(&self, calls: &[(String, Call)]) -> Vec<String> {
        let bans = ban::bans(self.plan.bans, &self.base, self.given.system);
        let trust = self.plan.trust.filter(|it| !is_trusted(it, &self.base, calls));
        bans.into_iter().chain(trust.map(|it| it.text.to_owned())).collect()
    }
}

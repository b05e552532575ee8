//! Starts an agent in a new tmux session, in a folder or in a git worktree of its own.

use crate::DaemonError;
use crate::refusals::StartError;
use crate::resume::{start_in_tmux, tmux_command};
use std::path::{Path, PathBuf};
use taffrail_api::{NewTmuxSession, NewWorktree, SCHEMA_VERSION, StartBody, StartReply};
use taffrail_query::start_command;
use taffrail_run::Worktree;

/// How many names are tried for a tmux session.
const NAMES: u32 = 20;
/// The longest part of a folder's name in the name of a tmux session.
const LONGEST: usize = 40;

/// An agent that is to be started.
#[derive(Debug)]
pub struct Start {
    /// What is run, in this order.
    pub plan: StartReply,
    worktree: Option<Worktree>,
}

impl Start {
    /// Plans how an agent is started; runs nothing.
    ///
    /// # Errors
    /// When the folder, the agent, the prompt or the worktree cannot be used.
    pub fn plan(body: &StartBody) -> Result<Self, DaemonError> {
        let folder = folder(&body.folder)?;
        let worktree = body.worktree.as_deref().map(|it| Worktree::plan(&folder, it));
        let worktree = worktree.transpose().map_err(StartError::from)?;
        let cwd = worktree.as_ref().map_or(folder.as_path(), |it| &it.folder);
        let command =
            start_command(&body.agent, body.prompt.as_deref())?.ok_or_else(|| {
                match body.prompt.as_deref().is_some_and(|it| it.starts_with('-')) {
                    true => StartError::Option,
                    false => StartError::NoPrompt,
                }
            })?;
        let name = session_name(&body.agent, cwd);
        let tmux = NewTmuxSession { command: tmux_command(&name, &command), name, executor: None };
        let new_tree =
            |it: &Worktree| NewWorktree { branch: it.branch.clone(), command: it.command.clone() };
        let plan = StartReply {
            schema_version: SCHEMA_VERSION,
            command,
            cwd: cwd.to_string_lossy().into_owned(),
            worktree: worktree.as_ref().map(new_tree),
            tmux: Some(tmux),
            started: false,
        };
        Ok(Self { plan, worktree })
    }

    /// Makes the worktree, if one was asked for.
    ///
    /// # Errors
    /// When git refuses.
    pub fn make_worktree(&self) -> Result<(), DaemonError> {
        let made = self.worktree.as_ref().map_or(Ok(()), Worktree::make);
        Ok(made.map_err(StartError::from)?)
    }

    /// Makes the worktree and starts the agent in tmux. A name that is taken gets a number.
    ///
    /// # Errors
    /// When git or tmux refuses.
    pub fn in_tmux(mut self) -> Result<StartReply, DaemonError> {
        self.make_worktree()?;
        let plan = &mut self.plan;
        let Some(session) = plan.tmux.take() else { return Ok(self.plan) };
        let mut why = String::new();
        for number in 1..=NAMES {
            let name = match number {
                1 => session.name.clone(),
                _ => format!("{}-{number}", session.name),
            };
            match start_in_tmux(&name, Path::new(&plan.cwd), &plan.command) {
                Ok(pane) => {
                    let command = tmux_command(&name, &plan.command);
                    let executor = Some(pane.executor);
                    plan.tmux = Some(NewTmuxSession { name, command, executor });
                    plan.started = true;
                    return Ok(self.plan);
                }
                Err(said) => why = said,
            }
            if !why.contains("duplicate session") {
                break;
            }
        }
        Err(StartError::Tmux(why).into())
    }
}

fn folder(named: &str) -> Result<PathBuf, StartError> {
    let path = Path::new(named);
    let found = path.canonicalize().ok().filter(|it| path.is_absolute() && it.is_dir());
    found.ok_or_else(|| StartError::NoFolder(named.to_owned()))
}

/// A name that tmux takes as it is: it reads `.` and `:` as places.
fn session_name(agent: &str, folder: &Path) -> String {
    let last = folder.file_name().map(|it| it.to_string_lossy()).unwrap_or_default();
    let plain = |it: char| if it.is_ascii_alphanumeric() || it == '_' { it } else { '-' };
    let agent: String = agent.chars().map(plain).collect();
    let last: String = last.chars().map(plain).take(LONGEST).collect();
    format!("taffrail-{agent}-{last}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tmux_reads_no_place_in_a_name() {
        let check = |agent: &str, folder: &str, expected: &str| {
            assert_eq!(session_name(agent, Path::new(folder)), expected);
        };
        check("claude", "/src/api", "taffrail-claude-api");
        check("codex", "/src/my.site:2 #(x)", "taffrail-codex-my-site-2---x-");
        check("codex", "/", "taffrail-codex-");
    }

    #[test]
    fn what_cannot_be_started_is_refused_before_anything_runs() {
        let refused = |agent: &str, prompt: Option<&str>, folder: &str| {
            let body = StartBody {
                agent: agent.to_owned(),
                prompt: prompt.map(str::to_owned),
                folder: folder.to_owned(),
                worktree: None,
                dry_run: true,
            };
            Start::plan(&body).err().map(|it| it.to_string())
        };
        assert_eq!(refused("claude", Some("fix it"), "/"), None);
        let option = "a prompt that starts with `-` would be an option";
        assert_eq!(refused("claude", Some("--yolo"), "/").as_deref(), Some(option));
        let none = "/no/such/folder is not a folder";
        assert_eq!(refused("claude", None, "/no/such/folder").as_deref(), Some(none));
        assert_eq!(refused("claude", None, ".").as_deref(), Some(". is not a folder"));
        assert!(refused("no-such-agent", None, "/").is_some());
    }
}

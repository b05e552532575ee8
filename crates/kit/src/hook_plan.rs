//! How our hook is installed in an agent's settings.

use crate::HomeRule;

/// How our hook is installed. The agent's settings keep hooks by event, in groups of commands.
#[derive(Debug)]
pub struct HookPlan {
    /// The folder that the files are below.
    pub base: HookBase,
    /// The files that may hold hooks. Ours go into the first that holds any, else into the first.
    pub files: &'static [HookFile],
    /// When the agent calls.
    pub events: &'static [HookEvent],
    /// The unit of timeouts in these files.
    pub unit: TimeoutUnit,
    /// How the settings name the command.
    pub call: HookCall,
    /// The trust that the user must grant before hooks run.
    pub trust: Option<&'static HookTrust>,
    /// The settings that keep hooks from running.
    pub bans: &'static [HookBan],
    /// The same hooks as a plugin of the agent.
    pub plugin: Option<&'static HookPlugin>,
}

/// The folder that the files of hooks are below.
#[derive(Debug, Clone, Copy)]
pub enum HookBase {
    /// Each home of the agent.
    AgentHome,
    /// One folder, wherever the agent's homes are: by the first rule that applies.
    Folder(&'static [HomeRule]),
}

/// The unit in which an agent's settings count a timeout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TimeoutUnit {
    /// Seconds.
    Seconds,
    /// Milliseconds.
    Milliseconds,
}

impl TimeoutUnit {
    /// A number of seconds in this unit.
    #[must_use]
    pub fn count(self, seconds: u32) -> u64 {
        match self {
            Self::Seconds => seconds.into(),
            Self::Milliseconds => u64::from(seconds) * 1000,
        }
    }
}

/// The trust an agent asks for before it runs hooks, and where it records that trust.
#[derive(Debug)]
pub struct HookTrust {
    /// What to do.
    pub text: &'static str,
    /// The file of TOML below the home that has the notes.
    pub file: &'static str,
    /// The keys of these notes; each holds the SHA-256 of a hook under `trusted_hash`.
    pub notes: &'static [&'static str],
    /// The hashed text, from the event, the command and its timeout in seconds.
    pub identity: fn(&str, &str, u64) -> String,
}

/// A file that may hold hooks.
#[derive(Debug)]
pub struct HookFile {
    /// Its path below the base.
    pub path: &'static str,
    /// The syntax.
    pub syntax: Syntax,
}

/// The syntax of a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    /// JSON, with or without comments.
    Json,
    /// TOML.
    Toml,
}

/// A point in a session at which the agent calls the hook.
#[derive(Debug)]
pub struct HookEvent {
    /// The agent's name for it.
    pub name: &'static str,
    /// How long the agent waits at most.
    pub seconds: u32,
}

/// How an agent's settings name the hook's command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HookCall {
    /// A program and its arguments, without a shell.
    Arguments,
    /// One line for a shell.
    ShellLine,
}

/// A setting under which hooks do not run.
#[derive(Debug)]
pub struct HookBan {
    /// The file: absolute, or below the home.
    pub file: &'static str,
    /// The syntax.
    pub syntax: Syntax,
    /// The keys that lead to the setting.
    pub keys: &'static [&'static str],
    /// The value that disables hooks.
    pub forbids: bool,
    /// The fact, for people.
    pub text: &'static str,
}

/// An agent's part of our plugin folder, which all agents share.
#[derive(Debug)]
pub struct HookPlugin {
    /// The files that make the folder a plugin, by their paths in it. `{version}` and `{program}`
    /// stand for ours.
    pub files: &'static [(&'static str, &'static str)],
    /// The file of its hooks.
    pub hooks: &'static str,
    /// The folder of its skills.
    pub skills: &'static str,
    /// How to install the plugin in the agent; `{folder}` stands for the folder.
    pub advice: &'static str,
}

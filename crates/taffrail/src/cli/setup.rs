//! `taffrail setup`

mod completions;
mod hooks;
mod notifications;

use super::{Context, TEMPLATE, confirmation, service};
use crate::error::CliError;
use crate::output::{Out, say};
use serde_json::{Value, json};
use std::fs;
use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use taffrail_env::Env;
use taffrail_hooks::unified;
use taffrail_setup::{Note, Undone, all};
use taffrail_tui::terminal::{clean, line};

/// Set up hooks, service, notifications and completions
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail setup
      show each change as a diff and ask first
  taffrail setup --dry-run    show every change and make none
  taffrail setup --yes        make every change without asking
", after_help = "\
You can run it again: it skips finished steps. `taffrail uninstall` undoes all of it.
")]
pub(super) struct Args {
    /// Make every change without asking
    #[arg(long, short)]
    yes: bool,
    /// Show every change and make none
    #[arg(long)]
    dry_run: bool,
}

/// Who decides whether a change is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answers {
    /// The person at the terminal.
    Asked,
    /// All of them are made.
    Yes,
    /// None of them is made.
    DryRun,
}

impl Args {
    fn answers(&self) -> Result<Answers, CliError> {
        match (self.dry_run, self.yes) {
            (true, _) => Ok(Answers::DryRun),
            (false, true) => Ok(Answers::Yes),
            (false, false) if io::stdin().is_terminal() && io::stderr().is_terminal() => {
                Ok(Answers::Asked)
            }
            (false, false) => Err(CliError::usage(
                "setup asks before every change, and there is no terminal to ask at",
                "`taffrail setup --dry-run` shows every change, `taffrail setup --yes` makes them",
            )),
        }
    }
}

/// Who decides, and whether stdout is for the person or for a program.
#[derive(Debug, Clone, Copy)]
pub(super) struct Walk {
    answers: Answers,
    json: bool,
}

impl Walk {
    /// Whether to make a change that was shown.
    pub(super) fn agree(self, question: &str) -> Result<bool, CliError> {
        match self.answers {
            Answers::Yes => Ok(true),
            Answers::DryRun => {
                self.tell("  not done: this is a dry run")?;
                Ok(false)
            }
            Answers::Asked => Ok(is_agreed(question)),
        }
    }

    /// One line for the person, a part of the walk.
    pub(super) fn tell(self, text: &str) -> Result<(), CliError> {
        if self.json {
            say(text);
            return Ok(());
        }
        Out::print(text)
    }

    /// Shows a change of a file.
    pub(super) fn show(
        self,
        path: &Path,
        before: Option<&str>,
        after: Option<&str>,
    ) -> Result<(), CliError> {
        let diff = unified(path, before, after);
        diff.lines().try_for_each(|text| self.tell(&format!("  {}", clean(text))))
    }

    /// What keeps one change from being made keeps none of the others.
    pub(super) fn trouble(self, what: &str, error: &CliError) -> Result<Ended, CliError> {
        self.tell(&format!("  {what}left alone: {}", line(&error.message)))?;
        if let Some(hint) = &error.hint {
            self.tell(&format!("    {}", line(hint)))?;
        }
        Ok(Ended::Left)
    }
}

/// How a step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ended {
    /// It was so before.
    Already,
    /// It is so now.
    Done,
    /// It is not so.
    Left,
}

impl Ended {
    fn word(self) -> &'static str {
        match self {
            Self::Already => "already",
            Self::Done => "done",
            Self::Left => "not_done",
        }
    }
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let walk = Walk { answers: args.answers()?, json: context.json };
    walk.tell("1/4 hooks: agents report at once when they wait for you")?;
    let hooks = hooks::step(context, walk)?;
    walk.tell("2/4 service: the daemon starts when you log in")?;
    let service = service::step(context, walk)?;
    walk.tell("3/4 notifications: the daemon notifies you when a session waits for you")?;
    let notifications = notifications::step(context, walk)?;
    walk.tell("4/4 completions: commands and session ids complete in your shell")?;
    let completions = completions::step(context, walk)?;
    let steps = [
        ("hooks", hooks),
        ("service", service),
        ("notifications", notifications),
        ("completions", completions),
    ];
    if context.json { Out::new().json(&document(steps)) } else { next(context, walk, service) }
}

fn document(steps: [(&str, Ended); 4]) -> Value {
    let row = |(name, ended): (&str, Ended)| json!({"step": name, "state": ended.word()});
    json!({"schema_version": 1, "steps": steps.map(row)})
}

/// What to do now.
fn next(context: &Context, walk: Walk, service: Ended) -> Result<(), CliError> {
    walk.tell("")?;
    if walk.answers == Answers::DryRun {
        return walk
            .tell("Nothing was changed. `taffrail setup` makes these changes, one at a time.");
    }
    walk.tell("Next:")?;
    if context.client.is_none() {
        let start = match service {
            Ended::Already | Ended::Done => service::start_command(&context.env)?,
            Ended::Left => "taffrail daemon start".to_owned(),
        };
        walk.tell(&format!("  {start}"))?;
    }
    walk.tell("  taffrail            every session on one board; ? shows the keys")?;
    walk.tell("  taffrail doctor     problems, and how to fix them")?;
    walk.tell("  taffrail uninstall  undoes all of this")
}

/// Where the notes of what was changed are kept.
pub(super) fn notes(env: &Env) -> PathBuf {
    env.state_folder().join("setup")
}

/// Takes back what was put into files beside hooks; for `taffrail uninstall`.
pub(super) fn take_back(context: &Context) -> Result<(), CliError> {
    let folder = notes(&context.env);
    for (file, note) in all(&folder)? {
        take_one_back(&note)?;
        fs::remove_file(file)?;
    }
    // A folder that contains anything else stays.
    fs::remove_dir(&folder).ok();
    Ok(())
}

fn take_one_back(note: &Note) -> Result<(), CliError> {
    let path = line(&note.path.to_string_lossy());
    say(&match note.undo()? {
        Undone::Removed => format!("removed: {path}"),
        Undone::Restored => format!("written: {path}"),
        Undone::Changed => format!("left alone: {path} was changed since"),
        Undone::Nothing => format!("nothing left to take out of {path}"),
    });
    Ok(())
}

fn is_agreed(question: &str) -> bool {
    confirmation::asked(&format!("  {question}"))
}

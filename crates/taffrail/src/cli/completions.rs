//! `taffrail completions`, and what shells ask while someone types

use super::TEMPLATE;
use crate::error::CliError;
use crate::output::Out;
use crate::rim::{self, Rim};
use crate::terminal::{fit, line};
use clap_complete::env::Shells;
use clap_complete::{ArgValueCandidates, ArgValueCompleter, CompletionCandidate, Shell};
use std::collections::HashMap;
use std::ffi::OsStr;
use taffrail_api::Session;

/// The variable by which a shell asks; the scripts set it.
const VARIABLE: &str = "COMPLETE";
/// Sessions offered at a time.
const OFFERED: usize = 50;
/// The digits of an id that are offered.
const DIGITS: usize = 8;
/// The columns of a title beside an id.
const TITLE: usize = 60;

/// Print a script that completes commands and session ids in a shell
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  source <(taffrail completions bash)              in ~/.bashrc
  source <(taffrail completions zsh)               in ~/.zshrc, after compinit
  taffrail completions fish | source               in ~/.config/fish/config.fish
  eval (taffrail completions elvish | slurp)       in ~/.config/elvish/rc.elv
  taffrail completions powershell | Out-String | Invoke-Expression
")]
pub(super) struct Args {
    /// Which shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub(super) fn run(args: &Args) -> Result<(), CliError> {
    let name = args.shell.to_string();
    let mut script = Vec::new();
    if let Some(shell) = Shells::builtins().completer(&name) {
        shell.write_registration(VARIABLE, "taffrail", "taffrail", &rim::program(), &mut script)?;
    }
    let mut out = Out::new();
    out.line(String::from_utf8_lossy(&script).trim())?;
    out.end()
}

/// Completes an argument that names a session.
pub(super) fn session_ids() -> ArgValueCompleter {
    ArgValueCompleter::new(sessions)
}

/// Completes an argument that names an agent.
pub(super) fn agent_ids() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let names = taffrail_daemon::agent_names().into_iter();
        names.map(|(id, label)| CompletionCandidate::new(id).help(Some(label.into()))).collect()
    })
}

fn sessions(typed: &OsStr) -> Vec<CompletionCandidate> {
    let Some(typed) = typed.to_str() else { return Vec::new() };
    let words = [("@last", "the latest session"), (".", "the latest session of this folder")];
    let words = words.into_iter().filter(|(word, _)| word.starts_with(typed));
    let words = words.map(|(word, help)| CompletionCandidate::new(word).help(Some(help.into())));
    words.chain(ids(typed)).collect()
}

/// Ids that begin so. Without an index, or with one that cannot be read, there are none to offer.
fn ids(typed: &str) -> Vec<CompletionCandidate> {
    let is_id = typed.chars().all(|it| it.is_ascii_hexdigit() || it == '-');
    let Some(rim) = Rim::read().ok().filter(|_| is_id) else { return Vec::new() };
    let found = taffrail_daemon::recent(&rim.data_folder(), typed, OFFERED).unwrap_or_default();
    let shorts: Vec<_> = found.iter().map(|session| short(session, typed)).collect();
    let mut times: HashMap<&str, u32> = HashMap::new();
    for short in &shorts {
        *times.entry(short).or_default() += 1;
    }
    let is_one = |short: &str| times.get(short) == Some(&1);
    let named = found.iter().zip(&shorts);
    named.map(|(session, short)| candidate(session, is_one(short).then_some(short))).collect()
}

/// As much of an id as is offered, in the case it was typed in.
fn short(session: &Session, typed: &str) -> String {
    let id = session.id.to_string();
    let wanted = if typed.len() > DIGITS { id.len() } else { DIGITS };
    let rest: String = id.chars().take(wanted).skip(typed.len()).collect();
    format!("{typed}{rest}")
}

fn candidate(session: &Session, short: Option<&String>) -> CompletionCandidate {
    let id = short.cloned().unwrap_or_else(|| session.id.to_string());
    let title = session.title.as_deref().map(|title| fit(&line(title), TITLE));
    let title = title.filter(|title| !title.is_empty());
    CompletionCandidate::new(id).help(title.map(Into::into))
}

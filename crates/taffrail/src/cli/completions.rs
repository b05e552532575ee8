//! `taffrail completions`, and the completions that shells request while someone types

use super::TEMPLATE;
use crate::error::CliError;
use crate::output::Out;
use clap_complete::env::Shells;
use clap_complete::{ArgValueCandidates, ArgValueCompleter, CompletionCandidate, Shell};
use serde_json::json;
use std::collections::HashMap;
use std::ffi::OsStr;
use taffrail_api::Session;
use taffrail_env::{self as env, Env};
use taffrail_tui::terminal::{fit, line};

/// The variable by which a shell asks; the scripts set it.
const VARIABLE: &str = "COMPLETE";
/// Sessions offered at a time.
const OFFERED: usize = 50;
/// The digits of an id that are offered.
const DIGITS: usize = 8;
/// The columns of a title beside an id.
const TITLE: usize = 60;

/// Print a shell script that completes commands and session ids
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
    /// Name of the shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

pub(super) fn run(args: &Args, json: bool) -> Result<(), CliError> {
    let (mut out, shell) = (Out::new(), args.shell.to_string());
    let script = script(&shell)?;
    if json {
        let document = json!({"schema_version": 1, "shell": shell, "script": script.trim()});
        return out.json(&document);
    }
    out.line(script.trim())?;
    out.end()
}

/// What a shell of this name reads to complete our commands.
pub(super) fn script(name: &str) -> Result<String, CliError> {
    let mut script = Vec::new();
    if let Some(shell) = Shells::builtins().completer(name) {
        shell.write_registration(VARIABLE, "taffrail", "taffrail", &env::program(), &mut script)?;
    }
    Ok(String::from_utf8_lossy(&script).into_owned())
}

/// Completes an argument that names a session.
pub(super) fn session_ids() -> ArgValueCompleter {
    ArgValueCompleter::new(sessions)
}

/// Completes an argument that names an agent.
pub(super) fn agent_ids() -> ArgValueCandidates {
    ArgValueCandidates::new(|| {
        let names = taffrail_query::agent_names().into_iter();
        names.map(|(id, label)| CompletionCandidate::new(id).help(Some(label.into()))).collect()
    })
}

fn sessions(typed: &OsStr) -> Vec<CompletionCandidate> {
    let Some(typed) = typed.to_str() else { return Vec::new() };
    let words = [
        ("@last", "the latest session"),
        ("@waiting", "the session that needs you"),
        (".", "the latest session of this folder"),
    ];
    let words = words.into_iter().filter(|(word, _)| word.starts_with(typed));
    let words = words.map(|(word, help)| CompletionCandidate::new(word).help(Some(help.into())));
    words.chain(ids(typed)).collect()
}

/// Ids that begin so. Without an index, or with one that cannot be read, there are none to offer.
fn ids(typed: &str) -> Vec<CompletionCandidate> {
    let is_id = typed.chars().all(|it| it.is_ascii_hexdigit() || it == '-');
    let Some(env) = Env::read().ok().filter(|_| is_id) else { return Vec::new() };
    let found = taffrail_query::recent(&env.data_folder(), typed, OFFERED).unwrap_or_default();
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

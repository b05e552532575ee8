//! `taffrail config`

use super::TEMPLATE;
use super::confirmation::{agreed, not_agreed};
use crate::error::CliError;
use crate::output::{Out, say};
use clap::Subcommand;
use serde_json::{Value, json};
use std::path::Path;
use taffrail_api::SCHEMA_VERSION;
use taffrail_config::{Config, unknown_key, with_value, without_value};
use taffrail_env::Env;
use taffrail_setup::replace;
use taffrail_tui::terminal::line;

/// Show or change the configuration
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail config                                       the settings in force
  taffrail config path                                  the file's path
  taffrail config set exclude '[\"/home/me/private\"]'
      never read these projects
  taffrail config set agents.codex.homes '[\"~/old/.codex\"]'
")]
pub(super) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print the path of the configuration file
    Path,
    /// Print one value
    Get {
        /// Key, such as `exclude` or `agents.codex.homes`
        key: String,
    },
    /// Set one value and leave the rest of the file unchanged
    Set {
        /// Key, such as `exclude` or `agents.codex.homes`
        key: String,
        /// TOML value
        value: String,
    },
}

pub(super) fn run(args: Args, env: &Env, json: bool) -> Result<(), CliError> {
    let path = env.config_path();
    match args.action {
        None => print(&Config::read(&path)?, json),
        Some(Action::Path) => {
            let text = path.display().to_string();
            print_one(&text, json!({"path": text}), json)
        }
        Some(Action::Get { key }) => {
            let value = value_of(&Config::read(&path)?, &key)?;
            print_one(&value.to_string(), json!({"key": key, "value": value}), json)
        }
        Some(Action::Set { key, value }) => set(&path, (&key, &value), json),
    }
}

fn print(config: &Config, json: bool) -> Result<(), CliError> {
    let mut out = Out::new();
    if json {
        return out.json(&json!({"schema_version": 1, "config": config}));
    }
    out.line(&text_of(config)?)?;
    out.end()
}

/// Prints a text, or with `--json` a document.
fn print_one(text: &str, mut document: Value, json: bool) -> Result<(), CliError> {
    let mut out = Out::new();
    if let Some(fields) = document.as_object_mut().filter(|_| json) {
        fields.insert("schema_version".to_owned(), json!(SCHEMA_VERSION));
        return out.json(fields);
    }
    out.line(text)?;
    out.end()
}

fn text_of(config: &Config) -> Result<String, CliError> {
    Ok(toml::to_string(config).map_err(anyhow::Error::from)?.trim_end().to_owned())
}

fn value_of(config: &Config, key: &str) -> Result<Value, CliError> {
    let all = serde_json::to_value(config).map_err(anyhow::Error::from)?;
    let value = key.split('.').try_fold(&all, |value, part| value.get(part));
    let unset = || {
        CliError::not_found(
            format!("`{key}` is not set"),
            format!("taffrail config set {key} VALUE"),
        )
    };
    let missing = || {
        let error = unknown_key(key).map_or_else(unset, CliError::from);
        CliError { kind: taffrail_api::ErrorKind::NotFound, ..error }
    };
    value.cloned().ok_or_else(missing)
}

/// Sets one value.
pub(super) fn write(path: &Path, key: &str, value: &str) -> Result<(), CliError> {
    Ok(replace(path, &with_value(&text_at(path)?, key, value)?)?)
}

/// Takes a value, or a table of them, out.
pub(super) fn unset(path: &Path, key: &str) -> Result<(), CliError> {
    Ok(replace(path, &without_value(&text_at(path)?, key)?)?)
}

fn text_at(path: &Path) -> Result<String, CliError> {
    match std::fs::read_to_string(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        read => Ok(read.unwrap_or_default()),
    }
}

/// What lets somebody else decide, or runs a program: a person says so at the terminal.
const WIDENING: &[&str] = &[
    "control.scripts",
    "summary.command",
    "notifications.command",
    "notifications.webhook",
    "notifications.ntfy",
    "notifications.telegram_chat",
    "web.public_url",
    "approvals.unattended",
    "queue.at_reset",
    "sync.remote",
    "hub.url",
];

fn set(path: &Path, (key, value): (&str, &str), json: bool) -> Result<(), CliError> {
    // An invalid key or value needs no question.
    with_value(&text_at(path)?, key, value)?;
    if WIDENING.contains(&key) && !agreed(&format!("Set {key} to {}?", line(value))) {
        return Err(not_agreed());
    }
    write(path, key, value)?;
    if json {
        let value = value_of(&Config::read(path)?, key)?;
        return print_one("", json!({"key": key, "value": value}), true);
    }
    say(match key.split('.').next() {
        Some("exclude" | "agents") => {
            "Saved. Apply it to what is indexed already: taffrail rebuild --yes"
        }
        _ => "Saved. Restart the daemon to apply: taffrail daemon restart",
    });
    Ok(())
}

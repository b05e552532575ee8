//! `taffrail config`

use super::TEMPLATE;
use crate::config::{Config, with_value, without_value};
use crate::error::CliError;
use crate::output::{Out, say};
use crate::rim::Rim;
use anyhow::Context;
use clap::Subcommand;
use std::fs::{DirBuilder, OpenOptions};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// Show or change the configuration
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail config                                       what is in force
  taffrail config path                                  where the file is
  taffrail config set exclude '[\"/home/me/private\"]'    projects that are not read
  taffrail config set agents.codex.homes '[\"~/old/.codex\"]'
")]
pub(super) struct Args {
    #[command(subcommand)]
    action: Option<Action>,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Print where the file is
    Path,
    /// Print one value
    Get {
        /// Such as `exclude` or `agents.codex.homes`
        key: String,
    },
    /// Set one value; the rest of the file is left as it is
    Set {
        /// Such as `exclude` or `agents.codex.homes`
        key: String,
        /// A TOML value
        value: String,
    },
}

pub(super) fn run(args: Args, rim: &Rim) -> Result<(), CliError> {
    let path = rim.config_path();
    let mut out = Out::new();
    match args.action {
        None => {
            let config = Config::read(&path)?;
            if args.json {
                return out.json(&serde_json::json!({"schema_version": 1, "config": config}));
            }
            out.line(&text_of(&config)?)?;
        }
        Some(Action::Path) => {
            out.line(&path.display().to_string())?;
        }
        Some(Action::Get { key }) => {
            out.line(&value_of(&Config::read(&path)?, &key)?)?;
        }
        Some(Action::Set { key, value }) => set(&path, &key, &value)?,
    }
    out.end()
}

fn text_of(config: &Config) -> Result<String, CliError> {
    Ok(toml::to_string(config).map_err(anyhow::Error::from)?.trim_end().to_owned())
}

fn value_of(config: &Config, key: &str) -> Result<String, CliError> {
    let all = serde_json::to_value(config).map_err(anyhow::Error::from)?;
    let value = key.split('.').try_fold(&all, |value, part| value.get(part));
    let hint = crate::config::KEYS;
    value.map(ToString::to_string).ok_or_else(|| CliError {
        kind: taffrail_api::ErrorKind::NotFound,
        message: format!("`{key}` is not set"),
        hint: Some(hint.to_owned()),
    })
}

/// Sets one value.
pub(super) fn write(path: &Path, key: &str, value: &str) -> Result<(), CliError> {
    replace(path, &with_value(&text_at(path)?, key, value)?)
}

/// Takes a value, or a table of them, out.
pub(super) fn unset(path: &Path, key: &str) -> Result<(), CliError> {
    replace(path, &without_value(&text_at(path)?, key)?)
}

fn text_at(path: &Path) -> Result<String, CliError> {
    match std::fs::read_to_string(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error.into()),
        read => Ok(read.unwrap_or_default()),
    }
}

/// Writes the file whole beside itself and renames it.
fn replace(path: &Path, text: &str) -> Result<(), CliError> {
    let folder = path.parent().context("a file is in a folder")?;
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let beside = path.with_extension("toml.new");
    let mut options = OpenOptions::new();
    let mut file = options.create(true).truncate(true).write(true).mode(0o600).open(&beside)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    Ok(std::fs::rename(&beside, path)?)
}

fn set(path: &Path, key: &str, value: &str) -> Result<(), CliError> {
    write(path, key, value)?;
    let then = match key.split('.').next() {
        Some("otel" | "hub" | "sync") => "it counts from the next start of the daemon on",
        Some("archive" | "retention") => "it counts from the next run on",
        Some("summary" | "notifications") => "it counts from the daemon's next start on",
        _ => "`taffrail rebuild --yes` applies it to what is indexed",
    };
    say(&format!("wrote {}; {then}", path.display()));
    Ok(())
}

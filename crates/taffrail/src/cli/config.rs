//! `taffrail config`

use super::TEMPLATE;
use crate::config::{Config, with_value};
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

/// Writes the file whole beside itself and renames it.
fn set(path: &Path, key: &str, value: &str) -> Result<(), CliError> {
    let before = match std::fs::read_to_string(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
        read => read.unwrap_or_default(),
    };
    let after = with_value(&before, key, value)?;
    let folder = path.parent().context("a file is in a folder")?;
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let beside = path.with_extension("toml.new");
    let mut options = OpenOptions::new();
    let mut file = options.create(true).truncate(true).write(true).mode(0o600).open(&beside)?;
    file.write_all(after.as_bytes())?;
    file.sync_all()?;
    std::fs::rename(&beside, path)?;
    let then = match key.split('.').next() {
        Some("otel") => "it counts from the next start of the daemon on",
        Some("archive" | "retention") => "it counts from the next run on",
        Some("summary") => "it counts from the daemon's next start on",
        _ => "`taffrail rebuild --yes` applies it to what is indexed",
    };
    say(&format!("wrote {}; {then}", path.display()));
    Ok(())
}

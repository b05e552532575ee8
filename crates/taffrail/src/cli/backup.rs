//! `taffrail backup` and `taffrail restore`

use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::{Out, say};
use clap::ValueHint;
use serde_json::json;
use std::path::PathBuf;
use taffrail_api::{Done, FileBody, SCHEMA_VERSION};

/// Write the ledger to one file
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail backup ~/taffrail-backup.db
")]
pub(super) struct BackupArgs {
    /// File to write; it must not exist
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: PathBuf,
}

/// Replace the ledger with one from a backup
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail restore ~/taffrail-backup.db --yes
")]
pub(super) struct RestoreArgs {
    /// Backup to restore
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: PathBuf,
    /// Replace the ledger
    #[arg(long, short)]
    yes: bool,
}

pub(super) fn backup(args: &BackupArgs, context: &Context) -> Result<(), CliError> {
    taffrail_ingest::backup(&context.settings, &args.file)?;
    if context.json {
        return Out::new().json(&json!({"schema_version": SCHEMA_VERSION, "file": args.file}));
    }
    say(&format!("written: {}", args.file.display()));
    Ok(())
}

pub(super) fn restore(args: &RestoreArgs, context: &Context) -> Result<(), CliError> {
    if !args.yes {
        return Err(CliError::refused(
            "restoring replaces the current ledger",
            "add --yes; `taffrail backup FILE` saves the current ledger first",
        ));
    }
    match &context.client {
        Some(client) => {
            let file = context.env.here.join(&args.file).to_string_lossy().into_owned();
            client
                .with_timeout(None)
                .post::<Done>("/api/restore", &FileBody { file, yes: true })?;
        }
        None => taffrail_ingest::restore(&context.settings, &args.file)?,
    }
    if context.json {
        return Out::new().json(&json!({"schema_version": SCHEMA_VERSION, "restored": args.file}));
    }
    say("restored; forgotten sessions stay forgotten");
    Ok(())
}

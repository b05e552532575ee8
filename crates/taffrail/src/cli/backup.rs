//! `taffrail backup` and `taffrail restore`

use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::say;
use clap::ValueHint;
use std::path::PathBuf;
use taffrail_api::{Done, ErrorKind, FileBody};

/// Write what only Taffrail knows, the ledger, into one file
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail backup ~/taffrail-backup.db
")]
pub(super) struct BackupArgs {
    /// The file to write; it must not exist
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: PathBuf,
}

/// Put a ledger from a backup in the place of the one there is
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail restore ~/taffrail-backup.db --yes
")]
pub(super) struct RestoreArgs {
    /// The backup
    #[arg(value_name = "FILE", value_hint = ValueHint::FilePath)]
    file: PathBuf,
    /// Do it
    #[arg(long, short)]
    yes: bool,
}

pub(super) fn backup(args: &BackupArgs, context: &Context) -> Result<(), CliError> {
    taffrail_daemon::backup(&context.settings, &args.file)?;
    say(&format!("written: {}", args.file.display()));
    Ok(())
}

pub(super) fn restore(args: &RestoreArgs, context: &Context) -> Result<(), CliError> {
    if !args.yes {
        return Err(CliError {
            kind: ErrorKind::Refused,
            message: "restoring replaces the ledger there is".to_owned(),
            hint: Some("add --yes; `taffrail backup FILE` keeps the present one first".to_owned()),
        });
    }
    match &context.client {
        Some(client) => {
            let file = context.rim.here.join(&args.file).to_string_lossy().into_owned();
            client
                .with_patience(None)
                .post::<Done>("/api/restore", &FileBody { file, yes: true })?;
        }
        None => taffrail_daemon::restore(&context.settings, &args.file)?,
    }
    say("restored; what was forgotten before or since stays forgotten");
    Ok(())
}

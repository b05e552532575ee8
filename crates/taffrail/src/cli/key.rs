//! `taffrail key`

use super::device::changed;
use super::{Context, TEMPLATE, recover};
use crate::error::CliError;
use crate::output::{Out, say};
use anyhow::Context as _;
use clap::ValueHint;
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use taffrail_devices::exchange::keep_change;
use taffrail_env as env;
use taffrail_team::Recovered;
use zeroize::Zeroizing;

/// The longest passphrase that is read, in bytes.
const LONGEST: u64 = 4096;

/// Rotate the team's keys or set up recovery
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail key rotate
      create new keys for everything sealed from now on
  taffrail key recovery --print
      print a recovery key once: write it down
  taffrail key recovery --passphrase-file secret.txt --out recovery.age
  taffrail key recover nats://hub:4222 --key recovery.txt
      after losing all devices: restore their sessions here
")]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Create new team keys for everything sealed from now on
    Rotate,
    Recovery(RecoveryArgs),
    Recover(recover::Args),
}

/// Create a recovery key; with it and the hub you can restore sessions after losing all devices
#[derive(Debug, clap::Args)]
struct RecoveryArgs {
    /// Print the key once; anyone who has it can read your sessions
    #[arg(long, conflicts_with = "passphrase_file", required_unless_present = "passphrase_file")]
    print: bool,
    /// Encrypt the key with the passphrase in this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "out")]
    passphrase_file: Option<PathBuf>,
    /// File to write the encrypted key to; it must not exist
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "print")]
    out: Option<PathBuf>,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    match &args.what {
        What::Rotate => {
            let change = taffrail_team::rotate(&context.settings)?;
            changed(context, &change, "a new epoch begins")
        }
        What::Recovery(recovery) => name_recovery(recovery, context),
        What::Recover(wish) => recover::run(wish, context),
    }
}

fn name_recovery(args: &RecoveryArgs, context: &Context) -> Result<(), CliError> {
    let out = args.out.as_ref().map(|it| context.env.here.join(it));
    out.as_deref().map_or(Ok(()), check_free)?;
    let words = args.passphrase_file.as_ref().map(|it| passphrase(&context.env.here.join(it)));
    let named = taffrail_team::recovery(&context.settings, &env::drawn()?, words.transpose()?)?;
    // The key is written before the team learns of it: nothing may be sealed to a key that nobody
    // has.
    match &out {
        Some(path) => write(path, &named.key)?,
        None if context.json => document(&named)?,
        None => print(&named)?,
    }
    let done = format!("what is sealed for {} opens with {}", named.user, named.recipient);
    match (context.json, &out) {
        // The key is the output.
        (true, None) => {
            keep_change(&context.settings, &named.change).map(|_| ()).map_err(Into::into)
        }
        _ => changed(context, &named.change, &done),
    }
}

fn document(named: &Recovered) -> Result<(), CliError> {
    let key = String::from_utf8_lossy(&named.key);
    let (user, recipient) = (&named.user, &named.recipient);
    Out::new().json(&json!({"schema_version": 1, "user": user, "recipient": recipient, "key": key}))
}

fn print(named: &Recovered) -> Result<(), CliError> {
    Out::print(&String::from_utf8_lossy(&named.key))?;
    say("write it down and keep it apart from your devices; it is shown only once");
    Ok(())
}

/// The first line of a file.
pub(super) fn passphrase(file: &Path) -> Result<Zeroizing<String>, CliError> {
    let shown = file.display();
    let length = file.metadata().with_context(|| shown.to_string())?.len();
    if length > LONGEST {
        return Err(CliError::usage(format!("{shown} is too long for a passphrase"), "one line"));
    }
    let text = Zeroizing::new(std::fs::read_to_string(file).with_context(|| shown.to_string())?);
    let first = text.lines().next().unwrap_or_default().trim();
    if first.is_empty() {
        return Err(CliError::usage(format!("{shown} holds no passphrase"), "write it there"));
    }
    Ok(Zeroizing::new(first.to_owned()))
}

fn check_free(path: &Path) -> Result<(), CliError> {
    match path.symlink_metadata() {
        Err(_) => Ok(()),
        Ok(_) => Err(CliError::refused(
            format!("{} already exists", path.display()),
            "name a file that does not exist",
        )),
    }
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let told = || path.display().to_string();
    let file = tempfile::Builder::new().prefix(".taffrail-").tempfile_in(folder);
    let mut file = file.with_context(told)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    file.persist_noclobber(path).map_err(|error| error.error).with_context(told)?;
    Ok(())
}

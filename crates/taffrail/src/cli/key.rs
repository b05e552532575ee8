//! `taffrail key`

use super::device::changed;
use super::{Context, TEMPLATE, recover};
use crate::error::CliError;
use crate::output::{Out, say};
use crate::rim;
use anyhow::Context as _;
use clap::ValueHint;
use std::io::Write;
use std::path::{Path, PathBuf};
use taffrail_api::ErrorKind;
use taffrail_daemon::devices::{self, Recovered};
use zeroize::Zeroizing;

/// The longest passphrase that is read, in bytes.
const LONGEST: u64 = 4096;

/// The keys of the team: begin them anew, or name a way back to them
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail key rotate                     new keys for what is sealed from now on
  taffrail key recovery --print           a recovery key, shown once: write it down
  taffrail key recovery --passphrase-file secret.txt --out recovery.age
  taffrail key recover nats://hub:4222 --key recovery.txt
                                          all devices are lost: their sessions, here again
")]
pub(super) struct Args {
    #[command(subcommand)]
    what: What,
    /// Print JSON
    #[arg(long, global = true)]
    pub(super) json: bool,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Have new keys drawn for what is sealed from now on
    Rotate,
    Recovery(RecoveryArgs),
    Recover(recover::Args),
}

/// Name a recovery key: with it and the hub, your sessions outlive the loss of all devices
#[derive(Debug, clap::Args)]
struct RecoveryArgs {
    /// Print it once; whoever has it is you
    #[arg(long, conflicts_with = "passphrase_file", required_unless_present = "passphrase_file")]
    print: bool,
    /// Put it into a file behind the passphrase that stands in this one
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, requires = "out")]
    passphrase_file: Option<PathBuf>,
    /// The file to make; it must not be there
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "print")]
    out: Option<PathBuf>,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    match &args.what {
        What::Rotate => {
            let change = devices::rotate(&context.settings)?;
            changed(context, &change, ("a new epoch begins", args.json))
        }
        What::Recovery(recovery) => name_recovery(recovery, args.json, context),
        What::Recover(wish) => recover::run(wish, args.json, context),
    }
}

fn name_recovery(args: &RecoveryArgs, json: bool, context: &Context) -> Result<(), CliError> {
    let out = args.out.as_ref().map(|it| context.rim.here.join(it));
    out.as_deref().map_or(Ok(()), check_free)?;
    let words = args.passphrase_file.as_ref().map(|it| passphrase(&context.rim.here.join(it)));
    let named = devices::recovery(&context.settings, &rim::drawn()?, words.transpose()?)?;
    // It is written before the team is told: a key nobody has must not be sealed to.
    match &out {
        Some(path) => write(path, &named.key)?,
        None => print(&named)?,
    }
    let done = format!("what is sealed for {} opens with {}", named.user, named.recipient);
    let json = json && out.is_some();
    changed(context, &named.change, (&done, json))
}

fn print(named: &Recovered) -> Result<(), CliError> {
    let mut out = Out::new();
    out.line(&String::from_utf8_lossy(&named.key))?;
    out.end()?;
    say("write it down and keep it apart from your devices; it is not shown again");
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
        Ok(_) => Err(CliError {
            kind: ErrorKind::Refused,
            message: format!("{} is there already", path.display()),
            hint: Some("give a file that is not there yet".to_owned()),
        }),
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

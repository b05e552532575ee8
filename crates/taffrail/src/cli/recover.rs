//! `taffrail key recover`

use super::{Context, key};
use crate::error::CliError;
use crate::output::{Out, say};
use anyhow::Context as _;
use clap::ValueHint;
use serde_json::json;
use std::io::Read;
use std::path::{Path, PathBuf};
use taffrail_devices::exchange::{Regained, recover};
use taffrail_tui::terminal::line;
use zeroize::Zeroizing;

/// The longest key that is read, in bytes.
const LONGEST: u64 = 64 * 1024;

/// Restore the sessions of lost devices from a hub, with a recovery key
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Hub that your devices used: `file:///DIR`, `s3://BUCKET/PREFIX`, `nats://HOST`, ...
    address: String,
    /// File with the recovery key: its two lines, or the age file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    key: PathBuf,
    /// File with the passphrase of the key
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    passphrase_file: Option<PathBuf>,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let here = &context.env.here;
    let words = args.passphrase_file.as_ref().map(|it| key::passphrase(&here.join(it)));
    let bytes = read(&here.join(&args.key))?;
    let key = taffrail_team::recovery_key(&bytes, words.transpose()?)
        .map_err(taffrail_daemon::DaemonError::from)?;
    if !context.json {
        say(&format!("reading {}", line(&args.address)));
    }
    let regained = recover(&context.settings, &args.address, key)?;
    print(&regained, context.json)
}

fn read(path: &Path) -> Result<Zeroizing<Vec<u8>>, CliError> {
    let told = || path.display().to_string();
    let file = std::fs::File::open(path).with_context(told)?;
    let mut bytes = Zeroizing::new(Vec::new());
    file.take(LONGEST).read_to_end(&mut bytes).with_context(told)?;
    Ok(bytes)
}

fn print(it: &Regained, json: bool) -> Result<(), CliError> {
    let mut out = Out::new();
    if json {
        return out.json(&json!({"schema_version": 1, "user": it.user, "devices": it.devices,
            "lines": it.lines, "refused": it.refused, "unread": it.unread}));
    }
    for (device, sessions) in &it.devices {
        out.line(&format!("{}: {sessions} sessions", line(device)))?;
    }
    for unread in &it.unread {
        out.line(&format!("not read to the end: {}", line(unread)))?;
    }
    if it.refused > 0 {
        out.line(&format!("{} lines failed verification", it.refused))?;
    }
    match it.devices.is_empty() {
        true => out.line(&format!("the hub has nothing of {}", line(&it.user)))?,
        false => out.line("taffrail ls                 they are listed with their device")?,
    };
    out.end()
}

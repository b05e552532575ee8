//! `taffrail man`

use super::TEMPLATE;
use crate::error::CliError;
use crate::numbers::counted;
use crate::output::{Out, say};
use clap::{Command, ValueHint};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use std::fs::{Permissions, create_dir_all, set_permissions, write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// Print the manual page, or write those of all commands
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail man | man -l -                          read it
  taffrail man --out ~/.local/share/man/man1       install them all
")]
pub(super) struct Args {
    /// Write one file a command into this folder
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
}

pub(super) fn run(args: &Args, command: Command) -> Result<(), CliError> {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    match &args.out {
        None => {
            let mut out = Out::new();
            out.line(page(&command)?.trim_end())?;
            out.end()
        }
        Some(folder) => {
            create_dir_all(folder)?;
            let pages = write_all(&command, folder)?;
            say(&format!("wrote {} to {}", counted(pages, "page"), folder.display()));
            Ok(())
        }
    }
}

/// Writes a command's page and those of the commands below it, and gives their number.
fn write_all(command: &Command, folder: &Path) -> Result<u64, CliError> {
    let path = folder.join(Man::new(command.clone()).get_filename());
    write(&path, page(command)?)?;
    set_permissions(&path, Permissions::from_mode(0o644))?;
    let below = command.get_subcommands().map(|command| write_all(command, folder));
    Ok(1 + below.sum::<Result<u64, _>>()?)
}

/// A page with its examples before everything that explains.
fn page(command: &Command) -> Result<String, CliError> {
    let version = concat!("taffrail ", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command.clone()).source(version).manual("Taffrail");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    examples(command).to_writer(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    Ok(String::from_utf8_lossy(&page).into_owned())
}

fn examples(command: &Command) -> Roff {
    let mut roff = Roff::new();
    let Some(text) = command.get_before_help() else { return roff };
    roff.control("SH", ["EXAMPLES"]).control("nf", []);
    for line in text.to_string().lines().skip(1) {
        roff.text([roman(line.trim_start())]);
    }
    roff.control("fi", []);
    roff
}

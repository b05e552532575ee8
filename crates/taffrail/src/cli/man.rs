//! `taffrail man`

use super::TEMPLATE;
use super::groups::{GROUPS, about};
use crate::error::CliError;
use crate::output::{Out, say};
use clap::{Command, ValueHint};
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};
use serde_json::json;
use std::fs::{Permissions, create_dir_all, set_permissions, write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use taffrail_tui::numbers::counted;

/// Print the manual page, or write the pages of all commands
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail man | man -l -                          read it
  taffrail man --out ~/.local/share/man/man1       install all pages
")]
pub(super) struct Args {
    /// Write one file per command to this folder
    #[arg(long, short, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
}

pub(super) fn run(args: &Args, command: Command, json: bool) -> Result<(), CliError> {
    let mut command = command.disable_help_subcommand(true);
    command.build();
    match &args.out {
        None => print(&page(&command)?, json),
        Some(folder) => {
            create_dir_all(folder)?;
            let pages = write_all(&command, folder)?;
            if json {
                let document = json!({"schema_version": 1, "folder": folder, "pages": pages});
                return Out::new().json(&document);
            }
            say(&format!("wrote {} to {}", counted(pages, "page"), folder.display()));
            Ok(())
        }
    }
}

fn print(page: &str, json: bool) -> Result<(), CliError> {
    let mut out = Out::new();
    if json {
        return out.json(&json!({"schema_version": 1, "page": page.trim_end()}));
    }
    out.line(page.trim_end())?;
    out.end()
}

/// Writes a command's page and those of the commands below it, and gives their number.
fn write_all(command: &Command, folder: &Path) -> Result<u64, CliError> {
    let path = folder.join(Man::new(command.clone()).get_filename());
    write(&path, page(command)?)?;
    set_permissions(&path, Permissions::from_mode(0o644))?;
    let below = command.get_subcommands().filter(|it| has_page(it));
    let below = below.map(|command| write_all(command, folder));
    Ok(1 + below.sum::<Result<u64, _>>()?)
}

/// Whether a command has a page: those that the help lists, and those that it names beside another.
fn has_page(command: &Command) -> bool {
    !command.is_hide_set() || matches!(command.get_name(), "budgets" | "prices")
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
    match command.get_name() {
        "taffrail" => groups(command).to_writer(&mut page)?,
        _ if command.has_subcommands() => man.render_subcommands_section(&mut page)?,
        _ => {}
    }
    Ok(String::from_utf8_lossy(&page).into_owned())
}

/// The commands of the program, group by group, as its help lists them.
fn groups(command: &Command) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", ["COMMANDS"]);
    for (heading, names) in GROUPS {
        roff.control("SS", [heading]);
        for name in names.split(' ') {
            roff.control("TP", []).text([bold(format!("taffrail-{name}(1)"))]);
            roff.text([roman(about(command, name))]);
        }
    }
    roff
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

//! Taffrail on the command line.

mod cli;
mod config;
mod error;
mod numbers;
mod output;
mod pager;
mod rim;
mod table;
mod terminal;
mod transcript;
mod when;
mod wording;

use std::process::ExitCode;

fn main() -> ExitCode {
    cli::complete();
    cli::run()
}

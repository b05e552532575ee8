//! Taffrail on the command line.

mod cli;
mod config;
mod error;
mod happening;
mod hook;
mod numbers;
mod output;
mod pager;
mod pretty;
mod rim;
mod statusline;
mod table;
mod terminal;
mod transcript;
mod tui;
mod when;
mod wording;

use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = hook::answer(rim::arguments()) {
        return code;
    }
    if let Some(code) = statusline::answer(rim::arguments()) {
        return code;
    }
    if let Some(code) = cli::inside(rim::arguments()) {
        return code;
    }
    cli::complete();
    cli::run()
}

//! Taffrail on the command line.

mod cli;
mod env;
mod error;
mod hook;
mod output;
mod statusline;
mod system;

use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(code) = hook::answer(env::arguments()) {
        return code;
    }
    if let Some(code) = statusline::answer(env::arguments()) {
        return code;
    }
    if let Some(code) = cli::inside(env::arguments()) {
        return code;
    }
    taffrail_tui::letters::set_locale(env::variable);
    cli::complete();
    cli::run()
}

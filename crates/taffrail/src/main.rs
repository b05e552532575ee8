//! Taffrail on the command line.

mod cli;
mod error;
mod hook;
mod output;
mod recall;
mod statusline;

use std::process::ExitCode;
use taffrail_env as env;

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

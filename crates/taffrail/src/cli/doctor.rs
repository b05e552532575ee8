//! `taffrail doctor`

use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use taffrail_api::CheckStatus;
use taffrail_tui::terminal::line;

/// Check the installation and suggest fixes; changes nothing
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail doctor          each check, its evidence and its fix
  taffrail doctor --json
")]
pub(super) struct Args {}

pub(super) fn run(context: &Context) -> Result<(), CliError> {
    let doctor = taffrail_daemon::doctor(&context.settings)?;
    let mut out = Out::new();
    if context.json {
        return out.json(&doctor);
    }
    for check in &doctor.checks {
        let mark = match check.status {
            CheckStatus::Ok => "✓ ok     ",
            CheckStatus::Warning => "! warning",
            CheckStatus::Failed => "✕ failed ",
        };
        out.line(&format!("{mark} {}: {}", check.id, line(&check.evidence)))?;
        if let Some(fix) = &check.fix {
            out.line(&format!("            fix: {}", line(fix)))?;
        }
    }
    out.end()
}

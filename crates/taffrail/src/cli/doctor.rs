//! `taffrail doctor`

use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::Out;
use crate::terminal::line;
use taffrail_api::CheckStatus;

/// Say what is wrong or worth knowing; nothing is changed
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail doctor          each check, what was seen, and what to do
  taffrail doctor --json
")]
pub(super) struct Args {
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

pub(super) fn run(args: &Args, context: &Context) -> Result<(), CliError> {
    let doctor = taffrail_daemon::doctor(&context.settings)?;
    let mut out = Out::new();
    if args.json {
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

//! `taffrail approvals log`

use super::width;
use crate::cli::Context;
use crate::error::CliError;
use crate::output::{Out, say};
use taffrail_api::{Decisions, ErrorKind};
use taffrail_tui::requests::{attempt, decision, verified};
use taffrail_tui::terminal::fit;

/// Prints every decision, with who and why.
pub(super) fn log(context: &Context) -> Result<(), CliError> {
    let told: Decisions = context.questions()?.get("/api/approvals/log")?;
    if context.json {
        return Out::new().json(&told);
    }
    let (mut out, clock) = (Out::paged(context.pager.as_ref()), context.clock());
    for it in &told.decisions {
        out.line(&fit(&decision(it, &clock), width()))?;
    }
    if !told.attempts.is_empty() {
        out.line("")?;
        out.line("Refused:")?;
    }
    out.lines(told.attempts.iter().map(|it| fit(&attempt(it, &clock), width())))
}

/// Says whether the log is what was written.
pub(super) fn verify(context: &Context) -> Result<(), CliError> {
    let check = taffrail_approvals::verify_decisions(&context.settings)?;
    if context.json {
        Out::new().json(&check)?;
    } else {
        say(&verified(&check));
    }
    if check.valid { Ok(()) } else { Err(CliError::silent(ErrorKind::Refused)) }
}

//! `taffrail approvals log`

use super::width;
use crate::cli::Context;
use crate::cli::which::instant;
use crate::error::CliError;
use crate::output::{Out, say};
use taffrail_api::client::path;
use taffrail_api::{Decisions, Denials, ErrorKind};
use taffrail_tui::requests::{attempt, decision, denial, verified};
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

/// Prints what was refused since then, the latest first.
pub(super) fn denied(since: &str, context: &Context) -> Result<(), CliError> {
    let since = instant(since, &context.clock())?.to_string();
    let told: Denials = context.questions()?.get(&path("/api/denials", &[("since", &since)]))?;
    if context.json {
        return Out::new().json(&told);
    }
    let (mut out, clock) = (Out::paged(context.pager.as_ref()), context.clock());
    if told.denials.is_empty() {
        out.line("Nothing was refused in this time.")?;
    }
    out.lines(told.denials.iter().map(|it| fit(&denial(it, &clock), width())))?;
    if told.more {
        out.line("… more exist: ask for a shorter time")?;
    }
    Ok(())
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

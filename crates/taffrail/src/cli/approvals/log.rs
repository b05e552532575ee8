//! `taffrail approvals log`

use super::{one_line, width};
use crate::cli::Context;
use crate::error::CliError;
use crate::output::{Out, say};
use taffrail_api::{AttemptRow, DecisionRow, Decisions, ErrorKind, LogCheck};
use taffrail_tui::phrases::outcome_says;
use taffrail_tui::terminal::{fit, line, pad};
use taffrail_tui::when::{Clock, MINUTE_WIDTH};

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

fn attempt(it: &AttemptRow, clock: &Clock) -> String {
    let at = pad(&clock.minute(it.at), MINUTE_WIDTH);
    let about = it.approval_id.as_ref().map(|it| format!(" {it}")).unwrap_or_default();
    let pid = it.pid.map(|it| format!(" ({it})")).unwrap_or_default();
    let (who, caller) = (line(&it.program), it.caller.as_str());
    format!("{at} {caller} {who}{pid} tried to {}{about}: {}", line(&it.what), line(&it.because))
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

fn verified(check: &LogCheck) -> String {
    let LogCheck { entries, broken_at, differing, .. } = check;
    if check.forged && broken_at.is_none() {
        return "The log is intact, but this device did not sign its end.".to_owned();
    }
    let signed = check.signed_by.as_deref().map(|it| format!(" Signed by {}.", line(it)));
    let signed = signed.unwrap_or_default();
    match (broken_at, differing.as_slice()) {
        (Some(number), _) => format!(
            "The log was changed: {entries} entries are intact, and entry {number} was changed or removed."
        ),
        (None, []) => format!("{entries} entries, none changed or removed.{signed}"),
        (None, ids) => {
            format!(
                "The log is intact, but these requests record another decision: {}",
                ids.join(", ")
            )
        }
    }
}

fn decision(it: &DecisionRow, clock: &Clock) -> String {
    let at = pad(&clock.minute(it.at), MINUTE_WIDTH);
    let outcome = it.outcome.as_ref().map_or_else(|| "-".to_owned(), outcome_says);
    let why = it.why.as_deref().map(|it| format!(" ({})", line(it))).unwrap_or_default();
    format!(
        "{} {at} {} by {} {} {}{why}",
        it.approval_id,
        pad(&line(it.decision.as_str()), 7),
        pad(&line(&it.by), 14),
        pad(&outcome, 21),
        one_line(&it.command)
    )
}

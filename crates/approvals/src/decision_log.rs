//! Verifies that the log of decisions is unchanged.

use std::collections::HashMap;
use taffrail_api::{LogCheck, SCHEMA_VERSION};
use taffrail_context::{Error, Settings};
use taffrail_model::approval::{Approval, ApprovalId, Decision};
use taffrail_model::audit::Deed;
use taffrail_store::{Chain, End, Ledger};
use taffrail_sync::audit::{head_holds, sign_head};

/// Verifies the hash chain of the log, and compares each decision with it.
///
/// # Errors
/// When the ledger cannot be read.
pub fn verify_decisions(settings: &Settings) -> Result<LogCheck, Error> {
    let Some(ledger) = Ledger::open_read_only(&settings.data)? else { return Ok(empty()) };
    let (entries, broken_at) = match ledger.check_deeds()? {
        Chain::Whole { number, .. } => (number, None),
        Chain::Broken { number } => (number.saturating_sub(1), Some(number)),
    };
    let differing = differing(&ledger)?;
    let (signed_by, is_forged) = signed_by(settings, &ledger.deeds_end()?);
    Ok(LogCheck {
        valid: broken_at.is_none() && differing.is_empty() && !is_forged,
        forged: is_forged,
        signed_by,
        entries,
        broken_at,
        differing,
        ..empty()
    })
}

/// Signs the end of the log if this device has keys. If signing fails now, the next entry is
/// signed.
pub fn sign_log(settings: &Settings, ledger: &mut Ledger) {
    // Most devices have no keys and sign nothing.
    let Ok(own) = taffrail_team::own(settings) else { return };
    let signed = ledger.deeds_end().and_then(|end| {
        let signature = sign_head(&own.signer(), end.number, &end.hash);
        ledger.sign_deeds(&end, &signature)
    });
    if let Err(error) = signed {
        tracing::warn!(%error, "cannot sign the decision log");
    }
}

/// Who signed the end, and whether the signature belongs to somebody else.
fn signed_by(settings: &Settings, end: &End) -> (Option<String>, bool) {
    let (Some(signature), Ok(own)) = (&end.signature, taffrail_team::own(settings)) else {
        return (None, false);
    };
    match head_holds(&own.signer(), end.number, &end.hash, signature) {
        true => (Some(own.name), false),
        false => (None, true),
    }
}

fn empty() -> LogCheck {
    LogCheck {
        schema_version: SCHEMA_VERSION,
        valid: true,
        entries: 0,
        broken_at: None,
        differing: Vec::new(),
        forged: false,
        signed_by: None,
    }
}

/// Requests whose decision differs from the log.
fn differing(ledger: &Ledger) -> Result<Vec<String>, Error> {
    let logged: HashMap<ApprovalId, (Decision, String)> =
        ledger.deeds()?.iter().filter_map(|it| decided(it.deed()?)).collect();
    let differs = |it: &Approval| {
        let (known, verdict) = (logged.get(&it.id), it.verdict.as_ref());
        let says = verdict.map(|verdict| (&verdict.decision, it.input_hash.as_str()));
        // A decision made at the agent in between is the agent's, not ours.
        let is_ours = verdict.is_some_and(|it| it.who.is_some() || it.rule.is_some());
        is_ours && known.is_some_and(|(what, input)| says != Some((what, input.as_str())))
    };
    let all = ledger.approvals(true)?;
    Ok(all.iter().filter(|it| differs(it)).map(|it| it.id.to_string()).collect())
}

fn decided(deed: Deed) -> Option<(ApprovalId, (Decision, String))> {
    match deed {
        Deed::Decided { approval_id, decision, input_hash, .. } => {
            Some((approval_id, (decision, input_hash)))
        }
        Deed::Undelivered { .. } | Deed::Refused { .. } => None,
    }
}

//! Which answer counts, at the device that asks.

use super::{Answer, Claim};
use crate::bytes::Digest;
use crate::roster::{Member, Roster};
use crate::signing::{Purpose, digest};
use taffrail_model::approval::ApprovalId;
use taffrail_model::{DeviceId, SessionId, Timestamp};

/// A request as the device that asks knows it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Asked {
    /// The device that asks.
    pub device: DeviceId,
    /// The session that asks.
    pub session: SessionId,
    /// The request.
    pub request: ApprovalId,
    /// The hash of the exact input of the tool.
    pub input: Digest,
    /// Until when it can be answered.
    pub expires: Timestamp,
}

/// Why an answer is not let out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotOut {
    /// It is too late.
    #[error("the request has run out")]
    Expired,
    /// It is for another request, input, session or device.
    #[error("the answer is for something else")]
    Other,
    /// The sender is not who the answer or the claim names, or is no device of the same user.
    #[error("the answer is not by who claimed the decision")]
    NotTheirs,
    /// Nobody has claimed the decision, as far as it is known: it has to be asked again.
    #[error("nobody has claimed the decision yet")]
    Unclaimed,
}

/// The hash of the exact input of a tool, of the mark that the desk has of it.
#[must_use]
pub fn input_of(mark: &str) -> Digest {
    digest(Purpose::Input, &[mark.as_bytes()])
}

/// Whether an answer is the one that may be let out: about this request and nothing else, in time, by a
/// device of the same user, and the one that its claim on the hub names.
///
/// # Errors
/// Says why not.
pub fn judge(
    asked: &Asked,
    (from, answer): (&DeviceId, &Answer),
    claim: Option<&Claim>,
    roster: &Roster,
    now: Timestamp,
) -> Result<(), NotOut> {
    let about = (&answer.to, &answer.session, &answer.request, &answer.input);
    if about != (&asked.device, &asked.session, &asked.request, &asked.input) {
        return Err(NotOut::Other);
    }
    if now >= asked.expires || now >= answer.expires {
        return Err(NotOut::Expired);
    }
    if answer.by != *from || !is_of_same_user(roster, &asked.device, from) {
        return Err(NotOut::NotTheirs);
    }
    let claim = claim.ok_or(NotOut::Unclaimed)?;
    let is_named = claim.by == *from && claim.answer == answer.hash();
    if is_named && claim.holds(&asked.request, roster) { Ok(()) } else { Err(NotOut::NotTheirs) }
}

/// Both are in the team now, and belong to the same person.
#[must_use]
pub fn is_of_same_user(roster: &Roster, one: &DeviceId, other: &DeviceId) -> bool {
    let user = |id| {
        let member = roster.member(id).filter(|it: &&Member| it.is_current());
        member.map(|it| it.device.user.as_str())
    };
    user(one).is_some() && user(one) == user(other)
}

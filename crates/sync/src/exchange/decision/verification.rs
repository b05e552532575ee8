//! Verification of an answer at the asking device.

use super::{Answer, Claim};
use crate::bytes::Digest;
use crate::roster::{Member, Roster};
use crate::signing::{Purpose, digest};
use taffrail_model::approval::ApprovalId;
use taffrail_model::{DeviceId, SessionId, Timestamp};

/// An open request, as the asking device has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenRequest {
    /// The device that asks.
    pub device: DeviceId,
    /// The session that asks.
    pub session: SessionId,
    /// The request.
    pub request: ApprovalId,
    /// The hash of the exact input of the tool.
    pub input: Digest,
    /// When it expires.
    pub expires: Timestamp,
}

/// Why an answer is rejected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerRejection {
    /// The answer is too late.
    #[error("the request has run out")]
    Expired,
    /// The answer is for another request, input, session or device.
    #[error("the answer is for something else")]
    Other,
    /// The sender is not the device that the answer or the claim names, or belongs to another user.
    #[error("the answer is not by who claimed the decision")]
    NotTheirs,
    /// No claim is known so far: try again.
    #[error("nobody has claimed the decision yet")]
    Unclaimed,
}

/// The hash of a tool's exact input, from the request's digest of it.
#[must_use]
pub fn input_of(mark: &str) -> Digest {
    digest(Purpose::Input, &[mark.as_bytes()])
}

/// Checks that an answer may take effect: it is for exactly this request, in time, from a
/// device of the same user, and named by its claim on the hub.
///
/// # Errors
/// The reason for the rejection.
pub fn verify_answer(
    request: &OpenRequest,
    (from, answer): (&DeviceId, &Answer),
    claim: Option<&Claim>,
    roster: &Roster,
    now: Timestamp,
) -> Result<(), AnswerRejection> {
    let about = (&answer.to, &answer.session, &answer.request, &answer.input);
    if about != (&request.device, &request.session, &request.request, &request.input) {
        return Err(AnswerRejection::Other);
    }
    if now >= request.expires || now >= answer.expires {
        return Err(AnswerRejection::Expired);
    }
    if answer.by != *from || !is_of_same_user(roster, &request.device, from) {
        return Err(AnswerRejection::NotTheirs);
    }
    let claim = claim.ok_or(AnswerRejection::Unclaimed)?;
    let is_named = claim.by == *from && claim.answer == answer.hash();
    if is_named && claim.holds(&request.request, roster) {
        Ok(())
    } else {
        Err(AnswerRejection::NotTheirs)
    }
}

/// Whether both devices are in the team now and belong to the same user.
#[must_use]
pub fn is_of_same_user(roster: &Roster, one: &DeviceId, other: &DeviceId) -> bool {
    let user = |id| {
        let member = roster.member(id).filter(|it: &&Member| it.is_current());
        member.map(|it| it.device.user.as_str())
    };
    user(one).is_some() && user(one) == user(other)
}

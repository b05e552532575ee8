//! Decisions about requests, across devices: at most one takes effect.
//!
//! Only the asking device lets a decision take effect, so two can never act. A key on the
//! hub decides which remote answer counts: the answering device claims it first, by compare-and-set,
//! and the asking device accepts only the answer that the claim names. A user at the asking device needs no
//! claim: that device takes the first decision it gets, and publishes which one it was.

mod verification;

pub use verification::{AnswerRejection, OpenRequest, input_of, is_of_same_user, verify_answer};

use super::names;
use super::relocation::{is_left, leaving};
use crate::bytes::{Digest, Signature, TeamId};
use crate::hub::{Hub, HubError, KeyName, Swapped};
use crate::roster::{Roster, Signer};
use crate::signing::{Purpose, decode, digest, encode, sign, verify};
use serde::{Deserialize, Serialize};
use taffrail_model::approval::ApprovalId;
use taffrail_model::{DeviceId, SessionId, Timestamp};

/// An answer to a request of another device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// The device that asks.
    pub to: DeviceId,
    /// The session that asks.
    pub session: SessionId,
    /// The request.
    pub request: ApprovalId,
    /// The hash of the exact input of the tool.
    pub input: Digest,
    /// When it expires.
    pub expires: Timestamp,
    /// The decision, in the caller's format.
    pub decision: String,
    /// The device it was decided on.
    pub by: DeviceId,
    /// Random, so that a claim does not reveal the decision.
    pub salt: Digest,
}

impl Answer {
    /// The hash that a claim names.
    #[must_use]
    pub fn hash(&self) -> Digest {
        let expires = self.expires.as_nanosecond().to_le_bytes();
        let fields: [&[u8]; 8] = [
            self.to.as_str().as_bytes(),
            self.session.as_bytes(),
            self.request.as_str().as_bytes(),
            self.input.as_bytes(),
            &expires,
            self.decision.as_bytes(),
            self.by.as_str().as_bytes(),
            self.salt.as_bytes(),
        ];
        digest(Purpose::Answer, &fields)
    }
}

/// A device's claim to a decision, as the hub stores it. The hub does not learn the decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Claim {
    /// The device.
    pub by: DeviceId,
    /// The hash of its answer.
    pub answer: Digest,
    signature: Signature,
}

impl Claim {
    /// Signs a claim to an answer.
    #[must_use]
    pub fn sign(team: &TeamId, answer: &Answer, by: &Signer<'_>) -> Self {
        let hash = answer.hash();
        let fields = signed(team, &answer.request, by.device, &hash);
        let signature = sign(by.secret.signing(), Purpose::Claim, &[&fields]);
        Self { by: by.device.clone(), answer: hash, signature }
    }

    fn to_bytes(&self) -> Vec<u8> {
        let by = self.by.as_str().as_bytes();
        encode(Purpose::Claim, &[by, self.answer.as_bytes(), self.signature.as_bytes()])
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let [by, answer, signature] = decode(Purpose::Claim, bytes)?;
        Some(Self {
            by: DeviceId::new(String::from_utf8(by.to_vec()).ok()?),
            answer: Digest::from_bytes(answer.try_into().ok()?),
            signature: Signature::from_bytes(signature.try_into().ok()?),
        })
    }

    /// Whether a current device of the team signed it for this request.
    #[must_use]
    pub fn holds(&self, request: &ApprovalId, roster: &Roster) -> bool {
        let member = roster.member(&self.by).filter(|member| member.is_current());
        let fields = signed(roster.team(), request, &self.by, &self.answer);
        member.is_some_and(|member| {
            let keys = member.device.keys.signing();
            verify(keys, Purpose::Claim, &[&fields], &self.signature).is_ok()
        })
    }
}

fn signed(team: &TeamId, request: &ApprovalId, by: &DeviceId, answer: &Digest) -> Vec<u8> {
    let (request, by) = (request.as_str().as_bytes(), by.as_str().as_bytes());
    encode(Purpose::Claim, &[team.as_bytes(), request, by, answer.as_bytes()])
}

/// The outcome of claiming a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Claimed {
    /// This device holds the claim.
    Won,
    /// Another device holds this claim.
    Lost(Claim),
}

/// Claims a decision. A valid claim is never replaced; an invalid one is.
///
/// # Errors
/// The hub cannot be reached, or the team leaves it: the claim may have been written all the same. Try
/// again.
pub async fn claim<H: Hub>(
    hub: &H,
    roster: &Roster,
    request: &ApprovalId,
    ours: &Claim,
) -> Result<Claimed, HubError> {
    let key = key_of(roster.team(), request)?;
    loop {
        let there = hub.get(&key).await?;
        let standing = there.as_ref().and_then(|it| Claim::parse(&it.bytes));
        match standing.filter(|it| it.holds(request, roster)) {
            Some(it) if it == *ours => return unless_left(hub, roster, Claimed::Won).await,
            Some(it) => return unless_left(hub, roster, Claimed::Lost(it)).await,
            None => {}
        }
        let revision = there.map(|it| it.revision);
        if let Swapped::Done(_) = hub.cas(&key, revision, ours.to_bytes().into()).await? {
            return unless_left(hub, roster, Claimed::Won).await;
        }
    }
}

/// Looked at after the claim was written: a claim that is not carried along decides nothing.
async fn unless_left<H: Hub>(
    hub: &H,
    roster: &Roster,
    claimed: Claimed,
) -> Result<Claimed, HubError> {
    match is_left(hub, roster).await? {
        true => Err(leaving()),
        false => Ok(claimed),
    }
}

/// The valid claim on the hub, if there is one.
///
/// # Errors
/// The hub cannot be reached.
pub async fn current_claim<H: Hub>(
    hub: &H,
    roster: &Roster,
    request: &ApprovalId,
) -> Result<Option<Claim>, HubError> {
    let there = hub.get(&key_of(roster.team(), request)?).await?;
    let standing = there.and_then(|it| Claim::parse(&it.bytes));
    Ok(standing.filter(|it| it.holds(request, roster)))
}

/// The key of a decision's claim: `decision/HASH`.
fn key_of(team: &TeamId, request: &ApprovalId) -> Result<KeyName, HubError> {
    let hash = digest(Purpose::Decision, &[team.as_bytes(), request.as_str().as_bytes()]);
    names::decision(&hash).map_err(|error| HubError::Refused(error.to_string()))
}

#[cfg(test)]
mod tests;

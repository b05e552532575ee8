//! What becomes of a request at the device that asks, as a fold over what it hears.

use super::{Answer, Claim};
use crate::bytes::Digest;
use crate::roster::{Member, Roster};
use taffrail_model::approval::ApprovalId;
use taffrail_model::{DeviceId, SessionId, Timestamp};

/// How long the asking device waits for an answer that was claimed elsewhere before a person at
/// home may decide after all, in milliseconds.
pub const CLAIM_PATIENCE: i64 = 10_000;

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

/// What the asking device saw of the hub when it decides at home.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Seen {
    /// Our own claim stands there.
    Ours,
    /// Another's does.
    Theirs(Claim),
    /// None does.
    Nothing,
    /// The hub could not be asked.
    Unreachable,
}

/// Something that happens to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Heard {
    /// A person at this device decides, after the claim was tried.
    AtHome {
        /// What.
        decision: String,
        /// What stands on the hub.
        seen: Seen,
    },
    /// An answer came from another device, whose signature on its batch held.
    Answer {
        /// Who sent it.
        from: DeviceId,
        /// The answer.
        answer: Answer,
        /// What stands on the hub.
        seen: Seen,
    },
}

/// How a request stands at the device that asks.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Stands {
    /// Nobody has decided.
    #[default]
    Open,
    /// Another device has claimed it; its answer is to come.
    Claimed {
        /// Who.
        by: DeviceId,
        /// Since when this is known here.
        since: Timestamp,
    },
    /// A decision was let out.
    Decided {
        /// Who decided.
        by: DeviceId,
        /// What.
        decision: String,
    },
}

/// Why nothing is let out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotOut {
    /// Somebody was first.
    #[error("it was decided already, by {0}")]
    Decided(DeviceId),
    /// Another device is deciding.
    #[error("{0} is answering it; if nothing comes, try again in a moment")]
    ClaimedElsewhere(DeviceId),
    /// It is too late.
    #[error("the request has run out")]
    Expired,
    /// It is for another request, input, session or device.
    #[error("the answer is for something else")]
    Other,
    /// The sender is not who the answer or the claim names, or is not in the team.
    #[error("the answer is not by who claimed the decision")]
    NotTheirs,
    /// Whose answer counts is not known yet; the answer is kept and looked at again.
    #[error("the hub has to be asked first")]
    Unclear,
}

/// What follows: how it stands then, and the decision to let out or why there is none.
pub type Move = (Stands, Result<String, NotOut>);

/// Folds one more thing into a request. A decision comes out at most once.
pub fn hear(stands: Stands, asked: &Asked, heard: &Heard, roster: &Roster, now: Timestamp) -> Move {
    if let Stands::Decided { by, .. } = &stands {
        let why = NotOut::Decided(by.clone());
        return (stands, Err(why));
    }
    if now >= asked.expires {
        return (stands, Err(NotOut::Expired));
    }
    match heard {
        Heard::AtHome { decision, seen } => at_home(&stands, asked, (decision, seen), now),
        Heard::Answer { from, answer, seen } => {
            match check_answer(asked, (from, answer, seen), roster, now) {
                Ok(()) => out(from, &answer.decision),
                Err(why) => (stands, Err(why)),
            }
        }
    }
}

fn at_home(
    stands: &Stands,
    asked: &Asked,
    (decision, seen): (&str, &Seen),
    now: Timestamp,
) -> Move {
    let Seen::Theirs(claim) = seen else { return out(&asked.device, decision) };
    let since = match stands {
        Stands::Claimed { by, since } if *by == claim.by => *since,
        Stands::Claimed { .. } | Stands::Open | Stands::Decided { .. } => now,
    };
    // Who claimed and then fell silent does not hold up a person who is here.
    if now.as_millisecond() - since.as_millisecond() >= CLAIM_PATIENCE {
        return out(&asked.device, decision);
    }
    let by = claim.by.clone();
    (Stands::Claimed { by: by.clone(), since }, Err(NotOut::ClaimedElsewhere(by)))
}

fn out(by: &DeviceId, decision: &str) -> Move {
    let decided = Stands::Decided { by: by.clone(), decision: decision.to_owned() };
    (decided, Ok(decision.to_owned()))
}

/// Whether an answer is the one that counts.
fn check_answer(
    asked: &Asked,
    (from, answer, seen): (&DeviceId, &Answer, &Seen),
    roster: &Roster,
    now: Timestamp,
) -> Result<(), NotOut> {
    let about = (&answer.to, &answer.session, &answer.request, &answer.input);
    if about != (&asked.device, &asked.session, &asked.request, &asked.input) {
        return Err(NotOut::Other);
    }
    if now >= answer.expires {
        return Err(NotOut::Expired);
    }
    let is_member = roster.member(from).is_some_and(Member::is_current);
    if answer.by != *from || !is_member {
        return Err(NotOut::NotTheirs);
    }
    match seen {
        Seen::Theirs(claim) if claim.by == *from && claim.answer == answer.hash() => {
            let holds = claim.holds(&asked.request, roster);
            if holds { Ok(()) } else { Err(NotOut::NotTheirs) }
        }
        Seen::Theirs(_) | Seen::Ours => Err(NotOut::NotTheirs),
        Seen::Nothing | Seen::Unreachable => Err(NotOut::Unclear),
    }
}

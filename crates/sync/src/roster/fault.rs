//! Why a roster is refused.

use crate::bytes::TeamId;
use taffrail_model::DeviceId;

/// Why an entry, or a list of entries, is refused. `n` is the position of the invalid entry.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The roster is empty.
    #[error("the roster is empty")]
    Empty,
    /// The first entry does not found the team, or a later one does.
    #[error("entry {n} opens a roster where none begins")]
    NotFounded {
        /// The entry.
        n: u64,
    },
    /// An entry is missing, duplicated or out of order.
    #[error("entry {expected} is missing; {n} is in its place")]
    Gap {
        /// The expected position.
        expected: u64,
        /// The actual position.
        n: u64,
    },
    /// Two histories differ: someone shows different rosters to different devices.
    #[error("entry {n} differs from the one known here: the roster was forked")]
    Forked {
        /// The first entry that differs.
        n: u64,
    },
    /// It is older than the roster known here.
    #[error("the roster ends before entry {pinned}, which is known here: it was rolled back")]
    RolledBack {
        /// The last entry known here.
        pinned: u64,
    },
    /// It is the roster of another team.
    #[error("this is the roster of team {team}")]
    OtherTeam {
        /// That team.
        team: TeamId,
    },
    /// The signature is invalid.
    #[error("the signature of entry {n} does not hold")]
    Forged {
        /// The entry.
        n: u64,
    },
    /// The signer is not a device of the team, or no longer.
    #[error("entry {n} is signed by {by}, which is not in the team")]
    NotAMember {
        /// The entry.
        n: u64,
        /// The signer.
        by: DeviceId,
    },
    /// The signer is in the team and may not sign entries.
    #[error("entry {n} is signed by {by}, which is not an admin")]
    NotAnAdmin {
        /// The entry.
        n: u64,
        /// The signer.
        by: DeviceId,
    },
    /// The user already has a device, and none of theirs vouches for this one.
    #[error("entry {n}: {user} has a device in the team, and none of theirs vouches for this")]
    NotVouched {
        /// The entry.
        n: u64,
        /// The user.
        user: String,
    },
    /// The epoch does not follow.
    #[error("entry {n} has epoch {epoch}, {expected} was to come")]
    WrongEpoch {
        /// The entry.
        n: u64,
        /// The entry's epoch.
        epoch: u64,
        /// The epoch that follows from the entries before.
        expected: u64,
    },
    /// An invalid name.
    #[error(
        "entry {n} has the name {name:?}: letters, digits, spaces and . _ - @ + only, at most 64"
    )]
    BadName {
        /// The entry.
        n: u64,
        /// The name.
        name: String,
    },
    /// Another device of the team has this name.
    #[error("entry {n}: a device named {name} is in the team already")]
    SameName {
        /// The entry.
        n: u64,
        /// The name.
        name: String,
    },
    /// A device or a key that is or was in the team.
    #[error("entry {n}: device {device} or one of its keys was in the team already")]
    SameDevice {
        /// The entry.
        n: u64,
        /// The device.
        device: DeviceId,
    },
    /// The invite was already used.
    #[error("entry {n}: the invite was used already")]
    InviteUsed {
        /// The entry.
        n: u64,
    },
    /// The device is not in the team.
    #[error("entry {n}: device {device} is not in the team")]
    NoSuchDevice {
        /// The entry.
        n: u64,
        /// The device.
        device: DeviceId,
    },
    /// The team would have no admin, and nothing could be changed any more.
    #[error("entry {n} would leave the team without an admin")]
    LastAdmin {
        /// The entry.
        n: u64,
    },
}

//! Decides which items to accept: everything from a device of the same user, and only shares from a
//! device of another user.

use std::collections::BTreeMap;
use taffrail_model::DeviceId;
use taffrail_model::exchange::StreamOrigin;
use taffrail_model::replication::is_share;
use taffrail_sync::Roster;

/// Decides which streams to accept.
#[derive(Debug)]
pub(super) struct Gate {
    user: String,
    users: BTreeMap<DeviceId, String>,
}

/// How a stream is accepted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Admission {
    /// As a device of this user.
    Own,
    /// As a session that was shared with us.
    Share,
    /// The stream is ignored.
    Nothing,
}

impl Gate {
    /// Creates the gate of a user's device in its team.
    pub(super) fn new(user: &str, roster: &Roster) -> Self {
        let mut gate = Self { user: user.to_owned(), users: BTreeMap::new() };
        gate.learn(roster);
        gate
    }

    /// Adds the members of a changed roster. Former members stay known: opening a batch checks
    /// whether its device may still publish.
    pub(super) fn learn(&mut self, roster: &Roster) {
        let members = roster.members().map(|it| &it.device);
        self.users.extend(members.map(|it| (it.id.clone(), it.user.clone())));
    }

    /// How to accept a stream.
    pub(super) fn admits(&self, origin: &StreamOrigin) -> Admission {
        match self.users.get(&origin.device) {
            Some(_) if is_share(origin.stream.as_str()) => Admission::Share,
            Some(user) if *user == self.user => Admission::Own,
            Some(_) | None => Admission::Nothing,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_model::StreamName;
    use taffrail_model::exchange::Incarnation;
    use taffrail_sync::exchange::{approval_stream, own_stream, share_stream};

    #[test]
    fn another_user_is_heard_only_in_what_it_shares() {
        let users = [("tower", "ann"), ("phone", "bob")];
        let users = users.map(|(device, user)| (DeviceId::new(device), user.to_owned())).into();
        let gate = Gate { user: "ann".to_owned(), users };
        let check = |device: &str, stream: StreamName, expected: Admission| {
            let incarnation = Incarnation { count: 1, random: 1 };
            let origin = StreamOrigin { device: DeviceId::new(device), stream, incarnation };
            assert_eq!(gate.admits(&origin), expected, "{origin:?}");
        };
        check("tower", own_stream(), Admission::Own);
        check("tower", approval_stream(), Admission::Own);
        check("tower", share_stream([7; 8]), Admission::Share);
        check("phone", own_stream(), Admission::Nothing);
        check("phone", approval_stream(), Admission::Nothing);
        check("phone", StreamName::new("share-../x"), Admission::Nothing);
        check("phone", share_stream([7; 8]), Admission::Share);
        check("stranger", share_stream([7; 8]), Admission::Nothing);
        check("stranger", own_stream(), Admission::Nothing);
    }
}

//! The users that a team brings to a server: what an operator needs to admit its devices, and nothing
//! else of its roster.

use crate::hub::{LogName, NameError, Team};
use crate::keys::NatsUserKey;
use crate::roster::{Role, Roster};
use serde::{Deserialize, Serialize};
use taffrail_model::DeviceId;

/// The users of a team.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TeamUsers {
    /// The team.
    pub team: Team,
    /// Its current devices.
    pub devices: Vec<DeviceUser>,
    /// The keys of its recovery recipients, which may only read.
    pub recovery: Vec<NatsUserKey>,
}

/// A device as a user of a server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeviceUser {
    /// The device.
    pub id: DeviceId,
    /// The key with which it authenticates.
    pub key: NatsUserKey,
    /// Whether it is an admin of the team.
    pub admin: bool,
}

impl TeamUsers {
    /// The users of a roster.
    #[must_use]
    pub fn of(team: &Team, roster: &Roster) -> Self {
        let current = roster.members().filter(|it| it.is_current());
        let devices = current.filter_map(|member| {
            let (id, admin) = (member.device.id.clone(), member.role == Role::Admin);
            Some(DeviceUser { id, key: member.device.keys.nats_user()?.clone(), admin })
        });
        let recovery = roster.recovery_nats_keys().filter_map(|(_, key)| key.cloned());
        Self { team: team.clone(), devices: devices.collect(), recovery: recovery.collect() }
    }

    /// Checks users that came from elsewhere: an id becomes part of subjects and of a comment.
    ///
    /// # Errors
    /// An id is not a part of a name.
    pub fn checked(self) -> Result<Self, NameError> {
        for device in &self.devices {
            Team::new(device.id.as_str())?;
            LogName::new(device.id.as_str())?;
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn users_from_elsewhere_cannot_break_out_of_the_configuration() {
        let text = |id: &str| {
            format!(
                r#"{{"team":"t","devices":[{{"id":{id:?},"key":"UDXU4RCSJNZOIQHZNWXHXORDPRTGNJAHAHFRGZNEEJCPQTT2M7NLCNF4","admin":false}}],"recovery":[]}}"#
            )
        };
        let read = |id: &str| {
            let users: TeamUsers = serde_json::from_str(&text(id)).unwrap();
            users.checked().is_ok()
        };
        assert!(read("dev-1"));
        for odd in ["x\n      { user: evil }", "a.b", ">", "", "a/b"] {
            assert!(!read(odd), "{odd:?}");
        }
        let odd_key = text("x").replace("UDXU", "\\\" }");
        assert!(serde_json::from_str::<TeamUsers>(&odd_key).is_err());
    }
}

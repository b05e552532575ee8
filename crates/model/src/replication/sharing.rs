//! Shared sessions: their form on the sharing device, and on the reader's.
//!
//! On a reader's device, a shared session gets an identity that includes the sharing device. So a
//! device can only publish about its own sessions.

use super::RelayedFacts;
use crate::{RuntimeIdentity, hash};

/// The published identity of a shared session: a scope that is a local path is not published.
#[must_use]
pub fn as_told(who: &RuntimeIdentity) -> RuntimeIdentity {
    if who.scope.is_empty() {
        return who.clone();
    }
    let scope = hash::to_hex(&hash::digest("shared scope", &[who.scope.as_bytes()]));
    RuntimeIdentity::new(who.agent.clone(), scope, who.id.as_str())
}

/// The local identity of a session that another device shared.
#[must_use]
pub fn as_shared(device: &str, who: &RuntimeIdentity) -> RuntimeIdentity {
    let scope = format!("shared by {device}: {}", who.scope);
    RuntimeIdentity::new(who.agent.clone(), scope, who.id.as_str())
}

impl RelayedFacts {
    /// The publishable facts of a shared session: its project by name, and no links to other
    /// sessions. The sharing device publishes no more, and the reader accepts no more.
    #[must_use]
    pub fn shared(self) -> Self {
        let name = |path: String| {
            let name = path.trim_end_matches('/').rsplit('/').next();
            name.map(str::to_owned).unwrap_or_default()
        };
        Self {
            project: self.project.map(name).filter(|it| !it.is_empty()),
            parent: None,
            forked_from: None,
            handed_from: None,
            first_record: None,
            uncopied_since: None,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replication::Name;
    use crate::{AgentId, SessionId, Timestamp};

    fn who(scope: &str) -> RuntimeIdentity {
        RuntimeIdentity::new(AgentId::new("toy"), scope, "a")
    }

    #[test]
    fn every_device_speaks_of_sessions_of_its_own() {
        let ours = who("");
        let of = |device: &str| as_shared(device, &ours).session();
        assert_ne!(of("dev-1"), ours.session());
        assert_ne!(of("dev-1"), of("dev-2"));
        assert_eq!(of("dev-1"), of("dev-1"));
        assert_eq!(as_shared("dev-1", &ours).id, ours.id);
    }

    #[test]
    fn a_path_that_names_a_session_stays_here() {
        assert_eq!(as_told(&who("")), who(""));
        let told = as_told(&who("dev:/home/ann/goose.db"));
        assert!(!told.scope.contains("ann"), "{told:?}");
        assert_ne!(told.session(), as_told(&who("dev:/home/ann/other.db")).session());
    }

    #[test]
    fn nothing_ties_a_shared_session_to_others() {
        let facts = RelayedFacts {
            project: Some("/home/ann/app/".into()),
            branch: Some("main".into()),
            parent: Some(Name::of(&who(""))),
            forked_from: Some(Name::of(&who(""))),
            handed_from: Some(SessionId::from_bytes([1; 16])),
            first_record: Some([1; 16]),
            uncopied_since: Some(Timestamp::UNIX_EPOCH),
            ..RelayedFacts::default()
        };
        let expected = RelayedFacts {
            project: Some("app".into()),
            branch: Some("main".into()),
            ..RelayedFacts::default()
        };
        assert_eq!(facts.shared(), expected);
        let root = RelayedFacts { project: Some("/".into()), ..RelayedFacts::default() };
        assert_eq!(root.shared(), RelayedFacts::default());
    }
}

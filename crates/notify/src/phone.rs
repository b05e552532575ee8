//! What a phone may answer: which buttons a notification gets, and what a press does.

use crate::channel::Channel;
use crate::links::{Link, LinkAction, Links};
use taffrail_model::Timestamp;
use taffrail_model::approval::{Approval, ApprovalId, State};
use taffrail_model::notices::{Notice, NoticeKind};
use taffrail_model::rules::RiskLevel;

/// The parts of the daemon that a phone's answer needs.
pub struct Phone {
    /// The one-time links.
    pub links: Links,
    /// An open request.
    pub request: RequestOf,
    /// Carries out a link that was used; the words are for the person who pressed.
    pub answer: AnswerOf,
}

/// Returns an open request.
pub type RequestOf = Box<dyn Fn(&ApprovalId) -> Option<PhoneRequest> + Send + Sync>;
/// Decides as a link says.
pub type AnswerOf = Box<dyn Fn(&Link) -> Result<String, String> + Send + Sync>;

/// An open request, as far as a phone needs it.
#[derive(Debug, Clone)]
pub struct PhoneRequest {
    /// The request.
    pub approval: Approval,
    /// Its command says everything: there is no other field that matters.
    pub is_plain: bool,
}

impl std::fmt::Debug for Phone {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Phone")
    }
}

/// The tokens for the buttons of a notification.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Buttons {
    /// The request they are about.
    pub(crate) approval: Option<ApprovalId>,
    pub(crate) allow: Option<String>,
    pub(crate) deny: Option<String>,
    pub(crate) open: Option<String>,
}

impl PhoneRequest {
    /// Whether one press may allow it. The pages ask twice about what is risky or longer than is
    /// kept, so no link allows it.
    #[must_use]
    pub fn may_be_allowed(&self) -> bool {
        self.is_plain && !self.approval.truncated && !self.is_risky()
    }

    fn is_risky(&self) -> bool {
        self.approval.risk == RiskLevel::High.as_str()
    }
}

impl Phone {
    /// The buttons of a notification that is about one request. It is allowed by a press only if the
    /// notification shows it whole.
    pub(crate) fn buttons(&self, notice: &Notice, channel: Channel, now: Timestamp) -> Buttons {
        let [about] = notice.about.as_slice() else { return Buttons::default() };
        let request = about.approval_id.as_ref().and_then(|it| (self.request)(it));
        let Some(request) = request.filter(|it| it.approval.state == State::Pending) else {
            return Buttons::default();
        };
        let issue = |action: LinkAction| {
            let Approval { id, input_hash, .. } = &request.approval;
            let (approval, input_hash) = (id.clone(), input_hash.clone());
            self.links.issue(Link { approval, input_hash, action, channel }, now)
        };
        let is_risky = request.is_risky() || about.kind == NoticeKind::Risky;
        let is_whole = about.says == format!("Asks for: {}", request.approval.command.trim());
        let may_allow = channel.may_allow() && !is_risky && is_whole && request.may_be_allowed();
        Buttons {
            approval: Some(request.approval.id.clone()),
            allow: may_allow.then(|| issue(LinkAction::Allow)),
            deny: (!is_risky).then(|| issue(LinkAction::Deny)),
            open: Some(issue(LinkAction::Open)),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::channels::tests::notice;
    use std::sync::{Arc, Mutex};
    use taffrail_model::notices::About;

    /// An open request for a command.
    pub(crate) fn request(command: &str, risk: &str) -> PhoneRequest {
        let approval: Approval = serde_json::from_value(serde_json::json!({
            "id": "a1", "session_id": "00000000000000000000000000000001", "agent": "parrot",
            "runtime_session_id": "s", "tool": "Bash", "command": command, "input_hash": "hash",
            "risk": risk, "state": "pending", "outcome": null,
            "asked_at": "1970-01-01T00:00:00Z", "expires_at": "1970-01-02T00:00:00Z",
            "sources": ["hook"], "call": null, "verdict": null,
        }))
        .unwrap();
        PhoneRequest { approval, is_plain: true }
    }

    /// A notice about it.
    pub(crate) fn asks(command: &str) -> Notice {
        let notice = notice("api waits for you", &format!("Asks for: {command}"));
        let about = notice.about.into_iter();
        let about = about.map(|it| About { approval_id: Some(ApprovalId::new("a1")), ..it });
        Notice { about: about.collect(), ..notice }
    }

    /// A phone that knows this request, and what was answered.
    pub(crate) fn phone(request: Option<PhoneRequest>) -> (Arc<Phone>, Arc<Mutex<Vec<Link>>>) {
        let answered = Arc::new(Mutex::new(Vec::new()));
        let all = answered.clone();
        let phone = Phone {
            links: Links::new([7; 32]),
            request: Box::new(move |id| request.clone().filter(|it| it.approval.id == *id)),
            answer: Box::new(move |link| {
                all.lock().unwrap().push(link.clone());
                Ok("Allowed.".to_owned())
            }),
        };
        (Arc::new(phone), answered)
    }

    #[test]
    fn a_press_allows_only_what_was_shown_whole_and_is_not_risky() {
        let by = |channel: Channel, request: PhoneRequest, notice: &Notice, expected: [bool; 3]| {
            let (phone, _) = phone(Some(request));
            let it = phone.buttons(notice, channel, Timestamp::UNIX_EPOCH);
            let found = [it.allow.is_some(), it.deny.is_some(), it.open.is_some()];
            assert_eq!(found, expected, "{notice:?}");
        };
        let check = |request: PhoneRequest, notice: &Notice, expected: [bool; 3]| {
            by(Channel::Telegram, request.clone(), notice, expected);
            // Who may read the topic has its links: none of them allows.
            by(Channel::Ntfy, request, notice, [false, expected[1], expected[2]]);
        };
        let plain = || request("npm test", "low");
        check(plain(), &asks("npm test"), [true, true, true]);
        check(request("npm test", "high"), &asks("npm test"), [false, false, true]);
        let mut risky = asks("npm test");
        risky.about[0].kind = NoticeKind::Risky;
        check(plain(), &risky, [false, false, true]);
        check(request("npm test\nrm -rf x", "low"), &asks("npm test …"), [false, true, true]);
        let fields = PhoneRequest { is_plain: false, ..plain() };
        check(fields, &asks("npm test"), [false, true, true]);
        let mut cut = plain();
        cut.approval.truncated = true;
        check(cut, &asks("npm test"), [false, true, true]);
        let mut gone = plain();
        gone.approval.state = State::DialogOnly;
        check(gone, &asks("npm test"), [false, false, false]);
        let mut two = asks("npm test");
        two.about.extend(two.about.clone());
        check(plain(), &two, [false, false, false]);
        check(plain(), &notice("api is done", "done"), [false, false, false]);
    }
}

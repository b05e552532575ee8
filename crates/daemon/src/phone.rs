//! Answers from a phone: a one-time link becomes a decision of the broker, as every other answer.

use taffrail_approvals::Broker;
use taffrail_context::{Live, Settings};
use taffrail_model::approval::{Approval, ApprovalId, Decision, Verdict};
use taffrail_model::caller::{Caller, Who};
use taffrail_model::redact::redact;
use taffrail_model::terminal;
use taffrail_notify::{Link, LinkAction, Links, Phone, PhoneRequest};

/// Fields that say nothing about what a command does.
const PLAIN: [&str; 3] = ["command", "description", "timeout"];
/// The longest text of a request that a page shows, in characters.
const TEXT: usize = 20_000;

/// Links that end with this daemon; `None` without random bytes.
pub(crate) fn links(settings: &Settings) -> Option<Links> {
    let draw = settings.hub.draw?;
    let mut key = [0; 32];
    draw(&mut key);
    Some(Links::new(key))
}

/// What the channels to phones need of the daemon.
pub(crate) fn phone(links: Links, (live, broker): (Live, Broker)) -> Phone {
    let asked = broker.clone();
    Phone {
        links,
        request: Box::new(move |id| open_request(&asked, id)),
        answer: Box::new(move |link| answer_link(&live, &broker, link)),
    }
}

/// The title and the text of an open request, without what looks like a secret.
#[must_use]
pub fn shown_request(broker: &Broker, id: &ApprovalId) -> Option<(String, String)> {
    let it = open_request(broker, id)?;
    let row = broker.row(it.approval);
    let project = row.project_path.as_deref().and_then(|it| it.rsplit('/').next());
    let title = format!("{}: {}", project.unwrap_or(row.agent.as_str()), row.tool);
    let fields = row.input.filter(|_| !it.is_plain);
    let fields = fields.and_then(|it| serde_json::to_string_pretty(&it.fields).ok());
    let text = [Some(row.command), fields].into_iter().flatten().collect::<Vec<_>>().join("\n\n");
    Some((terminal::line(&redact(&title)), plain(&text)))
}

/// Text for a person, without secrets and without characters that hide some of it.
fn plain(text: &str) -> String {
    // A removed character may have split a secret.
    let cleaned = terminal::clean(&redact(text)).into_owned();
    let text = redact(&cleaned);
    match text.char_indices().nth(TEXT) {
        Some((end, _)) => format!("{}\n… it is longer", text.get(..end).unwrap_or_default()),
        None => text.into_owned(),
    }
}

fn open_request(broker: &Broker, id: &ApprovalId) -> Option<PhoneRequest> {
    let approval = broker.open_requests().into_iter().find(|it| it.id == *id)?;
    let input = broker.row(approval.clone()).input;
    let is_plain = input.is_some_and(|it| {
        let fields = it.fields.as_object();
        !it.cut && fields.is_some_and(|it| it.keys().all(|key| PLAIN.contains(&key.as_str())))
    });
    Some(PhoneRequest { approval, is_plain })
}

/// Carries out a link that was used; the words are for the person who pressed.
///
/// # Errors
/// Why nothing was decided.
pub fn answer_link(live: &Live, broker: &Broker, link: &Link) -> Result<String, String> {
    let decision = match link.action {
        LinkAction::Allow => Decision::Allow,
        LinkAction::Deny => Decision::Deny,
        LinkAction::Open => return Err("This link only shows a request.".to_owned()),
    };
    // A request that is gone is refused below, where it is known who decided.
    if let Some(it) = open_request(broker, &link.approval) {
        check(&it, link)?;
    }
    let because = format!("a one-time link that was sent by {}", link.channel);
    let who = Who::elsewhere(Caller::Person, "phone link", &because);
    let at = (live.settings().now)();
    let (by, why, rule) = ("phone".to_owned(), None, None);
    let verdict = Verdict { decision, by, why, rule, at, who: Some(who) };
    let done: Result<Approval, _> = broker.decide(link.approval.as_str(), verdict);
    match done {
        Ok(_) if link.action == LinkAction::Allow => Ok("Allowed.".to_owned()),
        Ok(_) => Ok("Denied.".to_owned()),
        Err(error) => Err(format!("Nothing was decided: {error}.")),
    }
}

/// A link answers exactly what was shown with it.
fn check(it: &PhoneRequest, link: &Link) -> Result<(), String> {
    if it.approval.input_hash != link.input_hash {
        return Err("The request has changed since this link was sent.".to_owned());
    }
    if link.action == LinkAction::Allow && !link.channel.may_allow() {
        return Err(format!("A link sent by {} does not allow: open the request.", link.channel));
    }
    if link.action == LinkAction::Allow && !it.may_be_allowed() {
        return Err("This request is not allowed by a link: open it on a screen.".to_owned());
    }
    Ok(())
}

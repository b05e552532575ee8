//! Prompts for sessions on other devices: sent under their local id, accepted once there, and
//! followed by receipts.

use super::{ledger, name_of, push, read, takes_orders, written};
use crate::error::DevicesError;
use crate::link::ExchangeHandle;
use serde::{Deserialize, Serialize};
use taffrail_context::Error;
use taffrail_context::Settings;
use taffrail_model::message::{Delivery, Happening, Message, Sender, TEXT_LIMIT};
use taffrail_model::replication::device_of;
use taffrail_model::text::cut;
use taffrail_model::{DeviceId, EventId, SessionId};
use taffrail_store::{IndexReader, Ledger, PromptState, QUEUE_LIMIT, RemotePrompt};
use taffrail_sync::exchange::Item;
use taffrail_team::ThisDevice;

/// The longest accepted reason, in bytes.
const REASON: usize = 4_000;

/// How far a prompt has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Progress {
    state: Delivery,
    why: Option<String>,
    heard_as: Option<EventId>,
}

impl Progress {
    fn of(it: &Message) -> Self {
        Self { state: it.state.clone(), why: it.why.clone(), heard_as: it.heard_as }
    }

    fn failed(why: String) -> Self {
        Self { state: Delivery::Failed, why: Some(why), heard_as: None }
    }

    /// Whether the sender may need another receipt after this one.
    fn prompt_state(&self) -> PromptState {
        match self.state {
            Delivery::Accepted | Delivery::Delivering | Delivery::Delivered => PromptState::Open,
            _ => PromptState::Closed,
        }
    }

    /// The same progress as steps of the sender's message.
    fn steps(&self, device: &str) -> Vec<Happening> {
        let why = cut(self.why.as_deref().unwrap_or_default(), REASON);
        let on = |why: &str| match why {
            "" => format!("{device} has it"),
            why => format!("{device}: {why}"),
        };
        let begun = Happening::Begun(format!("device:{device}"));
        match (&self.state, self.heard_as) {
            (Delivery::Accepted | Delivery::Delivering, _) => vec![Happening::NotNow(on(why))],
            (Delivery::Delivered, _) => vec![begun, Happening::PutIn],
            (Delivery::PickedUp, Some(event)) => vec![begun, Happening::Heard(event)],
            (Delivery::Removed, _) => vec![Happening::Broken(on("it was taken back there"))],
            (_, _) => vec![Happening::Broken(on(why))],
        }
    }
}

/// The device a session runs on, if that is another one.
pub fn home_of(settings: &Settings, session: SessionId) -> Result<Option<DeviceId>, Error> {
    let Some(index) = IndexReader::open(&settings.data)? else { return Ok(None) };
    Ok(index.session_by_id(session)?.and_then(|it| device_of(&it.source_uri)))
}

/// Sends a prompt to a session of another device; receipts report its progress.
pub fn send(
    handle: &ExchangeHandle,
    (device, session): (&DeviceId, SessionId),
    (from, text): (Sender, String),
) -> Result<Message, DevicesError> {
    if text.trim().is_empty() || text.len() > TEXT_LIMIT {
        return Err(Error::NoMessage.into());
    }
    let settings = handle.settings();
    taffrail_team::own(settings)?.check_current()?;
    crate::hubs::address(settings)?;
    let mut ledger = ledger(settings)?;
    let taken = ledger.accept_message(session, (from, text.clone()), (settings.now)())?;
    let full = || Error::Unsent(format!("{QUEUE_LIMIT} messages wait for it already"));
    let message = taken.ok_or_else(full)?;
    let (to, id) = (device.clone(), message.id.to_string());
    let message = on_its_way(&mut ledger, message, &settings.devices.name_of(device), settings)?;
    push(handle, &mut ledger, &[Item::Prompt { to, session, id, text }])?;
    Ok(message)
}

/// Marks a prompt as on its way until the other device confirms it.
fn on_its_way(
    ledger: &mut Ledger,
    message: Message,
    device: &str,
    settings: &Settings,
) -> Result<Message, DevicesError> {
    let why = format!("{device} has not taken it yet; it does when it is on and reaches the hub");
    let Some(next) = message.after(&Happening::NotNow(why), (settings.now)()) else {
        return Ok(message);
    };
    Ok(if ledger.move_message(&message, &next)? { next } else { message })
}

/// Applies prompts for this device, and receipts for those it sent.
pub(super) fn hear(
    handle: &ExchangeHandle,
    own: &ThisDevice,
    (from, items): (&DeviceId, &[&Item]),
) -> Result<(), DevicesError> {
    for item in items {
        match item {
            Item::Prompt { to, session, id, text } if *to == own.id => {
                take(handle, (own, from), (*session, id, text))?;
            }
            Item::Receipt { to, id, body } if *to == own.id => {
                follow(handle, &name_of(own, from), (from, id, body))?;
            }
            _ => {}
        }
    }
    Ok(())
}

/// Accepts a prompt once. A refusal is reported to the sender, too.
fn take(
    handle: &ExchangeHandle,
    (own, from): (&ThisDevice, &DeviceId),
    (session, id, text): (SessionId, &str, &str),
) -> Result<(), DevicesError> {
    let _alone = handle.state().alone();
    let mut ledger = ledger(handle.settings())?;
    // Saved before it is accepted, so that a crash in between cannot accept it twice.
    if !ledger.remote_prompts().begin(from, id)? {
        return Ok(());
    }
    let (device, id) = (from.clone(), id.to_owned());
    let new = RemotePrompt { device, id, message: None, progress: None };
    let sender =
        Sender { session_id: None, peer_id: Some(format!("device:{}", name_of(own, from))) };
    match admit(handle, session, (sender, text.to_owned())) {
        Ok(message) => {
            let taken = RemotePrompt { message: Some(message.id.to_string()), ..new };
            Ok(ledger.remote_prompts().note(&taken, PromptState::Open)?)
        }
        Err(DevicesError::Question(Error::Unsent(why))) => refuse(handle, &mut ledger, new, why),
        Err(DevicesError::Question(Error::NoMessage)) => {
            refuse(handle, &mut ledger, new, "it is empty or too long".to_owned())
        }
        Err(error) => Err(error),
    }
}

fn refuse(
    handle: &ExchangeHandle,
    ledger: &mut Ledger,
    it: RemotePrompt,
    why: String,
) -> Result<(), DevicesError> {
    let body = written(&Progress::failed(why))?;
    push(handle, ledger, &[receipt(&it, &body)])?;
    let told = RemotePrompt { progress: Some(body), ..it };
    Ok(ledger.remote_prompts().note(&told, PromptState::Closed)?)
}

fn admit(
    handle: &ExchangeHandle,
    session: SessionId,
    said: (Sender, String),
) -> Result<Message, DevicesError> {
    if !takes_orders(handle.settings(), session)? {
        let why = "no prompts from other devices are taken for this project (`sync.remote`)";
        return Err(Error::Unsent(why.to_owned()).into());
    }
    Ok(handle.accept(session, said)?)
}

fn receipt(it: &RemotePrompt, body: &str) -> Item {
    Item::Receipt { to: it.device.clone(), id: it.id.clone(), body: body.to_owned() }
}

/// Sends receipts for prompts whose progress changed.
pub(super) fn tell(handle: &ExchangeHandle, ledger: &mut Ledger) -> Result<(), DevicesError> {
    let _alone = handle.state().alone();
    let mut changed = Vec::new();
    for it in ledger.remote_prompts().open()? {
        let now = progress_of(ledger, &it)?;
        if it.progress.as_deref().and_then(read).as_ref() != Some(&now) {
            let progress = Some(written(&now)?);
            changed.push((RemotePrompt { progress, ..it }, now.prompt_state()));
        }
    }
    let body = |it: &RemotePrompt| it.progress.clone().unwrap_or_default();
    let items: Vec<Item> = changed.iter().map(|(it, _)| receipt(it, &body(it))).collect();
    push(handle, ledger, &items)?;
    let note = |(it, state): &(RemotePrompt, PromptState)| ledger.remote_prompts().note(it, *state);
    Ok(changed.iter().try_for_each(note)?)
}

fn progress_of(ledger: &Ledger, it: &RemotePrompt) -> Result<Progress, DevicesError> {
    let message = it.message.as_deref().map(|id| ledger.message(id)).transpose()?.flatten();
    let lost = || Progress::failed("nobody knows what became of it".to_owned());
    Ok(message.as_ref().map_or_else(lost, Progress::of))
}

/// Applies a receipt from the device that a prompt was sent to.
fn follow(
    handle: &ExchangeHandle,
    device: &str,
    (from, id, body): (&DeviceId, &str, &str),
) -> Result<(), DevicesError> {
    let settings = handle.settings();
    let mut ledger = ledger(settings)?;
    // A later version may report progress that this one cannot read.
    let (Ok(progress), Some(mut message)) =
        (serde_json::from_str::<Progress>(body), ledger.message(id)?)
    else {
        return Ok(());
    };
    if home_of(settings, message.session_id)?.as_ref() != Some(from) {
        return Ok(());
    }
    for step in progress.steps(device) {
        let Some(next) = message.after(&step, (settings.now)()) else { continue };
        if ledger.move_message(&message, &next)? {
            message = next;
        }
    }
    handle.live().note_message();
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_model::{RecordKey, RuntimeIdentity, Timestamp};

    /// The sender's view of its prompt after each receipt.
    #[test]
    fn a_prompt_follows_its_receipts_and_never_back() {
        use Delivery as D;
        let session = RuntimeIdentity::new(taffrail_model::AgentId::new("toy"), "", "s").session();
        let event = EventId::of(session, &RecordKey::Provider("e".into()), 0);
        let folder = tempfile::tempdir().unwrap();
        let mut ledger = Ledger::open(folder.path(), &DeviceId::new("d")).unwrap();
        let said = (Sender::default(), "go on".to_owned());
        let now = Timestamp::from_second(5).unwrap();
        let mut it = ledger.accept_message(session, said, now).unwrap().unwrap();
        let mut check = |state: D, why: Option<&str>, expected: (&str, Option<&str>)| {
            let heard_as = (state == D::PickedUp).then_some(event);
            let progress = Progress { state, why: why.map(str::to_owned), heard_as };
            for step in progress.steps("laptop") {
                it = it.after(&step, now).unwrap_or_else(|| it.clone());
            }
            assert_eq!((it.state.as_str(), it.why.as_deref()), expected);
        };
        check(D::Accepted, None, ("accepted", Some("laptop has it")));
        check(D::Accepted, Some("it is at work"), ("accepted", Some("laptop: it is at work")));
        check(D::Delivered, None, ("delivered", None));
        check(D::Accepted, Some("late"), ("delivered", None));
        check(D::PickedUp, None, ("picked_up", None));
        check(D::Failed, Some("no"), ("picked_up", None));
    }
}

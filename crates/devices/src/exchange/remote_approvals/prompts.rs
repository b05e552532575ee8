//! Prompts for sessions on other devices: sent under their local id, accepted once there, and
//! followed by receipts.

use super::{keep, ledger, list, name_of, push, takes_orders};
use crate::error::DevicesError;
use crate::link::ExchangeHandle;
use serde::{Deserialize, Serialize};
use taffrail_context::Error;
use taffrail_context::Settings;
use taffrail_model::message::{Delivery, Happening, Message, Sender, TEXT_LIMIT};
use taffrail_model::replication::device_of;
use taffrail_model::text::cut;
use taffrail_model::{DeviceId, EventId, SessionId};
use taffrail_store::{IndexReader, Ledger, QUEUE_LIMIT};
use taffrail_sync::exchange::Item;
use taffrail_team::ThisDevice;

/// Prompts of other devices that were accepted here, with the progress last sent to their senders.
const TAKEN: &str = "desk/prompts";
/// The longest accepted reason, in bytes.
const REASON: usize = 4_000;

/// A prompt of another device.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct ReceivedPrompt {
    from: DeviceId,
    /// The id that the sender gave it.
    id: String,
    /// The local id; `None` if the prompt was not accepted.
    message: Option<String>,
    /// The progress last sent to the sender.
    told: Option<Progress>,
}

impl ReceivedPrompt {
    fn is_open(&self) -> bool {
        !self.told.as_ref().is_some_and(Progress::is_last)
    }
}

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

    fn is_last(&self) -> bool {
        !matches!(self.state, Delivery::Accepted | Delivery::Delivering | Delivery::Delivered)
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
    let mut all: Vec<ReceivedPrompt> = list(&mut ledger, TAKEN)?;
    if all.iter().any(|it| (&it.from, it.id.as_str()) == (from, id)) {
        return Ok(());
    }
    let new = ReceivedPrompt { from: from.clone(), id: id.to_owned(), message: None, told: None };
    // Saved before it is accepted, so that a crash in between cannot accept it twice.
    all.push(new.clone());
    keep(&mut ledger, TAKEN, &all)?;
    let sender =
        Sender { session_id: None, peer_id: Some(format!("device:{}", name_of(own, from))) };
    let progress = match admit(handle, session, (sender, text.to_owned())) {
        Ok(message) => ReceivedPrompt { message: Some(message.id.to_string()), ..new },
        Err(DevicesError::Question(Error::Unsent(why))) => refused(handle, &mut ledger, new, why)?,
        Err(DevicesError::Question(Error::NoMessage)) => {
            refused(handle, &mut ledger, new, "it is empty or too long".to_owned())?
        }
        Err(error) => return Err(error),
    };
    if let Some(last) = all.last_mut() {
        *last = progress;
    }
    keep(&mut ledger, TAKEN, &all)
}

fn refused(
    handle: &ExchangeHandle,
    ledger: &mut Ledger,
    it: ReceivedPrompt,
    why: String,
) -> Result<ReceivedPrompt, DevicesError> {
    let told = Progress::failed(why);
    push(handle, ledger, &[receipt(&it, &told)?])?;
    Ok(ReceivedPrompt { told: Some(told), ..it })
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

fn receipt(it: &ReceivedPrompt, progress: &Progress) -> Result<Item, DevicesError> {
    let body = serde_json::to_string(progress).map_err(|it| Error::Bug(it.to_string()))?;
    Ok(Item::Receipt { to: it.from.clone(), id: it.id.clone(), body })
}

/// True if a sender may still need a receipt.
pub(super) fn is_any_open(ledger: &mut Ledger) -> Result<bool, DevicesError> {
    Ok(list::<ReceivedPrompt>(ledger, TAKEN)?.iter().any(ReceivedPrompt::is_open))
}

/// Sends receipts for prompts whose progress changed.
pub(super) fn tell(handle: &ExchangeHandle, ledger: &mut Ledger) -> Result<(), DevicesError> {
    let _alone = handle.state().alone();
    let mut all: Vec<ReceivedPrompt> = list(ledger, TAKEN)?;
    let mut items = Vec::new();
    for it in all.iter_mut().filter(|it| it.is_open()) {
        let now = match &it.message {
            Some(id) => ledger.message(id)?.as_ref().map(Progress::of),
            None => None,
        };
        let lost = || Progress::failed("nobody knows what became of it".to_owned());
        let now = now.unwrap_or_else(lost);
        if it.told.as_ref() != Some(&now) {
            items.push(receipt(it, &now)?);
            it.told = Some(now);
        }
    }
    if items.is_empty() {
        return Ok(());
    }
    push(handle, ledger, &items)?;
    keep(ledger, TAKEN, &all)
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

//! Taking in what another device told: kept in files of ours before anybody says it was heard.

use super::files::{self, Lines};
use super::statuses::Statuses;
use crate::events::device_of;
use crate::{DaemonError, Settings};
use std::collections::BTreeMap;
use taffrail_adapters::by_id;
use taffrail_model::relay::{Carried, Item, LINE_LIMIT, Relayed, RelayedStatus, Says, is_name};
use taffrail_model::{DeviceId, Facts, RuntimeIdentity, SessionId};
use taffrail_store::{Forgotten, Ledger, StoreError};

/// The longest name of an agent, scope or id that is believed.
const NAME_LIMIT: usize = 4096;

/// What came of hearing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Heard {
    /// Lines that were new.
    pub lines: u64,
    /// Statuses that were taken.
    pub statuses: u64,
    /// What was not believed.
    pub refused: u64,
    /// Sessions that were taken back.
    pub gone: Vec<SessionId>,
    /// Sessions of which a status was taken.
    pub stand: Vec<SessionId>,
}

/// What was told of one session.
#[derive(Default)]
struct Told {
    lines: Lines,
    gone: Option<u64>,
}

/// Takes in what a device told. When this returns, all of it is on disk; hearing it again changes
/// nothing.
///
/// # Errors
/// `UnknownDevice` when the device has no name that can be one, or is this one; when a file fails.
pub fn hear(settings: &Settings, device: &DeviceId, items: &[Item]) -> Result<Heard, DaemonError> {
    if !is_name(device.as_str()) || *device == device_of(settings)? {
        return Err(DaemonError::UnknownDevice(device.to_string()));
    }
    let ledger = Ledger::open_read_only(&settings.data)?;
    let forgotten = ledger.map(|it| it.forgotten()).transpose()?.unwrap_or_default();
    let mut heard = Heard::default();
    let mut told: BTreeMap<SessionId, Told> = BTreeMap::new();
    let mut stands = Vec::new();
    for item in items {
        match &item.carried {
            Carried::Line(line) => match believed(item.session, line, &forgotten) {
                Some(said) => told.entry(item.session).or_default().take(&said, line),
                None => heard.refused += 1,
            },
            Carried::Status(status) => stands.push((item.session, status.clone())),
        }
    }
    keep(settings, device, told, &mut heard)?;
    keep_statuses(settings, device, stands, &mut heard)?;
    Ok(heard)
}

impl Told {
    fn take(&mut self, said: &Relayed, line: &str) {
        match said.says {
            Says::Gone => self.gone = self.gone.max(Some(said.number)),
            Says::Facts(..) | Says::Event(..) | Says::Usage(..) | Says::Removed(..) => {
                let known = self.lines.entry(said.number).or_default();
                if known.as_str() < line {
                    line.clone_into(known);
                }
            }
        }
    }
}

/// The line as it is meant, if it may be believed: of bounded length, on one line, about the session it
/// came for, and not about one that was forgotten here.
fn believed(session: SessionId, line: &str, forgotten: &Forgotten) -> Option<Relayed> {
    let is_plain = line.len() <= LINE_LIMIT && !line.bytes().any(|byte| byte < b' ');
    let said = Relayed::read(line.as_bytes()).filter(|_| is_plain)?;
    let Some(who) = said.says.who() else { return Some(said) };
    let facts = match &said.says {
        Says::Facts(_, facts) => facts.as_ref().clone().meant(),
        Says::Event(..) | Says::Usage(..) | Says::Removed(..) | Says::Gone => Facts::default(),
    };
    let is_meant = who.session() == session && is_sound(who);
    (is_meant && !forgotten.holds(who, &facts)).then_some(said)
}

fn is_sound(who: &RuntimeIdentity) -> bool {
    let is_plain = |text: &str| text.len() <= NAME_LIMIT && !text.chars().any(char::is_control);
    // Documents that were given are nobody's sessions, nor is what is told of others'.
    let is_agent =
        by_id(who.agent.as_str()).is_none_or(|it| it.given().is_none() && !it.speaks_for_others());
    is_agent && is_name(who.agent.as_str()) && is_plain(&who.scope) && is_plain(who.id.as_str())
}

fn keep(
    settings: &Settings,
    device: &DeviceId,
    told: BTreeMap<SessionId, Told>,
    heard: &mut Heard,
) -> Result<(), DaemonError> {
    let folder = files::folder(&settings.data, device);
    for (session, Told { lines, gone }) in told {
        if let Some(number) = gone
            && files::take_back(&folder, session, number).map_err(StoreError::from)?
        {
            heard.gone.push(session);
        }
        heard.lines += files::add(&folder, session, lines).map_err(StoreError::from)?;
    }
    Ok(())
}

/// Keeps how sessions stand, and that the device was heard.
fn keep_statuses(
    settings: &Settings,
    device: &DeviceId,
    stands: Vec<(SessionId, RelayedStatus)>,
    heard: &mut Heard,
) -> Result<(), DaemonError> {
    let folder = files::folder(&settings.data, device);
    let mut known = Statuses::of(&folder);
    for (session, status) in stands {
        // Only of a session the device told of is it believed.
        if !folder.join(taffrail_model::relay::file(session)).exists() {
            heard.refused += 1;
        } else if known.take(session, status) {
            heard.statuses += 1;
            heard.stand.push(session);
        }
    }
    for session in &heard.gone {
        known.drop(*session);
    }
    known.heard((settings.now)());
    known.keep(&folder).map_err(|error| DaemonError::Store(error.into()))
}

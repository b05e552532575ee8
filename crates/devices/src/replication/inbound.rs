//! Applies what another device published: stored in our files before it is acknowledged.

use super::files::{self, Durability, Lines};
use crate::error::DevicesError;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use taffrail_adapters::by_id;
use taffrail_context::Error;
use taffrail_context::Settings;
use taffrail_context::remote_status as statuses;
use taffrail_model::exchange::StreamOrigin;
use taffrail_model::replication::{
    LINE_LIMIT, Order, Relayed, RelayedStatus, Says, as_shared, is_name, is_share,
};
use taffrail_model::{DeviceId, Facts, RuntimeIdentity, SessionId, StreamName};
use taffrail_store::{Forgotten, Ledger, StoreError};
use taffrail_sync::exchange::Item;

/// The longest accepted name of an agent, scope or id.
const NAME_LIMIT: usize = 4096;

/// The most shares stored of one device at a time.
const MOST_SHARES: usize = 256;

/// The result of applying items.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Applied {
    /// Lines that were new.
    pub lines: u64,
    /// Statuses that were accepted.
    pub statuses: u64,
    /// Items that were refused.
    pub refused: u64,
    /// Sessions that were removed.
    pub gone: Vec<SessionId>,
    /// Sessions with a new status.
    pub stand: Vec<SessionId>,
}

/// An item and its position in the stream, if known.
pub type Placed<'i> = (Option<Order>, &'i Item);

/// What was published about one session.
#[derive(Default)]
struct SessionUpdate {
    lines: Lines,
    gone: Option<Order>,
}

/// The status of a session, and its position in the stream.
type Stand<'i> = (SessionId, &'i RelayedStatus, Option<Order>);

/// The device that published, and where its data is stored.
struct SendingDevice<'a> {
    device: &'a DeviceId,
    /// The session was shared with us by another user.
    is_share: bool,
    folder: PathBuf,
    durability: Durability,
}

/// Applies items of a device. All of them are on disk when this returns; applying them again
/// changes nothing.
///
/// # Errors
/// `UnknownDevice` when the device has an invalid name or is this one; when a file fails.
pub fn apply(
    settings: &Settings,
    device: &DeviceId,
    items: &[Item],
) -> Result<Applied, DevicesError> {
    Inbound::default().apply(settings, device, &unplaced(items))
}

/// Applies items that a device shares in a stream. They are stored apart from all others and may
/// only concern one session of that device.
///
/// # Errors
/// As `apply`; when the stream is not a share.
pub fn apply_share(
    settings: &Settings,
    from: (&DeviceId, &StreamName),
    items: &[Item],
) -> Result<Applied, DevicesError> {
    Inbound::default().apply_share(settings, from, &unplaced(items))
}

/// Applies items from one life of a device's stream, starting at this number. Items of another life
/// remove nothing from them.
///
/// # Errors
/// As `apply`.
pub fn apply_from(
    settings: &Settings,
    (origin, first): (&StreamOrigin, u64),
    items: &[Item],
) -> Result<Applied, DevicesError> {
    let order = |number| Some(Order { life: origin.incarnation, number });
    let placed: Vec<_> = (first..).zip(items).map(|(number, it)| (order(number), it)).collect();
    Inbound::default().apply(settings, &origin.device, &placed)
}

/// Items without a stream are ordered by their numbers.
fn unplaced(items: &[Item]) -> Vec<Placed<'_>> {
    items.iter().map(|it| (None, it)).collect()
}

/// Applies items repeatedly: the ledger is opened once.
#[derive(Debug, Default)]
pub struct Inbound {
    ledger: Option<Ledger>,
}

impl Inbound {
    /// As the function `apply`.
    pub fn apply(
        &mut self,
        settings: &Settings,
        device: &DeviceId,
        items: &[Placed<'_>],
    ) -> Result<Applied, DevicesError> {
        let folder = files::folder(&settings.data, device);
        let durability = Durability::Now;
        self.take_in(
            settings,
            &SendingDevice { device, is_share: false, folder, durability },
            items,
        )
    }

    /// Applies the items of a checkpoint. All of them come again, so they need not be on disk.
    pub fn apply_checkpoint(
        &mut self,
        settings: &Settings,
        device: &DeviceId,
        items: &[Placed<'_>],
    ) -> Result<Applied, DevicesError> {
        let folder = files::folder(&settings.data, device);
        let durability = Durability::Soon;
        self.take_in(
            settings,
            &SendingDevice { device, is_share: false, folder, durability },
            items,
        )
    }

    /// As the function `apply_share`.
    pub fn apply_share(
        &mut self,
        settings: &Settings,
        (device, stream): (&DeviceId, &StreamName),
        items: &[Placed<'_>],
    ) -> Result<Applied, DevicesError> {
        if !is_share(stream.as_str()) {
            return Err(Error::UnknownDevice(format!("{device}/{stream}")).into());
        }
        let told = files::folder(&settings.data, device);
        let folder = told.join(stream.as_str());
        if !folder.exists() && files::held_shares(&told) >= MOST_SHARES {
            return Ok(Applied { refused: items.len() as u64, ..Applied::default() });
        }
        let durability = Durability::Now;
        self.take_in(settings, &SendingDevice { device, is_share: true, folder, durability }, items)
    }

    /// The sessions that were forgotten here. Fails for a device with an invalid name and for this
    /// one.
    fn forgotten(
        &mut self,
        settings: &Settings,
        device: &DeviceId,
    ) -> Result<Forgotten, DevicesError> {
        if self.ledger.is_none() {
            self.ledger = Ledger::open_read_only(&settings.data)?;
        }
        let here = self.ledger.as_ref().map(Ledger::device).transpose()?;
        if !is_name(device.as_str()) || here.as_ref() == Some(device) {
            return Err(Error::UnknownDevice(device.to_string()).into());
        }
        Ok(self.ledger.as_ref().map(Ledger::forgotten).transpose()?.unwrap_or_default())
    }

    fn take_in(
        &mut self,
        settings: &Settings,
        sender: &SendingDevice<'_>,
        items: &[Placed<'_>],
    ) -> Result<Applied, DevicesError> {
        let forgotten = self.forgotten(settings, sender.device)?;
        let mut heard = Applied::default();
        let mut told: BTreeMap<SessionId, SessionUpdate> = BTreeMap::new();
        let mut stands = Vec::new();
        let mut shared = sender.shared()?;
        for (order, item) in items {
            match item {
                Item::Line { session, line } => match sender.believed(*session, line, &forgotten) {
                    Some(said) if sender.may_speak_of(*session, &mut shared) => {
                        let told = told.entry(*session).or_default();
                        heard.refused += u64::from(!told.take(&said, line, *order));
                    }
                    Some(_) | None => heard.refused += 1,
                },
                Item::Status { session, status } => stands.push((*session, status, *order)),
                Item::Gone { .. } => match shared.filter(|_| sender.is_share) {
                    Some(session) => told.entry(session).or_default().gone = Some(Order::LAST),
                    None => heard.refused += 1,
                },
                Item::Request { .. }
                | Item::Settled { .. }
                | Item::Answer(_)
                | Item::Prompt { .. }
                | Item::Receipt { .. }
                | Item::Unknown(_) => heard.refused += 1,
            }
        }
        let gone = keep(sender, told, &mut heard)?;
        keep_statuses(settings, sender, (stands, gone), &mut heard)?;
        Ok(heard)
    }
}

impl SendingDevice<'_> {
    /// The one session of a share, if known.
    fn shared(&self) -> Result<Option<SessionId>, DevicesError> {
        match self.is_share {
            true => Ok(files::only_session(&self.folder).map_err(StoreError::from)?),
            false => Ok(None),
        }
    }

    /// A share may only concern one session, the first it named.
    fn may_speak_of(&self, session: SessionId, shared: &mut Option<SessionId>) -> bool {
        !self.is_share || *shared.get_or_insert(session) == session
    }

    /// Parses a line if it is acceptable: of limited length, on one line, about the session it came
    /// for, and not about a session that was forgotten here.
    fn believed(&self, session: SessionId, line: &str, forgotten: &Forgotten) -> Option<Relayed> {
        let is_plain = line.len() <= LINE_LIMIT && !line.bytes().any(|byte| byte < b' ');
        let said = Relayed::read(line.as_bytes()).filter(|_| is_plain)?;
        let Some(who) = said.says.who() else { return Some(said) };
        let facts = match &said.says {
            Says::Facts(_, facts) if !self.is_share => facts.as_ref().clone().meant(),
            Says::Facts(..)
            | Says::Event(..)
            | Says::Usage(..)
            | Says::Removed(..)
            | Says::Gone => Facts::default(),
        };
        let is_meant = who.session() == session && is_sound(who);
        let here = self.is_share.then(|| as_shared(self.device.as_str(), who));
        (is_meant && !forgotten.holds(here.as_ref().unwrap_or(who), &facts)).then_some(said)
    }
}

impl SessionUpdate {
    /// Adds a line; `false` if it cannot be stored.
    fn take(&mut self, said: &Relayed, line: &str, order: Option<Order>) -> bool {
        let kept = match order {
            Some(order) => order.kept(line).map(|kept| (order, kept)),
            None => Some((Order::unknown(said.number), line.to_owned())),
        };
        let Some((order, kept)) = kept else { return false };
        match said.says {
            Says::Gone => self.gone = self.gone.max(Some(order)),
            Says::Facts(..) | Says::Event(..) | Says::Usage(..) | Says::Removed(..) => {
                let known = self.lines.entry(order).or_default();
                if *known < kept {
                    *known = kept;
                }
            }
        }
        true
    }
}

fn is_sound(who: &RuntimeIdentity) -> bool {
    let is_plain = |text: &str| text.len() <= NAME_LIMIT && !text.chars().any(char::is_control);
    // Imported documents are not sessions of a device, nor are remote sessions.
    let is_agent =
        by_id(who.agent.as_str()).is_none_or(|it| it.importer().is_none() && !it.is_remote());
    is_agent && is_name(who.agent.as_str()) && is_plain(&who.scope) && is_plain(who.id.as_str())
}

/// Stores lines, and returns the sessions that were removed up to a position.
fn keep(
    sender: &SendingDevice<'_>,
    told: BTreeMap<SessionId, SessionUpdate>,
    heard: &mut Applied,
) -> Result<Vec<(SessionId, Order)>, DevicesError> {
    let (folder, mut all_gone) = (&sender.folder, Vec::new());
    for (session, SessionUpdate { lines, gone }) in told {
        if let Some(order) = gone
            && files::take_back(folder, session, order).map_err(StoreError::from)?
        {
            heard.gone.push(session);
            all_gone.push((session, order));
        }
        let added = files::add(folder, session, lines, sender.durability);
        heard.lines += added.map_err(StoreError::from)?;
    }
    Ok(all_gone)
}

/// Whether the device removed everything up to this position.
fn is_taken_back(folder: &Path, session: SessionId, order: Option<Order>) -> io::Result<bool> {
    Ok(order.is_some() && files::taken_back(folder, session)? >= order)
}

/// Stores the statuses of sessions, and the time of the device's last item.
fn keep_statuses(
    settings: &Settings,
    sender: &SendingDevice<'_>,
    (stands, gone): (Vec<Stand<'_>>, Vec<(SessionId, Order)>),
    heard: &mut Applied,
) -> Result<(), DevicesError> {
    let (data, device) = (&settings.data, sender.device);
    statuses::note_heard(data, device, (settings.now)()).map_err(StoreError::from)?;
    for (session, status, order) in stands {
        // A status counts only for a session that the device published.
        if !sender.folder.join(taffrail_model::replication::file(session)).exists() {
            heard.refused += 1;
        } else if is_taken_back(&sender.folder, session, order).map_err(StoreError::from)? {
            // It was said before the session was removed and published again.
        } else if statuses::take(data, device, (session, status.clone(), order))
            .map_err(StoreError::from)?
        {
            heard.statuses += 1;
            heard.stand.push(session);
        }
    }
    for session in gone {
        statuses::drop(data, device, session).map_err(StoreError::from)?;
    }
    Ok(())
}

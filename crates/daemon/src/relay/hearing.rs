//! Taking in what another device told: kept in files of ours before anybody says it was heard.

use super::files::{self, Lines};
use super::statuses;
use crate::{DaemonError, Settings};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use taffrail_adapters::by_id;
use taffrail_model::relay::{
    Carried, Item, LINE_LIMIT, Relayed, RelayedStatus, Says, as_shared, is_name, is_share,
};
use taffrail_model::{DeviceId, Facts, RuntimeIdentity, SessionId, StreamName};
use taffrail_store::{Forgotten, Ledger, StoreError};

/// The longest name of an agent, scope or id that is believed.
const NAME_LIMIT: usize = 4096;

/// The most shares that are held of one device at a time.
const MOST_SHARES: usize = 256;

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

/// Who told it, and where that is kept.
struct Teller<'a> {
    device: &'a DeviceId,
    /// It was shared with us, and is nobody's of this user.
    is_share: bool,
    folder: PathBuf,
}

/// Takes in what a device told. When this returns, all of it is on disk; hearing it again changes
/// nothing.
///
/// # Errors
/// `UnknownDevice` when the device has no name that can be one, or is this one; when a file fails.
pub fn hear(settings: &Settings, device: &DeviceId, items: &[Item]) -> Result<Heard, DaemonError> {
    Ears::default().hear(settings, device, items)
}

/// Takes in what a device shares in a stream. It is kept apart from all else, and speaks of one session
/// that is its own.
///
/// # Errors
/// As `hear`; when the stream is none of a share.
pub fn hear_share(
    settings: &Settings,
    from: (&DeviceId, &StreamName),
    items: &[Item],
) -> Result<Heard, DaemonError> {
    Ears::default().hear_share(settings, from, items)
}

/// Who hears again and again: the ledger is opened once.
#[derive(Debug, Default)]
pub(crate) struct Ears {
    ledger: Option<Ledger>,
}

impl Ears {
    /// As `hear`.
    pub(crate) fn hear(
        &mut self,
        settings: &Settings,
        device: &DeviceId,
        items: &[Item],
    ) -> Result<Heard, DaemonError> {
        let folder = files::folder(&settings.data, device);
        self.take_in(settings, &Teller { device, is_share: false, folder }, items)
    }

    /// As `hear_share`.
    pub(crate) fn hear_share(
        &mut self,
        settings: &Settings,
        (device, stream): (&DeviceId, &StreamName),
        items: &[Item],
    ) -> Result<Heard, DaemonError> {
        if !is_share(stream.as_str()) {
            return Err(DaemonError::UnknownDevice(format!("{device}/{stream}")));
        }
        let told = files::folder(&settings.data, device);
        let folder = told.join(stream.as_str());
        if !folder.exists() && files::held_shares(&told) >= MOST_SHARES {
            return Ok(Heard { refused: items.len() as u64, ..Heard::default() });
        }
        self.take_in(settings, &Teller { device, is_share: true, folder }, items)
    }

    /// Which sessions were forgotten here, unless the device cannot be believed anything.
    fn forgotten(
        &mut self,
        settings: &Settings,
        device: &DeviceId,
    ) -> Result<Forgotten, DaemonError> {
        if self.ledger.is_none() {
            self.ledger = Ledger::open_read_only(&settings.data)?;
        }
        let here = self.ledger.as_ref().map(Ledger::device).transpose()?;
        if !is_name(device.as_str()) || here.as_ref() == Some(device) {
            return Err(DaemonError::UnknownDevice(device.to_string()));
        }
        Ok(self.ledger.as_ref().map(Ledger::forgotten).transpose()?.unwrap_or_default())
    }

    fn take_in(
        &mut self,
        settings: &Settings,
        teller: &Teller<'_>,
        items: &[Item],
    ) -> Result<Heard, DaemonError> {
        let forgotten = self.forgotten(settings, teller.device)?;
        let mut heard = Heard::default();
        let mut told: BTreeMap<SessionId, Told> = BTreeMap::new();
        let mut stands = Vec::new();
        let mut shared = teller.shared()?;
        for item in items {
            match &item.carried {
                Carried::Line(line) => match teller.believed(item.session, line, &forgotten) {
                    Some(said) if teller.may_speak_of(item.session, &mut shared) => {
                        told.entry(item.session).or_default().take(&said, line);
                    }
                    Some(_) | None => heard.refused += 1,
                },
                Carried::Status(status) => stands.push((item.session, status.clone())),
                Carried::Gone => match shared.filter(|_| teller.is_share) {
                    Some(session) => told.entry(session).or_default().gone = Some(u64::MAX),
                    None => heard.refused += 1,
                },
            }
        }
        keep(&teller.folder, told, &mut heard)?;
        keep_statuses(settings, teller, stands, &mut heard)?;
        Ok(heard)
    }
}

impl Teller<'_> {
    /// The one session of a share, where it is known.
    fn shared(&self) -> Result<Option<SessionId>, DaemonError> {
        match self.is_share {
            true => Ok(files::only_session(&self.folder).map_err(StoreError::from)?),
            false => Ok(None),
        }
    }

    /// A share speaks of one session, the first it named.
    fn may_speak_of(&self, session: SessionId, shared: &mut Option<SessionId>) -> bool {
        !self.is_share || *shared.get_or_insert(session) == session
    }

    /// The line as it is meant, if it may be believed: of bounded length, on one line, about the session
    /// it came for, and not about one that was forgotten here.
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

fn is_sound(who: &RuntimeIdentity) -> bool {
    let is_plain = |text: &str| text.len() <= NAME_LIMIT && !text.chars().any(char::is_control);
    // Documents that were given are nobody's sessions, nor is what is told of others'.
    let is_agent =
        by_id(who.agent.as_str()).is_none_or(|it| it.given().is_none() && !it.speaks_for_others());
    is_agent && is_name(who.agent.as_str()) && is_plain(&who.scope) && is_plain(who.id.as_str())
}

fn keep(
    folder: &Path,
    told: BTreeMap<SessionId, Told>,
    heard: &mut Heard,
) -> Result<(), DaemonError> {
    for (session, Told { lines, gone }) in told {
        if let Some(number) = gone
            && files::take_back(folder, session, number).map_err(StoreError::from)?
        {
            heard.gone.push(session);
        }
        heard.lines += files::add(folder, session, lines).map_err(StoreError::from)?;
    }
    Ok(())
}

/// Keeps how sessions stand, and that the device was heard.
fn keep_statuses(
    settings: &Settings,
    teller: &Teller<'_>,
    stands: Vec<(SessionId, RelayedStatus)>,
    heard: &mut Heard,
) -> Result<(), DaemonError> {
    let (data, device) = (&settings.data, teller.device);
    statuses::note_heard(data, device, (settings.now)()).map_err(StoreError::from)?;
    for (session, status) in stands {
        // Only of a session the device told of is it believed.
        if !teller.folder.join(taffrail_model::relay::file(session)).exists() {
            heard.refused += 1;
        } else if statuses::take(data, device, (session, status)).map_err(StoreError::from)? {
            heard.statuses += 1;
            heard.stand.push(session);
        }
    }
    for session in &heard.gone {
        statuses::drop(data, device, *session).map_err(StoreError::from)?;
    }
    Ok(())
}

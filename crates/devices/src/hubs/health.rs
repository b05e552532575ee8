//! The state of the hub: as a daemon recorded it, or as a check without a daemon finds it.

use super::{Arrival, address, arrived, block_on, last_followed, open};
use crate::error::DevicesError;
use crate::error::HubFault;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::time::Duration;
use taffrail_api::{Check, CheckStatus};
use taffrail_context::Settings;
use taffrail_context::remote_status::heard_at;
use taffrail_model::Timestamp;
use taffrail_model::exchange::Outbox;
use taffrail_store::Ledger;
use taffrail_sync::Roster;
use taffrail_sync::exchange::{Health, RosterFault, State, fetch_roster, relocation_of};
use taffrail_sync::hub::AnyHub;
use taffrail_team::ThisDevice;

/// The key of the daemon's record.
const NOTE: &str = "hub/state";
/// How long `doctor` tells of a move, in seconds: two weeks.
const NEW: i64 = 14 * 24 * 3_600;
/// The timeout of a check without a daemon.
const PATIENCE: Duration = Duration::from_secs(4);

/// The state of the hub.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HubState {
    /// Nothing was exchanged so far.
    Starting,
    /// The hub is reachable and the exchange works.
    Reached,
    /// The hub cannot be reached; the daemon retries.
    Unreachable,
    /// Something fails and will not recover by itself.
    Failing,
    /// The data on the hub is no longer sealed to this device.
    Removed,
}

impl HubState {
    /// The name of the state in JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Starting => "starting",
            Self::Reached => "reached",
            Self::Unreachable => "unreachable",
            Self::Failing => "failing",
            Self::Removed => "removed",
        }
    }

    /// Derives the state from the health of an exchange.
    fn of(health: &Health) -> Self {
        let is_removed = || health.error.as_deref() == Some(&*RosterFault::NotForUs.to_string());
        match health.state {
            State::Starting => Self::Starting,
            State::UpToDate => Self::Reached,
            State::Unreachable => Self::Unreachable,
            State::Failing if is_removed() => Self::Removed,
            State::Failing => Self::Failing,
        }
    }
}

/// The state of the hub, as recorded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HubStanding {
    /// The daemon's process; `None` if a check without a daemon found this.
    pub pid: Option<u32>,
    /// The address of the hub.
    pub url: String,
    /// The state.
    pub state: HubState,
    /// When the state began.
    pub since: Timestamp,
    /// The error, if any.
    pub error: Option<String>,
    /// Why the place of blobs beside the hub does not work, if so.
    #[serde(default)]
    pub blobs: Option<String>,
}

impl HubStanding {
    /// Describes what is wrong with the hub in a few words; `None` while it works.
    #[must_use]
    pub fn trouble(&self) -> Option<&'static str> {
        match self.state {
            HubState::Starting | HubState::Reached => None,
            HubState::Unreachable => Some("the hub is not reached"),
            HubState::Failing => Some("the hub does not work"),
            HubState::Removed => Some("this device was removed from the team"),
        }
    }
}

/// The daemon's last record about the hub in use, if any.
///
/// # Errors
/// When the ledger cannot be read.
pub fn standing(settings: &Settings) -> Result<Option<HubStanding>, DevicesError> {
    let Some(url) = settings.hub.address() else { return Ok(None) };
    Ok(noted(&settings.data)?.filter(|it| it.url == url))
}

/// The same below a data folder, for any hub.
///
/// # Errors
/// When the ledger cannot be read.
pub fn noted(data: &Path) -> Result<Option<HubStanding>, DevicesError> {
    let Some(mut ledger) = Ledger::open_read_only(data)? else { return Ok(None) };
    let note = Outbox::note(&mut ledger, NOTE).map_err(HubFault::from)?;
    Ok(note.and_then(|it| serde_json::from_slice(&it).ok()))
}

/// Records the state if it changed. Returns the current state.
pub fn note(
    settings: &Settings,
    health: &Health,
    before: Option<&HubStanding>,
) -> Result<HubStanding, DevicesError> {
    let state = HubState::of(health);
    let since = before.filter(|it| it.state == state).map(|it| it.since);
    let now = HubStanding {
        pid: Some(std::process::id()),
        url: settings.hub.address().unwrap_or_default(),
        state,
        since: since.unwrap_or_else(settings.now),
        error: health.error.clone(),
        blobs: health.durable.clone(),
    };
    if before != Some(&now) {
        let mut ledger = Ledger::open(&settings.data, &settings.new_device)?;
        // Plain strings and times always serialize.
        let bytes = serde_json::to_vec(&now).unwrap_or_default();
        ledger.keep_note(NOTE, &bytes).map_err(HubFault::from)?;
    }
    Ok(now)
}

/// Checks whether the hub in use is reachable now, without a daemon.
///
/// # Errors
/// When no hub is in use, or this device has no keys.
pub fn look(settings: &Settings) -> Result<HubStanding, DevicesError> {
    let own = taffrail_team::own(settings)?;
    let url = address(settings)?;
    let found = block_on(async {
        let asked = async {
            let hub = open(settings, &url, own.roster.team(), &own.secret).await?;
            let roster = fetch_roster(&hub, &own.roster, own.secret.identity()).await?;
            gone(settings, &own, (&hub, &roster)).await
        };
        Ok(tokio::time::timeout(PATIENCE, asked).await)
    })?;
    let (state, error) = match found {
        Ok(Ok(None)) => (HubState::Reached, None),
        Ok(Ok(Some(gone))) => (HubState::Failing, Some(gone)),
        Ok(Err(HubFault::Roster(RosterFault::NotForUs))) => (HubState::Removed, None),
        Ok(Err(error)) => {
            let state =
                if error.is_retryable() { HubState::Unreachable } else { HubState::Failing };
            (state, Some(error.to_string()))
        }
        // The timeout expired.
        Err(_) => (HubState::Unreachable, Some("no answer in time".to_owned())),
    };
    let url = settings.hub.address().unwrap_or_default();
    Ok(HubStanding { pid: None, url, state, since: (settings.now)(), error, blobs: None })
}

/// What to say if the team went from this hub to another.
async fn gone(
    settings: &Settings,
    own: &ThisDevice,
    (hub, roster): (&AnyHub, &Roster),
) -> Result<Option<String>, HubFault> {
    let Some(found) = relocation_of(hub, roster, own.secret.identity()).await? else {
        return Ok(None);
    };
    let fix = match arrived(settings, own, &found).await {
        Ok(Arrival::NotThere) | Err(_) => return Ok(None),
        Ok(Arrival::There(_)) => "taffrail daemon start".to_owned(),
        Ok(Arrival::ByHand(_, to)) => format!("taffrail hub use '{to}'"),
        Ok(Arrival::Sealed) => "taffrail hub use ADDRESS".to_owned(),
    };
    Ok(Some(format!("the team goes to another hub: {fix}")))
}

/// Another device of the team, and when its last item arrived.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeardDevice {
    /// The name of the device.
    pub name: String,
    /// The user of the device.
    pub user: String,
    /// When its last item arrived, if any did.
    pub heard_at: Option<Timestamp>,
}

/// The other devices of this device's user: those whose items are applied.
///
/// # Errors
/// When this device has no keys.
pub fn heard(settings: &Settings) -> Result<Vec<HeardDevice>, DevicesError> {
    let own = taffrail_team::own(settings)?;
    let members = own.roster.members().filter(|it| it.is_current() && it.device.id != own.id);
    let ours = members.filter(|it| it.device.user == own.user);
    let told = ours.map(|it| HeardDevice {
        name: it.device.name.clone(),
        user: it.device.user.clone(),
        heard_at: heard_at(&settings.data, &it.device.id),
    });
    Ok(told.collect())
}

/// The hub's entry in `doctor`; `None` if no hub is in use.
///
/// # Errors
/// When the ledger cannot be read.
pub fn doctor_check(settings: &Settings) -> Result<Option<Check>, DevicesError> {
    if settings.hub.address().is_none() {
        return Ok(None);
    }
    let noted = standing(settings)?;
    let (status, fix) = match noted.as_ref().map(|it| it.state) {
        None | Some(HubState::Starting) => (CheckStatus::Warning, Some("taffrail daemon restart")),
        Some(HubState::Reached) => (CheckStatus::Ok, None),
        Some(HubState::Unreachable) => (CheckStatus::Warning, Some("taffrail hub")),
        Some(HubState::Failing) => (CheckStatus::Failed, Some("taffrail hub doctor")),
        Some(HubState::Removed) => (CheckStatus::Failed, Some("taffrail hub")),
    };
    let said = noted.as_ref().and_then(HubStanding::trouble).map(str::to_owned);
    let said = said.unwrap_or_else(|| match &noted {
        Some(it) if it.state == HubState::Reached => "reached".to_owned(),
        _ => "no daemon has reached it yet".to_owned(),
    });
    let noted_blobs = noted.as_ref().and_then(|it| it.blobs.clone());
    let why = noted.and_then(|it| it.error).map(|it| format!(": {it}")).unwrap_or_default();
    let blobs = noted_blobs.map(|it| format!("; segments cannot be stored: {it}"));
    let status = match (status, &blobs) {
        (CheckStatus::Ok, Some(_)) => CheckStatus::Warning,
        (status, _) => status,
    };
    let moved = moved_here(settings)?;
    let evidence = format!("{said}{why}{}{moved}", blobs.unwrap_or_default());
    Ok(Some(Check { id: "hub".to_owned(), status, evidence, fix: fix.map(str::to_owned) }))
}

/// From where the team came, for two weeks.
fn moved_here(settings: &Settings) -> Result<String, DevicesError> {
    let here = settings.hub.address();
    let last = last_followed(settings)?.filter(|it| Some(&it.to) == here.as_ref());
    let is_new = |at: Timestamp| (settings.now)().as_second() - at.as_second() < NEW;
    Ok(last.filter(|it| is_new(it.at)).map_or_else(String::new, |it| {
        format!("; the team moved here from {} on {} (UTC)", it.from, it.at.strftime("%Y-%m-%d"))
    }))
}

//! How it stands with the hub: what a daemon noted, and what a look without one finds.

use super::{address, block_on, open};
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
use taffrail_sync::exchange::{Health, RosterFault, State, fetch_roster};

/// Where a daemon notes it.
const NOTE: &str = "hub/state";
/// How long a look without a daemon may take.
const PATIENCE: Duration = Duration::from_secs(4);

/// How it stands with the hub.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum HubState {
    /// Nothing was carried yet.
    Starting,
    /// It is reached, and carries.
    Reached,
    /// It cannot be reached; it is tried again.
    Unreachable,
    /// Something does not work, and will not by itself.
    Failing,
    /// What is on it is not sealed to this device any more.
    Removed,
}

impl HubState {
    /// As programs read it.
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

    /// What the health of an exchange means.
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

/// What a daemon noted of the hub.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HubStanding {
    /// The daemon's process; none where a look without a daemon found it.
    pub pid: Option<u32>,
    /// The hub it is about.
    pub url: String,
    /// How it stands.
    pub state: HubState,
    /// Since when.
    pub since: Timestamp,
    /// What is wrong, while something is.
    pub error: Option<String>,
}

impl HubStanding {
    /// What is wrong with the hub, in a few words; nothing while all is well.
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

/// What the daemon noted last of the hub in use, if it did.
///
/// # Errors
/// When the ledger cannot be read.
pub fn standing(settings: &Settings) -> Result<Option<HubStanding>, DevicesError> {
    let Some(url) = &settings.hub.url else { return Ok(None) };
    Ok(noted(&settings.data)?.filter(|it| it.url == *url))
}

/// The same below a data folder, whatever hub it is about.
///
/// # Errors
/// When the ledger cannot be read.
pub fn noted(data: &Path) -> Result<Option<HubStanding>, DevicesError> {
    let Some(mut ledger) = Ledger::open_read_only(data)? else { return Ok(None) };
    let note = Outbox::note(&mut ledger, NOTE).map_err(HubFault::from)?;
    Ok(note.and_then(|it| serde_json::from_slice(&it).ok()))
}

/// Notes how it stands, where that is another than before. What it is now is given.
pub fn note(
    settings: &Settings,
    health: &Health,
    before: Option<&HubStanding>,
) -> Result<HubStanding, DevicesError> {
    let state = HubState::of(health);
    let since = before.filter(|it| it.state == state).map(|it| it.since);
    let now = HubStanding {
        pid: Some(std::process::id()),
        url: settings.hub.url.clone().unwrap_or_default(),
        state,
        since: since.unwrap_or_else(settings.now),
        error: health.error.clone(),
    };
    if before != Some(&now) {
        let mut ledger = Ledger::open(&settings.data, &settings.new_device)?;
        // Plain words and times can always be written.
        let bytes = serde_json::to_vec(&now).unwrap_or_default();
        ledger.keep_note(NOTE, &bytes).map_err(HubFault::from)?;
    }
    Ok(now)
}

/// Looks whether the hub in use is reached now, without a daemon.
///
/// # Errors
/// When no hub is in use, or this device has no keys.
pub fn look(settings: &Settings) -> Result<HubStanding, DevicesError> {
    let own = taffrail_team::own(settings)?;
    let url = address(settings)?;
    let found = block_on(async {
        let asked = async {
            let hub = open(settings, &url, own.roster.team(), &own.secret).await?;
            let roster = fetch_roster(&hub, &own.roster, own.secret.identity()).await;
            roster.map(drop).map_err(HubFault::from)
        };
        Ok(tokio::time::timeout(PATIENCE, asked).await)
    })?;
    let (state, error) = match found {
        Ok(Ok(())) => (HubState::Reached, None),
        Ok(Err(HubFault::Roster(RosterFault::NotForUs))) => (HubState::Removed, None),
        Ok(Err(error)) => {
            let state =
                if error.is_retryable() { HubState::Unreachable } else { HubState::Failing };
            (state, Some(error.to_string()))
        }
        // The time is up.
        Err(_) => (HubState::Unreachable, Some("no answer in time".to_owned())),
    };
    let url = settings.hub.url.clone().unwrap_or_default();
    Ok(HubStanding { pid: None, url, state, since: (settings.now)(), error })
}

/// Another device of the team, and when it was last heard.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct HeardDevice {
    /// What people call it.
    pub name: String,
    /// Whose it is.
    pub user: String,
    /// When something of it came here, if ever.
    pub heard_at: Option<Timestamp>,
}

/// The other devices of this device's user, which are those that are heard.
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

/// What `doctor` says of the hub; nothing where none is in use.
///
/// # Errors
/// When the ledger cannot be read.
pub fn doctor_check(settings: &Settings) -> Result<Option<Check>, DevicesError> {
    if settings.hub.url.is_none() {
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
    let why = noted.and_then(|it| it.error).map(|it| format!(": {it}")).unwrap_or_default();
    let evidence = format!("{said}{why}");
    Ok(Some(Check { id: "hub".to_owned(), status, evidence, fix: fix.map(str::to_owned) }))
}

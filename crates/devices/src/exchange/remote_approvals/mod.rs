//! Approvals across devices: a request made here can be answered on another device of the same
//! user, and a prompt from there goes into a session here if the user allowed that for the project.
//!
//! The device that runs the session makes the decision. Other devices send signed answers and
//! prompts. That device checks the sender, accepts each of them at most once, and publishes the
//! outcome.
//! Order of reading: `publish`, `mirror`, `answer`, `verify`, `prompts`.

mod answer;
mod claims;
mod mirror;
mod prompts;
mod publish;
mod verify;

pub use answer::answer;
pub(in crate::exchange) use claims::make_claims;
pub use prompts::{home_of, send};

pub(super) use publish::tell;
pub(super) use verify::judge_all;

use crate::error::DevicesError;
use crate::error::HubFault;
use crate::link::ExchangeHandle;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use taffrail_api::{Approvals, Decisions};
use taffrail_context::Error;
use taffrail_context::Settings;
use taffrail_model::approval::{Approval, Decision, State};
use taffrail_model::exchange::{Outbox, StreamOrigin};
use taffrail_model::redact::redact;
use taffrail_model::{AgentId, SessionId, Timestamp};
use taffrail_store::{IndexReader, Ledger};
use taffrail_sync::exchange::decision::is_of_same_user;
use taffrail_sync::exchange::{Item, approval_stream};
use taffrail_team::ThisDevice;

/// Lists every decision, made here or about requests of other devices, with its outcome.
///
/// # Errors
/// When the ledger cannot be read.
pub fn decisions(settings: &Settings) -> Result<Decisions, DevicesError> {
    let elsewhere = match Ledger::open_read_only(&settings.data)? {
        Some(ledger) => answer::decided_here(&ledger)?,
        None => Vec::new(),
    };
    Ok(taffrail_approvals::decisions(settings, elsewhere)?)
}

/// Lists the requests that can still be answered, on this device and on others, or all requests.
///
/// # Errors
/// When the ledger or the index cannot be read.
pub fn approvals(handle: &ExchangeHandle, all: bool) -> Result<Approvals, DevicesError> {
    let elsewhere = mirror::open_elsewhere(handle.settings())?;
    Ok(handle.broker().list(all, elsewhere)?)
}

/// A request in the words of the device that asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Asks {
    agent: AgentId,
    tool: String,
    command: String,
    input_hash: String,
    risk: String,
    asked_at: Timestamp,
    /// Something is left out: a possible secret, or text that was too long.
    #[serde(default)]
    redacted: bool,
    #[serde(default)]
    truncated: bool,
}

impl Asks {
    /// The text of a request without its secrets.
    fn of(it: &Approval) -> Self {
        let command = redact(&it.command);
        Self {
            redacted: command != it.command,
            truncated: it.truncated,
            agent: it.agent.clone(),
            tool: it.tool.clone(),
            command: command.into_owned(),
            input_hash: it.input_hash.clone(),
            risk: it.risk.clone(),
            asked_at: it.asked_at,
        }
    }
}

/// Why a request can no longer be answered from another device.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Settlement {
    state: State,
    decision: Option<Decision>,
    by: Option<String>,
    at: Option<Timestamp>,
}

/// A decision in the words of the device that made it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct AnswerBody {
    decision: Decision,
    why: Option<String>,
    /// The user interface where the decision was made.
    by: String,
}

/// How the log names a decision made on another device.
fn by_device(device: &str, face: &str) -> String {
    format!("{device} ({face})")
}

/// Applies items about requests and prompts from a device of the same user; ignores other devices.
pub(super) fn hear(
    handle: &ExchangeHandle,
    origin: &StreamOrigin,
    items: &[Item],
) -> Result<(), DevicesError> {
    let is_ours = |it: &&Item| it.history_of().is_none() && !matches!(it, Item::Unknown(_));
    let items: Vec<&Item> = items.iter().filter(is_ours).collect();
    if items.is_empty() || origin.stream != approval_stream() {
        return Ok(());
    }
    let own = taffrail_team::own(handle.settings())?;
    if !is_of_same_user(&own.roster, &own.id, &origin.device) {
        return Ok(());
    }
    mirror::hear(handle, &own, (&origin.device, &items))?;
    verify::hear(handle, &own, (&origin.device, &items))?;
    prompts::hear(handle, &own, (&origin.device, &items))
}

/// True if other devices may answer requests and send prompts for this session.
fn takes_orders(settings: &Settings, session: SessionId) -> Result<bool, DevicesError> {
    let Some(index) = IndexReader::open(&settings.data)? else { return Ok(false) };
    let row = index.session_by_id(session)?;
    Ok(row.is_some_and(|it| settings.sync.takes_orders(it.project_path.as_deref())))
}

/// The name of another device.
fn name_of(own: &ThisDevice, device: &taffrail_model::DeviceId) -> String {
    let member = own.roster.member(device);
    member.map_or_else(|| device.to_string(), |it| it.device.name.clone())
}

fn ledger(settings: &Settings) -> Result<Ledger, DevicesError> {
    Ok(Ledger::open(&settings.data, &settings.new_device)?)
}

/// Puts items into the approvals stream.
fn push(handle: &ExchangeHandle, ledger: &mut Ledger, items: &[Item]) -> Result<(), DevicesError> {
    if items.is_empty() {
        return Ok(());
    }
    let bytes: Vec<Vec<u8>> = items.iter().map(Item::to_bytes).collect();
    ledger.push(&approval_stream(), &bytes, (handle.settings().now)()).map_err(HubFault::from)?;
    handle.state().nudge();
    Ok(())
}

/// Reads a stored record. One that a later version wrote is left out.
fn read<T: DeserializeOwned>(body: &str) -> Option<T> {
    serde_json::from_str(body)
        .inspect_err(|error| {
            let place = error.column();
            tracing::warn!(place, "cannot read a record about another device");
        })
        .ok()
}

/// The stored form of a record.
fn written(record: &impl Serialize) -> Result<String, DevicesError> {
    serde_json::to_string(record).map_err(|error| Error::Bug(error.to_string()).into())
}

//! The desk across devices: what is asked here can be answered on another device of the same user, and
//! a prompt from there goes into a session here, where the user allowed that for the project.
//!
//! The device a session runs on decides alone what is let out. Others send answers and prompts under
//! their signature; it looks whose they are, takes each at most once, and tells what became of it.
//! Order of reading: `telling`, `kept`, `answering`, `judging`, `prompts`.

mod answering;
mod judging;
mod kept;
mod prompts;
mod telling;

pub(crate) use answering::answer;
pub(crate) use kept::open_elsewhere;
pub(crate) use prompts::{home_of, send};

pub(super) use judging::judge_all;
pub(super) use telling::tell;

use crate::devices::{self, Own};
use crate::hubs::HubFault;
use crate::live::Handle;
use crate::{DaemonError, Settings};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use taffrail_model::approval::{Approval, ApprovalId, Decision, State};
use taffrail_model::exchange::{Outbox, StreamOrigin};
use taffrail_model::redact::redact;
use taffrail_model::{AgentId, SessionId, Timestamp};
use taffrail_store::{IndexReader, Ledger};
use taffrail_sync::exchange::decision::is_of_same_user;
use taffrail_sync::exchange::{Item, desk};

/// The most answers, prompts or requests that are remembered at a time.
const MOST: usize = 256;

/// A request in the words of the device that asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Asks {
    agent: AgentId,
    tool: String,
    command: String,
    input_hash: String,
    risk: String,
    asked_at: Timestamp,
}

impl Asks {
    /// The words of a request, without the secrets in them.
    fn of(it: &Approval) -> Self {
        Self {
            agent: it.agent.clone(),
            tool: it.tool.clone(),
            command: redact(&it.command).into_owned(),
            input_hash: it.input_hash.clone(),
            risk: it.risk.clone(),
            asked_at: it.asked_at,
        }
    }
}

/// Why a request cannot be answered from elsewhere any more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Settlement {
    state: State,
    decision: Option<Decision>,
    by: Option<String>,
    at: Option<Timestamp>,
}

/// A decision, in the words of the device it was made on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Said {
    decision: Decision,
    why: Option<String>,
    /// The face it was made on.
    by: String,
}

/// Who decided, as the log names somebody at another device.
fn by_device(device: &str, face: &str) -> String {
    format!("{device} ({face})")
}

/// Takes what a device of the same user said about requests and prompts. What others say is not heard.
pub(super) fn hear(
    handle: &Handle,
    origin: &StreamOrigin,
    items: &[Item],
) -> Result<(), DaemonError> {
    let is_ours = |it: &&Item| {
        !matches!(
            it,
            Item::Line { .. } | Item::Status { .. } | Item::Gone { .. } | Item::Unknown(_)
        )
    };
    let items: Vec<&Item> = items.iter().filter(is_ours).collect();
    if items.is_empty() || origin.stream != desk() {
        return Ok(());
    }
    let own = devices::own(handle.settings())?;
    if !is_of_same_user(&own.roster, &own.id, &origin.device) {
        return Ok(());
    }
    kept::hear(handle, &own, (&origin.device, &items))?;
    judging::hear(handle, &own, (&origin.device, &items))?;
    prompts::hear(handle, &own, (&origin.device, &items))
}

/// The session is one whose requests and prompts others may see to.
fn takes_orders(settings: &Settings, session: SessionId) -> Result<bool, DaemonError> {
    let Some(index) = IndexReader::open(&settings.data)? else { return Ok(false) };
    let row = index.session_by_id(session)?;
    Ok(row.is_some_and(|it| settings.sync.takes_orders(it.project_path.as_deref())))
}

/// What another device is called.
fn name_of(own: &Own, device: &taffrail_model::DeviceId) -> String {
    let member = own.roster.member(device);
    member.map_or_else(|| device.to_string(), |it| it.device.name.clone())
}

fn ledger(settings: &Settings) -> Result<Ledger, DaemonError> {
    Ok(Ledger::open(&settings.data, &settings.new_device)?)
}

/// Gives items to the stream of the desk.
fn push(handle: &Handle, ledger: &mut Ledger, items: &[Item]) -> Result<(), DaemonError> {
    if items.is_empty() {
        return Ok(());
    }
    let bytes: Vec<Vec<u8>> = items.iter().map(Item::to_bytes).collect();
    ledger.push(&desk(), &bytes, (handle.settings().now)()).map_err(HubFault::from)?;
    handle.between().nudge();
    Ok(())
}

/// A list that is kept under a name; nothing where none is, or it was written by a later version.
fn list<T: DeserializeOwned>(ledger: &mut Ledger, name: &str) -> Result<Vec<T>, DaemonError> {
    let bytes = Outbox::note(ledger, name).map_err(HubFault::from)?.unwrap_or_default();
    Ok(serde_json::from_slice(&bytes).unwrap_or_default())
}

/// Keeps a list: the last of it, where it is long.
fn keep<T: Serialize>(ledger: &mut Ledger, name: &str, all: &[T]) -> Result<(), DaemonError> {
    let last = all.get(all.len().saturating_sub(MOST)..).unwrap_or(all);
    let bytes = serde_json::to_vec(last).map_err(|error| DaemonError::Bug(error.to_string()))?;
    Ok(ledger.keep_note(name, &bytes).map_err(HubFault::from)?)
}

/// The beginning of an id fits.
fn begins(id: &ApprovalId, beginning: &str) -> bool {
    !beginning.is_empty() && id.as_str().starts_with(beginning)
}

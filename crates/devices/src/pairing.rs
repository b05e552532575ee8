//! Two devices meet at a hub with a short code: the host made it, the guest has it.

mod guest;
mod host;

pub use guest::{Arrival, Knock};
pub use host::{Host, Visitor};

use crate::error::{DevicesError, HubFault, PairingError};
use std::time::Duration;
use taffrail_context::Error;
use taffrail_sync::hub::{Mail, Mailbox, Put, Slot};
use taffrail_sync::pairing::{PairingSecret, open, seal};
use tokio::runtime::{Builder, Runtime};

/// How long a code is good: ten minutes.
const GOOD_SECONDS: i64 = 10 * 60;
/// How long the host waits until the guest has read its answer.
const GOODBYE: Duration = Duration::from_secs(20);

/// Random bytes, one call for each use.
pub type Random<'a> = &'a dyn Fn() -> Result<[u8; 32], DevicesError>;

/// A place where two devices meet. The runtime answers for the mailbox while a person thinks.
#[derive(Debug)]
struct Meeting {
    // Dropped before the runtime it works in.
    mailbox: Mailbox,
    secret: PairingSecret,
    runtime: Runtime,
}

fn runtime() -> Result<Runtime, DevicesError> {
    let built = Builder::new_multi_thread().worker_threads(1).enable_all().build();
    Ok(built.map_err(|error| Error::File(error.to_string()))?)
}

impl Meeting {
    /// Writes a message into its slot.
    fn say(
        &self,
        slot: Slot,
        message: &impl serde::Serialize,
        random: Random<'_>,
    ) -> Result<Put, DevicesError> {
        let random = random()?;
        let nonce = random.first_chunk::<24>().copied().unwrap_or_default();
        let sealed = seal((&self.secret, slot), message, nonce).map_err(PairingError::from)?;
        let put = self.runtime.block_on(self.mailbox.put(slot, sealed.into()));
        Ok(put.map_err(HubFault::from)?)
    }

    /// The message of a slot.
    fn read<T: serde::de::DeserializeOwned>(&self, slot: Slot) -> Result<Heard<T>, DevicesError> {
        let mail = self.runtime.block_on(self.mailbox.get(slot));
        let mail = match mail {
            // A moment later it may be there.
            Err(error) if error.is_retryable() => Mail::NotYet,
            mail => mail.map_err(HubFault::from)?,
        };
        Ok(match mail {
            Mail::Nobody => Heard::Nobody,
            Mail::NotYet => Heard::NotYet,
            Mail::Message(bytes) => {
                Heard::Message(open((&self.secret, slot), &bytes).map_err(PairingError::from)?)
            }
        })
    }

    fn rest(&self) {
        // A timer is made inside the runtime only.
        self.runtime.block_on(async { tokio::time::sleep(self.mailbox.pause()).await });
    }

    /// Removes what is left of the meeting.
    fn clear(&self) {
        // Best effort: the next meeting removes what stays.
        if let Err(error) = self.runtime.block_on(self.mailbox.clear()) {
            tracing::debug!(%error, "the messages of a code stay at the hub for now");
        }
    }
}

/// What was heard from the other device.
enum Heard<T> {
    Message(T),
    NotYet,
    Nobody,
}

#[cfg(test)]
mod tests;

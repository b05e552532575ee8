//! A mailbox on NATS. The server stores nothing: the device that made the code holds the messages
//! and answers requests for them, so a meeting ends with its process.
//!
//! Subjects are `taffrail-link.PLACE.get.SLOT` and `taffrail-link.PLACE.put.SLOT`; no stream has
//! them. Answers come to inboxes below `taffrail-link.inbox`, so that a server can let a device
//! with a code use these subjects and no others.

use super::{connect, fault};
use crate::hub::mailbox::{Mail, MemoryMailbox, Side, Slot, check_size};
use crate::hub::{Credentials, HubError, NatsServers, Put, Result};
use async_nats::{Client, Message, RequestErrorKind, Subscriber};
use bytes::Bytes;
use futures_util::StreamExt;
use std::collections::BTreeMap;
use tokio::task::JoinHandle;

/// The root of all subjects of meetings.
pub(super) const ROOT: &str = "taffrail-link";
const INBOX: &str = "taffrail-link.inbox";

/// A mailbox on NATS.
#[derive(Debug)]
pub struct NatsMailbox {
    client: Client,
    place: String,
    at: Place,
}

/// Where the messages are.
#[derive(Debug)]
enum Place {
    /// Here, and a task answers for them.
    Here(MemoryMailbox, JoinHandle<()>),
    /// At the other device.
    There,
}

/// What the answer of an empty mailbox says; a sealed message is longer.
const NOBODY: &[u8] = b"nobody";

impl NatsMailbox {
    pub(in crate::hub) async fn connect(
        servers: &NatsServers,
        (place, side): (&str, Side),
        credentials: &Credentials,
    ) -> Result<Self> {
        let client = connect::client(servers, credentials, INBOX).await?;
        let place = place.to_owned();
        if side == Side::Guest {
            return Ok(Self { client, place, at: Place::There });
        }
        let subscribed = client.subscribe(format!("{ROOT}.{place}.>")).await;
        let requests = subscribed.map_err(fault::unanswered)?;
        let held = MemoryMailbox::default();
        let task = tokio::spawn(answer(client.clone(), requests, held.clone()));
        let mailbox = Self { client, place, at: Place::Here(held, task) };
        mailbox.check_reached().await?;
        Ok(mailbox)
    }

    /// A server that does not allow these subjects gives no answer at all. So the device asks itself.
    async fn check_reached(&self) -> Result<()> {
        match self.ask("get", Slot::Done, Bytes::new()).await {
            Ok(Some(_)) => Ok(()),
            Ok(None) => Err(HubError::Refused(CLOSED.to_owned())),
            Err(_) if self.is_guarded() => Err(HubError::Refused(CLOSED.to_owned())),
            Err(error) => Err(error),
        }
    }

    /// Asks the device that made the code; `None` if it does not wait.
    async fn ask(&self, what: &str, slot: Slot, bytes: Bytes) -> Result<Option<Bytes>> {
        let subject = format!("{ROOT}.{}.{what}.{}", self.place, slot.as_str());
        match self.client.request(subject, bytes).await {
            Ok(answer) => Ok(Some(answer.payload)),
            Err(error) if error.kind() == RequestErrorKind::NoResponders => Ok(None),
            Err(error) => Err(fault::unanswered(error)),
        }
    }

    pub(in crate::hub) async fn put(&self, slot: Slot, bytes: Bytes) -> Result<Put> {
        check_size(&bytes)?;
        if let Place::Here(held, _) = &self.at {
            return Ok(held.put(slot, bytes));
        }
        let answer = self.ask("put", slot, bytes).await?;
        match answer.as_deref() {
            Some(b"new") => Ok(Put::New),
            Some(b"already") => Ok(Put::Already),
            Some(b"conflict") => Ok(Put::Conflict),
            Some(_) | None => {
                Err(HubError::Refused("the device that made the code does not wait".to_owned()))
            }
        }
    }

    pub(in crate::hub) async fn get(&self, slot: Slot) -> Result<Mail> {
        if let Place::Here(held, _) = &self.at {
            return Ok(held.get(slot));
        }
        let Some(answer) = self.ask("get", slot, Bytes::new()).await? else {
            return Ok(Mail::Nobody);
        };
        Ok(match answer.as_ref() {
            NOBODY => Mail::Nobody,
            b"" => Mail::NotYet,
            _ => Mail::Message(answer),
        })
    }

    /// Forgets the messages. Whoever asks afterwards learns that nobody waits: from this device
    /// while it is connected, and then from the server.
    pub(in crate::hub) fn clear(&self) {
        if let Place::Here(held, _) = &self.at {
            held.change(BTreeMap::clear);
        }
    }

    pub(in crate::hub) fn is_guarded(&self) -> bool {
        self.client.server_info().auth_required
    }
}

/// What a device says whose server does not let it answer.
const CLOSED: &str = "this server does not let devices meet: its configuration is older than this, or this device \
     is not an admin in it. Write it again with `taffrail hub config --out FILE`, and have the server read it with \
     `nats-server --signal reload`";

impl Drop for NatsMailbox {
    fn drop(&mut self) {
        if let Place::Here(_, task) = &self.at {
            task.abort();
        }
    }
}

/// Answers requests as long as the mailbox is there.
async fn answer(client: Client, mut requests: Subscriber, held: MemoryMailbox) {
    while let Some(request) = requests.next().await {
        let Some(reply) = request.reply.clone() else { continue };
        let Some(answer) = answered(&request, &held) else { continue };
        if let Err(error) = client.publish(reply, answer).await {
            tracing::debug!(%error, "cannot answer a device that has a code");
        }
    }
}

/// The answer to a request; `None` if it is not one.
fn answered(request: &Message, held: &MemoryMailbox) -> Option<Bytes> {
    let mut parts = request.subject.as_str().split('.').skip(2);
    let (what, slot) = (parts.next()?, Slot::parse(parts.next()?)?);
    match what {
        "get" => Some(match held.get(slot) {
            Mail::Message(bytes) => bytes,
            Mail::NotYet => Bytes::new(),
            Mail::Nobody => Bytes::from_static(NOBODY),
        }),
        "put" if slot.writer() == Side::Guest && check_size(&request.payload).is_ok() => {
            // Without an offer nobody waits for a request.
            if held.get(Slot::Offer) == Mail::Nobody {
                return Some(Bytes::from_static(NOBODY));
            }
            Some(match held.put(slot, request.payload.clone()) {
                Put::New => "new".into(),
                Put::Already => "already".into(),
                Put::Conflict => "conflict".into(),
            })
        }
        _ => None,
    }
}

//! Hints from plain subscriptions: the servers keep no state for an absent device. A watcher gets
//! the bytes of every entry along with its subject and drops them. It subscribes only to logs that
//! are read, so that no device is sent other devices' data.

use super::{NatsHub, fault};
use crate::hub::{Hint, Hints, HubError, KeyName, LogName, Name, Result, Watched};
use async_nats::{Message, Subscriber};
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::{SelectAll, select_all};
use std::sync::atomic::Ordering;
use taffrail_model::DeviceId;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::broadcast::{Receiver, Sender};

/// The prefixes of one team's subjects.
#[derive(Debug, Clone)]
struct Roots {
    logs: String,
    keys: String,
    beats: String,
}

/// The open subscriptions.
struct Subscriptions {
    messages: SelectAll<Subscriber>,
    roots: Roots,
    reconnected: Receiver<Hint>,
}

pub(super) async fn watch(hub: &NatsHub, watched: &Watched) -> Result<Hints> {
    let roots = Roots {
        logs: hub.layout.log_root.clone(),
        keys: hub.layout.key_root.clone(),
        beats: hub.layout.beat_root.clone(),
    };
    let reconnected = hub.reconnected.subscribe();
    let mut messages =
        vec![listen(hub, format!("{}{}>", roots.keys, watched.keys.dotted())).await?];
    for below in &watched.logs {
        messages.push(listen(hub, format!("{}{}>", roots.logs, below.dotted())).await?);
    }
    for device in &watched.beats {
        messages.push(listen(hub, format!("{}{device}", roots.beats)).await?);
    }
    // After the answer to this flush, no change is missed.
    hub.context.client().flush().await.map_err(fault::unanswered)?;
    let subscriptions = Subscriptions { messages: select_all(messages), roots, reconnected };
    Ok(Hints::fed(watched.clone(), |sender| forward(subscriptions, sender)))
}

/// Publishes a beat. A server that forbids beats makes the next call fail.
pub(super) async fn beat(hub: &NatsHub, device: &DeviceId, bytes: Bytes) -> Result<()> {
    if hub.is_mute.load(Ordering::Relaxed) {
        let why = "the server's configuration lets no beats through";
        return Err(HubError::Refused(why.to_owned()));
    }
    let subject = format!("{}{device}", hub.layout.beat_root);
    hub.context.client().publish(subject, bytes).await.map_err(fault::unanswered)
}

async fn listen(hub: &NatsHub, subject: String) -> Result<Subscriber> {
    hub.context.client().subscribe(subject).await.map_err(fault::unanswered)
}

async fn forward(mut subscriptions: Subscriptions, sender: Sender<Hint>) {
    while let Some(messages) = next_hint(&mut subscriptions).await {
        if let Some(hint) = messages
            && sender.send(hint).is_err()
        {
            return;
        }
    }
}

/// The next hint; the inner `None` is for an unknown subject, the outer one for the end.
async fn next_hint(subscriptions: &mut Subscriptions) -> Option<Option<Hint>> {
    tokio::select! {
        message = subscriptions.messages.next() => Some(hint_of(message?, &subscriptions.roots)),
        again = subscriptions.reconnected.recv() => match again {
            Ok(_) | Err(RecvError::Lagged(_)) => Some(Some(Hint::Anything)),
            Err(RecvError::Closed) => None,
        },
    }
}

fn hint_of(message: Message, roots: &Roots) -> Option<Hint> {
    let subject = message.subject.as_str();
    if let Some(device) = subject.strip_prefix(&roots.beats) {
        return Some(Hint::Beat(DeviceId::new(device), message.payload));
    }
    let log: Option<LogName> = name_of(subject, &roots.logs);
    let key = || -> Option<KeyName> { name_of(subject, &roots.keys) };
    log.map(Hint::Log).or_else(|| key().map(Hint::Key))
}

fn name_of<K>(subject: &str, root: &str) -> Option<Name<K>> {
    Name::from_dotted(subject.strip_prefix(root)?)
}

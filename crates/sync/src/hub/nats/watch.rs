//! Hints from plain subscriptions: nothing is kept on the servers for a device that is away.
//! A watcher gets the bytes of every entry along with its subject; they are dropped.

use super::{NatsHub, assets, fault, keys};
use crate::hub::{Hint, Hints, KeyName, LogName, Name, Prefix, Result};
use async_nats::Subscriber;
use futures_util::StreamExt;
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::broadcast::{Receiver, Sender};

/// What is listened to.
struct Ears {
    logs: Subscriber,
    log_root: String,
    keys: Subscriber,
    key_root: String,
    reconnected: Receiver<Hint>,
}

pub(super) async fn watch(hub: &NatsHub, below: &Prefix) -> Result<Hints> {
    let (log_root, key_root) = (assets::log_root(hub), keys::root(hub, keys::KEYS));
    let reconnected = hub.reconnected.subscribe();
    let logs = listen(hub, &log_root, below).await?;
    let keys = listen(hub, &key_root, below).await?;
    // What happens after an answer to this is heard.
    hub.context.client().flush().await.map_err(fault::unanswered)?;
    let ears = Ears { logs, log_root, keys, key_root, reconnected };
    Ok(Hints::fed(below.clone(), |sender| give(ears, sender)))
}

async fn listen(hub: &NatsHub, root: &str, below: &Prefix) -> Result<Subscriber> {
    let subject = format!("{root}{}>", below.dotted());
    hub.context.client().subscribe(subject).await.map_err(fault::unanswered)
}

async fn give(mut ears: Ears, sender: Sender<Hint>) {
    while let Some(heard) = hear(&mut ears).await {
        if let Some(hint) = heard
            && sender.send(hint).is_err()
        {
            return;
        }
    }
}

/// The next hint; nothing inside for a subject that is no name of ours, nothing at all at the end.
async fn hear(ears: &mut Ears) -> Option<Option<Hint>> {
    tokio::select! {
        message = ears.logs.next() => {
            let name: Option<LogName> = name_of(message?.subject.as_str(), &ears.log_root);
            Some(name.map(Hint::Log))
        }
        message = ears.keys.next() => {
            let name: Option<KeyName> = name_of(message?.subject.as_str(), &ears.key_root);
            Some(name.map(Hint::Key))
        }
        again = ears.reconnected.recv() => match again {
            Ok(_) | Err(RecvError::Lagged(_)) => Some(Some(Hint::Anything)),
            Err(RecvError::Closed) => None,
        },
    }
}

fn name_of<K>(subject: &str, root: &str) -> Option<Name<K>> {
    Name::from_dotted(subject.strip_prefix(root)?)
}

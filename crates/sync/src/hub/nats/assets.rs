//! What a team has on the servers: three streams, whatever the number of devices.

use super::{NatsHub, fault};
use crate::hub::{ENTRY_LIMIT, HubError, Result};
use async_nats::jetstream::context::GetStreamError;
use async_nats::jetstream::object_store::ObjectStore;
use async_nats::jetstream::stream::{Config, DiscardPolicy, StorageType, Stream};

/// Room for the headers of an entry.
pub(super) const HEADERS: usize = 1024;

/// The stream of logs.
pub(super) fn log_stream(hub: &NatsHub) -> String {
    format!("TAFFRAIL_{}", hub.team.as_str())
}

/// The bucket of keys, and the one of blobs.
pub(super) fn bucket(hub: &NatsHub) -> String {
    format!("taffrail_{}", hub.team.as_str())
}

/// The stream behind the bucket of keys.
pub(super) fn key_stream(hub: &NatsHub) -> String {
    format!("KV_{}", bucket(hub))
}

/// The subjects of logs begin like this.
pub(super) fn log_root(hub: &NatsHub) -> String {
    format!("taffrail.{}.log.", hub.team.as_str())
}

/// Makes what is missing. What is there stays as it is.
pub(super) async fn ensure(hub: &NatsHub) -> Result<()> {
    for config in [logs(hub), keys(hub), blobs(hub)] {
        let config = Config {
            storage: StorageType::File,
            num_replicas: copies(hub),
            allow_direct: true,
            discard: DiscardPolicy::New,
            ..config
        };
        hub.context.get_or_create_stream(config).await.map_err(|it| fault::making(&it))?;
    }
    Ok(())
}

fn logs(hub: &NatsHub) -> Config {
    Config {
        name: log_stream(hub),
        subjects: vec![format!("{}>", log_root(hub))],
        deny_delete: true,
        max_message_size: i32::try_from(ENTRY_LIMIT + HEADERS).unwrap_or(i32::MAX),
        ..Config::default()
    }
}

/// A key-value bucket as every client of NATS makes it.
fn keys(hub: &NatsHub) -> Config {
    Config {
        name: key_stream(hub),
        subjects: vec![format!("$KV.{}.>", bucket(hub))],
        max_messages_per_subject: 1,
        allow_rollup: true,
        deny_delete: true,
        ..Config::default()
    }
}

/// An object store as every client of NATS makes it.
fn blobs(hub: &NatsHub) -> Config {
    let bucket = bucket(hub);
    Config {
        name: format!("OBJ_{bucket}"),
        subjects: vec![format!("$O.{bucket}.C.>"), format!("$O.{bucket}.M.>")],
        allow_rollup: true,
        ..Config::default()
    }
}

/// A stream to ask things of, without asking whether it is there.
pub(super) async fn handle(hub: &NatsHub, name: String) -> Result<Stream<()>> {
    let odd = |error: GetStreamError| HubError::Refused(error.to_string());
    hub.context.get_stream_no_info(name).await.map_err(odd)
}

/// The object store of blobs.
pub(super) async fn blob_store(hub: &NatsHub) -> Result<ObjectStore> {
    hub.context.get_object_store(bucket(hub)).await.map_err(fault::unanswered)
}

fn copies(hub: &NatsHub) -> usize {
    let is_clustered = hub.context.client().server_info().cluster.is_some();
    let usual = if is_clustered { 3 } else { 1 };
    hub.servers.copies.map_or(usual, usize::from)
}

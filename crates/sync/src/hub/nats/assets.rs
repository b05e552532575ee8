//! A team's resources on the servers: three streams, whatever the number of devices.

use super::{NatsHub, fault};
use crate::hub::{ENTRY_LIMIT, HubError, Result};
use async_nats::jetstream::context::GetStreamError;
use async_nats::jetstream::stream::{Config, DiscardPolicy, StorageType, Stream};

/// Room for the headers of an entry.
pub(super) const HEADERS: usize = 1024;

/// The stream of logs.
pub(super) fn log_stream(hub: &NatsHub) -> String {
    format!("TAFFRAIL_{}", hub.team.as_str())
}

/// The prefix of the names of keys and blobs.
pub(super) fn bucket(hub: &NatsHub) -> String {
    format!("taffrail_{}", hub.team.as_str())
}

/// The stream behind the bucket of keys.
pub(super) fn key_stream(hub: &NatsHub) -> String {
    format!("KV_{}", bucket(hub))
}

/// The prefix of the subjects of logs.
pub(super) fn log_root(hub: &NatsHub) -> String {
    format!("taffrail.{}.log.", hub.team.as_str())
}

/// The prefix of the subjects of beats. No stream has them: the server stores none.
pub(super) fn beat_root(hub: &NatsHub) -> String {
    format!("taffrail.{}.beat.", hub.team.as_str())
}

/// The stream of blobs.
pub(super) fn blob_stream(hub: &NatsHub) -> String {
    format!("OBJ_{}", bucket(hub))
}

/// The prefix of the subjects of pointers to blobs.
pub(super) fn blob_root(hub: &NatsHub) -> String {
    format!("$O.{}.M.", bucket(hub))
}

/// The prefix of the subjects of the bytes of blobs.
pub(super) fn piece_root(hub: &NatsHub) -> String {
    format!("$O.{}.C.", bucket(hub))
}

/// Creates what is missing and leaves existing streams unchanged. No message in them can be
/// deleted, purged or rolled up, whatever permissions a server gives its users.
pub(super) async fn ensure(hub: &NatsHub) -> Result<()> {
    for config in [logs(hub), keys(hub), blobs(hub)] {
        let config = Config {
            storage: StorageType::File,
            num_replicas: copies(hub),
            allow_direct: true,
            discard: DiscardPolicy::New,
            deny_delete: true,
            deny_purge: true,
            allow_rollup: false,
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
        max_message_size: i32::try_from(ENTRY_LIMIT + HEADERS).unwrap_or(i32::MAX),
        ..Config::default()
    }
}

/// A key-value bucket that keeps the last value of each key.
fn keys(hub: &NatsHub) -> Config {
    Config {
        name: key_stream(hub),
        subjects: vec![format!("$KV.{}.>", bucket(hub))],
        max_messages_per_subject: 1,
        ..Config::default()
    }
}

fn blobs(hub: &NatsHub) -> Config {
    let subjects = vec![format!("{}>", piece_root(hub)), format!("{}>", blob_root(hub))];
    Config { name: blob_stream(hub), subjects, ..Config::default() }
}

/// A handle to a stream, without checking that it exists.
pub(super) async fn handle(hub: &NatsHub, name: String) -> Result<Stream<()>> {
    let odd = |error: GetStreamError| HubError::Refused(error.to_string());
    hub.context.get_stream_no_info(name).await.map_err(odd)
}

fn copies(hub: &NatsHub) -> usize {
    let is_clustered = hub.context.client().server_info().cluster.is_some();
    let usual = if is_clustered { 3 } else { 1 };
    hub.servers.copies.map_or(usual, usize::from)
}

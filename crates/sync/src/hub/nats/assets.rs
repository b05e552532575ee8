//! The streams of a team on the servers: its own from earlier versions, or those it shares.

use super::layout::Layout;
use super::{NatsHub, Reads, bound, fault};
use crate::hub::{ENTRY_LIMIT, HubError, NatsServers, Result, Team};
use async_nats::jetstream::Context;
use async_nats::jetstream::context::GetStreamError;
use async_nats::jetstream::stream::{Config, DiscardPolicy, StorageType, Stream};

/// Room for the headers of an entry.
pub(super) const HEADERS: usize = 1024;

/// Where a team's data is. An address that names a number of streams decides; otherwise a team keeps
/// the streams that an earlier version made for it.
pub(super) async fn layout(
    context: &Context,
    team: &Team,
    servers: &NatsServers,
) -> Result<Layout> {
    if let Some(of) = servers.streams {
        return Ok(Layout::shared(team, of));
    }
    let own = Layout::own(team);
    match fault::is_there(context.get_stream(&own.log_stream).await)? {
        true => Ok(own),
        false => Ok(Layout::shared(team, 1)),
    }
}

/// Creates what is missing and leaves existing streams unchanged. No message in a stream can be deleted
/// one by one or rolled up, whatever permissions a server gives its users. A team's own stream cannot be
/// purged either; a shared one can, for retention.
pub(super) async fn ensure(hub: &NatsHub) -> Result<()> {
    match hub.reads {
        Reads::Open => {
            for config in configs(hub, &hub.layout) {
                let made = hub.context.get_or_create_stream(config).await;
                made.map_err(|it| fault::making(&it))?;
            }
        }
        Reads::Bound if bound::has_streams(hub).await? => {}
        // Nobody may ask for a stream of several teams: its description names what all of them have.
        Reads::Bound => {
            for layout in Layout::cell(hub.servers.streams.unwrap_or(1)) {
                for config in configs(hub, &layout) {
                    fault::made(hub.context.create_stream(config).await)?;
                }
            }
        }
    }
    Ok(())
}

fn configs(hub: &NatsHub, layout: &Layout) -> [Config; 3] {
    let is_own = *layout == Layout::own(&hub.team);
    kinds(layout).map(|config| Config {
        storage: StorageType::File,
        num_replicas: copies(hub),
        allow_direct: true,
        discard: DiscardPolicy::New,
        deny_delete: true,
        deny_purge: is_own,
        allow_rollup: false,
        ..config
    })
}

/// The streams of logs, of keys with the last value of each, and of blobs.
fn kinds(layout: &Layout) -> [Config; 3] {
    let [logs, keys, blobs] = layout.subjects.clone();
    let named =
        |name: &str, subjects| Config { name: name.to_owned(), subjects, ..Config::default() };
    let max_message_size = i32::try_from(ENTRY_LIMIT + HEADERS).unwrap_or(i32::MAX);
    [
        Config { max_message_size, ..named(&layout.log_stream, logs) },
        Config { max_messages_per_subject: 1, ..named(&layout.key_stream, keys) },
        named(&layout.blob_stream, blobs),
    ]
}

/// A handle to a stream, without checking that it exists.
pub(super) async fn handle(hub: &NatsHub, name: &str) -> Result<Stream<()>> {
    let odd = |error: GetStreamError| HubError::Refused(error.to_string());
    hub.context.get_stream_no_info(name).await.map_err(odd)
}

fn copies(hub: &NatsHub) -> usize {
    let is_clustered = hub.context.client().server_info().cluster.is_some();
    let usual = if is_clustered { 3 } else { 1 };
    hub.servers.copies.map_or(usual, usize::from)
}

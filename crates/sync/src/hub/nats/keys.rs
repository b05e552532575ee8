//! Keys as a key-value bucket. A revision is the number of the message in its stream.

use super::{NatsHub, assets, fault, logs};
use crate::hub::answer::fits;
use crate::hub::{Name, Prefix, Result, Revision, Swapped, VALUE_LIMIT, Value};
use async_nats::jetstream::message::PublishMessage;
use bytes::Bytes;

/// The prefix of keys in the bucket.
pub(super) const KEYS: &str = "key";

pub(super) fn subject<K>(hub: &NatsHub, kind: &str, name: &Name<K>) -> String {
    format!("{}{}", root(hub, kind), name.dotted())
}

/// The prefix of subjects of one kind.
pub(super) fn root(hub: &NatsHub, kind: &str) -> String {
    format!("$KV.{}.{kind}.", assets::bucket(hub))
}

/// The value, from the leader: a replica may be behind.
pub(super) async fn get(hub: &NatsHub, subject: &str) -> Result<Option<Value>> {
    let stream = assets::handle(hub, assets::key_stream(hub)).await?;
    let answer = stream.get_last_raw_message_by_subject(subject).await;
    let found = fault::found(hub, answer).await?;
    Ok(found.map(|it| Value { revision: Revision(it.sequence), bytes: it.payload }))
}

/// The first message of a subject of blobs, from the leader.
pub(super) async fn first(hub: &NatsHub, subject: &str) -> Result<Option<Bytes>> {
    let stream = assets::handle(hub, assets::blob_stream(hub)).await?;
    let answer = stream.get_next_raw_message_by_subject(subject).await;
    Ok(fault::found(hub, answer).await?.map(|it| it.payload))
}

pub(super) async fn cas(
    hub: &NatsHub,
    subject: &str,
    expected: Option<Revision>,
    bytes: Bytes,
) -> Result<Swapped> {
    fits(bytes.len(), VALUE_LIMIT)?;
    let expected = expected.map_or(0, Revision::number);
    let message = PublishMessage::build().payload(bytes).expected_last_subject_sequence(expected);
    let answer = logs::fenced_publish(hub, subject.to_owned(), message).await?;
    Ok(answer.map_or(Swapped::Conflict, |at| Swapped::Done(Revision(at))))
}

pub(super) async fn names<K: Ord>(
    hub: &NatsHub,
    kind: &str,
    below: &Prefix,
) -> Result<Vec<Name<K>>> {
    logs::names_under(hub, assets::key_stream(hub), &root(hub, kind), below).await
}

/// The number of the last message in the bucket.
pub(super) async fn mark(hub: &NatsHub) -> Result<Option<u64>> {
    let stream = assets::handle(hub, assets::key_stream(hub)).await?;
    let info = fault::described(hub, stream.get_info().await).await?;
    Ok(Some(info.map_or(0, |it| it.state.last_sequence)))
}

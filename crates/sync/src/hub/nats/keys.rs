//! Keys as a stream with the last value of each. A revision is the position of the message in its stream.

use super::{NatsHub, Reads, assets, bound, fault, logs};
use crate::hub::answer::fits;
use crate::hub::{KeyName, Prefix, Result, Revision, Swapped, VALUE_LIMIT, Value};
use async_nats::jetstream::message::PublishMessage;
use bytes::Bytes;

fn subject(hub: &NatsHub, key: &KeyName) -> String {
    format!("{}{}", hub.layout.key_root, key.dotted())
}

/// The value; where reads are not bound to a team, from the leader: a replica may be behind.
pub(super) async fn get(hub: &NatsHub, key: &KeyName) -> Result<Option<Value>> {
    let (stream, subject) = (&hub.layout.key_stream, subject(hub, key));
    if hub.reads == Reads::Bound {
        let found = bound::last(hub, stream, &subject).await?;
        return Ok(found.map(|(at, it)| Value { revision: Revision(at), bytes: it.payload }));
    }
    let stream = assets::handle(hub, stream).await?;
    let answer = stream.get_last_raw_message_by_subject(&subject).await;
    let found = fault::found(hub, answer).await?;
    Ok(found.map(|it| Value { revision: Revision(it.sequence), bytes: it.payload }))
}

/// The first message of a subject of blobs; where reads are not bound to a team, from the leader.
pub(super) async fn first(hub: &NatsHub, subject: &str) -> Result<Option<Bytes>> {
    let stream = &hub.layout.blob_stream;
    if hub.reads == Reads::Bound {
        let from = (bound::From::Position(1), bound::Part::Whole);
        let found = bound::scan(hub, (stream, subject), from, 1).await?;
        return Ok(found.into_iter().next().map(|it| it.bytes));
    }
    let stream = assets::handle(hub, stream).await?;
    let answer = stream.get_next_raw_message_by_subject(subject).await;
    Ok(fault::found(hub, answer).await?.map(|it| it.payload))
}

pub(super) async fn cas(
    hub: &NatsHub,
    key: &KeyName,
    expected: Option<Revision>,
    bytes: Bytes,
) -> Result<Swapped> {
    fits(bytes.len(), VALUE_LIMIT)?;
    let expected = expected.map_or(0, Revision::number);
    let message = PublishMessage::build().payload(bytes).expected_last_subject_sequence(expected);
    let answer = logs::fenced_publish(hub, subject(hub, key), message).await?;
    Ok(answer.map_or(Swapped::Conflict, |at| Swapped::Done(Revision(at))))
}

pub(super) async fn names(hub: &NatsHub, below: &Prefix) -> Result<Vec<KeyName>> {
    logs::names_under(hub, &hub.layout.key_stream, &hub.layout.key_root, below).await
}

/// The position of the last message in the stream of keys; where reads are bound to a team, of its last
/// key.
pub(super) async fn mark(hub: &NatsHub) -> Result<Option<u64>> {
    let stream = &hub.layout.key_stream;
    if hub.reads == Reads::Bound {
        let from = (bound::From::Last, bound::Part::Headers);
        let below = format!("{}>", hub.layout.key_root);
        let found = bound::scan(hub, (stream, &below), from, 1).await?;
        return Ok(Some(found.first().map_or(0, |it| it.at)));
    }
    let stream = assets::handle(hub, stream).await?;
    let info = fault::described(hub, stream.get_info().await).await?;
    Ok(Some(info.map_or(0, |it| it.state.last_sequence)))
}

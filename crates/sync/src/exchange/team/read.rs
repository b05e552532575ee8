//! Reads the roster of a hub: one value, or a head and the pages that this device does not have.

use super::super::names::{self, RosterPart};
use super::{Fetched, RosterFault};
use crate::bytes::{Digest, TeamId};
use crate::envelope::EnvelopeFault;
use crate::hub::{Blob, Hub, HubError, Value};
use crate::keys::Identity;
use crate::roster::pages::{Body, EpochKey, Head, PAGE_ENTRIES, PageRef, hash_of, open_page};
use crate::roster::{Entry, Fault, Roster, SealedRosterError, entries_of_sealed};
use futures_util::{StreamExt, TryStreamExt, stream};

/// How many pages are read at once.
const PAGES_AT_ONCE: usize = 8;
/// The largest part.
const MOST_BYTES: u64 = 1024 * 1024;
/// How many names a part may have.
pub(super) const ATTEMPTS: usize = 4;

/// The roster of this value, on top of the one known here.
pub(super) async fn read<H: Hub>(
    hub: &H,
    value: &Value,
    known: &Roster,
    identity: &Identity,
) -> Result<Fetched, RosterFault> {
    let revision = Some(value.revision);
    if let Some(head) = Head::parse(&value.bytes) {
        return Ok(Fetched { revision, ..paged(hub, head, known, identity).await? });
    }
    let entries = entries_of_sealed(&value.bytes, identity)?;
    let is_whole = entries.len() >= known.entries().len();
    let roster = known.extended(entries).map_err(SealedRosterError::Roster)?;
    Ok(Fetched { roster, revision, is_whole, head: None })
}

async fn paged<H: Hub>(
    hub: &H,
    head: Head,
    known: &Roster,
    identity: &Identity,
) -> Result<Fetched, RosterFault> {
    if head.team != *known.team() {
        return Err(SealedRosterError::Roster(Fault::OtherTeam { team: head.team }).into());
    }
    let (key, body) = opened(hub, &head, known, identity).await?;
    let last = (body.length() as u64).saturating_sub(1);
    let roster = match known.hash_at(last) {
        Some(hash) if *hash == body.last => known.clone(),
        Some(_) => return Err(SealedRosterError::Roster(Fault::Forked { n: last }).into()),
        None => grown(hub, &head, &body, known).await?,
    };
    if !is_of_epoch(&roster, &head, last) || roster.epoch_key(head.epoch).as_ref() != Some(&key) {
        return Err(SealedRosterError::OtherKey.into());
    }
    let is_whole = body.length() >= known.entries().len();
    Ok(Fetched { roster, revision: None, is_whole, head: Some((head, body)) })
}

/// Whether the entry is of the epoch that the head names.
fn is_of_epoch(roster: &Roster, head: &Head, last: u64) -> bool {
    let entry = usize::try_from(last).ok().and_then(|it| roster.entries().get(it));
    entry.is_some_and(|it| it.statement.epoch == head.epoch)
}

/// The body of a head, with the key that opened it.
async fn opened<H: Hub>(
    hub: &H,
    head: &Head,
    known: &Roster,
    identity: &Identity,
) -> Result<(EpochKey, Body), RosterFault> {
    if let Some(key) = known.epoch_key(head.epoch)
        && let Ok(body) = head.open(&key)
    {
        return Ok((key, body));
    }
    let key = unwrapped(hub, head, identity).await?;
    let body = head.open(&key)?;
    Ok((key, body))
}

/// The key of the head's epoch, as it was wrapped to this identity.
async fn unwrapped<H: Hub>(
    hub: &H,
    head: &Head,
    identity: &Identity,
) -> Result<EpochKey, RosterFault> {
    let place = (&head.team, head.epoch);
    let not_for_us = SealedRosterError::Envelope(EnvelopeFault::NotForUs);
    if !head.late.is_empty() {
        match EpochKey::unwrap(place, &head.late, identity) {
            Err(fault) if fault == not_for_us => {}
            opened => return Ok(opened?),
        }
    }
    for hash in head.wrapped_for(identity) {
        let bytes = part(hub, RosterPart::Key, &hash).await?;
        match EpochKey::unwrap(place, &bytes, identity) {
            Err(fault) if fault == not_for_us => {}
            opened => return Ok(opened?),
        }
    }
    Err(RosterFault::NotForUs)
}

/// The known roster with the entries that the head has beyond it.
async fn grown<H: Hub>(
    hub: &H,
    head: &Head,
    body: &Body,
    known: &Roster,
) -> Result<Roster, RosterFault> {
    let first = known.entries().len() / PAGE_ENTRIES;
    let pages: Vec<(u64, PageRef)> = (0..).zip(body.pages.clone()).skip(first).collect();
    let pages = stream::iter(pages).map(|(at, it)| page(hub, head.team, at, it));
    let pages: Vec<Vec<Entry>> = pages.buffered(PAGES_AT_ONCE).try_collect().await?;
    let entries = pages.into_iter().flatten().chain(body.tail.iter().cloned());
    let roster = known.extended(entries).map_err(SealedRosterError::Roster)?;
    let is_all = roster.entries().len() == body.length() && roster.pin().head == body.last;
    if is_all { Ok(roster) } else { Err(SealedRosterError::NotUnderstood.into()) }
}

async fn page<H: Hub>(
    hub: &H,
    team: TeamId,
    at: u64,
    page: PageRef,
) -> Result<Vec<Entry>, RosterFault> {
    let bytes = part(hub, RosterPart::Page, &page.hash).await?;
    Ok(open_page(&team, (at, &page), &bytes)?)
}

/// The bytes of a part, which are those of its hash.
async fn part<H: Hub>(
    hub: &H,
    kind: RosterPart,
    hash: &Digest,
) -> Result<bytes::Bytes, RosterFault> {
    let mut is_there = false;
    for attempt in 0..ATTEMPTS {
        let name = names::roster_part(kind, hash, attempt)?;
        let Some(blob) = hub.get_blob(&name).await? else { break };
        is_there = true;
        if let Some(bytes) = content(blob).await?.filter(|it| hash_of(it) == *hash) {
            return Ok(bytes);
        }
    }
    Err(match is_there {
        true => SealedRosterError::Envelope(EnvelopeFault::Damaged).into(),
        false => SealedRosterError::Missing.into(),
    })
}

/// The bytes of a blob; `None` if it is not what its writer put, or far too large.
async fn content(blob: Blob) -> Result<Option<bytes::Bytes>, HubError> {
    match blob.bytes(MOST_BYTES).await {
        Ok(bytes) => Ok(Some(bytes)),
        Err(HubError::Corrupt(_) | HubError::TooLarge { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

//! Writes the roster: as one value while it is short, else as pages and a head. Whatever the head names
//! is on the hub before the head is.

use super::super::names::{self, RosterPart};
use super::read::ATTEMPTS;
use super::{Fetched, RosterFault};
use crate::bytes::Digest;
use crate::hub::{Content, Hub, HubError, Put, Swapped};
use crate::roster::pages::{Body, Head, Page, PageRef, WHOLE_ENTRIES, hash_of};
use crate::roster::{Roster, SealedRosterError};
use bytes::Bytes;
use std::collections::BTreeSet;

/// How many late devices the head has room for before their keys go into a blob.
const LATE: usize = 64;

/// Whether the roster is on the hub now, in place of the one that was fetched.
pub(super) async fn write<H: Hub>(
    hub: &H,
    roster: &Roster,
    there: &Fetched,
) -> Result<bool, RosterFault> {
    // Once in pages, always in pages: a roster only grows.
    if roster.entries().len() <= WHOLE_ENTRIES && there.head.is_none() {
        return swap(hub, roster.to_sealed()?.into(), there).await;
    }
    let pages = put_pages(hub, roster.pages()?, there).await?;
    let (head, wrapped) = wrapped(hub, roster, there).await?;
    let key = roster.epoch_key(roster.epoch()).ok_or(SealedRosterError::OtherKey)?;
    let body = Body { pages, tail: roster.tail().to_vec(), last: roster.pin().head, wrapped };
    let head = head.seal(&body, &key)?;
    let is_written = swap(hub, head.to_bytes().into(), there).await?;
    if is_written {
        remove_keys(hub, &head, there).await;
    }
    Ok(is_written)
}

/// Writes the value of the roster. Without an answer, it reads the key again.
async fn swap<H: Hub>(hub: &H, bytes: Bytes, there: &Fetched) -> Result<bool, RosterFault> {
    let name = names::roster()?;
    match hub.cas(&name, there.revision, bytes.clone()).await {
        Ok(Swapped::Done(_)) => Ok(true),
        Ok(Swapped::Conflict) => Ok(false),
        Err(error) => match hub.get(&name).await {
            Ok(Some(now)) if now.bytes == bytes => Ok(true),
            // The first error is more specific.
            Ok(_) | Err(_) => Err(error.into()),
        },
    }
}

/// Puts the pages that the hub does not have. A page that was there and is gone is put again.
async fn put_pages<H: Hub>(
    hub: &H,
    pages: Vec<Page>,
    there: &Fetched,
) -> Result<Vec<PageRef>, RosterFault> {
    let named = there.head.iter().flat_map(|(_, body)| &body.pages);
    let named: BTreeSet<_> = named.map(|it| it.hash).collect();
    let listed = match named.is_empty() {
        true => Vec::new(),
        false => hub.blobs(&names::roster_pages()?).await?,
    };
    let listed: BTreeSet<_> = listed.iter().map(|it| it.as_str().to_owned()).collect();
    let mut out = Vec::new();
    for Page { page, bytes } in pages {
        let name = names::roster_part(RosterPart::Page, &page.hash, 0)?;
        if !named.contains(&page.hash) || !listed.contains(name.as_str()) {
            put(hub, RosterPart::Page, &page.hash, bytes).await?;
        }
        out.push(page);
    }
    Ok(out)
}

/// A head with the places of the epoch's key, and how many entries the wrapped keys cover. Those that
/// are there serve the whole epoch.
async fn wrapped<H: Hub>(
    hub: &H,
    roster: &Roster,
    there: &Fetched,
) -> Result<(Head, usize), RosterFault> {
    let (place, length) = ((*roster.team(), roster.epoch()), roster.entries().len());
    let mut head = Head::new(place);
    let same = there.head.as_ref().filter(|(it, _)| it.epoch == roster.epoch());
    let Some((before, body)) = same else {
        for recipients in &roster.buckets() {
            head.buckets.push(put_key(hub, roster, recipients).await?);
        }
        return Ok((head, length));
    };
    head.buckets.clone_from(&before.buckets);
    head.groups.clone_from(&before.groups);
    let late = roster.recipients_since(body.wrapped);
    if late.len() > LATE {
        head.groups.push(put_key(hub, roster, &late).await?);
        return Ok((head, length));
    }
    if !late.is_empty() {
        head.late = wrap(roster, &late)?;
    }
    Ok((head, body.wrapped))
}

fn wrap(
    roster: &Roster,
    recipients: &[crate::keys::Recipient],
) -> Result<Vec<u8>, SealedRosterError> {
    let key = roster.epoch_key(roster.epoch()).ok_or(SealedRosterError::OtherKey)?;
    key.wrap((roster.team(), roster.epoch()), recipients)
}

async fn put_key<H: Hub>(
    hub: &H,
    roster: &Roster,
    recipients: &[crate::keys::Recipient],
) -> Result<Digest, RosterFault> {
    let bytes = wrap(roster, recipients)?;
    let hash = hash_of(&bytes);
    put(hub, RosterPart::Key, &hash, bytes).await?;
    Ok(hash)
}

/// Puts a part under its hash, or beside whatever else has that name.
async fn put<H: Hub>(
    hub: &H,
    kind: RosterPart,
    hash: &Digest,
    bytes: Vec<u8>,
) -> Result<(), RosterFault> {
    let content = Content::Bytes(bytes.into());
    for attempt in 0..ATTEMPTS {
        let name = names::roster_part(kind, hash, attempt)?;
        match hub.put_blob(&name, &content).await? {
            Put::New | Put::Already => return Ok(()),
            Put::Conflict => {}
        }
    }
    Err(HubError::Corrupt(format!("other blobs are in the place of a part of the roster: {hash}"))
        .into())
}

/// Removes the wrapped keys of the epoch before. Best effort: a server may let nobody remove blobs, and
/// they open nothing that is sealed from now on.
async fn remove_keys<H: Hub>(hub: &H, head: &Head, there: &Fetched) {
    let Some((before, _)) = there.head.as_ref().filter(|(it, _)| it.epoch != head.epoch) else {
        return;
    };
    for hash in before.buckets.iter().chain(&before.groups) {
        let Ok(name) = names::roster_part(RosterPart::Key, hash, 0) else { continue };
        if let Err(error) = hub.remove_blob(&name).await {
            tracing::debug!(%error, "wrapped keys of the epoch before stay on the hub");
            return;
        }
    }
}

//! The history behind a checkpoint, read from its end to its beginning.
//!
//! Each batch names the hash of the one before. The checkpoint signs the hash of the last one, so every
//! batch is checked as it comes, and the oldest one against what this device had read before. The
//! reader's own cursor stays where that was until the gap is closed; the positions on both sides of the gap are in a
//! note. So a reader that is stopped continues, and an older version of the program reads the gap from
//! its beginning.

use super::super::engine::{Exchange, ItemSink};
use super::super::health::StallReason;
use super::super::item::Item;
use super::super::keyring::KeyLookup;
use super::super::publish::{chain_of, chain_text};
use super::super::read::{Place, ReadSummary, accept, unknown_in};
use super::super::{ExchangeError, Inbox, Outbox, names, own_stream};
use crate::hub::{Entry, Hub, HubError, LogName};
use crate::seal::{Chain, Sealed, open};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use taffrail_model::exchange::{Incarnation, ReadTo, StreamOrigin};
use taffrail_model::{DeviceId, StreamName};

/// How many batches are read at a time: at first, at least and at most.
const PAGE: u64 = 64;
const SMALLEST_PAGE: u64 = 16;
const LARGEST_PAGE: u64 = 1_000;
/// A page of fewer bytes is followed by a larger one, a page of more by a smaller one.
const SMALL_BYTES: usize = 1024 * 1024;
const LARGE_BYTES: usize = 8 * 1024 * 1024;
/// The beginning of the names of notes.
const NOTES: &str = "history/";

/// A gap that is being read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct History {
    /// The last batch that was read after the checkpoint, and the chain after it.
    front: Position,
    /// The last batch that is missing, and the chain after it.
    back: Position,
    /// How many batches are read next.
    page: u64,
    /// The hub did not have the next page; it is asked again at the next scan.
    #[serde(skip)]
    is_stuck: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Position {
    seq: u64,
    chain: Chain,
}

/// Gaps by their stream; `None` before the notes were read.
pub(crate) type Histories = Option<BTreeMap<StreamOrigin, History>>;

/// Batches of a page that were opened, as one run of items.
struct Page {
    items: Vec<Item>,
    batches: u64,
    bytes: usize,
    /// The position before them.
    back: Position,
}

impl<H: Hub, S: Outbox + Inbox, A: ItemSink> Exchange<H, S, A> {
    /// The gaps, from the store's notes at first.
    fn histories(&mut self) -> Result<&mut BTreeMap<StreamOrigin, History>, ExchangeError> {
        let known = match self.histories.take() {
            Some(known) => known,
            None => self.kept_histories()?,
        };
        Ok(self.histories.insert(known))
    }

    fn kept_histories(&mut self) -> Result<BTreeMap<StreamOrigin, History>, ExchangeError> {
        let mut out = BTreeMap::new();
        for name in self.store.notes(NOTES)? {
            let Some(origin) = origin_of(&name) else { continue };
            let kept = self.store.note(&name)?;
            let Some(history) = kept.and_then(|it| serde_json::from_slice::<History>(&it).ok())
            else {
                continue;
            };
            let low = self.store.read_to(&origin)?.map_or(0, |it| it.seq);
            if low < history.front.seq {
                out.insert(origin, history);
            }
        }
        Ok(out)
    }

    /// Where to continue after a checkpoint that was used; `None` without a gap.
    pub(in super::super) fn front(
        &mut self,
        origin: &StreamOrigin,
    ) -> Result<Option<(u64, Chain)>, ExchangeError> {
        let history = self.histories()?.get(origin);
        Ok(history.map(|it| (it.front.seq, it.front.chain.clone())))
    }

    /// Stores how far a stream was read after a checkpoint; `false` without a gap.
    pub(in super::super) fn keep_front(
        &mut self,
        origin: &StreamOrigin,
        seq: u64,
        chain: &Chain,
    ) -> Result<bool, ExchangeError> {
        let Some(history) = self.histories()?.get_mut(origin) else { return Ok(false) };
        history.front = Position { seq, chain: chain.clone() };
        let history = history.clone();
        self.keep_history(origin, &history)?;
        Ok(true)
    }

    fn keep_history(
        &mut self,
        origin: &StreamOrigin,
        history: &History,
    ) -> Result<(), ExchangeError> {
        // Hashes, names and numbers always serialize.
        let bytes = serde_json::to_vec(history).unwrap_or_default();
        Ok(self.store.keep_note(&note(origin), &bytes)?)
    }

    /// Applies the newest checkpoint of a stream that is new here, or of which much is missing, and
    /// continues after it.
    pub(in super::super) async fn jump(
        &mut self,
        place: &mut Place,
        length: Option<u64>,
    ) -> Result<(), ExchangeError> {
        let origin = place.origin.clone();
        let lacks = length.map_or(0, |it| it.saturating_sub(place.seq));
        let far = self.checkpoint_pace.far;
        let is_far = place.seq == 0 || lacks > far;
        if origin.stream != own_stream() || !is_far || self.histories()?.contains_key(&origin) {
            return Ok(());
        }
        let after = if place.seq == 0 { 0 } else { place.seq + far };
        let Some(checkpoint) = self.newest_checkpoint(&origin, after).await? else { return Ok(()) };
        self.applied.checkpoint(&origin, &checkpoint.items)?;
        let front = Position { seq: checkpoint.seq, chain: checkpoint.chain };
        let history = History { back: front.clone(), front, page: PAGE, is_stuck: false };
        // Stored after it was applied: a reader that is stopped in between applies it again.
        self.keep_history(&origin, &history)?;
        (place.seq, place.chain) = (history.front.seq, history.front.chain.clone());
        self.histories()?.insert(origin, history);
        Ok(())
    }

    /// Asks again for pages that the hub did not have.
    pub(in super::super) fn retry_histories(&mut self) -> Result<(), ExchangeError> {
        self.histories()?.values_mut().for_each(|it| it.is_stuck = false);
        Ok(())
    }

    /// Whether there is history to read now.
    pub(in super::super) fn has_history(&mut self) -> Result<bool, ExchangeError> {
        Ok(self.histories()?.values().any(|it| !it.is_stuck))
    }

    /// Nothing is wrong at the end of a stream; what is wrong behind a checkpoint stays.
    pub(in super::super) fn clear_stall(
        &mut self,
        origin: &StreamOrigin,
    ) -> Result<(), ExchangeError> {
        let back = self.histories()?.get(origin).map_or(0, |it| it.back.seq);
        self.health.standing.retain(|of, it| of != origin || it.seq <= back);
        Ok(())
    }

    /// Reads the next page of history behind a checkpoint; `false` if there is none to read now.
    pub(in super::super) async fn read_history(
        &mut self,
        out: &mut ReadSummary,
    ) -> Result<bool, ExchangeError> {
        let next = self.histories()?.iter().find(|(_, it)| !it.is_stuck);
        let Some((origin, mut history)) = next.map(|(of, it)| (of.clone(), it.clone())) else {
            return Ok(false);
        };
        history.is_stuck = !self.is_for_us(&origin).await?;
        if !history.is_stuck {
            let read = self.read_page(&origin, &mut history).await?;
            out.batches += read.batches;
            out.items += read.items;
        }
        let low = self.store.read_to(&origin)?.map_or(0, |it| it.seq);
        if history.back.seq <= low {
            let front = &history.front;
            let to = ReadTo { seq: front.seq, chain: chain_text(&front.chain) };
            self.store.keep_read_to(&origin, &to)?;
            // An empty note is as good as none.
            self.store.keep_note(&note(&origin), b"")?;
            self.histories()?.remove(&origin);
        } else {
            self.histories()?.insert(origin, history);
        }
        Ok(true)
    }

    async fn read_page(
        &mut self,
        origin: &StreamOrigin,
        history: &mut History,
    ) -> Result<ReadSummary, ExchangeError> {
        let kept = self.store.read_to(origin)?;
        let low_seq = kept.as_ref().map_or(0, |it| it.seq);
        let low = chain_of(kept.as_ref().map(|it| it.chain.as_str()), origin, &self.roster);
        let last = history.back.seq;
        let Ok(low) = low else {
            let why = StallReason::Refused("our own cursor is damaged".to_owned());
            return Ok(self.stick(origin, (last, why), history));
        };
        let after = low_seq.max(last.saturating_sub(history.page));
        let entries = self.entries_up_to(origin, (after, last)).await?;
        if entries.is_empty() {
            return self.end_of_history(origin, (low_seq, last), history).await;
        }
        let low = Position { seq: low_seq, chain: low };
        let page = match self.opened_page(origin, &entries, (&history.back, &low)).await? {
            Ok(page) => page,
            Err(stall) => return Ok(self.stick(origin, stall, history)),
        };
        // A stall behind the checkpoint is over; one after it is not.
        self.health.standing.retain(|of, it| of != origin || it.seq > last);
        let read = ReadSummary { batches: page.batches, items: page.items.len() as u64 };
        self.applied.apply(origin, page.back.chain.next, &page.items)?;
        self.health.unknown += unknown_in(&page.items);
        history.back = page.back;
        history.page = next_page(history.page, page.bytes);
        self.keep_history(origin, history)?;
        Ok(read)
    }

    /// The batches up to this one are not on the hub: an admin removed them, or they are missing.
    async fn end_of_history(
        &mut self,
        origin: &StreamOrigin,
        (low, last): (u64, u64),
        history: &mut History,
    ) -> Result<ReadSummary, ExchangeError> {
        if self.floor(origin).await?.is_none_or(|floor| floor <= last) {
            return Ok(self.stick(origin, (last, StallReason::Missing), history));
        }
        self.applied.gone(origin, (low + 1, last))?;
        self.health.gone.insert(origin.clone(), last - low);
        history.back.seq = low;
        Ok(ReadSummary::default())
    }

    fn stick(
        &mut self,
        origin: &StreamOrigin,
        (seq, why): (u64, StallReason),
        history: &mut History,
    ) -> ReadSummary {
        self.stall(origin, seq, why);
        history.is_stuck = true;
        ReadSummary::default()
    }

    /// Batches without a gap that end with the last one and are after another: as many as the hub
    /// gives, or none.
    async fn entries_up_to(
        &mut self,
        origin: &StreamOrigin,
        (after, last): (u64, u64),
    ) -> Result<Vec<Entry>, ExchangeError> {
        let log = names::log(origin)?;
        if let Some(entries) = self.logged_up_to(&log, (after, last)).await? {
            return Ok(entries);
        }
        let mut entries = self.segment_holding(origin, last).await?;
        entries.retain(|it| it.seq > after && it.seq <= last);
        let is_there = entries.last().is_some_and(|it| it.seq == last);
        Ok(if is_there { entries } else { Vec::new() })
    }

    /// The same from the log; `None` if the log does not have the last one.
    async fn logged_up_to(
        &mut self,
        log: &LogName,
        (after, last): (u64, u64),
    ) -> Result<Option<Vec<Entry>>, ExchangeError> {
        let (mut entries, mut at): (Vec<Entry>, _) = (Vec::new(), after);
        while at < last {
            let limit = usize::try_from(last - at).unwrap_or(usize::MAX);
            match self.hub.read_since(log, at, limit).await {
                Ok(more) => {
                    let Some(end) = more.last().map(|it| it.seq) else { return Ok(None) };
                    entries.extend(more);
                    at = end;
                }
                Err(HubError::Gone { first }) if first > at + 1 && first <= last => at = first - 1,
                Err(HubError::Gone { .. } | HubError::Lost { .. } | HubError::Corrupt(_)) => {
                    return Ok(None);
                }
                Err(error) => return Err(error.into()),
            }
        }
        entries.retain(|it| it.seq <= last);
        Ok(Some(entries))
    }

    /// Opens batches from the last to the first, as each names the one before it.
    async fn opened_page(
        &mut self,
        origin: &StreamOrigin,
        entries: &[Entry],
        (back, low): (&Position, &Position),
    ) -> Result<Result<Page, (u64, StallReason)>, ExchangeError> {
        let (mut back, mut bytes, mut runs) = (back.clone(), 0, Vec::new());
        for entry in entries.iter().rev() {
            match self.opened_back(origin, entry, &back).await? {
                Ok((items, size, before)) => {
                    bytes += size;
                    runs.push(items);
                    back = before;
                }
                Err(why) => return Ok(Err((entry.seq, why))),
            }
        }
        let is_joined = (back.chain.next, back.chain.head) == (low.chain.next, low.chain.head);
        if back.seq == low.seq && !is_joined {
            let why = StallReason::Refused("it does not follow what was read before".to_owned());
            return Ok(Err((low.seq + 1, why)));
        }
        let batches = runs.len() as u64;
        let items = runs.into_iter().rev().flatten().collect();
        Ok(Ok(Page { items, batches, bytes, back }))
    }

    /// The items of a batch, their size, and the position before it; or why they are not applied.
    async fn opened_back(
        &mut self,
        origin: &StreamOrigin,
        entry: &Entry,
        back: &Position,
    ) -> Result<Result<(Vec<Item>, usize, Position), StallReason>, ExchangeError> {
        if entry.seq != back.seq {
            return Ok(Err(StallReason::Missing));
        }
        let sealed = match Sealed::parse(&entry.bytes) {
            Ok(sealed) => sealed,
            Err(refused) => return Ok(Err(self.reason(&refused))),
        };
        let Some(before) = back.chain.back_over(&sealed) else {
            let why = "it is not the batch that the one after it names".to_owned();
            return Ok(Err(StallReason::Refused(why)));
        };
        let key = match self.their_key(origin, sealed.place.epoch).await? {
            KeyLookup::Key(key) => key,
            KeyLookup::Nothing => return Ok(Err(StallReason::NoKey)),
            KeyLookup::NotForUs => return Ok(Err(StallReason::NotForUs)),
            KeyLookup::RosterBehind => {
                self.needs_roster = true;
                return Ok(Err(StallReason::RosterBehind));
            }
            KeyLookup::Refused(why) => {
                return Ok(Err(StallReason::Refused(format!("its key: {why}"))));
            }
        };
        let opened = match open(&sealed, &before, &key, &self.roster) {
            Ok(opened) => opened,
            Err(refused) => {
                // The cached key may be outdated.
                self.keys.forget(&origin.device);
                return Ok(Err(self.reason(&refused)));
            }
        };
        let size = opened.bytes.len();
        let before = Position { seq: entry.seq - 1, chain: before };
        Ok(accept(&sealed, opened).map(|(items, _)| (items, size, before)))
    }
}

/// How many batches to read next, after a page of this many bytes.
fn next_page(page: u64, bytes: usize) -> u64 {
    match bytes {
        ..SMALL_BYTES => (page * 2).min(LARGEST_PAGE),
        SMALL_BYTES..=LARGE_BYTES => page,
        _ => (page / 2).max(SMALLEST_PAGE),
    }
}

fn note(origin: &StreamOrigin) -> String {
    format!("{NOTES}{}/{}/{}", origin.device, origin.stream, origin.incarnation)
}

fn origin_of(note: &str) -> Option<StreamOrigin> {
    let mut parts = note.strip_prefix(NOTES)?.split('/');
    let (device, stream, life) = (parts.next()?, parts.next()?, parts.next()?);
    let incarnation = Incarnation::parse(life).filter(|_| parts.next().is_none())?;
    let (device, stream) = (DeviceId::new(device), StreamName::new(stream));
    Some(StreamOrigin { device, stream, incarnation })
}

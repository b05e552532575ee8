//! Reads every other device's streams from the hub, each from this device's own cursor.
//!
//! An invalid batch is never applied, and the reader stalls at it rather than skip it. It continues
//! when the writer appends the right one, or starts another life.

use super::engine::{Exchange, ItemSink};
use super::health::StallReason;
use super::item::{Item, split};
use super::keyring::KeyLookup;
use super::publish::{chain_of, chain_text};
use super::wanted::Lengths;
use super::{ExchangeError, Inbox, Outbox, names};
use crate::hub::{Entry, Hub, HubError, LogName, Prefix};
use crate::seal::{Chain, Opened, Refused, Sealed, WriterStatus, check, open};
use taffrail_model::exchange::{ReadTo, StreamOrigin};

/// How many batches are requested at a time.
const PAGE: usize = 64;

/// The result of reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadSummary {
    /// How many batches were applied.
    pub batches: u64,
    /// How many items were in them.
    pub items: u64,
}

/// Where a reader is in a stream.
pub(super) struct Place {
    pub(super) origin: StreamOrigin,
    pub(super) seq: u64,
    pub(super) chain: Chain,
    /// Whether the batches before the next one were removed, so that it cannot follow from them.
    has_gap: bool,
}

/// Whether to continue in a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    On,
    Stop,
}

impl<H: Hub, S: Outbox + Inbox, A: ItemSink> Exchange<H, S, A> {
    /// Reads everything that other devices of the team have for this device.
    ///
    /// # Errors
    /// Returns an error of the hub or the store. Applied batches stay applied.
    pub async fn read(&mut self) -> Result<ReadSummary, ExchangeError> {
        let mut out = self.read_newest().await?;
        while self.read_history(&mut out).await? {}
        Ok(out)
    }

    /// The same without the history behind checkpoints.
    pub(super) async fn read_newest(&mut self) -> Result<ReadSummary, ExchangeError> {
        let lengths = self.hub.lengths(&Prefix::everything()).await?;
        self.read_by(&lengths).await
    }

    /// Reads by the lengths of logs: a log that was read to its end is not queried.
    pub(super) async fn read_by(
        &mut self,
        lengths: &Lengths,
    ) -> Result<ReadSummary, ExchangeError> {
        let mut out = ReadSummary::default();
        let wanted = self.wanted(lengths).await?;
        for (origin, length) in &wanted {
            if self.is_read(origin, *length) || !self.is_for_us(origin).await? {
                continue;
            }
            self.read_stream(origin, *length, &mut out).await?;
            self.note_read(origin, *length);
        }
        // A stream that no longer exists is not reported.
        self.health.standing.retain(|origin, _| wanted.contains_key(origin));
        Ok(out)
    }

    /// Reads one log, if it belongs to another current device.
    ///
    /// # Errors
    /// Returns an error of the hub or the store.
    pub async fn read_log(&mut self, log: &LogName) -> Result<ReadSummary, ExchangeError> {
        let mut out = ReadSummary::default();
        let Some(origin) = names::origin(log) else { return Ok(out) };
        if self.is_for_us(&origin).await? {
            self.read_stream(&origin, None, &mut out).await?;
        }
        Ok(out)
    }

    async fn read_stream(
        &mut self,
        origin: &StreamOrigin,
        length: Option<u64>,
        out: &mut ReadSummary,
    ) -> Result<(), ExchangeError> {
        if self.is_blocked(origin).await? {
            return Ok(());
        }
        let log = names::log(origin)?;
        let Some(mut place) = self.place(origin)? else { return Ok(()) };
        self.jump(&mut place, length).await?;
        loop {
            let Some(entries) = self.next_entries(&log, &mut place).await? else { return Ok(()) };
            let before = place.seq;
            let step = self.take_all(&mut place, &entries, out).await;
            if place.seq > before && !self.keep_front(origin, place.seq, &place.chain)? {
                let to = ReadTo { seq: place.seq, chain: chain_text(&place.chain) };
                self.store.keep_read_to(origin, &to)?;
            }
            if step? == Step::Stop {
                return Ok(());
            }
        }
    }

    fn place(&mut self, origin: &StreamOrigin) -> Result<Option<Place>, ExchangeError> {
        if let Some((seq, chain)) = self.front(origin)? {
            return Ok(Some(Place { origin: origin.clone(), seq, chain, has_gap: false }));
        }
        let kept = self.store.read_to(origin)?;
        let text = kept.as_ref().map(|it| it.chain.as_str());
        let seq = kept.as_ref().map_or(0, |it| it.seq);
        let Ok(chain) = chain_of(text, origin, &self.roster) else {
            self.stall(origin, seq, StallReason::Refused("our own cursor is damaged".to_owned()));
            return Ok(None);
        };
        Ok(Some(Place { origin: origin.clone(), seq, chain, has_gap: false }))
    }

    /// The next batches: from the log, from segments if the log no longer has them, or from behind what
    /// retention removed.
    async fn next_entries(
        &mut self,
        log: &LogName,
        place: &mut Place,
    ) -> Result<Option<Vec<Entry>>, ExchangeError> {
        let (mut found, first) = match self.hub.read_since(log, place.seq, PAGE).await {
            Ok(entries) if entries.is_empty() => {
                // An empty log may have been lost entirely.
                let more = match place.seq {
                    0 => self.segment_after(&place.origin, 0).await?,
                    _ => entries,
                };
                if more.is_empty() {
                    self.clear_stall(&place.origin)?;
                    return Ok(None);
                }
                (more, None)
            }
            Ok(entries) => (entries, None),
            Err(HubError::Gone { first }) => {
                (self.segment_after(&place.origin, place.seq).await?, Some(first))
            }
            Err(HubError::Lost { .. } | HubError::Corrupt(_)) => {
                (self.segment_after(&place.origin, place.seq).await?, None)
            }
            Err(error) => return Err(error.into()),
        };
        if found.is_empty() {
            found = self.behind_the_gap(log, place, first).await?;
        }
        if found.is_empty() {
            self.stall(&place.origin, place.seq + 1, StallReason::Missing);
            return Ok(None);
        }
        Ok(Some(found))
    }

    /// The batches behind what retention removed, if an admin of the team states that it did.
    async fn behind_the_gap(
        &mut self,
        log: &LogName,
        place: &mut Place,
        first: Option<u64>,
    ) -> Result<Vec<Entry>, ExchangeError> {
        let Some(floor) = self.floor(&place.origin).await? else { return Ok(Vec::new()) };
        let first = first.map_or(floor, |it| it.min(floor));
        if first <= place.seq + 1 {
            return Ok(Vec::new());
        }
        let entries = match self.hub.read_since(log, first - 1, PAGE).await {
            Ok(entries) => entries,
            Err(HubError::Gone { .. } | HubError::Lost { .. } | HubError::Corrupt(_)) => {
                self.segment_after(&place.origin, first - 1).await?
            }
            Err(error) => return Err(error.into()),
        };
        if !entries.is_empty() {
            let removed = (place.seq + 1, first - 1);
            self.applied.gone(&place.origin, removed)?;
            self.health.gone.insert(place.origin.clone(), first - 1 - place.seq);
            (place.seq, place.has_gap) = (first - 1, true);
        }
        Ok(entries)
    }

    async fn take_all(
        &mut self,
        place: &mut Place,
        entries: &[Entry],
        out: &mut ReadSummary,
    ) -> Result<Step, ExchangeError> {
        for entry in entries {
            match self.opened(place, entry).await? {
                Ok((items, opened)) => {
                    let first = opened.chain.next - items.len() as u64;
                    self.applied.apply(&place.origin, first, &items)?;
                    self.health.unknown += unknown_in(&items);
                    out.batches += 1;
                    out.items += items.len() as u64;
                    (place.seq, place.chain, place.has_gap) = (entry.seq, opened.chain, false);
                    self.clear_stall(&place.origin)?;
                }
                Err(why) => {
                    self.stall(&place.origin, entry.seq, why);
                    return Ok(Step::Stop);
                }
            }
        }
        Ok(Step::On)
    }

    /// The items of the next batch, or why they are not applied.
    async fn opened(
        &mut self,
        place: &Place,
        entry: &Entry,
    ) -> Result<Result<(Vec<Item>, Opened), StallReason>, ExchangeError> {
        if entry.seq != place.seq + 1 {
            return Ok(Err(StallReason::Missing));
        }
        let sealed = match Sealed::parse(&entry.bytes) {
            Ok(sealed) => sealed,
            Err(refused) => return Ok(Err(self.reason(&refused))),
        };
        let key = match self.their_key(&place.origin, sealed.place.epoch).await? {
            KeyLookup::Key(key) => key,
            other => return Ok(Err(self.without_key(place, &sealed, other))),
        };
        let chain = match place.has_gap {
            true => place.chain.before(&sealed),
            false => place.chain.clone(),
        };
        Ok(match open(&sealed, &chain, &key, &self.roster) {
            Ok(opened) => accept(&sealed, opened),
            Err(refused) => {
                // The cached key may be outdated.
                self.keys.forget(&place.origin.device);
                Err(self.reason(&refused))
            }
        })
    }

    /// A batch without a key may still be refused.
    fn without_key(&mut self, place: &Place, sealed: &Sealed, found: KeyLookup) -> StallReason {
        let chain = if place.has_gap { place.chain.before(sealed) } else { place.chain.clone() };
        if let Err(refused) = check(sealed, &chain, &self.roster) {
            return self.reason(&refused);
        }
        match found {
            KeyLookup::Key(_) | KeyLookup::Nothing => StallReason::NoKey,
            KeyLookup::NotForUs => {
                let epoch = sealed.place.epoch;
                self.attention.blocked.insert(place.origin.clone(), epoch);
                StallReason::NotForUs
            }
            KeyLookup::RosterBehind => {
                self.needs_roster = true;
                StallReason::RosterBehind
            }
            KeyLookup::Refused(refused) => StallReason::Refused(format!("its key: {refused}")),
        }
    }

    pub(super) fn reason(&mut self, refused: &Refused) -> StallReason {
        if let Refused::RosterBehind { .. } = refused {
            self.needs_roster = true;
            return StallReason::RosterBehind;
        }
        StallReason::Refused(refused.to_string())
    }
}

/// The items, if their count matches their numbers and their writer is in the team now.
pub(super) fn accept(sealed: &Sealed, opened: Opened) -> Result<(Vec<Item>, Opened), StallReason> {
    if opened.writer == WriterStatus::Removed {
        return Err(StallReason::Refused("its writer is not in the team any more".to_owned()));
    }
    let items = split(&opened.bytes);
    let numbers = (sealed.place.last - sealed.place.first).saturating_add(1);
    if items.len() as u64 != numbers {
        return Err(StallReason::Refused("it does not hold what its numbers say".to_owned()));
    }
    Ok((items, opened))
}

pub(super) fn unknown_in(items: &[Item]) -> u64 {
    items.iter().filter(|item| matches!(item, Item::Unknown(_))).count() as u64
}

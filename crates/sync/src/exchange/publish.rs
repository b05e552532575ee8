//! From the outbox to the hub: seals items into batches and appends the batches in order, each
//! under the number it got when it was sealed.

use super::engine::{Durable, Exchange, ItemSink};
use super::item::join;
use super::keyring::sealing;
use super::segments::Hurry;
use super::wanted::Lengths;
use super::{ExchangeError, Inbox, Outbox, RosterFault, names};
use crate::Roster;
use crate::hub::{Appended, Hub, HubError, LogName};
use crate::roster::Member;
use crate::seal::{Chain, Content, Refused, Stream, seal};
use taffrail_model::exchange::{OutBatch, OutRow, Retention, StreamOrigin, Writing};
use taffrail_model::{StreamName, Timestamp};

/// The most bytes of items in a batch, unless it holds one item.
pub const BATCH_BYTES: usize = 64 * 1024;
/// How long an item waits for others to share its batch, in milliseconds.
pub const BATCH_WAIT: i64 = 100;
/// The longest item; sealed, it still fits into an entry.
pub const ITEM_LIMIT: usize = 256 * 1024;
/// How many batches are appended before the progress is stored.
const STRIDE: usize = 16;
/// How many times one round resolves conflicts of a stream with the hub.
const SETTLED: usize = 4;
/// How long confirmed batches are kept for a hub that loses them: 30 days, in seconds.
const KEPT_SECONDS: i64 = 30 * 24 * 60 * 60;
/// How many bytes of them are kept.
const KEPT_BYTES: u64 = 256 * 1024 * 1024;

/// A stream began a new incarnation; all of it must be published again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Republish {
    /// Another copy of this device has written: this one was restored from a backup.
    Restored(StreamName),
    /// The hub lost batches that the outbox no longer has.
    BeginningGone(StreamName),
}

/// The result of publishing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Published {
    /// How many batches are new on the hub.
    pub appended: u64,
    /// When the next batch is due, if items wait.
    pub due: Option<Timestamp>,
    /// Streams that started another life.
    pub republish: Vec<Republish>,
}

/// The outcome for the batches of one stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// All are on the hub; this many of them are new.
    Done(u64),
    /// The hub has another batch under this number, or ends before it.
    Conflict { seq: u64, last: u64 },
    /// The outbox no longer has the batch that the hub needs next.
    Gone,
}

/// Whether to continue with a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Settled {
    Again,
    Later,
}

impl<H: Hub, S: Outbox + Inbox, A: ItemSink> Exchange<H, S, A> {
    /// Seals the items that are due and appends the sealed batches.
    ///
    /// # Errors
    /// Returns an error of the hub or the store. Appended batches stay appended.
    pub async fn publish(&mut self, now: Timestamp) -> Result<Published, ExchangeError> {
        let mut out = Published::default();
        self.take_up_roster().await?;
        // All other devices would refuse what a device writes before it is in the team.
        if !self.is_in_team() {
            return Err(RosterFault::NotForUs.into());
        }
        for writing in self.store.streams()? {
            self.publish_stream(&writing.stream, now, &mut out).await?;
        }
        let behind = |it: &Writing| (it.last - it.sealed) + (it.batches - it.appended);
        self.health.behind = self.store.streams()?.iter().map(behind).sum();
        Ok(out)
    }

    /// Checks that the hub still has what was appended, and prunes old batches.
    ///
    /// # Errors
    /// Returns an error of the hub or the store.
    pub async fn audit(&mut self, now: Timestamp) -> Result<(), ExchangeError> {
        let ours = names::logs_of(&self.us.device)?;
        let lengths = self.hub.lengths(&ours).await?;
        self.audit_by(&lengths, now).await
    }

    /// Audits by the lengths of logs: only a log that seems too short is queried.
    pub(super) async fn audit_by(
        &mut self,
        lengths: &Lengths,
        now: Timestamp,
    ) -> Result<(), ExchangeError> {
        let streams = self.store.streams()?;
        for writing in streams.iter().filter(|it| it.appended > 0) {
            let log = names::log(&self.origin_of(writing))?;
            let length = lengths.iter().find(|(it, _)| *it == log).and_then(|(_, it)| *it);
            if length.is_some_and(|it| it >= writing.appended) {
                continue;
            }
            let last = self.hub.last(&log).await?;
            if last < writing.appended {
                self.reach(writing, last)?;
            }
        }
        self.note_lives(lengths, &streams, now);
        let before = now.as_second().saturating_sub(KEPT_SECONDS);
        let before = Timestamp::from_second(before).unwrap_or(Timestamp::MIN);
        self.store.prune(Retention { before, bytes: KEPT_BYTES })?;
        self.health.rotation_due = self.is_rotation_due(&streams, now)?;
        Ok(())
    }

    /// Starts another life of every stream, as after a restored backup.
    ///
    /// # Errors
    /// Returns an error of the hub or the store.
    pub async fn begin_all_again(&mut self, now: Timestamp) -> Result<(), ExchangeError> {
        for writing in self.store.streams()? {
            self.begin_again(&writing, now).await?;
        }
        Ok(())
    }

    async fn publish_stream(
        &mut self,
        stream: &StreamName,
        now: Timestamp,
        out: &mut Published,
    ) -> Result<(), ExchangeError> {
        let mut settled = 0;
        while let Some(writing) = self.writing(stream)? {
            match self.append_batches(&writing).await? {
                Outcome::Done(count) => out.appended += count,
                outcome @ (Outcome::Conflict { .. } | Outcome::Gone) => {
                    settled += 1;
                    let answer = self.settle(&writing, outcome, now, out).await?;
                    if answer == Settled::Later || settled == SETTLED {
                        return Ok(());
                    }
                    continue;
                }
            }
            self.suspects.remove(stream);
            self.try_confirm(stream, now).await?;
            self.follow_checkpoint(&writing, now).await?;
            if !self.seal_next(&writing, now, out).await? {
                return Ok(());
            }
        }
        Ok(())
    }

    fn is_in_team(&self) -> bool {
        self.roster.member(&self.us.device).is_some_and(Member::is_current)
    }

    fn writing(&mut self, stream: &StreamName) -> Result<Option<Writing>, ExchangeError> {
        Ok(self.store.streams()?.into_iter().find(|it| it.stream == *stream))
    }

    /// Appends all sealed batches. The progress is stored even if a later one fails.
    async fn append_batches(&mut self, writing: &Writing) -> Result<Outcome, ExchangeError> {
        let log = names::log(&self.origin_of(writing))?;
        let mut at = writing.appended;
        while at < writing.batches {
            let batches = self.store.batches(&writing.stream, at, STRIDE)?;
            if batches.first().is_none_or(|first| first.seq != at + 1) {
                return Ok(Outcome::Gone);
            }
            let before = at;
            let answer = append_in_order(&self.hub, &log, batches, &mut at).await;
            if at > before {
                self.reach(writing, at)?;
            }
            if let Some((seq, last)) = answer? {
                return Ok(Outcome::Conflict { seq, last });
            }
        }
        Ok(Outcome::Done(at - writing.appended))
    }

    /// Stores how far the hub has come, forwards or back.
    fn reach(&mut self, writing: &Writing, appended: u64) -> Result<(), ExchangeError> {
        if appended < writing.appended {
            // A hub that lost entries may have lost keys, too.
            self.attention.forget();
        }
        let confirmed = match self.durable {
            Durable::Log => appended,
            // A hub that lost entries may have lost segments too.
            Durable::Segments(_) if appended < writing.appended => writing.confirmed.min(appended),
            Durable::Segments(_) | Durable::Apart(_) => writing.confirmed,
        };
        Ok(self.store.reached(&writing.stream, appended, confirmed)?)
    }

    /// Resolves a conflict with the content of the hub.
    async fn settle(
        &mut self,
        writing: &Writing,
        outcome: Outcome,
        now: Timestamp,
        out: &mut Published,
    ) -> Result<Settled, ExchangeError> {
        let stream = writing.stream.clone();
        match outcome {
            Outcome::Conflict { seq, last } if last >= seq => {
                self.begin_again(writing, now).await?;
                out.republish.push(Republish::Restored(stream));
                return Ok(Settled::Again);
            }
            Outcome::Conflict { last, .. } => {
                self.reach(writing, last)?;
                return Ok(Settled::Again);
            }
            Outcome::Done(_) => return Ok(Settled::Again),
            Outcome::Gone => {}
        }
        // A server that has just taken over may seem to have less for a moment: check twice.
        let last = self.hub.last(&names::log(&self.origin_of(writing))?).await?;
        if last > writing.appended {
            self.reach(writing, last)?;
            return Ok(Settled::Again);
        }
        if self.suspects.insert(stream.clone(), last) != Some(last) {
            return Ok(Settled::Later);
        }
        self.begin_again(writing, now).await?;
        out.republish.push(Republish::BeginningGone(stream));
        Ok(Settled::Again)
    }

    async fn begin_again(
        &mut self,
        writing: &Writing,
        now: Timestamp,
    ) -> Result<(), ExchangeError> {
        self.attention.forget();
        self.confirm(&writing.stream, now, Hurry::Now).await?;
        let ours = self.hub.logs(&names::logs_of(&self.us.device)?).await?;
        let lives = ours.iter().filter_map(names::origin);
        let lives = lives.filter(|it| it.stream == writing.stream).map(|it| it.incarnation);
        let newest = lives.max().unwrap_or(writing.incarnation).max(writing.incarnation);
        // Reported first: after a crash in between it is reported twice, not never.
        self.applied.republish(&writing.stream)?;
        let next = newest.next(self.random.number());
        self.suspects.remove(&writing.stream);
        Ok(self.store.begin_again(&writing.stream, next)?)
    }

    /// Seals the next batch if one is due.
    async fn seal_next(
        &mut self,
        writing: &Writing,
        now: Timestamp,
        out: &mut Published,
    ) -> Result<bool, ExchangeError> {
        let rows = self.store.unsealed(&writing.stream, BATCH_BYTES)?;
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Ok(false) };
        let is_full = last.number < writing.last;
        if let Some(due) = due(first, now).filter(|_| !is_full) {
            out.due = Some(out.due.map_or(due, |it| it.min(due)));
            return Ok(false);
        }
        let key = self.own_key(writing).await?;
        let chain = chain_of(writing.chain.as_deref(), &self.origin_of(writing), &self.roster)
            .map_err(|why| sealing(writing, why))?;
        let bytes = join(rows.iter().map(|row| row.bytes.as_slice()));
        let (events, epoch) = (rows.len() as u64, self.roster.epoch());
        let content = Content { events, bytes: &bytes, epoch };
        let nonce = self.random.bytes();
        let (sealed, chain) = seal(&chain, content, &key, &self.us.signer(), nonce)
            .map_err(|why| sealing(writing, why))?;
        let (seq, bytes) = (writing.batches + 1, sealed.to_bytes());
        let batch = OutBatch { seq, last: last.number, at: now, bytes };
        self.store.keep_batch(&writing.stream, &batch, &chain_text(&chain))?;
        Ok(true)
    }
}

/// When a batch that starts with this item is due; `None` if it is due now.
fn due(first: &OutRow, now: Timestamp) -> Option<Timestamp> {
    let waited = now.as_millisecond() - first.at.as_millisecond();
    let rest = BATCH_WAIT - waited;
    // A clock that was set back must not delay anything.
    let is_waiting = waited >= 0 && rest > 0;
    is_waiting.then(|| Timestamp::from_millisecond(now.as_millisecond() + rest).unwrap_or(now))
}

/// Appends batches one after the other. `at` is the last one on the hub; a conflict is returned as
/// its number and the end of the log.
async fn append_in_order<H: Hub>(
    hub: &H,
    log: &LogName,
    batches: Vec<OutBatch>,
    at: &mut u64,
) -> Result<Option<(u64, u64)>, HubError> {
    for batch in batches {
        match hub.append(log, batch.seq, batch.bytes.into()).await? {
            Appended::New | Appended::Already => *at = batch.seq,
            Appended::Conflict { last } => return Ok(Some((batch.seq, last))),
        }
    }
    Ok(None)
}

/// The stored chain, or its start. Every life has its own chain.
pub(super) fn chain_of(
    kept: Option<&str>,
    of: &StreamOrigin,
    roster: &Roster,
) -> Result<Chain, Refused> {
    match kept {
        Some(text) => serde_json::from_str(text).map_err(|_| Refused::NotUnderstood),
        None => {
            let stream = Stream::new(format!("{}/{}", of.stream, of.incarnation));
            Ok(Chain::start(*roster.team(), stream, of.device.clone()))
        }
    }
}

/// The stored form of a chain.
pub(super) fn chain_text(chain: &Chain) -> String {
    // Hashes, names and numbers always serialize.
    serde_json::to_string(chain).unwrap_or_default()
}

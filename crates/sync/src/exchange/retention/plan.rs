//! What to remove. Pure: from what the hub has and what its readers have, to what may go.

use super::statement::Floors;
use super::view::View;
use super::{Keep, Removed};
use crate::exchange::names::{self, Span};
use crate::hub::{BlobName, LogName, StoredItem};
use std::collections::{BTreeMap, BTreeSet};
use taffrail_model::exchange::StreamOrigin;
use taffrail_model::replication::is_share;
use taffrail_model::{DeviceId, Timestamp};

const DAY: i64 = 24 * 60 * 60;
/// Nothing younger goes because of a size: its writer may still be sending it.
const YOUNG_SECONDS: i64 = 60 * 60;
/// How bundles begin: `bundle/SESSION/TIME-DEVICE`.
const BUNDLES: &str = "bundle/";

/// What is to be removed.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Plan {
    /// The first entry that each of these logs keeps.
    pub(super) trims: BTreeMap<LogName, u64>,
    pub(super) blobs: BTreeSet<BlobName>,
    /// Where the logs of each device begin for a reader that has nothing.
    pub(super) floors: BTreeMap<DeviceId, Floors>,
    entries: u64,
    left: u64,
}

impl Plan {
    pub(super) fn removed(&self) -> Removed {
        let (logs, blobs) = (self.trims.len(), self.blobs.len());
        Removed { logs, entries: self.entries, blobs, left: self.left }
    }
}

/// The stored things of one stream.
#[derive(Debug, Default)]
struct Stream {
    /// Each entry of its log: when it came, and its size.
    entries: BTreeMap<u64, (Timestamp, u64)>,
    segments: BTreeMap<(u64, u64), (BlobName, Timestamp, u64)>,
    /// The batches up to this one are needed by nobody who counts.
    free: u64,
    is_share: bool,
}

/// The device that wrote something.
pub(super) fn writer(item: &StoredItem) -> Option<DeviceId> {
    origin(item).map(|(of, _)| of.device)
}

/// The stream of an entry or a segment, and its batches.
fn origin(item: &StoredItem) -> Option<(StreamOrigin, Span)> {
    match item {
        StoredItem::Entry(log, seq) => {
            Some((names::origin(log)?, Span { first: *seq, last: *seq }))
        }
        StoredItem::Blob(name) => names::span(name),
    }
}

pub(super) fn plan(view: &View, keep: Keep) -> Plan {
    let mut streams = streams(view);
    let mut plan = Plan::default();
    for (of, stream) in &mut streams {
        segmented(of, stream, &mut plan);
    }
    if let Some(days) = keep.days {
        let before = view.now.as_second() - i64::from(days.get()) * DAY;
        old(view, &mut streams, before, &mut plan);
    }
    if let Some(most) = keep.bytes {
        large(view, &mut streams, most, &mut plan);
    }
    checkpoints(view, keep, &mut plan);
    plan.left = left(view, &plan);
    plan.floors = floors(view, &streams);
    plan
}

/// How many bytes stay.
fn left(view: &View, plan: &Plan) -> u64 {
    let stays = |item: &StoredItem| match item {
        StoredItem::Entry(log, seq) => plan.trims.get(log).is_none_or(|first| seq >= first),
        StoredItem::Blob(name) => !plan.blobs.contains(name),
    };
    view.stored.iter().filter(|(item, _)| stays(item)).map(|(_, (_, bytes))| bytes).sum()
}

fn streams(view: &View) -> BTreeMap<StreamOrigin, Stream> {
    let mut out: BTreeMap<StreamOrigin, Stream> = BTreeMap::new();
    for (item, (at, bytes)) in &view.stored {
        let Some((of, span)) = origin(item) else { continue };
        let stream = out.entry(of).or_default();
        match item {
            StoredItem::Entry(..) => drop(stream.entries.insert(span.first, (*at, *bytes))),
            StoredItem::Blob(name) => {
                stream.segments.insert((span.first, span.last), (name.clone(), *at, *bytes));
            }
        }
    }
    for (of, stream) in &mut out {
        stream.is_share = is_share(of.stream.as_str());
        stream.free = free(view, of);
    }
    out
}

/// The last batch that nobody who counts needs: every reader has it. A reader that never said how far it
/// is needs everything.
fn free(view: &View, of: &StreamOrigin) -> u64 {
    let Some(writer) = view.devices.iter().find(|it| it.id == of.device) else { return u64::MAX };
    let Ok(log) = names::log(of) else { return 0 };
    let is_share = is_share(of.stream.as_str());
    let readers = view.devices.iter().filter(|it| it.counts && it.id != of.device);
    let positions = readers.filter_map(|it| {
        let position = it.positions.as_ref().and_then(|all| all.get(log.as_str()).copied());
        match is_share {
            // Who reads a share cannot be seen: those who do say so.
            true => position,
            false if it.user == writer.user => Some(position.unwrap_or(0)),
            false => None,
        }
    });
    positions.min().unwrap_or(u64::MAX)
}

impl Stream {
    /// The first batch of the log that stays.
    fn first(&self) -> u64 {
        self.entries.keys().next().copied().unwrap_or(u64::MAX)
    }

    /// The last entry of the log always stays.
    fn last(&self) -> u64 {
        self.entries.keys().next_back().copied().unwrap_or(0)
    }

    /// Removes the first entry of the log.
    fn shorten(&mut self, of: &StreamOrigin, plan: &mut Plan) {
        if self.entries.pop_first().is_none() {
            return;
        }
        plan.entries += 1;
        if let Ok(log) = names::log(of) {
            plan.trims.insert(log, self.first());
        }
    }

    /// Whether the first entry of the log may go.
    fn may_shorten(&self) -> bool {
        let first = self.first();
        first < self.last() && first <= self.free
    }

    fn covers(&self, seq: u64) -> bool {
        self.segments.keys().any(|(first, last)| (*first..=*last).contains(&seq))
    }

    /// The first batch that can be read from here on without a gap: from the log, or from segments
    /// before it.
    fn floor(&self) -> u64 {
        let from_log = (!self.entries.is_empty()).then(|| self.first());
        let last_segment = || self.segments.keys().map(|(_, last)| last + 1).max();
        let Some(mut first) = from_log.or_else(last_segment) else { return 1 };
        while let Some((earlier, _)) =
            self.segments.keys().find(|(from, to)| *from < first && *to + 1 >= first)
        {
            first = *earlier;
        }
        first
    }
}

/// Entries that are in segments go once every reader that counts has them.
fn segmented(of: &StreamOrigin, stream: &mut Stream, plan: &mut Plan) {
    while stream.may_shorten() && !stream.is_share && stream.covers(stream.first()) {
        stream.shorten(of, plan);
    }
}

/// What is older than this second.
fn old(view: &View, streams: &mut BTreeMap<StreamOrigin, Stream>, before: i64, plan: &mut Plan) {
    let is_old = |at: &Timestamp| at.as_second() < before;
    for (of, stream) in streams {
        while stream.may_shorten() && stream.entries.values().next().is_some_and(|it| is_old(&it.0))
        {
            stream.shorten(of, plan);
        }
        let free = stream.free;
        stream.segments.retain(|(_, last), (name, at, _)| {
            let goes = is_old(at) && *last <= free;
            if goes {
                plan.blobs.insert(name.clone());
            }
            !goes
        });
    }
    let bundles = view.stored.iter().filter_map(|(item, (at, _))| Some((bundle(item)?, at)));
    plan.blobs.extend(bundles.filter(|(_, at)| is_old(at)).map(|(name, _)| name.clone()));
}

/// Checkpoints that a newer one replaced, once nobody reads them, and any that is too old.
fn checkpoints(view: &View, keep: Keep, plan: &mut Plan) {
    let mut newest: BTreeMap<StreamOrigin, u64> = BTreeMap::new();
    let all = || {
        view.stored.iter().filter_map(|(item, (at, _))| match item {
            StoredItem::Blob(name) => names::covered(name).map(|(of, seq)| (name, of, seq, at)),
            StoredItem::Entry(..) => None,
        })
    };
    for (_, of, seq, _) in all() {
        let known = newest.entry(of).or_default();
        *known = seq.max(*known);
    }
    let now = view.now.as_second();
    let old = keep.days.map(|days| now - i64::from(days.get()) * DAY);
    for (name, of, seq, at) in all() {
        let is_replaced = newest.get(&of) > Some(&seq) && at.as_second() < now - YOUNG_SECONDS;
        if is_replaced || old.is_some_and(|before| at.as_second() < before) {
            plan.blobs.insert(name.clone());
        }
    }
}

fn bundle(item: &StoredItem) -> Option<&BlobName> {
    match item {
        StoredItem::Blob(name) => Some(name).filter(|it| it.as_str().starts_with(BUNDLES)),
        StoredItem::Entry(..) => None,
    }
}

/// The oldest things, while there is too much. Shares, and the newest bundle of a session, go by age only.
fn large(view: &View, streams: &mut BTreeMap<StreamOrigin, Stream>, most: u64, plan: &mut Plan) {
    let mut left = left(view, plan);
    let mut by_age: Vec<_> =
        view.stored.iter().map(|(item, (at, bytes))| (at, item, bytes)).collect();
    by_age.sort();
    let young = view.now.as_second() - YOUNG_SECONDS;
    for (at, item, bytes) in by_age {
        if left <= most || at.as_second() > young {
            break;
        }
        if goes(item, view, streams, plan) {
            left -= (*bytes).min(left);
        }
    }
}

/// Removes one thing, if it may go and is still there.
fn goes(
    item: &StoredItem,
    view: &View,
    streams: &mut BTreeMap<StreamOrigin, Stream>,
    plan: &mut Plan,
) -> bool {
    if let Some(name) = bundle(item) {
        return !is_newest(name, view) && plan.blobs.insert(name.clone());
    }
    let Some((of, span)) = origin(item) else { return false };
    let Some(stream) = streams.get_mut(&of).filter(|it| !it.is_share) else { return false };
    match item {
        StoredItem::Entry(_, seq) if stream.first() == *seq && stream.may_shorten() => {
            stream.shorten(&of, plan);
            true
        }
        StoredItem::Blob(name) if span.last <= stream.free => {
            stream.segments.remove(&(span.first, span.last)).is_some()
                && plan.blobs.insert(name.clone())
        }
        StoredItem::Entry(..) | StoredItem::Blob(_) => false,
    }
}

/// Whether a bundle is the newest of its session: their names are in order of time.
fn is_newest(name: &BlobName, view: &View) -> bool {
    let session =
        |it: &BlobName| it.as_str().rsplit_once('/').map(|(session, _)| session.to_owned());
    let all = view.stored.keys().filter_map(bundle).filter(|it| session(it) == session(name));
    all.max() == Some(name)
}

/// Where logs begin, as stated so far or later.
fn floors(view: &View, streams: &BTreeMap<StreamOrigin, Stream>) -> BTreeMap<DeviceId, Floors> {
    let mut out = view.floors.clone();
    for (of, stream) in streams {
        let (floor, Ok(log)) = (stream.floor(), names::log(of)) else { continue };
        if floor > 1 {
            let known = out.entry(of.device.clone()).or_default();
            let before = known.entry(log.as_str().to_owned()).or_insert(floor);
            *before = floor.max(*before);
        }
    }
    out
}

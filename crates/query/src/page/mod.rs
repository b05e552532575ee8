//! A page of the list of sessions, in any order, with counts of the whole list.
//!
//! Every row is read, but only its slim part; whole rows are read for the page.

mod facets;
mod order;

pub use order::SortOrder;

use crate::filter::{add_marks, filter};
use crate::list::is_late;
use crate::selection::{is_narrowed, select};
use crate::session_row::session;
use crate::status::apply_status;
use facets::{Counts, Known};
use order::SortPlace;
use std::collections::{HashMap, HashSet};
use taffrail_api::{Facets, ListRequest, Session};
use taffrail_context::{Error, LiveStatuses, Settings};
use taffrail_model::status::Status;
use taffrail_model::{SessionId, Timestamp};
use taffrail_store::{IndexReader, Ledger, SlimRow};

/// Which page, and of which list.
#[derive(Debug, Clone)]
pub struct PageRequest {
    /// The list, and how much of it.
    pub list: ListRequest,
    /// Only sessions that a person would find by all of these lowercase words.
    pub words: Vec<String>,
    /// Its order.
    pub order: SortOrder,
    /// The cursor of the page before.
    pub after: Option<String>,
    /// Counts the whole list, too.
    pub facets: bool,
}

/// A page, and what is known of the whole list.
#[derive(Debug, Default)]
pub struct Page {
    /// How many sessions the list has.
    pub total: usize,
    /// The cursor of this page; `None` on the last.
    pub next: Option<String>,
    /// The sessions with their tags and status.
    pub sessions: Vec<Session>,
    /// Counts of the whole list, if they are asked for.
    pub facets: Option<Facets>,
}

/// A page of the list.
///
/// # Errors
/// When a filter is not valid, the cursor is of another list, or our own files cannot be read.
pub fn page(
    settings: &Settings,
    cards: &LiveStatuses,
    request: &PageRequest,
) -> Result<Page, Error> {
    let Some(reader) = IndexReader::open(&settings.data)? else { return Ok(Page::default()) };
    let order = request.order;
    let after = request.after.as_deref().map(|it| order.place_of(it)).transpose()?;
    let (mut rows, facets) = scan(settings, cards, (&reader, request))?;
    let total = rows.len();
    rows.sort_unstable_by(|one, other| order.compare(&one.0, &other.0));
    let rest = rows
        .into_iter()
        .filter(|(place, _)| after.is_none_or(|after| order.compare(place, &after).is_gt()));
    let limit = request.list.limit.unwrap_or(usize::MAX);
    let mut rest = rest.peekable();
    let shown: Vec<_> = rest.by_ref().take(limit).collect();
    let last = shown.last().filter(|_| rest.peek().is_some());
    let next = last.map(|(place, _)| order.cursor(place));
    let numbers = shown.iter().map(|(_, row)| *row);
    let mut sessions = whole(settings, cards, &reader, numbers)?;
    add_marks(settings, &mut sessions)?;
    Ok(Page { total, next, sessions, facets })
}

/// Where each session of the list is in its order, its row, and the counts.
type Scanned = (Vec<(SortPlace, i64)>, Option<Facets>);

fn scan(
    settings: &Settings,
    cards: &LiveStatuses,
    (reader, request): (&IndexReader, &PageRequest),
) -> Result<Scanned, Error> {
    let kept = kept(settings, cards, &request.list)?;
    let mut filter = filter(settings, &request.list)?;
    filter.limit = None;
    let (tags, imported) = match request.facets {
        true => (tags(settings)?, imported(settings, reader)?),
        false => (HashMap::new(), HashMap::new()),
    };
    let known = Known { devices: &settings.devices, cards, tags: &tags };
    let (mut rows, mut counts, now) = (Vec::new(), Counts::default(), (settings.now)());
    reader.each_session(&filter, &mut |row| {
        if !is_listed(row, (kept.as_ref(), &request.words), now) {
            return;
        }
        rows.push((request.order.place(row), row.row));
        if request.facets {
            counts.add(row, &known, imported.get(&row.id).copied());
        }
    })?;
    Ok((rows, request.facets.then(|| counts.facets())))
}

/// The sessions with the requested activity; `None` if it does not matter.
fn kept(
    settings: &Settings,
    cards: &LiveStatuses,
    list: &ListRequest,
) -> Result<Option<HashSet<SessionId>>, Error> {
    let all = ListRequest { limit: None, ..list.clone() };
    let select = || Ok(select(settings, cards, &all)?.iter().map(|it| it.id).collect());
    is_narrowed(list).then(select).transpose()
}

fn is_listed(
    row: &SlimRow<'_>,
    (kept, words): (Option<&HashSet<SessionId>>, &[String]),
    now: Timestamp,
) -> bool {
    kept.is_none_or(|it| it.contains(&row.id))
        && !is_late(&row.lifecycle, row.last_event_at, now)
        && has_words(row, words)
}

/// True if a person would find the session by these lowercase words.
fn has_words(row: &SlimRow<'_>, words: &[String]) -> bool {
    if words.is_empty() {
        return true;
    }
    let said = [row.title, row.project_path, row.git_branch].into_iter().flatten();
    let said = said.collect::<Vec<_>>().join(" ");
    let text = format!("{said} {} {}", row.agent, row.id).to_lowercase();
    words.iter().all(|it| text.contains(it))
}

fn whole(
    settings: &Settings,
    cards: &LiveStatuses,
    reader: &IndexReader,
    numbers: impl Iterator<Item = i64>,
) -> Result<Vec<Session>, Error> {
    let mut out = Vec::new();
    for number in numbers {
        // A session may be forgotten between two reads.
        let Some(row) = reader.session_at(number)? else { continue };
        let mut session = session(&settings.devices, row);
        if let Some(card) = cards.get(&session.id) {
            apply_status(&mut session, card, (settings.now)());
        }
        out.push(session);
    }
    Ok(out)
}

fn tags(settings: &Settings) -> Result<HashMap<SessionId, Vec<String>>, Error> {
    let ledger = Ledger::open_read_only(&settings.data)?;
    Ok(ledger.map(|it| it.all_tags()).transpose()?.unwrap_or_default())
}

/// The status of each imported session: its document has it. They are few.
fn imported(
    settings: &Settings,
    reader: &IndexReader,
) -> Result<HashMap<SessionId, Status>, Error> {
    let rows = reader.imported()?.into_iter();
    Ok(rows.map(|row| session(&settings.devices, row)).map(|it| (it.id, it.status)).collect())
}

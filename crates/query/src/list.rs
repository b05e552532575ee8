//! Lists of sessions, also before everything is indexed.

use crate::board::recent_statuses;
use crate::catch_up::{Waiting, caught_up};
use crate::filter::{filter, tag};
use crate::selection::{asks_what_about, is_narrowed, select};
use crate::session_row::session;
use crate::status::apply_status;
use crate::summary::bring_up as bring_finals_up;
use crate::unread::add_unread;
use taffrail_api::{ListRequest, Session};
use taffrail_context::{Error, Settings};
use taffrail_ingest::{Budget, Progress};

/// What a list shows, and what it could not show yet.
#[derive(Debug)]
pub struct Listing {
    /// The sessions, the latest first.
    pub sessions: Vec<Session>,
    /// What waits to be read.
    pub waiting: Waiting,
    /// Sources that could not be read.
    pub problems: Vec<String>,
    /// What some sessions that are over were about is not known yet.
    pub unfinished: bool,
}

/// Lists sessions after catching up within a budget.
///
/// # Errors
/// When our own files cannot be read.
pub fn list(
    settings: &Settings,
    request: &ListRequest,
    budget: Budget<'_>,
    progress: &mut dyn FnMut(Progress),
) -> Result<Listing, Error> {
    let caught_up = caught_up(settings, budget, progress)?;
    let unfinished = asks_what_about(request) && !bring_finals_up(settings, budget)?;
    if let Some(reader) = caught_up.reader.as_ref().filter(|_| is_narrowed(request)) {
        let mut sessions = select(settings, &recent_statuses(settings, reader)?, request)?;
        tag(settings, &mut sessions)?;
        return Ok(Listing {
            sessions,
            waiting: caught_up.waiting(),
            problems: caught_up.problems,
            unfinished,
        });
    }
    let mut sessions = match &caught_up.reader {
        Some(reader) => {
            let rows = reader.sessions(&filter(settings, request)?)?.into_iter();
            rows.map(|it| session(&settings.devices, it)).collect()
        }
        None => Vec::new(),
    };
    if !asks_what_about(request) {
        add_unread(settings, (&mut sessions, &caught_up.left), request);
    }
    if let Some(reader) = caught_up.reader.as_ref().filter(|_| !settings.kept_up) {
        // A daemon knows how they stand; without one they are looked at now.
        let (cards, now) = (recent_statuses(settings, reader)?, (settings.now)());
        for session in &mut sessions {
            if let Some(card) = cards.get(&session.id) {
                apply_status(session, card, now);
            }
        }
    }
    tag(settings, &mut sessions)?;
    let (waiting, problems) = (caught_up.waiting(), caught_up.problems);
    Ok(Listing { sessions, waiting, problems, unfinished })
}

//! Which feature of a project's `.ai-session` directory a session works for. Read when asked only.

use crate::board::recent_statuses;
use crate::session_row::session;
use crate::status::apply_status;
use std::collections::HashMap;
use std::path::Path;
use taffrail_api::Session;
use taffrail_context::Devices;
use taffrail_context::{Error, Settings};
use taffrail_contracts::ai_session::{self, Linkable};
use taffrail_model::Timestamp;
use taffrail_store::{Filter, IndexReader, SessionRow};
use taffrail_workspace::{find, linkable};

/// The feature a session works for.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct FeatureLink {
    /// Its id.
    pub feature_id: String,
    /// The folder its directory is in.
    pub project: String,
    /// How it is listed: `active`, `paused` or `completed`.
    pub status: String,
}

/// The feature a session in this folder, last heard of then, works for. What cannot be read links
/// nothing.
#[must_use]
pub fn feature_of(folder: Option<&str>, heard: Option<Timestamp>) -> Option<FeatureLink> {
    let folder = Path::new(folder?);
    let project = folder.is_absolute().then(|| find(folder)).flatten()?;
    linked(folder, heard?, &linkable(&project)?)
}

fn linked(folder: &Path, heard: Timestamp, all: &Linkable) -> Option<FeatureLink> {
    let feature = ai_session::feature_of(folder, heard, std::slice::from_ref(all))?;
    Some(FeatureLink {
        feature_id: feature.feature_id.clone(),
        project: all.project.to_string_lossy().into_owned(),
        status: feature.status.as_str().to_owned(),
    })
}

/// The sessions that work for a feature of a project, the latest first; none where nothing is indexed.
///
/// # Errors
/// When the index is there and cannot be read.
pub fn sessions_of_feature(
    settings: &Settings,
    project: &Path,
    feature: &str,
) -> Result<Vec<Session>, Error> {
    let Some(index) = IndexReader::open(&settings.data)? else { return Ok(Vec::new()) };
    let Some(all) = linkable(project) else { return Ok(Vec::new()) };
    let below = Some(project.to_string_lossy().into_owned());
    let rows = index.sessions(&Filter { project: below, ..Filter::default() })?;
    let mut nearest = HashMap::new();
    let mut is_of = |row: &SessionRow| {
        let folder = Path::new(row.project_path.as_deref().unwrap_or_default());
        // A project within the project has features of its own.
        let own = *nearest
            .entry(folder.to_owned())
            .or_insert_with(|| find(folder).is_none_or(|it| it == project));
        let link = row.last_event_at.and_then(|heard| linked(folder, heard, &all));
        own && link.is_some_and(|it| it.feature_id == feature)
    };
    // They are of this device, whose folder it is.
    let here = Devices::default();
    let (cards, now) = (recent_statuses(settings, &index)?, (settings.now)());
    let shown = |row: SessionRow| {
        let mut session = session(&here, row);
        if let Some(card) = cards.get(&session.id) {
            apply_status(&mut session, card, now);
        }
        session
    };
    Ok(rows.into_iter().filter(|it| is_of(it)).map(shown).collect())
}

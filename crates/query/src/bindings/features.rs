//! Links sessions to features of a project's `.ai-session` directory. Read on request only.

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

/// The feature of a session.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct FeatureLink {
    /// Its id.
    pub feature_id: String,
    /// The folder that contains the directory.
    pub project: String,
    /// Its listed status: `active`, `paused` or `completed`.
    pub status: String,
}

/// The feature of a session in this folder, with its last event at this time. `None` if the
/// directory cannot be read.
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

/// The sessions of a feature of a project, the latest first; none if nothing is indexed.
///
/// # Errors
/// When the index exists and cannot be read.
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
        // A nested project has its own features.
        let own = *nearest
            .entry(folder.to_owned())
            .or_insert_with(|| find(folder).is_none_or(|it| it == project));
        let link = row.last_event_at.and_then(|heard| linked(folder, heard, &all));
        own && link.is_some_and(|it| it.feature_id == feature)
    };
    // The folder is on this device, and so are its sessions.
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

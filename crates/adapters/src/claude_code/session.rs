//! What records, and the files beside a transcript, say about its session.

use super::place;
use super::record::Line;
use serde_json::Value;
use taffrail_kit::{Speaker, json};
use taffrail_model::{Facts, TitleRank, hash};

/// The note that the project was given from outside, so that the folders of records do not count.
const GIVEN: &str = "project";

/// Takes the facts about the whole session from a record.
pub(super) fn note(uuid: &str, line: &Line<'_>, speaker: &mut Speaker<'_, '_>) {
    note_project(line.cwd.as_deref(), speaker);
    let facts = speaker.facts();
    let branch = line.git_branch.as_deref();
    keep_last(&mut facts.git_branch, branch.filter(|name| *name != "HEAD"));
    keep_last(&mut facts.agent_version, line.version.as_deref());
    keep_last(&mut facts.slug, line.slug.as_deref());
    if facts.entrypoint.is_none() {
        keep_last(&mut facts.entrypoint, line.entrypoint.as_deref());
    }
    let origin = line.forked_from.as_ref().and_then(|origin| origin.session_id.as_deref());
    if let (None, Some(origin)) = (&facts.forked_from, origin) {
        speaker.forked_from(origin);
    }
    note_first_record(uuid, speaker);
}

/// The first folder counts, until one is that which the project's folder is named after.
fn note_project(cwd: Option<&str>, speaker: &mut Speaker<'_, '_>) {
    let Some(cwd) = cwd.filter(|it| !it.is_empty()) else { return };
    let (project, is_given) = (speaker.name("project"), speaker.noted(GIVEN).is_some());
    let is_home = |path: &str| place::is_folder_of(project.unwrap_or_default(), path);
    let is_better = |known: &str| known != cwd && !is_given && !is_home(known) && is_home(cwd);
    let path = &mut speaker.facts().project_path;
    if path.as_deref().is_none_or(is_better) {
        *path = Some(cwd.to_owned());
    }
}

/// Remembers the first record, which a fork of the session would share.
fn note_first_record(uuid: &str, speaker: &mut Speaker<'_, '_>) {
    let Facts { first_record: None, parent: None, .. } = speaker.facts() else { return };
    let digest = hash::digest("claude-record", &[uuid.as_bytes()]);
    speaker.facts().first_record = Some(digest);
}

/// Sets a fact, unless it is known or empty: this runs for every record.
pub(super) fn keep_last(slot: &mut Option<String>, value: Option<&str>) {
    if let Some(value) = value.filter(|value| !value.is_empty())
        && slot.as_deref() != Some(value)
    {
        *slot = Some(value.to_owned());
    }
}

/// Takes what the files beside the transcript say, before its first record.
pub(super) fn learn(speaker: &mut Speaker<'_, '_>) {
    if let Some(meta) = speaker.beside_json(".meta.json") {
        offer_title(json::text(&meta, "/description"), speaker);
    }
    let desktop = speaker.name("local").map(|it| format!("/local_{it}.json"));
    if let Some(meta) = desktop.and_then(|it| speaker.beside_json(&it)) {
        learn_from_desktop(&meta, speaker);
    }
}

/// The desktop program gives a session its project, which is not the folder that the agent runs in.
fn learn_from_desktop(meta: &Value, speaker: &mut Speaker<'_, '_>) {
    if let Some(folder) = json::text(meta, "/userSelectedFolders/0") {
        speaker.cwd(Some(folder));
        speaker.note(GIVEN, "");
    }
    if speaker.facts().parent.is_none() {
        offer_title(json::text(meta, "/title"), speaker);
    }
    let facts = speaker.facts();
    facts.started_at = facts.started_at.or(json::time(meta, "/createdAt"));
}

/// Offers a title that is older than any of the transcript.
fn offer_title(title: Option<&str>, speaker: &mut Speaker<'_, '_>) {
    let known = speaker.facts().title.as_ref();
    if known.is_none_or(|it| it.rank < TitleRank::Generated) {
        speaker.title(TitleRank::Generated, title);
    }
}

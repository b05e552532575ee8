//! Translates a list request into a filter of the index.

use std::collections::HashSet;
use taffrail_api::{ListRequest, Session};
use taffrail_context::{Device, Error, Settings, agent_id};
use taffrail_model::summary::Category;
use taffrail_model::{SessionId, replication};
use taffrail_store::{Filter, Ledger, SourceAt};

/// Translates a list request into a filter of the index.
pub fn filter(settings: &Settings, request: &ListRequest) -> Result<Filter, Error> {
    Ok(Filter {
        workers: request.all,
        with_transcript: request.with_transcript,
        limit: request.limit,
        agent: request.agent.as_deref().map(agent_id).transpose()?,
        since: request.since,
        project: request.project.as_deref().and_then(|it| project(it).0),
        project_name: request.project.as_deref().and_then(|it| project(it).1),
        until: request.until,
        model: request.model.clone(),
        branch: request.branch.clone(),
        among: among(settings, request)?,
        topic: request.topic.clone(),
        category: request.category.as_deref().map(category).transpose()?,
        source: request.device.as_deref().map(|it| device(settings, it)).transpose()?,
        ..Filter::default()
    })
}

/// Splits a project as typed into a path or the name of its folder.
pub fn project(typed: &str) -> (Option<String>, Option<String>) {
    match typed.contains('/') || typed == "." {
        true => (Some(typed.to_owned()), None),
        false => (None, Some(typed.to_owned())),
    }
}

/// The sessions with the tag and the star of a request; `None` if it has neither.
fn among(settings: &Settings, request: &ListRequest) -> Result<Option<Vec<SessionId>>, Error> {
    let tagged = request.tag.as_deref().map(|it| tagged(settings, it)).transpose()?;
    if !request.starred {
        return Ok(tagged);
    }
    let starred = starred(settings)?;
    Ok(Some(match tagged {
        Some(tagged) => tagged.into_iter().filter(|it| starred.contains(it)).collect(),
        None => starred.into_iter().collect(),
    }))
}

/// The sessions with a star.
fn starred(settings: &Settings) -> Result<HashSet<SessionId>, Error> {
    let ledger = Ledger::open_read_only(&settings.data)?;
    Ok(ledger.map(|it| it.starred()).transpose()?.unwrap_or_default())
}

/// The sessions with a tag.
pub fn tagged(settings: &Settings, tag: &str) -> Result<Vec<SessionId>, Error> {
    let ledger = Ledger::open_read_only(&settings.data)?;
    Ok(ledger.map(|it| it.tagged(tag)).transpose()?.unwrap_or_default())
}

/// The locators of a device's sessions.
pub fn device(settings: &Settings, word: &str) -> Result<SourceAt, Error> {
    Ok(match settings.devices.meant(&settings.data, word)? {
        Device::Here => SourceAt::NotBelow(format!("{}:", replication::SCHEME)),
        Device::Other(id) => SourceAt::Below(replication::locator(id.as_str(), "")),
    })
}

/// A category by its name.
pub fn category(word: &str) -> Result<Category, Error> {
    Category::meant(word).ok_or_else(|| Error::UnknownCategory(word.to_owned()))
}

/// Adds the person's tags and stars to sessions.
pub fn add_marks(settings: &Settings, sessions: &mut [Session]) -> Result<(), Error> {
    let Some(ledger) = Ledger::open_read_only(&settings.data)? else { return Ok(()) };
    let (mut tags, starred) = (ledger.all_tags()?, ledger.starred()?);
    for session in sessions {
        session.tags = tags.remove(&session.id).unwrap_or_default();
        session.starred = starred.contains(&session.id);
    }
    Ok(())
}

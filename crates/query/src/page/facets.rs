//! Counts the sessions of a list by what they have in common.

use std::cmp::Reverse;
use std::collections::HashMap;
use taffrail_api::{Facet, Facets};
use taffrail_context::{Devices, LiveStatuses};
use taffrail_model::status::Status;
use taffrail_model::{Lifecycle, SessionId, replication};
use taffrail_store::SlimRow;

/// The most values of one facet: those with the most sessions.
const VALUES: usize = 1_000;

/// This device while it has no name.
const HERE: &str = "here";

/// What counting needs beside the rows.
pub(super) struct Known<'k> {
    pub(super) devices: &'k Devices,
    pub(super) cards: &'k LiveStatuses,
    pub(super) tags: &'k HashMap<SessionId, Vec<String>>,
}

/// Counts of a list so far.
#[derive(Default)]
pub(super) struct Counts {
    project: Count,
    agent: Count,
    model: Count,
    branch: Count,
    device: Count,
    tag: Count,
    status: Count,
    /// Devices by the names that locators have for them.
    devices: HashMap<String, String>,
}

#[derive(Default)]
struct Count(HashMap<String, u64>);

impl Count {
    fn add(&mut self, key: &str) {
        match self.0.get_mut(key) {
            Some(count) => *count += 1,
            None => drop(self.0.insert(key.to_owned(), 1)),
        }
    }

    fn facet(self) -> Vec<Facet> {
        let all = self.0.into_iter().map(|(key, sessions)| Facet { key, sessions });
        let mut all: Vec<_> = all.collect();
        all.sort_by(|one, other| {
            (Reverse(one.sessions), &one.key).cmp(&(Reverse(other.sessions), &other.key))
        });
        all.truncate(VALUES);
        all
    }
}

impl Counts {
    /// Counts a session; `imported` is the status in its document, if it is an imported one.
    pub(super) fn add(&mut self, row: &SlimRow<'_>, known: &Known<'_>, imported: Option<Status>) {
        self.agent.add(row.agent);
        let texts = [
            (&mut self.project, row.project_path),
            (&mut self.model, row.model),
            (&mut self.branch, row.git_branch),
        ];
        for (count, text) in texts {
            if let Some(text) = text {
                count.add(text);
            }
        }
        known.tags.get(&row.id).into_iter().flatten().for_each(|it| self.tag.add(it));
        self.status.add(status(row, known.cards, imported).as_str());
        let device = replication::device_of(row.source_uri);
        let device = device.map_or_else(String::new, |it| it.to_string());
        let name = self.devices.entry(device).or_insert_with(|| {
            known.devices.name_at(row.source_uri).unwrap_or_else(|| HERE.to_owned())
        });
        self.device.add(name);
    }

    pub(super) fn facets(self) -> Facets {
        Facets {
            project: self.project.facet(),
            agent: self.agent.facet(),
            model: self.model.facet(),
            branch: self.branch.facet(),
            device: self.device.facet(),
            tag: self.tag.facet(),
            status: self.status.facet(),
        }
    }
}

/// The status of a session, as its row in the list has it.
fn status(row: &SlimRow<'_>, cards: &LiveStatuses, imported: Option<Status>) -> Status {
    let is_here = row.captured && !replication::is_locator(row.source_uri);
    let known = cards.get(&row.id).map(|it| it.reading.status).or(imported);
    known.unwrap_or(match is_here && row.lifecycle != Lifecycle::PromptsOnly {
        true => Status::Exited,
        false => Status::Unknown,
    })
}

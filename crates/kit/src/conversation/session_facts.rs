//! What a record says about its session.

use super::speaker::Speaker;
use crate::records::LONGEST_ID;
use taffrail_model::{Facts, TitleRank};

/// The most notes of a dialect.
const MOST_NOTES: usize = 64;

impl Speaker<'_, '_> {
    /// The session that the record belongs to.
    pub fn session(&mut self, id: &str) {
        if !id.is_empty() && id.len() <= LONGEST_ID {
            self.memory.switch(self.place.identity(id));
        }
    }

    /// The id of the session that speaks.
    pub fn session_id(&self) -> String {
        self.memory.who(self.place).id.as_str().to_owned()
    }

    /// The session is a sub-agent of another.
    pub fn child_of(&mut self, parent: &str) {
        let parent = self.place.identity(parent);
        self.memory.facts().parent = Some(parent);
    }

    /// Another session is a sub-agent of this one.
    pub fn parent_of(&mut self, child: &str) {
        if !child.is_empty() && child.len() <= LONGEST_ID {
            let parent = self.memory.who(self.place);
            self.memory.adopt(self.place.identity(child), parent);
        }
    }

    /// The session was forked from another.
    pub fn forked_from(&mut self, origin: &str) {
        let origin = self.place.identity(origin);
        self.memory.facts().forked_from = Some(origin);
    }

    /// The facts about the session that speaks.
    pub fn facts(&mut self) -> &mut Facts {
        self.memory.facts()
    }

    /// The project's folder.
    pub fn cwd(&mut self, path: Option<&str>) {
        if let Some(path) = path.filter(|it| !it.is_empty()) {
            self.facts().project_path = Some(path.to_owned());
        }
    }

    /// The model that answers from now on.
    pub fn model(&mut self, model: Option<&str>) {
        if let Some(model) = model.filter(|it| !it.is_empty()) {
            self.memory.model = Some(model.to_owned());
            self.named = Some(model.to_owned());
            self.facts().model = Some(model.to_owned());
        }
    }

    /// The model of the session, known from a side file: answers do not repeat it.
    pub fn session_model(&mut self, model: Option<&str>) {
        if let Some(model) = model.filter(|it| !it.is_empty()) {
            self.facts().model = Some(model.to_owned());
        }
    }

    /// A title that the agent made, or that a person gave.
    pub fn title(&mut self, rank: TitleRank, title: Option<&str>) {
        if let Some(title) = title {
            self.facts().offer_title(rank, title);
        }
    }

    /// Remembers a small text under a name.
    pub fn note(&mut self, name: &str, text: &str) {
        let notes = &mut self.memory.notes;
        notes.retain(|(it, _)| it != name);
        if notes.len() < MOST_NOTES && name.len() + text.len() <= 2 * LONGEST_ID {
            notes.push((name.to_owned(), text.to_owned()));
        }
    }

    /// The text that was remembered under a name.
    pub fn noted(&self, name: &str) -> Option<String> {
        self.memory.notes.iter().find(|(it, _)| it == name).map(|(_, text)| text.clone())
    }
}

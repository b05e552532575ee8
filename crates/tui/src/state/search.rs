//! The text of a search, and its hits.

use crate::state::input::Input;
use taffrail_api::{SearchHit, Window};
use taffrail_model::{EventId, SessionId};

/// What is done with matches far below the best.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Weak {
    #[default]
    Counted,
    Shown,
}

/// The events around a hit.
#[derive(Debug)]
pub(crate) struct Context {
    pub(crate) of: EventId,
    /// They have not arrived yet, or the daemon has none.
    pub(crate) window: Option<Window>,
}

/// The query and its hits.
#[derive(Debug, Default)]
pub(crate) struct Search {
    pub(crate) input: Input,
    pub(crate) at: usize,
    pub(crate) sessions: Vec<SessionId>,
    pub(crate) hits: Vec<SearchHit>,
    /// The hits that are left out, and how many more there are with them.
    pub(crate) weak_hits: Vec<SearchHit>,
    pub(crate) weaker: u64,
    pub(crate) weak: Weak,
    pub(crate) context: Option<Context>,
    /// The query that the hits belong to.
    pub(crate) answered: Option<String>,
    pub(crate) asked: Option<String>,
    pub(crate) total: (u64, bool),
    pub(crate) why_not: Option<String>,
}

impl Search {
    /// Takes the hits of a reply; the weak ones apart.
    pub(crate) fn fill(&mut self, hits: Vec<SearchHit>, weaker: u64) {
        (self.weak_hits, self.hits) = hits.into_iter().partition(|it| it.weak);
        self.weaker = weaker;
        self.show(self.weak);
    }

    /// Shows the weak hits after the others, or only their number.
    pub(crate) fn show(&mut self, weak: Weak) {
        self.weak = weak;
        match weak {
            Weak::Shown => self.hits.append(&mut self.weak_hits),
            Weak::Counted => {
                let all = std::mem::take(&mut self.hits);
                let (mut weak, strong) = all.into_iter().partition::<Vec<_>, _>(|it| it.weak);
                self.hits = strong;
                self.weak_hits.append(&mut weak);
            }
        }
    }

    /// The words of the query, in lowercase.
    pub(crate) fn words(&self) -> Vec<String> {
        let words = self.input.text.split_whitespace().filter(|it| !it.contains(':'));
        let trimmed = words.map(|it| it.trim_matches(['"', '*']).to_lowercase());
        trimmed.filter(|it| !it.is_empty()).collect()
    }

    /// The chosen session among the hits.
    pub(crate) fn target(&self) -> Option<SessionId> {
        match self.sessions.get(self.at) {
            Some(id) => Some(*id),
            None => self.hit().map(|it| it.session_id),
        }
    }

    pub(crate) fn hit(&self) -> Option<&SearchHit> {
        self.hits.get(self.at.checked_sub(self.sessions.len())?)
    }
}

/// The query sent to the daemon: the last word may be incomplete.
pub(crate) fn query(text: &str) -> String {
    let is_open = text.chars().next_back().is_some_and(char::is_alphanumeric);
    let last = text.rsplit(' ').next().unwrap_or_default();
    let in_phrase = text.matches('"').count() % 2 == 1;
    let is_word = is_open && !last.contains([':', '"', '*']) && last.chars().count() > 1;
    if is_word && !in_phrase { format!("{text}*") } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_being_typed_is_a_beginning() {
        let check = |text: &str, expected: &str| assert_eq!(query(text), expected);
        check("zzquok", "zzquok*");
        check("one tw", "one tw*");
        check("one t", "one t");
        check("one ", "one ");
        check("\"one tw", "\"one tw");
        check("agent:cla", "agent:cla");
        check("one*", "one*");
    }
}

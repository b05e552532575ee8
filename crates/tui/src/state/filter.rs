//! Filters the board: words, and `agent:`, `state:`, `project:` and `device:`.

use crate::table::elsewhere;
use taffrail_api::Session;

/// The parsed filter.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    wants: Vec<Want>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Want {
    Agent(String),
    State(String),
    Project(String),
    Device(String),
    Word(String),
}

impl Filter {
    /// Parses the input; every word must match.
    pub(crate) fn read(text: &str) -> Self {
        let text = text.to_lowercase();
        let wants = text.split_whitespace().map(|word| match word.split_once(':') {
            Some(("agent", it)) => Want::Agent(it.to_owned()),
            Some(("state" | "status", it)) => Want::State(it.replace('-', "_")),
            Some(("project", it)) => Want::Project(it.to_owned()),
            Some(("device", it)) => Want::Device(it.to_owned()),
            _ => Want::Word(word.to_owned()),
        });
        Self { wants: wants.collect() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.wants.is_empty()
    }

    /// True if a session matches.
    pub(crate) fn fits(&self, session: &Session, doing: Option<&str>) -> bool {
        self.wants.iter().all(|want| want.fits(session, doing))
    }
}

impl Want {
    fn fits(&self, session: &Session, doing: Option<&str>) -> bool {
        let has = |text: Option<&str>, word: &str| {
            text.is_some_and(|it| it.to_lowercase().contains(word))
        };
        match self {
            Self::Agent(word) => has(Some(&session.agent), word),
            Self::State(word) => {
                has(Some(session.status.as_str()), word) || has(Some(group_of(session)), word)
            }
            Self::Project(word) => has(session.project_path.as_deref(), word),
            Self::Device(word) if word == "here" => elsewhere(session).is_none(),
            Self::Device(word) => word.is_empty() || has(session.device.as_deref(), word),
            Self::Word(word) => {
                let waits = session.waiting_for.as_ref().map(|it| it.text.as_str());
                let texts = [
                    session.title.as_deref(),
                    session.project_path.as_deref(),
                    session.git_branch.as_deref(),
                    Some(session.agent.as_str()),
                    waits,
                    doing,
                ];
                texts.into_iter().any(|it| has(it, word))
                    || session.id.to_string().starts_with(word.as_str())
            }
        }
    }
}

fn group_of(session: &Session) -> &'static str {
    use taffrail_model::status::Group;
    match session.group {
        Group::NeedsYou => "needs_you",
        Group::Working => "working",
        Group::YourTurn => "your_turn",
        Group::Failed => "failed",
        Group::Idle => "idle",
        Group::Done => "done",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;

    #[test]
    fn every_word_must_fit() {
        let session = samples::approval();
        let check = |text: &str, expected: bool| {
            assert_eq!(Filter::read(text).fits(&session, Some("Bash npm")), expected, "{text}");
        };
        check("", true);
        check("API", true);
        check("agent:claude state:needs-you", true);
        check("agent:claude state:working", false);
        check("state:waiting_approval", true);
        check("project:src/api main", true);
        check("npm nowhere", false);
        check("bash", true);
        check("device:here", true);
        check("device:tower", false);
    }

    #[test]
    fn a_session_of_another_device_is_found_by_its_device() {
        let session = samples::remote();
        let check = |text: &str, expected: bool| {
            assert_eq!(Filter::read(text).fits(&session, None), expected, "{text}");
        };
        check("device:laptop", true);
        check("device:lap state:needs-you", true);
        check("device:tower", false);
        check("device:here", false);
    }
}

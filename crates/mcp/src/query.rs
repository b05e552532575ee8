//! A question of one call: whom it asks, and what it must not show.

use crate::fence::Fence;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use std::sync::{Arc, Mutex};
use taffrail_api::client::{Client, escaped, path};
use taffrail_api::{ClientError, SearchHit, SearchReply, Session};
use taffrail_model::SessionId;

/// Why a tool does not answer, in words for the agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal(pub(crate) String);

impl From<ClientError> for Refusal {
    fn from(error: ClientError) -> Self {
        Self(error.to_string())
    }
}

/// A search and its hits.
pub(crate) type LastSearch = Option<(String, SearchReply)>;

/// A question of one call.
pub(crate) struct Question {
    pub(crate) client: Client,
    pub(crate) fence: Fence,
    pub(crate) given: Arguments,
    pub(crate) hidden: Hidden,
    /// The folder that a relative path starts from.
    pub(crate) here: String,
    /// The latest search and its hits.
    pub(crate) last: Arc<Mutex<LastSearch>>,
}

impl Question {
    /// Asks the API.
    pub(crate) fn get<T: DeserializeOwned>(
        &self,
        route: &str,
        parameters: &[(&str, &str)],
    ) -> Result<T, Refusal> {
        Ok(self.client.get(&path(route, parameters))?)
    }

    /// The session that the agent names, by our id or by the agent's own.
    pub(crate) fn session(&self) -> Result<Session, Refusal> {
        let word = self.given.required("session")?;
        let found: Session = self.get("/api/resolve", &[("id", &word), ("here", &self.here)])?;
        match self.hidden.hides_project(found.project_path.as_deref()) {
            true => Err(Refusal(format!("no session matches `{word}`"))),
            false => Ok(found),
        }
    }
}

/// The path of a question about a session.
pub(crate) fn about(session: SessionId, what: &str) -> String {
    format!("/api/sessions/{}/{what}", escaped(&session.to_string()))
}

/// What an answer leaves out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Hidden {
    /// The session that asks, and the one it works for.
    pub(crate) sessions: Vec<SessionId>,
    /// Folders whose sessions the configuration excludes.
    pub(crate) projects: Vec<String>,
}

impl Hidden {
    /// Whether a session is left out.
    pub(crate) fn hides(&self, session: SessionId, project: Option<&str>) -> bool {
        self.sessions.contains(&session) || self.hides_project(project)
    }

    /// Whether a hit is left out.
    pub(crate) fn hides_hit(&self, hit: &SearchHit) -> bool {
        self.hides(hit.session_id, hit.project_path.as_deref())
    }

    /// Whether the sessions of a project are left out.
    pub(crate) fn hides_project(&self, project: Option<&str>) -> bool {
        let Some(project) = project else { return false };
        self.projects.iter().any(|it| {
            let below = project.strip_prefix(it.trim_end_matches('/'));
            below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

/// The arguments of a call.
#[derive(Debug, Clone, Default)]
pub(crate) struct Arguments(pub(crate) Map<String, Value>);

impl Arguments {
    /// A text, or a number as text; `None` if it is missing or empty.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        let text = match self.0.get(name)? {
            Value::String(text) => text.trim().to_owned(),
            Value::Number(number) => number.to_string(),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => return None,
        };
        (!text.is_empty()).then_some(text)
    }

    /// A text that must be there.
    pub(crate) fn required(&self, name: &str) -> Result<String, Refusal> {
        self.text(name).ok_or_else(|| Refusal(format!("`{name}` is missing: give it as a text")))
    }

    /// How many items the pages before showed.
    pub(crate) fn offset(&self) -> Result<usize, Refusal> {
        let Some(cursor) = self.text("cursor") else { return Ok(0) };
        cursor.parse().map_err(|_| unknown_cursor(&cursor))
    }
}

/// The cursor is not one of ours.
pub(crate) fn unknown_cursor(cursor: &str) -> Refusal {
    Refusal(format!("`{cursor}` is not a cursor: use the last line of the page before"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_excluded_folder_hides_what_is_below_it() {
        let hidden = Hidden { projects: vec!["/home/ada/secret/".into()], ..Hidden::default() };
        let check = |path: Option<&str>, expected: bool| {
            assert_eq!(hidden.hides_project(path), expected, "{path:?}");
        };
        check(Some("/home/ada/secret"), true);
        check(Some("/home/ada/secret/api"), true);
        check(Some("/home/ada/secrets"), false);
        check(Some("/home/ada"), false);
        check(None, false);
    }

    #[test]
    fn arguments_are_read_as_agents_write_them() {
        let given = serde_json::json!({"turn": 3, "query": " x ", "session": "", "cursor": "x"});
        let given = Arguments(given.as_object().cloned().unwrap());
        assert_eq!(given.text("turn").as_deref(), Some("3"));
        assert_eq!(given.required("query"), Ok("x".to_owned()));
        assert!(given.required("session").is_err() && given.offset().is_err());
        assert_eq!(Arguments::default().offset(), Ok(0));
    }
}

//! The row of a session.

use super::row::{Flag, ModelConfig, SessionRow, utc};
use crate::lenient::value_in;
use std::borrow::Cow;
use taffrail_model::{Detail, Draft, Facts, Kind, RecordKey, RuntimeIdentity, TitleRank};

/// The key of the session's own row, which shares no numbering with the messages.
const KEY: &str = "session";
/// Default names, given before the session has content.
const DEFAULT_NAMES: [&str; 3] = ["CLI Session", "New Chat", "ACP Session"];
const MICRODOLLARS: f64 = 1_000_000.0;

impl SessionRow<'_> {
    /// The beginning of the session.
    pub(super) fn started(&self) -> Draft<'_> {
        let key = RecordKey::Provider(Cow::Borrowed(KEY));
        let mut draft = Draft::new(key, 0, Kind::SessionStarted);
        draft.at = self.created_at.as_deref().and_then(utc);
        draft.detail = Detail::Started {
            version: None,
            entrypoint: self.session_type.as_deref().map(Cow::Borrowed),
            cwd: self.working_dir.as_deref().map(Cow::Borrowed),
        };
        draft
    }

    /// The facts about the session `who`.
    pub(super) fn facts(&self, who: &RuntimeIdentity) -> Facts {
        let parent = self.parent_session_id.as_deref();
        let mut facts = Facts {
            project_path: self.working_dir.as_deref().map(str::to_owned),
            model: self.model(),
            entrypoint: self.session_type.as_deref().map(str::to_owned),
            started_at: self.created_at.as_deref().and_then(utc),
            cost_microdollars: self.accumulated_cost.map(microdollars),
            parent: parent.map(|id| super::identity(&who.scope, id)),
            ..Facts::default()
        };
        if let Some((rank, text)) = self.title() {
            facts.offer_title(rank, text);
        }
        facts
    }

    fn model(&self) -> Option<String> {
        let config: ModelConfig<'_> = value_in(self.model_config_json.as_deref()?)?;
        config.model_name.map(Cow::into_owned)
    }

    /// The name, or the field that older versions used instead.
    fn title(&self) -> Option<(TitleRank, &str)> {
        let name = self.name.as_deref().or(self.description.as_deref())?;
        if self.user_set_name == Flag::Set {
            return Some((TitleRank::Given, name));
        }
        (!DEFAULT_NAMES.contains(&name)).then_some((TitleRank::Generated, name))
    }
}

/// Rounds to whole millionths; a number out of range becomes the nearest valid one.
fn microdollars(dollars: f64) -> i64 {
    (dollars * MICRODOLLARS).round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_is_ranked_by_who_gave_it() {
        let title = |row: &str| {
            let row: SessionRow<'_> = value_in(row).unwrap();
            row.title().map(|(rank, text)| (rank, text.to_owned()))
        };
        let check = |row: &str, expected: Option<(TitleRank, &str)>| {
            assert_eq!(title(row), expected.map(|(rank, text)| (rank, text.into())));
        };
        check(r#"{"name":"a","user_set_name":1}"#, Some((TitleRank::Given, "a")));
        check(r#"{"name":"a","user_set_name":0}"#, Some((TitleRank::Generated, "a")));
        check(r#"{"name":"","description":"b"}"#, Some((TitleRank::Generated, "b")));
        check(r#"{"name":"CLI Session","user_set_name":false}"#, None);
        check("{}", None);
    }

    #[test]
    fn dollars_become_whole_millionths() {
        assert_eq!(microdollars(0.012_345_6), 12_346);
        assert_eq!(microdollars(1e300), i64::MAX);
    }
}

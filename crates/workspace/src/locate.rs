//! Finds the files that a state names for its plan and its history.

use crate::directory::Directory;
use crate::error::WorkError;
use crate::folder::Folder;
use crate::place::{Origin, Place, Places, both};
use serde_json::Value;
use taffrail_contracts::ai_session::FOLDER;

impl Directory {
    /// The files that a state names. The inner error is a sentence.
    pub(crate) fn places(
        &self,
        folder: &Folder,
        (id, state): (&str, &Value),
    ) -> Result<Result<Places, String>, WorkError> {
        let above = self.project().join(FOLDER);
        let (plan, history) = match both(state, id, &above) {
            [Ok(plan), Ok(history)] => (plan, history),
            [Err(why), _] | [_, Err(why)] => return Ok(Err(why)),
        };
        if let Some(other) = self.shares(id, &history)? {
            return Ok(Err(format!("/history_log: it is also the history of {other}")));
        }
        let place = |parts| Place::located((folder, id), || self.folder.again(), parts);
        Ok(Ok(Places { plan: place(plan)?, history: place(history)?, origin: Origin::State }))
    }

    /// Another feature with the same history. Only a file outside of the feature's folder is shared.
    fn shares(&self, id: &str, history: &[String]) -> Result<Option<String>, WorkError> {
        if history.first().is_some_and(|it| it == id) {
            return Ok(None);
        }
        let above = self.project().join(FOLDER);
        for other in self.folders()?.into_iter().filter(|it| it != id) {
            let Some(folder) = self.folder.sub(&other)? else { continue };
            let Ok(state) = self.state(&folder, &other) else { continue };
            let [_, theirs] = both(&state.document, &other, &above);
            if theirs.is_ok_and(|theirs| theirs == history) {
                return Ok(Some(other));
            }
        }
        Ok(None)
    }
}

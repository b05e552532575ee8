//! What the loop lets the queue of messages learn.

use super::looping::Loop;
use crate::DaemonError;
use crate::events::tell;
use taffrail_api::EventLine;
use taffrail_model::{Kind, Origin, Signal};
use taffrail_store::{EventRow, IndexReader, SessionRow};

impl Loop {
    /// Lets the queue learn which prompts a session's agent took, if it waits for any.
    pub(super) fn hear_for_queue(
        &self,
        index: &IndexReader,
        row: &SessionRow,
        changed: &[EventRow],
    ) -> Result<(), DaemonError> {
        let is_prompt = |it: &EventRow| {
            let hooked = it.signal == Some(Signal::Prompted) && it.origin == Origin::Hook;
            hooked || it.kind == Kind::UserPrompt
        };
        if !self.handle.sending().has(row.id) || !changed.iter().any(is_prompt) {
            return Ok(());
        }
        let prompts: Vec<_> = changed.iter().filter(|it| is_prompt(it)).cloned().collect();
        let mut said = Vec::new();
        tell((&self.settings, index, &self.device), row, prompts, &mut |line| {
            if let EventLine::Event(event) = line {
                said.push((event.id, event.text.unwrap_or_default()));
            }
            true
        });
        for (id, text) in said {
            self.handle.sending().hear(&self.settings, row.id, (id, &text))?;
        }
        Ok(())
    }
}

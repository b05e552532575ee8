//! Records which agents have read the contract.

use crate::directory::Directory;
use crate::error::WorkError;
use crate::names::must_be_name;
use taffrail_contracts::ai_session::{ACKNOWLEDGMENT, Operation, acknowledge, acknowledgments};

impl Directory {
    /// Writes the section of one agent.
    ///
    /// # Errors
    /// The agent's name is invalid, or an I/O error.
    pub fn acknowledge(&self, agent: &str, checksum: &str) -> Result<(), WorkError> {
        must_be_name("an agent", agent)?;
        let text = self.acknowledgment_text()?;
        let text = acknowledge(&text, agent, checksum, self.now());
        self.folder.replace(ACKNOWLEDGMENT, text.as_bytes())
    }

    /// Writes the section of one agent, unless it has a current one.
    ///
    /// # Errors
    /// As [`Directory::acknowledge`].
    pub fn acknowledge_once(&self, agent: &str, checksum: &str) -> Result<(), WorkError> {
        let known = [checksum.to_owned()];
        let text = self.acknowledgment_text()?;
        let mut sections = acknowledgments(&text).into_iter();
        match sections.any(|it| it.agent.as_deref() == Some(agent) && it.is_of(&known)) {
            true => Ok(()),
            false => self.acknowledge(agent, checksum),
        }
    }

    fn acknowledgment_text(&self) -> Result<String, WorkError> {
        let bytes = self.folder.read(ACKNOWLEDGMENT)?.unwrap_or_default();
        let invalid =
            |_| self.unsound(Operation::Read, (ACKNOWLEDGMENT, None), "it is not UTF-8".to_owned());
        String::from_utf8(bytes).map_err(invalid)
    }
}

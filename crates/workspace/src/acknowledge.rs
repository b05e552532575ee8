//! Who has read the contract.

use crate::directory::Directory;
use crate::error::WorkError;
use crate::plan::must_be_name;
use taffrail_contracts::ai_session::{ACKNOWLEDGMENT, Operation, acknowledge};

impl Directory {
    /// Writes the one section of an agent.
    ///
    /// # Errors
    /// The name is none, or the disk says no.
    pub fn acknowledge(&self, agent: &str, checksum: &str) -> Result<(), WorkError> {
        must_be_name("an agent", agent)?;
        let bytes = self.folder.read(ACKNOWLEDGMENT)?.unwrap_or_default();
        let told =
            |_| self.unsound(Operation::Read, (ACKNOWLEDGMENT, None), "it is not UTF-8".to_owned());
        let text = String::from_utf8(bytes).map_err(told)?;
        let text = acknowledge(&text, agent, checksum, self.now());
        self.folder.replace(ACKNOWLEDGMENT, text.as_bytes())
    }
}

//! What the loop lets the approvals desk learn.

use super::looping::Loop;
use crate::DaemonError;
use crate::desk::of_lines;
use crate::events::tell;
use taffrail_model::SessionId;
use taffrail_model::status::Status;
use taffrail_store::{EventRow, IndexReader, SessionRow};

impl Loop {
    /// Lets the desk learn from what a session says, if it waits for any of it.
    pub(super) fn hear_for_desk(
        &self,
        index: &IndexReader,
        row: &SessionRow,
        changed: &[EventRow],
    ) -> Result<(), DaemonError> {
        if !self.handle.desk().follows(row.id) {
            return Ok(());
        }
        let mut lines = Vec::with_capacity(changed.len());
        tell((&self.settings, index, &self.device), row, changed.to_vec(), &mut |line| {
            lines.push(line);
            true
        });
        let signals: Vec<_> = changed.iter().map(|it| it.signal.clone()).collect();
        self.handle.desk().hear(&self.handle, row.id, &of_lines(&lines, &signals))
    }

    /// Lets the desk learn from how sessions stand; workers end with who they work for.
    pub(super) fn stand_at_desk(&self, sessions: &[SessionId]) -> Result<(), DaemonError> {
        let desk = self.handle.desk();
        for id in sessions {
            let Some(status) = self.handle.card(*id).map(|it| it.reading.status) else { continue };
            desk.stands(&self.handle, *id, status)?;
            if status == Status::Exited {
                for worker in self.board.workers_of(*id) {
                    desk.stands(&self.handle, worker, status)?;
                }
            }
        }
        Ok(())
    }
}

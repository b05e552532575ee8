//! Messages with a time: one at a time for a session, and the next one that is due.

use super::Ledger;
use super::messages::{append, open_of, read, text};
use crate::db::StoreError;
use crate::db::codec::{blob, micros};
use rusqlite::TransactionBehavior;
use taffrail_model::message::{Message, MessageId, Schedule, Sender};
use taffrail_model::{SessionId, Timestamp};

/// What became of a message with a time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Acceptance {
    /// It waits for its time.
    Taken(Box<Message>),
    /// Another one waits for the same session.
    Waiting(MessageId),
    /// The queue is full.
    Full,
}

impl Ledger {
    /// Appends a message with a time to a session's queue, unless another one waits there: the first
    /// to go in would always outrun the second.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn accept_scheduled(
        &mut self,
        session: SessionId,
        said: (Sender, String),
        (schedule, now): (Schedule, Timestamp),
    ) -> Result<Acceptance, StoreError> {
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let queue = open_of(&transaction, session)?;
        if let Some(waiting) = queue.into_iter().find(|it| it.waits_for().is_some()) {
            return Ok(Acceptance::Waiting(waiting.id));
        }
        let taken = append(&transaction, session, said, (Some(schedule), now))?;
        transaction.commit()?;
        Ok(taken.map_or(Acceptance::Full, |it| Acceptance::Taken(Box::new(it))))
    }

    /// The time of the open message that is due first.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn first_due(&self) -> Result<Option<Timestamp>, StoreError> {
        let query =
            "SELECT MIN(not_before) FROM messages WHERE open = 1 AND not_before IS NOT NULL";
        let mut statement = self.connection.prepare_cached(query)?;
        let first: Option<i64> = statement.query_row([], |row| row.get(0))?;
        Ok(first.and_then(|it| Timestamp::from_microsecond(it).ok()))
    }

    /// The sessions with open messages whose time has come.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn due_sessions(&self, now: Timestamp) -> Result<Vec<SessionId>, StoreError> {
        let query = "SELECT DISTINCT session_id FROM messages \
                     WHERE open = 1 AND not_before IS NOT NULL AND not_before <= ?1";
        let mut statement = self.connection.prepare_cached(query)?;
        let rows =
            statement.query_map([micros(now)], |row| Ok(SessionId::from_bytes(blob(row, 0)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    /// The messages that wait for their time, the first due first.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn scheduled_messages(&self) -> Result<Vec<Message>, StoreError> {
        let query = "SELECT body FROM messages WHERE open = 1 AND not_before IS NOT NULL \
                     ORDER BY not_before, session_id";
        let mut statement = self.connection.prepare_cached(query)?;
        let open = statement.query_map([], text)?.map(|it| read(&it?));
        let open = open.collect::<Result<Vec<_>, StoreError>>()?;
        Ok(open.into_iter().filter(|it| it.waits_for().is_some()).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_model::message::{Happening, ScheduledBy};
    use taffrail_model::{AgentId, DeviceId, RuntimeIdentity};

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn who(id: &str) -> SessionId {
        RuntimeIdentity::new(AgentId::new("toy"), "", id).session()
    }

    fn schedule(second: i64) -> Schedule {
        Schedule { not_before: at(second), by: ScheduledBy::Reset, left: None }
    }

    fn add(ledger: &mut Ledger, session: &str, second: i64) -> Acceptance {
        let said = (Sender::default(), format!("at {second}"));
        ledger.accept_scheduled(who(session), said, (schedule(second), at(5))).unwrap()
    }

    #[test]
    fn one_message_with_a_time_waits_for_a_session_and_outlives_the_program() {
        let folder = tempfile::tempdir().unwrap();
        let open = || Ledger::open(folder.path(), &DeviceId::new("d")).unwrap();
        let mut ledger = open();
        assert_eq!(ledger.first_due().unwrap(), None);
        let plain = (Sender::default(), "plain".to_owned());
        ledger.accept_message(who("a"), plain, at(4)).unwrap().unwrap();
        let Acceptance::Taken(first) = add(&mut ledger, "a", 900) else { panic!("it is refused") };
        assert_eq!(first.schedule, Some(schedule(900)));
        assert_eq!(add(&mut open(), "a", 950), Acceptance::Waiting(first.id.clone()));
        assert!(matches!(add(&mut ledger, "b", 800), Acceptance::Taken(_)));
        drop(ledger);
        let mut ledger = open();
        let texts = |ledger: &Ledger| -> Vec<String> {
            ledger.scheduled_messages().unwrap().into_iter().map(|it| it.text).collect()
        };
        assert_eq!(texts(&ledger), ["at 800", "at 900"]);
        assert_eq!(ledger.first_due().unwrap(), Some(at(800)));
        for (now, expected) in [(799, vec![]), (800, vec![who("b")]), (899, vec![who("b")])] {
            assert_eq!(ledger.due_sessions(at(now)).unwrap(), expected, "{now}");
        }
        let back = first.after(&Happening::TakenBack, at(6)).unwrap();
        assert!(ledger.move_message(&first, &back).unwrap());
        assert_eq!(texts(&ledger), ["at 800"]);
        assert!(matches!(add(&mut ledger, "a", 950), Acceptance::Taken(_)));
        assert_eq!(ledger.queue(who("a")).unwrap().len(), 2);
    }
}

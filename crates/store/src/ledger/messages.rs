//! Messages to sessions: the queue, and the outcome of each message.

use super::Ledger;
use crate::db::StoreError;
use crate::db::codec::{blob, micros};
use rusqlite::{Connection, Row, TransactionBehavior, params};
use taffrail_model::message::{Delivery, Message, MessageId, Schedule, Sender};
use taffrail_model::{SessionId, Timestamp};

/// How many closed messages are kept; new ones displace the oldest.
pub const MESSAGES_KEPT: u32 = 10_000;
/// The most messages that wait for one session.
pub const QUEUE_LIMIT: u32 = 1_000;

impl Ledger {
    /// Appends a message to a session's queue; `None` when the queue is full.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn accept_message(
        &mut self,
        session: SessionId,
        said: (Sender, String),
        now: Timestamp,
    ) -> Result<Option<Message>, StoreError> {
        // The transaction reads before it writes: without the lock, a write in between would make
        // it fail.
        let transaction =
            self.connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let taken = append(&transaction, session, said, (None, now))?;
        transaction.commit()?;
        Ok(taken)
    }

    /// Replaces `from` by `to`, if the message is still equal to `from`.
    ///
    /// # Errors
    /// When the ledger cannot be written.
    pub fn move_message(&mut self, from: &Message, to: &Message) -> Result<bool, StoreError> {
        let query = "UPDATE messages SET open = ?3, body = ?4 WHERE id = ?1 AND body = ?2";
        let values = params![from.id.as_str(), body(from)?, to.is_open(), body(to)?];
        Ok(self.connection.prepare_cached(query)?.execute(values)? == 1)
    }

    /// A message by a prefix of its id, if the prefix is unique.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn message(&self, id: &str) -> Result<Option<Message>, StoreError> {
        let query = "SELECT body FROM messages WHERE substr(id, 1, length(?1)) = ?1 LIMIT 2";
        let mut statement = self.connection.prepare_cached(query)?;
        let found = statement.query_map([id], text)?.collect::<Result<Vec<_>, _>>()?;
        match found.as_slice() {
            [only] if !id.is_empty() => read(only).map(Some),
            _ => Ok(None),
        }
    }

    /// The open messages of a session, in order.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn queue(&self, session: SessionId) -> Result<Vec<Message>, StoreError> {
        open_of(&self.connection, session)
    }

    /// The sessions with open messages.
    ///
    /// # Errors
    /// When the ledger cannot be read.
    pub fn sessions_with_messages(&self) -> Result<Vec<SessionId>, StoreError> {
        let query = "SELECT DISTINCT session_id FROM messages WHERE open = 1";
        let mut statement = self.connection.prepare_cached(query)?;
        let rows = statement.query_map([], |row| Ok(SessionId::from_bytes(blob(row, 0)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }
}

/// Appends a message in a transaction of the caller; `None` when the queue is full.
pub(super) fn append(
    connection: &Connection,
    session: SessionId,
    (from, text): (Sender, String),
    (schedule, now): (Option<Schedule>, Timestamp),
) -> Result<Option<Message>, StoreError> {
    let count = "SELECT COUNT(*) FROM messages WHERE session_id = ?1 AND open = 1";
    let waiting: u32 = connection.query_row(count, [session.as_bytes()], |row| row.get(0))?;
    if waiting >= QUEUE_LIMIT {
        return Ok(None);
    }
    let last = "SELECT COALESCE(MAX(number), 0) FROM messages WHERE session_id = ?1";
    let last: u32 = connection.query_row(last, [session.as_bytes()], |row| row.get(0))?;
    let number = last + 1;
    let it = Message {
        id: MessageId::of(session, number, now),
        session_id: session,
        number,
        from,
        text,
        state: Delivery::Accepted,
        to_peer_id: None,
        accepted_at: now,
        moved_at: now,
        why: None,
        heard_as: None,
        schedule,
    };
    insert(connection, &it)?;
    let prune = "DELETE FROM messages WHERE open = 0 AND id IN (SELECT id FROM messages \
                 WHERE open = 0 ORDER BY accepted_at DESC LIMIT -1 OFFSET ?1)";
    connection.execute(prune, [MESSAGES_KEPT])?;
    Ok(Some(it))
}

fn insert(connection: &Connection, it: &Message) -> Result<(), StoreError> {
    let query = "INSERT INTO messages (id, session_id, number, accepted_at, open, body, not_before) \
                 VALUES (?1, ?2, ?3, ?4, 1, ?5, ?6)";
    let not_before = it.schedule.as_ref().map(|it| micros(it.not_before));
    let (who, at) = (it.session_id.as_bytes(), micros(it.accepted_at));
    connection
        .execute(query, params![it.id.as_str(), who, it.number, at, body(it)?, not_before])?;
    Ok(())
}

/// The open messages of a session, in order.
pub(super) fn open_of(
    connection: &Connection,
    session: SessionId,
) -> Result<Vec<Message>, StoreError> {
    let query = "SELECT body FROM messages WHERE session_id = ?1 AND open = 1 ORDER BY number";
    let mut statement = connection.prepare_cached(query)?;
    let rows = statement.query_map([session.as_bytes()], text)?;
    rows.map(|it| read(&it?)).collect()
}

pub(super) fn text(row: &Row<'_>) -> rusqlite::Result<String> {
    row.get(0)
}

fn body(it: &Message) -> Result<String, StoreError> {
    Ok(serde_json::to_string(it).map_err(std::io::Error::from)?)
}

pub(super) fn read(body: &str) -> Result<Message, StoreError> {
    Ok(serde_json::from_str(body).map_err(std::io::Error::from)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use taffrail_model::message::Happening;
    use taffrail_model::{AgentId, DeviceId, RuntimeIdentity};

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    fn who(id: &str) -> SessionId {
        RuntimeIdentity::new(AgentId::new("toy"), "", id).session()
    }

    #[test]
    fn a_queue_outlives_its_program_and_moves_by_compare_and_set() {
        let folder = tempfile::tempdir().unwrap();
        let open = || Ledger::open(folder.path(), &DeviceId::new("d")).unwrap();
        let mut ledger = open();
        let from = || Sender { session_id: None, peer_id: Some("cli".to_owned()) };
        for text in ["one", "two"] {
            ledger.accept_message(who("a"), (from(), text.to_owned()), at(5)).unwrap().unwrap();
        }
        ledger.accept_message(who("b"), (from(), "three".to_owned()), at(6)).unwrap().unwrap();
        drop(ledger);
        let (mut ledger, mut other) = (open(), open());
        let texts = |ledger: &Ledger, id: &str| -> Vec<String> {
            ledger.queue(who(id)).unwrap().into_iter().map(|it| it.text).collect()
        };
        assert_eq!(
            (texts(&ledger, "a"), texts(&ledger, "b")),
            (vec!["one".into(), "two".into()], vec!["three".into()])
        );
        let first = ledger.queue(who("a")).unwrap().remove(0);
        let begun = first.after(&Happening::Begun("tmux:%1".to_owned()), at(7)).unwrap();
        assert!(ledger.move_message(&first, &begun).unwrap());
        assert!(!other.move_message(&first, &begun).unwrap(), "two begin the same");
        let broken = begun.after(&Happening::Broken("cut off".to_owned()), at(8)).unwrap();
        assert!(other.move_message(&begun, &broken).unwrap());
        assert_eq!(texts(&ledger, "a"), ["two"]);
        assert_eq!(ledger.message(first.id.as_str().get(..6).unwrap()).unwrap(), Some(broken));
        assert_eq!(ledger.message("").unwrap(), None);
        let mut open_for = ledger.sessions_with_messages().unwrap();
        let mut expected = vec![who("a"), who("b")];
        open_for.sort();
        expected.sort();
        assert_eq!(open_for, expected);
    }
}

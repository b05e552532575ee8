//! What other devices may decide and send here: the requests published to them, their answers that
//! were not verified, and their prompts. The records themselves are JSON of the caller.

use super::Ledger;
use super::audit::immediate;
use super::outbox::{execute, rows};
use super::remote_requests::REMOTE_KEPT;
use crate::db::{Columns, StoreError};
use rusqlite::{Connection, Row, params};
use taffrail_model::DeviceId;
use taffrail_model::approval::ApprovalId;

/// Requests that were published and whose end was not.
#[derive(Debug)]
pub struct PublishedRequests<'l>(&'l Connection);

/// Answers of other devices that were not verified: they survive a restart.
#[derive(Debug)]
pub struct RemoteAnswers<'l>(&'l Connection);

/// Prompts of other devices.
#[derive(Debug)]
pub struct RemotePrompts<'l>(&'l Connection);

/// An answer of another device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemoteAnswer {
    /// Its number here.
    pub number: i64,
    /// The device that sent it.
    pub device: DeviceId,
    /// The answer, as JSON.
    pub body: String,
}

/// A prompt of another device.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemotePrompt {
    /// The device that sent it.
    pub device: DeviceId,
    /// The id that the sender gave it.
    pub id: String,
    /// The local id; `None` if the prompt was not accepted.
    pub message: Option<String>,
    /// The progress last sent to the sender, as JSON.
    pub progress: Option<String>,
}

/// Whether the sender of a prompt may still need a receipt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptState {
    /// Its progress may change.
    Open,
    /// Its last progress was sent.
    Closed,
}

impl Ledger {
    /// Requests that were published and whose end was not.
    #[must_use]
    pub fn published_requests(&self) -> PublishedRequests<'_> {
        PublishedRequests(&self.connection)
    }

    /// Answers of other devices that were not verified.
    #[must_use]
    pub fn remote_answers(&self) -> RemoteAnswers<'_> {
        RemoteAnswers(&self.connection)
    }

    /// Prompts of other devices.
    #[must_use]
    pub fn remote_prompts(&self) -> RemotePrompts<'_> {
        RemotePrompts(&self.connection)
    }
}

impl PublishedRequests<'_> {
    /// Every request, by id.
    pub fn all(&self) -> Result<Vec<ApprovalId>, StoreError> {
        let query = "SELECT id FROM published_requests ORDER BY id";
        rows(self.0, query, [], |row| Ok(ApprovalId::new(row.get::<_, String>("id")?)))
    }

    /// Records which requests were published as open, and which as closed.
    pub fn note(&self, open: &[ApprovalId], closed: &[ApprovalId]) -> Result<(), StoreError> {
        let transaction = immediate(self.0)?;
        for id in open {
            let query = "INSERT OR IGNORE INTO published_requests (id) VALUES (?1)";
            execute(&transaction, query, [id.as_str()])?;
        }
        for id in closed {
            let query = "DELETE FROM published_requests WHERE id = ?1";
            execute(&transaction, query, [id.as_str()])?;
        }
        Ok(transaction.commit()?)
    }
}

impl RemoteAnswers<'_> {
    /// Every answer, in the order of arrival.
    pub fn all(&self) -> Result<Vec<RemoteAnswer>, StoreError> {
        let query = "SELECT number, device, body FROM remote_answers ORDER BY number";
        rows(self.0, query, [], answer)
    }

    /// Adds the answers of a device.
    pub fn add(&self, device: &DeviceId, bodies: &[String]) -> Result<(), StoreError> {
        let transaction = immediate(self.0)?;
        for body in bodies {
            let query = "INSERT INTO remote_answers (device, body) VALUES (?1, ?2)";
            execute(&transaction, query, [device.as_str(), body])?;
        }
        let query = "DELETE FROM remote_answers \
                     WHERE number <= (SELECT max(number) FROM remote_answers) - ?1";
        execute(&transaction, query, [REMOTE_KEPT])?;
        Ok(transaction.commit()?)
    }

    /// Removes an answer that was verified.
    pub fn remove(&self, number: i64) -> Result<(), StoreError> {
        execute(self.0, "DELETE FROM remote_answers WHERE number = ?1", [number])
    }
}

impl RemotePrompts<'_> {
    /// Records a prompt before it is accepted; `false` if it is known already.
    pub fn begin(&self, device: &DeviceId, id: &str) -> Result<bool, StoreError> {
        let transaction = immediate(self.0)?;
        let query = "INSERT OR IGNORE INTO remote_prompts (device, id, open) VALUES (?1, ?2, 1)";
        let is_new = transaction.prepare_cached(query)?.execute([device.as_str(), id])? == 1;
        let query = "DELETE FROM remote_prompts \
                     WHERE number <= (SELECT max(number) FROM remote_prompts) - ?1";
        execute(&transaction, query, [REMOTE_KEPT])?;
        transaction.commit()?;
        Ok(is_new)
    }

    /// Records what became of a prompt.
    pub fn note(&self, it: &RemotePrompt, state: PromptState) -> Result<(), StoreError> {
        let query = "UPDATE remote_prompts SET message = ?3, progress = ?4, open = ?5 \
                     WHERE device = ?1 AND id = ?2";
        let is_open = state == PromptState::Open;
        let values = params![it.device.as_str(), it.id, it.message, it.progress, is_open];
        execute(self.0, query, values)
    }

    /// Prompts whose senders may still need a receipt, in the order of arrival.
    pub fn open(&self) -> Result<Vec<RemotePrompt>, StoreError> {
        let query = "SELECT device, id, message, progress FROM remote_prompts WHERE open = 1 \
                     ORDER BY number";
        rows(self.0, query, [], prompt)
    }
}

fn answer(row: &Row<'_>) -> rusqlite::Result<RemoteAnswer> {
    let row = Columns::of(row);
    let number = row.get("number")?;
    let device = DeviceId::new(row.get::<String>("device")?);
    Ok(RemoteAnswer { number, device, body: row.get("body")? })
}

fn prompt(row: &Row<'_>) -> rusqlite::Result<RemotePrompt> {
    let row = Columns::of(row);
    Ok(RemotePrompt {
        device: DeviceId::new(row.get::<String>("device")?),
        id: row.get("id")?,
        message: row.get("message")?,
        progress: row.get("progress")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger() -> (tempfile::TempDir, Ledger) {
        let folder = tempfile::tempdir().unwrap();
        let ledger = Ledger::open(folder.path(), &DeviceId::new("here")).unwrap();
        (folder, ledger)
    }

    #[test]
    fn a_published_request_is_known_until_its_end_is() {
        let (_folder, ledger) = ledger();
        let ids = |all: &[&str]| all.iter().map(|it| ApprovalId::new(*it)).collect::<Vec<_>>();
        let published = ledger.published_requests();
        published.note(&ids(&["b", "a"]), &[]).unwrap();
        published.note(&ids(&["b", "c"]), &ids(&["a", "x"])).unwrap();
        assert_eq!(published.all().unwrap(), ids(&["b", "c"]));
    }

    #[test]
    fn answers_wait_in_order_and_are_bounded() {
        let (_folder, ledger) = ledger();
        let (answers, device) = (ledger.remote_answers(), DeviceId::new("d"));
        let bodies: Vec<_> = (0..REMOTE_KEPT + 2).map(|it| it.to_string()).collect();
        answers.add(&device, &bodies).unwrap();
        let all = answers.all().unwrap();
        let kept: Vec<_> = all.iter().map(|it| it.body.clone()).collect();
        assert_eq!(kept, bodies[2..]);
        answers.remove(all[0].number).unwrap();
        assert_eq!(answers.all().unwrap(), all[1..]);
    }

    #[test]
    fn a_prompt_is_accepted_once_and_open_until_its_last_receipt() {
        let (_folder, ledger) = ledger();
        let (prompts, device) = (ledger.remote_prompts(), DeviceId::new("d"));
        assert!(prompts.begin(&device, "p").unwrap());
        assert!(!prompts.begin(&device, "p").unwrap());
        assert!(prompts.begin(&DeviceId::new("e"), "p").unwrap());
        let mut it = prompts.open().unwrap().remove(0);
        assert_eq!((it.message.clone(), it.progress.clone()), (None, None));
        it.message = Some("m".to_owned());
        prompts.note(&it, PromptState::Open).unwrap();
        assert_eq!(prompts.open().unwrap()[0], it);
        prompts.note(&it, PromptState::Closed).unwrap();
        assert_eq!(prompts.open().unwrap().len(), 1);
        assert!(!prompts.begin(&device, "p").unwrap(), "a closed prompt is known, too");
    }
}

//! A Goose home: a real database with the schema of Goose 1.52.

use crate::Home;
use rusqlite::{Connection, params};
use serde_json::{Value, json};

/// The path of the database below the hermetic home.
pub const DATABASE: &str = ".local/share/goose/sessions/sessions.db";

const SCHEMA: &str = "
CREATE TABLE schema_version (version INTEGER PRIMARY KEY, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP);
CREATE TABLE sessions (
  id TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', description TEXT NOT NULL DEFAULT '',
  user_set_name BOOLEAN DEFAULT FALSE, session_type TEXT NOT NULL DEFAULT 'user',
  working_dir TEXT NOT NULL, created_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  updated_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, extension_data TEXT DEFAULT '{}',
  total_tokens INTEGER, input_tokens INTEGER, output_tokens INTEGER, cache_read_tokens INTEGER,
  cache_write_tokens INTEGER, accumulated_total_tokens INTEGER, accumulated_input_tokens INTEGER,
  accumulated_output_tokens INTEGER, accumulated_cache_read_tokens INTEGER,
  accumulated_cache_write_tokens INTEGER, accumulated_cost REAL, schedule_id TEXT,
  recipe_json TEXT, user_recipe_values_json TEXT, provider_name TEXT, model_config_json TEXT,
  goose_mode TEXT NOT NULL DEFAULT 'auto', archived_at TIMESTAMP, project_id TEXT,
  parent_session_id TEXT);
CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT,
  session_id TEXT NOT NULL REFERENCES sessions(id), role TEXT NOT NULL,
  content_json TEXT NOT NULL, created_timestamp INTEGER NOT NULL,
  timestamp TIMESTAMP DEFAULT CURRENT_TIMESTAMP, tokens INTEGER, metadata_json TEXT);
CREATE INDEX idx_messages_session ON messages(session_id);
CREATE INDEX idx_sessions_updated ON sessions(updated_at DESC);";

/// The database, open for writing as in Goose.
#[derive(Debug)]
pub struct GooseDb {
    connection: Connection,
}

/// A row of `messages`.
#[derive(Debug, Clone)]
pub struct Message<'a> {
    /// Its session.
    pub session: &'a str,
    /// `user` or `assistant`.
    pub role: &'a str,
    /// The blocks.
    pub content: Value,
    /// Seconds since 1970.
    pub at: i64,
}

impl GooseDb {
    /// Opens the database of a home, and creates it if needed.
    #[must_use]
    pub fn open(home: &Home) -> Self {
        let path = home.path(DATABASE);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        let is_new = !path.exists();
        let connection = Connection::open(path).unwrap();
        if is_new {
            connection.execute_batch(SCHEMA).unwrap();
        }
        Self { connection }
    }

    /// Adds a session; `parent` makes it a sub-agent.
    pub fn session(&self, id: &str, name: &str, folder: &str, parent: Option<&str>) {
        let kind = if parent.is_some() { "sub_agent" } else { "user" };
        let model = json!({"model_name": "some-model"}).to_string();
        self.connection
            .execute(
                "INSERT INTO sessions (id, name, session_type, working_dir, created_at, updated_at, \
                 provider_name, model_config_json, parent_session_id, user_set_name) VALUES (?1, \
                 ?2, ?3, ?4, '2026-10-01 10:00:00', '2026-10-01 10:05:00', 'openai', ?5, ?6, 1)",
                params![id, name, kind, folder, model, parent],
            )
            .unwrap();
    }

    /// Adds a message and returns its number.
    pub fn message(&self, message: &Message<'_>) -> i64 {
        let metadata = metadata(message.role).to_string();
        self.connection
            .execute(
                "INSERT INTO messages (message_id, session_id, role, content_json, \
                 created_timestamp, timestamp, metadata_json) \
                 VALUES ('msg_' || hex(?1 || ?4), ?1, ?2, ?3, ?4, datetime(?4, 'unixepoch'), ?5)",
                params![
                    message.session,
                    message.role,
                    message.content.to_string(),
                    message.at,
                    metadata
                ],
            )
            .unwrap();
        self.connection.last_insert_rowid()
    }

    /// Replaces the blocks of a message and touches its session, as an edit in Goose does.
    pub fn edit(&self, number: i64, content: &Value) {
        let text = content.to_string();
        self.run("UPDATE messages SET content_json = ?2 WHERE id = ?1", params![number, text]);
        self.run(
            "UPDATE sessions SET updated_at = datetime(updated_at, '+1 minute') \
             WHERE id = (SELECT session_id FROM messages WHERE id = ?1)",
            params![number],
        );
    }

    /// Deletes a session with its messages.
    pub fn delete(&self, id: &str) {
        self.run("DELETE FROM messages WHERE session_id = ?1", params![id]);
        self.run("DELETE FROM sessions WHERE id = ?1", params![id]);
    }

    /// Switches to a write-ahead log, as Goose does.
    pub fn journal_in_a_log(&self) {
        self.connection.pragma_update(None, "journal_mode", "WAL").unwrap();
    }

    /// Groups many writes in one transaction.
    pub fn together(&self, writes: impl FnOnce(&Self)) {
        self.connection.execute_batch("BEGIN").unwrap();
        writes(self);
        self.connection.execute_batch("COMMIT").unwrap();
    }

    fn run(&self, query: &str, values: &[&dyn rusqlite::ToSql]) {
        self.connection.execute(query, values).unwrap();
    }
}

fn metadata(role: &str) -> Value {
    if role == "assistant" {
        return json!({
            "userVisible": true, "agentVisible": true,
            "inference": {"provider": "openai", "requestedModel": "some-model"},
            "usage": {"inputTokens": 1200, "outputTokens": 50, "totalTokens": 1250,
                      "cacheReadTokens": 100, "cacheWriteTokens": 30, "elapsedMs": 18},
        });
    }
    json!({"userVisible": true, "agentVisible": true})
}

/// A block of text.
#[must_use]
pub fn text(text: &str) -> Value {
    json!({"type": "text", "text": text})
}

/// A block that calls a tool.
#[must_use]
pub fn call(id: &str, tool: &str, arguments: &Value) -> Value {
    let call = json!({"status": "success", "value": {"name": tool, "arguments": arguments}});
    json!({"type": "toolRequest", "id": id, "toolCall": call})
}

/// A block with a tool's answer.
#[must_use]
pub fn answer(id: &str, output: &str) -> Value {
    let value = json!({"content": [text(output)], "isError": false});
    json!({"type": "toolResponse", "id": id, "toolResult": {"status": "success", "value": value}})
}

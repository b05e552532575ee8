//! Where calls of tools are answered, however they arrive.

use crate::asker::askers;
use crate::fence::Fence;
use crate::lookups::{Lookup, note};
use crate::protocol::{Connection, ToolCall};
use crate::query::{Arguments, Hidden, LastSearch, Question, Refusal};
use crate::tools::{Tool, definitions};
use crate::{errors, search, sessions, show, usage, why};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use taffrail_api::client::Client;
use taffrail_model::{SessionId, Timestamp};

/// Gives a client of an API that is up to date.
type Connect = Box<dyn Fn() -> Result<Client, String> + Send + Sync>;
/// Gives eight random bytes.
type Random = Box<dyn Fn() -> Result<[u8; 8], String> + Send + Sync>;
/// Gives folders.
type Folders = Box<dyn Fn() -> Result<Vec<String>, String> + Send + Sync>;

/// What the server needs of the world.
pub struct Options {
    /// Gives a client of an API that is up to date, for each call.
    pub connect: Connect,
    /// Eight random bytes for the tags of an answer.
    pub random: Random,
    /// The clock.
    pub now: fn() -> Timestamp,
    /// Our state folder, for the log of look-ups.
    pub state: PathBuf,
    /// The folder that the agent works in; empty if it is not known.
    pub here: String,
    /// Folders whose sessions are not shown.
    pub exclude: Folders,
    /// Our version.
    pub version: &'static str,
}

/// Where calls are answered. Calls may come at once.
pub struct Desk {
    options: Options,
    /// The session that asked last.
    asked: Mutex<Option<SessionId>>,
    last: Arc<Mutex<LastSearch>>,
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Desk").field("state", &self.options.state).finish_non_exhaustive()
    }
}

impl Desk {
    /// A desk that nobody has asked.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self { options, asked: Mutex::default(), last: Arc::default() }
    }

    /// A connection whose calls come here.
    pub(crate) fn connection(&self) -> Connection {
        Connection::new(self.options.version, definitions())
    }

    /// The answer to a call, as a line.
    pub(crate) fn reply(&self, mut call: ToolCall) -> String {
        let Some(tool) = Tool::named(&call.name) else { return call.unknown() };
        let given = Arguments(std::mem::take(&mut call.arguments));
        let answer = self.answer(tool, given, &call);
        call.answered(answer.map_err(|Refusal(text)| text))
    }

    fn answer(&self, tool: Tool, given: Arguments, call: &ToolCall) -> Result<String, Refusal> {
        let (at, client) = ((self.options.now)(), call.client.clone());
        let lookup = Lookup { at, tool: call.name.clone(), client };
        // An answer that leaves no trace in the log is not given.
        note(&self.options.state, &lookup)
            .map_err(|error| Refusal(format!("cannot log the look-up: {error}")))?;
        let projects = (self.options.exclude)().map_err(Refusal)?;
        let client = (self.options.connect)().map_err(Refusal)?;
        let random = (self.options.random)().map_err(Refusal)?;
        let sessions = self.askers(&client, call.call.as_deref());
        let question = Question {
            client,
            fence: Fence::new(u64::from_le_bytes(random)),
            given,
            hidden: Hidden { sessions, projects },
            here: self.options.here.clone(),
            last: self.last.clone(),
        };
        match tool {
            Tool::Search => search::search(&question),
            Tool::Show => show::show(&question),
            Tool::Sessions => sessions::sessions(&question),
            Tool::Why => why::why(&question),
            Tool::Changed => search::changed(&question),
            Tool::Errors => errors::errors(&question),
            Tool::Usage => usage::usage(&question),
        }
    }

    /// The session that asks, as far as the client tells. A client may call before it writes the
    /// call down: then the session that asked last counts.
    fn askers(&self, client: &Client, call: Option<&str>) -> Vec<SessionId> {
        let Some(call) = call else { return Vec::new() };
        let last = *self.asked();
        let found = askers(client, call, last);
        if found.is_empty() {
            return last.into_iter().collect();
        }
        *self.asked() = found.first().copied();
        found
    }

    fn asked(&self) -> MutexGuard<'_, Option<SessionId>> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

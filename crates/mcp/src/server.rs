//! The server on stdin and stdout.

use crate::asker::askers;
use crate::fence::Fence;
use crate::lookups::{Lookup, note};
use crate::protocol::{Connection, Step, ToolCall};
use crate::query::{Arguments, Hidden, LastSearch, Question, Refusal};
use crate::tools::{Tool, definitions};
use crate::{errors, search, sessions, show, usage, why};
use std::cell::RefCell;
use std::io::{self, BufRead, Read, Write};
use std::path::PathBuf;
use std::rc::Rc;
use taffrail_api::client::Client;
use taffrail_model::{SessionId, Timestamp};

/// The longest line of a client.
const LINE: u64 = 4 * 1024 * 1024;

/// What the server needs of the world.
pub struct Options {
    /// Gives a client of an API that is up to date, for each call.
    pub connect: Box<dyn Fn() -> Result<Client, String>>,
    /// Eight random bytes for the tags of an answer.
    pub random: fn() -> Result<[u8; 8], String>,
    /// The clock.
    pub now: fn() -> Timestamp,
    /// Our state folder, for the log of look-ups.
    pub state: PathBuf,
    /// The folder that the agent works in.
    pub here: String,
    /// Folders whose sessions are not shown.
    pub exclude: Vec<String>,
    /// Our version.
    pub version: &'static str,
}

/// Answers one request after another until the client closes its end.
///
/// # Errors
/// When the client cannot be read from or written to.
pub fn serve(options: Options, input: impl Read, mut output: impl Write) -> io::Result<()> {
    let mut input = io::BufReader::new(input);
    let mut connection = Connection::new(options.version, definitions());
    let mut desk = Desk { options, asked: None, last: Rc::default() };
    let mut line = Vec::new();
    while (&mut input).take(LINE).read_until(b'\n', &mut line)? > 0 {
        let text = String::from_utf8_lossy(&line);
        let reply = match connection.hear(&text) {
            _ if text.trim().is_empty() => None,
            Step::Silence => None,
            Step::Reply(reply) => Some(reply),
            Step::Call(call) => Some(desk.reply(call)),
        };
        if let Some(reply) = reply {
            output.write_all(reply.as_bytes())?;
            output.write_all(b"\n")?;
            output.flush()?;
        }
        line.clear();
    }
    Ok(())
}

/// Where calls are answered.
struct Desk {
    options: Options,
    /// The session that asked last.
    asked: Option<SessionId>,
    last: Rc<RefCell<LastSearch>>,
}

impl Desk {
    fn reply(&mut self, mut call: ToolCall) -> String {
        let Some(tool) = Tool::named(&call.name) else { return call.unknown() };
        let given = Arguments(std::mem::take(&mut call.arguments));
        let answer = self.answer(tool, given, &call);
        call.answered(answer.map_err(|Refusal(text)| text))
    }

    fn answer(&mut self, tool: Tool, given: Arguments, call: &ToolCall) -> Result<String, Refusal> {
        let (at, client) = ((self.options.now)(), call.client.clone());
        let lookup = Lookup { at, tool: call.name.clone(), client };
        // An answer that leaves no trace in the log is not given.
        note(&self.options.state, &lookup)
            .map_err(|error| Refusal(format!("cannot log the look-up: {error}")))?;
        let client = (self.options.connect)().map_err(Refusal)?;
        let random = (self.options.random)().map_err(Refusal)?;
        let sessions = self.askers(&client, call.call.as_deref());
        let hidden = Hidden { sessions, projects: self.options.exclude.clone() };
        let fence = Fence::new(u64::from_le_bytes(random));
        let here = self.options.here.clone();
        let last = self.last.clone();
        let question = Question { client, fence, given, hidden, here, last };
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
    fn askers(&mut self, client: &Client, call: Option<&str>) -> Vec<SessionId> {
        let Some(call) = call else { return Vec::new() };
        let found = askers(client, call, self.asked);
        if found.is_empty() {
            return self.asked.into_iter().collect();
        }
        self.asked = found.first().copied();
        found
    }
}

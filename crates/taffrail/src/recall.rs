//! Text that a hook gives its agent unasked, if the user turned that on.
//!
//! The agent waits, so the text comes from a running daemon, and only if it comes in time. Without
//! a daemon, and after any error, there is silence.

use std::path::Path;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;
use taffrail_api::Client;
use taffrail_approvals::{RecallMoment, RecallNeed, recall_moment};
use taffrail_config::Config;
use taffrail_env as env;
use taffrail_mcp::{Lookup, Recall, brief, fix, note};

/// The longest time that the agent waits for the text. A build for tests is slower by a multiple.
const BOUND: Duration = Duration::from_millis(if cfg!(debug_assertions) { 2000 } else { 200 });

/// The output of the hook for this payload; `None` for silence.
pub(crate) fn recalled(agent: &str, payload: &[u8]) -> Option<String> {
    let moment = recall_moment(agent, payload)?;
    let config = Config::read(&env::config_folder()?.join("config.toml")).ok()?;
    let is_on = match moment.need {
        RecallNeed::Brief => config.recall.brief,
        RecallNeed::Fix(_) => config.recall.errors,
    };
    if !is_on {
        return None;
    }
    let exclude = config.mcp.folders(&env::user_home()?);
    in_time(moment.clone(), exclude, agent.to_owned()).map(|it| moment.context(&it))
}

/// The text, if it is there in time. The thread ends with the process.
fn in_time(moment: RecallMoment, exclude: Vec<String>, agent: String) -> Option<String> {
    let (ready, text) = channel();
    thread::spawn(move || {
        let state = env::state_folder();
        // Nobody waits for a text that is late.
        ready.send(state.and_then(|it| asked(&it, moment, exclude, agent))).ok();
    });
    text.recv_timeout(BOUND).ok().flatten()
}

fn asked(
    state: &Path,
    moment: RecallMoment,
    exclude: Vec<String>,
    agent: String,
) -> Option<String> {
    let client = Client::connect(state).ok()?;
    let (here, session) = (moment.project, moment.session);
    let recall = Recall { client, random: *env::drawn().ok()?, here, session, exclude };
    let (tool, text) = match moment.need {
        RecallNeed::Brief => ("brief", brief(recall)?),
        RecallNeed::Fix(error) => ("fix", fix(recall, &error)?),
    };
    // Text that leaves no trace in the log is not given.
    let lookup = Lookup { at: env::now(), tool: tool.to_owned(), client: Some(agent) };
    note(state, &lookup).ok().map(|()| text)
}

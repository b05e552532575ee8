//! `taffrail acp`

use super::run::{PASSED_ON, failed};
use super::{Context, TEMPLATE};
use crate::error::CliError;
use crate::output::say;
use signal_hook::iterator::Signals;
use std::ffi::OsString;
use std::io;
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, channel, sync_channel};
use std::time::Duration;
use taffrail_approvals::{PipeObserver, PipedAgent};
use taffrail_env as env;
use taffrail_query::agent_names;
use taffrail_run::acp::{Answers, Fact, Piped, pass_signal, start};
use taffrail_tui::terminal::clean;

/// How many facts wait to be recorded; more are lost, and the agent never waits.
const QUEUE: usize = 1024;
/// How long the agent's end may take to be recorded.
const RECORDING: Duration = Duration::from_secs(2);

/// Run an agent for an editor, and answer its requests from anywhere
#[derive(Debug, clap::Args)]
#[command(help_template = TEMPLATE, before_help = "\
Examples:
  taffrail acp -- gemini --acp            the agent's command in your editor
  taffrail acp -- opencode acp            with any arguments
  taffrail acp --agent goose -- ./start   a script that starts an agent
")]
pub(super) struct Args {
    /// Agent, if the command's name does not identify it
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Command and its arguments
    #[arg(value_name = "COMMAND", required = true, last = true)]
    words: Vec<OsString>,
}

/// The agent starts before anything of ours is read, so that nothing wrong with us stops it.
pub(super) fn run(args: &Args) -> Result<ExitCode, CliError> {
    if let Some(agent) = &args.agent
        && !agent_names().iter().any(|(id, _)| id == agent)
    {
        let message = format!("no agent is called `{agent}`");
        return Err(CliError::usage(message, "taffrail agents lists them"));
    }
    let (give, facts) = sync_channel(QUEUE);
    let agent = match start(&args.words, give.clone()) {
        Ok(agent) => agent,
        Err(error) => return Ok(failed(&args.words, &error)),
    };
    pass_signals_on(agent.pid())?;
    let answers = agent.answers();
    let done = observed(args, (&agent, facts))?;
    let code = agent.wait()?;
    end(&give, (&answers, done));
    Ok(ExitCode::from(code))
}

/// Records what the messages say, on a thread of its own, until the agent ended.
fn observed(args: &Args, (agent, facts): (&Piped, Receiver<Fact>)) -> io::Result<Receiver<()>> {
    let (agent_name, words) = (args.agent.clone(), args.words.clone());
    let (answers, process) = (agent.answers(), agent.process());
    let (ends, ended) = channel();
    let thread = std::thread::Builder::new().name("observer".to_owned());
    thread.spawn(move || {
        let context = match Context::new(false) {
            Ok(context) => context,
            Err(error) => {
                return say(&format!("taffrail: nothing is recorded: {}", clean(&error.message)));
            }
        };
        let piped = PipedAgent {
            agent: agent_name.as_deref(),
            words: &words,
            process,
            state: &context.env.state_folder(),
            nonce: env::nonce,
            variable: env::variable,
        };
        PipeObserver::new(&context.settings, piped, answers).observe(facts);
        // The main thread may have stopped waiting.
        ends.send(()).ok();
    })?;
    Ok(ended)
}

/// The agent ended: what is still open is noted, as far as that takes no time.
fn end(give: &SyncSender<Fact>, (answers, done): (&Answers, Receiver<()>)) {
    match give.try_send(Fact::Ended) {
        Ok(()) => drop(done.recv_timeout(RECORDING)),
        // A queue that is full loses the end, like any other fact.
        Err(TrySendError::Full(_)) => {}
        // Nobody records.
        Err(TrySendError::Disconnected(_)) => return,
    }
    if answers.lost() > 0 {
        say(&format!("taffrail: {} reports of the agent were not recorded", answers.lost()));
    }
}

fn pass_signals_on(agent: u32) -> io::Result<()> {
    let mut signals = Signals::new(PASSED_ON)?;
    let thread = std::thread::Builder::new().name("signals".to_owned());
    thread.spawn(move || {
        for signal in signals.forever() {
            pass_signal(agent, signal);
        }
    })?;
    Ok(())
}

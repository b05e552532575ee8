//! The loop of the board.
//!
//! One thread draws and decides; others read keys, follow the daemon and send it requests. Every
//! input is a message, `update` changes the state, and the screen is a function of the state.

use crate::io;
use crate::io::canvas::{Canvas, give_back};
use crate::io::{Gate, TerminalQuery};
use crate::paint::theme::{Palette, Theme, ThemeChoice};
use crate::state::State;
use crate::state::host::Host;
use crate::state::message::{Effect, Message};
use crate::state::welcome::{Service, WELCOMED, Welcome};
use crate::update;
use crate::update::derive;
use jiff::tz::TimeZone;
use std::collections::HashMap;
use std::path::PathBuf;
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel, sync_channel};
use std::time::{Duration, Instant};
use taffrail_api::Client;
use taffrail_model::Timestamp;

/// The most messages in the channel; a full channel blocks its senders.
const WAITING: usize = 4_096;
/// The most messages handled before the next frame.
const BATCH: usize = 512;
/// The shortest time between two frames for daemon messages; keys are shown at once.
const FRAME: Duration = Duration::from_millis(33);

/// What the board needs from the program that shows it.
#[derive(Debug)]
pub struct Options {
    /// The folder of the daemon's address file and the board's note that it welcomed the user.
    pub state_folder: PathBuf,
    /// The program for our own commands.
    pub program: PathBuf,
    /// The user's home, shown as `~`.
    pub home: PathBuf,
    /// The environment: colours, motion, editor.
    pub variables: HashMap<String, String>,
    /// The user's time zone.
    pub zone: TimeZone,
    /// The configured colours.
    pub theme: ThemeChoice,
    /// Whether the daemon starts at login.
    pub service: Service,
    /// The host that the client leads to, if it is not this machine.
    pub host: Option<Host>,
    /// Reads the clock.
    pub now: fn() -> Timestamp,
    /// Starts a program with the user's own file mask.
    pub spawn: fn(&mut Command) -> std::io::Result<Child>,
    /// Writes a line to stderr while another program has the terminal.
    pub say: fn(&str),
}

/// Shows the board until the user leaves it.
///
/// # Errors
///
/// Fails if the terminal cannot be taken, written or given back.
pub fn run(client: &Client, options: &Options) -> std::io::Result<()> {
    let (to, from) = sync_channel(WAITING);
    let (questions, asked) = channel();
    io::signals(to.clone())?;
    let again = options.host.is_none().then(|| options.state_folder.clone());
    io::news(client.clone(), again, to.clone());
    io::askers((client, &options.program), asked, &to);
    let theme = Theme::of(&options.variables, options.theme);
    let mut terminal = Terminal { canvas: Canvas::open()?, gate: Gate::default(), options };
    let query = query(theme);
    terminal.canvas.ask(query)?;
    io::keys(to, terminal.gate.clone(), query);
    let mut state = first(options, theme);
    let mut shown_at: Option<Instant> = None;
    let mut is_pressed = true;
    loop {
        state.size = terminal.canvas.size();
        derive::derive(&mut state);
        io::send(&questions, std::mem::take(&mut state.asks));
        for effect in std::mem::take(&mut state.effects) {
            if let Next::Leave = terminal.apply(&mut state, &effect)? {
                return Ok(());
            }
        }
        let early = shown_at.map(|at| FRAME.saturating_sub(at.elapsed())).unwrap_or_default();
        let is_due = is_pressed || early.is_zero();
        if is_due {
            terminal.canvas.show(&state)?;
            crate::update::shown::shown(&mut state);
            shown_at = Some(Instant::now());
        }
        let rest = Duration::from_millis(derive::rest(&state));
        let rest = if is_due { rest } else { early };
        is_pressed = take(&mut state, &from, (rest, options.now));
    }
}

/// What to ask the terminal: one that says little of itself may not understand a question.
const fn query(theme: Theme) -> TerminalQuery {
    match theme.palette {
        _ if theme.is_guessed => TerminalQuery::Background,
        Palette::Dark | Palette::Light => TerminalQuery::Keyboard,
        Palette::Sixteen | Palette::Colourless | Palette::Plain => TerminalQuery::None,
    }
}

/// The state before the first message.
fn first(options: &Options, theme: Theme) -> State {
    let home = options.home.to_string_lossy().into_owned();
    let mut state = State::new((options.now)(), theme, home);
    state.zone = options.zone.clone();
    state.host = options.host.clone();
    // What welcomes a user is about this machine.
    let is_first = options.host.is_none() && !options.state_folder.join(WELCOMED).exists();
    state.welcome = is_first.then_some(Welcome { service: options.service, machine: None });
    update::ask_all(&mut state);
    state
}

/// Handles messages until there are none, or a batch is full; `true` if the user did something.
fn take(
    state: &mut State,
    from: &Receiver<Message>,
    (rest, now): (Duration, fn() -> Timestamp),
) -> bool {
    let mut next = match from.recv_timeout(rest) {
        Ok(message) => Some(message),
        Err(RecvTimeoutError::Timeout) => None,
        // Every sender is gone.
        Err(RecvTimeoutError::Disconnected) => Some(Message::End),
    };
    state.now = now();
    let mut is_pressed = false;
    for _ in 0..BATCH {
        let Some(message) = next else { break };
        is_pressed |= !matches!(message, Message::News(_));
        update::update(state, message);
        next = from.try_recv().ok();
    }
    if let Some(message) = next {
        update::update(state, message);
    }
    is_pressed
}

/// Whether the board continues after an effect.
enum Next {
    GoOn,
    Leave,
}

/// The terminal, and what its owner may do with it.
struct Terminal<'a> {
    canvas: Canvas,
    gate: Gate,
    options: &'a Options,
}

impl Terminal<'_> {
    fn apply(&mut self, state: &mut State, effect: &Effect) -> std::io::Result<Next> {
        match effect {
            Effect::Quit => return Ok(Next::Leave),
            Effect::Keyboard => self.canvas.use_keyboard_protocol()?,
            Effect::Copy(text) => self.canvas.copy(text)?,
            // Without the file, the user is welcomed once more.
            Effect::Welcomed => {
                std::fs::write(self.options.state_folder.join(WELCOMED), "").unwrap_or(());
            }
            Effect::Run(words) => {
                let mut command = Command::new(&self.options.program);
                command.args(words);
                self.lend(state, command)?;
            }
            Effect::Edit(folder) => match editor(&self.options.variables) {
                Some(mut command) => {
                    command.arg(folder).current_dir(folder);
                    self.lend(state, command)?;
                }
                None => state.complain("EDITOR is not set, so there is nothing to open it with"),
            },
        }
        Ok(Next::GoOn)
    }

    /// Gives the terminal to another program until that ends.
    fn lend(&mut self, state: &mut State, mut command: Command) -> std::io::Result<()> {
        self.gate.leave();
        give_back();
        let ended = (self.options.spawn)(&mut command).and_then(|mut it| it.wait());
        // The last output of a failed program would vanish with the screen.
        if !matches!(&ended, Ok(status) if status.success()) {
            (self.options.say)("Press Enter to return to the board.");
            // A closed terminal returns, too.
            std::io::stdin().read_line(&mut String::new()).ok();
        }
        self.canvas.take()?;
        self.gate.come_back();
        if let Err(error) = ended {
            state.complain(error.to_string());
        }
        Ok(())
    }
}

fn editor(variables: &HashMap<String, String>) -> Option<Command> {
    let named = variables.get("VISUAL").or_else(|| variables.get("EDITOR"))?;
    let mut words = named.split_whitespace();
    let mut command = Command::new(words.next()?);
    command.args(words);
    Some(command)
}

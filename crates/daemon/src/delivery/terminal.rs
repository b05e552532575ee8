//! Types a text into a terminal: only at an empty prompt on the screen, and confirmed on the
//! screen.

use std::path::PathBuf;
use std::time::{Duration, Instant};
use taffrail_adapters::{Adapter, Screen, ScreenState, by_id};
use taffrail_capture::{PaneName, is_in_front};
use taffrail_context::LiveStatus;
use taffrail_context::Settings;
use taffrail_model::message::{Message, pasteable};
use taffrail_run::{Pasted, paste, socket_of};

/// How long a screen may take to show the text.
const SHOWN_WITHIN: Duration = Duration::from_secs(3);
/// How long an agent may take to react to Enter.
const SENT_WITHIN: Duration = Duration::from_secs(10);
/// How often the screen is checked in between.
const LOOK: Duration = Duration::from_millis(20);
/// After this time Enter is pressed again if the text is still there: some agents swallow an Enter
/// right after a paste.
const PRESS_AGAIN: Duration = Duration::from_millis(700);

/// Why nothing can be typed into a session.
pub(super) const NOT_REACHED: &str =
    "it does not run in tmux or under `taffrail run`, so nothing can be typed into it from here";

/// Why a text was not typed.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Held {
    /// Nothing was typed; it may be tried again.
    NotNow(String),
    /// Something was typed, or that is unknown: it is not tried again.
    Broken(String),
}

/// A place that accepts input, by its name as an executor.
pub(super) enum Place {
    /// A tmux pane, whose screen we read ourselves.
    Pane(String, Pane),
    /// A terminal of ours, which reads its own screen.
    Run(String, PathBuf),
}

impl Place {
    /// Its name as an executor.
    pub(super) fn peer(&self) -> &str {
        match self {
            Self::Pane(peer, _) | Self::Run(peer, _) => peer,
        }
    }
}

/// A pane, and the agent whose screen it shows.
pub(super) struct Pane {
    pub(super) pane: PaneName,
    pub(super) adapter: &'static dyn Adapter,
}

impl Pane {
    /// The pane of a session's agent, if the agent is what is typed to there.
    pub(super) fn of(card: &LiveStatus, agent: &str, executor: &str) -> Result<Self, String> {
        let pane = PaneName::of(executor).ok_or(NOT_REACHED)?;
        let adapter = by_id(agent).ok_or("its agent is not known")?;
        match card.process.is_some_and(is_in_front) {
            true => Ok(Self { pane, adapter }),
            false => Err("another program is in front of it in its terminal".to_owned()),
        }
    }

    fn shown(&self) -> Option<ScreenState> {
        self.read(|it| self.adapter.read_screen(it))
    }

    /// Reads the screen; `None` if nothing can be said of it, as while somebody scrolls there.
    pub(super) fn read<T>(&self, reads: impl Fn(&Screen<'_>) -> T) -> Option<T> {
        let view = self.pane.view().filter(|it| !it.is_dead && !it.is_scrolled)?;
        let rows: Vec<&str> = view.rows.iter().map(String::as_str).collect();
        Some(reads(&Screen { rows: &rows, cursor: view.cursor }))
    }

    /// Waits until the screen satisfies a condition.
    fn wait<T>(&self, within: Duration, decides: impl Fn(&ScreenState) -> Option<T>) -> Option<T> {
        let end = Instant::now() + within;
        loop {
            if let Some(found) = self.shown().as_ref().and_then(&decides) {
                return Some(found);
            }
            if Instant::now() >= end {
                return None;
            }
            std::thread::park_timeout(LOOK);
        }
    }
}

/// The socket of our terminal that an executor names.
fn run_of(settings: &Settings, executor: &str) -> Option<PathBuf> {
    Some(socket_of(&settings.runtime, taffrail_run::run_of(executor)?))
}

/// The place for a session's prompts, if a prompt could be typed there now; otherwise why not.
pub(super) fn ready_place(
    settings: &Settings,
    card: &LiveStatus,
    agent: &str,
) -> Result<Place, String> {
    let executor = card.executor.clone().ok_or("no running process was found for it")?;
    if let Some(socket) = run_of(settings, &executor) {
        return Ok(Place::Run(executor, socket));
    }
    let pane = Pane::of(card, agent, &executor)?;
    match pane.shown() {
        Some(ScreenState::Ready { empty: true }) => Ok(Place::Pane(executor, pane)),
        Some(ScreenState::Ready { empty: false }) => Err("somebody is typing there".to_owned()),
        Some(ScreenState::Working) => Err("the agent is busy".to_owned()),
        Some(ScreenState::Asking { .. }) => Err("a dialog is open there".to_owned()),
        Some(ScreenState::Unknown) => Err("its screen shows no prompt that we know".to_owned()),
        None => Err("its pane cannot be read, or somebody scrolls in it".to_owned()),
    }
}

/// Types a message and submits it. `is_taken` returns whether the agent recorded that it took it.
pub(super) fn put_in(
    place: &Place,
    message: &Message,
    is_taken: &dyn Fn() -> bool,
) -> Result<(), Held> {
    let text = pasteable(&message.text);
    match place {
        Place::Pane(_, pane) => into_pane(pane, (message, &text), is_taken).map_err(Held::Broken),
        Place::Run(_, socket) => match paste(socket, &text) {
            Ok(Pasted::Delivered) => Ok(()),
            Ok(Pasted::Refused(why)) => Err(Held::NotNow(why)),
            Err(error) => Err(Held::Broken(format!("its terminal did not say: {error}"))),
        },
    }
}

/// After a failure the state of the prompt is unknown, so this is not tried again.
fn into_pane(
    pane: &Pane,
    (message, text): (&Message, &str),
    is_taken: &dyn Fn() -> bool,
) -> Result<(), String> {
    let pasted = pane.pane.paste(text, &format!("taffrail-{}", message.id));
    pasted.map_err(|error| format!("it could not be put in: {error}"))?;
    let stands = |shown: &ScreenState| match shown {
        ScreenState::Ready { empty: false } => Some(true),
        ScreenState::Asking { .. } => Some(false),
        _ => None,
    };
    match pane.wait(SHOWN_WITHIN, stands) {
        Some(true) => send_off(pane, is_taken),
        Some(false) => Err("a dialog opened before it was sent".to_owned()),
        None => Err("it was put in, and the screen does not show it".to_owned()),
    }
}

/// Presses Enter until the text is gone from the prompt, or the agent recorded it: a busy terminal
/// may update its screen late.
fn send_off(place: &Pane, is_taken: &dyn Fn() -> bool) -> Result<(), String> {
    let gone = |shown: &ScreenState| match shown {
        ScreenState::Ready { empty: false } | ScreenState::Unknown => None,
        _ => Some(()),
    };
    let end = Instant::now() + SENT_WITHIN;
    while Instant::now() < end {
        let pressed = place.pane.enter();
        pressed.map_err(|error| format!("it was not sent: {error}"))?;
        if place.wait(PRESS_AGAIN, gone).is_some() || is_taken() {
            return Ok(());
        }
        // Enter is pressed again only while our text is in the prompt.
        if place.shown() != Some(ScreenState::Ready { empty: false }) {
            return Ok(());
        }
    }
    Err("the text is in the prompt, and the agent does not react to Enter".to_owned())
}

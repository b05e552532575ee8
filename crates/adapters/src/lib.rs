//! One folder per coding agent: where its history lives, and how a record becomes events.
//!
//! An adapter is data and pure functions. It declares the shape of its sources; `capture` owns the
//! readers for the three shapes and hands over one record at a time. A reader may remember things
//! (the open turn, calls without a result) and must be able to write its memory down, because it is
//! saved with the checkpoint. Adding an agent touches one folder and one word in the list below.

mod carrying;
mod descriptor;
mod desk;
mod gist;
mod hooking;
mod journal;
mod lenient;
pub mod records;
mod screen;
mod silent;
mod starting;
mod status_line;
mod surrogates;
mod talking;
mod telemetry;

#[cfg(test)]
mod conformance;

pub use carrying::{CarryPlan, Rehome, Unplaced, is_plain_path};
pub use descriptor::{
    Advice, Capabilities, Descriptor, Encoding, Given, HomeRule, HookBan, HookCall, HookEvent,
    HookFile, HookPlan, HookPlugin, LiveEntry, LivePlan, Place, Retention, Shape, Source,
    SqlitePlan, Syntax, Taking,
};
pub use desk::{Answer, DeskPlan, Dialog, Request, Unattended};
pub use screen::{Screen, Shown};
pub use starting::StartPlan;
pub use status_line::StatusLinePlan;
pub use talking::{ServerAsks, ServerPlan, ServerSays, Talk};
pub use telemetry::{Telemetry, TelemetryEntry, TelemetryPlan, telemetry_entry};

use serde_json::{Map, Value};
use taffrail_model::{Facts, Record, RuntimeIdentity, Sink};

/// What the product knows of one coding agent.
pub trait Adapter: Sync {
    /// The facts other floors ask for.
    fn descriptor(&self) -> &'static Descriptor;

    /// Says what a file below the agent's home is, by its path with `/` between the parts; `None`
    /// for everything that is not history.
    fn place(&self, path: &str) -> Option<Place>;

    /// Begins to read a source, or goes on with the memory an earlier reader saved. A memory that
    /// cannot be read is treated as none.
    fn reader(&self, source: &Source<'_>, saved: Option<&str>) -> Box<dyn Reader>;

    /// Begins to read what hooks, registries and probes said of this agent's sessions: records are
    /// entries of the journal. It remembers nothing from one record to the next.
    fn journal(&self) -> Box<dyn Reader>;

    /// How the agent is told to call our hook; `None` where we have none for it.
    fn hook_plan(&self) -> Option<&'static HookPlan> {
        None
    }

    /// How its requests to be allowed something are read and answered; `None` where they cannot be.
    fn desk(&self) -> Option<&'static DeskPlan> {
        None
    }

    /// A server of its own that tells how its sessions stand; `None` where it has none.
    fn server_plan(&self) -> Option<&'static ServerPlan> {
        None
    }

    /// How the agent is started on a session or a brief; `None` where that is not known.
    fn start_plan(&self) -> Option<&'static StartPlan> {
        None
    }

    /// How its sessions are carried to another machine; `None` where no way is known to put their
    /// history where the agent resumes it from.
    fn carry_plan(&self) -> Option<&'static CarryPlan> {
        None
    }

    /// What a screen of the agent shows; `Unknown` where we cannot read its screen.
    fn read_screen(&self, _: &Screen<'_>) -> Shown {
        Shown::Unknown
    }

    /// How what the agent tells its status line is told apart; `None` where it tells nothing.
    fn status_line(&self) -> Option<&'static StatusLinePlan> {
        None
    }

    /// What of the agent's telemetry is written down; `None` where nothing is.
    fn telemetry_plan(&self) -> Option<&'static TelemetryPlan> {
        None
    }

    /// How a document that a person gives us becomes a source of this kind; `None` for agents, whose
    /// history is found and not given.
    fn given(&self) -> Option<Taking> {
        None
    }

    /// What it reads tells of sessions of other adapters' agents, and of none of its own.
    fn speaks_for_others(&self) -> bool {
        false
    }

    /// The small fields of a record that no event speaks of, shown with its events so that nothing
    /// an agent newly writes is lost. Only asked for when an event is shown whole.
    fn extra(&self, record: &[u8]) -> Map<String, Value>;
}

/// Reads the records of one source in their order.
///
/// What an event says (kind, part, text, detail) depends on its record alone; memory only adds
/// links (turn, parent), tells repeated lines apart, or suppresses a record that repeats another.
/// So a record read alone gives back the text of every event it ever made.
pub trait Reader {
    /// Reads one record. A torn or unknown one is silence and a counter, never an error.
    fn read(&mut self, record: &Record<'_>, sink: &mut dyn Sink);

    /// What the source says, so far, about each session met in it.
    fn facts(&self) -> Vec<(RuntimeIdentity, Facts)>;

    /// The memory to go on from, as text. Small: it is written with every checkpoint.
    fn save(&self) -> String;
}

macro_rules! adapters {
    ($($name:ident),+ $(,)?) => {
        $(pub mod $name;)+

        /// Every adapter, in the order they were added.
        #[must_use]
        pub fn all() -> &'static [&'static dyn Adapter] {
            static ALL: &[&dyn Adapter] = &[$(&$name::ADAPTER),+];
            ALL
        }
    };
}

adapters! { claude_code, codex, gemini_cli, goose, portable_state, relayed }

/// Every adapter of an agent: of a program whose history is found.
pub fn agents() -> impl Iterator<Item = &'static dyn Adapter> {
    owners().filter(|adapter| adapter.given().is_none())
}

/// Every adapter that sessions are of: all but those that speak of others' sessions.
pub fn owners() -> impl Iterator<Item = &'static dyn Adapter> {
    all().iter().copied().filter(|adapter| !adapter.speaks_for_others())
}

/// The adapters that read what is told of others' sessions.
pub fn relays() -> impl Iterator<Item = &'static dyn Adapter> {
    all().iter().copied().filter(|adapter| adapter.speaks_for_others())
}

/// The adapter with this id.
#[must_use]
pub fn by_id(id: &str) -> Option<&'static dyn Adapter> {
    all().iter().copied().find(|adapter| adapter.descriptor().id == id)
}

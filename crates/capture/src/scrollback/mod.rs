//! The scrollback of terminals under `taffrail run`: the latest output, bounded, on disk.
//!
//! Each run has its own folder below `terminals/` in our data folder, for this user only. `run.json`
//! records what runs there; `output.cast` holds the latest output and `output.1.cast` the output
//! before it, both in the asciicast format. Removing the folder ends the recording.

mod cast;
mod record;
mod recorder;
mod replay;
mod runs;

pub use record::{RunName, RunRecord};
pub use recorder::{Recorder, SMALLEST_SCROLLBACK};
pub use replay::Replay;
pub use runs::{KeptRun, kept_runs, prune_runs, remove_runs};

/// The folder of all runs, below the data folder.
const FOLDER: &str = "terminals";
const RECORD: &str = "run.json";
const LATEST: &str = "output.cast";
const BEFORE: &str = "output.1.cast";

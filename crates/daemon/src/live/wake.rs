//! Everything that can wake the loop.

use super::walk::Walked;
use crate::{DaemonError, Settings};
use taffrail_model::observed::Observed;
use taffrail_model::{DeviceId, SessionId};
use taffrail_store::FinalRow;
use tokio::sync::oneshot;

/// Something that needs the writer for itself: the loop gives it up while this runs.
pub(crate) type Alone = Box<dyn FnOnce(&Settings) + Send>;

/// Which eye, by its place among them.
pub(crate) type EyeNumber = usize;

/// What woke the loop.
pub(crate) enum Wake {
    /// Known sources are gone, back or elsewhere.
    Places(EyeNumber, Places),
    /// An eye read a piece of a source.
    Piece(EyeNumber, Box<Observed>),
    /// An eye did an errand.
    Looked(EyeNumber, Looked),
    /// A process ended.
    Died(u32),
    /// Where a process runs was looked for.
    Executor(u32, Option<String>),
    /// Everything on disk is to be indexed; told when it is.
    Settle(oneshot::Sender<()>),
    /// Search is to have all that is indexed; told when it has, and whether it does.
    Search(oneshot::Sender<bool>),
    /// Search was brought up, or could not be.
    Searched(Result<(), DaemonError>),
    /// Another device was heard, and said how these sessions stand.
    Heard(DeviceId, Vec<SessionId>),
    /// Final summaries are to be kept.
    Finals(Vec<FinalRow>),
    /// Something needs the writer for itself.
    Alone(Alone),
    /// Time to end.
    Stop,
}

/// What became of known sources.
#[derive(Debug, Default)]
pub(crate) struct Places {
    pub(crate) vanished: Vec<i64>,
    pub(crate) returned: Vec<i64>,
    /// Number, home, path and locator of those that moved.
    pub(crate) moved: Vec<(i64, String, String, String)>,
}

/// How an errand went.
#[derive(Debug, Default)]
pub(crate) struct Looked {
    /// It was a look at everything.
    pub(crate) whole: bool,
    /// The number under which that was asked for.
    pub(crate) settled: Option<u64>,
    /// Sources that were read.
    pub(crate) read: usize,
    /// Sources there are, where everything was looked at.
    pub(crate) sources: usize,
    /// What could not be read, and why.
    pub(crate) problems: Vec<String>,
}

impl Looked {
    /// It failed.
    pub(crate) fn failed(error: &DaemonError) -> Self {
        Self { problems: vec![error.to_string()], ..Self::default() }
    }

    /// There is nothing to tell of it.
    pub(crate) fn is_nothing(&self) -> bool {
        !self.whole && self.read == 0 && self.problems.is_empty()
    }
}

/// What an eye is asked to do.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Errand {
    /// Something was touched.
    Touched,
    /// Look at everything.
    Whole,
    /// Look at everything, and say so under this number.
    Settle(u64),
    /// Everything was looked at meanwhile.
    Walked(Box<Walked>),
}

/// Somebody waits until everything is indexed.
pub(crate) struct Settling {
    pub(crate) number: u64,
    pub(crate) eyes: Vec<EyeNumber>,
    pub(crate) done: oneshot::Sender<()>,
}

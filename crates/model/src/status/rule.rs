//! The rules behind a status, each with its sentence.

use std::fmt;

macro_rules! rules {
    ($($name:ident = $sentence:literal,)+) => {
        /// The rule that decided a status.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum StatusRule {
            $(#[doc = $sentence] $name,)+
            /// A caller's own rule for a reading without evidence, by its sentence.
            Other(&'static str),
        }

        impl StatusRule {
            /// The rule as a sentence for people.
            #[must_use]
            pub const fn sentence(self) -> &'static str {
                match self {
                    $(Self::$name => $sentence,)+
                    Self::Other(sentence) => sentence,
                }
            }
        }
    };
}

rules! {
    AgentEnded = "the agent ended the session",
    ProcessEnded = "its process ended",
    ProcessGoneForADay = "its process is gone and nothing moved for a day",
    TurnOverProcessGone = "the turn is over and its process is gone",
    ProcessGoneUnseen = "its process is gone and its end was not seen",
    NoProcessForADay = "no process is known and nothing moved for a day",
    ApprovalOpen = "a request for approval is open",
    WorkerApprovalOpen = "a worker waits to be allowed something",
    QuestionOpen = "a question is open",
    WorkerQuestionOpen = "a worker asks a question",
    Compacting = "the context is being folded",
    TurnOpen = "a turn is open",
    BackgroundWork = "the agent stopped, and work it began goes on",
    ListedBusy = "the answer is written and the agent's own list says that it works",
    StopUnconfirmed = "the answer is written and the agent has not said that it stopped",
    WorkerRunning = "a worker works",
    RecentRecords = "records of the last moments, and nobody else speaks",
    OpenCall = "a call without a result; it runs, or it waits to be allowed",
    NoPrompt = "the agent started and nothing was asked",
    TurnOver = "the turn is over",
    Interrupted = "a person broke the turn off",
    TurnFailed = "the turn ended with an error",
    AgentQuiet = "the agent says that it does nothing",
    TurnOverNoProcess = "the turn is over and no process is known",
    Idle = "its process lives, no turn is open and nothing moves",
    NoTurnSeen = "its process lives; no turn was seen",
    NoProcessFound = "no running process was found, and nothing new was written",
    NothingKnown = "nothing is known",
    ScreenBusy = "its screen shows that it works",
    ScreenPrompt = "its screen shows that a prompt can be typed",
    ScreenApproval = "its screen shows a request for approval",
    ScreenDialog = "its screen shows a dialog",
    ScreenUnclear = "its screen shows nothing that is known",
    RemoteReport = "its own device says so",
    RemoteSilent = "its own device has not reported for 5 min",
    RemoteUnreported = "its own device did not report a status",
    ImportedDocument = "an imported document says so; the session was not seen here",
}

impl fmt::Display for StatusRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.sentence())
    }
}

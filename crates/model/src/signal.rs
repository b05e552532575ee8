//! What a record says about how a session stands, in words of our own.
//!
//! A kind says what happened; a signal says what follows from it for the status. Most records of a
//! transcript need none, because their kind says it. Hooks, live registries and probes carry one,
//! and it is kept with the event, so that a status can be folded again at any time.

/// What a record says about how its session stands.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Signal {
    /// The agent opened the session, or took it up again.
    Started,
    /// The agent opened the session in place of the one its process had open.
    TookOver,
    /// A prompt was handed to the agent.
    Prompted,
    /// The agent is at work, without saying at what.
    Busy,
    /// A tool is about to run: its call, and a mark of its exact input.
    Called {
        /// Joins call, request and result; empty where the agent does not say.
        call: String,
        /// Equal for the same tool with the same input.
        input: String,
    },
    /// A tool came back.
    Answered {
        /// Joins call, request and result.
        call: String,
    },
    /// A person is asked to allow a call.
    AskedApproval {
        /// The mark of the input, as in `Called`; empty where it is not known.
        input: String,
    },
    /// A request was decided, by whomever.
    Settled {
        /// The call it was about; empty where it is not known.
        call: String,
        /// The mark of the input; with an empty call it may stand for any.
        input: String,
    },
    /// A person is asked a question.
    Asked {
        /// The call that asks; empty where it is not known.
        call: String,
        /// The answers it offers.
        options: Vec<String>,
    },
    /// The turn is over: the agent waits for a prompt.
    TurnOver,
    /// The turn is over, but work it began goes on by itself.
    WorkingOn,
    /// A person broke the turn off.
    Interrupted,
    /// The turn ended with an error.
    Failed,
    /// The context is being folded.
    Compacting,
    /// The context was folded; what was going on before goes on.
    Compacted,
    /// The agent ended the session.
    Ended,
    /// The agent is there and does nothing.
    Quiet,
    /// The agent is there; nothing more is said.
    Alive,
    /// Its process is gone.
    Died,
    /// A word this version does not know.
    Unknown(String),
}

impl Signal {
    /// As it is stored: a word, and what belongs to it after colons.
    #[must_use]
    pub fn to_text(&self) -> String {
        match self {
            Self::Called { call, input } => format!("called:{input}:{call}"),
            Self::Answered { call } => format!("answered:{call}"),
            Self::AskedApproval { input } => format!("asked-approval:{input}"),
            Self::Settled { call, input } => format!("settled:{input}:{call}"),
            Self::Asked { call, options } => asked(call, options),
            Self::Unknown(word) => word.clone(),
            plain => plain.word().to_owned(),
        }
    }

    /// Reads what was stored.
    #[must_use]
    pub fn parse(text: &str) -> Self {
        let (word, rest) = text.split_once(':').unwrap_or((text, ""));
        match word {
            "called" => {
                let (call, input) = call_and_input(rest);
                Self::Called { call, input }
            }
            "answered" => Self::Answered { call: rest.to_owned() },
            "asked-approval" => Self::AskedApproval { input: rest.to_owned() },
            "settled" => {
                let (call, input) = call_and_input(rest);
                Self::Settled { call, input }
            }
            "asked" => question(rest),
            _ => PLAIN
                .iter()
                .find(|it| it.word() == text)
                .cloned()
                .unwrap_or_else(|| Self::Unknown(text.to_owned())),
        }
    }

    /// The word alone.
    #[must_use]
    pub fn word(&self) -> &str {
        match self {
            Self::Started => "started",
            Self::TookOver => "took-over",
            Self::Prompted => "prompted",
            Self::Busy => "busy",
            Self::Called { .. } => "called",
            Self::Answered { .. } => "answered",
            Self::AskedApproval { .. } => "asked-approval",
            Self::Settled { .. } => "settled",
            Self::Asked { .. } => "asked",
            Self::TurnOver => "turn-over",
            Self::WorkingOn => "working-on",
            Self::Interrupted => "interrupted",
            Self::Failed => "failed",
            Self::Compacting => "compacting",
            Self::Compacted => "compacted",
            Self::Ended => "ended",
            Self::Quiet => "quiet",
            Self::Alive => "alive",
            Self::Died => "died",
            Self::Unknown(word) => word,
        }
    }
}

/// Stands between the options of a question.
const BETWEEN: char = '\u{1f}';

/// A question with nothing more is a word alone.
fn asked(call: &str, options: &[String]) -> String {
    let mut text = "asked".to_owned();
    if !call.is_empty() || !options.is_empty() {
        text.push(':');
        text.push_str(call);
    }
    for option in options {
        text.push(BETWEEN);
        text.push_str(&option.replace(BETWEEN, " "));
    }
    text
}

fn question(rest: &str) -> Signal {
    let mut parts = rest.split(BETWEEN).map(str::to_owned);
    Signal::Asked { call: parts.next().unwrap_or_default(), options: parts.collect() }
}

/// The mark of an input stands first, because it holds no colon.
fn call_and_input(rest: &str) -> (String, String) {
    let (input, call) = rest.split_once(':').unwrap_or((rest, ""));
    (call.to_owned(), input.to_owned())
}

/// Signals that are a word and nothing more.
const PLAIN: &[Signal] = &[
    Signal::Started,
    Signal::TookOver,
    Signal::Prompted,
    Signal::Busy,
    Signal::TurnOver,
    Signal::WorkingOn,
    Signal::Interrupted,
    Signal::Failed,
    Signal::Compacting,
    Signal::Compacted,
    Signal::Ended,
    Signal::Quiet,
    Signal::Alive,
    Signal::Died,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_signal_survives_being_stored() {
        let text = || "a:b".to_owned();
        let called = Signal::Called { call: text(), input: "00ff".to_owned() };
        let others = [
            called,
            Signal::Answered { call: text() },
            Signal::AskedApproval { input: "00ff".to_owned() },
            Signal::AskedApproval { input: String::new() },
            Signal::Settled { call: text(), input: "00ff".to_owned() },
            Signal::Settled { call: String::new(), input: String::new() },
            Signal::Asked { call: text(), options: Vec::new() },
            Signal::Asked { call: String::new(), options: Vec::new() },
            Signal::Asked { call: String::new(), options: vec![text(), text()] },
            Signal::Asked { call: text(), options: vec![text()] },
            Signal::Unknown("tomorrow".to_owned()),
        ];
        for signal in PLAIN.iter().chain(&others) {
            assert_eq!(Signal::parse(&signal.to_text()), *signal);
        }
    }
}

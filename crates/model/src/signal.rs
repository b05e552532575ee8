//! What a record implies for the status of its session.
//!
//! A kind states what happened; a signal states its effect on the status. Most transcript records
//! need no signal, because their kind implies it. Reports from hooks, live registries and probes
//! carry one. It is stored with the event, so that a status can be recomputed at any time.

/// What a record implies for the status of its session.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Signal {
    /// The agent opened or resumed the session.
    Started,
    /// The agent opened the session in place of the previous one in the same process.
    TookOver,
    /// The agent received a prompt.
    Prompted,
    /// The agent is working; at what is not reported.
    Busy,
    /// A tool is about to run: its call, and a hash of its exact input.
    Called {
        /// Joins call, request and result; empty if the agent does not report it.
        call: String,
        /// Equal for the same tool with the same input.
        input: String,
    },
    /// A tool returned.
    Answered {
        /// Joins call, request and result.
        call: String,
    },
    /// The agent asks a person to allow a call.
    AskedApproval {
        /// The input hash, as in `Called`; empty if unknown.
        input: String,
    },
    /// A request was decided, by anyone.
    Settled {
        /// The call of the request; empty if unknown.
        call: String,
        /// The input hash; if the call is empty too, it may be any request.
        input: String,
    },
    /// The agent asks a person a question.
    Asked {
        /// The call that asks; empty if unknown.
        call: String,
        /// The offered answers.
        options: Vec<String>,
    },
    /// The turn is over: the agent waits for a prompt.
    TurnOver,
    /// The turn is over, but background work of the turn continues.
    WorkingOn,
    /// The user interrupted the turn.
    Interrupted,
    /// The turn ended with an error.
    Failed,
    /// Compacting context.
    Compacting,
    /// The context was compacted; earlier work continues.
    Compacted,
    /// The agent ended the session.
    Ended,
    /// The agent is present and idle.
    Quiet,
    /// The agent is present; nothing more is reported.
    Alive,
    /// The process is gone.
    Died,
    /// A word that this version does not know.
    Unknown(String),
}

impl Signal {
    /// The stored form: a word, with its arguments after colons.
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

    /// Parses the stored form.
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

/// Separates the options of a question.
const BETWEEN: char = '\u{1f}';

/// A question without arguments is a word alone.
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

/// The input hash comes first, because it contains no colon.
fn call_and_input(rest: &str) -> (String, String) {
    let (input, call) = rest.split_once(':').unwrap_or((rest, ""));
    (call.to_owned(), input.to_owned())
}

/// Signals without arguments.
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

//! The expected status of a session at each moment of a play, as data.
//!
//! A cell contains every correct answer, separated by bars: a status, and its allowed confidence.
//! `sure` is medium or high, `low` is low, and without either any confidence is correct. If the
//! evidence allows no certainty, the cell contains only answers that claim none.

use taffrail_testkit::agents::Agent;

/// Whether our hooks are installed; without them the only evidence is what agents write by
/// themselves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Evidence {
    Hooks,
    Files,
}

/// A moment, and the expectations for Claude Code with hooks and without, and for Codex with hooks
/// and without.
type Row = (&'static str, [&'static str; 4]);

#[rustfmt::skip]
const EXPECTED: &[Row] = &[
    ("a prompt is taken",       [RUNS,     RUNS,     RUNS,     "running low"]),
    ("the turn is over",        [WAITS,    WAITS,    WAITS,    "waiting"]),
    ("a dialog is open",        [ASKS,     ASKS,     ASKS,     DOUBT]),
    ("a hook is asked",         [ASKS,     ASKS,     ASKS,     DOUBT]),
    ("it was allowed",          [RUNS,     RUNS,     RUNS,     "running low"]),
    ("it was killed",           [EXITED,   EXITED,   EXITED,   DOUBT]),
    ("the context is folded",   [RUNS,     RUNS,     RUNS,     "running low | waiting low | unknown"]),
    // Codex reports nothing about a cleared session, not even to hooks, before the next one has a
    // prompt.
    ("it was cleared",          [EXITED,   LEFT,     ANY,      ANY]),
    ("another took its place",  [EXITED,   LEFT,     LEFT,     ANY]),
    ("it was quit",             [EXITED,   EXITED,   EXITED,   "waiting | unknown | exited"]),
    ("it was taken up again",   [THERE,    THERE,    ANY,      ANY]),
    ("a worker works on",       [RUNS,     RUNS,     RUNS,     "running low"]),
    ("a question is open",      [WAITS,    WAITS,    WAITS,    "waiting"]),
    ("it has printed",          [EXITED,   "exited | unknown | waiting low", EXITED, "waiting | unknown | exited"]),
];

/// The same for Gemini CLI with hooks and without, and for Goose with hooks and without.
#[rustfmt::skip]
const OTHERS: &[Row] = &[
    ("a prompt is taken",       [RUNS,     "running low", "running low", "running low"]),
    ("the turn is over",        [WAITS,    "waiting",  WAITS,    "waiting"]),
    // The chat of Gemini shows an open call as the end of a turn; Goose reports its dialog nowhere.
    ("a dialog is open",        [ASKS,     GUESS,      DOUBT,    DOUBT]),
    ("a question is open",      [WAITS,    GUESS,      ANY,      ANY]),
    ("it was allowed",          [RUNS,     GUESS,      "running low", DOUBT]),
    // Gemini CLI writes its chat again when a person refuses; for five seconds that is not a sure end.
    ("it was denied",           ["waiting | running", GUESS, WAITS,  "waiting"]),
    // Goose reports an interrupted turn nowhere; it may have stored an answer before.
    ("it was interrupted",      [WAITS,    GUESS,      "running low | waiting | unknown", "running low | waiting | unknown"]),
    // The daemon may not know Goose's process yet when it ends.
    ("it was killed",           [EXITED,   GUESS,      "exited sure | unknown", DOUBT]),
];

const RUNS: &str = "running sure";
const WAITS: &str = "waiting sure";
const ASKS: &str = "waiting_approval sure";
const EXITED: &str = "exited sure";
/// Either work continues or a person is asked: the files do not show which, so nothing may be
/// claimed.
const DOUBT: &str = "running low | waiting_approval low | unknown";
/// Nobody will continue the session here, and nothing recorded its end.
const LEFT: &str = "exited | idle | unknown | waiting low";
/// Work, a dialog or the end of a turn: nothing shows which.
const GUESS: &str = "running low | waiting low | unknown";
const THERE: &str = "waiting sure | idle sure";
/// Nothing distinguishes it from before.
const ANY: &str = "exited | waiting | idle | unknown";

/// The expectation at a moment.
pub(crate) fn expected(moment: &str, agent: Agent, evidence: Evidence) -> &'static str {
    let (table, first) = match agent {
        Agent::Claude => (EXPECTED, 0),
        Agent::Codex => (EXPECTED, 2),
        Agent::Gemini => (OTHERS, 0),
        Agent::Goose => (OTHERS, 2),
    };
    let row = table.iter().find(|(name, _)| *name == moment);
    let (_, cells) = row.unwrap_or_else(|| panic!("no moment is called {moment:?}"));
    cells[first + usize::from(evidence == Evidence::Files)]
}

/// True if an answer is in a cell.
pub(crate) fn is_among(cell: &str, status: &str, confidence: &str) -> bool {
    cell.split('|').any(|answer| {
        let mut words = answer.split_whitespace();
        let right = words.next() == Some(status);
        right
            && match words.next() {
                None => true,
                Some("sure") => ["high", "medium"].contains(&confidence),
                Some("low") => confidence == "low",
                Some(other) => panic!("no confidence is called {other:?}"),
            }
    })
}

#[test]
fn answers_are_compared_with_their_confidence() {
    let check = |cell, status, confidence, is| {
        assert_eq!(is_among(cell, status, confidence), is, "{status} {confidence} in {cell:?}");
    };
    check("running sure", "running", "high", true);
    check("running sure", "running", "low", false);
    check("running low | unknown", "running", "low", true);
    check("running low | unknown", "running", "medium", false);
    check("running low | unknown", "unknown", "high", true);
    check("waiting", "waiting_approval", "high", false);
}

//! The one table of keys: what each does, in words, and the command that does the same. Help, the
//! palette and the line at the bottom are made from it.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// What can be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    Up,
    Down,
    PageUp,
    PageDown,
    Top,
    Bottom,
    Open,
    Back,
    Quit,
    Approve,
    Deny,
    Explain,
    Resume,
    Send,
    Handoff,
    Mark,
    Undo,
    Closer,
    Wider,
    Editor,
    Copy,
    Search,
    Filter,
    Help,
    Palette,
    Commands,
    GoBoard,
    GoApprovals,
    GoFeed,
    GoTimeline,
    GoFindings,
    GoHealth,
    NextPlace,
    NextTurn,
    LastTurn,
    Tools,
    Worker,
    Parent,
    Next,
    Last,
    Panic,
}

/// Where keys are pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    Board,
    Transcript,
    Search,
    Approvals,
    Feed,
    Timeline,
    Findings,
    Health,
    Commands,
    Explain,
}

/// Where a key is told of without being asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Told {
    /// At the bottom of the screen.
    Below,
    /// In the help and the palette.
    Help,
    /// Nowhere.
    Nowhere,
}

/// A row of the table.
#[derive(Debug)]
pub(crate) struct Binding {
    pub(crate) keys: &'static [&'static str],
    pub(crate) action: Action,
    pub(crate) places: &'static [Place],
    pub(crate) told: Told,
    /// One word, for the bottom of the screen.
    pub(crate) word: &'static str,
    /// A line, for the help.
    pub(crate) help: &'static str,
    /// The command that does the same; empty where there is none.
    pub(crate) command: &'static str,
}

use Place::{
    Approvals, Board, Commands, Explain, Feed, Findings, Health, Search, Timeline, Transcript,
};

const ALL: &[Place] =
    &[Board, Transcript, Search, Approvals, Feed, Timeline, Findings, Health, Commands, Explain];
/// Where the space bar pages; on the board it marks.
const READ: &[Place] =
    &[Transcript, Approvals, Feed, Timeline, Findings, Health, Commands, Explain];
/// Where one session is meant.
const OF_ONE: &[Place] = &[Board, Transcript, Approvals, Search, Feed, Findings, Timeline];

macro_rules! keys {
    ($($keys:expr, $action:ident, $places:expr, $told:ident, $word:expr, $help:expr, $command:expr;)+) => {
        &[$(Binding {
            keys: &$keys,
            action: Action::$action,
            places: $places,
            told: Told::$told,
            word: $word,
            help: $help,
            command: $command,
        },)+]
    };
}

/// All of them, in the order in which the help tells of them.
pub(crate) const KEYS: &[Binding] = keys! {
    ["a"], Approve, &[Board, Approvals, Transcript], Below, "approve", "allow what the session asks for", "taffrail approve {approval}";
    ["d"], Deny, &[Board, Approvals, Transcript], Below, "deny", "refuse it; you may say why", "taffrail deny {approval}";
    ["enter", "l", "right"], Open, &[Board, Search, Approvals, Feed, Findings, Timeline], Below, "open", "read the whole session", "taffrail show {id}";
    ["["], LastTurn, &[Transcript], Below, "turn back", "the turn before", "";
    ["]"], NextTurn, &[Transcript], Below, "turn on", "the next turn", "";
    ["t"], Tools, &[Transcript], Below, "tools", "unfold or fold what tools were asked and said", "";
    ["w"], Worker, &[Transcript], Help, "sub-agent", "read its next sub-agent", "";
    ["p"], Parent, &[Transcript], Help, "parent", "read the session it works for", "";
    ["s"], Send, &[Board, Transcript, Approvals, Feed, Findings, Timeline], Below, "send", "send it a prompt", "";
    ["r"], Resume, OF_ONE, Below, "resume", "go on with the session in its agent", "taffrail resume {id}";
    ["e"], Explain, &[Board, Transcript, Approvals, Timeline, Findings], Below, "explain", "why it stands as it does", "taffrail explain {id}";
    ["/"], Search, ALL, Below, "search", "find a session, or anything ever said", "taffrail search {query}";
    ["f"], Filter, &[Board], Help, "filter", "narrow it: words, agent: state: project:", "";
    ["space"], Mark, &[Board], Help, "mark", "mark it; a and d then answer all marked", "";
    ["z"], Undo, &[Board], Help, "undo", "the last mark or filter; no decision", "";
    ["+", "="], Closer, &[Timeline], Below, "closer", "less time on the screen", "";
    ["-"], Wider, &[Timeline], Help, "wider", "more time on the screen", "";
    ["H"], Handoff, OF_ONE, Help, "hand over", "a brief of the session, for another agent", "taffrail handoff {id}";
    ["o"], Editor, OF_ONE, Help, "editor", "open its folder in your editor", "";
    ["y"], Copy, OF_ONE, Help, "copy", "copy the session's id", "";
    ["1"], GoBoard, ALL, Help, "board", "every session, by who must act", "taffrail";
    ["2"], GoApprovals, ALL, Help, "approvals", "everything that waits to be allowed", "taffrail approvals";
    ["3"], GoFeed, ALL, Help, "feed", "what happened, across all sessions", "taffrail feed -f";
    ["4"], GoTimeline, ALL, Help, "timeline", "the last day, session by session", "taffrail ls --since 24h";
    ["5"], GoFindings, ALL, Help, "findings", "what is worth a look", "taffrail findings";
    ["6"], GoHealth, ALL, Help, "health", "how watching goes, agent by agent", "taffrail health";
    ["tab"], NextPlace, ALL, Help, "next screen", "the next of these six", "";
    ["@"], Commands, ALL, Help, "commands", "the commands that do what you just did", "";
    [":"], Palette, ALL, Below, "command", "anything, by its name", "";
    ["?", "f1"], Help, ALL, Below, "help", "this help", "taffrail --help";
    ["j", "down"], Down, ALL, Help, "down", "down", "";
    ["k", "up"], Up, ALL, Help, "up", "up", "";
    ["ctrl-d", "pagedown"], PageDown, ALL, Help, "page down", "half a screen down", "";
    ["space"], PageDown, READ, Nowhere, "page", "half a screen down", "";
    ["ctrl-u", "pageup"], PageUp, ALL, Help, "page up", "half a screen up", "";
    ["g", "home"], Top, ALL, Help, "top", "to the beginning", "";
    ["G", "end"], Bottom, ALL, Help, "bottom", "to the end", "";
    ["n"], Next, &[Transcript, Search], Help, "next", "the next place that fits the search", "";
    ["N"], Last, &[Transcript, Search], Help, "last", "the place before", "";
    ["esc", "h", "left"], Back, ALL, Help, "back", "back; always safe", "";
    ["q"], Quit, ALL, Below, "quit", "back, and from the board: quit", "";
    ["ctrl-c"], Quit, ALL, Nowhere, "quit", "quit", "";
    [], Panic, ALL, Nowhere, "panic", "break down, to see that the terminal survives", "";
};

/// What a key does in a place.
pub(crate) fn action(place: Place, key: &str) -> Option<Action> {
    let fits = |it: &&Binding| it.places.contains(&place) && it.keys.contains(&key);
    KEYS.iter().find(fits).map(|it| it.action)
}

/// The row of an action.
pub(crate) fn binding(action: Action) -> Option<&'static Binding> {
    KEYS.iter().find(|it| it.action == action)
}

/// The name of a key as the table has it.
pub(crate) fn name(key: &KeyEvent) -> String {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match key.code {
        KeyCode::Char(' ') => "space".to_owned(),
        KeyCode::Char(it) if control => format!("ctrl-{it}"),
        KeyCode::Char(it) => it.to_string(),
        KeyCode::Enter => "enter".to_owned(),
        KeyCode::Esc => "esc".to_owned(),
        KeyCode::Tab => "tab".to_owned(),
        KeyCode::Backspace => "backspace".to_owned(),
        KeyCode::Up => "up".to_owned(),
        KeyCode::Down => "down".to_owned(),
        KeyCode::Left => "left".to_owned(),
        KeyCode::Right => "right".to_owned(),
        KeyCode::PageUp => "pageup".to_owned(),
        KeyCode::PageDown => "pagedown".to_owned(),
        KeyCode::Home => "home".to_owned(),
        KeyCode::End => "end".to_owned(),
        KeyCode::F(number) => format!("f{number}"),
        _ => String::new(),
    }
}

/// A key as people read it.
pub(crate) fn sign(key: &str) -> &str {
    match key {
        "enter" => "⏎",
        "up" => "↑",
        "down" => "↓",
        "left" => "←",
        "right" => "→",
        "ctrl-d" => "^d",
        "ctrl-u" => "^u",
        "pageup" => "PgUp",
        "pagedown" => "PgDn",
        "esc" => "Esc",
        "tab" => "Tab",
        "space" => "Space",
        "home" => "Home",
        "end" => "End",
        "f1" => "F1",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things_in_one_place() {
        for place in ALL {
            let mut seen = Vec::new();
            for key in KEYS.iter().filter(|it| it.places.contains(place)).flat_map(|it| it.keys) {
                assert!(!seen.contains(key), "{key} twice in {place:?}");
                seen.push(key);
            }
        }
    }

    #[test]
    fn a_newcomer_finds_help_and_the_way_out_everywhere() {
        for place in ALL {
            assert_eq!(action(*place, "?"), Some(Action::Help), "{place:?}");
            assert_eq!(action(*place, "q"), Some(Action::Quit), "{place:?}");
            assert_eq!(action(*place, "esc"), Some(Action::Back), "{place:?}");
            assert_eq!(action(*place, "ctrl-c"), Some(Action::Quit), "{place:?}");
        }
    }
}

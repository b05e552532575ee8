//! The one table of keys: what each does, in words, and the equivalent command. Help, the palette
//! and the footer are made from it.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

/// What a key can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Action {
    Up,
    Down,
    PageUp,
    PageDown,
    Top,
    Bottom,
    Enter,
    Open,
    Back,
    Quit,
    Approve,
    Deny,
    Explain,
    Resume,
    Send,
    Handoff,
    New,
    Stop,
    Interrupt,
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
    NextScreen,
    NextTurn,
    LastTurn,
    Tools,
    SubAgent,
    Parent,
    Next,
    Last,
    Panic,
}

/// Where keys are pressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Screen {
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

/// Where a key is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Visibility {
    /// In the footer.
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
    pub(crate) screens: &'static [Screen],
    pub(crate) visibility: Visibility,
    /// One word, for the footer.
    pub(crate) word: &'static str,
    /// A line, for the help.
    pub(crate) help: &'static str,
    /// The equivalent command; empty if there is none.
    pub(crate) command: &'static str,
}

use Screen::{
    Approvals, Board, Commands, Explain, Feed, Findings, Health, Search, Timeline, Transcript,
};

const ALL: &[Screen] =
    &[Board, Transcript, Search, Approvals, Feed, Timeline, Findings, Health, Commands, Explain];
/// Screens where the space bar pages; on the board it marks.
const READ: &[Screen] =
    &[Transcript, Approvals, Feed, Timeline, Findings, Health, Commands, Explain];
/// Screens with a target session.
const OF_ONE: &[Screen] = &[Board, Transcript, Approvals, Search, Feed, Findings, Timeline];

macro_rules! keys {
    ($($keys:expr, $action:ident, $screens:expr, $visibility:ident, $word:expr, $help:expr, $command:expr;)+) => {
        &[$(Binding {
            keys: &$keys,
            action: Action::$action,
            screens: $screens,
            visibility: Visibility::$visibility,
            word: $word,
            help: $help,
            command: $command,
        },)+]
    };
}

/// All bindings, in the order of the help.
pub(crate) const KEYS: &[Binding] = keys! {
    ["a"], Approve, &[Board, Approvals, Transcript], Below, "approve", "allow what the session asks for", "taffrail approve {approval}";
    ["d"], Deny, &[Board, Approvals, Transcript], Below, "deny", "refuse it; you may say why", "taffrail deny {approval}";
    ["enter"], Enter, &[Board], Below, "open", "go to its tmux pane; else read it", "taffrail attach {id}";
    ["l", "right"], Open, &[Board], Below, "read", "read the whole session", "taffrail show {id}";
    ["enter", "l", "right"], Open, &[Search, Approvals, Feed, Findings, Timeline], Below, "open", "read the whole session", "taffrail show {id}";
    ["["], LastTurn, &[Transcript], Below, "previous turn", "to the previous turn", "";
    ["]"], NextTurn, &[Transcript], Below, "next turn", "to the next turn", "";
    ["t"], Tools, &[Transcript], Below, "tools", "unfold or fold what tools were asked and said", "";
    ["w"], SubAgent, &[Transcript], Help, "sub-agent", "read its next sub-agent", "";
    ["p"], Parent, &[Transcript], Help, "parent", "read the session it works for", "";
    ["s"], Send, &[Board, Transcript, Approvals, Feed, Findings, Timeline], Below, "send", "send it a prompt, or answer its question", "";
    ["r"], Resume, OF_ONE, Below, "resume", "resume the session in its agent", "taffrail resume {id}";
    ["e"], Explain, &[Board, Transcript, Approvals, Timeline, Findings], Below, "explain", "its status and the evidence for it", "taffrail explain {id}";
    ["/"], Search, ALL, Below, "search", "find a session, or anything ever said", "taffrail search {query}";
    ["f"], Filter, &[Board], Help, "filter", "show only: words, agent: state: project:", "";
    ["space"], Mark, &[Board], Help, "mark", "mark it; a and d then answer all marked", "";
    ["z"], Undo, &[Board], Help, "undo", "the last mark or filter; no decision", "";
    ["+", "="], Closer, &[Timeline], Below, "zoom in", "less time on the screen", "";
    ["-"], Wider, &[Timeline], Help, "zoom out", "more time on the screen", "";
    ["H"], Handoff, OF_ONE, Help, "hand over", "write a brief of the session for another agent", "taffrail handoff {id}";
    ["c"], New, &[Board, Transcript], Help, "new", "start an agent in its folder, in tmux", "";
    ["i"], Interrupt, &[Board, Transcript], Help, "interrupt", "interrupt its turn, in tmux", "";
    ["X"], Stop, &[Board, Transcript], Help, "stop", "end its agent in tmux; asks first", "taffrail stop {id}";
    ["o"], Editor, OF_ONE, Help, "editor", "open its folder in your editor", "";
    ["y"], Copy, OF_ONE, Help, "copy", "copy the session's id", "";
    ["1"], GoBoard, ALL, Help, "board", "every session, by who must act", "taffrail";
    ["2"], GoApprovals, ALL, Help, "approvals", "everything that waits to be allowed", "taffrail approvals";
    ["3"], GoFeed, ALL, Help, "feed", "what happened, across all sessions", "taffrail feed -f";
    ["4"], GoTimeline, ALL, Help, "timeline", "the last day, session by session", "taffrail ls --since 24h";
    ["5"], GoFindings, ALL, Help, "findings", "problems found in sessions", "taffrail findings";
    ["6"], GoHealth, ALL, Help, "health", "how watching goes, agent by agent", "taffrail daemon health";
    ["tab"], NextScreen, ALL, Help, "next screen", "the next of these six", "";
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

/// The action of a key on a screen.
pub(crate) fn action(screen: Screen, key: &str) -> Option<Action> {
    let fits = |it: &&Binding| it.screens.contains(&screen) && it.keys.contains(&key);
    KEYS.iter().find(fits).map(|it| it.action)
}

/// The binding of an action.
pub(crate) fn binding(action: Action) -> Option<&'static Binding> {
    KEYS.iter().find(|it| it.action == action)
}

/// The name of a key in the table.
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

/// The label of a key for people.
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

/// Bindings that match the palette's input: names with that prefix first, then those whose help
/// contains it. Actions that do nothing here are left out.
pub(crate) fn palette_hits(screen: Screen, input: &str) -> Vec<&'static Binding> {
    let wanted = input.trim().to_lowercase();
    let is_listed = |it: &&Binding| it.visibility != Visibility::Nowhere || it.word == wanted;
    let rank = |it: &Binding| match () {
        () if it.word.starts_with(&wanted) => Some(0),
        () if it.word.contains(&wanted) => Some(1),
        () if it.help.contains(&wanted) => Some(2),
        () => None,
    };
    let here = KEYS.iter().filter(|it| it.screens.contains(&screen));
    let hits = here.filter(is_listed).filter_map(|it| Some((rank(it)?, it)));
    let mut hits: Vec<_> = hits.collect();
    hits.sort_by_key(|(rank, _)| *rank);
    hits.into_iter().map(|(_, it)| it).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_key_means_two_things_in_one_place() {
        for screen in ALL {
            let mut seen = Vec::new();
            for key in KEYS.iter().filter(|it| it.screens.contains(screen)).flat_map(|it| it.keys) {
                assert!(!seen.contains(key), "{key} twice in {screen:?}");
                seen.push(key);
            }
        }
    }

    #[test]
    fn a_newcomer_finds_help_and_the_way_out_everywhere() {
        for screen in ALL {
            assert_eq!(action(*screen, "?"), Some(Action::Help), "{screen:?}");
            assert_eq!(action(*screen, "q"), Some(Action::Quit), "{screen:?}");
            assert_eq!(action(*screen, "esc"), Some(Action::Back), "{screen:?}");
            assert_eq!(action(*screen, "ctrl-c"), Some(Action::Quit), "{screen:?}");
        }
    }
}

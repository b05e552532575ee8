//! One box for both: the board narrows as one types, and below stands what was ever said.

use super::filter::Filter;
use super::input::Input;
use super::keys::{Action, Place};
use super::message::Ask;
use super::moving::{Step, step};
use super::paint::{Pen, left_right};
use super::state::State;
use super::text::{shown, span, wrapped};
use super::theme::{Ink, Theme};
use super::{board, reading};
use crate::cli::who;
use crate::terminal::{fit, pad};
use crate::when;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use taffrail_api::{SearchHit, SearchReply};
use taffrail_model::{EventId, SessionId};

/// Sessions of the board that are shown above the hits.
const SESSIONS: usize = 5;
/// From so many columns on, the turn stands to the right.
const WIDE: u16 = 120;

/// What is searched for, and what was found.
#[derive(Debug, Default)]
pub(crate) struct Search {
    pub(crate) input: Input,
    pub(crate) at: usize,
    sessions: Vec<SessionId>,
    hits: Vec<SearchHit>,
    /// What the hits are for.
    answered: Option<String>,
    asked: Option<String>,
    total: (u64, bool),
    why_not: Option<String>,
}

impl Search {
    /// The words that are searched for, in small letters.
    pub(crate) fn words(&self) -> Vec<String> {
        let words = self.input.text.split_whitespace().filter(|it| !it.contains(':'));
        let trimmed = words.map(|it| it.trim_matches(['"', '*']).to_lowercase());
        trimmed.filter(|it| !it.is_empty()).collect()
    }

    /// The session that is chosen among what was found.
    pub(crate) fn target(&self) -> Option<SessionId> {
        match self.sessions.get(self.at) {
            Some(id) => Some(*id),
            None => self.hit().map(|it| it.session_id),
        }
    }

    fn hit(&self) -> Option<&SearchHit> {
        self.hits.get(self.at.checked_sub(self.sessions.len())?)
    }
}

/// A query as a shell reads it as one word.
pub(crate) fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', "'\\''"))
}

/// The event to open a session at.
pub(crate) fn aim(state: &State) -> Option<EventId> {
    let here = state.place == Place::Search;
    state.search.hit().filter(|_| here).map(|it| it.event_id)
}

/// How much was found.
pub(crate) fn count(state: &State) -> usize {
    state.search.sessions.len() + state.search.hits.len()
}

/// Begins a search, with what was searched for before.
pub(crate) fn begin(state: &mut State) {
    if state.place != Place::Search {
        state.search.input = Input::default();
    }
    state.go(Place::Search);
    typed(state);
}

/// Takes a key; `false` if it is not one for the box.
pub(crate) fn press(state: &mut State, key: &str) -> bool {
    match key {
        "esc" => return false,
        "enter" => {
            state.log(Action::Search);
            reading::open(state);
        }
        "down" | "tab" | "ctrl-n" => step(state, Step::By(1)),
        "up" | "ctrl-p" => step(state, Step::By(-1)),
        "pagedown" => step(state, Step::Half(1)),
        "pageup" => step(state, Step::Half(-1)),
        key => {
            if state.search.input.press(key) {
                typed(state);
            }
        }
    }
    true
}

/// Something was typed: the board is narrowed at once, history is asked one question at a time.
pub(crate) fn typed(state: &mut State) {
    let filter = Filter::read(&state.search.input.text);
    state.search.at = 0;
    state.search.sessions = match filter.is_empty() {
        true => Vec::new(),
        false => {
            let fits = |id: &SessionId| {
                let session = state.fleet.get(*id);
                session.is_some_and(|it| filter.fits(it, state.fleet.doing(*id)))
            };
            state.fleet.order().filter(fits).take(SESSIONS).collect()
        }
    };
    ask(state);
}

fn ask(state: &mut State) {
    let text = state.search.input.text.trim().to_owned();
    let search = &mut state.search;
    if text.is_empty() {
        (search.hits, search.answered, search.total) = (Vec::new(), None, (0, false));
        return;
    }
    if search.asked.is_some() || search.answered.as_ref() == Some(&text) {
        return;
    }
    search.asked = Some(text.clone());
    state.ask(Ask::Search { query: text });
}

/// What is asked of the daemon: the last word may still be being typed.
pub(crate) fn query(text: &str) -> String {
    let is_open = text.chars().next_back().is_some_and(char::is_alphanumeric);
    let last = text.rsplit(' ').next().unwrap_or_default();
    let in_phrase = text.matches('"').count() % 2 == 1;
    let is_word = is_open && !last.contains([':', '"', '*']) && last.chars().count() > 1;
    if is_word && !in_phrase { format!("{text}*") } else { text.to_owned() }
}

/// What was found came; if something else was typed since, that is asked next.
pub(crate) fn found(state: &mut State, query: &str, reply: SearchReply) {
    state.came(&Ask::Search { query: query.to_owned() });
    let search = &mut state.search;
    search.asked = None;
    search.total = (reply.total, reply.total_is_at_least);
    search.hits = reply.hits;
    search.answered = Some(query.to_owned());
    search.why_not = None;
    search.at = search.at.min((search.sessions.len() + search.hits.len()).saturating_sub(1));
    ask(state);
}

/// The question was not understood.
pub(crate) fn refused(state: &mut State, query: &str, why: &str) {
    state.search.asked = None;
    state.search.answered = Some(query.to_owned());
    state.search.hits.clear();
    state.search.why_not = Some(why.to_owned());
    ask(state);
}

/// Draws it.
pub(crate) fn draw(state: &State, pen: &mut Pen<'_>) {
    let (width, height) = state.size;
    let theme = state.theme;
    let input = &state.search.input.text;
    let shown_input =
        crate::terminal::fit_end(&shown_typed(input), usize::from(width).saturating_sub(12));
    let column = 9 + unicode_width::UnicodeWidthStr::width(shown_input.as_str());
    pen.line(
        Rect::new(1, 1, width.saturating_sub(2), 1),
        &Line::from(vec![
            span("search  ", theme.style(Ink::Bold)),
            span(shown_input, theme.style(Ink::Plain)),
        ]),
    );
    pen.cursor = Some((u16::try_from(column).unwrap_or(0), 1));
    let body = Rect::new(0, 2, width, height.saturating_sub(3));
    if input.trim().is_empty() {
        hints(pen, body);
        return;
    }
    let is_wide = width >= WIDE;
    let list = list_area(state);
    list_of(state, pen, list);
    let turn = match is_wide {
        true => Rect { x: list.right() + 2, width: width - list.right() - 2, ..body },
        false => Rect {
            x: 1,
            y: list.bottom(),
            width: width.saturating_sub(2),
            height: body.height - list.height,
        },
    };
    if is_wide {
        pen.rule_down(Rect { x: list.right(), width: 1, ..list }, Ink::Dim);
    }
    turn_of(state, pen, turn);
}

fn list_area(state: &State) -> Rect {
    let (width, height) = state.size;
    let body = Rect::new(0, 2, width, height.saturating_sub(3));
    match width >= WIDE {
        true => Rect { width: width / 2, ..body },
        false => Rect { height: body.height - body.height.min(body.height * 2 / 5), ..body },
    }
}

/// What was found that stands on a row of the screen.
pub(crate) fn place_at(state: &State, (column, row): (u16, u16)) -> Option<usize> {
    let list = list_area(state);
    if !list.contains((column, row).into()) {
        return None;
    }
    let sessions = state.search.sessions.len();
    // Above the sessions stands a heading, if there are any, and one above what was said.
    let above = usize::from(sessions > 0);
    let line_of = |place: usize| place + above + usize::from(place >= sessions);
    let from = line_of(state.search.at).saturating_sub(usize::from(list.height).saturating_sub(2));
    let line = from + usize::from(row - list.y);
    (0..count(state)).find(|place| line_of(*place) == line)
}

/// What was typed, with blanks kept.
fn shown_typed(text: &str) -> String {
    crate::terminal::clean(text).replace('\n', " ")
}

fn hints(pen: &mut Pen<'_>, body: Rect) {
    let theme = pen.theme;
    let lines = [
        "",
        "Type words: the board narrows, and everything ever said is searched.",
        "",
        "\"exact words\"   a phrase",
        "agent:NAME      of one agent      project:NAME   in a folder",
        "since:7d        of late           kind:tool      calls and output",
        "",
        "Enter opens, arrows move, Esc goes back.",
    ];
    let lines: Vec<Line<'_>> = lines.map(|it| Line::from(span(it, theme.style(Ink::Dim)))).into();
    pen.lines(Rect { x: 9, width: body.width.saturating_sub(9), ..body }, &lines);
}

fn list_of(state: &State, pen: &mut Pen<'_>, area: Rect) {
    let theme = state.theme;
    let search = &state.search;
    let width = usize::from(area.width);
    let mut lines = Vec::new();
    let mut chosen_at = 0;
    if !search.sessions.is_empty() {
        lines.push((None, heading("ON THE BOARD", "", width, theme)));
    }
    for (number, id) in search.sessions.iter().enumerate() {
        let Some(session) = state.fleet.get(*id) else { continue };
        let chosen = number == search.at;
        lines.push((Some(chosen), board::row(state, session, width, chosen)));
    }
    lines.push((None, heading("SAID", &told(search), width, theme)));
    for (number, hit) in search.hits.iter().enumerate() {
        let chosen = number + search.sessions.len() == search.at;
        lines.push((Some(chosen), hit_line(state, hit, width, chosen)));
    }
    if let Some(at) = lines.iter().position(|(chosen, _)| *chosen == Some(true)) {
        chosen_at = at;
    }
    let height = usize::from(area.height);
    let from = chosen_at.saturating_sub(height.saturating_sub(2));
    for (number, (chosen, line)) in (0..area.height).zip(lines.iter().skip(from)) {
        let area = Rect { y: area.y + number, height: 1, ..area };
        if *chosen == Some(true) {
            pen.ground(area, theme.ground());
        }
        pen.line(area, line);
    }
}

fn heading(name: &str, told: &str, width: usize, theme: Theme) -> Line<'static> {
    let text = format!(" {name} {told}").trim_end().to_owned();
    let rule = width.saturating_sub(text.chars().count() + 1);
    Line::from(vec![
        span(format!("{text} "), theme.style(Ink::Heading)),
        span("─".repeat(rule), theme.style(Ink::Dim)),
    ])
}

fn told(search: &Search) -> String {
    match (&search.why_not, search.answered.as_ref()) {
        (Some(why), _) => shown(why),
        (None, None) => "…".to_owned(),
        (None, Some(_)) if search.hits.is_empty() => "(nothing)".to_owned(),
        (None, Some(_)) if search.total.1 => format!("(more than {})", search.total.0),
        (None, Some(_)) => format!("({})", search.total.0),
    }
}

fn hit_line(state: &State, hit: &SearchHit, width: usize, chosen: bool) -> Line<'static> {
    let theme = state.theme;
    let plain = theme.style(if chosen { Ink::Chosen } else { Ink::Plain });
    let project = hit.project_path.as_deref().unwrap_or("?").trim_end_matches('/');
    let project = shown(project.rsplit('/').next().unwrap_or(project));
    let mut spans = vec![
        span(if chosen { "▸  " } else { "   " }, plain),
        span(pad(&project, board::name_width(width)), plain),
        span(format!(" {} ", pad(who(&hit.kind), 9)), theme.style(Ink::Dim)),
    ];
    spans.extend(marked(hit, theme));
    let age = when::ago(hit.created_at, state.now);
    let right = Line::from(span(format!(" {age:>4}"), theme.style(Ink::Dim)));
    left_right(Line::from(spans), right, width)
}

/// The piece of text on one line, with what was found marked.
fn marked(hit: &SearchHit, theme: Theme) -> Vec<Span<'static>> {
    let characters: Vec<char> = hit.snippet.chars().collect();
    let piece = |from: usize, to: usize| {
        let text: String = characters.get(from..to).unwrap_or_default().iter().collect();
        let one_line = |it: char| if it.is_whitespace() { ' ' } else { it };
        crate::terminal::clean(&text).chars().map(one_line).collect::<String>()
    };
    let mut out = Vec::new();
    let mut last = 0;
    for [from, to] in &hit.matches {
        out.push(span(piece(last, *from), theme.style(Ink::Plain)));
        out.push(span(piece(*from, *to), theme.style(Ink::Found)));
        last = *to;
    }
    out.push(span(piece(last, characters.len()), theme.style(Ink::Plain)));
    out
}

/// The turn around what is chosen, with its date.
fn turn_of(state: &State, pen: &mut Pen<'_>, area: Rect) {
    let theme = state.theme;
    let width = usize::from(area.width);
    let Some(hit) = state.search.hit() else {
        let most = usize::from(area.height).saturating_sub(1);
        let lines = super::peek::short(state, width, most);
        pen.lines(Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area }, &lines);
        return;
    };
    let title = hit.title.as_deref().map(shown).unwrap_or_default();
    let head = format!("{} · {} · {title}", when::minute(hit.created_at), shown(&hit.agent));
    let rule = "─".repeat(width.saturating_sub(1));
    let mut lines = Vec::new();
    if area.x <= 1 {
        lines.push(Line::from(span(rule, theme.style(Ink::Dim))));
    }
    lines.push(Line::from(span(fit(&head, width), theme.style(Ink::Bold))));
    let words = state.search.words();
    for text in wrapped(&hit.snippet, width, usize::from(area.height)) {
        lines.push(highlighted(&text, &words, theme));
    }
    if hit.stale {
        let text = "its source is gone; this is what is remembered of its beginning";
        lines.push(Line::from(span(text, theme.style(Ink::Dim))));
    }
    pen.lines(area, &lines);
}

/// A line with every word that was searched for marked.
fn highlighted(text: &str, words: &[String], theme: Theme) -> Line<'static> {
    let mut spans = Vec::new();
    for (number, word) in text.split(' ').enumerate() {
        let small = word.to_lowercase();
        let ink = match words.iter().any(|it| small.contains(it.as_str())) {
            true => Ink::Found,
            false => Ink::Plain,
        };
        if number > 0 {
            spans.push(span(" ", theme.style(Ink::Plain)));
        }
        spans.push(span(word, theme.style(ink)));
    }
    Line::from(spans)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_word_being_typed_is_a_beginning() {
        let check = |text: &str, expected: &str| assert_eq!(query(text), expected);
        check("zzquok", "zzquok*");
        check("one tw", "one tw*");
        check("one t", "one t");
        check("one ", "one ");
        check("\"one tw", "\"one tw");
        check("agent:cla", "agent:cla");
        check("one*", "one*");
    }
}

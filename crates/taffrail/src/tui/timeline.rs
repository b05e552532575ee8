//! What time went to, one lane for each session, drawn to scale: turns, what was waited for, and gaps.

use super::message::Ask;
use super::paint::Pen;
use super::state::State;
use super::text::span;
use super::theme::{Ink, ink_of};
use crate::table;
use crate::terminal::pad;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use std::cmp::Reverse;
use taffrail_api::{Activity, Lane, Session, SpanRow};
use taffrail_model::status::Group;
use taffrail_model::{SessionId, Timestamp};

/// Minutes that can be on the screen.
const SPANS: [u32; 4] = [30, 120, 360, 24 * 60];
/// Columns of the names.
const NAMES: usize = 24;
/// What is new is asked for at most this often.
const AGAIN_MS: i64 = 10_000;
/// Lines above the lanes.
pub(crate) const ABOVE: u16 = 3;

/// Which time is on the screen, and what is known of it.
#[derive(Debug)]
pub(crate) struct Times {
    /// Minutes.
    pub(crate) span: u32,
    told: Option<(u32, Box<Activity>)>,
    is_stale: bool,
    asked_at: Option<Timestamp>,
}

impl Default for Times {
    fn default() -> Self {
        Self { span: 24 * 60, told: None, is_stale: false, asked_at: None }
    }
}

impl Times {
    /// Takes what that many minutes went to.
    pub(crate) fn take(&mut self, span: u32, activity: Box<Activity>) {
        self.told = Some((span, activity));
    }

    /// Something happened.
    pub(crate) fn disturb(&mut self) {
        self.is_stale = true;
    }

    /// What is known of a session in the time on the screen.
    fn lane(&self, id: SessionId) -> Option<&Lane> {
        let (_, told) = self.told.as_ref().filter(|it| it.0 == self.span)?;
        told.lanes.iter().find(|it| it.session.id == id)
    }
}

/// Less or more time on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Zoom {
    In,
    Out,
}

/// Shows less or more time.
pub(crate) fn zoom(state: &mut State, zoom: Zoom) {
    let at = SPANS.iter().position(|it| *it == state.times.span).unwrap_or_default();
    let next = match zoom {
        Zoom::In => at.checked_sub(1),
        Zoom::Out => at.checked_add(1),
    };
    if let Some(span) = next.and_then(|at| SPANS.get(at)) {
        state.times.span = *span;
        begin(state);
    }
}

/// Asks for what the time on the screen went to.
pub(crate) fn begin(state: &mut State) {
    state.times.is_stale = false;
    state.times.asked_at = Some(state.now);
    state.ask(Ask::Activity(state.times.span));
}

/// Asks again where something happened since.
pub(crate) fn look(state: &mut State) {
    let passed = |at: Timestamp| state.now.as_millisecond() - at.as_millisecond();
    let is_due = state.times.asked_at.is_none_or(|at| passed(at) >= AGAIN_MS);
    if state.times.is_stale && is_due {
        begin(state);
    }
}

/// The sessions of the time on the screen, the latest first.
pub(crate) fn lanes(state: &State) -> Vec<&Session> {
    let begin = Scale::of(state, 1).begin;
    let of_late = |it: &&Session| it.last_event_at.is_some_and(|at| at.as_millisecond() >= begin);
    let mut out: Vec<&Session> =
        state.fleet.all().filter(|it| it.parent_id.is_none()).filter(of_late).collect();
    out.sort_by_key(|it| (it.group, Reverse(it.last_event_at), it.id));
    out
}

/// The first lane on the screen, and how many there is room for.
pub(crate) fn window(state: &State) -> (usize, usize) {
    let room = usize::from(state.size.1.saturating_sub(ABOVE + 2));
    (state.list_at.saturating_sub(room.saturating_sub(1)), room)
}

/// Draws it.
pub(crate) fn draw(state: &State, pen: &mut Pen<'_>) {
    let (width, height) = state.size;
    let theme = state.theme;
    let lanes = lanes(state);
    let scale = Scale::of(state, usize::from(width).saturating_sub(NAMES + 2));
    let list = Rect::new(0, ABOVE, width, height.saturating_sub(ABOVE + 2));
    pen.line(Rect::new(0, 1, width, 1), &curve(state, &lanes, &scale));
    pen.line(Rect::new(0, 2, width, 1), &axis(state, scale.columns));
    if lanes.is_empty() {
        let line = Line::from(span("Nothing has happened in this time.", theme.style(Ink::Dim)));
        pen.line(Rect { x: 2, y: 4, height: 1, ..list }, &line);
    }
    let (from, room) = window(state);
    let shown = lanes.iter().enumerate().skip(from).take(room);
    for (y, (place, session)) in (list.y..).zip(shown) {
        let area = Rect { y, height: 1, ..list };
        let chosen = place == state.list_at;
        if chosen {
            pen.ground(area, theme.ground());
        }
        pen.line(area, &lane(state, session, &scale, chosen));
    }
    pen.line(Rect::new(0, list.bottom(), width, 1), &legend(state));
}

/// What a column of a lane shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cell {
    /// Before it began, or after its last event.
    Nothing,
    /// Between turns.
    Gap,
    /// A turn begins in it.
    Begins,
    Model,
    Tool,
    Human,
}

impl Cell {
    fn sign(self) -> (char, Ink) {
        match self {
            Self::Nothing => (' ', Ink::Plain),
            Self::Gap => ('·', Ink::Dim),
            Self::Begins => ('┣', Ink::Running),
            Self::Model => ('━', Ink::Running),
            Self::Tool => ('═', Ink::YourTurn),
            Self::Human => ('▓', Ink::Approval),
        }
    }
}

/// Time on columns.
#[derive(Debug)]
struct Scale {
    begin: i64,
    end: i64,
    columns: usize,
}

impl Scale {
    fn of(state: &State, columns: usize) -> Self {
        let end = state.now.as_millisecond();
        Self { begin: end - i64::from(state.times.span) * 60_000, end, columns: columns.max(1) }
    }

    /// The column of an instant; the last one holds now.
    fn column(&self, at: i64) -> usize {
        let passed = at.clamp(self.begin, self.end) - self.begin;
        let columns = i64::try_from(self.columns).unwrap_or(1);
        let column = passed * columns / (self.end - self.begin).max(1);
        usize::try_from(column).unwrap_or(0).min(self.columns - 1)
    }

    /// The columns of a stretch that is at least partly in sight.
    fn range(&self, from: i64, to: i64) -> Option<std::ops::RangeInclusive<usize>> {
        (to >= self.begin).then(|| self.column(from)..=self.column(to))
    }

    /// When a column begins.
    fn at(&self, column: usize) -> i64 {
        let (column, columns) = (i64::try_from(column), i64::try_from(self.columns));
        let passed = (self.end - self.begin) * column.unwrap_or(0) / columns.unwrap_or(1).max(1);
        self.begin + passed
    }
}

/// The columns of a session's lane.
fn cells(state: &State, session: &Session, scale: &Scale) -> Vec<Cell> {
    let mut out = vec![Cell::Nothing; scale.columns];
    let last = session.last_event_at.unwrap_or(state.now).as_millisecond();
    let first = session.started_at.map_or(last, Timestamp::as_millisecond);
    paint(&mut out, scale.range(first, last), Cell::Gap);
    let known = state.times.lane(session.id).map(|it| it.spans.as_slice()).unwrap_or_default();
    let mut all = known.to_vec();
    let now = going_on(state, session);
    all.extend(now.clone());
    let mut most = vec![0_i64; scale.columns];
    for it in &all {
        for column in scale.range(it.from, it.to).into_iter().flatten() {
            let (from, to) = (scale.at(column), scale.at(column + 1));
            // What is too short for a column counts, too.
            let took = (it.to.min(to) - it.from.max(from)).max(1);
            if let (Some(most), Some(cell)) = (most.get_mut(column), out.get_mut(column))
                && took > *most
            {
                (*most, *cell) = (took, doing(&it.doing));
            }
        }
    }
    begin_turns(&mut out, &all, scale);
    // What it is at now is seen, however short that is yet.
    if let Some(now) = now {
        paint(&mut out, scale.range(now.to, now.to), doing(&now.doing));
    }
    out
}

fn doing(word: &str) -> Cell {
    match word {
        "tool" => Cell::Tool,
        "human" => Cell::Human,
        _ => Cell::Model,
    }
}

fn paint(cells: &mut [Cell], range: Option<std::ops::RangeInclusive<usize>>, with: Cell) {
    for column in range.into_iter().flatten() {
        if let Some(cell) = cells.get_mut(column) {
            *cell = with;
        }
    }
}

/// What it is at now has no end yet.
fn going_on(state: &State, session: &Session) -> Option<SpanRow> {
    let doing = match session.group {
        Group::NeedsYou => "human",
        Group::Working => "model",
        Group::YourTurn | Group::Idle | Group::Done => return None,
    };
    let (from, to) = (session.status_since?.as_millisecond(), state.now.as_millisecond());
    Some(SpanRow { from, to, doing: doing.to_owned() })
}

/// A turn begins where nothing went on before. Turns too close to be told apart are one.
fn begin_turns(cells: &mut [Cell], spans: &[SpanRow], scale: &Scale) {
    let mut before = None;
    for it in spans {
        let begins = before.is_none_or(|to| to < it.from);
        before = Some(it.to);
        let column = scale.column(it.from);
        let is_new = |at: usize| !matches!(cells.get(at), Some(Cell::Begins));
        if begins && it.from >= scale.begin && (column == 0 || is_new(column - 1)) {
            paint(cells, Some(column..=column), Cell::Begins);
        }
    }
}

fn lane(state: &State, session: &Session, scale: &Scale, chosen: bool) -> Line<'static> {
    let theme = state.theme;
    let plain = theme.style(if chosen { Ink::Chosen } else { Ink::Plain });
    let name = pad(&table::project(session), NAMES - 12);
    let agent = pad(table::short(&session.agent), 8);
    let mut spans = vec![
        span(if chosen { "▸" } else { " " }, plain),
        span(format!("{} ", table::shape(session)), theme.style(ink_of(session))),
        span(format!("{name} "), plain),
        span(agent, theme.style(Ink::Dim)),
    ];
    spans.extend(drawn(state, &cells(state, session, scale)));
    Line::from(spans)
}

/// Columns as text; those alike are one piece.
fn drawn(state: &State, cells: &[Cell]) -> Vec<Span<'static>> {
    cells
        .chunk_by(|a, b| a == b)
        .filter_map(|alike| {
            let (sign, ink) = alike.first()?.sign();
            Some(span(sign.to_string().repeat(alike.len()), state.theme.style(ink)))
        })
        .collect()
}

/// How many sessions were at something at each time.
fn curve(state: &State, lanes: &[&Session], scale: &Scale) -> Line<'static> {
    const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let mut counts = vec![0_usize; scale.columns];
    for session in lanes {
        for (count, cell) in counts.iter_mut().zip(cells(state, session, scale)) {
            *count += usize::from(!matches!(cell, Cell::Nothing | Cell::Gap));
        }
    }
    let most = counts.iter().copied().max().unwrap_or_default().max(1);
    let bar = |count: &usize| BARS.get((count * 8).div_ceil(most)).copied().unwrap_or('█');
    let bars: String = counts.iter().map(bar).collect();
    let label = pad(&format!(" at once, at most {most}"), NAMES);
    Line::from(vec![
        span(label, state.theme.style(Ink::Dim)),
        span(bars, state.theme.style(Ink::Running)),
    ])
}

/// How long ago, in six steps.
fn axis(state: &State, columns: usize) -> Line<'static> {
    let mut text: Vec<char> = vec!['─'; columns];
    let step = state.times.span / 6;
    let mut put = |at: usize, word: &str| {
        for (cell, character) in text.iter_mut().skip(at).zip(word.chars()) {
            *cell = character;
        }
    };
    for number in 0..6_u32 {
        let ago = state.times.span - number * step;
        let word =
            if step.is_multiple_of(60) { format!("{}h", ago / 60) } else { format!("{ago}m") };
        put(usize::try_from(number).unwrap_or(0) * columns / 6, &word);
    }
    put(columns.saturating_sub(3), "now");
    let text: String = text.into_iter().collect();
    Line::from(span(format!("{}{text}", " ".repeat(NAMES)), state.theme.style(Ink::Dim)))
}

fn legend(state: &State) -> Line<'static> {
    let told = [
        (Cell::Begins, "a turn begins"),
        (Cell::Model, "model"),
        (Cell::Tool, "tools"),
        (Cell::Human, "waits for you"),
        (Cell::Gap, "between turns"),
    ];
    let mut spans = vec![span(" ", state.theme.style(Ink::Plain))];
    for (cell, words) in told {
        let (sign, ink) = cell.sign();
        spans.push(span(sign.to_string(), state.theme.style(ink)));
        spans.push(span(format!(" {words}   "), state.theme.style(Ink::Dim)));
    }
    Line::from(spans)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::samples;
    use crate::tui::tests::Desk;
    use serde_json::json;

    /// The lane of a session of the last half hour, a minute a column.
    fn check(spans: &[(i64, i64, &str)], fields: &serde_json::Value, expected: &str) {
        let mut fields = fields.clone();
        fields["started_at"] = json!("2026-11-15T11:30:00Z");
        fields["last_event_at"] = json!("2026-11-15T11:55:00Z");
        let session = samples::session(1, &fields);
        let begin = samples::now().as_millisecond() - 30 * 60_000;
        let row = |(from, to, doing): &(i64, i64, &str)| SpanRow {
            from: begin + from * 60_000,
            to: begin + to * 60_000,
            doing: (*doing).to_owned(),
        };
        let lane = Lane { session: session.clone(), spans: spans.iter().map(row).collect() };
        let (since, until) = (samples::now(), samples::now());
        let (lanes, hours) = (vec![lane], Vec::new());
        let activity = Activity { schema_version: 1, since, until, lanes, more: false, hours };
        let mut desk = Desk::with((80, 24), vec![session.clone()], Vec::new());
        desk.state.now = samples::now();
        desk.state.times = Times { span: 30, ..Times::default() };
        desk.state.times.take(30, Box::new(activity));
        let scale = Scale::of(&desk.state, 30);
        let got: String =
            cells(&desk.state, &session, &scale).iter().map(|it| it.sign().0).collect();
        assert_eq!(got, expected, "{spans:?}");
    }

    #[test]
    fn time_is_drawn_to_scale() {
        let done = json!({});
        check(&[], &done, "··························    ");
        let turn = [(0, 4, "model"), (4, 9, "tool"), (9, 15, "human"), (15, 17, "model")];
        check(&turn, &done, "┣━━━═════▓▓▓▓▓▓━━━········    ");
        check(&[(0, 2, "model"), (20, 25, "model")], &done, "┣━━·················┣━━━━━    ");
        // What is going on has no end yet.
        let waits = json!({"group": "needs_you", "status": "waiting_approval",
            "status_since": "2026-11-15T11:50:00Z"});
        check(&[(18, 20, "model")], &waits, "··················┣━▓▓▓▓▓▓▓▓▓▓");
    }
}

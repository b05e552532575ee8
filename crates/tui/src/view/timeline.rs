//! The timeline: one lane per session, drawn to scale, with turns, waits and gaps.

use crate::paint::Painter;
use crate::paint::text::span;
use crate::paint::theme::{Ink, ink_of};
use crate::state::State;
use crate::state::timeline::lanes;
use crate::table;
use crate::terminal::pad;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use taffrail_api::{Lane, Session, SpanRow};
use taffrail_model::Timestamp;
use taffrail_model::status::Group;

/// Columns of the names.
const NAMES: usize = 24;

/// Lines above the lanes.
pub(crate) const ABOVE: u16 = 3;

/// The first visible lane, and how many fit.
pub(crate) fn window(state: &State) -> (usize, usize) {
    let room = usize::from(state.size.1.saturating_sub(ABOVE + 2));
    (state.list_at.saturating_sub(room.saturating_sub(1)), room)
}

/// Draws the timeline.
pub(crate) fn draw(state: &State, painter: &mut Painter<'_>) {
    let (width, height) = state.size;
    let theme = state.theme;
    let lanes = lanes(state);
    let scale = Scale::of(state, usize::from(width).saturating_sub(NAMES + 2));
    let list = Rect::new(0, ABOVE, width, height.saturating_sub(ABOVE + 2));
    painter.line(Rect::new(0, 1, width, 1), &curve(state, &lanes, &scale));
    painter.line(Rect::new(0, 2, width, 1), &axis(state, scale.columns));
    if lanes.is_empty() {
        let line = Line::from(span("Nothing has happened in this time.", theme.style(Ink::Dim)));
        painter.line(Rect { x: 2, y: 4, height: 1, ..list }, &line);
    }
    let (from, room) = window(state);
    let shown = lanes.iter().enumerate().skip(from).take(room);
    for (y, (place, session)) in (list.y..).zip(shown) {
        let area = Rect { y, height: 1, ..list };
        let chosen = place == state.list_at;
        if chosen {
            painter.background(area, theme.background());
        }
        painter.line(area, &lane(state, session, &scale, chosen));
    }
    painter.line(Rect::new(0, list.bottom(), width, 1), &legend(state));
}

/// What a column of a lane shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Cell {
    /// Before the session started, or after its last event.
    Nothing,
    /// Between turns.
    Gap,
    /// A turn begins here.
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

/// Maps time to columns.
#[derive(Debug)]
struct Scale {
    begin: i64,
    end: i64,
    columns: usize,
}

impl Scale {
    fn of(state: &State, columns: usize) -> Self {
        let end = state.now.as_millisecond();
        Self { begin: state.times.begin(state.now), end, columns: columns.max(1) }
    }

    /// The column of an instant; the last one contains now.
    fn column(&self, at: i64) -> usize {
        let passed = at.clamp(self.begin, self.end) - self.begin;
        let columns = i64::try_from(self.columns).unwrap_or(1);
        let column = passed * columns / (self.end - self.begin).max(1);
        usize::try_from(column).unwrap_or(0).min(self.columns - 1)
    }

    /// The columns of a span that is at least partly visible.
    fn range(&self, from: i64, to: i64) -> Option<std::ops::RangeInclusive<usize>> {
        (to >= self.begin).then(|| self.column(from)..=self.column(to))
    }

    /// The start of a column.
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
            // A span too short for a column counts, too.
            let took = (it.to.min(to) - it.from.max(from)).max(1);
            if let (Some(most), Some(cell)) = (most.get_mut(column), out.get_mut(column))
                && took > *most
            {
                (*most, *cell) = (took, doing(&it.doing));
            }
        }
    }
    begin_turns(&mut out, &all, scale);
    // The current activity is visible, however short it is.
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

/// The current activity, which has no end yet.
fn going_on(state: &State, session: &Session) -> Option<SpanRow> {
    let doing = match session.group {
        Group::NeedsYou => "human",
        Group::Working => "model",
        Group::YourTurn | Group::Failed | Group::Idle | Group::Done => return None,
    };
    let (from, to) = (session.status_since?.as_millisecond(), state.now.as_millisecond());
    Some(SpanRow { from, to, doing: doing.to_owned() })
}

/// A turn begins after a gap. Turns too close to be distinguished are merged.
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

/// Renders columns as text; equal ones form one span.
fn drawn(state: &State, cells: &[Cell]) -> Vec<Span<'static>> {
    cells
        .chunk_by(|a, b| a == b)
        .filter_map(|alike| {
            let (sign, ink) = alike.first()?.sign();
            Some(span(sign.to_string().repeat(alike.len()), state.theme.style(ink)))
        })
        .collect()
}

/// How many sessions were active at each time. The maximum is that of the whole day, so that the
/// scale does not depend on the zoom. ratatui's `Sparkline` rounds one of many down to nothing.
fn curve(state: &State, lanes: &[&Session], scale: &Scale) -> Line<'static> {
    const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let now = |it: &Session| going_on(state, it);
    let shown = lanes.iter().map(|it| (state.times.lane(it.id), now(it)));
    let steps = steps(shown.map(|(lane, now)| at_work(lane, now)));
    let day = state.times.widest().iter().map(|it| (Some(it), now(&it.session)));
    let most = self::steps(day.map(|(lane, now)| at_work(lane, now)));
    let most = most.iter().chain(&steps).map(|it| it.2).max().unwrap_or_default().max(1);
    let mut counts = vec![0_usize; scale.columns];
    for (from, to, count) in steps {
        for column in scale.range(from, to - 1).into_iter().flatten() {
            if let Some(it) = counts.get_mut(column) {
                *it = count.max(*it);
            }
        }
    }
    let bar = |count: &usize| BARS.get((count * 8).div_ceil(most)).copied().unwrap_or('█');
    let bars: String = counts.iter().map(bar).collect();
    let label = pad(&format!(" at most {most} at once"), NAMES);
    Line::from(vec![
        span(label, state.theme.style(Ink::Dim)),
        span(bars, state.theme.style(Ink::Running)),
    ])
}

/// When one session was active: adjacent spans are merged.
fn at_work(lane: Option<&Lane>, now: Option<SpanRow>) -> Vec<(i64, i64)> {
    let known = lane.map(|it| it.spans.as_slice()).unwrap_or_default();
    let spans = known.iter().cloned().chain(now);
    let mut all: Vec<(i64, i64)> = spans.map(|it| (it.from, it.to.max(it.from + 1))).collect();
    all.sort_unstable();
    let mut out: Vec<(i64, i64)> = Vec::with_capacity(all.len());
    for (from, to) in all {
        match out.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => out.push((from, to)),
        }
    }
    out
}

/// How many sessions were active, from when to when.
fn steps(sessions: impl Iterator<Item = Vec<(i64, i64)>>) -> Vec<(i64, i64, usize)> {
    // At the same instant, ends come before beginnings.
    let mut edges: Vec<(i64, bool)> =
        sessions.flatten().flat_map(|(from, to)| [(from, true), (to, false)]).collect();
    edges.sort_unstable();
    let mut count = 0_usize;
    let mut out = Vec::with_capacity(edges.len());
    for (edge, next) in edges.iter().zip(edges.iter().skip(1)) {
        count = if edge.1 { count + 1 } else { count.saturating_sub(1) };
        if count > 0 && edge.0 < next.0 {
            out.push((edge.0, next.0, count));
        }
    }
    out
}

/// The axis: how long ago, in six steps.
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
    let words = [
        (Cell::Begins, "a turn begins"),
        (Cell::Model, "model"),
        (Cell::Tool, "tools"),
        (Cell::Human, "waits for you"),
        (Cell::Gap, "between turns"),
    ];
    let mut spans = vec![span(" ", state.theme.style(Ink::Plain))];
    for (cell, words) in words {
        let (sign, ink) = cell.sign();
        spans.push(span(sign.to_string(), state.theme.style(ink)));
        spans.push(span(format!(" {words}   "), state.theme.style(Ink::Dim)));
    }
    Line::from(spans)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use crate::state::message::{Answer, Message};
    use crate::state::timeline::Times;
    use crate::tests::Desk;
    use serde_json::json;
    use taffrail_api::Activity;

    /// The lane of a session in the last half hour, one minute per column.
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

    /// A day with these spans, each of its own session, in minutes before now.
    fn day(stretches: &[(i64, i64)]) -> (Vec<Session>, Box<Activity>) {
        let now = samples::now().as_millisecond();
        let lanes: Vec<Lane> = (1..)
            .zip(stretches)
            .map(|(number, (from, to))| {
                let session = samples::session(number, &json!({}));
                let at = |minutes: &i64| now - minutes * 60_000;
                let doing = "model".to_owned();
                Lane { session, spans: vec![SpanRow { from: at(from), to: at(to), doing }] }
            })
            .collect();
        let (since, until, hours) = (samples::now(), samples::now(), Vec::new());
        let sessions = lanes.iter().map(|it| it.session.clone()).collect();
        let activity = Activity { schema_version: 1, since, until, lanes, more: false, hours };
        (sessions, Box::new(activity))
    }

    fn bars(desk: &Desk) -> usize {
        desk.screen().matches(['━', '┣']).count()
    }

    /// Replies arrive in any order; the screen stays correct, whichever comes last.
    #[test]
    fn two_quick_zooms_do_not_leave_the_timeline_blank() {
        let (sessions, activity) = day(&[(25, 2), (20, 5)]);
        let mut desk = Desk::with((80, 24), sessions, Vec::new());
        desk.state.now = samples::now();
        let tell = |desk: &mut Desk, span| {
            let activity = activity.clone();
            desk.tell(Message::Answer(Answer::Activity { span, activity }));
        };
        desk.press(&["4"]);
        tell(&mut desk, 1440);
        desk.press(&["+", "+"]);
        // Bars and their legend, before more data arrived.
        assert!(bars(&desk) > 4, "{}", desk.screen());
        tell(&mut desk, 120);
        tell(&mut desk, 360);
        assert!(bars(&desk) > 4, "{}", desk.screen());
    }

    #[test]
    fn how_many_were_at_once_does_not_depend_on_the_zoom() {
        // Two overlap; the third begins when the second ends.
        let (sessions, activity) = day(&[(25, 10), (20, 15), (15, 2)]);
        let mut desk = Desk::with((80, 24), sessions, Vec::new());
        desk.state.now = samples::now();
        desk.press(&["4"]);
        desk.tell(Message::Answer(Answer::Activity { span: 1440, activity }));
        for _ in 0..4 {
            assert!(desk.screen().contains("at most 2 at once"), "{}", desk.screen());
            desk.press(&["+"]);
        }
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

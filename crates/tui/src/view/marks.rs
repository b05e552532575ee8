//! The dialog for the requests of all marked sessions.

use crate::paint::text::span;
use crate::paint::theme::Ink;
use crate::paint::{Painter, middle};
use crate::state::State;
use crate::state::marks::Many;
use crate::table;
use crate::view::help::{COLUMNS, prompt};
use crate::view::peek;
use ratatui::layout::Rect;
use ratatui::text::Line;
use taffrail_api::{Allowed, ApprovalRow};
use taffrail_model::approval::State as ApprovalState;

pub(crate) fn rows(state: &State, many: &Many) -> Vec<ApprovalRow> {
    let open = state.approvals.iter().filter(|it| it.state == ApprovalState::Pending);
    open.filter(|it| many.requests.contains(&it.id)).cloned().collect()
}

/// The requests, each in full, with its session.
pub(crate) fn commands(state: &State, many: &Many) -> Vec<Line<'static>> {
    let theme = state.theme;
    let width = usize::from(COLUMNS.min(state.size.0)).saturating_sub(4);
    let mut out = Vec::new();
    for row in rows(state, many) {
        let name = state.sessions.get(row.session_id).map_or("?".to_owned(), table::project);
        let mut head = vec![span(name, theme.style(Ink::Plain))];
        if row.risk == "high" {
            head.push(span(" risky", theme.style(Ink::Approval)));
        }
        out.push(Line::from(head));
        out.extend(peek::command(&row.command, theme, width, usize::MAX));
    }
    out
}

/// Draws the dialog.
pub(crate) fn draw(state: &State, painter: &mut Painter<'_>, screen: Rect, many: &Many) {
    let dim = state.theme.style(Ink::Dim);
    let lines = commands(state, many);
    let count = many.requests.len();
    let (title, more) = match many.decision {
        Allowed::Allow => (format!("Approve {count}"), 2),
        Allowed::Deny => (format!("Deny {count}"), 5),
    };
    let high = u16::try_from(lines.len() + more + 2).unwrap_or(screen.height);
    let inside = painter.frame(middle(screen, COLUMNS, high), &title);
    painter.lines(inside, &lines);
    let below = inside.y + u16::try_from(lines.len()).unwrap_or(0) + 1;
    let at = |y: u16| Rect { y, height: 1, ..inside };
    match many.decision {
        Allowed::Allow => {
            let keys = format!("y approve all {count} · any other key cancels");
            painter.line(at(below), &Line::from(span(keys, dim)));
        }
        Allowed::Deny => {
            let told = "What the agents receive; may be empty:";
            painter.line(at(below), &Line::from(span(told, dim)));
            prompt(painter, at(below + 1), "› ", &many.input.text);
            let keys = format!("Enter deny all {count} · Esc cancel");
            painter.line(at(below + 3), &Line::from(span(keys, dim)));
        }
    }
}

//! Three lines for a new user: what was found on this machine, and what is still to be set up.

use crate::paint::Painter;
use crate::paint::text::span;
use crate::paint::theme::Ink;
use crate::state::State;
use crate::state::welcome::{Service, Welcome};
use crate::terminal::{fit, shown};
use ratatui::layout::Rect;
use ratatui::text::Line;
use taffrail_api::{AgentRow, HookRow, HookState};

/// Its height, including the rule above.
const LINES: u16 = 4;

/// Smaller screens have no room for it beside the groups.
const LEAST: u16 = 18;

/// Its current height.
pub(crate) fn height(state: &State) -> u16 {
    if state.welcome.is_some() && state.size.1 >= LEAST { LINES } else { 0 }
}

/// Draws the welcome.
pub(crate) fn draw(state: &State, painter: &mut Painter<'_>, area: Rect) {
    let Some(welcome) = state.welcome.as_ref().filter(|_| area.height > 0) else { return };
    let theme = state.theme;
    let width = usize::from(area.width).saturating_sub(2);
    let title = " WELCOME TO TAFFRAIL ";
    let rule = usize::from(area.width).saturating_sub(title.len());
    let mut lines = vec![Line::from(vec![
        span(title, theme.style(Ink::Heading)),
        span("─".repeat(rule), theme.style(Ink::Dim)),
    ])];
    for text in says(state, welcome) {
        lines.push(Line::from(span(format!(" {}", fit(&text, width)), theme.style(Ink::Plain))));
    }
    painter.lines(area, &lines);
}

fn says(state: &State, welcome: &Welcome) -> [String; 3] {
    let Some((agents, hooks)) = &welcome.machine else {
        let doing = match state.reads {
            Some(it) => {
                format!("Reading your history, the newest sessions first: {} %.", it.percent)
            }
            None => "Looking for coding agents on this machine …".to_owned(),
        };
        return [
            doing,
            "You can use the board meanwhile: arrows move, Enter opens, / searches.".to_owned(),
            "? shows all keys, Esc hides this.".to_owned(),
        ];
    };
    [found(agents), hooked(hooks), served(welcome.service)]
}

fn found(agents: &[AgentRow]) -> String {
    let found: Vec<String> = agents
        .iter()
        .filter(|it| it.sessions > 0)
        .map(|it| format!("{} ({})", shown(&it.label), it.sessions))
        .collect();
    match found.as_slice() {
        [] => "No coding agent has any history on this machine yet.".to_owned(),
        found => format!("Sessions found: {}.", found.join(", ")),
    }
}

fn hooked(hooks: &[HookRow]) -> String {
    let of = |wanted: &[HookState]| -> Vec<String> {
        let rows = hooks.iter().filter(|it| wanted.contains(&it.state));
        let mut labels: Vec<String> = rows.map(|it| shown(&it.label)).collect();
        labels.dedup();
        labels
    };
    let missing = of(&[HookState::Absent, HookState::Partly, HookState::OtherProgram]);
    let installed = of(&[HookState::Installed]);
    match (missing.as_slice(), installed.as_slice()) {
        ([], []) => "No agent here needs hooks.".to_owned(),
        ([], all) => format!("Hooks are installed for {}.", all.join(", ")),
        (some, _) => format!("No hooks yet for {}: run `taffrail setup`.", some.join(", ")),
    }
}

fn served(service: Service) -> String {
    let says = match service {
        Service::Installed => "The daemon starts when you log in.",
        Service::Absent => "The daemon does not start at login: run `taffrail setup`.",
    };
    format!("{says} Esc hides this.")
}

#[cfg(test)]
mod tests {
    use crate::samples;
    use crate::state::message::{Answer, Ask, Effect, Message, News};
    use crate::state::welcome::{Service, Welcome};
    use crate::tests::Desk;
    use serde_json::json;

    fn newcomer(service: Service) -> Desk {
        let mut desk = Desk::new((80, 24));
        desk.state.welcome = Some(Welcome { service, machine: None });
        let reading = Some(taffrail_api::HistoryProgress::new(1, 3));
        desk.tell(Message::News(News::All(vec![samples::working()], reading)));
        desk
    }

    fn machine(hooks: [&str; 2]) -> Message {
        let agent = |id: &str, label: &str, sessions: u32| json!({"id": id, "label": label, "homes": [], "sessions": sessions, "resume_by_id": true});
        let agents = [
            agent("claude-code", "Claude Code", 87),
            agent("codex", "Codex", 36),
            agent("goose", "Goose", 0),
        ];
        let row = |(label, state): (&str, &str)| {
            json!({"agent": "x", "label": label, "state": state, "home": null, "file": null, "program": null,
                "missing": [], "notes": []})
        };
        let hooks = [("Claude Code", hooks[0]), ("Codex", hooks[1])].map(row);
        Message::Answer(Answer::Machine {
            agents: serde_json::from_value(json!(agents)).unwrap(),
            hooks: serde_json::from_value(json!(hooks)).unwrap(),
        })
    }

    #[test]
    fn a_newcomer_is_told_what_was_found_and_what_to_set_up() {
        let mut desk = newcomer(Service::Absent);
        let screen = desk.screen();
        assert!(screen.contains("the newest sessions first: 33 %"), "{screen}");
        assert!(!desk.asked.contains(&Ask::Machine), "nothing is counted before it is read");
        desk.tell(Message::News(News::All(vec![samples::working()], None)));
        assert!(desk.asked.contains(&Ask::Machine));
        desk.tell(machine(["absent", "installed"]));
        let screen = desk.screen();
        for words in [
            "Sessions found: Claude Code (87), Codex (36).",
            "No hooks yet for Claude Code: run `taffrail setup`.",
            "The daemon does not start at login",
        ] {
            assert!(screen.contains(words), "no {words}:\n{screen}");
        }
        let mut desk = newcomer(Service::Installed);
        desk.tell(Message::News(News::All(vec![samples::working()], None)));
        desk.tell(machine(["installed", "no_home"]));
        let screen = desk.screen();
        for words in ["Hooks are installed for Claude Code.", "The daemon starts when you log in."]
        {
            assert!(screen.contains(words), "no {words}:\n{screen}");
        }
    }

    #[test]
    fn it_goes_with_escape_and_does_not_come_back() {
        let mut desk = newcomer(Service::Absent);
        desk.press(&["esc"]);
        assert!(!desk.screen().contains("WELCOME"), "{}", desk.screen());
        assert_eq!(desk.effects, [Effect::Welcomed]);
        // A user who quits before anything was found has not read it.
        let mut desk = newcomer(Service::Absent);
        desk.press(&["q"]);
        assert_eq!(desk.effects, [Effect::Quit]);
        let mut desk = newcomer(Service::Absent);
        desk.tell(machine(["absent", "absent"]));
        desk.press(&["q"]);
        assert_eq!(desk.effects, [Effect::Welcomed, Effect::Quit]);
    }
}

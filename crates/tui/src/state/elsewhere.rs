//! What the board does not do on another host: it shows that host, and runs nothing there or here for it.

use crate::state::State;
use crate::state::host::{Access, Host};
use crate::state::keys::Action;

/// Why an action is not for the host that is shown; `None` if it is.
pub(crate) fn refusal(state: &State, action: Action) -> Option<String> {
    let Host { name, access, by_hand, to_answer } = state.host.as_ref()?;
    match (action, access) {
        (Action::Approve | Action::Deny, Access::Answer) => None,
        (Action::Approve | Action::Deny, Access::Read) => {
            Some(format!("{name} is only shown; to answer: {to_answer}"))
        }
        (
            Action::Resume
            | Action::Send
            | Action::Handoff
            | Action::New
            | Action::Stop
            | Action::Interrupt
            | Action::Editor,
            _,
        ) => Some(format!("this board only shows {name}; there: {by_hand} taffrail")),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples;
    use crate::state::message::{Ask, Effect};
    use crate::tests::Desk;

    fn desk(access: Access) -> Desk {
        let requests = vec![samples::request("npm test", "low")];
        let mut desk = Desk::with((100, 30), vec![samples::approval()], requests);
        desk.state.host = Some(Host {
            name: "tower".to_owned(),
            access,
            by_hand: "ssh -t tower".to_owned(),
            to_answer: "taffrail link ssh://tower --answer".to_owned(),
        });
        desk.pass(1_000);
        desk
    }

    #[test]
    fn a_host_that_is_only_shown_gets_no_answer() {
        for key in ["a", "d"] {
            let mut desk = desk(Access::Read);
            desk.press(&[key, "enter"]);
            assert!(desk.decisions().is_empty(), "{key}");
            desk.press(&[key]);
            assert!(
                desk.screen().contains("to answer: taffrail link ssh://tower --answer"),
                "{}",
                desk.screen()
            );
        }
    }

    #[test]
    fn with_the_right_to_answer_a_request_is_answered() {
        let mut desk = desk(Access::Answer);
        desk.press(&["a"]);
        assert_eq!(desk.decisions().len(), 1);
    }

    #[test]
    fn nothing_runs_here_or_there_for_a_session_of_another_host() {
        for access in [Access::Read, Access::Answer] {
            for key in ["s", "r", "H", "c", "i", "X", "o", "enter"] {
                let mut desk = desk(access);
                desk.asked.clear();
                desk.press(&[key]);
                let acts = |it: &Ask| {
                    matches!(
                        it,
                        Ask::Resume(_)
                            | Ask::Handoff(_)
                            | Ask::New { .. }
                            | Ask::Send { .. }
                            | Ask::Interrupt(_)
                            | Ask::Choose { .. }
                    )
                };
                assert!(!desk.asked.iter().any(acts), "{key}: {:?}", desk.asked);
                let runs = |it: &Effect| matches!(it, Effect::Run(_) | Effect::Edit(_));
                assert!(!desk.effects.iter().any(runs), "{key}: {:?}", desk.effects);
            }
        }
    }

    #[test]
    fn the_header_names_the_host_and_what_the_board_may_do() {
        assert!(
            desk(Access::Read).screen().starts_with(" taffrail on tower, read-only"),
            "{}",
            desk(Access::Read).screen()
        );
        assert!(desk(Access::Answer).screen().starts_with(" taffrail on tower "));
    }

    #[test]
    fn a_lost_host_is_named_with_the_reason_and_found_again() {
        use crate::state::message::{Message, News};
        let mut desk = desk(Access::Read);
        desk.tell(Message::News(News::Lost("Connection refused".to_owned())));
        let screen = desk.screen();
        assert!(screen.contains("tower does not answer; connecting again"), "{screen}");
        assert!(screen.contains("Connection refused"), "{screen}");
        assert!(!screen.contains("daemon"), "{screen}");
        desk.tell(Message::News(News::All(vec![samples::working()], None)));
        assert!(!desk.screen().contains("does not answer"), "{}", desk.screen());
    }

    #[test]
    fn the_commands_that_do_the_same_run_there() {
        let mut desk = desk(Access::Read);
        desk.press(&["e"]);
        let log = desk.state.log.last().cloned().unwrap_or_default();
        assert!(log.starts_with("ssh -t tower 'taffrail explain "), "{log}");
    }
}

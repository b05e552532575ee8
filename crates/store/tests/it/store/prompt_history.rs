//! The prompts of a prompt history count where no other source has their session, in whatever order
//! sources are read.

use crate::store::builder::{Desk, Piece, Said, piece, said, who};
use taffrail_model::{Lifecycle, Origin};

/// A prompt in the history; the keys of the transcript are below 100.
fn kept(key: u32) -> Said {
    Said { key: 100 + key, kind: 0, second: i64::from(key) * 10, text: 1 }
}

fn history(keys: &[u32]) -> Piece {
    let records: Vec<_> = keys.iter().map(|key| kept(*key)).collect();
    let piece = piece("h", &who("s")).saying(&records);
    let piece = piece.source(|it| it.locator = "prompts:agent/history.jsonl".to_owned());
    piece.events(|it| it.origin = Origin::PromptHistory)
}

fn transcript() -> Piece {
    piece("t", &who("s")).saying(&[said(0), said(1), said(2), said(3)])
}

/// A hook that carried a prompt.
fn journal() -> Piece {
    let hooked = Said { key: 200, kind: 0, second: 0, text: 2 };
    let piece = piece("j", &who("s")).saying(&[hooked]);
    let piece = piece.source(|it| it.locator = "journal:agent/2026-11-15.jsonl".to_owned());
    piece.events(|it| it.origin = Origin::Hook)
}

#[test]
fn a_session_of_which_only_prompts_are_left() {
    let mut desk = Desk::new();
    desk.write(&[history(&[0, 4])]);
    let row = desk.session(&who("s"));
    assert_eq!((row.turns, row.prompts, row.tool_calls), (2, 2, 0));
    assert_eq!(row.lifecycle, Lifecycle::PromptsOnly);
    assert_eq!(desk.live(&who("s")), [100, 104]);
    let counted = |second| desk.reader().count_prompts_only(crate::store::builder::at(second));
    assert_eq!(counted(39).unwrap(), (0, 0), "its transcript may be late");
    assert_eq!(counted(40).unwrap(), (1, 2));
    assert_eq!(desk.reader().count_sessions().unwrap(), (0, 0));
}

#[test]
fn one_prompt_is_counted_once_whichever_source_comes_first() {
    let orders = [
        vec![vec![history(&[0])], vec![transcript()]],
        vec![vec![transcript()], vec![history(&[0])]],
        vec![vec![history(&[0]), transcript()]],
        vec![vec![transcript(), history(&[0])]],
        vec![vec![history(&[0])], vec![transcript()], vec![history(&[0]).again()]],
        vec![vec![history(&[0])], vec![journal()], vec![transcript()]],
        vec![vec![transcript()], vec![journal()], vec![history(&[0]).again()]],
    ];
    for order in orders {
        let mut desk = Desk::new();
        for batch in &order {
            desk.write(batch);
        }
        let row = desk.session(&who("s"));
        assert_eq!((row.turns, row.prompts, row.tool_calls), (1, 1, 1), "{}", order.len());
        assert_eq!(row.lifecycle, Lifecycle::Resumable, "{}", order.len());
        assert_eq!(desk.live(&who("s")), [0, 1, 2, 3], "{}", order.len());
    }
}

#[test]
fn what_a_hook_carried_counts_for_more() {
    for order in [[history(&[0]), journal()], [journal(), history(&[0])]] {
        let mut desk = Desk::new();
        for piece in order {
            desk.write(&[piece]);
        }
        assert_eq!(desk.live(&who("s")), [200]);
        assert_eq!(desk.session(&who("s")).lifecycle, Lifecycle::Detached);
    }
}

#[test]
fn what_a_prompt_history_no_longer_holds_stays() {
    let mut desk = Desk::new();
    desk.write(&[history(&[0, 4])]);
    desk.write(&[history(&[4, 8]).again()]);
    assert_eq!(desk.live(&who("s")), [100, 104, 108]);
}

#[test]
fn a_transcript_that_loses_the_session_leaves_it_to_its_prompts() {
    let mut desk = Desk::new();
    desk.write(&[transcript(), history(&[0])]);
    assert!(!desk.source("h").half_read);
    desk.write(&[piece("t", &who("other")).again().saying(&[said(3)])]);
    assert!(desk.source("h").half_read, "the prompt history is read again");
    desk.write(&[history(&[0]).again()]);
    assert_eq!(desk.live(&who("s")), [100]);
    assert_eq!(desk.session(&who("s")).lifecycle, Lifecycle::PromptsOnly);
}

//! What hooks carried counts where no transcript says it, in whatever order sources are read.

use crate::store::builder::{Desk, Piece, Said, at, id_of, piece, said, who};
use taffrail_model::Origin;

/// A prompt that a hook carried; the keys of the transcript are below 100.
fn hooked(key: u32) -> Said {
    Said { key: 100 + key, kind: key, second: i64::from(key) * 10, text: 1 }
}

/// The journal with everything that hooks carried: a prompt, an answer, a call, a result.
fn journal() -> Piece {
    let piece = piece("j", &who("s")).saying(&[hooked(0), hooked(1), hooked(2), hooked(3)]);
    let piece = piece.source(|it| it.locator = "journal:agent/2026-11-15.jsonl".to_owned());
    piece.events(|it| it.origin = Origin::Hook)
}

fn transcript() -> Piece {
    piece("t", &who("s")).saying(&[said(0), said(1), said(2), said(3)])
}

#[test]
fn a_session_known_by_hooks_alone_has_its_prompts_and_calls() {
    let mut desk = Desk::new();
    desk.write(&[journal()]);
    let row = desk.session(&who("s"));
    assert_eq!((row.turns, row.prompts, row.tool_calls), (1, 1, 1));
    assert_eq!(desk.live(&who("s")), [100, 101, 102, 103]);
}

#[test]
fn one_prompt_is_counted_once_whichever_source_comes_first() {
    let orders = [
        vec![vec![journal()], vec![transcript()]],
        vec![vec![transcript()], vec![journal()]],
        vec![vec![journal(), transcript()]],
        vec![vec![transcript(), journal()]],
        vec![
            vec![journal()],
            vec![transcript()],
            vec![journal().again()],
            vec![transcript().again()],
        ],
    ];
    for order in orders {
        let mut desk = Desk::new();
        for batch in &order {
            desk.write(batch);
        }
        let row = desk.session(&who("s"));
        assert_eq!((row.turns, row.prompts, row.tool_calls), (1, 1, 1), "{}", order.len());
        assert_eq!(desk.live(&who("s")), [0, 1, 2, 3], "{}", order.len());
    }
}

#[test]
fn a_transcript_that_lost_its_prompts_leaves_them_to_the_hooks() {
    let mut desk = Desk::new();
    desk.write(&[transcript(), journal()]);
    desk.write(&[piece("t", &who("s")).again().saying(&[said(3)])]);
    assert!(desk.source("j").half_read, "the journal is read again");
    desk.write(&[journal().again()]);
    assert_eq!(desk.live(&who("s")), [100, 101, 102, 3, 103]);
    let mut desk = Desk::new();
    desk.write(&[transcript(), journal()]);
    desk.write(&[piece("t", &who("s")).from(400).removing(&[0])]);
    assert!(desk.source("j").half_read, "the journal is read again after a retraction");
}

#[test]
fn an_event_is_found_by_its_kind_and_time() {
    let mut desk = Desk::new();
    desk.write(&[piece("t", &who("s")).saying(&[said(0), said(4), said(8), said(6)])]);
    let (reader, row) = (desk.reader(), desk.session(&who("s")).row);
    let last = |kind: &str, until: i64| {
        let found = reader.last_of_kind(row, &kind.into(), at(until)).unwrap();
        found.map(|it| it.id)
    };
    assert_eq!(last("user.prompt", 79), Some(id_of(&who("s"), 4)));
    assert_eq!(last("user.prompt", 80), Some(id_of(&who("s"), 8)));
    assert_eq!(last("tool.call", 59), None);
    assert_eq!(last("tool.call", 60), Some(id_of(&who("s"), 6)));
}

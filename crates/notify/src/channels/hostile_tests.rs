//! Foreign text stays text on every channel.

use super::desktop::{Numbered, told};
use super::osc::sequence;
use super::{Message, Osc, Platform, document};
use taffrail_model::approval::ApprovalId;
use taffrail_model::findings::{Finding, FindingKind};
use taffrail_model::notices::{
    Act, Fold, Notice, Quiet, SessionView, WINDOW_MS, Wishes, occasions,
};
use taffrail_model::status::{Reading, Status, WaitingFor, WaitingKind};
use taffrail_model::{AgentId, Confidence, RuntimeIdentity, Timestamp};
use taffrail_testkit::hostile::{payloads, raw};

fn reading(status: Status, kind: WaitingKind, text: &str) -> Reading {
    Reading {
        status,
        since: Timestamp::UNIX_EPOCH,
        confidence: Confidence::High,
        waiting_for: Some(WaitingFor::new(kind, text.to_owned())),
        rule: taffrail_model::status::StatusRule::NothingKnown,
        rests_on: Vec::new(),
        until: None,
        failure: None,
    }
}

/// Notices of a session in which every foreign field has this text.
fn notices(payload: &str) -> Vec<Notice> {
    let session = RuntimeIdentity::new(AgentId::new("parrot"), "", "s").session();
    let text = payload.to_owned();
    let requests = [(ApprovalId::new("a1"), "high".to_owned(), text.clone())];
    let finding = Finding {
        kind: FindingKind::Finished,
        session_id: session,
        since: Timestamp::UNIX_EPOCH,
        confidence: Confidence::High,
        evidence: Vec::new(),
        says: text,
        proposes: None,
    };
    let asks = reading(Status::WaitingApproval, WaitingKind::Approval, payload);
    let question = reading(Status::Waiting, WaitingKind::Question, payload);
    let told = |reading: &Reading, findings: &[Finding]| {
        let seen = SessionView {
            session,
            label: payload,
            reading,
            requests: &requests,
            findings,
            turn: None,
        };
        let mut fold = Fold::default();
        fold.take(session, occasions(&seen, &Wishes::default()), Timestamp::UNIX_EPOCH);
        let now = Timestamp::from_millisecond(WINDOW_MS).unwrap();
        let acts = fold.step(now, Quiet::No, &|_| false);
        let told = |act| match act {
            Act::Tell(notice) => Some(notice),
            Act::Withdraw(_) => None,
        };
        acts.into_iter().filter_map(told).collect::<Vec<_>>()
    };
    let finished = [finding];
    [told(&asks, &[]), told(&question, &[]), told(&question, &finished)].concat()
}

#[test]
fn no_payload_reaches_a_channel_raw() {
    let payloads = payloads();
    assert!(payloads.len() >= 150, "{}", payloads.len());
    for payload in payloads {
        let notices = notices(&payload);
        assert!(notices.len() >= 3, "{payload:?}");
        for notice in notices {
            let mut texts = told(Platform::Freedesktop, &notice, Numbered::Yes);
            texts.extend(told(Platform::Mac, &notice, Numbered::Yes));
            texts.push(document::json(&Message::Told(notice.clone())));
            texts.push(document::json(&Message::Withdrawn(notice.clone())));
            texts.push(super::web_push::document(&Message::Told(notice.clone())).to_string());
            texts.extend([notice.title.clone(), notice.body.clone()]);
            // Between its first and last bytes a sequence is text, and has the expected number of
            // fields.
            for (osc, first, last, fields) in [
                (Osc::Osc9, "\u{1b}]9;", "\u{7}", 1),
                (Osc::Osc777, "\u{1b}]777;notify;", "\u{1b}\\", 2),
            ] {
                let text = sequence(osc, &notice);
                let inside = text.strip_prefix(first).and_then(|it| it.strip_suffix(last));
                let inside = inside.unwrap_or_else(|| panic!("{payload:?}: {text:?}"));
                assert_eq!(inside.split(';').count(), fields, "{payload:?}: {inside:?}");
                texts.push(inside.to_owned());
            }
            for text in texts {
                assert_eq!(raw(&text), None, "{payload:?}: {text:?}");
                assert!(text.chars().count() < 2_000, "{payload:?}: {} characters", text.len());
            }
        }
    }
}

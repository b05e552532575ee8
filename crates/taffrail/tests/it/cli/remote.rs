//! A session of another device, as that device published it.

use taffrail_model::replication::{self, Relayed, RelayedEvent, RelayedFacts, Says};
use taffrail_model::{AgentId, Confidence, EventId, Kind, Origin, RuntimeIdentity, TurnId};
use taffrail_testkit::Home;

/// Writes what `laptop` published; returns the session's id.
pub(crate) fn lay(home: &Home) -> String {
    let who = RuntimeIdentity::new(AgentId::new("codex"), "", "far-away");
    let facts = RelayedFacts {
        project: Some("lexer".to_owned()),
        branch: Some("main".to_owned()),
        ..RelayedFacts::default()
    };
    let says = [
        Says::Facts(who.clone(), Box::new(facts)),
        Says::Event(who.clone(), Box::new(event(1, Kind::UserPrompt, Some("speed the lexer up")))),
        Says::Event(who.clone(), Box::new(event(2, Kind::AssistantMessage, None))),
    ];
    let numbered = says.into_iter().zip(1..).map(|(says, number)| Relayed { number, says });
    let lines: Vec<_> = numbered.map(|it| it.write() + "\n").collect();
    let file = replication::file(who.session());
    home.write(&format!(".local/share/taffrail/remote/laptop/{file}"), lines.concat());
    who.session().to_string()
}

fn event(number: u8, kind: Kind, text: Option<&str>) -> RelayedEvent {
    RelayedEvent {
        id: EventId::from_bytes([number; 16]),
        opens: kind == Kind::UserPrompt,
        kind,
        part: 0,
        at: format!("2026-10-02T09:00:0{number}Z").parse().unwrap(),
        turn: Some(TurnId::from_bytes([1; 16])),
        ends: false,
        failed: false,
        parent: None,
        label: None,
        signal: None,
        confidence: Confidence::High,
        origin: Origin::Transcript,
        source_event_id: None,
        detail: serde_json::Map::new(),
        kept: text.is_none(),
        text: text.map(str::to_owned),
    }
}

//! Agents that write the transcripts of Claude Code in another place.

use super::reader;
use taffrail_kit::{Agent, Begins, Descriptor, Encoding, Ids, Reads, Shape, Store};

/// An agent with these stores of transcripts, to start from.
pub(crate) const fn agent(descriptor: &'static Descriptor, stores: &'static [Store]) -> Agent {
    Agent { known: super::SPOKEN_OF, ..Agent::new(descriptor, stores) }
}

/// A store of transcripts. Its pattern names `{project}` and the `{session}`, or the `{parent}` and its
/// `{worker}`; a `{worker}` without them is a sub-agent whose records name its parent.
pub(crate) const fn store(path: &'static str) -> Store {
    let (ids, begins) = (Ids::Everywhere, Begins::WithRecord);
    Store { ids, begins, ..Store::of(path, SHAPE, Reads::Bytes(reader::read)) }
}

const SHAPE: Shape = Shape::Lines(Encoding::Plain);

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use taffrail_kit::{Adapter, Source};
    use taffrail_model::{
        AgentId, Cursor, Draft, EventId, Facts, NewUsage, Record, RuntimeIdentity, Sink, TurnId,
    };

    static TWIN: Agent = agent(
        &Descriptor { id: "twin", ..Descriptor::NOTHING },
        &[
            store("local_{local}/{project}/{session}.jsonl"),
            store("local_{local}/{project}/{parent}/agent-{worker}.jsonl"),
            store("{project}/agent-{worker}.jsonl"),
        ],
    );

    struct Deaf;

    impl Sink for Deaf {
        fn event(&mut self, _: &RuntimeIdentity, _: Draft<'_>) {}
        fn remove(&mut self, _: &RuntimeIdentity, _: EventId) {}
        fn remove_turn(&mut self, _: &RuntimeIdentity, _: TurnId) {}
        fn usage(&mut self, _: &RuntimeIdentity, _: NewUsage) {}
        fn unknown(&mut self, _: &str, _: Option<&str>) {}
    }

    /// What is known after one record, with the desktop program's description of the session.
    fn facts(path: &str, beside: &[(String, Vec<u8>)]) -> Vec<(RuntimeIdentity, Facts)> {
        let source = Source { path, key: "", scope: "", beside, written: None };
        let mut reader = TWIN.reader(&source, None);
        let bytes = br#"{"type":"mode","uuid":"u1","sessionId":"s1","cwd":"/w"}"#;
        let at = Cursor::Bytes { byte_offset: 0, length: 0 };
        reader.read(&Record { bytes, at }, &mut Deaf);
        reader.facts()
    }

    fn who(scope: &str, id: &str) -> RuntimeIdentity {
        RuntimeIdentity::new(AgentId::new("twin"), scope, id)
    }

    #[test]
    fn a_twin_keeps_its_own_identity() {
        let worker = Facts {
            project_path: Some("/w".to_owned()),
            parent: Some(who("", "s1")),
            ..Facts::default()
        };
        for path in ["local_1/-w/s1/agent-a1.jsonl", "-w/agent-a1.jsonl"] {
            assert_eq!(facts(path, &[]), [(who("s1", "a1"), worker.clone())], "{path}");
        }
    }

    #[test]
    fn the_desktop_program_gives_project_title_and_start() {
        let meta = json!({"userSelectedFolders": ["/home/me/app"], "title": "Fix it", "createdAt": 1_794_733_200_000_u64});
        let beside = [("x/local_1.json".to_owned(), meta.to_string().into_bytes())];
        let known = facts("local_1/-w/s1.jsonl", &beside).pop().unwrap().1;
        let title = known.title.map(|it| it.text);
        assert_eq!(
            (known.project_path.as_deref(), title.as_deref()),
            (Some("/home/me/app"), Some("Fix it"))
        );
        assert_eq!(known.started_at.unwrap().to_string(), "2026-11-15T09:00:00Z");
    }
}

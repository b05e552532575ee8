//! The events of one session of another device.

use std::borrow::Cow;
use taffrail_kit::Reader;
use taffrail_model::replication::{self, Relayed, RelayedEvent, RelayedFacts, Says};
use taffrail_model::{
    Detail, Draft, Facts, Record, RecordKey, RuntimeIdentity, SessionId, Signal, Sink,
};

/// Marks an event whose text stays on its device.
const KEPT: &str = "kept";

/// Reads the lines of one session.
pub(super) struct LineReader {
    /// The session of the file.
    session: Option<SessionId>,
    /// The device that shared it; `None` if it came from a device of the same user.
    shared_by: Option<String>,
    known: Option<(RuntimeIdentity, Facts)>,
}

impl LineReader {
    pub(super) fn new(path: &str, saved: Option<&str>) -> Self {
        let known = saved.and_then(|it| serde_json::from_str(it).ok());
        let teller = replication::path(path);
        let shared = teller.filter(|it| it.share.is_some());
        let shared_by = shared.map(|it| it.device.to_owned());
        Self { session: teller.map(|it| it.session), shared_by, known }
    }

    /// The session's identity on this device.
    fn here(&self, who: RuntimeIdentity) -> RuntimeIdentity {
        match &self.shared_by {
            Some(device) => replication::as_shared(device, &who),
            None => who,
        }
    }

    /// The facts that this device accepts.
    fn believed(&self, facts: RelayedFacts) -> Facts {
        let facts = if self.shared_by.is_some() { facts.shared() } else { facts };
        facts.meant().bounded()
    }
}

impl Reader for LineReader {
    fn read(&mut self, record: &Record<'_>, sink: &mut dyn Sink) {
        let Some(relayed) = Relayed::read(record.bytes) else {
            return sink.unknown("line/unreadable", None);
        };
        if relayed.says.who().map(RuntimeIdentity::session) != self.session {
            return sink.unknown("line/of another session", None);
        }
        match relayed.says {
            Says::Facts(who, facts) => {
                self.known = Some((self.here(who), self.believed(*facts)));
            }
            Says::Event(who, event) => sink.event(&self.here(who), draft(&event)),
            Says::Removed(who, id) => sink.remove(&self.here(who), id),
            Says::Usage(who, usage) => match usage.meant() {
                Some(usage) => sink.usage(&self.here(who), usage),
                None => sink.unknown("line/usage", None),
            },
            // The receiver of a withdrawal removes the file itself.
            Says::Gone => {}
        }
    }

    fn facts(&self) -> Vec<(RuntimeIdentity, Facts)> {
        self.known.clone().into_iter().collect()
    }

    fn save(&self) -> String {
        self.known.as_ref().and_then(|it| serde_json::to_string(it).ok()).unwrap_or_default()
    }
}

fn draft(event: &RelayedEvent) -> Draft<'_> {
    let source = event.source_event_id.as_deref().map(Cow::Borrowed);
    let key = RecordKey::Given { id: event.id, source };
    let mut fields = event.detail.clone();
    if event.kept {
        fields.insert(KEPT.to_owned(), true.into());
    }
    Draft {
        at: Some(event.at),
        turn: event.turn,
        opens_turn: event.opens,
        ends_turn: event.ends,
        parent: event.parent,
        text: event.text.as_deref().map(Cow::Borrowed),
        detail: Detail::Told {
            label: event.label.as_deref().map(Cow::Borrowed),
            failed: event.failed,
            fields,
        },
        confidence: event.confidence.clone(),
        origin: event.origin.clone(),
        signal: event.signal.as_deref().map(Signal::parse),
        ..Draft::new(key, event.part, event.kind.clone())
    }
}

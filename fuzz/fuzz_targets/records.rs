//! A file of lines through every adapter: as a source of its own, as payloads of hooks, and as a journal.
#![no_main]

use libfuzzer_sys::fuzz_target;
use std::hint::black_box;
use taffrail_adapters::{Adapter, Reader, Source, all};
use taffrail_model::{Cursor, Draft, EventId, NewUsage, Record, RuntimeIdentity, Sink, TurnId};

struct Ear;

impl Sink for Ear {
    fn event(&mut self, who: &RuntimeIdentity, draft: Draft<'_>) {
        black_box(EventId::of(who.session(), &draft.key, draft.part));
        black_box(draft.detail.to_json());
    }
    fn remove(&mut self, _: &RuntimeIdentity, _: EventId) {}
    fn remove_turn(&mut self, _: &RuntimeIdentity, _: TurnId) {}
    fn usage(&mut self, _: &RuntimeIdentity, _: NewUsage) {}
    fn unknown(&mut self, _: &str, _: Option<&str>) {}
}

fn read(reader: &mut dyn Reader, records: &[&[u8]]) {
    for bytes in records {
        let at = Cursor::Bytes { byte_offset: 0, length: bytes.len() as u64 };
        reader.read(&Record { bytes, at }, &mut Ear);
    }
    black_box((reader.facts(), reader.save()));
}

fn hooks(adapter: &dyn Adapter, payload: &str) {
    let Some(desk) = adapter.approval_plan() else { return };
    black_box(((desk.request)(payload), (desk.call)(payload)));
    black_box(adapter.status_line().and_then(|it| (it.mark)(payload)));
}

fuzz_target!(|input: &[u8]| {
    let lines: Vec<&[u8]> = input.split(|it| *it == b'\n').collect();
    for adapter in all() {
        let source = Source { path: "projects/-w/s.jsonl", key: "s", scope: "", beside: &[] };
        read(adapter.reader(&source, None).as_mut(), &lines);
        read(adapter.reader(&source, None).as_mut(), &[input]);
        read(adapter.journal().as_mut(), &lines);
        for line in lines.iter().filter_map(|it| std::str::from_utf8(it).ok()) {
            hooks(*adapter, line);
        }
    }
});

//! Reads texts back, and notices when a record has changed.

use crate::capture::world::{Place, World, files, fixtures, output, prompt, transcript};
use taffrail_capture::{Body, BodyError, Reference, Sources, Want};
use taffrail_model::observed::NewEvent;
use taffrail_model::text::{TOOL_TEXT_BYTES, excerpt};
use taffrail_model::{AgentId, EventId, Kind};

pub(crate) fn references(world: &World) -> Vec<(NewEvent, Reference)> {
    let home = world.folder.path().canonicalize().unwrap().to_str().unwrap().to_owned();
    let reference = |place: &Place, event: &NewEvent| Reference {
        agent: AgentId::new(world.adapter().descriptor().id),
        home: home.clone(),
        path: place.0.clone(),
        key: place.1.clone(),
        cursor: event.cursor.clone(),
        raw: event.raw,
        want: Want { source_event_id: event.source_event_id.clone(), part: event.part },
    };
    let one = |((place, _), event): (&(Place, EventId), &NewEvent)| {
        (event.clone(), reference(place, event))
    };
    world.events.iter().map(one).collect()
}

pub(crate) fn bodies(world: &World) -> Vec<Result<Body, BodyError>> {
    let mut sources = Sources::new(Box::new(|_| None));
    references(world).iter().map(|(_, reference)| sources.body(reference)).collect()
}

fn one(text: &str) -> World {
    let mut world = World::new("claude-code");
    world.put(&transcript("s1"), [prompt(1, text), prompt(2, "the end")].concat());
    world.run();
    assert_eq!(world.events.len(), 2);
    world
}

#[test]
fn every_event_of_every_agent_is_read_back() {
    for (agent, home) in fixtures() {
        let mut world = World::new(agent);
        for (path, bytes) in files(&home) {
            world.put(&path, bytes);
        }
        world.run();
        // The fixtures of databases and of folders are rows.
        let is_history =
            |path: &str| world.adapter().prompt_history().is_some_and(|it| it.path == path);
        let is_source = |path: &str| is_history(path) || world.adapter().place(path).is_some();
        let only_rows = !files(&home).iter().any(|(path, _)| is_source(path));
        assert_eq!(world.events.is_empty(), only_rows, "{}", home.display());
        let mut sources = Sources::new(Box::new(|_| None));
        for (event, reference) in references(&world) {
            let body = sources.body(&reference).unwrap_or_else(|error| {
                panic!("{}: {event:?}: {error}", home.display());
            });
            let text = body.text.as_deref().map(excerpt).unwrap_or_default();
            assert_eq!(text, event.excerpt, "{}", home.display());
        }
    }
}

#[test]
fn a_text_is_given_as_it_was_said() {
    let text =
        format!("  two\n\nlines, \"quotes\", \u{1f389} and {} words ", "many ".repeat(20_000));
    let world = one(&text);
    let said = bodies(&world).into_iter().map(|it| it.unwrap().text.unwrap());
    assert!(said.into_iter().any(|it| it == text));
}

#[test]
fn changed_bytes_are_never_shown() {
    let world = one("hello");
    let path = transcript("s1");
    let text = std::fs::read_to_string(world.path(&path)).unwrap();
    world.put(&path, text.replace("hello", "jello").replace("the end", "the owl"));
    for body in bodies(&world) {
        assert!(matches!(body, Err(BodyError::Changed)), "{body:?}");
    }
}

#[test]
fn a_file_that_was_cut_or_is_gone_is_an_error() {
    let world = one("hello");
    let path = transcript("s1");
    world.put(&path, "{");
    assert!(bodies(&world).into_iter().all(|it| matches!(it, Err(BodyError::Io(_)))));
    std::fs::remove_file(world.path(&path)).unwrap();
    assert!(bodies(&world).into_iter().all(|it| matches!(it, Err(BodyError::Io(_)))));
    std::os::unix::fs::symlink("/etc/hostname", world.path(&path)).unwrap();
    assert!(bodies(&world).into_iter().all(|it| matches!(it, Err(BodyError::Io(_)))));
}

#[test]
fn an_event_the_record_does_not_make_is_not_said() {
    let world = one("hello");
    let (_, mut reference) = references(&world).remove(0);
    reference.want.part = 7;
    assert!(matches!(Sources::new(Box::new(|_| None)).body(&reference), Err(BodyError::NotSaid)));
}

#[test]
fn a_long_tool_output_is_cut_and_says_so() {
    let check = |length: usize, truncated: bool| {
        let mut world = World::new("claude-code");
        let text = "é".repeat(length / 2);
        world.put(&transcript("s1"), output(1, &text));
        world.run();
        let (event, reference) = references(&world).remove(0);
        assert_eq!(event.kind, Kind::ToolResult);
        let body = Sources::new(Box::new(|_| None)).body(&reference).unwrap();
        let shown = body.text.unwrap();
        assert!(text.starts_with(&shown));
        assert_eq!(shown.len(), length.min(TOOL_TEXT_BYTES));
        assert_eq!(body.data.contains_key("truncated"), truncated, "{length}");
        if truncated {
            assert_eq!(body.data["full_bytes"], length);
        }
    };
    check(100, false);
    check(TOOL_TEXT_BYTES, false);
    check(TOOL_TEXT_BYTES + 2, true);
    check(200_000, true);
}

#[test]
fn a_compressed_source_is_read_back_in_any_order() {
    let path = "rollout-2026-10-01T10-00-00-01a10000-0000-7000-8000-000000000001.jsonl";
    let (_, home) = fixtures()
        .into_iter()
        .find(|(_, home)| home.ends_with("first_turn_paginated/home"))
        .unwrap();
    let bytes = std::fs::read(home.join("sessions/2026/10/01").join(path)).unwrap();
    let mut world = World::new("codex");
    let packed = format!("archived_sessions/{path}.zst");
    world.put(&packed, zstd::encode_all(bytes.as_slice(), 3).unwrap());
    world.run();
    // Sorted by id, which is an arbitrary order.
    let all = bodies(&world);
    assert!(!all.is_empty() && all.iter().all(Result::is_ok), "{all:?}");
    world.put(&packed, zstd::encode_all(&bytes[..10], 3).unwrap());
    assert!(bodies(&world).iter().all(Result::is_err));
}

#[test]
fn images_are_read_back_from_the_records_that_hold_them() {
    let (_, home) = fixtures()
        .into_iter()
        .find(|(_, home)| home.ends_with("images_and_refusals/home"))
        .unwrap();
    let mut world = World::new("codex");
    for (path, bytes) in files(&home) {
        world.put(&path, bytes);
    }
    world.run();
    let mut sources = Sources::new(Box::new(|_| None));
    let mut found = Vec::new();
    for (event, reference) in references(&world) {
        let image = sources.image(&reference, 0).unwrap();
        found.extend(image.map(|it| (event.kind.as_str().to_owned(), it.media_type, it.base64)));
        assert_eq!(sources.image(&reference, 1).unwrap(), None);
    }
    found.sort();
    let of = |kind: &str| (kind.to_owned(), "image/png".to_owned(), "iVBORw0KGgo=".to_owned());
    assert_eq!(found, [of("notice"), of("tool.result")]);
}

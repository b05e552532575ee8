//! A watcher of the journal without notifications.

use super::*;
use std::sync::RwLock;
use std::sync::mpsc::channel;
use taffrail_approvals::{Said, take_down};
use taffrail_capture::journal_homes;
use taffrail_context::Settings;
use taffrail_ingest::CapturePolicy;
use taffrail_ingest::watcher::WatcherMessage;
use taffrail_model::Timestamp;
use taffrail_store::Writer;
use tempfile::TempDir;

const PAYLOAD: &str =
    r#"{"session_id":"s-1","hook_event_name":"SessionStart","cwd":"/w","source":"startup"}"#;
const PATIENCE: Duration = Duration::from_secs(30);

#[test]
fn what_a_look_at_everything_gathers_from_hooks_is_read_by_it() {
    let folder = TempDir::new().unwrap();
    let settings = Settings::in_folder(folder.path(), || Timestamp::UNIX_EPOCH);
    make_folders(&settings.data).unwrap();
    let said = Said {
        agent: "claude-code",
        payload: PAYLOAD.as_bytes(),
        at: (settings.now)(),
        nonce: "one".to_owned(),
        pid: std::process::id(),
        user_home: None,
        variable: |_| None,
    };
    take_down(&settings.data, said).unwrap();
    let writer = Writer::open(&settings.data, settings.boot()).unwrap();
    let rules = Arc::new(CapturePolicy::of(&settings, &writer).unwrap());
    let (wakes, woken) = channel();
    let homes = journal_homes(&settings.data);
    let given = WatcherConfig {
        settings: Arc::new(settings),
        rules: Arc::new(RwLock::new(rules)),
        device: "device".to_owned(),
        send: to_loop(wakes),
        state: None,
        budget: 64,
    };
    let _watcher = watcher::open(0, homes, given).unwrap();
    let looked = std::iter::from_fn(|| woken.recv_timeout(PATIENCE).ok()).find_map(|it| match it {
        LoopMessage::Watcher(WatcherMessage::Report(_, looked)) if looked.whole => Some(looked),
        _ => None,
    });
    assert_eq!(looked.map(|it| (it.read, it.problems)), Some((1, Vec::new())));
}

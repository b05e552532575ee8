//! `taffrail link`: two commands bring a second device in, and a code lets in nobody else.

use crate::hub::PROGRAM;
use crate::hub::world::{Hub, daemon, files, look, over_each, seen, word, write};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use taffrail_testkit::Home;
use taffrail_testkit::hubs::NatsServer;

/// What two commands may take, of which a person's time is the most.
const MINUTE: Duration = Duration::from_secs(60);

/// A device that waits for another one; it never outlives the test.
struct Waiting {
    child: Child,
    code: String,
    words: String,
}

impl Waiting {
    /// Runs `taffrail link` with these words until it prints its code.
    fn start(home: &Home, words: &[&str]) -> Self {
        let words = [&["link", "--yes", "--json"], words].concat();
        let mut child = home.command(&words).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        let told: Value = serde_json::from_str(&line).unwrap_or_else(|_| panic!("no code: {line}"));
        Self { child, code: word(&told, "code").to_owned(), words: word(&told, "words").to_owned() }
    }

    /// What it printed after its code.
    fn rest(&mut self) -> Value {
        let mut line = String::new();
        BufReader::new(self.child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    /// The exit code, when it has ended.
    fn end(&mut self) -> Option<i32> {
        look("the first device to end", || self.child.try_wait().unwrap()).code()
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        // It may have ended already.
        self.child.kill().ok();
        self.child.wait().ok();
    }
}

fn join(home: &Home, code: &str, name: &str) -> taffrail_testkit::Output {
    home.run(&["link", code, "--name", name, "--yes", "--json"])
}

fn names(home: &Home) -> Vec<String> {
    let told = home.json(&["device", "ls", "--json"]);
    let all = told["devices"].as_array().unwrap().iter();
    let mut names: Vec<_> = all.map(|it| word(it, "name").to_owned()).collect();
    names.sort();
    names
}

fn device_folder(home: &Home) -> std::path::PathBuf {
    home.path(".local/share/taffrail/device")
}

fn config(home: &Home) -> String {
    std::fs::read_to_string(home.path(".config/taffrail/config.toml")).unwrap()
}

#[test]
fn from_two_empty_homes_to_a_session_of_one_on_the_board_of_the_other() {
    over_each(|hub| {
        let (laptop, tower) = (Home::new(PROGRAM), Home::new(PROGRAM));
        let begun = Instant::now();
        let mut first = Waiting::start(&laptop, &["--hub", &hub.url(), "--name", "laptop"]);
        let second = join(&tower, &first.code, "tower");
        assert_eq!((second.status, first.end()), (0, Some(0)), "{}", second.stderr);
        let joined = begun.elapsed();
        assert_eq!(
            (names(&laptop), names(&tower)),
            (names(&tower), vec!["laptop".into(), "tower".into()])
        );
        let _daemons = (daemon(&laptop), daemon(&tower));
        write(&laptop, 1, 10);
        assert_eq!(word(&seen(&tower, 1, 10), "device"), "laptop");
        let shown = begun.elapsed();
        println!("two commands: joined after {joined:.1?}, a session shown after {shown:.1?}");
        assert!(shown < MINUTE, "{shown:?}");
        write(&tower, 2, 10);
        assert_eq!(word(&seen(&laptop, 2, 10), "device"), "tower");
    });
}

#[test]
fn nothing_of_a_code_stays_on_the_hub() {
    let hub = Hub::directory();
    let (laptop, tower) = (Home::new(PROGRAM), Home::new(PROGRAM));
    let mut first = Waiting::start(&laptop, &["--hub", &hub.url(), "--name", "laptop"]);
    let there = files(&hub.store())
        .into_iter()
        .filter(|(path, _)| path.to_str().unwrap().contains("/link/"));
    assert_eq!(there.count(), 1, "the offer");
    assert_eq!(join(&tower, &first.code, "tower").status, 0);
    assert_eq!(first.end(), Some(0));
    let link = hub.store().join("taffrail-v1/link");
    let left: Vec<_> = std::fs::read_dir(link).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    for (path, _) in files(&hub.store()) {
        let bytes = std::fs::read(&path).unwrap();
        let has = |text: &str| bytes.windows(text.len()).any(|it| it == text.as_bytes());
        assert!(!has("laptop") && !has("tower"), "{}", path.display());
    }
}

#[test]
fn a_wrong_or_used_code_exits_with_6_and_writes_nothing() {
    over_each(|hub| {
        let (laptop, tower, late) = (Home::new(PROGRAM), Home::new(PROGRAM), Home::new(PROGRAM));
        let mut first = Waiting::start(&laptop, &["--hub", &hub.url(), "--name", "laptop"]);
        let used = first.code.clone();
        assert_eq!(join(&tower, &used, "tower").status, 0);
        assert_eq!(first.end(), Some(0));
        let before = config(&late);
        let wrong = format!("{}#0000-1111-2222-3333-4444", hub.url());
        let cut: String = used.chars().take(used.len() - 3).collect();
        for code in [used.as_str(), &wrong, &cut, "not-a-code"] {
            let output = join(&late, code, "late");
            assert_eq!(output.status, 6, "{code}: {}", output.stderr);
            assert!(output.stderr.contains("code"), "{}", output.stderr);
        }
        assert!(!device_folder(&late).exists());
        assert_eq!(config(&late), before);
        assert_eq!(names(&laptop), ["laptop", "tower"]);
    });
}

#[test]
fn without_a_terminal_only_yes_lets_a_device_in() {
    let hub = Hub::directory();
    let (laptop, tower) = (Home::new(PROGRAM), Home::new(PROGRAM));
    let refused = laptop.run(&["link", "--hub", &hub.url(), "--name", "laptop", "--json"]);
    assert_eq!((refused.status, refused.stdout.as_str()), (6, ""), "{}", refused.stderr);
    assert!(!device_folder(&laptop).exists(), "nothing is made");
    assert!(files(&hub.store()).is_empty(), "nothing is published");
    let first = Waiting::start(&laptop, &["--hub", &hub.url(), "--name", "laptop"]);
    let refused = tower.run(&["link", &first.code, "--name", "tower", "--json"]);
    assert_eq!(refused.status, 6, "{}", refused.stderr);
    assert!(!device_folder(&tower).exists());
}

#[test]
fn both_screens_show_the_six_words_of_the_other() {
    let hub = Hub::directory();
    let (laptop, tower) = (Home::new(PROGRAM), Home::new(PROGRAM));
    let mut first = Waiting::start(&laptop, &["--hub", &hub.url(), "--name", "laptop"]);
    let no = tower.at_terminal(&["link", &first.code, "--name", "tower"], "n\n");
    assert_eq!(no.status, 6, "{}", no.stdout);
    assert!(no.stdout.contains(&first.words), "{}", no.stdout);
    assert!(!device_folder(&tower).exists());
    let yes = tower.at_terminal(&["link", &first.code, "--name", "tower"], "y\n");
    tower.ok(&["daemon", "stop"]);
    assert_eq!((yes.status, first.end()), (0, Some(0)), "{}", yes.stdout);
    let own = tower.json(&["device", "ls", "--json"]);
    assert!(yes.stdout.contains(word(&own["this"], "words")), "{}", yes.stdout);
    assert!(yes.stdout.contains("A daemon was started"), "{}", yes.stdout);
}

#[test]
fn a_daemon_that_runs_uses_the_hub_and_knows_the_new_device() {
    let hub = Hub::directory();
    let (laptop, tower) = (Home::new(PROGRAM), Home::new(PROGRAM));
    write(&laptop, 1, 10);
    let (_laptop, _tower) = (daemon(&laptop), daemon(&tower));
    let mut first = Waiting::start(&laptop, &["--hub", &hub.url(), "--name", "laptop"]);
    let second = join(&tower, &first.code, "tower");
    assert_eq!((second.status, first.end()), (0, Some(0)), "{}", second.stderr);
    let told: Value = serde_json::from_str(&second.stdout).unwrap();
    assert_eq!((word(&told, "daemon"), word(&told, "state")), ("restarted", "reached"), "{told}");
    assert_eq!(word(&seen(&tower, 1, 10), "device"), "laptop");
    for home in [&laptop, &tower] {
        home.ok(&["daemon", "stop"]);
    }
}

#[test]
fn one_more_device_needs_no_address() {
    let hub = Hub::directory();
    let [laptop, tower, desk] = [(); 3].map(|()| Home::new(PROGRAM));
    let nowhere = laptop.run(&["link", "--name", "laptop", "--yes"]);
    assert_eq!(nowhere.status, 2, "{}", nowhere.stderr);
    assert!(nowhere.stderr.contains("--hub"), "{}", nowhere.stderr);
    assert!(!device_folder(&laptop).exists());
    let mut first = Waiting::start(&laptop, &["--hub", &hub.url(), "--name", "laptop"]);
    assert_eq!(join(&tower, &first.code, "tower").status, 0);
    assert_eq!(first.end(), Some(0));
    let mut next = Waiting::start(&laptop, &[]);
    let taken = join(&desk, &next.code, "tower");
    assert_eq!(taken.status, 6, "two devices of one name: {}", taken.stderr);
    assert_eq!(next.end(), Some(6));
    let mut next = Waiting::start(&laptop, &[]);
    assert_eq!(join(&desk, &next.code, "desk").status, 0);
    assert_eq!(next.end(), Some(0));
    assert_eq!(names(&desk), ["desk", "laptop", "tower"]);
    let not_an_admin = tower.run(&["link", "--yes"]);
    assert_eq!(not_an_admin.status, 6, "{}", not_an_admin.stderr);
}

/// A server with the configuration that a device writes, and how to bring it up to date.
fn guarded(home: &Home) -> NatsServer {
    NatsServer::configured(|port, monitor, store| {
        let (listen, monitor) = (format!("127.0.0.1:{port}"), monitor.to_string());
        let store = store.to_str().unwrap();
        let words = ["hub", "config", "--out", "nats.conf"];
        let more = ["--listen", &listen, "--monitor", &monitor, "--store", store];
        home.ok(&[&words[..], &more].concat());
        std::fs::read_to_string(home.path("nats.conf")).unwrap()
    })
}

#[test]
fn a_server_that_knows_its_devices_has_a_door_for_a_code() {
    let (laptop, tower) = (Home::new(PROGRAM), Home::new(PROGRAM));
    laptop.ok(&["device", "init", "--name", "laptop"]);
    let mut server = guarded(&laptop);
    let mut first = Waiting::start(&laptop, &["--hub", &server.url()]);
    assert!(first.code.contains('.') && first.code.len() < 90, "{}", first.code);
    let second = join(&tower, &first.code, "tower");
    assert_eq!((second.status, first.end()), (0, Some(0)), "{}", second.stderr);
    let told: Value = serde_json::from_str(&second.stdout).unwrap();
    assert_eq!(word(&told, "state"), "failing", "{told}");
    assert_eq!(first.rest()["configure_server"], true);
    assert!(word(&told, "error").contains("taffrail hub config --out FILE"), "{told}");
    assert_eq!(names(&tower), ["laptop", "tower"], "it knows the team all the same");
    laptop.ok(&["hub", "config", "--out", "nats.conf"]);
    server.kill();
    let conf = server.store().with_file_name("conf");
    std::fs::copy(laptop.path("nats.conf"), conf).unwrap();
    server.start_again();
    let _daemons = (daemon(&laptop), daemon(&tower));
    write(&laptop, 1, 10);
    seen(&tower, 1, 10);
}

#[test]
fn sync_says_on_one_screen_what_goes_where_and_what_is_wrong() {
    let hub = Hub::directory();
    let (laptop, tower) = (Home::new(PROGRAM), Home::new(PROGRAM));
    let problem =
        |home: &Home| word(&home.json(&["sync", "--json"])["problems"][0], "fix").to_owned();
    assert!(problem(&laptop).contains("taffrail link"));
    assert!(laptop.ok(&["sync"]).contains("no keys"));
    let mut first = Waiting::start(&laptop, &["--hub", &hub.url(), "--name", "laptop"]);
    assert_eq!(join(&tower, &first.code, "tower").status, 0);
    assert_eq!(first.end(), Some(0));
    assert_eq!(problem(&laptop), "taffrail daemon start");
    let _daemons = (daemon(&laptop), daemon(&tower));
    write(&tower, 1, 10);
    seen(&laptop, 1, 10);
    let told = laptop.json(&["sync", "--json"]);
    assert_eq!(word(&told["hub"], "state"), "reached", "{told}");
    assert_eq!(word(&told["devices"][0], "name"), "tower", "{told}");
    assert!(told["devices"][0]["heard_at"].is_string(), "{told}");
    assert_eq!(
        (&told["sends"]["texts"], &told["problems"]),
        (&false.into(), &serde_json::json!([]))
    );
    assert!(told["outbox"]["waiting"].is_u64(), "{told}");
    laptop.ok(&["config", "set", "sync.bodies", "true"]);
    laptop.ok(&["config", "set", "sync.exclude", r#"["~/private"]"#]);
    let screen = laptop.ok(&["sync"]);
    for said in [
        "✓ reached",
        "tower   last sent",
        "all projects but /",
        "go along, redacted",
        "not allowed",
    ] {
        assert!(screen.contains(said), "{said}: {screen}");
    }
    assert!(screen.lines().count() <= 24, "{screen}");
}

//! Messages with a time, over daemons that come and go.

use super::*;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixListener;
use std::path::Path;
use taffrail_context::LiveStatus;
use taffrail_ingest::{Budget, Scope, index};
use taffrail_model::evidence::Life;
use taffrail_model::message::{LastPrompt, Schedule, ScheduledBy, Sender};
use taffrail_model::status::{Reading, Status, StatusRule};
use taffrail_model::{AgentId, Confidence, RuntimeIdentity};
use taffrail_testkit::claude::{path, talk};
use tempfile::TempDir;

/// The second of the first message; the next ones follow ten seconds apart.
const START: i64 = 1_900_000_000;
const SESSIONS: u32 = 20;

thread_local! {
    /// Each test has its thread, and its clock.
    static CLOCK: Cell<i64> = const { Cell::new(START - 60) };
}

fn now() -> Timestamp {
    Timestamp::from_second(CLOCK.get()).unwrap()
}

fn due(number: u32) -> Timestamp {
    Timestamp::from_second(START + 10 * i64::from(number)).unwrap()
}

fn name(number: u32) -> String {
    format!("0c0ffee0-0000-4000-8000-{number:012}")
}

fn id(number: u32) -> SessionId {
    RuntimeIdentity::new(AgentId::new("claude-code"), "", name(number)).session()
}

/// The sessions of a machine, and the terminals that count what is pasted into them.
struct Machine {
    folder: TempDir,
    settings: Settings,
    pasted: Arc<Mutex<Vec<u32>>>,
}

impl Machine {
    fn new() -> Self {
        let folder = TempDir::new().unwrap();
        let settings = Settings { kept_up: true, ..Settings::in_folder(folder.path(), now) };
        std::fs::create_dir_all(&settings.runtime).unwrap();
        let machine = Self { folder, settings, pasted: Arc::default() };
        for number in 0..SESSIONS {
            machine.write(number, &talk(&name(number), 0, 2));
            let socket = taffrail_run::socket_of(&machine.settings.runtime, number);
            count_pastes(&socket, number, machine.pasted.clone());
        }
        machine.read_all();
        machine
    }

    fn write(&self, number: u32, lines: &str) {
        let file = self.folder.path().join("home").join(path(&name(number)));
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        let before = std::fs::read_to_string(&file).unwrap_or_default();
        std::fs::write(file, before + lines).unwrap();
    }

    fn read_all(&self) {
        let settings = Settings { kept_up: false, ..self.settings.clone() };
        assert!(index(&settings, &Scope::All, Budget::Whole, &mut |_| {}).unwrap().complete);
    }

    /// A daemon that finds these statuses; every other session waits for a prompt.
    fn daemon(&self, statuses: &BTreeMap<u32, Status>) -> Delivery {
        let live = Live::new(self.settings.clone(), Box::new(|_| {}));
        for number in 0..SESSIONS {
            let status = statuses.get(&number).copied().unwrap_or(Status::Waiting);
            live.put_status(id(number), Some(Arc::new(card(number, status))));
        }
        let delivery = Delivery::new(live, Box::new(|_, _| {}));
        delivery.restore().unwrap();
        delivery
    }

    fn ledger(&self) -> Ledger {
        ledger(&self.settings).unwrap()
    }

    /// The numbers of the sessions that got a prompt, in order.
    fn pasted(&self) -> Vec<u32> {
        let mut all = self.pasted.lock().unwrap().clone();
        all.sort_unstable();
        all
    }
}

/// A terminal that accepts every paste.
fn count_pastes(socket: &Path, number: u32, pasted: Arc<Mutex<Vec<u32>>>) {
    let listener = UnixListener::bind(socket).unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut line = String::new();
            BufReader::new(&stream).read_line(&mut line).unwrap();
            assert!(line.contains("go on"), "{line}");
            pasted.lock().unwrap().push(number);
            stream.write_all(b"{\"delivered\":true}\n").unwrap();
        }
    });
}

fn card(number: u32, status: Status) -> LiveStatus {
    let reading = Reading {
        status,
        since: Timestamp::UNIX_EPOCH,
        confidence: Confidence::High,
        waiting_for: None,
        rule: StatusRule::NothingKnown,
        rests_on: Vec::new(),
        until: None,
        failure: None,
    };
    let executor = Some(format!("pty:{number}"));
    LiveStatus { reading, evidence: Vec::new(), process: None, life: Life::Alive, executor }
}

fn leave(delivery: &Delivery, number: u32) -> Result<Message, Error> {
    let said = (Sender::default(), "go on".to_owned());
    let when = SendTime::At(due(number));
    delivery.accept_scheduled(id(number), said, &when)
}

/// What becomes of a session before its message is due.
const BY_HAND: [u32; 3] = [1, 6, 11];
const CUT_OFF: u32 = 4;

fn statuses() -> BTreeMap<u32, Status> {
    BTreeMap::from([(2, Status::Running), (7, Status::WaitingApproval), (12, Status::Exited)])
}

/// The state and the reason of each message at the end.
fn expected(number: u32) -> (State, Option<String>) {
    let closed = |why: &str| (State::Failed, Some(why.to_owned()));
    match number {
        it if BY_HAND.contains(&it) => {
            closed("not sent: the session got another prompt at 10:00 UTC")
        }
        2 => closed("not sent: the session is at work"),
        7 => closed("not sent: the session asks for an approval"),
        12 => closed("not sent: the session is over"),
        CUT_OFF => closed(
            "we were cut off while it was put in: look at the session before you send it again",
        ),
        _ => (State::Delivered, None),
    }
}

#[test]
fn each_message_goes_in_once_at_its_time_where_the_session_is_as_it_was_left() {
    let machine = Machine::new();
    let delivery = machine.daemon(&BTreeMap::new());
    let left: Vec<_> = (0..SESSIONS).map(|it| leave(&delivery, it).unwrap()).collect();
    delivery.deliver_all(BTreeSet::new());
    assert_eq!((machine.pasted(), delivery.all()), (vec![], BTreeSet::new()));
    drop(delivery);
    BY_HAND.iter().for_each(|it| machine.write(*it, &talk(&name(*it), 2, 4)));
    machine.read_all();
    // A daemon was killed after it claimed this one, and before it wrote what became of it.
    let claimed = left.get(CUT_OFF as usize).unwrap();
    let begun = claimed.after(&Happening::Begun("pty:4".to_owned()), now()).unwrap();
    assert!(machine.ledger().move_message(claimed, &begun).unwrap());
    let goes = |it: &u32| expected(*it).0 == State::Delivered;
    for step in 0..SESSIONS {
        // Each message is due in the life of another daemon.
        let delivery = machine.daemon(&statuses());
        for second in [-1, 0, 3] {
            CLOCK.set(due(step).as_second() + second);
            delivery.deliver_all(BTreeSet::new());
            let so_far = if second < 0 { step } else { step + 1 };
            assert_eq!(machine.pasted(), (0..so_far).filter(goes).collect::<Vec<_>>(), "{step}");
        }
    }
    let found = |it: &Message| {
        let it = machine.ledger().message(it.id.as_str()).unwrap().unwrap();
        (it.state, it.why)
    };
    let found: Vec<_> = left.iter().map(found).collect();
    assert_eq!(found, (0..SESSIONS).map(expected).collect::<Vec<_>>());
}

#[test]
fn a_second_message_with_a_time_is_refused_until_the_first_is_outrun() {
    let machine = Machine::new();
    let delivery = machine.daemon(&BTreeMap::new());
    let first = leave(&delivery, 0).unwrap();
    let refused = leave(&delivery, 0).unwrap_err().to_string();
    let command = format!("taffrail queue rm {} {}", id(0), first.id);
    assert!(refused.contains(&command), "{refused}");
    machine.write(0, &talk(&name(0), 2, 4));
    machine.read_all();
    let second = leave(&delivery, 0).unwrap();
    let open: Vec<_> = machine.ledger().queue(id(0)).unwrap().into_iter().map(|it| it.id).collect();
    assert_eq!(open, [second.id]);
    let unknown =
        delivery.accept_scheduled(id(1), (Sender::default(), "go on".to_owned()), &SendTime::Reset);
    assert!(matches!(unknown, Err(Error::NoReset(_))), "{unknown:?}");
}

#[test]
fn the_stop_switch_takes_back_what_waits_for_a_reset_and_nothing_else() {
    let machine = Machine::new();
    let delivery = machine.daemon(&BTreeMap::new());
    let kept = leave(&delivery, 0).unwrap();
    for number in [1, 2] {
        let schedule = Schedule { not_before: due(number), by: ScheduledBy::Reset, left: None };
        let said = (Sender::default(), "go on".to_owned());
        let schedule = Schedule { left: last(&machine, number), ..schedule };
        delivery.accept_schedule(id(number), said, (schedule, now())).unwrap();
    }
    let stop = || stop_at_reset(&delivery.0.live).unwrap();
    assert_eq!((stop(), stop()), (2, 0));
    let waiting = machine.ledger().scheduled_messages().unwrap();
    assert_eq!(waiting.into_iter().map(|it| it.id).collect::<Vec<_>>(), [kept.id]);
}

fn last(machine: &Machine, number: u32) -> Option<LastPrompt> {
    scheduled::last_prompt(&machine.settings, id(number)).unwrap()
}

#[test]
fn the_thread_sleeps_until_the_next_time_and_compares_the_clock_every_minute() {
    let check = |open: bool, next: Option<i64>, expected: Duration| {
        let at = |second| Timestamp::from_second(second).unwrap();
        assert_eq!(rest(open, next.map(at), at(1_000)), expected, "{open} {next:?}");
    };
    check(false, None, Duration::MAX);
    check(true, None, AGAIN);
    check(true, Some(5_000), AGAIN);
    check(false, Some(1_007), Duration::from_secs(7));
    check(false, Some(5_000), COMPARE);
    // A message that is due and cannot go in now, and a clock that was set forward.
    check(false, Some(1_000), AGAIN);
    check(false, Some(10), AGAIN);
}

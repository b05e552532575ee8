//! Two devices meet at a hub that may be hostile.

use super::*;
use bytes::Bytes;
use std::cell::Cell;
use std::path::Path;
use taffrail_context::Settings;
use taffrail_model::{DeviceId, Timestamp};
use taffrail_sync::hub::MemoryMailbox;
use taffrail_sync::pairing::Code;
use taffrail_team::{Beginning, DeviceError, init_device, own};
use tempfile::TempDir;
use zeroize::Zeroizing;

const CODE: &str = "file:///hub#k7qf-9m2x-w4tz-p8hr-3n6d";
const OTHER: &str = "file:///hub#0000-1111-2222-3333-4444";

fn now() -> Timestamp {
    Timestamp::UNIX_EPOCH
}

fn too_late() -> Timestamp {
    Timestamp::from_second(GOOD_SECONDS + 1).unwrap()
}

/// A device in a folder of its own.
struct Device {
    folder: TempDir,
    name: &'static str,
    random: Cell<u8>,
}

impl Device {
    fn new(name: &'static str) -> Self {
        let seed = u8::try_from(name.len()).unwrap() * 40;
        Self { folder: TempDir::new().unwrap(), name, random: Cell::new(seed) }
    }

    fn founded(name: &'static str) -> Self {
        let new = Self::new(name);
        init_device(&new.settings(), &new.beginning(), [1; 16]).unwrap();
        new
    }

    fn settings(&self) -> Settings {
        let new_device = DeviceId::new(format!("dev-{}", self.name));
        Settings { new_device, ..Settings::in_folder(self.folder.path(), now) }
    }

    fn beginning(&self) -> Beginning<'_> {
        let random = [self.name.as_bytes()[0]; 64];
        Beginning { name: self.name, user: "ann@x.org", random: Zeroizing::new(random) }
    }

    fn random(&self) -> impl Fn() -> Result<[u8; 32], DevicesError> {
        let next = self.random.get().wrapping_add(1);
        self.random.set(next);
        move || Ok([next; 32])
    }

    fn host(&self, hub: &MemoryMailbox, code: &str) -> Host {
        let made = (Code::parse(code).unwrap(), "words".to_owned());
        Host::begin(&self.settings(), meeting(hub, code), made, &self.random()).unwrap()
    }

    fn knock(&self, hub: &MemoryMailbox, code: &str) -> Result<Knock, DevicesError> {
        let url = Code::parse(code).unwrap().url;
        Knock::begin(&self.settings(), meeting(hub, code), &url, &self.beginning())
    }

    /// The names in the team, as this device knows it.
    fn team(&self) -> Vec<String> {
        let roster = own(&self.settings()).map(|own| own.roster);
        let members = roster.iter().flat_map(taffrail_sync::Roster::members);
        let mut names: Vec<_> = members.map(|it| it.device.name.clone()).collect();
        names.sort();
        names
    }

    fn has_keys(&self) -> bool {
        Path::new(self.folder.path()).join("data/device/keys").exists()
    }
}

fn meeting(hub: &MemoryMailbox, code: &str) -> Meeting {
    let secret = Code::parse(code).unwrap().secret;
    Meeting { mailbox: Mailbox::Memory(hub.clone()), secret, runtime: runtime().unwrap() }
}

fn message(hub: &MemoryMailbox, slot: Slot) -> Bytes {
    hub.change(|it| it[&slot].clone())
}

fn set(hub: &MemoryMailbox, slot: Slot, bytes: impl Into<Bytes>) {
    hub.change(|it| it.insert(slot, bytes.into()));
}

/// Answers while the other device waits for it.
fn let_in(laptop: &Device, host: &Host, tower: &Device, knock: &Knock) -> Result<(), DevicesError> {
    let settings = tower.settings();
    std::thread::scope(|scope| {
        let entered = scope.spawn(|| knock.enter(&settings, &|| Ok([9; 32])).map(drop));
        let visitor = host.wait(&laptop.settings()).unwrap();
        host.admit(&laptop.settings(), &visitor, &laptop.random()).unwrap();
        entered.join().unwrap()
    })
}

#[test]
fn two_devices_meet_with_a_code_and_both_know_the_team() {
    let (laptop, tower, hub) =
        (Device::founded("laptop"), Device::new("tower"), MemoryMailbox::default());
    let host = laptop.host(&hub, CODE);
    assert_eq!(*host.code(), CODE);
    let knock = tower.knock(&hub, CODE).unwrap();
    assert_eq!((knock.guest.inviter.as_str(), knock.guest.user.as_str()), ("laptop", "ann@x.org"));
    assert!(!tower.has_keys(), "nothing is written before the person agrees");
    knock.ask(&tower.settings(), &tower.random()).unwrap();
    let here = own(&laptop.settings()).unwrap().secret.keys().fingerprint().to_string();
    assert_eq!(knock.guest.inviter_words, here);
    let_in(&laptop, &host, &tower, &knock).unwrap();
    assert_eq!(
        (laptop.team(), tower.team()),
        (vec!["laptop".to_owned(), "tower".to_owned()], laptop.team())
    );
    let there = own(&tower.settings()).unwrap();
    assert_eq!(knock.guest.words, there.secret.keys().fingerprint().to_string());
    assert!(there.check_current().is_ok());
    assert!(hub.change(|it| it.is_empty()), "nothing stays at the hub");
}

#[test]
fn a_code_lets_one_device_in() {
    let (laptop, hub) = (Device::founded("laptop"), MemoryMailbox::default());
    let (tower, late, later) = (Device::new("tower"), Device::new("late"), Device::new("later"));
    let host = laptop.host(&hub, CODE);
    let (knock, second) = (tower.knock(&hub, CODE).unwrap(), late.knock(&hub, CODE).unwrap());
    knock.ask(&tower.settings(), &tower.random()).unwrap();
    let used = second.ask(&late.settings(), &late.random()).unwrap_err();
    assert!(matches!(used, DevicesError::Pairing(PairingError::Used)), "{used}");
    let_in(&laptop, &host, &tower, &knock).unwrap();
    let gone = later.knock(&hub, CODE).unwrap_err();
    assert!(matches!(gone, DevicesError::Pairing(PairingError::Nobody)), "{gone}");
    assert!(!late.has_keys() && !later.has_keys(), "nothing is written");
    assert_eq!(laptop.team(), ["laptop", "tower"]);
}

#[test]
fn a_code_expires_and_is_gone_from_the_hub() {
    let (laptop, tower, hub) =
        (Device::founded("laptop"), Device::new("tower"), MemoryMailbox::default());
    let host = laptop.host(&hub, CODE);
    let knock = tower.knock(&hub, CODE).unwrap();
    let late = Settings { now: too_late, ..laptop.settings() };
    let expired = host.wait(&late).unwrap_err();
    assert!(matches!(expired, DevicesError::Pairing(PairingError::Expired)), "{expired}");
    assert!(hub.change(|it| it.is_empty()));
    let gone = tower.knock(&hub, CODE).unwrap_err();
    assert!(matches!(gone, DevicesError::Pairing(PairingError::Nobody)), "{gone}");
    // Whoever has read the offer before and asks afterwards is not heard either.
    knock.ask(&tower.settings(), &tower.random()).unwrap();
    let left = knock.enter(&tower.settings(), &tower.random()).unwrap_err();
    assert!(matches!(left, DevicesError::Pairing(PairingError::Left)), "{left}");
    assert_eq!((laptop.team(), tower.team()), (vec!["laptop".to_owned()], Vec::new()));
}

#[test]
fn a_device_that_is_refused_joins_nothing() {
    let (laptop, tower, hub) =
        (Device::founded("laptop"), Device::new("tower"), MemoryMailbox::default());
    let host = laptop.host(&hub, CODE);
    let knock = tower.knock(&hub, CODE).unwrap();
    knock.ask(&tower.settings(), &tower.random()).unwrap();
    let settings = tower.settings();
    let refused = std::thread::scope(|scope| {
        let entered = scope.spawn(|| knock.enter(&settings, &|| Ok([9; 32])).map(drop));
        let visitor = host.wait(&laptop.settings()).unwrap();
        host.refuse(&visitor, "the words differ", &laptop.random()).unwrap();
        entered.join().unwrap().unwrap_err()
    });
    assert_eq!(refused.to_string(), "the other device refused: the words differ");
    assert_eq!((laptop.team(), tower.team()), (vec!["laptop".to_owned()], Vec::new()));
}

#[test]
fn a_device_that_missed_the_answer_comes_in_with_another_code() {
    let (laptop, tower) = (Device::founded("laptop"), Device::new("tower"));
    let hub = MemoryMailbox::default();
    let host = laptop.host(&hub, CODE);
    let knock = tower.knock(&hub, CODE).unwrap();
    knock.ask(&tower.settings(), &tower.random()).unwrap();
    let visitor = host.wait(&laptop.settings()).unwrap();
    // The device that asked is gone when the answer comes.
    hub.change(|it| it.remove(&Slot::Offer));
    host.admit(&laptop.settings(), &visitor, &laptop.random()).unwrap();
    assert_eq!((laptop.team().len(), tower.team().len()), (2, 0));
    let hub = MemoryMailbox::default();
    let host = laptop.host(&hub, OTHER);
    let knock = tower.knock(&hub, OTHER).unwrap();
    knock.ask(&tower.settings(), &tower.random()).unwrap();
    let_in(&laptop, &host, &tower, &knock).unwrap();
    assert_eq!(
        (laptop.team(), tower.team()),
        (vec!["laptop".to_owned(), "tower".to_owned()], laptop.team())
    );
}

#[test]
fn a_hub_cannot_change_what_two_devices_say() {
    let flipped = |hub: &MemoryMailbox, slot: Slot| {
        let mut bytes = message(hub, slot).to_vec();
        let last = bytes.len() / 2;
        bytes[last] ^= 1;
        set(hub, slot, bytes);
    };
    let is_forged = |error: DevicesError| {
        assert!(matches!(error, DevicesError::Pairing(PairingError::Message(_))), "{error}");
    };
    for slot in [Slot::Offer, Slot::Request, Slot::Answer] {
        let (laptop, tower, hub) =
            (Device::founded("laptop"), Device::new("tower"), MemoryMailbox::default());
        let host = laptop.host(&hub, CODE);
        if slot == Slot::Offer {
            flipped(&hub, slot);
            is_forged(tower.knock(&hub, CODE).unwrap_err());
            assert!(!tower.has_keys());
            continue;
        }
        let knock = tower.knock(&hub, CODE).unwrap();
        knock.ask(&tower.settings(), &tower.random()).unwrap();
        if slot == Slot::Request {
            flipped(&hub, slot);
            is_forged(host.wait(&laptop.settings()).unwrap_err());
            assert_eq!(laptop.team(), ["laptop"]);
            continue;
        }
        let visitor = host.wait(&laptop.settings()).unwrap();
        host.answer(
            &visitor.request,
            taffrail_sync::pairing::Outcome::In(Vec::new()),
            &laptop.random(),
        )
        .unwrap();
        flipped(&hub, slot);
        is_forged(knock.enter(&tower.settings(), &tower.random()).unwrap_err());
        assert_eq!(tower.team(), Vec::<String>::new());
    }
}

#[test]
fn a_hub_cannot_move_or_replay_what_two_devices_say() {
    let (laptop, tower, hub) =
        (Device::founded("laptop"), Device::new("tower"), MemoryMailbox::default());
    let earlier = MemoryMailbox::default();
    let _host = laptop.host(&earlier, OTHER);
    let replayed = message(&earlier, Slot::Offer);
    let _host = laptop.host(&hub, CODE);
    let offer = message(&hub, Slot::Offer);
    set(&hub, Slot::Offer, replayed);
    assert!(tower.knock(&hub, CODE).is_err(), "the offer of another code");
    set(&hub, Slot::Offer, offer.clone());
    let knock = tower.knock(&hub, CODE).unwrap();
    knock.ask(&tower.settings(), &tower.random()).unwrap();
    for moved in [offer, message(&hub, Slot::Request)] {
        set(&hub, Slot::Answer, moved);
        assert!(
            knock.enter(&tower.settings(), &tower.random()).is_err(),
            "a message of another slot"
        );
    }
    assert_eq!(tower.team(), Vec::<String>::new());
}

#[test]
fn an_answer_without_an_entry_for_this_device_lets_nobody_in() {
    let (laptop, tower, hub) =
        (Device::founded("laptop"), Device::new("tower"), MemoryMailbox::default());
    let host = laptop.host(&hub, CODE);
    let knock = tower.knock(&hub, CODE).unwrap();
    knock.ask(&tower.settings(), &tower.random()).unwrap();
    let visitor = host.wait(&laptop.settings()).unwrap();
    let empty = taffrail_sync::pairing::Outcome::In(Vec::new());
    host.answer(&visitor.request, empty, &laptop.random()).unwrap();
    let error = knock.enter(&tower.settings(), &tower.random()).unwrap_err();
    assert!(matches!(error, DevicesError::Device(DeviceError::Waiting)), "{error}");
    assert_eq!(tower.team(), Vec::<String>::new());
}

#[test]
fn a_hub_reads_no_name_and_no_key_of_a_meeting() {
    let (laptop, tower, hub) =
        (Device::founded("laptop"), Device::new("tower"), MemoryMailbox::default());
    let host = laptop.host(&hub, CODE);
    let knock = tower.knock(&hub, CODE).unwrap();
    knock.ask(&tower.settings(), &tower.random()).unwrap();
    let visitor = host.wait(&laptop.settings()).unwrap();
    assert_eq!(visitor.asks.words, knock.guest.words);
    let seen = hub.change(|it| it.values().map(|it| it.to_vec()).collect::<Vec<_>>().concat());
    for word in ["laptop", "tower", "ann@x.org", "taffrail-invite", "dev-", "k7qf"] {
        let there = seen.windows(word.len()).any(|it| it == word.as_bytes());
        assert!(!there, "{word} can be read at the hub");
    }
}

//! Whatever the order, the hub and the network do: a request is decided at most once, by who it says.

use super::*;
use crate::hub::MemoryHub;
use crate::roster::Op;
use crate::roster::tests::{Own, at, team_of};
use proptest::prelude::*;

fn session() -> SessionId {
    SessionId::from_bytes([3; 16])
}

fn asked(home: &Own) -> Asked {
    Asked {
        device: home.id.clone(),
        session: session(),
        request: ApprovalId::new("r1"),
        input: Digest::from_bytes([5; 32]),
        expires: at(100),
    }
}

fn answer(home: &Own, by: &Own, decision: &str) -> Answer {
    let asked = asked(home);
    Answer {
        to: asked.device,
        session: asked.session,
        request: asked.request,
        input: asked.input,
        expires: asked.expires,
        decision: decision.to_owned(),
        by: by.id.clone(),
        salt: Digest::from_bytes([9; 32]),
    }
}

fn sign_claim(roster: &Roster, answer: &Answer, by: &Own) -> Claim {
    Claim::sign(roster.team(), answer, &by.signer())
}

fn block<T>(work: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(work)
}

/// Everything that happens between three devices, decided by numbers.
struct World {
    hub: MemoryHub,
    roster: Roster,
    devices: [Own; 3],
    stands: Stands,
    /// What was let out, by whom.
    out: Vec<String>,
    claimed: [bool; 3],
    now: i64,
}

impl World {
    fn new() -> Self {
        let devices = [Own::new("home"), Own::new("desk"), Own::new("phone")];
        let roster = team_of(&devices[0], &[&devices[1], &devices[2]]);
        Self {
            hub: MemoryHub::new(),
            roster,
            devices,
            stands: Stands::Open,
            out: Vec::new(),
            claimed: [false; 3],
            now: 0,
        }
    }

    fn answer(&self, who: usize) -> Answer {
        answer(&self.devices[0], &self.devices[who], &format!("by {who}"))
    }

    /// A device claims its answer; what it learns may get lost on its way.
    fn claim(&mut self, who: usize) -> Seen {
        let answer = self.answer(who);
        let ours = sign_claim(&self.roster, &answer, &self.devices[who]);
        let claimed = block(claim(&self.hub, &self.roster, &answer.request, &ours)).unwrap();
        match claimed {
            Claimed::Won => {
                self.claimed[who] = true;
                Seen::Ours
            }
            Claimed::Lost(other) => Seen::Theirs(other),
        }
    }

    fn look(&self) -> Seen {
        let request = asked(&self.devices[0]).request;
        match block(standing_claim(&self.hub, &self.roster, &request)).unwrap() {
            Some(claim) if claim.by == self.devices[0].id => Seen::Ours,
            Some(claim) => Seen::Theirs(claim),
            None => Seen::Nothing,
        }
    }

    fn hear(&mut self, heard: &Heard) {
        let stands = std::mem::take(&mut self.stands);
        let asked = asked(&self.devices[0]);
        let (stands, came) = hear(stands, &asked, heard, &self.roster, at(self.now));
        self.stands = stands;
        self.out.extend(came.ok());
    }

    fn step(&mut self, what: u8) {
        let who = 1 + usize::from(what & 1);
        let is_cut_off = what & 2 != 0;
        match what >> 2 & 3 {
            0 => {
                self.claim(who);
            }
            1 => {
                let seen = if is_cut_off { Seen::Unreachable } else { self.look() };
                let (from, answer) = (self.devices[who].id.clone(), self.answer(who));
                self.hear(&Heard::Answer { from, answer, seen });
            }
            2 => {
                // Cut off, the claim may have reached the hub or not.
                let reaches = !is_cut_off || what & 16 != 0;
                let seen = if reaches { self.claim(0) } else { Seen::Unreachable };
                let seen = if is_cut_off { Seen::Unreachable } else { seen };
                self.hear(&Heard::AtHome { decision: "by 0".to_owned(), seen });
            }
            _ => self.now += i64::from(what >> 4),
        }
    }
}

proptest! {
    #[test]
    fn at_most_one_decision_comes_out(steps in prop::collection::vec(0u8..128, 0..40)) {
        let mut world = World::new();
        for step in steps {
            world.step(step);
            prop_assert!(world.claimed.iter().filter(|it| **it).count() <= 1, "two won the claim");
        }
        prop_assert!(world.out.len() <= 1, "{:?}", world.out);
        let claimed = world.claimed.iter().position(|it| *it);
        match (world.out.first().map(String::as_str), &world.stands) {
            (Some("by 0"), Stands::Decided { by, .. }) => prop_assert_eq!(by, &world.devices[0].id),
            // Another's answer is let out only under its own claim.
            (Some(out), Stands::Decided { by, .. }) => {
                let who = claimed.unwrap();
                prop_assert_eq!(out, format!("by {who}"));
                prop_assert_eq!(by, &world.devices[who].id);
            }
            (None, Stands::Open | Stands::Claimed { .. }) => {}
            (out, stands) => prop_assert!(false, "{out:?} {stands:?}"),
        }
    }

    #[test]
    fn a_claimed_answer_that_arrives_in_time_is_let_out(steps in prop::collection::vec(0u8..4, 0..10)) {
        // Only claims and answers: no one decides at home.
        let mut world = World::new();
        for step in steps {
            world.step(step);
        }
        world.claim(1);
        for who in [1, 2] {
            let (from, answer) = (world.devices[who].id.clone(), world.answer(who));
            let seen = world.look();
            world.hear(&Heard::Answer { from, answer, seen });
        }
        prop_assert_eq!(world.out.len(), 1);
    }
}

#[test]
fn only_the_answer_that_counts_is_let_out() {
    let home = Own::new("home");
    let (desk, phone, gone) = (Own::new("desk"), Own::new("phone"), Own::new("gone"));
    let roster = team_of(&home, &[&desk, &phone, &gone]);
    let remove = Op::Remove { device: gone.id.clone() };
    let roster = roster.with(remove, &home.signer(), at(9)).unwrap().0;
    let good = answer(&home, &desk, "yes");
    let check =
        |from: &Own, sent: &Answer, seen: Seen, now: i64, expected: Result<&str, NotOut>| {
            let heard = Heard::Answer { from: from.id.clone(), answer: sent.clone(), seen };
            let (_, came) = hear(Stands::Open, &asked(&home), &heard, &roster, at(now));
            assert_eq!(came, expected.map(str::to_owned), "{sent:?}");
        };
    let claim = |of: &Answer, by: &Own| Seen::Theirs(sign_claim(&roster, of, by));
    check(&desk, &good, claim(&good, &desk), 10, Ok("yes"));
    check(&desk, &good, claim(&good, &desk), 100, Err(NotOut::Expired));
    check(&desk, &good, Seen::Nothing, 10, Err(NotOut::Unclear));
    check(&desk, &good, Seen::Unreachable, 10, Err(NotOut::Unclear));
    check(&desk, &good, Seen::Ours, 10, Err(NotOut::NotTheirs));
    check(&desk, &good, claim(&good, &phone), 10, Err(NotOut::NotTheirs));
    check(&phone, &good, claim(&good, &phone), 10, Err(NotOut::NotTheirs));
    let by_gone = answer(&home, &gone, "yes");
    check(&gone, &by_gone, claim(&by_gone, &gone), 10, Err(NotOut::NotTheirs));
    let other_input = Answer { input: Digest::from_bytes([6; 32]), ..good.clone() };
    check(&desk, &other_input, claim(&other_input, &desk), 10, Err(NotOut::Other));
    let elsewhere = Answer { to: phone.id.clone(), ..good.clone() };
    check(&desk, &elsewhere, claim(&elsewhere, &desk), 10, Err(NotOut::Other));
    let other = Answer { session: SessionId::from_bytes([4; 16]), ..good.clone() };
    check(&desk, &other, claim(&other, &desk), 10, Err(NotOut::Other));
    let late = Answer { expires: at(5), ..good.clone() };
    check(&desk, &late, claim(&late, &desk), 10, Err(NotOut::Expired));
    let changed = Answer { decision: "no".to_owned(), ..good.clone() };
    check(&desk, &changed, claim(&good, &desk), 10, Err(NotOut::NotTheirs));
    let forged = Claim { by: desk.id.clone(), ..sign_claim(&roster, &good, &phone) };
    check(&desk, &good, Seen::Theirs(forged), 10, Err(NotOut::NotTheirs));
}

#[test]
fn a_claim_without_an_answer_holds_nobody_up_for_long() {
    let (home, desk) = (Own::new("home"), Own::new("desk"));
    let roster = team_of(&home, &[&desk]);
    let seen = Seen::Theirs(sign_claim(&roster, &answer(&home, &desk, "yes"), &desk));
    let heard = Heard::AtHome { decision: "no".to_owned(), seen };
    let hear_at = |stands, now| hear(stands, &asked(&home), &heard, &roster, at(now));
    let (stands, came) = hear_at(Stands::Open, 10);
    assert_eq!(came, Err(NotOut::ClaimedElsewhere(desk.id.clone())));
    let (stands, came) = hear_at(stands, 19);
    assert_eq!(came, Err(NotOut::ClaimedElsewhere(desk.id)));
    let (_, came) = hear_at(stands, 20);
    assert_eq!(came, Ok("no".to_owned()));
}

#[test]
fn a_claim_that_does_not_hold_is_replaced() {
    let (home, desk, stranger) = (Own::new("home"), Own::new("desk"), Own::new("stranger"));
    let roster = team_of(&home, &[&desk]);
    let check = |there: Vec<u8>, expected: &Claimed| {
        let hub = MemoryHub::new();
        let good = answer(&home, &desk, "yes");
        let key = key_of(roster.team(), &good.request).unwrap();
        block(hub.cas(&key, None, there.into())).unwrap();
        let ours = sign_claim(&roster, &good, &desk);
        let came = block(claim(&hub, &roster, &good.request, &ours)).unwrap();
        assert_eq!(came, *expected);
    };
    let by_home = sign_claim(&roster, &answer(&home, &home, "no"), &home);
    check(by_home.to_bytes(), &Claimed::Lost(by_home));
    check(sign_claim(&roster, &answer(&home, &desk, "yes"), &desk).to_bytes(), &Claimed::Won);
    check(Vec::new(), &Claimed::Won);
    let strange = sign_claim(&roster, &answer(&home, &stranger, "yes"), &stranger);
    check(strange.to_bytes(), &Claimed::Won);
    let mut other = answer(&home, &home, "no");
    other.request = ApprovalId::new("r2");
    check(sign_claim(&roster, &other, &home).to_bytes(), &Claimed::Won);
}

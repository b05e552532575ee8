//! For any order of claims and answers, at most one answer counts, and it comes from its own
//! device.

use super::*;
use crate::hub::MemoryHub;
use crate::roster::Op;
use crate::roster::tests::{Own, add_for, at, team_of};
use proptest::prelude::*;
use std::collections::BTreeSet;

fn session() -> SessionId {
    SessionId::from_bytes([3; 16])
}

fn request(home: &Own) -> OpenRequest {
    OpenRequest {
        device: home.id.clone(),
        session: session(),
        request: ApprovalId::new("r1"),
        input: Digest::from_bytes([5; 32]),
        expires: at(100),
    }
}

fn answer(home: &Own, by: &Own, decision: &str) -> Answer {
    let request = request(home);
    Answer {
        to: request.device,
        session: request.session,
        request: request.request,
        input: request.input,
        expires: request.expires,
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

/// Three devices act on one request, driven by numbers: each tries to claim its answer, and sends
/// it whether it won the claim or not.
struct World {
    hub: MemoryHub,
    roster: Roster,
    devices: [Own; 3],
    /// The devices that won the claim.
    winners: BTreeSet<usize>,
    /// The devices whose answer counted.
    counted: BTreeSet<usize>,
}

impl World {
    fn new() -> Self {
        let devices = [Own::new("home"), Own::new("desk"), Own::new("phone")];
        let roster = team_of(&devices[0], &[&devices[1], &devices[2]]);
        let (winners, counted) = (BTreeSet::new(), BTreeSet::new());
        Self { hub: MemoryHub::new(), roster, devices, winners, counted }
    }

    fn answer(&self, who: usize) -> Answer {
        answer(&self.devices[0], &self.devices[who], &format!("by {who}"))
    }

    fn claim(&mut self, who: usize) {
        let answer = self.answer(who);
        let ours = sign_claim(&self.roster, &answer, &self.devices[who]);
        if block(claim(&self.hub, &self.roster, &answer.request, &ours)).unwrap() == Claimed::Won {
            self.winners.insert(who);
        }
    }

    fn send(&mut self, who: usize) {
        let request = request(&self.devices[0]);
        let standing = block(current_claim(&self.hub, &self.roster, &request.request)).unwrap();
        let sent = (&self.devices[who].id, &self.answer(who));
        if verify_answer(&request, sent, standing.as_ref(), &self.roster, at(1)).is_ok() {
            self.counted.insert(who);
        }
    }
}

proptest! {
    #[test]
    fn at_most_one_answer_counts(steps in prop::collection::vec((1usize..3, any::<bool>()), 0..20)) {
        let mut world = World::new();
        for (who, claims) in steps {
            if claims { world.claim(who) } else { world.send(who) }
        }
        prop_assert!(world.winners.len() <= 1, "{:?} won the claim", world.winners);
        prop_assert!(world.counted.is_subset(&world.winners), "{:?}", world.counted);
        for who in world.winners.clone() {
            world.send(who);
            prop_assert!(world.counted.contains(&who), "who claimed is not heard");
        }
    }
}

#[test]
fn only_the_answer_that_counts_is_let_out() {
    let home = Own::new("home");
    let (desk, phone, gone, bob) =
        (Own::new("desk"), Own::new("phone"), Own::new("gone"), Own::new("bob"));
    let roster = team_of(&home, &[&desk, &phone, &gone]);
    let remove = Op::Remove { device: gone.id.clone() };
    let roster = roster.with(remove, &home.signer(), at(9)).unwrap().0;
    let roster = roster.with(add_for(&bob, "bob", 9), &home.signer(), at(9)).unwrap().0;
    let good = answer(&home, &desk, "yes");
    let check = |from: &Own, sent: &Answer, claim: Option<&Claim>, now, expected| {
        let came = verify_answer(&request(&home), (&from.id, sent), claim, &roster, at(now));
        assert_eq!(came, expected, "{sent:?}");
    };
    let claimed = |of: &Answer, by: &Own| sign_claim(&roster, of, by);
    let by_desk = claimed(&good, &desk);
    check(&desk, &good, Some(&by_desk), 10, Ok(()));
    check(&desk, &good, Some(&by_desk), 100, Err(AnswerRejection::Expired));
    check(&desk, &good, None, 10, Err(AnswerRejection::Unclaimed));
    check(&desk, &good, Some(&claimed(&good, &home)), 10, Err(AnswerRejection::NotTheirs));
    check(&desk, &good, Some(&claimed(&good, &phone)), 10, Err(AnswerRejection::NotTheirs));
    check(&phone, &good, Some(&claimed(&good, &phone)), 10, Err(AnswerRejection::NotTheirs));
    let forged = Claim { by: desk.id.clone(), ..claimed(&good, &phone) };
    check(&desk, &good, Some(&forged), 10, Err(AnswerRejection::NotTheirs));
    // A removed device of the team; a device of another user in the team.
    for stranger in [&gone, &bob] {
        let theirs = answer(&home, stranger, "yes");
        check(
            stranger,
            &theirs,
            Some(&claimed(&theirs, stranger)),
            10,
            Err(AnswerRejection::NotTheirs),
        );
    }
    let changed = Answer { decision: "no".to_owned(), ..good.clone() };
    check(&desk, &changed, Some(&by_desk), 10, Err(AnswerRejection::NotTheirs));
    let late = Answer { expires: at(5), ..good.clone() };
    check(&desk, &late, Some(&claimed(&late, &desk)), 10, Err(AnswerRejection::Expired));
    let others = [
        Answer { input: Digest::from_bytes([6; 32]), ..good.clone() },
        Answer { to: phone.id, ..good.clone() },
        Answer { session: SessionId::from_bytes([4; 16]), ..good.clone() },
        Answer { request: ApprovalId::new("r2"), ..good },
    ];
    for other in others {
        check(&desk, &other, Some(&claimed(&other, &desk)), 10, Err(AnswerRejection::Other));
    }
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

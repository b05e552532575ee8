//! The state transitions of a request, as one table.

use super::{Approval, Outcome, State, Verdict};

/// Who closed a request, according to the agent's own record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settler {
    /// A hook.
    Hook,
    /// A person at the agent's dialog, or a rule of the agent's.
    Agent,
    /// The agent does not report it.
    Untold,
}

/// Something that happens to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happening {
    /// The hook connected or reconnected.
    HookBack,
    /// The hook is gone, or the daemon restarted and does not know it.
    HookLost,
    /// Someone decides here.
    Decided(Verdict),
    /// The agent moved on; the verdict holds what is known of the decision.
    Settled(Settler, Verdict),
    /// The session is over.
    SessionOver,
    /// The agent no longer waits for our answer.
    TimedOut,
}

impl Approval {
    /// The request after a happening; `None` if the happening is not allowed or changes nothing.
    #[must_use]
    pub fn after(&self, happening: &Happening) -> Option<Self> {
        use {Happening as H, State as S};
        let ours =
            self.verdict.as_ref().is_some_and(|_| self.outcome == Some(Outcome::Unconfirmed));
        match (&self.state, happening) {
            (S::DialogOnly, H::HookBack) => Some(self.in_state(S::Pending, None)),
            (S::Pending, H::HookLost) => Some(self.in_state(S::DialogOnly, None)),
            (S::Pending, H::Decided(verdict)) => {
                Some(self.decided(verdict.clone(), Outcome::Unconfirmed))
            }
            (S::Pending | S::DialogOnly, H::Settled(_, verdict)) => {
                Some(self.decided(verdict.clone(), Outcome::Overtaken))
            }
            (S::Decided, H::Settled(Settler::Hook, _)) if ours => {
                Some(self.in_state(S::Decided, Some(Outcome::Taken)))
            }
            (S::Decided, H::Settled(Settler::Agent, _)) if ours => {
                Some(self.in_state(S::Decided, Some(Outcome::Overtaken)))
            }
            // We saw the agent's next action before its record named the author of the decision.
            (S::Decided, H::Settled(_, verdict)) if self.lacks_decision() && verdict.is_known() => {
                Some(self.decided(verdict.clone(), Outcome::Overtaken))
            }
            (S::Pending | S::DialogOnly, H::SessionOver | H::TimedOut) => {
                Some(self.in_state(S::Expired, Some(Outcome::Void)))
            }
            (_, _) => None,
        }
    }

    fn in_state(&self, state: State, outcome: Option<Outcome>) -> Self {
        Self { state, outcome, ..self.clone() }
    }

    fn decided(&self, verdict: Verdict, outcome: Outcome) -> Self {
        Self { verdict: Some(verdict), ..self.in_state(State::Decided, Some(outcome)) }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::approval::{ApprovalId, Decision};
    use crate::{AgentId, RuntimeIdentity, Timestamp};
    use proptest::prelude::*;

    pub(crate) fn asked(nonce: &str) -> Approval {
        let who = RuntimeIdentity::new(AgentId::new("toy"), "", "s");
        Approval {
            id: ApprovalId::of(nonce),
            session_id: who.session(),
            agent: AgentId::new("toy"),
            runtime_session_id: who.id,
            scope: who.scope,
            tool: "Bash".to_owned(),
            command: "npm test".to_owned(),
            truncated: false,
            input_hash: "00ff".to_owned(),
            risk: "low".to_owned(),
            state: State::Pending,
            outcome: None,
            asked_at: Timestamp::from_second(10).unwrap(),
            expires_at: Timestamp::from_second(600).unwrap(),
            sources: vec!["hook".to_owned()],
            call: None,
            verdict: None,
        }
    }

    fn by(who: &str, decision: Decision) -> Verdict {
        let at = Timestamp::from_second(20).unwrap();
        Verdict { decision, by: who.to_owned(), why: None, rule: None, at, who: None }
    }

    fn run(happenings: &[Happening]) -> Approval {
        happenings.iter().fold(asked("n"), |it, happening| it.after(happening).unwrap_or(it))
    }

    #[test]
    fn a_request_moves_by_what_happens() {
        use Happening::{Decided, HookBack, HookLost, SessionOver, Settled, TimedOut};
        let check = |happenings: &[Happening], expected: (&str, &str, &str)| {
            let it = run(happenings);
            let outcome = it.outcome.as_ref().map_or("-", Outcome::as_str);
            let who = it.verdict.as_ref().map_or("-", |it| it.by.as_str());
            assert_eq!((it.state.as_str(), outcome, who), expected, "{happenings:?}");
        };
        let ours = || Decided(by("cli", Decision::Allow));
        let other = || Decided(by("web", Decision::Deny));
        let agent = |settler| Settled(settler, by("agent", Decision::Deny));
        check(&[], ("pending", "-", "-"));
        check(&[HookLost], ("dialog_only", "-", "-"));
        check(&[HookLost, HookBack], ("pending", "-", "-"));
        check(&[ours()], ("decided", "unconfirmed", "cli"));
        check(&[ours(), other()], ("decided", "unconfirmed", "cli"));
        check(&[ours(), HookLost], ("decided", "unconfirmed", "cli"));
        check(&[HookLost, ours()], ("dialog_only", "-", "-"));
        check(&[ours(), agent(Settler::Hook)], ("decided", "taken", "cli"));
        check(&[ours(), agent(Settler::Agent)], ("decided", "overtaken", "cli"));
        check(&[ours(), agent(Settler::Untold)], ("decided", "unconfirmed", "cli"));
        check(&[agent(Settler::Agent)], ("decided", "overtaken", "agent"));
        check(&[agent(Settler::Agent), ours()], ("decided", "overtaken", "agent"));
        check(&[HookLost, agent(Settler::Untold)], ("decided", "overtaken", "agent"));
        let untold = || {
            let verdict = by("agent", Decision::Unknown("unknown".to_owned()));
            Settled(Settler::Untold, verdict)
        };
        check(&[untold()], ("decided", "overtaken", "agent"));
        let person = || Settled(Settler::Agent, by("person", Decision::Allow));
        check(&[untold(), person()], ("decided", "overtaken", "person"));
        check(&[untold(), person(), agent(Settler::Agent)], ("decided", "overtaken", "person"));
        check(&[SessionOver], ("expired", "void", "-"));
        check(&[HookLost, TimedOut, HookBack], ("expired", "void", "-"));
        check(&[SessionOver, ours()], ("expired", "void", "-"));
        check(&[ours(), SessionOver], ("decided", "unconfirmed", "cli"));
    }

    fn happening() -> impl Strategy<Value = Happening> {
        let who = prop::sample::select(vec!["cli", "web", "rule"]);
        let decision = vec![Decision::Allow, Decision::Deny, Decision::Unknown("?".to_owned())];
        let decision = prop::sample::select(decision);
        let settler = prop::sample::select(vec![Settler::Hook, Settler::Agent, Settler::Untold]);
        prop_oneof![
            Just(Happening::HookBack),
            Just(Happening::HookLost),
            Just(Happening::SessionOver),
            Just(Happening::TimedOut),
            (who, decision.clone()).prop_map(|(who, it)| Happening::Decided(by(who, it))),
            (settler, decision).prop_map(|(who, it)| Happening::Settled(who, by("agent", it))),
        ]
    }

    proptest! {
        #[test]
        fn at_most_one_decision_is_let_out(all in prop::collection::vec(happening(), 0..20)) {
            let mut it = asked("n");
            let mut out = Vec::new();
            for happening in &all {
                let Some(next) = it.after(happening) else { continue };
                if next.verdict != it.verdict {
                    prop_assert!(it.is_open() || it.lacks_decision());
                    out.extend(next.verdict.clone().filter(super::super::Verdict::is_known));
                }
                prop_assert_eq!(next.is_open(), next.outcome.is_none());
                it = next;
            }
            prop_assert!(out.len() <= 1);
        }

        #[test]
        fn what_is_over_stays_over(all in prop::collection::vec(happening(), 0..20)) {
            let mut over = false;
            let mut it = asked("n");
            for happening in &all {
                it = it.after(happening).unwrap_or(it);
                prop_assert!(!over || !it.is_open());
                over = !it.is_open();
            }
        }
    }
}

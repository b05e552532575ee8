//! A hook asks.

use super::holding::Held;
use super::{Desk, Open, Slip, ledger, moved, reason, tell};
use crate::live::Handle;
use crate::{DaemonError, Settings, rules};
use std::path::Path;
use taffrail_adapters::{Adapter, Answer, DeskPlan, Dialog, by_id};
use taffrail_api::DeskBody;
use taffrail_model::approval::{
    Approval, ApprovalId, COMMAND_BYTES, Decision, Happening, State, Verdict,
};
use taffrail_model::rules::{Decision as Ruled, Request, decide, risk};
use taffrail_model::{AgentId, RuntimeIdentity, Timestamp};
use taffrail_store::IndexReader;

/// A dialog is answered within a day, or never.
const SERVER_WAITS: i64 = 24 * 3_600;

/// What a hook that asked gets.
#[derive(Debug)]
pub(crate) enum Asked {
    /// A decision at once.
    Answered(Answer),
    /// Nothing: the agent's own dialog decides.
    Left,
    /// It waits.
    Held(Held),
}

impl Desk {
    /// Takes a request, or takes one back whose hook was cut off.
    pub(crate) fn ask(&self, handle: &Handle, body: &DeskBody) -> Result<Asked, DaemonError> {
        let Some(plan) = by_id(&body.agent).and_then(Adapter::desk) else {
            return Ok(Asked::Left);
        };
        let settings = handle.settings();
        let id = ApprovalId::of(&body.nonce);
        let known = self.lock().known.get(&id).map(|it| it.it.clone());
        let known = match known {
            None => ledger(settings)?.approval(&id)?,
            known => known,
        };
        match known {
            Some(it) => self.ask_again(handle, it),
            None => self.ask_anew(handle, plan, (body, Source::Hook)),
        }
    }

    /// Takes a request that an agent's own server tells while its dialog is open. It is the oldest
    /// one of the same input that its hook no longer waits for, or one of its own.
    pub(crate) fn ask_beside(
        &self,
        handle: &Handle,
        body: &DeskBody,
    ) -> Result<Asked, DaemonError> {
        let Some(plan) = by_id(&body.agent).and_then(Adapter::desk) else {
            return Ok(Asked::Left);
        };
        let it = request(plan, body, Source::Server);
        let known = ledger(handle.settings())?.approval(&it.id)?;
        match known.or_else(|| self.lock().left_to_dialog(&it)) {
            Some(known) => self.hold(handle, known, Source::Server),
            None => self.ask_anew(handle, plan, (body, Source::Server)),
        }
    }

    fn ask_again(&self, handle: &Handle, it: Approval) -> Result<Asked, DaemonError> {
        match (&it.state, &it.verdict) {
            (State::Pending | State::DialogOnly, _) => self.hold(handle, it, Source::Hook),
            // It may have been cut off before it could read the answer.
            (State::Decided, Some(verdict)) if it.is_followed() => {
                let (decision, reason) = (verdict.decision.clone(), reason(verdict));
                Ok(Asked::Answered(Answer { decision, reason }))
            }
            (_, _) => Ok(Asked::Left),
        }
    }

    fn ask_anew(
        &self,
        handle: &Handle,
        plan: &DeskPlan,
        (body, source): (&DeskBody, Source),
    ) -> Result<Asked, DaemonError> {
        let settings = handle.settings();
        let it = request(plan, body, source);
        if let Some(verdict) = ruled(settings, body) {
            return self.by_rule(handle, it, &verdict);
        }
        if is_unattended(settings, plan, body, &it)? {
            return Ok(Asked::Left);
        }
        let away = crate::away::is_away(settings);
        let held = source == Source::Server || plan.dialog == Dialog::Beside || away;
        let state = if held { State::Pending } else { State::DialogOnly };
        let it = Approval { state, ..it };
        let asked = self.put_down(handle, it.clone(), held)?;
        self.look_back(settings, it.session_id)?;
        handle.tell_approval(&it);
        Ok(asked)
    }

    /// Whoever sees the request in the ledger finds its hook waiting, too.
    fn put_down(&self, handle: &Handle, it: Approval, held: bool) -> Result<Asked, DaemonError> {
        let mut open = self.lock();
        let mut ledger = ledger(handle.settings())?;
        open.sweep(&mut ledger, (handle.settings().now)())?;
        ledger.open_approval(&it)?;
        let (id, until) = (it.id.clone(), it.expires_at);
        open.known.insert(id.clone(), Slip::new(it));
        if !held {
            return Ok(Asked::Left);
        }
        let (connection, answer) = open.wait_for(&id);
        Ok(Asked::Held(Held::new(handle.clone(), (id, connection), answer, until)))
    }

    fn by_rule(
        &self,
        handle: &Handle,
        it: Approval,
        verdict: &Verdict,
    ) -> Result<Asked, DaemonError> {
        let settings = handle.settings();
        let it = it.after(&Happening::Decided(verdict.clone())).unwrap_or(it);
        ledger(settings)?.open_approval(&it)?;
        let slip = Slip::new(it.clone());
        self.lock().known.insert(it.id.clone(), slip);
        tell(settings, &it, false);
        handle.tell_approval(&it);
        let (decision, reason) = (verdict.decision.clone(), reason(verdict));
        Ok(Asked::Answered(Answer { decision, reason }))
    }

    fn hold(&self, handle: &Handle, it: Approval, by: Source) -> Result<Asked, DaemonError> {
        let (id, until) = (it.id.clone(), it.expires_at);
        let mut open = self.lock();
        // What is known of it may have moved on meanwhile.
        let slip = open.known.entry(id.clone()).or_insert_with(|| Slip::new(it));
        let mut ledger = ledger(handle.settings())?;
        slip.it = moved(&mut ledger, slip.it.clone(), &Happening::HookBack)?;
        if !slip.it.sources.iter().any(|it| it == by.as_str()) {
            let before = slip.it.clone();
            slip.it.sources.push(by.as_str().to_owned());
            ledger.move_approval(&before, &slip.it)?;
        }
        if slip.it.state != State::Pending {
            return Ok(Asked::Left);
        }
        let (connection, answer) = open.wait_for(&id);
        Ok(Asked::Held(Held::new(handle.clone(), (id, connection), answer, until)))
    }
}

impl Open {
    /// The oldest request whose input is the same and that only its dialog can answer. Where the
    /// input is not told, the tool must be the same.
    fn left_to_dialog(&self, asked: &Approval) -> Option<Approval> {
        let is_same = |it: &Approval| {
            it.input_hash == asked.input_hash
                || (asked.tool == it.tool && asked.tool == asked.command)
        };
        let open = self.known.values().map(|it| &it.it).filter(|it| {
            it.state == State::DialogOnly && it.session_id == asked.session_id && is_same(it)
        });
        open.min_by_key(|it| it.asked_at).cloned()
    }
}

/// Who tells of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// Our hook, which the agent waits for.
    Hook,
    /// The agent's own server, which tells it beside its dialog and waits as long as that.
    Server,
}

impl Source {
    fn as_str(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Server => "server",
        }
    }

    fn seconds(self, plan: &DeskPlan) -> i64 {
        match self {
            Self::Hook => plan.seconds,
            Self::Server => SERVER_WAITS,
        }
    }
}

fn request(plan: &DeskPlan, body: &DeskBody, source: Source) -> Approval {
    let who = RuntimeIdentity::new(AgentId::new(&*body.agent), &body.scope, &body.session);
    let asks = asks(body);
    let files: Vec<_> = body.files.iter().map(String::as_str).collect();
    let end = body.asked_at.as_second().saturating_add(source.seconds(plan));
    Approval {
        id: ApprovalId::of(&body.nonce),
        session_id: who.session(),
        agent: who.agent.clone(),
        runtime_session_id: who.id,
        scope: who.scope,
        tool: body.tool.clone(),
        command: cut(&body.says, COMMAND_BYTES).to_owned(),
        input_hash: body.input_hash.clone(),
        risk: risk(&asks, &files).level.as_str().to_owned(),
        state: State::Pending,
        outcome: None,
        asked_at: body.asked_at,
        expires_at: Timestamp::from_second(end).unwrap_or(body.asked_at),
        sources: vec![source.as_str().to_owned()],
        call: None,
        verdict: None,
    }
}

fn asks(body: &DeskBody) -> Request<'_> {
    Request {
        tool: &body.tool,
        command: body.command.as_deref(),
        agent: Some(&body.agent),
        project: body.project.as_deref().map(Path::new),
    }
}

/// What the rules say, unless they say that a person is to be asked.
fn ruled(settings: &Settings, body: &DeskBody) -> Option<Verdict> {
    let book = rules::load(settings, body.project.as_deref().map(Path::new));
    let verdict = decide(&asks(body), &book.rules);
    let decision = match verdict.decision {
        Ruled::Allow => Decision::Allow,
        Ruled::Deny => Decision::Deny,
        Ruled::Ask => return None,
    };
    Some(Verdict {
        decision,
        by: "rule".to_owned(),
        why: Some(verdict.why),
        rule: verdict.rule.map(|it| it.text),
        at: (settings.now)(),
    })
}

/// Nobody could also answer at the agent: then it is not held, unless the user wants that.
fn is_unattended(
    settings: &Settings,
    plan: &DeskPlan,
    body: &DeskBody,
    it: &Approval,
) -> Result<bool, DaemonError> {
    let folder = Path::new(body.project.as_deref().unwrap_or_default());
    if settings.held_unattended.iter().any(|it| folder.starts_with(it)) {
        return Ok(false);
    }
    let begins = |text: &str| plan.unattended.entrypoints.iter().any(|it| text.starts_with(it));
    let opened = match IndexReader::open(&settings.data)? {
        Some(index) => index.entrypoint_of(it.session_id)?,
        None => None,
    };
    Ok(body.unattended || opened.is_some_and(|it| begins(&it)))
}

fn cut(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or(text)
}

//! Accepts a request from a hook, from an agent's server or from a pipe.

use super::piped::Pipe;
use super::waiting_hook::{HeldWhile, WaitingHook};
use super::{
    Broker, Open, PendingRequest, deed, journal, ledger, log_decision, moved, reason, sign_log,
};
use crate::rule_request::RuleRequest;
use crate::rules;
use std::path::Path;
use taffrail_adapters::{Adapter, Answer, ApprovalPlan, Dialog, by_id};
use taffrail_api::{ApprovalRequestBody, PipeBody};
use taffrail_context::{Error, Live, Settings, is_away};
use taffrail_model::approval::{
    Approval, ApprovalId, COMMAND_BYTES, Decision, Happening, Outcome, State, Verdict,
};
use taffrail_model::rules::{Decision as Ruled, decide, risk};
use taffrail_model::{AgentId, RuntimeIdentity, Timestamp};
use taffrail_query::budgets::BudgetMember;
use taffrail_store::IndexReader;

/// A dialog is answered within a day, or never.
const SERVER_WAITS: i64 = 24 * 3_600;

/// What the broker returns to a hook.
#[derive(Debug)]
pub enum AskOutcome {
    /// An immediate decision.
    Answered(Answer),
    /// No decision: the agent's own dialog decides.
    Left,
    /// The hook waits.
    Held(WaitingHook),
}

impl Broker {
    /// Accepts a request, whether a hook or a pipe asks.
    pub fn asked(&self, body: &ApprovalRequestBody) -> Result<AskOutcome, Error> {
        match &body.pipe {
            Some(pipe) => self.ask_at_pipe(body, pipe),
            None => self.ask(body),
        }
    }

    /// Accepts a request, or resumes one whose hook was disconnected.
    pub fn ask(&self, body: &ApprovalRequestBody) -> Result<AskOutcome, Error> {
        let Some(plan) = by_id(&body.agent).and_then(Adapter::approval_plan) else {
            return Ok(AskOutcome::Left);
        };
        let settings = self.settings();
        let id = ApprovalId::of(&body.nonce);
        let known = self.lock().known.get(&id).map(|it| it.it.clone());
        let known = match known {
            None => ledger(settings)?.approval(&id)?,
            known => known,
        };
        match known {
            Some(it) => self.ask_again(it, (body, Source::Hook)),
            None => {
                let it = approval(plan.seconds, body, Source::Hook);
                self.ask_first(Some(plan), it, (body, Source::Hook))
            }
        }
    }

    /// Accepts a request that an agent's own server reports while its dialog is open. This is the
    /// oldest request with the same input whose hook no longer waits, or else a new one. `call` is
    /// the agent's own id of the call, if the server names it.
    pub fn ask_beside(
        &self,
        body: &ApprovalRequestBody,
        call: Option<String>,
    ) -> Result<AskOutcome, Error> {
        let Some(adapter) = by_id(&body.agent) else { return Ok(AskOutcome::Left) };
        let it = Approval { call, ..approval(SERVER_WAITS, body, Source::Server) };
        let known = ledger(self.settings())?.approval(&it.id)?;
        match known.or_else(|| self.lock().left_to_dialog(&it)) {
            Some(known) => self.hold(known, (body, Source::Server)),
            None => self.ask_first(adapter.approval_plan(), it, (body, Source::Server)),
        }
    }

    /// Accepts a request that a pipe reports while its editor shows the dialog, or resumes one after
    /// the pipe was disconnected. If a hook reported the same and ended, it is that request.
    fn ask_at_pipe(
        &self,
        body: &ApprovalRequestBody,
        pipe: &PipeBody,
    ) -> Result<AskOutcome, Error> {
        let plan = by_id(&body.agent).and_then(Adapter::approval_plan);
        let it = Approval { call: pipe.call.clone(), ..approval(SERVER_WAITS, body, Source::Pipe) };
        if let Some(known) = ledger(self.settings())?.approval(&it.id)? {
            return self.ask_again(known, (body, Source::Pipe));
        }
        let left = self.lock().left_to_dialog(&it);
        match left {
            Some(known) => self.hold(known, (body, Source::Pipe)),
            None => self.ask_first(plan, it, (body, Source::Pipe)),
        }
    }

    fn ask_again(
        &self,
        it: Approval,
        (body, source): (&ApprovalRequestBody, Source),
    ) -> Result<AskOutcome, Error> {
        match (&it.state, &it.verdict) {
            (State::Pending | State::DialogOnly, _) => self.hold(it, (body, source)),
            // The hook may have been disconnected before it read the answer.
            (State::Decided, Some(verdict)) if it.outcome == Some(Outcome::Unconfirmed) => {
                let (decision, reason) = (verdict.decision.clone(), reason(verdict));
                Ok(AskOutcome::Answered(Answer { decision, reason }))
            }
            (_, _) => Ok(AskOutcome::Left),
        }
    }

    /// `plan` is that of the agent's hooks, if it has any.
    fn ask_first(
        &self,
        plan: Option<&ApprovalPlan>,
        it: Approval,
        (body, source): (&ApprovalRequestBody, Source),
    ) -> Result<AskOutcome, Error> {
        let settings = self.settings();
        let can_answer = body.pipe.as_ref().is_none_or(|it| it.is_answerable);
        if can_answer && let Some(verdict) = ruled(&self.0.live, body, &it) {
            return self.by_rule(it, &verdict);
        }
        if is_unattended(settings, plan, body, &it)? {
            return Ok(AskOutcome::Left);
        }
        let held = held_while(settings, plan, source).filter(|_| can_answer);
        let state = if held.is_some() { State::Pending } else { State::DialogOnly };
        let it = Approval { state, ..it };
        let request = PendingRequest {
            input: body.input.clone(),
            project: body.project.clone(),
            pipe: Pipe::of(body),
            ..PendingRequest::new(it.clone())
        };
        let asked = self.put_down(request, held)?;
        let (agent, state) = (it.agent.as_str(), it.state.as_str());
        tracing::info!(request = %it.id, session = %it.session_id, agent, state, "a request was asked");
        self.publish(&it);
        self.look_back(it.session_id)?;
        Ok(asked)
    }

    /// Registers the wait together with the row: anybody who sees the request in the ledger also
    /// finds its hook waiting.
    fn put_down(
        &self,
        request: PendingRequest,
        held: Option<HeldWhile>,
    ) -> Result<AskOutcome, Error> {
        let mut open = self.lock();
        let mut ledger = ledger(self.settings())?;
        open.sweep(&mut ledger, (self.settings().now)())?;
        ledger.open_approval(&request.it)?;
        let (id, until) = (request.it.id.clone(), request.it.expires_at);
        open.known.insert(id.clone(), request);
        let Some(held) = held else { return Ok(AskOutcome::Left) };
        let (connection, answer) = open.wait_for(&id);
        Ok(AskOutcome::Held(WaitingHook::new(
            self.clone(),
            (id, connection),
            answer,
            (until, held),
        )))
    }

    fn by_rule(&self, it: Approval, verdict: &Verdict) -> Result<AskOutcome, Error> {
        let settings = self.settings();
        let it = it.after(&Happening::Decided(verdict.clone())).unwrap_or(it);
        let mut ledger = ledger(settings)?;
        match deed(&it) {
            Some(deed) => ledger.open_decided(&it, (&deed, verdict.at))?,
            None => ledger.open_approval(&it)?,
        };
        sign_log(settings, &mut ledger);
        log_decision(&it);
        let request = PendingRequest::new(it.clone());
        self.lock().known.insert(it.id.clone(), request);
        self.look_back(it.session_id)?;
        journal(settings, &it, false);
        self.publish(&it);
        let (decision, reason) = (verdict.decision.clone(), reason(verdict));
        Ok(AskOutcome::Answered(Answer { decision, reason }))
    }

    fn hold(
        &self,
        it: Approval,
        (body, by): (&ApprovalRequestBody, Source),
    ) -> Result<AskOutcome, Error> {
        let (id, until) = (it.id.clone(), it.expires_at);
        let plan = by_id(it.agent.as_str()).and_then(Adapter::approval_plan);
        let Some(held) = held_while(self.settings(), plan, by) else {
            return Ok(AskOutcome::Left);
        };
        let mut open = self.lock();
        // The request may have changed in the meantime.
        let request = open.known.entry(id.clone()).or_insert_with(|| PendingRequest::new(it));
        request.pipe = Pipe::of(body).or(request.pipe.take());
        request.project = body.project.clone().or(request.project.take());
        // A server may report less about the request than the hook did.
        if request.input.is_none() || by == Source::Hook {
            request.input.clone_from(&body.input);
        }
        let mut ledger = ledger(self.settings())?;
        request.it = moved(&mut ledger, request.it.clone(), &Happening::HookBack)?;
        if !request.it.sources.iter().any(|it| it == by.as_str()) {
            let before = request.it.clone();
            request.it.sources.push(by.as_str().to_owned());
            ledger.move_approval(&before, &request.it)?;
        }
        if request.it.state != State::Pending {
            return Ok(AskOutcome::Left);
        }
        let (connection, answer) = open.wait_for(&id);
        Ok(AskOutcome::Held(WaitingHook::new(
            self.clone(),
            (id, connection),
            answer,
            (until, held),
        )))
    }
}

/// How long a hook is held. `None` if the agent shows its own dialog only after the hook is gone,
/// and the user is present.
fn held_while(
    settings: &Settings,
    plan: Option<&ApprovalPlan>,
    source: Source,
) -> Option<HeldWhile> {
    match (source, plan.map(|it| it.dialog)) {
        (Source::Server | Source::Pipe, _) | (Source::Hook, Some(Dialog::Beside)) => {
            Some(HeldWhile::Open)
        }
        (Source::Hook, Some(Dialog::After)) => is_away(settings).then_some(HeldWhile::Away),
        (Source::Hook, None) => None,
    }
}

impl Open {
    /// The oldest request with the same input that only its dialog can answer. If the input is
    /// unknown, the tool must be the same. A pipe names tools in words of its own, so there the
    /// command decides.
    fn left_to_dialog(&self, asked: &Approval) -> Option<Approval> {
        let is_piped = asked.sources.iter().any(|it| it == Source::Pipe.as_str());
        let is_same = |it: &Approval| {
            it.input_hash == asked.input_hash
                || (asked.tool == it.tool && asked.tool == asked.command)
                || (is_piped && !it.command.is_empty() && asked.command == it.command)
        };
        let open = self.known.values().map(|it| &it.it).filter(|it| {
            it.state == State::DialogOnly && it.session_id == asked.session_id && is_same(it)
        });
        open.min_by_key(|it| it.asked_at).cloned()
    }
}

/// Who reports a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    /// Our hook, which the agent waits for.
    Hook,
    /// The agent's own server, which reports a request beside its dialog and waits as long as the
    /// dialog.
    Server,
    /// A pipe between an editor and the agent, which reports a request beside the editor's dialog.
    Pipe,
}

impl Source {
    fn as_str(self) -> &'static str {
        match self {
            Self::Hook => "hook",
            Self::Server => "server",
            Self::Pipe => "acp",
        }
    }
}

fn approval(seconds: i64, body: &ApprovalRequestBody, source: Source) -> Approval {
    let who = RuntimeIdentity::new(AgentId::new(&*body.agent), &body.scope, &body.session);
    let asks = RuleRequest::of(body);
    let end = body.asked_at.as_second().saturating_add(seconds);
    Approval {
        id: ApprovalId::of(&body.nonce),
        session_id: who.session(),
        agent: who.agent.clone(),
        runtime_session_id: who.id,
        scope: who.scope,
        tool: body.tool.clone(),
        command: cut(&body.says, COMMAND_BYTES).to_owned(),
        truncated: body.says.len() > COMMAND_BYTES,
        input_hash: body.input_hash.clone(),
        risk: asks.with(body, risk).level.as_str().to_owned(),
        state: State::Pending,
        outcome: None,
        asked_at: body.asked_at,
        expires_at: Timestamp::from_second(end).unwrap_or(body.asked_at),
        sources: vec![source.as_str().to_owned()],
        call: None,
        verdict: None,
    }
}

/// The decision of the rules; `None` if they ask a person.
fn ruled(live: &Live, body: &ApprovalRequestBody, it: &Approval) -> Option<Verdict> {
    let settings = live.settings();
    let project = body.project.as_deref().map(Path::new);
    let who = BudgetMember { session: Some(it.session_id), agent: Some(&body.agent), project };
    let book = rules::load(settings, project);
    // While history is being read, what was spent is not known, and conditions stay open.
    let rules = match live.is_complete() {
        true => rules::applicable(settings, book, &who),
        false => book.rules,
    };
    let verdict = RuleRequest::of(body).with(body, |it| decide(it, &rules));
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
        who: None,
    })
}

/// True if nobody can answer at the agent. Such a request is held only where the user configured
/// that.
fn is_unattended(
    settings: &Settings,
    plan: Option<&ApprovalPlan>,
    body: &ApprovalRequestBody,
    it: &Approval,
) -> Result<bool, Error> {
    let folder = Path::new(body.project.as_deref().unwrap_or_default());
    if settings.held_unattended.iter().any(|it| folder.starts_with(it)) {
        return Ok(false);
    }
    let entrypoints = plan.map(|it| it.unattended.entrypoints).unwrap_or_default();
    let begins = |text: &str| entrypoints.iter().any(|it| text.starts_with(it));
    let opened = match IndexReader::open(&settings.data)? {
        Some(index) => index.entrypoint_of(it.session_id)?,
        None => None,
    };
    Ok(body.unattended || opened.is_some_and(|it| begins(&it)))
}

fn cut(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most)).unwrap_or(text)
}

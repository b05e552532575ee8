//! One connection to an agent's server, whatever carries its messages.

use crate::live::Handle;
use std::io;
use taffrail_adapters::{Answer, Outgoing, ServerMessage, ServerPlan, ServerRequest, ServerState};
use taffrail_approvals::body_of;
use taffrail_approvals::broker::AskOutcome;
use taffrail_context::write_entry;
use taffrail_model::approval::Decision;
use taffrail_model::hash;
use taffrail_model::{Origin, Process, Timestamp};
use tokio::task::{JoinError, JoinSet, spawn_blocking};

/// A connection, and its requests that wait here.
#[derive(Debug)]
pub(super) struct Connection<'h> {
    handle: &'h Handle,
    agent: &'static str,
    plan: &'static ServerPlan,
    talk: ServerState,
    since: Timestamp,
    waiting: JoinSet<(String, Option<Answer>)>,
}

impl<'h> Connection<'h> {
    pub(super) fn new(
        handle: &'h Handle,
        agent: &'static str,
        plan: &'static ServerPlan,
        process: Option<Process>,
    ) -> Self {
        let (since, talk) = ((handle.settings().now)(), ServerState::with(process));
        Self { handle, agent, plan, talk, since, waiting: JoinSet::new() }
    }

    /// The messages that begin the conversation.
    pub(super) fn hello(&self) -> Vec<Outgoing> {
        (self.plan.hello)()
    }

    /// Handles a message and returns the replies.
    pub(super) async fn received(&mut self, text: &str) -> io::Result<Vec<Outgoing>> {
        let mut replies = Vec::new();
        for said in (self.plan.read)(&mut self.talk, text) {
            match said {
                ServerMessage::Status(payload) => self.write(payload).await?,
                ServerMessage::Reply(it) => replies.push(it),
                ServerMessage::Request(it) => replies.extend(self.asked(*it).await?),
                ServerMessage::Settled { nonce, decision } => self.settled(nonce, decision).await?,
            }
        }
        Ok(replies)
    }

    /// Waits until a request is answered here. `None` if it was closed otherwise.
    pub(super) async fn next_answer(&mut self) -> Option<Outgoing> {
        match self.waiting.join_next().await {
            Some(done) => self.answered(done),
            None => std::future::pending().await,
        }
    }

    async fn write(&self, payload: String) -> io::Result<()> {
        let (handle, agent) = (self.handle.clone(), self.agent);
        let since = self.since.as_nanosecond().to_le_bytes();
        let mark = hash::digest("server-entry", &[payload.as_bytes(), &since]);
        let entry = (agent, Origin::Registry);
        spawn_blocking(move || write_entry(handle.settings(), entry, mark, &payload)).await?
    }

    /// Asks the broker; the request may be answered at once.
    async fn asked(&mut self, asks: ServerRequest) -> io::Result<Option<Outgoing>> {
        let ServerRequest { key, nonce, at, call, request, status } = asks;
        let body = body_of(request, &nonce, at.unwrap_or_else(self.handle.settings().now));
        self.write(status).await?;
        let handle = self.handle.clone();
        let asked = spawn_blocking(move || handle.broker().ask_beside(&body, call)).await?;
        Ok(match asked.map_err(io::Error::other)? {
            AskOutcome::Answered(answer) => Some((self.plan.answer)(&key, &answer)),
            AskOutcome::Left => None,
            AskOutcome::Held(held) => {
                self.waiting.spawn(async move { (key, held.answered().await) });
                None
            }
        })
    }

    async fn settled(&self, nonce: String, decision: Decision) -> io::Result<()> {
        let handle = self.handle.clone();
        let settle = move || handle.broker().settle_beside(&nonce, &decision);
        spawn_blocking(settle).await?.map_err(io::Error::other)
    }

    /// The reply for a request that waited; none if it was closed otherwise.
    fn answered(&self, done: Result<(String, Option<Answer>), JoinError>) -> Option<Outgoing> {
        // A failed task has no answer: the agent's own dialog is open.
        let (key, answer) = done.ok()?;
        answer.map(|answer| (self.plan.answer)(&key, &answer))
    }
}
